//! Registers: values that are written and read.

use std::fmt;

use crate::event::{Answer, Model, Of, by_key, number};

/// Registers by key, each with the same value at first.
#[derive(Debug, Clone, Copy)]
pub struct Register {
    /// The value before the first write; `None` if it is not known, so that the first read may return any value.
    pub initial: Option<u64>,
}

/// An operation on a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterCall {
    pub key: u64,
    pub action: RegisterAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterAction {
    Read,
    Write(u64),
    /// Compare-and-set: writes `to` if the value is `from`, and is refused otherwise.
    Swap {
        from: u64,
        to: u64,
    },
}

impl Model for Register {
    type State = Option<u64>;
    type Call = RegisterCall;

    fn start(&self) -> Option<u64> {
        self.initial
    }

    fn apply(&self, state: &Option<u64>, call: &RegisterCall, answer: Option<Answer>) -> Vec<Option<u64>> {
        let holds = |value: u64| state.is_none_or(|held| held == value);
        match (call.action, answer) {
            (RegisterAction::Read, Some(Answer::Value(value))) if holds(value) => vec![Some(value)],
            (RegisterAction::Read | RegisterAction::Write(_), Some(Answer::Refused)) => vec![*state],
            (RegisterAction::Write(value), Some(Answer::Done) | None) => vec![Some(value)],
            (RegisterAction::Swap { from, to }, Some(Answer::Done) | None) if holds(from) => vec![Some(to)],
            (RegisterAction::Swap { from, .. }, Some(Answer::Refused)) if *state != Some(from) => vec![*state],
            (RegisterAction::Read, None) => vec![*state],
            _ => Vec::new(),
        }
    }

    fn show(&self, state: &Option<u64>) -> String {
        state.map_or("any value".to_owned(), |value| format!("value {}", number(value)))
    }

    fn parts(&self, history: &[Of<Self>]) -> Vec<Vec<usize>> {
        by_key(history, |call| call.key)
    }

    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>> {
        // A written value explains the reads of this value, and swaps explain further values. Every write may be the
        // reason for a refused swap.
        let key = history[position].call.key;
        let mut unit = vec![position];
        let mut at = 0;
        while let Some(of) = unit.get(at).map(|position| &history[*position]) {
            at += 1;
            let value = match of.call.action {
                RegisterAction::Write(value) | RegisterAction::Swap { to: value, .. } if of.takes_effect() => value,
                _ => continue,
            };
            for (other, event) in history.iter().enumerate().filter(|(_, event)| event.call.key == key) {
                let rests = match (event.call.action, event.answer()) {
                    (RegisterAction::Read, Some(Answer::Value(read))) => read == value,
                    (RegisterAction::Swap { .. }, Some(Answer::Refused)) => true,
                    (RegisterAction::Swap { from, .. }, _) => from == value,
                    _ => false,
                };
                if rests && !unit.contains(&other) {
                    unit.push(other);
                }
            }
        }
        Some(unit)
    }
}

impl Of<Register> {
    fn takes_effect(&self) -> bool {
        self.answer() != Some(Answer::Refused)
    }
}

impl fmt::Display for RegisterCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action {
            RegisterAction::Read => f.write_str("read()"),
            RegisterAction::Write(value) => write!(f, "write({})", number(value)),
            RegisterAction::Swap { from, to } => write!(f, "swap({}, {})", number(from), number(to)),
        }
    }
}
