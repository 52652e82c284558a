//! Who hears what happens before there is a result, and which rules run now.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::report::clean;

/// Who hears what happens in a run at once, from any of its threads.
pub trait Listener: Debug + Send + Sync {
    /// A rule begins, on these devices. One that runs once more begins twice.
    fn begun(&self, rule: &str, devices: &str);

    /// Something is said about the run as a whole.
    fn remark(&self, text: &str);
}

/// Prints remarks where errors go.
#[derive(Debug, Default)]
pub struct ToStandardError;

impl Listener for ToStandardError {
    fn begun(&self, _: &str, _: &str) {}

    fn remark(&self, text: &str) {
        eprintln!("{}", clean(text));
    }
}

/// A rule that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningRule {
    pub rule: String,
    /// Its devices, as reports call them.
    pub devices: String,
    /// The case that was seen to run last; `None`: none was seen yet.
    pub case: Option<u64>,
    /// Since when it runs.
    pub time: Duration,
}

/// The rules that run now.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<Vec<Entry>>);

#[derive(Debug)]
struct Entry {
    rule: String,
    devices: String,
    machine: PathBuf,
    begun: Instant,
}

/// A rule runs as long as this is there.
#[derive(Debug)]
pub(super) struct Begun<'a> {
    running: &'a Running,
    machine: PathBuf,
}

impl Running {
    /// A rule begins on a machine, which is its own meanwhile.
    pub(super) fn begin(&self, rule: &str, devices: String, machine: &Path) -> Begun<'_> {
        let entry = Entry { rule: rule.to_owned(), devices, machine: machine.to_owned(), begun: Instant::now() };
        self.all().push(entry);
        Begun { running: self, machine: machine.to_owned() }
    }

    /// The rules, the one that runs longest first; `case` says which case runs on a machine.
    pub(super) fn rules(&self, case: impl Fn(&Path) -> Option<u64>) -> Vec<RunningRule> {
        let rule = |entry: &Entry| RunningRule {
            rule: entry.rule.clone(),
            devices: entry.devices.clone(),
            case: case(&entry.machine),
            time: entry.begun.elapsed(),
        };
        self.all().iter().map(rule).collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.running.all().retain(|entry| entry.machine != self.machine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_runs_until_it_ends_and_the_oldest_comes_first() {
        let running = Running::default();
        let first = running.begin("toy.first", "device 0".to_owned(), Path::new("/a"));
        let second = running.begin("toy.second", "device 1".to_owned(), Path::new("/b"));
        let rules = running.rules(|machine| (machine == Path::new("/b")).then_some(7));
        let told: Vec<_> = rules.iter().map(|rule| (rule.rule.as_str(), rule.devices.as_str(), rule.case)).collect();
        assert_eq!(told, [("toy.first", "device 0", None), ("toy.second", "device 1", Some(7))]);
        drop(first);
        assert_eq!(running.rules(|_| None).len(), 1);
        drop(second);
        assert_eq!(running.rules(|_| None), []);
    }
}
