//! The seeded defects of the simulated device, and what can go wrong once there, read from the simulator's own lists.

use simulator_contract as contract;

#[path = "../../fixtures/simulator/acl/defects/mod.rs"]
mod list;
#[path = "../../fixtures/simulator/device/mechanism.rs"]
mod mechanism;

pub use contract::{DENY, Defect, Event};
pub use list::{BAD_DEVICES, DEFECTS, VARIANTS};

/// Names of the defects that a rule may claim to kill.
pub fn names() -> &'static [&'static str] {
    static NAMES: std::sync::LazyLock<Vec<&'static str>> =
        std::sync::LazyLock::new(|| DEFECTS.iter().map(|defect| defect.name).collect());
    &NAMES
}

/// Whether a defect with this name shows only for some sizes, histories or orders.
pub fn subtle(name: &str) -> bool {
    DEFECTS.iter().any(|defect| defect.name == name && defect.subtle)
}
