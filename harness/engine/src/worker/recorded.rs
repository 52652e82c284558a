//! Helpers for recorded calls of histories.

use std::mem::MaybeUninit;

use catalog::Rules;
use history::{Bar, Picture};
use steps::builtins::Builtin;
use steps::program::{Expression, Program};
use steps::walk::Node;

/// The most calls of an inconsistent part that a message lists.
const LISTED: usize = 6;

/// For each function of a program, its operations: the position of the history, and that of the call in it. Only
/// histories that the program checks are recorded.
pub(super) fn recorded(program: &Program, rules: &Rules) -> Vec<Vec<(usize, usize)>> {
    let mut wanted = Vec::new();
    program.walk(&mut |node| {
        if let Node::Expression(Expression::Builtin(Builtin::Linear, arguments)) = node
            && let [Expression::Constant(position)] = arguments[..]
        {
            wanted.extend(usize::try_from(position));
        }
    });
    let operations = |name: &str| {
        let checked = rules.histories.iter().enumerate().filter(|(position, _)| wanted.contains(position));
        let calls = checked.flat_map(|(position, history)| {
            history.calls.iter().enumerate().map(move |(number, call)| (position, number, call))
        });
        calls.filter(|(.., call)| call.function == name).map(|(position, number, _)| (position, number)).collect()
    };
    program.functions.iter().map(|function| operations(function.name)).collect()
}

/// The time in nanoseconds, on a clock that all processes of the machine share.
pub(super) fn now() -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the pointer is valid for one value, which the call writes: the clock exists on every Linux.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The bytes of a buffer that a rule passed to a call.
pub(super) fn buffer(address: u64, length: usize) -> Vec<u8> {
    // SAFETY: the catalog states the length of every buffer that this parameter takes, and the call read or wrote it.
    (0..length).map(|at| unsafe { (address as usize as *const u8).add(at).read() }).collect()
}

/// The calls of an inconsistent part, in words.
pub(super) fn in_words(picture: &Picture) -> String {
    let part: Vec<_> = picture.bars.iter().filter(|bar| bar.inconsistent).collect();
    let lane = |lane: u32| picture.lanes.get(lane as usize).map_or("?", String::as_str);
    let bar =
        |bar: &&Bar| format!("{} {} = {}", lane(bar.lane), bar.call, bar.answer.as_deref().unwrap_or("(not returned)"));
    let mut calls: Vec<String> = part.iter().take(LISTED).map(bar).collect();
    if part.len() > LISTED {
        calls.push(format!("{} more", part.len() - LISTED));
    }
    let before: Vec<String> = picture.before.iter().map(|state| format!("before: {state}")).collect();
    let order = format!("no order of {} of {} calls is allowed", part.len(), picture.calls);
    format!("{order}: {}", before.into_iter().chain(calls).collect::<Vec<_>>().join("; "))
}

/// A number for a text (FNV-1a).
pub(super) fn digest(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
