//! Chooses a thread's next rule: a rule whose device is free, so that a thread does not wait for a device while
//! another rule could run.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The remaining rules in order, each with the device that the rule waits for. The device is `None` if the rule needs
/// any one device, several devices, or no device.
#[derive(Debug)]
pub(in crate::run) struct Turns<T> {
    state: Mutex<Queue<T>>,
}

#[derive(Debug)]
struct Queue<T> {
    left: VecDeque<(T, Option<usize>)>,
    /// The number of threads that are running a rule, by device.
    busy: BTreeMap<usize, usize>,
}

/// A rule that a thread has started. The turn ends on drop.
#[derive(Debug)]
pub(in crate::run) struct Turn<'a, T> {
    turns: &'a Turns<T>,
    device: Option<usize>,
    pub work: T,
}

impl<T> Turns<T> {
    /// Creates the turns for all rules to run.
    pub(in crate::run) fn of(all: impl IntoIterator<Item = (T, Option<usize>)>) -> Turns<T> {
        Turns { state: Mutex::new(Queue { left: all.into_iter().collect(), busy: BTreeMap::new() }) }
    }

    /// The next rule to start: the first whose device is free, or else the first in order. `None` if no rule
    /// remains.
    pub(in crate::run) fn next(&self) -> Option<Turn<'_, T>> {
        let mut state = self.state();
        let is_free = |device: &Option<usize>| device.is_none_or(|device| !state.busy.contains_key(&device));
        let position = state.left.iter().position(|(_, device)| is_free(device)).unwrap_or(0);
        let (work, device) = state.left.remove(position)?;
        if let Some(device) = device {
            *state.busy.entry(device).or_default() += 1;
        }
        Some(Turn { turns: self, device, work })
    }

    fn state(&self) -> MutexGuard<'_, Queue<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        let Some(device) = self.device else { return };
        let mut state = self.turns.state();
        if let Some(threads) = state.busy.get_mut(&device) {
            *threads -= 1;
            if *threads == 0 {
                state.busy.remove(&device);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_a_device_in_use_is_begun_after_what_does_not() {
        let turns = Turns::of([("a0", Some(0)), ("b0", Some(0)), ("c1", Some(1)), ("d", None)]);
        let first = turns.next().unwrap();
        let second = turns.next().unwrap();
        assert_eq!((first.work, second.work), ("a0", "c1"));
        drop(first);
        assert_eq!(turns.next().unwrap().work, "b0");
        assert_eq!(turns.next().unwrap().work, "d");
        assert!(turns.next().is_none());
    }

    #[test]
    fn where_each_device_is_in_use_the_first_is_begun_and_waits() {
        let turns = Turns::of([("a0", Some(0)), ("b0", Some(0)), ("c0", Some(0))]);
        let held: Vec<_> = (0..2).map(|_| turns.next().unwrap()).collect();
        assert_eq!(held.iter().map(|turn| turn.work).collect::<Vec<_>>(), ["a0", "b0"]);
    }
}
