//! Counters: accounts to which amounts are added.

use std::fmt;

use crate::event::{Answer, Model, Of, by_key, number};

/// Counters by key.
#[derive(Debug, Clone, Copy)]
pub struct Counter {
    /// The value before the first addition; `None` if it is not known, so that the first read may return any value.
    pub initial: Option<u64>,
}

/// An operation on a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterCall {
    /// Adds an amount, which may be negative. The answer is the new value, or nothing but success.
    Add {
        key: u64,
        amount: i64,
    },
    Read {
        key: u64,
    },
}

impl CounterCall {
    fn key(&self) -> u64 {
        match self {
            CounterCall::Add { key, .. } | CounterCall::Read { key } => *key,
        }
    }
}

/// The value of a counter: the sum of what was added, and the start if a read has shown it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sum {
    start: Option<u64>,
    added: i64,
}

impl Sum {
    fn plus(self, amount: i64) -> Sum {
        Sum { added: self.added.wrapping_add(amount), ..self }
    }

    /// The counter if it has this value.
    fn shows(self, value: u64) -> Option<Sum> {
        let start = value.wrapping_sub(self.added as u64);
        self.start.is_none_or(|known| known == start).then_some(Sum { start: Some(start), ..self })
    }
}

impl Model for Counter {
    type State = Sum;
    type Call = CounterCall;

    fn start(&self) -> Sum {
        Sum { start: self.initial, added: 0 }
    }

    fn apply(&self, state: &Sum, call: &CounterCall, answer: Option<Answer>) -> Vec<Sum> {
        let after = match (*call, answer) {
            (_, Some(Answer::Refused)) | (CounterCall::Read { .. }, None) => Some(*state),
            (CounterCall::Add { amount, .. }, Some(Answer::Done) | None) => Some(state.plus(amount)),
            (CounterCall::Add { amount, .. }, Some(Answer::Value(value))) => state.plus(amount).shows(value),
            (CounterCall::Read { .. }, Some(Answer::Value(value))) => state.shows(value),
            _ => None,
        };
        after.into_iter().collect()
    }

    fn show(&self, state: &Sum) -> String {
        match state.start {
            Some(start) => format!("value {}", number(start.wrapping_add(state.added as u64))),
            None => "any value".to_owned(),
        }
    }

    fn parts(&self, history: &[Of<Self>]) -> Vec<Vec<usize>> {
        by_key(history, CounterCall::key)
    }

    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>> {
        let of = &history[position];
        if matches!(of.call, CounterCall::Read { .. }) || of.answer() == Some(Answer::Refused) {
            return Some(vec![position]);
        }
        // An addition explains every value that may have been read after it.
        let shows = |event: &Of<Self>| matches!(event.answer(), Some(Answer::Value(_))) && !event.precedes(of);
        let unit: Vec<usize> = (0..history.len())
            .filter(|other| {
                *other == position || history[*other].call.key() == of.call.key() && shows(&history[*other])
            })
            .collect();
        // Without an addition that other additions follow, their values would not be explained.
        let only_reads = |other: &usize| *other == position || matches!(history[*other].call, CounterCall::Read { .. });
        unit.iter().all(only_reads).then_some(unit)
    }
}

impl fmt::Display for CounterCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CounterCall::Add { amount, .. } => write!(f, "add({amount})"),
            CounterCall::Read { .. } => f.write_str("read()"),
        }
    }
}
