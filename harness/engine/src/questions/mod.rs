//! Questions to libraries: asked of this executable in a process of its own, which may crash or hang.
//!
//! - [`question`] asks, and [`answer_if_asked`] answers there: whether a library can be loaded, or what the runtime's
//!   doctor knows ([`crate::doctor::Doctor::answer`]).
//! - [`Native`] is a library that is loaded to answer.

mod native;
mod question;

pub use native::{Answered, Native};
pub use question::{answer_if_asked, question};
