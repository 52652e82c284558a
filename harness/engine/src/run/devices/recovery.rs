//! A site's own command that may bring a device back.

use std::process::Command;
use std::time::Duration;

use crate::doctor::{End, ask};
use crate::workers::{Executor, Slot, interrupt};
use record::{Incident, StartReason};

use super::Lease;
use super::opening::shown;

/// So often it is tried to bring one device back in a run.
pub(super) const MOST: u32 = 2;

/// How a site brings a device back.
#[derive(Debug, Clone)]
pub(in crate::run) struct Recovery {
    /// A command of the shell. It finds the device in ATLAS_CTS_DEVICE, and why it is out in ATLAS_CTS_REASON.
    pub command: String,
    /// How long it may take.
    pub limit: Duration,
}

impl Lease<'_> {
    /// Runs the command for a device that is out, and looks whether the device works again. Gives what came of it.
    pub(in crate::run) fn recover(&self, recovery: &Recovery, executor: &Executor) -> Incident {
        let unit = &self.devices.units[self.units[0]];
        let attempt = unit.recoveries.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        let (device, attempts) = (unit.name.clone(), MOST);
        let reason = unit.breaker.out().unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-c", &recovery.command]).env("ATLAS_CTS_REASON", &reason);
        shell.env("ATLAS_CTS_DEVICE", unit.name.as_deref().unwrap_or("0"));
        let answer = ask(&mut shell, recovery.limit, &|| interrupt::requested().is_some());
        let works = match answer.end {
            End::Status(0) => self.works(executor).and_then(|()| self.healthy()),
            _ => Err(format!("the command {}", answer.said())),
        };
        match works {
            Ok(()) => {
                unit.breaker.forget();
                Incident::DeviceBack { device, reason, attempt, attempts }
            }
            Err(reason) => Incident::DeviceNotBack { device, reason, attempt, attempts },
        }
    }

    /// What is wrong with the device did not stay.
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
