//! Queues: first in, first out.

use std::collections::BTreeMap;
use std::fmt;

use crate::event::{Answer, Model, Of, number};

/// An unbounded queue, empty at first.
#[derive(Debug, Clone, Copy)]
pub struct Queue;

/// An operation on a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueCall {
    Enqueue(u64),
    /// The answer is the oldest value, or nothing if the queue is empty.
    Dequeue,
}

/// The value that an operation moves.
fn value(event: &Of<Queue>) -> Option<u64> {
    match (event.call, event.answer()) {
        (_, Some(Answer::Refused)) => None,
        (QueueCall::Enqueue(value), _) | (QueueCall::Dequeue, Some(Answer::Value(value))) => Some(value),
        _ => None,
    }
}

impl Model for Queue {
    type State = Vec<u64>;
    type Call = QueueCall;

    fn start(&self) -> Vec<u64> {
        Vec::new()
    }

    fn apply(&self, state: &Vec<u64>, call: &QueueCall, answer: Option<Answer>) -> Vec<Vec<u64>> {
        let rest = |state: &[u64]| state.get(1..).unwrap_or_default().to_vec();
        match (call, answer) {
            (_, Some(Answer::Refused)) => vec![state.clone()],
            (QueueCall::Enqueue(value), Some(Answer::Done) | None) => {
                vec![state.iter().copied().chain([*value]).collect()]
            }
            (QueueCall::Dequeue, Some(Answer::Value(value))) if state.first() == Some(&value) => vec![rest(state)],
            (QueueCall::Dequeue, Some(Answer::Nothing)) if state.is_empty() => vec![Vec::new()],
            (QueueCall::Dequeue, None) => vec![rest(state)],
            _ => Vec::new(),
        }
    }

    fn show(&self, state: &Vec<u64>) -> String {
        if state.is_empty() {
            return "empty".to_owned();
        }
        let values: Vec<String> = state.iter().map(|value| number(*value)).collect();
        format!("holds {}", values.join(", "))
    }

    /// The operations on each pair of values, which disagree in most inconsistent histories (T. Henzinger, A. Sezgin,
    /// V. Vafeiadis, *Aspect-Oriented Linearizability Proofs*, 2013).
    fn glimpses(&self, history: &[&Of<Self>]) -> Vec<Vec<usize>> {
        if history.iter().any(|event| event.call == QueueCall::Dequeue && event.returned.is_none()) {
            return Vec::new();
        }
        let mut values: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (position, event) in history.iter().enumerate() {
            if let Some(value) = value(event) {
                values.entry(value).or_default().push(position);
            }
        }
        let values: Vec<Vec<usize>> = values.into_values().collect();
        let pairs = values.iter().enumerate().flat_map(|(number, first)| {
            values[number + 1..].iter().map(move |second| first.iter().chain(second).copied().collect())
        });
        values.iter().cloned().chain(pairs).collect()
    }

    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>> {
        match value(&history[position]) {
            // A value leaves with every operation that moved it.
            Some(of) => Some((0..history.len()).filter(|other| value(&history[*other]) == Some(of)).collect()),
            // A dequeue that never returned may have taken any value.
            None => history[position].answer().map(|_| vec![position]),
        }
    }

    /// From another state, a value may leave that no operation of the history brought.
    fn may_begin(&self, state: &Vec<u64>) -> bool {
        state.is_empty()
    }
}

impl fmt::Display for QueueCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueCall::Enqueue(value) => write!(f, "enqueue({})", number(*value)),
            QueueCall::Dequeue => f.write_str("dequeue()"),
        }
    }
}
