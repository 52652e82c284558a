//! Operations by name, as catalogs list them and workers record them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{Answer, Event, Model, Of, Returned};
use crate::models::{
    Allocator, AllocatorCall, Counter, CounterCall, Keys, KeysCall, Queue, QueueCall, Register, RegisterAction,
    RegisterCall, Ticket, TicketCall,
};
use crate::picture::Picture;
use crate::search::{Outcome, check};
use crate::smallest::smallest;

/// A model by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A value that is read, written, and swapped.
    Register,
    /// An account to which amounts are added.
    Counter,
    /// First in, first out.
    Queue,
    /// Names that are created, looked up and closed.
    Keys,
    /// Blocks that are disjoint while they live.
    Allocator,
    /// One caller wins.
    Ticket,
}

impl Kind {
    /// The name in catalogs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Register => "register",
            Kind::Counter => "counter",
            Kind::Queue => "queue",
            Kind::Keys => "keys",
            Kind::Allocator => "allocator",
            Kind::Ticket => "ticket",
        }
    }
}

/// The meaning of an argument or result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The object that the operation concerns. Without it all operations concern one object.
    Key,
    /// A value that is read, written, enqueued or dequeued, or the value after an addition.
    Value,
    /// The value that a swap expects.
    From,
    /// The value that a swap writes.
    To,
    /// The amount that is added.
    Amount,
    /// The number of bytes of a block.
    Size,
    /// The address of a block.
    Block,
}

impl Role {
    /// The name in catalogs.
    pub fn name(self) -> &'static str {
        match self {
            Role::Key => "key",
            Role::Value => "value",
            Role::From => "from",
            Role::To => "to",
            Role::Amount => "amount",
            Role::Size => "size",
            Role::Block => "block",
        }
    }
}

/// An operation of a model, with the roles that it needs and those that it may have.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    pub kind: Kind,
    pub name: &'static str,
    pub needs: &'static [Role],
    pub may: &'static [Role],
}

const fn operation(kind: Kind, name: &'static str, needs: &'static [Role], may: &'static [Role]) -> Operation {
    Operation { kind, name, needs, may }
}

/// The operations of all models.
pub const OPERATIONS: [Operation; 15] = [
    operation(Kind::Register, "read", &[Role::Value], &[Role::Key]),
    operation(Kind::Register, "write", &[Role::Value], &[Role::Key]),
    operation(Kind::Register, "swap", &[Role::From, Role::To], &[Role::Key]),
    operation(Kind::Counter, "add", &[Role::Amount], &[Role::Key, Role::Value]),
    operation(Kind::Counter, "subtract", &[Role::Amount], &[Role::Key, Role::Value]),
    operation(Kind::Counter, "read", &[Role::Value], &[Role::Key]),
    operation(Kind::Queue, "enqueue", &[Role::Value], &[]),
    operation(Kind::Queue, "dequeue", &[Role::Value], &[]),
    operation(Kind::Keys, "create", &[Role::Key], &[]),
    operation(Kind::Keys, "close", &[Role::Key], &[]),
    operation(Kind::Keys, "lookup", &[Role::Key], &[]),
    operation(Kind::Allocator, "allocate", &[Role::Size, Role::Block], &[Role::Key]),
    operation(Kind::Allocator, "release", &[Role::Block], &[Role::Key]),
    operation(Kind::Ticket, "claim", &[], &[Role::Key]),
    operation(Kind::Ticket, "renew", &[], &[Role::Key]),
];

/// A recorded operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub actor: usize,
    /// The name of the operation in its model.
    pub operation: String,
    /// The values by role. Those that the operation returns are absent if it did not return or was refused.
    pub values: Vec<(Role, u64)>,
    pub invoked: u64,
    /// True if the operation succeeded, and the time of its return; `None` if it never returned.
    pub returned: Option<(bool, u64)>,
}

/// The result of a check of recorded operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Examined {
    Consistent,
    Inconsistent(Box<Picture>),
    Undecided,
}

/// A record that does not fit its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    pub kind: Kind,
    pub operation: String,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "`{}` was recorded without a value that the model needs; name all roles under `histories` in api.yaml",
            self.operation
        )
    }
}

impl std::error::Error for Misfit {}

/// Checks recorded operations. The state before the first one is not known, except that queues are empty and tickets
/// have no winner. `budget` is the largest number of configurations in a part.
pub fn examine(kind: Kind, records: &[Record], lanes: &[String], budget: u64) -> Result<Examined, Misfit> {
    let examined = match kind {
        Kind::Register => conclude(&Register { initial: None }, &read(kind, records, register)?, lanes, budget),
        Kind::Counter => conclude(&Counter { initial: None }, &read(kind, records, counter)?, lanes, budget),
        Kind::Queue => conclude(&Queue, &read(kind, records, queue)?, lanes, budget),
        Kind::Keys => {
            // A call that would have named a new key, and was refused, concerns no key.
            let nameless = |record: &&Record| record.operation == "create" && record.value(Role::Key).is_none();
            let named: Vec<Record> = records.iter().filter(|record| !nameless(record)).cloned().collect();
            conclude(&Keys { initial: None }, &read(kind, &named, keys)?, lanes, budget)
        }
        Kind::Allocator => allocators(records, lanes, budget)?,
        Kind::Ticket => conclude(&Ticket, &read(kind, records, ticket)?, lanes, budget),
    };
    Ok(examined)
}

