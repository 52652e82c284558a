//! The seeded defects of the simulated device, read from its own lists.

use simulator_contract as contract;

#[path = "../../../../../fixtures/simulator/acl/defects/mod.rs"]
mod list;
#[path = "../../../../../fixtures/simulator/device/mechanism.rs"]
mod mechanism;

pub(super) use list::{BAD_DEVICES, DEFECTS, VARIANTS};
