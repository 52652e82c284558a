//! The time of a check of 200 calls by 4 actors, consistent and not, with the smallest part.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use history::models::{Allocator, AllocatorCall, Queue, QueueCall, Register, RegisterAction, RegisterCall};
use history::{Answer, Event, Model, Of, Outcome, Returned, check, smallest};

const CALLS: usize = 200;
const ACTORS: usize = 4;
const BUDGET: u64 = 1_000_000;

/// Numbers without an order.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Operations of four actors, each overlapping those of the three others: every actor calls again as soon as its last
/// call returned. They take effect in the order of the list.
fn overlapping<C: Clone>(operations: &[(C, Answer)]) -> Vec<Event<C>> {
    let count = operations.len();
    (0..count)
        .map(|number| Event {
            actor: number % ACTORS,
            call: operations[number].0.clone(),
            // The effect is at 100 times the number plus 400; the next call of the actor has its effect 400 later.
            invoked: number as u64 * 100 + 2,
            returned: Some(Returned { answer: operations[number].1, at: number as u64 * 100 + 401 }),
        })
        .collect()
}

fn registers() -> Vec<Event<RegisterCall>> {
    let (mut numbers, mut value) = (Numbers(1), 0);
    let operations: Vec<(RegisterCall, Answer)> = (0..CALLS)
        .map(|_| match numbers.below(3) {
            0 => {
                value = numbers.below(5);
                (RegisterCall { key: 0, action: RegisterAction::Write(value) }, Answer::Done)
            }
            _ => (RegisterCall { key: 0, action: RegisterAction::Read }, Answer::Value(value)),
        })
        .collect();
    overlapping(&operations)
}

fn queues() -> Vec<Event<QueueCall>> {
    let (mut numbers, mut values) = (Numbers(2), std::collections::VecDeque::new());
    let operations: Vec<(QueueCall, Answer)> = (0..CALLS as u64)
        .map(|number| match numbers.below(2) {
            0 => {
                values.push_back(number);
                (QueueCall::Enqueue(number), Answer::Done)
            }
            _ => (QueueCall::Dequeue, values.pop_front().map_or(Answer::Nothing, Answer::Value)),
        })
        .collect();
    overlapping(&operations)
}

/// Each actor allocates and releases; all blocks overlap at some time, so the history has one part.
fn allocators() -> Vec<Event<AllocatorCall>> {
    let mut operations = Vec::new();
    for number in 0..CALLS as u64 / 8 {
        for actor in 0..4 {
            let block = 4096 + (actor + number) % 4 * 4096;
            operations.push((AllocatorCall::Allocate { size: 4096 }, Answer::Value(block)));
        }
        for actor in 0..4 {
            let block = 4096 + (actor + number) % 4 * 4096;
            operations.push((AllocatorCall::Release { address: block }, Answer::Done));
        }
    }
    overlapping(&operations)
}

fn measure<M: Model>(bencher: &mut Criterion, name: &str, model: &M, good: &[Of<M>], bad: &[Of<M>]) {
    assert_eq!(check(model, good, BUDGET), Outcome::Consistent, "{name}");
    assert_eq!(check(model, bad, BUDGET), Outcome::Inconsistent, "{name}");
    bencher.bench_function(&format!("{name}/consistent"), |bencher| {
        bencher.iter(|| check(model, black_box(good), BUDGET));
    });
    bencher.bench_function(&format!("{name}/inconsistent"), |bencher| {
        bencher.iter(|| check(model, black_box(bad), BUDGET));
    });
    bencher.bench_function(&format!("{name}/smallest part"), |bencher| {
        bencher.iter(|| smallest(model, black_box(bad), BUDGET).map(|part| part.events.len()));
    });
}

/// A history whose last answer with a value is another one.
fn spoiled<C: Clone>(history: &[Event<C>], value: u64) -> Vec<Event<C>> {
    let mut bad = history.to_vec();
    let last = bad.iter_mut().rev().find(|event| matches!(event.answer(), Some(Answer::Value(_))));
    if let Some(returned) = last.and_then(|event| event.returned.as_mut()) {
        returned.answer = Answer::Value(value);
    }
    bad
}

fn search(bencher: &mut Criterion) {
    let history = registers();
    measure(bencher, "register", &Register { initial: Some(0) }, &history, &spoiled(&history, 9));
    let history = queues();
    measure(bencher, "queue", &Queue, &history, &spoiled(&history, 999));
    let history = allocators();
    let mut bad = history.clone();
    // A block that another actor has had for a while.
    let twice = bad[100].clone();
    bad.push(Event { actor: ACTORS, ..twice });
    measure(bencher, "allocator", &Allocator::default(), &history, &bad);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(1));
    targets = search
}
criterion_main!(benches);
