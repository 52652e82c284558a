//! The devices' health during a run, compared with their health before the run. A device is lost if it has permanently
//! deteriorated: it has uncorrected memory errors, it has a fault that is not known to be harmless, or it has
//! disappeared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::doctor::{DeviceHealth, MachineHealth};

/// The time between two health checks if no result is suspicious.
const EVERY: Duration = Duration::from_secs(5 * 60);
/// The minimum time between two checks, even after a suspicious result.
const LEAST: Duration = Duration::from_secs(60);
/// The delay before a fault is checked again. A fault caused by a test lasts less than a tenth of this time.
const SETTLING: Duration = Duration::from_secs(1);

/// Watches the devices' health.
pub(super) struct Watch {
    look: Box<dyn Fn() -> MachineHealth + Send + Sync>,
    settling: Duration,
    /// The names of each unit's devices in the machine's tool.
    units: Vec<Vec<String>>,
    begun: Instant,
    state: Mutex<WatchState>,
    /// The units that have deteriorated, each with the reason.
    lost: Mutex<BTreeMap<usize, String>>,
}

#[derive(Debug, Default)]
struct WatchState {
    /// Each device's health before the run, by the device's name in the tool.
    before: BTreeMap<String, DeviceHealth>,
    last: Option<Instant>,
    /// True if the next check is due as soon as [`LEAST`] allows, because a suspicious result came too soon after the
    /// previous check or the tool did not answer.
    owed: bool,
    /// The rules that failed on a unit since the previous check.
    suspects: BTreeMap<usize, BTreeSet<String>>,
    said: BTreeSet<String>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Watch").field("units", &self.units).field("state", &self.state).finish_non_exhaustive()
    }
}

/// A problem that has appeared since the start of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Worse {
    unit: usize,
    /// Distinguishes this problem from others on the same unit.
    name: String,
    words: String,
    /// True if the problem may be temporary.
    may_pass: bool,
}

impl Watch {
    /// Creates a watch over units, given the devices' health before the run. `units` has the names of each unit's
    /// devices in the tool.
    pub(super) fn new(
        look: impl Fn() -> MachineHealth + Send + Sync + 'static,
        before: MachineHealth,
        units: Vec<Vec<String>>,
    ) -> Watch {
        let before = before.devices.into_iter().map(|device| (device.label.clone(), device)).collect();
        Watch {
            look: Box::new(look),
            settling: SETTLING,
            units,
            begun: Instant::now(),
            state: Mutex::new(WatchState { before, ..WatchState::default() }),
            lost: Mutex::default(),
        }
    }

    /// Checks the devices' health, if a check is due. `failed` has a rule with a suspicious result, and the rule's
    /// units. Returns the units that were newly lost, each with the reason, and remarks.
    pub(super) fn look(&self, failed: Option<(&str, &[usize])>, now: Instant) -> (Vec<(usize, String)>, Vec<String>) {
        let mut state = match (failed, self.state.try_lock()) {
            (_, Ok(state)) => state,
            // Another thread is checking. After a suspicious result, this thread waits for that check; otherwise, it
            // does not.
            (Some(_), Err(TryLockError::WouldBlock)) => self.state(),
            (None, Err(TryLockError::WouldBlock)) => return (Vec::new(), Vec::new()),
            (_, Err(TryLockError::Poisoned(poisoned))) => poisoned.into_inner(),
        };
        if let Some((rule, units)) = failed {
            for unit in units {
                state.suspects.entry(*unit).or_default().insert(rule.to_owned());
            }
        }
        let (least, last) = match failed.is_some() || state.owed {
            true => (LEAST, state.last),
            false => (EVERY, Some(state.last.unwrap_or(self.begun))),
        };
        if last.is_some_and(|last| now.saturating_duration_since(last) < least) {
            state.owed |= failed.is_some();
            return (Vec::new(), Vec::new());
        }
        state.last = Some(now);
        state.owed = false;
        let seen = (self.look)();
        let mut said = state.news(&seen);
        let mut worse = self.worse(&state, &seen);
        if worse.iter().any(|worse| worse.may_pass) {
            std::thread::sleep(self.settling);
            let again = (self.look)();
            // If the tool did not answer, the devices' health is unknown, so the next check is due as soon as
            // possible.
            state.owed |= again.devices.is_empty();
            let still = self.worse(&state, &again);
            worse.retain(|worse| {
                !worse.may_pass || still.iter().any(|still| (still.unit, &still.name) == (worse.unit, &worse.name))
            });
        }
        let suspects = std::mem::take(&mut state.suspects);
        let mut lost: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        worse.into_iter().for_each(|worse| lost.entry(worse.unit).or_default().push(worse.words));
        let lost: Vec<(usize, String)> = lost.into_iter().map(|(unit, words)| (unit, words.join("; "))).collect();
        for (unit, _) in &lost {
            let others = suspects.get(unit).into_iter().flatten().map(String::as_str);
            let others: Vec<&str> = others.filter(|rule| failed.is_none_or(|(failed, _)| failed != *rule)).collect();
            if !others.is_empty() {
                said.push(format!(
                    "{} failed on a device that was lost soon after: rerun {} on another device",
                    others.join(", "),
                    if others.len() == 1 { "it" } else { "them" }
                ));
            }
        }
        self.lost().extend(lost.iter().cloned());
        (lost, said)
    }

