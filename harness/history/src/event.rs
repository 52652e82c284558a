//! The operations of a history, and the sequential objects that explain them.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;

/// An operation of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<C> {
    /// The number of the actor. An actor performs one operation at a time.
    pub actor: usize,
    pub call: C,
    /// The time of the invocation, in nanoseconds from any start.
    pub invoked: u64,
    /// The answer; `None` for a call that never returned and may or may not have taken effect.
    pub returned: Option<Returned>,
}

/// The end of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returned {
    pub answer: Answer,
    /// The time of the return, on the clock of the invocation.
    pub at: u64,
}

/// The answer of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The operation succeeded and has no value.
    Done,
    Value(u64),
    /// The object holds nothing to return.
    Nothing,
    /// The operation was refused. A refused operation has no effect.
    Refused,
}

/// An operation of a model.
pub type Of<M> = Event<<M as Model>::Call>;

/// A sequential object.
pub trait Model {
    type State: Clone + Eq + Hash;
    type Call: Clone + fmt::Debug + fmt::Display;

    /// The state before the first operation.
    fn start(&self) -> Self::State;

    /// The states after an operation that was answered in this way: none if the state does not allow the answer,
    /// several if the documents leave the effect open. `None` is the answer of a call that never returned.
    fn apply(&self, state: &Self::State, call: &Self::Call, answer: Option<Answer>) -> Vec<Self::State>;

    /// The state in words.
    fn show(&self, state: &Self::State) -> String;

    /// Splits a history into parts that are linearizable if and only if the whole is. An operation in no part is
    /// consistent with every history.
    fn parts(&self, history: &[Of<Self>]) -> Vec<Vec<usize>> {
        vec![(0..history.len()).collect()]
    }

    /// Small parts of a history to look at before the whole: each is what remains without some units.
    fn glimpses(&self, _history: &[&Of<Self>]) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// The operations that may be explained only by the operation at this position, which is one of them. If these
    /// are left out, a consistent history remains consistent. `None` if the operation cannot be left out.
    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>>;

    /// True if [`Model::unit`] also holds for histories that begin in this state.
    fn may_begin(&self, _state: &Self::State) -> bool {
        true
    }
}

impl<C> Event<C> {
    /// True if this operation returned before the other was invoked.
    pub fn precedes(&self, other: &Event<C>) -> bool {
        self.returned.is_some_and(|returned| returned.at < other.invoked)
    }

    pub fn answer(&self) -> Option<Answer> {
        self.returned.map(|returned| returned.answer)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Done => f.write_str("done"),
            Answer::Value(value) => f.write_str(&number(*value)),
            Answer::Nothing => f.write_str("nothing"),
            Answer::Refused => f.write_str("refused"),
        }
    }
}

/// A number for people: addresses in hexadecimal.
pub fn number(value: u64) -> String {
    if value > 0xFFFF { format!("0x{value:x}") } else { value.to_string() }
}

/// The parts of a history by a key.
pub fn by_key<C, K: Ord>(history: &[Event<C>], key: impl Fn(&C) -> K) -> Vec<Vec<usize>> {
    let mut parts: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (position, event) in history.iter().enumerate() {
        parts.entry(key(&event.call)).or_default().push(position);
    }
    parts.into_values().collect()
}
