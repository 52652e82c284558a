//! Examines devices after a rule: performs the known operation, checks the devices' health, and looks for leaks. Also
//! recovers lost devices.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::pool::{Executor, Seat, Slot};
use record::{Incident, RuleResult, StartReason};

use super::gate::operate;
use super::opening::shown;
use super::recovery::{MOST, Recovery};
use super::{Devices, Lease};

impl Devices {
    /// Checks the health of all devices, if a check is due. Devices that have deteriorated are marked as lost.
    fn look(&self, failed: Option<(&str, &[usize])>) -> Vec<String> {
        let Some(watch) = &self.watch else { return Vec::new() };
        let (lost, said) = watch.look(failed, Instant::now());
        for (unit, why) in lost {
            self.units[unit].breaker.put_out(&why);
        }
        said
    }
}

impl Lease<'_> {
    /// Checks the health of the devices, if a check is due. `suspicious` is true if the result of the rule that ran on
    /// the devices makes them suspect. Returns the reason why a leased device is lost, and remarks.
    pub(in crate::run) fn look(&self, after: &RuleResult, suspicious: bool) -> (Option<String>, Vec<String>) {
        let said = self.devices.look(suspicious.then_some((after.id.as_str(), self.units())));
        // Another rule's check may already have found that the device is lost.
        let lost = self.devices.watch.as_ref().and_then(|watch| watch.lost_of(&self.units));
        (lost, said)
    }

    /// Performs the known operation on a rule's devices after a suspicious result. If the operation fails in the
    /// rule's process, the process is replaced and the replacement is reported. If the operation also fails in a fresh
    /// process, the device is lost.
    ///
    /// Returns the reason why a device is lost, and the last process replacement.
    pub(in crate::run) fn examine(
        &self,
        after: &RuleResult,
        executor: &Executor,
        slot: &mut Slot,
    ) -> (Option<String>, Option<Incident>) {
        let deadline = executor.factory.brief();
        let mut replaced = None;
        for (ordinal, unit) in (0..).zip(&self.units) {
            let name = self.devices.name(*unit);
            if let Some(worker) = slot.seated(Seat::pooled(ordinal, 0)) {
                let Err(trouble) = operate(worker, deadline) else { continue };
                slot.clear(StartReason::AfterFailure);
                let device = self.devices.units[*unit].name.clone();
                replaced = Some(Incident::ProcessReplaced { device, rule: after.id.clone(), reason: trouble });
            }
            let fresh = slot.worker(&executor.factory, Seat::pooled(ordinal, 0)).map_err(|error| error.to_string());
            if let Err(trouble) = fresh.and_then(|worker| operate(worker, deadline)) {
                slot.clear(StartReason::AfterFailure);
                let why = format!("after {}, {name} no longer passes the gate: {trouble}", after.id);
                self.devices.units[*unit].breaker.put_out(&why);
                return (Some(why), replaced);
            }
        }
        (None, replaced)
    }

    /// Looks for leaks after a single-device rule, if a checkpoint is due. Returns the leaks found, and remarks.
    pub(in crate::run) fn checkpoint(
        &self,
        rule: usize,
        suspicious: bool,
        seed: u64,
        executor: &Executor,
        slot: &mut Slot,
    ) -> (Vec<Incident>, Vec<String>) {
        let [unit] = self.units() else { return Default::default() };
        let unit = &self.devices.units[*unit];
        unit.book.checkpoint(unit.name.as_deref(), rule, suspicious, seed, executor, slot)
    }

    /// Runs the recovery command for a lost device, and checks whether the device works again. Returns the outcome as
    /// an incident.
    pub(in crate::run) fn recover(&self, recovery: &Recovery, executor: &Executor) -> Incident {
        let unit = &self.devices.units[self.units[0]];
        let attempt = unit.recoveries.fetch_add(1, Ordering::Relaxed) + 1;
        let (device, attempts) = (unit.name.clone(), MOST);
        let reason = unit.breaker.out().unwrap_or_default();
        let run = recovery.run(unit.name.as_deref().unwrap_or("0"), &reason);
        match run.and_then(|()| self.works(executor)).and_then(|()| self.healthy()) {
            Ok(()) => {
                unit.breaker.forget();
                Incident::DeviceBack { device, reason, attempt, attempts }
            }
            Err(reason) => Incident::DeviceNotBack { device, reason, attempt, attempts },
        }
    }

    /// Fails if the device's problem persists.
    fn healthy(&self) -> Result<(), String> {
        let brought_back = |unit: &usize| self.devices.watch.as_ref().map_or(Ok(()), |watch| watch.brought_back(*unit));
        self.units.iter().try_for_each(brought_back)
    }

    fn works(&self, executor: &Executor) -> Result<(), String> {
        let visible = self.visible();
        executor.factory.quarantine.pardon(visible.as_deref());
        let slot = executor.pool.take_seeing(visible.as_deref());
        let mut slot: Slot = slot.map_err(|error| error.to_string())?;
        slot.clear(StartReason::AfterFailure);
        shown(executor, &mut slot, true)?;
        executor.pool.give_back(slot);
        Ok(())
    }
}