    /// The problems that have appeared since the start of the run, on units that are not lost yet.
    fn worse(&self, state: &WatchState, seen: &MachineHealth) -> Vec<Worse> {
        if seen.devices.is_empty() {
            return Vec::new();
        }
        let gone = self.lost().keys().copied().collect::<BTreeSet<_>>();
        let units = self.units.iter().enumerate().filter(|(unit, _)| !gone.contains(unit));
        let labels = units.flat_map(|(unit, labels)| labels.iter().map(move |label| (unit, label)));
        let mut all = Vec::new();
        for (unit, label) in labels {
            let Some(before) = state.before.get(label) else { continue };
            let now = seen.devices.iter().find(|device| device.label == *label);
            all.extend(worse_than(before, now).into_iter().map(|(name, words, may_pass)| {
                let name = format!("{label} {name}");
                Worse { unit, name, words, may_pass }
            }));
        }
        all
    }

    /// The reason why a device in these units is lost; `None` if all devices work.
    pub(super) fn lost_of(&self, units: &[usize]) -> Option<String> {
        let lost = self.lost();
        units.iter().find_map(|unit| lost.get(unit).cloned())
    }

    /// Resets the watch for a recovered unit. The unit's counters are reset, but all other problems with the unit must
    /// be gone.
    ///
    /// # Errors
    /// Fails if problems remain, and lists them.
    pub(super) fn brought_back(&self, unit: usize) -> Result<(), String> {
        let mut state = self.state();
        let lost = self.lost().remove(&unit);
        let seen = (self.look)();
        let worse = self.worse(&state, &seen).into_iter().filter(|worse| worse.unit == unit);
        let worse: Vec<String> = worse.map(|worse| worse.words).collect();
        if !worse.is_empty() {
            self.lost().extend(lost.map(|lost| (unit, lost)));
            return Err(worse.join("; "));
        }
        for device in seen.devices {
            if let Some(before) =
                state.before.get_mut(&device.label).filter(|_| self.units[unit].contains(&device.label))
            {
                before.memory_errors = device.memory_errors.or(before.memory_errors);
                before.waiting_pages = device.waiting_pages.or(before.waiting_pages);
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lost(&self) -> MutexGuard<'_, BTreeMap<usize, String>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchState {
    /// Remarks about missing information and harmless faults. Each remark is made only once.
    fn news(&mut self, seen: &MachineHealth) -> Vec<String> {
        let unknown = seen.unknown.iter().map(|why| format!("the devices' health is unknown: {why}"));
        let mut all: Vec<String> = unknown.collect();
        for device in &seen.devices {
            let Some(before) = self.before.get(&device.label) else { continue };
            let new = device.faults.iter().filter(|fault| !before.faults.iter().any(|known| known.name == fault.name));
            // Only the fault's name is used, because the description may change from one check to the next.
            all.extend(new.filter(|fault| fault.harmless).map(|fault| {
                format!(
                    "device {} has the fault {}, which is harmless: the device stays in use",
                    device.label, fault.name
                )
            }));
        }
        all.into_iter().filter(|text| self.said.insert(text.clone())).collect()
    }
}

/// A device's new problems. Each has a name, a description, and a flag that is true if the problem may be temporary.
fn worse_than(before: &DeviceHealth, now: Option<&DeviceHealth>) -> Vec<(String, String, bool)> {
    let label = &before.label;
    let Some(now) = now else {
        let words = format!("device {label} is no longer listed by the machine's tool");
        return vec![("gone".to_owned(), words, true)];
    };
    let counters = [
        ("errors", before.memory_errors, now.memory_errors, ["uncorrected memory error", "uncorrected memory errors"]),
        (
            "pages",
            before.waiting_pages,
            now.waiting_pages,
            ["memory page waiting for a reset", "memory pages waiting for a reset"],
        ),
    ];
    let risen = counters.into_iter().filter_map(|(name, before, now, what)| {
        let (before, now) = before.zip(now).filter(|(before, now)| now > before)?;
        let what = what[usize::from(now != 1)];
        let words = format!("device {label} has {now} {what}; it had {before} before the run");
        Some((name.to_owned(), words, false))
    });
    let known = |name: &str| before.faults.iter().any(|fault| fault.name == name);
    let faults = now.faults.iter().filter(|fault| !fault.harmless && !known(&fault.name));
    let faults = faults.map(|fault| (fault.name.clone(), format!("on device {label}, {}", fault.words), true));
    risen.chain(faults).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::doctor::Fault;

    use super::*;

    /// A machine whose health checks return scripted results. The last result repeats.
    #[derive(Clone, Default)]
    struct ScriptedMachine(Arc<Mutex<Vec<MachineHealth>>>);

    impl ScriptedMachine {
        fn shows(&self, looks: &[MachineHealth]) {
            *self.0.lock().unwrap() = looks.iter().rev().cloned().collect();
        }

        fn left(&self) -> usize {
            self.0.lock().unwrap().len()
        }

        /// Creates a watch for two units with one device each.
        fn watch(&self) -> Watch {
            let looks = self.0.clone();
            let look = move || {
                let mut looks = looks.lock().unwrap();
                if looks.len() > 1 { looks.pop().unwrap() } else { looks.last().cloned().unwrap_or_default() }
            };
            let units = vec![vec!["0:0".to_owned()], vec!["1:0".to_owned()]];
            Watch { settling: Duration::ZERO, ..Watch::new(look, healthy(), units) }
        }
    }

    fn device(label: &str) -> DeviceHealth {
        DeviceHealth {
            label: label.to_owned(),
            memory_errors: Some(1),
            waiting_pages: Some(0),
            ..DeviceHealth::default()
        }
    }

    fn healthy() -> MachineHealth {
        MachineHealth { devices: vec![device("0:0"), device("1:0")], unknown: Vec::new() }
    }

    /// A healthy machine, with a change to the second device.
    fn second(change: impl FnOnce(&mut DeviceHealth)) -> MachineHealth {
        let mut health = healthy();
        change(&mut health.devices[1]);
        health
    }

    fn fault(name: &str, harmless: bool) -> Fault {
        Fault { name: name.to_owned(), words: format!("the fault {name} is active"), harmless }
    }

    const FAILED: Option<(&str, &[usize])> = Some(("rule", &[0]));

    #[test]
    fn more_memory_errors_end_the_use_of_a_device_whatever_ran_where() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[second(|device| device.memory_errors = Some(2))]);
        let (lost, said) = watch.look(FAILED, Instant::now());
        let words = "device 1:0 has 2 uncorrected memory errors; it had 1 before the run";
        assert_eq!((lost, said), (vec![(1, words.to_owned())], vec![]));
        assert_eq!((watch.lost_of(&[1]).as_deref(), watch.lost_of(&[0])), (Some(words), None));
        let (again, _) = watch.look(FAILED, Instant::now() + LEAST);
        assert!(again.is_empty(), "a unit is lost only once");
    }

    #[test]
    fn pages_that_wait_for_a_reset_count_as_well() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[second(|device| device.waiting_pages = Some(3))]);
        assert_eq!(watch.look(FAILED, Instant::now()).0.len(), 1);
    }

    #[test]
    fn a_fault_that_stays_ends_the_use_and_one_that_clears_does_not() {
        let warns = second(|device| device.faults.push(fault("warning", false)));
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[warns.clone(), healthy()]);
        assert_eq!(watch.look(FAILED, Instant::now()), (vec![], vec![]));
        machine.shows(&[warns.clone(), warns]);
        let (lost, _) = watch.look(FAILED, Instant::now() + LEAST);
        assert_eq!(lost, [(1, "on device 1:0, the fault warning is active".to_owned())]);
    }

    #[test]
    fn another_fault_at_the_second_look_is_not_the_first_one_that_stays() {
        let shows = |name| second(|device| device.faults.push(fault(name, false)));
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[shows("A"), shows("B")]);
        assert!(watch.look(FAILED, Instant::now()).0.is_empty());
    }

    #[test]
    fn what_is_harmless_is_said_once_and_changes_nothing() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[second(|device| device.faults.push(fault("80E00209", true)))]);
        let (lost, said) = watch.look(FAILED, Instant::now());
        assert!(lost.is_empty());
        assert_eq!(said, ["device 1:0 has the fault 80E00209, which is harmless: the device stays in use"]);
        assert_eq!(watch.look(FAILED, Instant::now() + LEAST), (vec![], vec![]));
    }

    #[test]
    fn what_was_so_before_the_run_says_nothing() {
        let looks = Arc::new(second(|device| device.faults.push(fault("alarm", false))));
        let before = (*looks).clone();
        let watch = Watch::new(move || (*looks).clone(), before, vec![vec!["0:0".to_owned()], vec!["1:0".to_owned()]]);
        assert_eq!(watch.look(FAILED, Instant::now()), (vec![], vec![]));
    }

    #[test]
    fn a_device_that_is_gone_is_lost_and_those_behind_it_are_not_taken_for_it() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        let mut left = healthy();
        left.devices.remove(0);
        left.devices[0].device = Some(0);
        machine.shows(&[left]);
        let (lost, _) = watch.look(FAILED, Instant::now());
        let words = "device 0:0 is no longer listed by the machine's tool";
        assert_eq!(lost, [(0, words.to_owned())]);
    }

    #[test]
    fn a_tool_that_does_not_answer_says_nothing_about_a_device_and_is_named_once() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[MachineHealth { devices: vec![], unknown: vec!["it hangs".to_owned()] }]);
        let said = vec!["the devices' health is unknown: it hangs".to_owned()];
        assert_eq!(watch.look(FAILED, Instant::now()), (vec![], said));
        assert_eq!(watch.look(FAILED, Instant::now() + LEAST), (vec![], vec![]));
    }

    #[test]
    fn looks_are_rare_and_one_that_was_too_early_is_made_up_for() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        let begun = watch.begun;
        let many = [healthy(), healthy(), healthy(), healthy(), healthy()];
        machine.shows(&many);
        let after = |seconds| begun + Duration::from_secs(seconds);
        let looks = |failed, seconds| {
            let left = machine.left();
            watch.look(failed, after(seconds));
            left - machine.left()
        };
        assert_eq!(looks(None, 10), 0, "a checkpoint after seconds");
        assert_eq!(looks(FAILED, 11), 1, "the first rule that fails");
        assert_eq!(looks(FAILED, 12), 0, "the next one");
        assert_eq!(looks(None, 60), 0);
        assert_eq!(looks(None, 71), 1, "the check due since the next one, at a checkpoint");
        assert_eq!(looks(None, 200), 0);
        assert_eq!(looks(None, 371), 1, "five minutes later");
    }

    #[test]
    fn rules_that_failed_when_it_was_too_early_to_look_are_named_with_a_device_that_is_lost() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[healthy(), second(|device| device.memory_errors = Some(9))]);
        let now = Instant::now();
        watch.look(Some(("first", &[1])), now);
        watch.look(Some(("early", &[1])), now);
        watch.look(Some(("elsewhere", &[0])), now);
        let (lost, said) = watch.look(Some(("last", &[1])), now + LEAST);
        assert_eq!(lost.len(), 1);
        assert_eq!(said, ["early failed on a device that was lost soon after: rerun it on another device"]);
    }

    #[test]
    fn a_device_that_was_brought_back_counts_anew_and_is_not_back_while_its_fault_stays() {
        let machine = ScriptedMachine::default();
        let watch = machine.watch();
        machine.shows(&[second(|device| device.memory_errors = Some(2))]);
        let now = Instant::now();
        watch.look(FAILED, now);
        assert!(watch.brought_back(1).unwrap_err().contains("has 2 uncorrected memory errors"));
        assert!(watch.lost_of(&[1]).is_some());
        machine.shows(&[second(|device| device.memory_errors = Some(0))]);
        watch.brought_back(1).unwrap();
        assert_eq!(watch.lost_of(&[1]), None);
        machine.shows(&[second(|device| device.memory_errors = Some(1))]);
        assert_eq!(watch.look(FAILED, now + LEAST).0.len(), 1, "one more than after the reset");
    }
}
