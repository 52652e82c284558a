//! The number of devices that a rule needs.

use catalog::Rule;

/// The devices that a rule must lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::run) enum Demand {
    /// A number of devices.
    Devices(usize),
    /// All devices, because the rule depends on their number.
    All,
}

impl Demand {
    /// Any one device.
    pub(in crate::run) const ONE: Demand = Demand::Devices(1);

    /// The number of devices that a rule needs.
    pub(in crate::run) fn of(rule: &Rule) -> Demand {
        if rule.program.counts_devices { Demand::All } else { Demand::Devices(rule.devices().max(1) as usize) }
    }

    /// The number of devices to lease on a machine with `there` devices.
    pub(super) fn devices(self, there: usize) -> usize {
        match self {
            Demand::Devices(wanted) => wanted.min(there),
            Demand::All => there,
        }
    }
}
