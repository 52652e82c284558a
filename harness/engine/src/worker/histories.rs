//! Records the calls that belong to a history, and looks for an order that the history's model allows.

use std::mem::MaybeUninit;

use abi::Type;
use catalog::{HistoryCall, Origin, Rules};
use history::{Examined, Picture, Record, examine};
use steps::Id;
use steps::builtins::Builtin;
use steps::program::{Expression, Program};
use steps::walk::Node;

use super::evaluate::c_text;
use super::execution::{Execution, typed};
use super::fault::{Fault, Stop};
use crate::wire::message::SeenCall;

/// The most calls that a case records.
const MOST: usize = 20_000;
/// The largest number of configurations that a search visits in each independent part of a history.
const BUDGET: u64 = 1_000_000;
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

impl Execution<'_> {
    /// True if calls of the function are recorded.
    pub(super) fn records(&self, function: usize) -> bool {
        !self.prepared.recorded[function].is_empty()
    }

    /// Records a call that returned.
    pub(super) fn record(&mut self, function: usize, arguments: &[u64], succeeded: bool, times: [u64; 2]) {
        for (position, number) in &self.prepared.recorded[function] {
            if self.seen.len() >= MOST {
                return;
            }
            let call = &self.prepared.rules.histories[*position].calls[*number];
            let record = self.record_of(call, arguments, succeeded, times);
            self.note_seen(SeenCall { history: *position, record });
        }
    }

    /// Adds a call to the case, and to what the other processes will receive.
    pub(super) fn note_seen(&mut self, call: SeenCall) {
        if self.turns.is_some() {
            self.unsent.push(call.clone());
        }
        self.seen.push(call);
    }

    fn record_of(&self, call: &HistoryCall, arguments: &[u64], succeeded: bool, [invoked, at]: [u64; 2]) -> Record {
        let value = |origin: Origin| match origin {
            Origin::Actor => Some(self.performer.index() as u64),
            Origin::Process => Some(self.prepared.process as u64),
            Origin::Number(number) => Some(number),
            Origin::Argument(argument) => arguments.get(argument).copied(),
            Origin::Pointee { argument, ty, output } => {
                arguments.get(argument).filter(|at| **at != 0 && (succeeded || !output)).map(|at| self.pointee(*at, ty))
            }
            Origin::Text { argument, bytes, output } => {
                let at = *arguments.get(argument).filter(|at| **at != 0 && (succeeded || !output))?;
                match bytes {
                    Some(bytes) => Some(digest(&buffer(at, bytes as usize))),
                    None => c_text(i128::from(at)).map(|text| digest(&text)),
                }
            }
        };
        let values = call.roles.iter().filter_map(|(role, origin)| Some((*role, value(*origin)?))).collect();
        let returned = Some((succeeded, at));
        Record { actor: self.performer.index(), operation: call.operation.to_owned(), values, invoked, returned }
    }

    fn pointee(&self, address: u64, ty: Type) -> u64 {
        let size = self.prepared.rules.environment.declarations.size(ty).min(8);
        let mut bytes = [0u8; 8];
        // SAFETY: the rule passed this pointer to a call that succeeded, or that only reads through it, so a value of
        // this type is there.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(address as usize as *const u8, size) };
        typed(ty, u64::from_le_bytes(bytes)) as u64
    }

    /// Looks for an order of the calls that the case recorded for a history.
    pub(super) fn linear(&mut self, position: i128) -> Result<i128, Stop> {
        let history = usize::try_from(position).ok().and_then(|position| self.prepared.rules.histories.get(position));
        let history = history.ok_or(Fault::NoValue)?;
        if self.seen.len() >= MOST {
            return Err(Fault::LongHistory { name: history.name.clone(), most: MOST }.into());
        }
        let calls = self.seen.iter().filter(|call| i128::try_from(call.history) == Ok(position));
        let records: Vec<Record> = calls.map(|call| call.record.clone()).collect();
        let lanes: Vec<String> = self.prepared.program.actors.iter().map(|actor| actor.name.clone()).collect();
        match examine(history.kind, &records, &lanes, BUDGET).map_err(|misfit| Fault::Misfit(misfit.to_string()))? {
            Examined::Consistent => Ok(1),
            Examined::Undecided => Err(Fault::Undecided { name: history.name.clone(), calls: records.len() }.into()),
            Examined::Inconsistent(mut picture) => {
                picture.name.clone_from(&history.name);
                history.kind.name().clone_into(&mut picture.model);
                self.inconsistent = Some(picture);
                Ok(0)
            }
        }
    }
}

/// The bytes of a buffer that a rule passed to a call.
fn buffer(address: u64, length: usize) -> Vec<u8> {
    // SAFETY: the catalog states the length of every buffer that this parameter takes, and the call read or wrote it.
    (0..length).map(|at| unsafe { (address as usize as *const u8).add(at).read() }).collect()
}

/// The calls of an inconsistent part, in words.
pub(super) fn in_words(picture: &Picture) -> String {
    let part: Vec<_> = picture.bars.iter().filter(|bar| bar.inconsistent).collect();
    let lane = |lane: u32| picture.lanes.get(lane as usize).map_or("?", String::as_str);
    let bar = |bar: &&history::Bar| {
        format!("{} {} = {}", lane(bar.lane), bar.call, bar.answer.as_deref().unwrap_or("(not returned)"))
    };
    let mut calls: Vec<String> = part.iter().take(LISTED).map(bar).collect();
    if part.len() > LISTED {
        calls.push(format!("{} more", part.len() - LISTED));
    }
    let before: Vec<String> = picture.before.iter().map(|state| format!("before: {state}")).collect();
    let order = format!("no order of {} of {} calls is allowed", part.len(), picture.calls);
    format!("{order}: {}", before.into_iter().chain(calls).collect::<Vec<_>>().join("; "))
}

/// A number for a text (FNV-1a).
fn digest(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
