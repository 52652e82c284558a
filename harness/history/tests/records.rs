//! Operations by name.

use history::{Examined, Kind, Record, Role, examine};

use crate::support::BUDGET;

fn record(actor: usize, operation: &str, values: &[(Role, u64)], ok: bool, from: u64, to: u64) -> Record {
    Record { actor, operation: operation.to_owned(), values: values.to_vec(), invoked: from, returned: Some((ok, to)) }
}

fn lanes() -> [String; 2] {
    ["A".to_owned(), "B".to_owned()]
}

#[test]
fn a_block_that_was_allocated_earlier_is_released_once() {
    let release = |actor, from, to| record(actor, "release", &[(Role::Block, 4096)], true, from, to);
    let one = examine(Kind::Allocator, &[release(0, 0, 10)], &lanes(), BUDGET);
    assert_eq!(one, Ok(Examined::Consistent));
    let two = examine(Kind::Allocator, &[release(0, 0, 10), release(1, 5, 15)], &lanes(), BUDGET);
    assert!(matches!(two, Ok(Examined::Inconsistent(_))), "{two:?}");
}

#[test]
fn blocks_of_two_processes_may_have_one_address() {
    let allocate = |process: u64| {
        let values = [(Role::Key, process), (Role::Size, 64), (Role::Block, 4096)];
        record(process as usize, "allocate", &values, true, 0, 10)
    };
    let calls = [allocate(0), allocate(1)];
    assert_eq!(examine(Kind::Allocator, &calls, &lanes(), BUDGET), Ok(Examined::Consistent));
    let calls = [allocate(0), allocate(1), Record { actor: 1, ..allocate(0) }];
    assert!(matches!(examine(Kind::Allocator, &calls, &lanes(), BUDGET), Ok(Examined::Inconsistent(_))));
}

#[test]
fn refused_calls_need_no_results() {
    let refused = record(0, "allocate", &[(Role::Size, 64)], false, 0, 10);
    assert_eq!(examine(Kind::Allocator, &[refused], &lanes(), BUDGET), Ok(Examined::Consistent));
    let refused = record(0, "create", &[], false, 0, 10);
    assert_eq!(examine(Kind::Keys, &[refused], &lanes(), BUDGET), Ok(Examined::Consistent));
}

#[test]
fn a_record_without_its_values_is_named() {
    let misfit = examine(Kind::Allocator, &[record(0, "release", &[], true, 0, 10)], &lanes(), BUDGET);
    let message = misfit.expect_err("the address is missing").to_string();
    assert!(message.starts_with("`release` was recorded without a value"), "{message}");
}

#[test]
fn a_leaked_selection_is_found_by_the_key_of_its_actor() {
    let set = |actor: usize, value, from, to| {
        record(actor, "write", &[(Role::Key, actor as u64), (Role::Value, value)], true, from, to)
    };
    let get = |actor: usize, value, from, to| {
        record(actor, "read", &[(Role::Key, actor as u64), (Role::Value, value)], true, from, to)
    };
    let good = [set(0, 1, 0, 10), set(1, 2, 5, 15), get(0, 1, 20, 30), get(1, 2, 20, 30)];
    assert_eq!(examine(Kind::Register, &good, &lanes(), BUDGET), Ok(Examined::Consistent));
    let bad = [set(0, 1, 0, 10), set(1, 2, 5, 15), get(0, 2, 20, 30), get(1, 2, 20, 30)];
    let Ok(Examined::Inconsistent(picture)) = examine(Kind::Register, &bad, &lanes(), BUDGET) else {
        panic!("the selection of B reached A");
    };
    assert!(picture.bars.iter().all(|bar| bar.lane == 0), "{picture:?}");
}

#[test]
fn the_other_models_are_known_by_name() {
    let key = [(Role::Key, 3)];
    let calls = [record(0, "create", &key, true, 0, 10), record(1, "create", &key, true, 5, 15)];
    assert!(matches!(examine(Kind::Keys, &calls, &lanes(), BUDGET), Ok(Examined::Inconsistent(_))));
    let calls = [record(0, "claim", &[], true, 0, 10), record(1, "claim", &[], true, 5, 15)];
    assert!(matches!(examine(Kind::Ticket, &calls, &lanes(), BUDGET), Ok(Examined::Inconsistent(_))));
    let calls = [
        record(0, "enqueue", &[(Role::Value, 1)], true, 0, 10),
        record(1, "dequeue", &[(Role::Value, 2)], true, 5, 15),
    ];
    assert!(matches!(examine(Kind::Queue, &calls, &lanes(), BUDGET), Ok(Examined::Inconsistent(_))));
    let calls = [
        record(0, "read", &[(Role::Value, 7)], true, 0, 10),
        record(0, "subtract", &[(Role::Amount, 2)], true, 20, 30),
        record(1, "read", &[(Role::Value, 7)], true, 40, 50),
    ];
    assert!(matches!(examine(Kind::Counter, &calls, &lanes(), BUDGET), Ok(Examined::Inconsistent(_))));
}
