//! How many devices a rule needs.

use catalog::Rule;

/// What a rule needs to have for its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::run) enum Demand {
    /// So many devices.
    Devices(usize),
    /// All: the rule looks at how many there are.
    All,
}

impl Demand {
    /// Any one device.
    pub(in crate::run) const ONE: Demand = Demand::Devices(1);

    /// What a rule needs.
    pub(in crate::run) fn of(rule: &Rule) -> Demand {
        if rule.program.counts_devices { Demand::All } else { Demand::Devices(rule.devices().max(1) as usize) }
    }

    /// The number of devices where there are so many.
    pub(super) fn devices(self, there: usize) -> usize {
        match self {
            Demand::Devices(wanted) => wanted.min(there),
            Demand::All => there,
        }
    }
}
