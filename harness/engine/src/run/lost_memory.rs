//! Memory that a device lost during a run. If a rule is refused memory because the device lost memory, the device has
//! failed: neither another program nor the suite uses the missing memory.

use crate::pool::{Seat, Slot};
use record::{RuleResult, Verdict};

use super::campaign::Campaign;
use super::devices::free_memory;
use super::outcome::RuleOutcome;

impl Campaign {
    /// Records a device's free memory after the first rule that held on the device.
    pub(super) fn note_free_memory(&self, slot: &mut Slot) {
        if slot.free_at_first.is_none() && self.alone_on_devices() {
            slot.free_at_first = self.free_memory_of(slot, None);
        }
    }

    /// If a rule was refused a resource and most of the device's memory has been lost, turns the rule's outcome into a
    /// failure.
    pub(super) fn unless_memory_was_lost(&self, outcome: RuleOutcome, slot: &mut Slot) -> (RuleOutcome, bool) {
        let failure = outcome.result.failure.as_deref();
        // Lost memory can explain only a refused call or a failed check of memory accounts. A hang or a crash has
        // another cause.
        if outcome.result.verdict != Verdict::Blocked || failure.is_none() || !self.alone_on_devices() {
            return (outcome, false);
        }
        let Some(first) = slot.free_at_first else { return (outcome, false) };
        let Some(now) = self.free_memory_of(slot, Some(first / 2)).filter(|now| *now < first / 2) else {
            return (outcome, false);
        };
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let reason = format!(
            "the device lost memory: {:.1} MiB are free, {:.1} MiB were free after the first rule, and no process \
             uses the rest; {}",
            mebibytes(now),
            mebibytes(first),
            outcome.result.reason
        );
        let result = RuleResult { verdict: Verdict::Fail, reason, ..outcome.result };
        (RuleOutcome { result, ..outcome }, true)
    }

    /// True if only this run can have taken the missing memory: the devices are simulated, or the user has declared
    /// them dedicated.
    fn alone_on_devices(&self) -> bool {
        !self.replays() && (self.target.library.simulated || self.header.settings.dedicated)
    }

    /// The free memory in bytes, as reported to the shared worker. Waits for memory that the runtime frees late.
    fn free_memory_of(&self, slot: &mut Slot, wanted: Option<u64>) -> Option<u64> {
        let worker = slot.seated(Seat::pooled(0, 0))?;
        free_memory(worker, self.target.executor.factory.brief(), wanted)
    }
}
