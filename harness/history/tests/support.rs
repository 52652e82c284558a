//! Short forms of histories.

use history::models::{AllocatorCall, KeysCall, QueueCall, RegisterAction, RegisterCall, TicketCall};
use history::{Answer, Event, Returned};

/// A budget that no history of these tests needs.
pub(crate) const BUDGET: u64 = 1_000_000;

/// An operation from one time to another with its answer.
pub(crate) fn ran<C>(actor: usize, call: C, answer: Answer, from: u64, to: u64) -> Event<C> {
    Event { actor, call, invoked: from, returned: Some(Returned { answer, at: to }) }
}

/// An operation that never returned.
pub(crate) fn open<C>(actor: usize, call: C, from: u64) -> Event<C> {
    Event { actor, call, invoked: from, returned: None }
}

pub(crate) fn read(actor: usize, value: u64, from: u64, to: u64) -> Event<RegisterCall> {
    ran(actor, RegisterCall { key: 0, action: RegisterAction::Read }, Answer::Value(value), from, to)
}

pub(crate) fn write(actor: usize, value: u64, from: u64, to: u64) -> Event<RegisterCall> {
    ran(actor, RegisterCall { key: 0, action: RegisterAction::Write(value) }, Answer::Done, from, to)
}

pub(crate) fn swap(actor: usize, (old, new): (u64, u64), done: bool, from: u64, to: u64) -> Event<RegisterCall> {
    let answer = if done { Answer::Done } else { Answer::Refused };
    ran(actor, RegisterCall { key: 0, action: RegisterAction::Swap { from: old, to: new } }, answer, from, to)
}

pub(crate) fn enqueue(actor: usize, value: u64, from: u64, to: u64) -> Event<QueueCall> {
    ran(actor, QueueCall::Enqueue(value), Answer::Done, from, to)
}

pub(crate) fn dequeue(actor: usize, value: u64, from: u64, to: u64) -> Event<QueueCall> {
    ran(actor, QueueCall::Dequeue, Answer::Value(value), from, to)
}

pub(crate) fn empty(actor: usize, from: u64, to: u64) -> Event<QueueCall> {
    ran(actor, QueueCall::Dequeue, Answer::Nothing, from, to)
}

pub(crate) fn allocate(actor: usize, size: u64, address: u64, from: u64, to: u64) -> Event<AllocatorCall> {
    ran(actor, AllocatorCall::Allocate { size }, Answer::Value(address), from, to)
}

pub(crate) fn release(actor: usize, address: u64, from: u64, to: u64) -> Event<AllocatorCall> {
    ran(actor, AllocatorCall::Release { address }, Answer::Done, from, to)
}

pub(crate) fn key(actor: usize, call: KeysCall, done: bool, from: u64, to: u64) -> Event<KeysCall> {
    ran(actor, call, if done { Answer::Done } else { Answer::Refused }, from, to)
}

pub(crate) fn claim(actor: usize, done: bool, from: u64, to: u64) -> Event<TicketCall> {
    ran(actor, TicketCall::Claim(0), if done { Answer::Done } else { Answer::Refused }, from, to)
}
