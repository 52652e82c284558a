//! The smallest inconsistent part of a history.
//!
//! Operations are not left out one by one: without a write, a read of its value would be inconsistent too, and would
//! explain nothing. What is left out never makes a consistent history inconsistent: later operations, independent
//! parts, a beginning after which the state is known, and [units](crate::Model::unit) of operations.

use crate::event::{Event, Model, Of};
use crate::search::{consistent, ends};

/// The most states from which an inconsistent part may begin.
const STARTS: usize = 4;

/// An event with its position in the history.
type Placed<M> = (usize, Of<M>);

/// The states at a moment, and the events after it.
type Rest<M> = (Vec<<M as Model>::State>, Vec<Placed<M>>);

/// An inconsistent part of a history.
#[derive(Debug, Clone)]
pub struct Smallest<M: Model> {
    /// The operations with their positions in the history. An operation that returned later than the inconsistency
    /// shows is one that never returned.
    pub events: Vec<(usize, Of<M>)>,
    /// The states from which the operations are inconsistent.
    pub from: Vec<M::State>,
    /// The positions of the operations in the independent part of the history.
    pub part: Vec<usize>,
}

/// Returns the smallest inconsistent part of a history: the first part that fails, and in it a minimum from which no
/// unit can be left out. `None` if the search finds no inconsistent part within `budget` configurations, which are
/// counted anew for each question.
pub fn smallest<M: Model>(model: &M, history: &[Of<M>], budget: u64) -> Option<Smallest<M>> {
    let shrinker = Shrinker { model, budget };
    let parts = model.parts(history).into_iter();
    let (_, part, mut events) = parts
        .filter_map(|part| {
            let events: Vec<(usize, Of<M>)> =
                part.iter().map(|position| (*position, history[*position].clone())).collect();
            let (end, events) = shrinker.beginning(&events)?;
            Some((end, part, events))
        })
        .min_by_key(|(end, _, _)| *end)?;
    events.sort_by_key(|(_, event)| event.invoked);
    let mut from = vec![model.start()];
    if let Some(glimpse) = shrinker.glimpse(&from, &events) {
        events = glimpse;
    } else if let Some((start, rest)) = shrinker.rest(&events) {
        (from, events) = (start, rest);
    }
    let events = shrinker.without_units(&from, events);
    Some(Smallest { events, from, part })
}

struct Shrinker<'a, M: Model> {
    model: &'a M,
    budget: u64,
}

impl<M: Model> Shrinker<'_, M> {
    fn fails(&self, from: &[M::State], events: &[(usize, Of<M>)]) -> bool {
        let events: Vec<&Of<M>> = events.iter().map(|(_, event)| event).collect();
        consistent(self.model, from, &events, &mut self.budget.clone()) == Some(false)
    }

    /// A small inconsistent part that the model suggests.
    fn glimpse(&self, from: &[M::State], events: &[(usize, Of<M>)]) -> Option<Vec<(usize, Of<M>)>> {
        let plain: Vec<&Of<M>> = events.iter().map(|(_, event)| event).collect();
        let parts = self.model.glimpses(&plain).into_iter();
        let mut parts = parts.map(|part| part.iter().map(|at| events[*at].clone()).collect::<Vec<_>>());
        parts.find(|part| self.fails(from, part))
    }

    /// The shortest inconsistent beginning, with the time of its end.
    fn beginning(&self, events: &[Placed<M>]) -> Option<(u64, Vec<Placed<M>>)> {
        let start = [self.model.start()];
        if !self.fails(&start, events) {
            return None;
        }
        let mut times: Vec<u64> = events.iter().filter_map(|(_, event)| event.returned.map(|end| end.at)).collect();
        times.sort_unstable();
        times.dedup();
        // The beginning up to `times[high]` is inconsistent; the one up to `times[low]` was not found to be.
        let (mut low, mut high) = (0, times.len().checked_sub(1)?);
        while low < high {
            let middle = low.midpoint(high);
            if self.fails(&start, &until(events, times[middle])) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some((times[high], until(events, times[high])))
    }

    /// The shortest inconsistent rest after a moment without open operations, with the states at that moment. The
    /// operations are in the order of their invocations.
    fn rest(&self, events: &[Placed<M>]) -> Option<Rest<M>> {
        let mut moments = Vec::new();
        let mut latest = Some(0);
        for (position, (_, event)) in events.iter().enumerate() {
            if position > 0 && latest.is_some_and(|latest| latest < event.invoked) {
                moments.push(position);
            }
            latest = latest.zip(event.returned).map(|(latest, end)| latest.max(end.at));
        }
        moments.into_iter().rev().find_map(|moment| {
            let before: Vec<&Of<M>> = events[..moment].iter().map(|(_, event)| event).collect();
            let from = ends(self.model, &[self.model.start()], &before, &mut self.budget.clone())?;
            let known = (1..=STARTS).contains(&from.len()) && from.iter().all(|state| self.model.may_begin(state));
            (known && self.fails(&from, &events[moment..])).then(|| (from, events[moment..].to_vec()))
        })
    }

    /// Leaves out units while the rest is inconsistent.
    fn without_units(&self, from: &[M::State], mut events: Vec<(usize, Of<M>)>) -> Vec<(usize, Of<M>)> {
        let mut position = events.len();
        let mut changed = false;
        loop {
            if position == 0 {
                if !changed {
                    return events;
                }
                (position, changed) = (events.len(), false);
                continue;
            }
            position -= 1;
            let plain: Vec<Of<M>> = events.iter().map(|(_, event)| event.clone()).collect();
            let Some(unit) = self.model.unit(&plain, position) else { continue };
            let rest: Vec<(usize, Of<M>)> =
                events.iter().enumerate().filter(|(at, _)| !unit.contains(at)).map(|(_, kept)| kept.clone()).collect();
            if !rest.is_empty() && self.fails(from, &rest) {
                position -= unit.iter().filter(|at| **at < position).count();
                (events, changed) = (rest, true);
            }
        }
    }
}

/// The beginning of a history up to a time. Operations that return later are open.
fn until<C: Clone>(events: &[(usize, Event<C>)], end: u64) -> Vec<(usize, Event<C>)> {
    let begun = events.iter().filter(|(_, event)| event.invoked <= end);
    begun
        .map(|(position, event)| {
            let returned = event.returned.filter(|returned| returned.at <= end);
            (*position, Event { returned, ..event.clone() })
        })
        .collect()
}
