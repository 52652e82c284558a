//! Keys that are created, looked up and closed.

use std::fmt;

use crate::event::{Answer, Model, Of, by_key, number};

/// A set of keys. A key that exists cannot be created, and one that does not exist can be neither closed nor found:
/// these calls are refused, and no others.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    /// True if every key exists before the first operation, `None` if that is not known.
    pub initial: Option<bool>,
}

/// An operation on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeysCall {
    Create(u64),
    Close(u64),
    Lookup(u64),
}

impl KeysCall {
    fn key(&self) -> u64 {
        match self {
            KeysCall::Create(key) | KeysCall::Close(key) | KeysCall::Lookup(key) => *key,
        }
    }
}

impl Model for Keys {
    /// True if the key of the part exists; `None` if that is not known.
    type State = Option<bool>;
    type Call = KeysCall;

    fn start(&self) -> Option<bool> {
        self.initial
    }

    fn apply(&self, state: &Option<bool>, call: &KeysCall, answer: Option<Answer>) -> Vec<Option<bool>> {
        let (wanted, after) = match call {
            KeysCall::Create(_) => (false, true),
            KeysCall::Close(_) => (true, false),
            KeysCall::Lookup(_) => (true, true),
        };
        match answer {
            Some(Answer::Done | Answer::Value(_)) | None if *state != Some(!wanted) => vec![Some(after)],
            Some(Answer::Refused) if *state != Some(wanted) => vec![Some(!wanted)],
            _ => Vec::new(),
        }
    }

    fn show(&self, state: &Option<bool>) -> String {
        match state {
            Some(true) => "the key exists",
            Some(false) => "the key does not exist",
            None => "any key may exist",
        }
        .to_owned()
    }

    fn parts(&self, history: &[Of<Self>]) -> Vec<Vec<usize>> {
        by_key(history, KeysCall::key)
    }

    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>> {
        let of = &history[position];
        let looks = matches!(of.call, KeysCall::Lookup(_)) || of.answer() == Some(Answer::Refused);
        looks.then(|| vec![position])
    }
}

impl fmt::Display for KeysCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeysCall::Create(key) => write!(f, "create({})", number(*key)),
            KeysCall::Close(key) => write!(f, "close({})", number(*key)),
            KeysCall::Lookup(key) => write!(f, "lookup({})", number(*key)),
        }
    }
}
