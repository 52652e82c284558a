//! A run's devices: leases and quarantine.
//!
//! On real devices, each rule leases its devices, and rules that use different devices run at the same time. A rule's
//! processes see only the leased devices, numbered from 0. The seed and the rule's id determine the device for a
//! single-device rule. Which devices are free does not matter. In a simulated run, each thread has a separate machine.

mod after;
mod before;
mod checkpoint;
mod demand;
mod gate;
mod opening;
mod recovery;
mod turns;
mod watch;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::case::rule_seed;
use record::{Incident, Verdict, device_name};

use super::breaker::{Breaker, Permit};

pub(super) use demand::Demand;
pub(super) use gate::free_memory;
pub(super) use opening::{Opened, open};
pub(super) use recovery::Recovery;
pub(super) use turns::Turns;

/// A run's devices.
#[derive(Debug)]
pub(super) struct Devices {
    units: Vec<Unit>,
    /// The breaker for rules that use several devices. If a function hangs or crashes in such a rule, the device at
    /// fault is unknown.
    several: Breaker,
    /// True if leases are exclusive.
    exclusive: bool,
    /// True if each device passed the gate before the run. Otherwise, later results prove nothing about a device.
    pub(super) gated: bool,
    /// Watches the devices' health; `None` if the devices' health is unknown or the watch is switched off.
    watch: Option<watch::Watch>,
    taken: Mutex<Vec<bool>>,
    given_back: Condvar,
}

/// The unit that a single-device rule leases: one device or, if a process cannot be limited to one device, all
/// devices.
#[derive(Debug, Default)]
struct Unit {
    /// The device's name in the visibility variable; `None` if the unit is all devices.
    name: Option<String>,
    breaker: Breaker,
    book: checkpoint::Book,
    /// The number of recovery attempts so far.
    recoveries: AtomicU32,
}

impl Unit {
    /// True if another recovery attempt is allowed.
    fn may_come_back(&self) -> bool {
        self.recoveries.load(Ordering::Relaxed) < recovery::MOST
    }
}

/// An exclusive lease of devices, released on drop.
#[derive(Debug)]
pub(super) struct Lease<'a> {
    devices: &'a Devices,
    units: Vec<usize>,
}

/// The result of requesting devices.
#[derive(Debug)]
pub(super) enum Taken<'a> {
    /// The rule runs on these devices. With `brief`, each call may take at most as long as the run's longest call so
    /// far.
    Runs { lease: Lease<'a>, brief: bool },
    /// A device is lost. The caller may try to recover the device and then request devices again.
    Out { lease: Lease<'a>, recovery: &'a Recovery },
    /// The rule does not run, and gets this verdict and reason.
    Refused(Verdict, String),
}

impl Devices {
    /// Creates separate machines, one per thread.
    fn simulated() -> Devices {
        Devices { exclusive: false, ..Devices::of(vec![Unit::default()]) }
    }

    fn of(units: Vec<Unit>) -> Devices {
        let taken = Mutex::new(vec![false; units.len()]);
        Devices {
            units,
            several: Breaker::default(),
            exclusive: true,
            gated: false,
            watch: None,
            taken,
            given_back: Condvar::new(),
        }
    }

    /// The maximum number of rules that can run at the same time; `None` for one rule per thread.
    pub(super) fn at_the_same_time(&self) -> Option<usize> {
        self.exclusive.then_some(self.units.len())
    }

    /// The devices for a single-device rule, in order of preference. The order depends only on the seed and the rule,
    /// so the loss of a device moves only the rules that would have used that device.
    pub(super) fn order(&self, seed: u64, rule: &str) -> Vec<usize> {
        let turn = rule_seed(seed, rule);
        let name = |unit: usize| self.units[unit].name.as_deref().unwrap_or_default();
        let mut order: Vec<usize> = (0..self.units.len()).collect();
        order.sort_by_key(|unit| rule_seed(turn, name(*unit)));
        order
    }

