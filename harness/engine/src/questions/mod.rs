//! Queries to libraries, answered by this executable in a separate process, which may crash or hang.
//!
//! - [`question`] sends a query, and [`answer_if_asked`] answers it: it loads a library, or calls the runtime's doctor
//!   ([`crate::doctor::Doctor::answer`]).
//! - [`Native`] is a library loaded to answer.

mod native;
mod question;

pub use native::{Answered, Native};
pub use question::{answer_if_asked, question};
