//! Histories of calls that actors make at once, and the search for an order that a sequential model allows. An order is
//! compatible with the times at which the calls began and returned; Herlihy and Wing call a history that has one
//! linearizable.
//!
//! - [`Event`]: one operation of a history; [`Model`]: the sequential object, which may be nondeterministic.
//! - [`check()`]: the search of Wing and Gong with the memoization of Lowe, on the independent parts of a history.
//! - [`smallest`]: the smallest inconsistent part of an inconsistent history.
//! - [`models`]: register, counter, queue, keys, allocator, ticket.
//! - [`Record`] and [`examine`]: the same for operations that are known by name, as a worker records them.
//! - [`Picture`]: an inconsistent part as lanes and bars.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod draw;
mod event;
pub mod models;
mod picture;
mod record;
mod search;
mod smallest;

pub use draw::draw;
pub use event::{Answer, Event, Model, Of, Returned, by_key, number};
pub use picture::{Bar, Picture};
pub use record::{Examined, Kind, Misfit, OPERATIONS, Operation, Record, Role, examine};
pub use search::{Outcome, check, consistent};
pub use smallest::{Smallest, smallest};
