//! Queries to libraries. A separate process of this executable answers them, since a library may crash or hang.
//!
//! - [`question`] sends a query, and [`answer_if_asked`] answers it by loading a library or calling the runtime's
//!   doctor ([`crate::doctor::Doctor::answer`]).
//! - [`Native`] is a library that was loaded to answer a query.

mod native;
mod question;

pub use native::{Answered, Native};
pub use question::{answer_if_asked, question};
