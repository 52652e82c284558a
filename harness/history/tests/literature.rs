//! Histories whose answer is known.
//!
//! - `hw`: M. Herlihy, J. Wing, *Linearizability: A Correctness Condition for Concurrent Objects* (1990), the queue
//!   histories H1 to H4 of section 1.
//! - `porcupine`: the register tests of Porcupine (`porcupine_test.go`, and the example in its README).
//! - `knossos`: histories of the kind that the compare-and-set register of Knossos and Jepsen refuses.
//! - `elle`: anomalies that K. Kingsbury and P. Alvaro name (2020), each on one register.
//! - `ours`: laws of this suite.

use history::models::{
    Allocator, Keys, KeysCall, Queue, QueueCall, Register, RegisterAction, RegisterCall, Ticket, TicketCall,
};
use history::{Answer, Event, Outcome, check};
use rstest::rstest;

use crate::support::{BUDGET, allocate, claim, dequeue, empty, enqueue, key, open, ran, read, release, swap, write};

const GOOD: Outcome = Outcome::Consistent;
const BAD: Outcome = Outcome::Inconsistent;

const X: u64 = 1;
const Y: u64 = 2;
const Z: u64 = 3;

#[rstest]
#[case::hw_h1_overlapping_enqueues_leave_in_either_order(
    vec![enqueue(0, X, 0, 30), enqueue(1, Y, 10, 20), dequeue(1, X, 40, 60), dequeue(0, Y, 50, 70), enqueue(0, Z, 80, 90)], GOOD)]
#[case::hw_h1_the_other_order(
    vec![enqueue(0, X, 0, 30), enqueue(1, Y, 10, 20), dequeue(1, Y, 40, 60), dequeue(0, X, 50, 70)], GOOD)]
#[case::hw_h2_the_first_enqueue_had_returned(vec![enqueue(0, X, 0, 10), enqueue(1, Y, 20, 30), dequeue(0, Y, 40, 50)], BAD)]
#[case::hw_h3_an_enqueue_that_has_not_returned_took_effect(
    vec![open(0, QueueCall::Enqueue(X), 0), dequeue(1, X, 10, 20)], GOOD)]
#[case::hw_h4_one_value_leaves_twice(
    vec![enqueue(0, X, 0, 20), enqueue(1, Y, 10, 30), dequeue(0, Y, 40, 60), dequeue(2, Y, 50, 70)], BAD)]
#[case::ours_a_queue_is_empty_between(vec![enqueue(0, X, 0, 10), dequeue(1, X, 5, 30), empty(0, 20, 40)], GOOD)]
#[case::ours_a_queue_with_a_value_is_not_empty(vec![enqueue(0, X, 0, 10), empty(1, 20, 30), dequeue(1, X, 40, 50)], BAD)]
#[case::ours_an_open_dequeue_took_the_value(
    vec![enqueue(0, X, 0, 10), enqueue(0, Y, 20, 30), open(1, QueueCall::Dequeue, 5), dequeue(2, Y, 40, 50)], GOOD)]
#[case::ours_a_value_leaves_before_it_comes(vec![dequeue(0, X, 0, 10), enqueue(1, X, 20, 30)], BAD)]
fn queues(#[case] history: Vec<Event<QueueCall>>, #[case] expected: Outcome) {
    assert_eq!(check(&Queue, &history, BUDGET), expected);
}

#[rstest]
#[case::porcupine_register_1(vec![write(0, 100, 0, 100), read(1, 100, 25, 75), read(2, 0, 30, 60)], GOOD)]
#[case::porcupine_register_2(vec![write(0, 200, 0, 100), read(1, 200, 10, 30), read(2, 0, 40, 90)], BAD)]
#[case::porcupine_zero_duration(
    vec![write(0, 100, 0, 0), read(1, 100, 25, 75), read(2, 100, 30, 30), read(0, 100, 0, 0)], GOOD)]
#[case::porcupine_zero_duration_stale(vec![write(0, 200, 0, 0), read(1, 200, 10, 10), read(2, 0, 10, 10)], BAD)]
#[case::knossos_reads_see_a_write_before_it_returns(vec![write(0, 1, 0, 100), read(1, 1, 10, 20)], GOOD)]
#[case::knossos_reads_go_back(
    vec![write(0, 1, 0, 10), write(0, 2, 20, 90), read(1, 2, 30, 40), read(2, 1, 50, 60)], BAD)]
#[case::knossos_reads_go_forward(
    vec![write(0, 1, 0, 10), write(0, 2, 20, 90), read(1, 1, 30, 40), read(2, 2, 50, 60)], GOOD)]
#[case::knossos_stale_read(vec![write(0, 1, 0, 10), write(1, 2, 20, 30), read(2, 1, 40, 50)], BAD)]
#[case::knossos_two_swaps_from_one_value(
    vec![write(0, 1, 0, 10), swap(1, (1, 2), true, 20, 40), swap(2, (1, 3), true, 30, 50)], BAD)]
#[case::knossos_one_of_two_swaps_is_refused(
    vec![write(0, 1, 0, 10), swap(1, (1, 2), true, 20, 40), swap(2, (1, 3), false, 30, 50), read(0, 2, 60, 70)], GOOD)]
#[case::knossos_a_refused_swap_from_the_value(vec![write(0, 1, 0, 10), swap(1, (1, 2), false, 20, 30)], BAD)]
#[case::knossos_a_crashed_write_is_seen_later(
    vec![open(0, RegisterCall { key: 0, action: RegisterAction::Write(5) }, 0), read(1, 0, 10, 20), read(1, 5, 30, 40)], GOOD)]
