//! Smallest inconsistent parts.

use history::models::{Allocator, Counter, CounterCall, Keys, KeysCall, Queue, Register, Ticket};
use history::{Answer, Event, Model, Of, Outcome, check, consistent, smallest};
use rstest::rstest;

use crate::support::{BUDGET, allocate, claim, dequeue, enqueue, key, ran, read, release, swap, write};

/// The positions of the smallest inconsistent part, and the states before it.
fn part<M: Model>(model: &M, history: &[Of<M>]) -> (Vec<usize>, Vec<String>) {
    let part = smallest(model, history, BUDGET).expect("an inconsistent history");
    let events: Vec<&Of<M>> = part.events.iter().map(|(_, event)| event).collect();
    assert_eq!(consistent(model, &part.from, &events, &mut BUDGET.clone()), Some(false), "the part is inconsistent");
    let mut positions: Vec<usize> = part.events.iter().map(|(position, _)| *position).collect();
    positions.sort_unstable();
    (positions, part.from.iter().map(|state| model.show(state)).collect())
}

#[test]
fn a_block_with_two_owners_is_two_allocations() {
    let mut history = Vec::new();
    for round in 0..40u64 {
        let at = round * 100;
        history.push(allocate(0, 64, 4096, at, at + 30));
        history.push(release(0, 4096, at + 40, at + 60));
        history.push(allocate(1, 64, 8192, at + 10, at + 50));
        history.push(release(1, 8192, at + 70, at + 90));
    }
    assert_eq!(check(&Allocator::default(), &history, BUDGET), Outcome::Consistent);
    // In the round 20, a third actor has the first block while actor 0 has it.
    history.push(allocate(2, 16, 4112, 2031, 2039));
    assert_eq!(part(&Allocator::default(), &history), (vec![80, 160], vec!["no live block".to_owned()]));
}

#[test]
fn a_write_is_not_left_out_if_a_read_needs_it() {
    let history = vec![
        write(0, 1, 0, 10),
        read(1, 1, 20, 30),
        write(0, 2, 40, 50),
        read(1, 2, 60, 70),
        write(0, 3, 80, 90),
        read(2, 2, 100, 110),
        read(1, 3, 120, 130),
    ];
    let (positions, before) = part(&Register { initial: Some(0) }, &history);
    assert_eq!((positions, before), (vec![5], vec!["value 3".to_owned()]), "the read of an old value");
}

#[test]
fn overlapping_writes_leave_the_operations_that_disagree() {
    let history = vec![
        write(0, 1, 0, 100),
        write(1, 2, 0, 100),
        write(4, 3, 0, 100),
        read(2, 1, 10, 20),
        read(3, 2, 10, 20),
        read(2, 2, 30, 40),
        read(3, 1, 30, 40),
        read(5, 2, 50, 60),
    ];
    let (positions, _) = part(&Register { initial: Some(0) }, &history);
    assert_eq!(positions, [0, 1, 3, 4, 5, 6]);
}

#[test]
fn two_swaps_from_one_value_explain_a_lost_update() {
    let history = vec![
        write(3, 9, 0, 5),
        write(3, 0, 6, 9),
        read(0, 0, 10, 20),
        swap(0, (0, 1), true, 20, 30),
        swap(1, (0, 2), true, 25, 35),
        read(0, 2, 40, 50),
    ];
    let (positions, before) = part(&Register { initial: Some(9) }, &history);
    assert_eq!((positions, before), (vec![3, 4], vec!["value 0".to_owned()]));
}

#[test]
fn a_value_that_leaves_twice_is_one_enqueue_and_two_dequeues() {
    let mut history: Vec<_> = (0..20).map(|value| enqueue(0, value, value * 10, value * 10 + 5)).collect();
    history.extend((0..20).map(|value| dequeue(1, value, 300 + value * 10, 305 + value * 10)));
    history.push(dequeue(2, 7, 360, 389));
    let (positions, before) = part(&Queue, &history);
    assert_eq!((positions, before), (vec![7, 27, 40], vec!["empty".to_owned()]));
}

#[test]
fn a_late_lookup_follows_the_known_end_of_the_key() {
    let history = vec![
        key(0, KeysCall::Create(5), true, 0, 10),
        key(1, KeysCall::Lookup(5), true, 5, 20),
        key(0, KeysCall::Close(5), true, 30, 40),
        key(1, KeysCall::Lookup(5), true, 50, 60),
        key(1, KeysCall::Create(6), true, 70, 80),
    ];
    let (positions, before) = part(&Keys { initial: Some(false) }, &history);
    assert_eq!((positions, before), (vec![3], vec!["the key does not exist".to_owned()]));
}

#[test]
fn a_lost_addition_is_a_read_after_a_known_value() {
    let add = |actor, from, to| ran(actor, CounterCall::Add { key: 0, amount: 1 }, Answer::Done, from, to);
    let read = |value, from, to| ran(3, CounterCall::Read { key: 0 }, Answer::Value(value), from, to);
    let mut history: Vec<Event<CounterCall>> = (0..50).map(|number| add(0, number * 10, number * 10 + 5)).collect();
    history.extend([add(0, 1000, 1020), add(1, 1010, 1030), read(51, 1040, 1050), read(51, 1060, 1070)]);
    let (positions, before) = part(&Counter { initial: Some(0) }, &history);
    assert_eq!((positions, before), (vec![52], vec!["value 52".to_owned()]));
}

#[rstest]
#[case(1)]
#[case(7)]
fn two_winners_are_enough(#[case] losers: usize) {
    let mut history = vec![claim(0, true, 0, 20), claim(1, true, 10, 30)];
    history.extend((0..losers).map(|loser| claim(loser + 2, false, 15, 40)));
    assert_eq!(part(&Ticket, &history).0, [0, 1]);
}

#[test]
fn a_consistent_history_has_no_inconsistent_part() {
    assert!(smallest(&Register { initial: Some(0) }, &[write(0, 1, 0, 10), read(1, 1, 5, 20)], BUDGET).is_none());
}
