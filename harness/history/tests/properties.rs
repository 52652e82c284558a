//! Histories that actors make on a real object: always accepted, refused when one answer is changed, and judged as by
//! trying all orders.

use history::models::{
    Allocator, AllocatorCall, Counter, CounterCall, Keys, KeysCall, Queue, QueueCall, Register, RegisterAction,
    RegisterCall, Ticket, TicketCall,
};
use history::{Answer, Event, Model, Of, Outcome, Returned, by_key, check};
use proptest::prelude::*;

use crate::brute;
use crate::support::BUDGET;

/// A step of the object: the actor, the operation, and how far its call and its return are from the moment at which
/// it takes effect.
#[derive(Debug, Clone)]
struct Step<C> {
    actor: usize,
    call: C,
    before: u64,
    after: u64,
    returns: bool,
}

/// The moments between two effects.
const MOMENT: u64 = 10;

/// The history that actors see. Each operation takes effect at one moment, in the order of the steps, between its call
/// and its return; `answer` is what the object says.
fn history<C: Clone>(steps: &[Step<C>], mut answer: impl FnMut(&C) -> Answer) -> Vec<Event<C>> {
    let mut events: Vec<Event<C>> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let effect = (number as u64 + 100) * MOMENT;
        let last = events.iter_mut().rev().find(|event| event.actor == step.actor);
        let answer = answer(&step.call);
        let mut invoked = effect - step.before.min(99 * MOMENT);
        if let Some(last) = last {
            // An actor whose call never returned performs nothing else, so such a call is the actor's last.
            let Some(returned) = &mut last.returned else { continue };
            let effect_of_last = returned.at.min(effect - 2);
            returned.at = effect_of_last;
            invoked = invoked.max(returned.at + 1);
        }
        let returned = step.returns.then_some(Returned { answer, at: effect + step.after });
        events.push(Event { actor: step.actor, call: step.call.clone(), invoked, returned });
    }
    events
}

fn steps<C: std::fmt::Debug + Clone + 'static>(
    call: impl Strategy<Value = C> + 'static,
    length: usize,
) -> impl Strategy<Value = Vec<Step<C>>> {
    let step = (0usize..4, call, 0u64..60, 0u64..60, prop::bool::weighted(0.97))
        .prop_map(|(actor, call, before, after, returns)| Step { actor, call, before, after, returns });
    // An operation that never returned is omitted from the object if a later one of its actor follows: see `history`.
    prop::collection::vec(step, 1..length).prop_map(|mut steps| {
        for position in 0..steps.len() {
            let actor = steps[position].actor;
            if steps[position + 1..].iter().any(|later| later.actor == actor) {
                steps[position].returns = true;
            }
        }
        steps
    })
}

fn register_call() -> impl Strategy<Value = RegisterCall> {
    let action = prop_oneof![
        2 => Just(RegisterAction::Read),
        2 => (1u64..4).prop_map(RegisterAction::Write),
        1 => (0u64..4, 1u64..4).prop_map(|(from, to)| RegisterAction::Swap { from, to }),
    ];
    (0u64..2, action).prop_map(|(key, action)| RegisterCall { key, action })
}

fn register_history(steps: &[Step<RegisterCall>]) -> Vec<Event<RegisterCall>> {
    let mut values = [0u64; 2];
    history(steps, |call| {
        let value = &mut values[call.key as usize];
        match call.action {
            RegisterAction::Read => Answer::Value(*value),
            RegisterAction::Write(new) => {
                *value = new;
                Answer::Done
            }
            RegisterAction::Swap { from, to } if *value == from => {
                *value = to;
                Answer::Done
            }
            RegisterAction::Swap { .. } => Answer::Refused,
        }
    })
}

fn queue_call() -> impl Strategy<Value = QueueCall> {
    prop_oneof![(1u64..6).prop_map(QueueCall::Enqueue), Just(QueueCall::Dequeue)]
}

fn queue_history(steps: &[Step<QueueCall>]) -> Vec<Event<QueueCall>> {
    let mut values = std::collections::VecDeque::new();
    history(steps, |call| match call {
        QueueCall::Enqueue(value) => {
            values.push_back(*value);
            Answer::Done
        }
        QueueCall::Dequeue => values.pop_front().map_or(Answer::Nothing, Answer::Value),
    })
}

fn keys_call() -> impl Strategy<Value = KeysCall> {
    (0u64..3, 0..3).prop_map(|(key, kind)| match kind {
        0 => KeysCall::Create(key),
        1 => KeysCall::Close(key),
        _ => KeysCall::Lookup(key),
    })
}

fn key_of(call: &KeysCall) -> u64 {
    match call {
        KeysCall::Create(key) | KeysCall::Close(key) | KeysCall::Lookup(key) => *key,
    }
}

fn keys_history(steps: &[Step<KeysCall>]) -> Vec<Event<KeysCall>> {
    let mut exists = [false; 3];
    history(steps, |call| {
        let (key, wanted, after) = match call {
            KeysCall::Create(key) => (key, false, true),
            KeysCall::Close(key) => (key, true, false),
            KeysCall::Lookup(key) => (key, true, true),
        };
        let key = &mut exists[*key as usize];
        if *key != wanted {
            return Answer::Refused;
        }
        *key = after;
        Answer::Done
    })
}