#[case::knossos_a_crashed_write_takes_effect_once(
    vec![
        open(0, RegisterCall { key: 0, action: RegisterAction::Write(5) }, 0), read(1, 5, 10, 20),
        write(1, 6, 30, 40), read(1, 6, 50, 60), read(1, 5, 70, 80),
    ],
    BAD)]
#[case::elle_lost_update(
    vec![
        read(0, 0, 0, 10), read(1, 0, 5, 15), swap(0, (0, 1), true, 20, 30), swap(1, (0, 2), true, 25, 35),
        read(0, 2, 40, 50),
    ],
    BAD)]
#[case::elle_aborted_read(vec![swap(0, (7, 8), false, 0, 10), read(1, 8, 20, 30)], BAD)]
#[case::elle_intermediate_read_of_a_value_that_was_never_written(vec![write(0, 1, 0, 10), read(1, 9, 5, 15)], BAD)]
#[case::elle_two_readers_disagree_on_the_order(
    vec![
        write(0, 1, 0, 100), write(1, 2, 0, 100), read(2, 1, 10, 20), read(3, 2, 10, 20), read(2, 2, 30, 40),
        read(3, 1, 30, 40),
    ],
    BAD)]
#[case::ours_touching_times_may_overlap(vec![write(0, 1, 0, 10), read(1, 0, 10, 20)], GOOD)]
fn registers(#[case] history: Vec<Event<RegisterCall>>, #[case] expected: Outcome) {
    assert_eq!(check(&Register { initial: Some(0) }, &history, BUDGET), expected);
}

#[test]
fn an_unknown_first_value_is_the_one_that_is_read_first() {
    let model = Register { initial: None };
    assert_eq!(check(&model, &[read(0, 7, 0, 10), read(1, 7, 20, 30)], BUDGET), GOOD);
    assert_eq!(check(&model, &[read(0, 7, 0, 10), read(1, 8, 20, 30)], BUDGET), BAD);
}

#[rstest]
#[case::two_owners(vec![allocate(0, 64, 4096, 0, 20), allocate(1, 64, 4096, 10, 30)], BAD)]
#[case::overlapping(vec![allocate(0, 64, 4096, 0, 20), allocate(1, 64, 4128, 10, 30)], BAD)]
#[case::neighbors(vec![allocate(0, 64, 4096, 0, 20), allocate(1, 64, 4160, 10, 30)], GOOD)]
#[case::reused_after_a_release(
    vec![allocate(0, 64, 4096, 0, 10), release(0, 4096, 20, 40), allocate(1, 64, 4096, 30, 50)], GOOD)]
#[case::reused_before_a_release(
    vec![allocate(0, 64, 4096, 0, 10), allocate(1, 64, 4096, 20, 30), release(0, 4096, 40, 50)], BAD)]
#[case::released_twice(
    vec![allocate(0, 64, 4096, 0, 10), release(0, 4096, 20, 40), release(1, 4096, 30, 50)], BAD)]
fn allocators(#[case] history: Vec<Event<history::models::AllocatorCall>>, #[case] expected: Outcome) {
    assert_eq!(check(&Allocator::default(), &history, BUDGET), expected);
}

#[rstest]
#[case::two_creators_win(vec![key(0, KeysCall::Create(1), true, 0, 20), key(1, KeysCall::Create(1), true, 10, 30)], BAD)]
#[case::one_creator_is_refused(
    vec![key(0, KeysCall::Create(1), true, 0, 20), key(1, KeysCall::Create(1), false, 10, 30)], GOOD)]
#[case::found_after_it_was_closed(
    vec![
        key(0, KeysCall::Create(1), true, 0, 10), key(0, KeysCall::Close(1), true, 20, 30),
        key(1, KeysCall::Lookup(1), true, 40, 50),
    ],
    BAD)]
#[case::found_while_it_is_closed(
    vec![
        key(0, KeysCall::Create(1), true, 0, 10), key(0, KeysCall::Close(1), true, 20, 30),
        key(1, KeysCall::Lookup(1), true, 25, 50),
    ],
    GOOD)]
#[case::another_key_is_not_found(
    vec![key(0, KeysCall::Create(1), true, 0, 10), key(1, KeysCall::Lookup(2), false, 20, 30)], GOOD)]
fn sets_of_keys(#[case] history: Vec<Event<KeysCall>>, #[case] expected: Outcome) {
    assert_eq!(check(&Keys { initial: Some(false) }, &history, BUDGET), expected);
}

#[rstest]
#[case::one_winner(vec![claim(0, true, 0, 20), claim(1, false, 10, 30)], GOOD)]
#[case::a_second_winner_after_a_renewal(
    vec![claim(0, true, 0, 20), ran(0, TicketCall::Renew(0), Answer::Done, 30, 40), claim(1, true, 35, 60)], GOOD)]
#[case::two_winners_before_a_renewal(
    vec![claim(0, true, 0, 20), claim(1, true, 10, 25), ran(0, TicketCall::Renew(0), Answer::Done, 30, 40)], BAD)]
#[case::two_winners(vec![claim(0, true, 0, 20), claim(1, true, 10, 30)], BAD)]
#[case::a_loser_before_the_winner(vec![claim(0, false, 0, 10), claim(1, true, 20, 30)], BAD)]
fn tickets(#[case] history: Vec<Event<TicketCall>>, #[case] expected: Outcome) {
    assert_eq!(check(&Ticket, &history, BUDGET), expected);
}

#[test]
fn a_search_without_budget_is_undecided() {
    let history: Vec<_> = (0..8).map(|actor| write(actor, actor as u64, 0, 100)).chain([read(9, 99, 0, 100)]).collect();
    assert_eq!(check(&Register { initial: Some(0) }, &history, 100), Outcome::Undecided);
    assert_eq!(check(&Register { initial: Some(0) }, &history, BUDGET), BAD);
}
