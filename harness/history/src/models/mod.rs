//! The sequential objects.

mod allocator;
mod counter;
mod keys;
mod queue;
mod register;
mod ticket;

pub use allocator::{Allocator, AllocatorCall};
pub use counter::{Counter, CounterCall};
pub use keys::{Keys, KeysCall};
pub use queue::{Queue, QueueCall};
pub use register::{Register, RegisterAction, RegisterCall};
pub use ticket::{Ticket, TicketCall};