/// Checks the blocks of each key, which have separate addresses.
fn allocators(records: &[Record], lanes: &[String], budget: u64) -> Result<Examined, Misfit> {
    let keys: BTreeSet<u64> = records.iter().map(Record::key).collect();
    let mut all = Examined::Consistent;
    for key in keys {
        let records: Vec<Record> = records.iter().filter(|record| record.key() == key).cloned().collect();
        let history = read(Kind::Allocator, &records, allocator)?;
        match conclude(&Allocator::in_use(&history), &history, lanes, budget) {
            Examined::Consistent => {}
            Examined::Undecided => all = Examined::Undecided,
            inconsistent => return Ok(inconsistent),
        }
    }
    Ok(all)
}

fn conclude<M: Model>(model: &M, history: &[Of<M>], lanes: &[String], budget: u64) -> Examined {
    match check(model, history, budget) {
        Outcome::Consistent => Examined::Consistent,
        Outcome::Undecided => Examined::Undecided,
        Outcome::Inconsistent => smallest(model, history, budget).map_or(Examined::Undecided, |part| {
            Examined::Inconsistent(Box::new(Picture::of(model, history, &part, lanes)))
        }),
    }
}

/// Reads each record as a call and the answer that it has if it succeeds.
fn read<C>(
    kind: Kind,
    records: &[Record],
    call: impl Fn(&Record) -> Option<(C, Answer)>,
) -> Result<Vec<Event<C>>, Misfit> {
    let event = |record: &Record| {
        let (call, answer) = call(record).ok_or_else(|| Misfit { kind, operation: record.operation.clone() })?;
        let returned = record.returned.map(|(succeeded, at)| {
            let answer = if succeeded { answer } else { Answer::Refused };
            Returned { answer, at: at.max(record.invoked) }
        });
        Ok(Event { actor: record.actor, call, invoked: record.invoked, returned })
    };
    records.iter().map(event).collect()
}

impl Record {
    fn value(&self, role: Role) -> Option<u64> {
        self.values.iter().find(|(known, _)| *known == role).map(|(_, value)| *value)
    }

    fn key(&self) -> u64 {
        self.value(Role::Key).unwrap_or(0)
    }

    /// A value that the operation returns: needed only if it succeeded.
    fn result(&self, role: Role) -> Option<u64> {
        let succeeded = self.returned.is_some_and(|(succeeded, _)| succeeded);
        self.value(role).or((!succeeded).then_some(0))
    }
}

fn register(record: &Record) -> Option<(RegisterCall, Answer)> {
    let (action, answer) = match record.operation.as_str() {
        "read" => (RegisterAction::Read, Answer::Value(record.result(Role::Value)?)),
        "write" => (RegisterAction::Write(record.value(Role::Value)?), Answer::Done),
        "swap" => (RegisterAction::Swap { from: record.value(Role::From)?, to: record.value(Role::To)? }, Answer::Done),
        _ => return None,
    };
    Some((RegisterCall { key: record.key(), action }, answer))
}

fn counter(record: &Record) -> Option<(CounterCall, Answer)> {
    let key = record.key();
    let amount = |sign: i64| Some((record.value(Role::Amount)? as i64).wrapping_mul(sign));
    let after = || record.value(Role::Value).map_or(Answer::Done, Answer::Value);
    match record.operation.as_str() {
        "add" => Some((CounterCall::Add { key, amount: amount(1)? }, after())),
        "subtract" => Some((CounterCall::Add { key, amount: amount(-1)? }, after())),
        "read" => Some((CounterCall::Read { key }, Answer::Value(record.result(Role::Value)?))),
        _ => None,
    }
}

fn queue(record: &Record) -> Option<(QueueCall, Answer)> {
    match record.operation.as_str() {
        "enqueue" => Some((QueueCall::Enqueue(record.value(Role::Value)?), Answer::Done)),
        "dequeue" => Some((QueueCall::Dequeue, Answer::Value(record.result(Role::Value)?))),
        _ => None,
    }
}

fn keys(record: &Record) -> Option<(KeysCall, Answer)> {
    let key = record.value(Role::Key);
    match record.operation.as_str() {
        "create" => Some((KeysCall::Create(key?), Answer::Done)),
        "close" => Some((KeysCall::Close(key?), Answer::Done)),
        "lookup" => Some((KeysCall::Lookup(key?), Answer::Done)),
        _ => None,
    }
}

fn allocator(record: &Record) -> Option<(AllocatorCall, Answer)> {
    match record.operation.as_str() {
        "allocate" => Some((
            AllocatorCall::Allocate { size: record.value(Role::Size)? },
            Answer::Value(record.result(Role::Block)?),
        )),
        "release" => Some((AllocatorCall::Release { address: record.value(Role::Block)? }, Answer::Done)),
        _ => None,
    }
}

fn ticket(record: &Record) -> Option<(TicketCall, Answer)> {
    match record.operation.as_str() {
        "claim" => Some((TicketCall::Claim(record.key()), Answer::Done)),
        "renew" => Some((TicketCall::Renew(record.key()), Answer::Done)),
        _ => None,
    }
}