fn counter_call() -> impl Strategy<Value = CounterCall> {
    prop_oneof![(-3i64..4).prop_map(|amount| CounterCall::Add { key: 0, amount }), Just(CounterCall::Read { key: 0 })]
}

fn counter_history(steps: &[Step<CounterCall>]) -> Vec<Event<CounterCall>> {
    let mut value = 50u64;
    let mut number = 0;
    history(steps, |call| match call {
        CounterCall::Add { amount, .. } => {
            value = value.wrapping_add(*amount as u64);
            number += 1;
            if number % 2 == 0 { Answer::Done } else { Answer::Value(value) }
        }
        CounterCall::Read { .. } => Answer::Value(value),
    })
}

/// Blocks of an object with eight places of 16 bytes. A release takes the oldest live block whose allocation its
/// actor can know.
fn allocator_history(steps: &[Step<AllocatorCall>]) -> Vec<Event<AllocatorCall>> {
    let mut live: Vec<(u64, u64)> = Vec::new();
    let mut plain: Vec<Step<AllocatorCall>> = Vec::new();
    let mut answers = Vec::new();
    for step in steps {
        match step.call {
            AllocatorCall::Allocate { size } => {
                let free = (1u64..9)
                    .map(|place| place * 16)
                    .find(|at| live.iter().all(|(start, size_of)| at + size <= *start || start + size_of <= *at));
                if let Some(at) = free {
                    live.push((at, size));
                }
                // A block whose allocation never returned has no owner who could release it.
                plain.push(Step { returns: true, ..step.clone() });
                answers.push(free.map_or(Answer::Refused, Answer::Value));
            }
            AllocatorCall::Release { .. } => {
                if live.is_empty() {
                    continue;
                }
                let (address, _) = live.remove(0);
                plain.push(Step { call: AllocatorCall::Release { address }, ..step.clone() });
                answers.push(Answer::Done);
            }
        }
    }
    let mut answers = answers.into_iter();
    let mut events = history(&plain, |_| answers.next().expect("an answer for each step"));
    // A caller releases a block after it knows the address.
    for position in 0..events.len() {
        let AllocatorCall::Release { address } = events[position].call else { continue };
        let effect = (position as u64 + 100) * MOMENT;
        let allocation =
            events[..position].iter_mut().rev().find_map(|event| match (event.call, &mut event.returned) {
                (AllocatorCall::Allocate { .. }, Some(end)) if end.answer == Answer::Value(address) => Some(end),
                _ => None,
            });
        // If the allocation never returned, no caller knows the address.
        let Some(allocation) = allocation else { return Vec::new() };
        allocation.at = allocation.at.min(effect - 2);
        let known = allocation.at + 1;
        events[position].invoked = events[position].invoked.max(known);
    }
    events
}

fn allocator_call() -> impl Strategy<Value = AllocatorCall> {
    prop_oneof![
        (1u64..40).prop_map(|size| AllocatorCall::Allocate { size }),
        Just(AllocatorCall::Release { address: 0 })
    ]
}

fn ticket_call() -> impl Strategy<Value = TicketCall> {
    prop_oneof![4 => (0u64..2).prop_map(TicketCall::Claim), 1 => (0u64..2).prop_map(TicketCall::Renew)]
}

fn ticket_of(call: &TicketCall) -> u64 {
    match call {
        TicketCall::Claim(ticket) | TicketCall::Renew(ticket) => *ticket,
    }
}

fn ticket_history(steps: &[Step<TicketCall>]) -> Vec<Event<TicketCall>> {
    let mut taken = [false; 2];
    history(steps, |call| {
        let before = std::mem::replace(&mut taken[ticket_of(call) as usize], matches!(call, TicketCall::Claim(_)));
        if before && matches!(call, TicketCall::Claim(_)) { Answer::Refused } else { Answer::Done }
    })
}

/// Asserts that the search agrees with trying all orders.
fn agrees<M: Model>(model: &M, history: &[Of<M>]) {
    agrees_by(model, history, |_| 0);
}

/// Asserts that a history is accepted, also without the unit of any operation.
fn accepted<M: Model>(model: &M, history: &[Of<M>]) {
    assert_eq!(check(model, history, BUDGET), Outcome::Consistent, "{history:#?}");
    for position in 0..history.len() {
        let Some(unit) = model.unit(history, position) else { continue };
        assert!(unit.contains(&position));
        let rest: Vec<Of<M>> =
            (0..history.len()).filter(|at| !unit.contains(at)).map(|at| history[at].clone()).collect();
        assert_eq!(check(model, &rest, BUDGET), Outcome::Consistent, "without {unit:?}: {history:#?}");
    }
}