    /// Leases the devices for a rule that makes these calls, waiting while other rules use the devices. A
    /// single-device rule gets the first device in `order` that permits it. With `recovery`, the result may be a lost
    /// device to recover.
    pub(super) fn take<'a>(
        &'a self,
        demand: Demand,
        order: &[usize],
        calls: &BTreeSet<&str>,
        recovery: Option<&'a Recovery>,
    ) -> Taken<'a> {
        match demand.devices(self.units.len()) {
            1 => self.take_one(order, calls, recovery),
            wanted => self.take_several(wanted, calls, recovery),
        }
    }

    /// Leases a rule's devices, regardless of earlier accidents on the devices.
    pub(super) fn take_anyway(&self, demand: Demand) -> Lease<'_> {
        let units: Vec<usize> = (0..demand.devices(self.units.len())).collect();
        let mut taken = self.taken();
        while self.exclusive && units.iter().any(|unit| taken[*unit]) {
            taken = self.wait(taken);
        }
        self.lease(units, taken)
    }

    fn take_one<'a>(&'a self, order: &[usize], calls: &BTreeSet<&str>, recovery: Option<&'a Recovery>) -> Taken<'a> {
        let mut refusals: Vec<(usize, Verdict, String)> = Vec::new();
        let mut taken = self.taken();
        for index in order.iter().copied() {
            while self.exclusive && taken[index] {
                taken = self.wait(taken);
            }
            // Each device is queried only once, because each query counts a blocked rule.
            let recovery = recovery.filter(|_| self.units[index].may_come_back());
            match (self.units[index].breaker.permit(calls), recovery) {
                (Permit::Refused(Verdict::DeviceLost, _), Some(recovery)) => {
                    return Taken::Out { lease: self.lease(vec![index], taken), recovery };
                }
                (Permit::Refused(verdict, reason), _) => refusals.push((index, verdict, reason)),
                (permit, _) => {
                    let brief = permit == Permit::Briefly;
                    return Taken::Runs { lease: self.lease(vec![index], taken), brief };
                }
            }
        }
        // The reason from a device that still works explains more than the reason from a lost device.
        refusals.sort_by_key(|(index, ..)| *index);
        let working = refusals.iter().find(|(_, verdict, _)| *verdict != Verdict::DeviceLost);
        let (_, verdict, reason) = working.or(refusals.last()).expect("each device refused").clone();
        Taken::Refused(verdict, reason)
    }

    /// The first free device in `units`. If no device is free, the first in the list.
    pub(super) fn free_of(&self, units: &[usize]) -> Option<usize> {
        let taken = self.taken();
        units.iter().copied().find(|unit| !taken[*unit]).or(units.first().copied())
    }

    fn take_several<'a>(&'a self, wanted: usize, calls: &BTreeSet<&str>, recovery: Option<&'a Recovery>) -> Taken<'a> {
        let brief = match self.several.permit(calls) {
            Permit::Refused(verdict, reason) => return Taken::Refused(verdict, reason),
            permit => permit == Permit::Briefly,
        };
        let mut taken = self.taken();
        loop {
            let (lost, well): (Vec<_>, Vec<_>) =
                (0..self.units.len()).partition(|unit| self.units[*unit].breaker.out().is_some());
            let missing = well.len() < wanted;
            let untried = lost.iter().copied().find(|unit| self.units[*unit].may_come_back());
            if let Some((recovery, unit)) = recovery.zip(untried).filter(|_| missing) {
                if !taken[unit] {
                    return Taken::Out { lease: self.lease(vec![unit], taken), recovery };
                }
                // Another rule is trying to recover the device.
                taken = self.wait(taken);
                continue;
            }
            if missing {
                let why = lost.iter().filter_map(|unit| self.units[*unit].breaker.out()).collect::<Vec<_>>().join("; ");
                let left = match well.len() {
                    0 => "none is".to_owned(),
                    1 => "one is".to_owned(),
                    more => format!("{more} are"),
                };
                let reason = format!("this rule needs {wanted} devices, but {left} usable: {why}");
                return Taken::Refused(Verdict::DeviceLost, reason);
            }
            // All devices are leased at once, so that no rule holds one device while it waits for another.
            let free: Vec<usize> = well.into_iter().filter(|unit| !taken[*unit]).take(wanted).collect();
            if free.len() == wanted {
                return Taken::Runs { lease: self.lease(free, taken), brief };
            }
            taken = self.wait(taken);
        }
    }

    /// The breaker for functions on these devices.
    pub(super) fn breaker(&self, units: &[usize]) -> &Breaker {
        match units {
            [unit] => &self.units[*unit].breaker,
            _ => &self.several,
        }
    }

    fn lease(&self, units: Vec<usize>, mut taken: MutexGuard<'_, Vec<bool>>) -> Lease<'_> {
        units.iter().for_each(|unit| taken[*unit] = true);
        Lease { devices: self, units }
    }

    fn taken(&self) -> MutexGuard<'_, Vec<bool>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, taken: MutexGuard<'a, Vec<bool>>) -> MutexGuard<'a, Vec<bool>> {
        self.given_back.wait(taken).unwrap_or_else(PoisonError::into_inner)
    }

    /// The device's number on the machine.
    pub(super) fn number(&self, unit: usize) -> String {
        self.units[unit].name.clone().unwrap_or_else(|| unit.to_string())
    }

    /// The devices lost since the previous call.
    pub(super) fn newly_out(&self) -> Vec<Incident> {
        let out = |unit: &Unit| {
            unit.breaker.newly_out().map(|reason| Incident::DeviceOut { device: unit.name.clone(), reason })
        };
        self.units.iter().filter_map(out).collect()
    }

    /// A device's name in reports.
    fn name(&self, unit: usize) -> Cow<'static, str> {
        device_name(self.units[unit].name.as_deref()).into()
    }
}

impl Lease<'_> {
    /// The value of the visibility variable for a rule's processes; `None` if the processes see all devices.
    pub(super) fn visible(&self) -> Option<String> {
        let names: Option<Vec<&str>> =
            self.units.iter().map(|unit| self.devices.units[*unit].name.as_deref()).collect();
        names.map(|names| names.join(","))
    }

    /// The units, for [`Devices::breaker`].
    pub(super) fn units(&self) -> &[usize] {
        &self.units
    }

    /// The breaker for functions on these devices.
    pub(super) fn breaker(&self) -> &Breaker {
        self.devices.breaker(&self.units)
    }

    /// The devices, by their numbers on the machine; `None` for a machine's only device.
    pub(super) fn labels(&self) -> Vec<Option<String>> {
        self.units.iter().map(|unit| self.devices.units[*unit].name.clone()).collect()
    }

    /// The devices' names in reports.
    pub(super) fn names(&self) -> Cow<'static, str> {
        match self.units[..] {
            [unit] => self.devices.name(unit),
            _ => self.units.iter().map(|unit| self.devices.name(*unit)).collect::<Vec<_>>().join(" and ").into(),
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut taken = self.devices.taken();
        self.units.iter().for_each(|unit| taken[*unit] = false);
        drop(taken);
        self.devices.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests;
