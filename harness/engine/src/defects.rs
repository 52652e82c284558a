//! Interim: the simulator's own lists, until the contract crate holds their types.

#[path = "../../../fixtures/simulator/src/event.rs"]
mod event;
#[path = "../../../fixtures/simulator/src/defects.rs"]
mod list;

pub use event::Event;
pub use list::{BAD_DEVICES, DEFECTS, DENY, Defect, VARIANTS};