/// Asserts that the search agrees with trying all orders of the operations on each key.
fn agrees_by<M: Model>(model: &M, history: &[Of<M>], key: impl Fn(&M::Call) -> u64) {
    let of = |part: &Vec<usize>| part.iter().map(|position| history[*position].clone()).collect::<Vec<_>>();
    let whole = by_key(history, key).iter().all(|part| brute::consistent(model, &of(part)));
    let wanted = if whole { Outcome::Consistent } else { Outcome::Inconsistent };
    assert_eq!(check(model, history, BUDGET), wanted, "{history:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn histories_of_registers_are_accepted(steps in steps(register_call(), 60)) {
        accepted(&Register { initial: Some(0) }, &register_history(&steps));
        accepted(&Register { initial: None }, &register_history(&steps));
    }

    #[test]
    fn histories_of_queues_are_accepted(steps in steps(queue_call(), 40)) {
        accepted(&Queue, &queue_history(&steps));
    }

    #[test]
    fn histories_of_keys_are_accepted(steps in steps(keys_call(), 60)) {
        accepted(&Keys { initial: Some(false) }, &keys_history(&steps));
        accepted(&Keys { initial: None }, &keys_history(&steps));
    }

    #[test]
    fn histories_of_counters_are_accepted(steps in steps(counter_call(), 30)) {
        accepted(&Counter { initial: Some(50) }, &counter_history(&steps));
        accepted(&Counter { initial: None }, &counter_history(&steps));
    }

    #[test]
    fn histories_of_allocators_are_accepted(steps in steps(allocator_call(), 60)) {
        let history = allocator_history(&steps);
        accepted(&Allocator::default(), &history);
        accepted(&Allocator::in_use(&history), &history);
    }

    #[test]
    fn histories_of_tickets_are_accepted(steps in steps(ticket_call(), 30)) {
        accepted(&Ticket, &ticket_history(&steps));
    }

    #[test]
    fn a_read_of_a_value_that_was_never_written_is_refused(steps in steps(register_call(), 60), at in any::<prop::sample::Index>()) {
        let mut history = register_history(&steps);
        let reads: Vec<usize> =
            (0..history.len()).filter(|at| matches!(history[*at].answer(), Some(Answer::Value(_)))).collect();
        prop_assume!(!reads.is_empty());
        let read = reads[at.index(reads.len())];
        history[read].returned = history[read].returned.map(|end| Returned { answer: Answer::Value(99), ..end });
        assert_eq!(check(&Register { initial: Some(0) }, &history, BUDGET), Outcome::Inconsistent);
    }

    #[test]
    fn registers_are_judged_as_by_all_orders(steps in steps(register_call(), 7), changed in any::<prop::sample::Index>(), to in 0u64..4) {
        let mut history = register_history(&steps);
        agrees_by(&Register { initial: Some(0) }, &history, |call| call.key);
        let at = changed.index(history.len());
        if matches!(history[at].answer(), Some(Answer::Value(_))) {
            history[at].returned = history[at].returned.map(|end| Returned { answer: Answer::Value(to), ..end });
        }
        agrees_by(&Register { initial: Some(0) }, &history, |call| call.key);
        agrees_by(&Register { initial: None }, &history, |call| call.key);
    }

    #[test]
    fn queues_are_judged_as_by_all_orders(steps in steps(queue_call(), 7), changed in any::<prop::sample::Index>(), to in 1u64..6) {
        let mut history = queue_history(&steps);
        let at = changed.index(history.len());
        if history[at].call == QueueCall::Dequeue {
            history[at].returned = history[at].returned.map(|end| Returned { answer: Answer::Value(to), ..end });
        }
        agrees(&Queue, &history);
    }

    #[test]
    fn keys_are_judged_as_by_all_orders(steps in steps(keys_call(), 7), changed in any::<prop::sample::Index>()) {
        let mut history = keys_history(&steps);
        let at = changed.index(history.len());
        history[at].returned = history[at].returned.map(|end| {
            let answer = if end.answer == Answer::Done { Answer::Refused } else { Answer::Done };
            Returned { answer, ..end }
        });
        agrees_by(&Keys { initial: Some(false) }, &history, key_of);
        agrees_by(&Keys { initial: None }, &history, key_of);
    }

    #[test]
    fn allocators_are_judged_as_by_all_orders(steps in steps(allocator_call(), 8), changed in any::<prop::sample::Index>(), to in 1u64..9) {
        let mut history = allocator_history(&steps);
        prop_assume!(!history.is_empty());
        let at = changed.index(history.len());
        if let Some(Answer::Value(_)) = history[at].answer() {
            history[at].returned = history[at].returned.map(|end| Returned { answer: Answer::Value(to * 16), ..end });
        }
        agrees(&Allocator::default(), &history);
        agrees(&Allocator::in_use(&history), &history);
    }

    #[test]
    fn tickets_are_judged_as_by_all_orders(steps in steps(ticket_call(), 8), changed in any::<prop::sample::Index>()) {
        let mut history = ticket_history(&steps);
        let at = changed.index(history.len());
        history[at].returned = history[at].returned.map(|end| Returned { answer: Answer::Done, ..end });
        agrees_by(&Ticket, &history, ticket_of);
    }
}
