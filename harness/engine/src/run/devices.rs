//! The devices of a run: who uses which, and which are of no further use.
//!
//! On real devices each rule has its devices to itself, and rules of one device run beside rules of others: their
//! processes are shown only these devices, and number them from 0. The device for a rule of one follows from seed and
//! id, never from which devices are free. Each thread of a simulated run has a separate machine.

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

/// The devices of a run.
#[derive(Debug)]
pub(super) struct Devices {
    units: Vec<Unit>,
    /// Functions that hung or crashed where a rule used several devices: on which of them, nobody knows.
    several: Breaker,
    /// Whether a rule has what it uses to itself.
    exclusive: bool,
    /// Whether they did the known operation before the run: only then says something what they do later.
    pub(super) gated: bool,
    /// What looks at their health; `None`: nothing can, or nobody wants it.
    watch: Option<watch::Watch>,
    taken: Mutex<Vec<bool>>,
    given_back: Condvar,
}

/// What a rule of one device uses: a device; or all of them, where processes cannot be shown one alone.
#[derive(Debug, Default)]
struct Unit {
    /// The device as the variable names it that shows it to a process; `None`: it stands for all.
    name: Option<String>,
    breaker: Breaker,
    book: checkpoint::Book,
    /// How often it was tried to bring it back.
    recoveries: AtomicU32,
}

impl Unit {
    /// Whether it may be tried to bring it back.
    fn may_come_back(&self) -> bool {
        self.recoveries.load(Ordering::Relaxed) < recovery::MOST
    }
}

/// Devices that a rule has for its own, until this is dropped.
#[derive(Debug)]
pub(super) struct Lease<'a> {
    devices: &'a Devices,
    units: Vec<usize>,
}

/// What became of a wish for devices.
#[derive(Debug)]
pub(super) enum Taken<'a> {
    /// The rule runs there; with `brief`, nobody waits for a call for longer than calls have taken.
    Runs { lease: Lease<'a>, brief: bool },
    /// A device that is out, and may be brought back before anybody asks again.
    Out { lease: Lease<'a>, recovery: &'a Recovery },
    /// The rule does not run, with this verdict, for this reason.
    Refused(Verdict, String),
}

impl Devices {
    /// Machines that each thread makes for itself.
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

    /// How many rules may run at the same time; `None`: as many as there are threads.
    pub(super) fn at_the_same_time(&self) -> Option<usize> {
        self.exclusive.then_some(self.units.len())
    }

    /// The devices for a rule of one, in the order of their use: the same in each run with this seed. A device
    /// that is out moves only its own rules.
    pub(super) fn order(&self, seed: u64, rule: &str) -> Vec<usize> {
        let turn = rule_seed(seed, rule);
        let name = |unit: usize| self.units[unit].name.as_deref().unwrap_or_default();
        let mut order: Vec<usize> = (0..self.units.len()).collect();
        order.sort_by_key(|unit| rule_seed(turn, name(*unit)));
        order
    }

    /// Takes the devices that a rule with these calls needs, and waits while others use them: of one, the first of
    /// `order` on which it may run. With `recovery`, devices that are out may be brought back.
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

    /// Takes a rule's devices whatever has happened there.
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
            // Each device is asked once: asking counts the rules that it passes over.
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
        // A device that still works is a better witness than one that does not.
        refusals.sort_by_key(|(index, ..)| *index);
        let working = refusals.iter().find(|(_, verdict, _)| *verdict != Verdict::DeviceLost);
        let (_, verdict, reason) = working.or(refusals.last()).expect("each device refused").clone();
        Taken::Refused(verdict, reason)
    }

    /// The first of these devices that is not in use; if all are in use, the first.
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
                // Somebody tries to bring it back right now.
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
                let reason = format!("this rule needs {wanted} devices, and {left} left: {why}");
                return Taken::Refused(Verdict::DeviceLost, reason);
            }
            // Together or not at all, in ascending order: nobody holds one and waits for another.
            let free: Vec<usize> = well.into_iter().filter(|unit| !taken[*unit]).take(wanted).collect();
            if free.len() == wanted {
                return Taken::Runs { lease: self.lease(free, taken), brief };
            }
            taken = self.wait(taken);
        }
    }

    /// What has happened to functions on these devices.
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

    /// A device, by the machine's number.
    pub(super) fn number(&self, unit: usize) -> String {
        self.units[unit].name.clone().unwrap_or_else(|| unit.to_string())
    }

    /// The devices that are out since this was asked last.
    pub(super) fn newly_out(&self) -> Vec<Incident> {
        let out = |unit: &Unit| {
            unit.breaker.newly_out().map(|reason| Incident::DeviceOut { device: unit.name.clone(), reason })
        };
        self.units.iter().filter_map(out).collect()
    }

    /// A device, as reports call it.
    fn name(&self, unit: usize) -> Cow<'static, str> {
        device_name(self.units[unit].name.as_deref()).into()
    }
}

impl Lease<'_> {
    /// What the processes of a rule see, as the runtime's variable says it; `None`: all that there is.
    pub(super) fn visible(&self) -> Option<String> {
        let names: Option<Vec<&str>> =
            self.units.iter().map(|unit| self.devices.units[*unit].name.as_deref()).collect();
        names.map(|names| names.join(","))
    }

    /// The devices, for [`Devices::breaker`].
    pub(super) fn units(&self) -> &[usize] {
        &self.units
    }

    /// What has happened to functions there.
    pub(super) fn breaker(&self) -> &Breaker {
        self.devices.breaker(&self.units)
    }

    /// The devices, as the machine numbers them; `None`: it has one.
    pub(super) fn labels(&self) -> Vec<Option<String>> {
        self.units.iter().map(|unit| self.devices.units[*unit].name.clone()).collect()
    }

    /// The devices, as reports call them.
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
