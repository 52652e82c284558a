//! Queries to libraries, answered by this executable in a separate process, which may crash or hang.
//!
//! - [`question`] sends a query, and [`answer_if_asked`] answers it: if a library can be loaded, or what the runtime's
//! doctor knows ([`crate::doctor::Doctor::answer`]).
//! - [`Native`] is a library loaded to answer.

mod native;
mod question;

pub use native::{Answered, Native};
pub use question::{answer_if_asked, question};
