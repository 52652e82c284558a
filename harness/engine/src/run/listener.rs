//! Reports a run's events as they happen, and lists the running rules.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::pool::Activity;
use record::Incident;
use record::text::{clean, disarmed};

/// Receives a run's events as they happen. Any of the run's threads may report an event.
pub trait Listener: Debug + Send + Sync {
    /// Called when a rule starts on these devices. A rule that is retried starts again.
    fn begun(&self, rule: &str, devices: &str);

    /// Called for a remark about the entire run.
    fn remark(&self, text: &str);

    /// Called for an incident with a device or a process.
    fn happened(&self, event: &Incident) {
        self.remark(&event.to_string());
    }
}

/// Prints remarks to standard error.
#[derive(Debug, Default)]
pub struct ToStandardError;

impl Listener for ToStandardError {
    fn begun(&self, _: &str, _: &str) {}

    fn remark(&self, text: &str) {
        eprintln!("{}", disarmed(&clean(text)));
    }
}

/// A running rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningRule {
    pub rule: String,
    /// The rule's devices, by their names in reports.
    pub devices: String,
    /// The number of the latest case that was seen running; `None` if no case has been seen yet.
    pub case: Option<u64>,
    /// The time since the rule started.
    pub time: Duration,
}

/// The rules that are running.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<Vec<ActiveRule>>);

#[derive(Debug)]
struct ActiveRule {
    rule: String,
    devices: Cow<'static, str>,
    activity: Arc<Activity>,
    begun: Instant,
}

/// Marks a rule as running until this value is dropped.
#[derive(Debug)]
pub(super) struct Begun<'a> {
    running: &'a Running,
    activity: Arc<Activity>,
}

impl Running {
    /// Marks a rule as running on the machine with this activity. No other rule uses that machine at the same time.
    pub(super) fn begin(&self, rule: &str, devices: Cow<'static, str>, activity: &Arc<Activity>) -> Begun<'_> {
        let entry = ActiveRule { rule: rule.to_owned(), devices, activity: activity.clone(), begun: Instant::now() };
        self.all().push(entry);
        Begun { running: self, activity: activity.clone() }
    }

    /// The rules that are running, longest-running first.
    pub(super) fn rules(&self) -> Vec<RunningRule> {
        let rule = |entry: &ActiveRule| RunningRule {
            rule: entry.rule.clone(),
            devices: entry.devices.clone().into_owned(),
            case: entry.activity.case(),
            time: entry.begun.elapsed(),
        };
        self.all().iter().map(rule).collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<ActiveRule>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.running.all().retain(|entry| !Arc::ptr_eq(&entry.activity, &self.activity));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_runs_until_it_ends_and_the_oldest_comes_first() {
        let running = Running::default();
        let (one, other) = (Arc::<Activity>::default(), Arc::<Activity>::default());
        let first = running.begin("toy.first", "device 0".into(), &one);
        let second = running.begin("toy.second", "device 1".into(), &other);
        other.note_case(7);
        let rules = running.rules();
        let told: Vec<_> = rules.iter().map(|rule| (rule.rule.as_str(), rule.devices.as_str(), rule.case)).collect();
        assert_eq!(told, [("toy.first", "device 0", None), ("toy.second", "device 1", Some(7))]);
        drop(first);
        assert_eq!(running.rules().len(), 1);
        drop(second);
        assert_eq!(running.rules(), []);
    }
}
