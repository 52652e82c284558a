//! The judgment of a soak, and its reports: text, a page with plots, and JUnit.
//!
//! A quantity grows if the confidence interval of its robust slope excludes 0, over all batches after the warm-up and
//! over both halves of them, and if the growth is at least the stated minimum.

mod judge;
mod junit;
mod page;
mod slope;
mod text;

#[cfg(test)]
mod tests;

pub use judge::{Course, Judged, RuleCourse, judge};
pub use junit::junit;
pub use page::{SOAK_PAGE, page};
pub use slope::{Slope, slope};
pub use text::{again, alarm_lines, text};
