//! The number of times that the life cycle and rules have selected each device in this process.
//!
//! A runtime counts selections, and may wait when a process ends if its devices were released fewer times than they
//! were selected. The life cycle determines which functions select and release a device: those whose only argument
//! is the process's device.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use abi::Function;
use steps::Program;
use steps::program::{Argument, Call, Expression};
use steps::types::wrap;
use steps::walk::Node;

use catalog::{LifeCycleProgram, Rules, Section};

use super::python::Entry;

/// The effect of a successful call on its device's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Selects,
    Releases,
}

/// The function that releases a device, the function's place, and its answer on success.
type ReleaseCall = (&'static Function, Entry, i128);

/// The devices selected in this process.
#[derive(Debug, Default)]
pub(super) struct Selections {
    selecting: Option<&'static str>,
    releasing: Option<&'static str>,
    release: Option<ReleaseCall>,
    /// The counts, by the device number used in calls.
    counts: Mutex<BTreeMap<u64, u64>>,
}

// SAFETY: the address belongs to a function in a library that stays loaded.
unsafe impl Send for Selections {}
// SAFETY: as above; only the counts change, and a lock protects them.
unsafe impl Sync for Selections {}

impl Selections {
    /// Creates a state without selections. If the life cycle does not select a device with such a function, nothing is
    /// ever counted. `entry` returns a function's place.
    pub(super) fn new(
        life: &LifeCycleProgram,
        rules: &Rules,
        entry: impl FnOnce(&'static Function) -> Option<Entry>,
    ) -> Arc<Selections> {
        let selecting = about_device(life, Section::DeviceUp);
        let releasing = about_device(life, Section::DeviceDown);
        let (Some(selecting), Some(releasing)) = (selecting, releasing) else { return Arc::default() };
        let results = &rules.environment.results;
        let codes = results.position(releasing.returns).and_then(|position| results.0.get(position));
        let release = entry(releasing).zip(codes.map(|codes| codes.success));
        Arc::new(Selections {
            selecting: Some(selecting.name),
            releasing: Some(releasing.name),
            release: release.map(|(entry, success)| (releasing, entry, success)),
            counts: Mutex::default(),
        })
    }

    /// A function's effect.
    pub(super) fn effect(&self, function: &str) -> Option<Effect> {
        match function {
            name if self.selecting == Some(name) => Some(Effect::Selects),
            name if self.releasing == Some(name) => Some(Effect::Releases),
            _ => None,
        }
    }

    /// Counts a successful call.
    pub(super) fn note(&self, effect: Effect, device: u64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(device).or_default();
        *count = match effect {
            Effect::Selects => count.saturating_add(1),
            Effect::Releases => count.saturating_sub(1),
        };
    }

    /// Releases each device until only the life cycle's selections remain: one selection for `kept`, and none for other
    /// devices.
    pub(super) fn settle(&self, kept: Option<u64>) {
        let Some((function, entry, success)) = self.release else { return };
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (device, count) in counts {
            let usual = u64::from(kept == Some(device));
            for _ in usual..count {
                // SAFETY: the function's only argument is a device's number, as in every counted call.
                let answer = unsafe { entry.call(function, &[device]) };
                let released = answer.is_ok_and(|answer| wrap(function.returns, i128::from(answer)) == success);
                if !released {
                    // Another call, such as a reset that ignores the number of selections, has already released the
                    // device.
                    break;
                }
            }
            if count > usual {
                self.counts.lock().unwrap_or_else(PoisonError::into_inner).insert(device, usual);
            }
        }
    }
}

/// The first function in a section whose only argument is the process's device.
fn about_device(life: &LifeCycleProgram, section: Section) -> Option<&'static Function> {
    let Program { statements, functions, .. } = &life.program;
    let mut blocks: Vec<&[_]> = vec![std::slice::from_ref(statements.get(life.block(section)?)?)];
    let mut found = None;
    let mut note = |call: &Call| {
        if let [Argument::Value { value: Expression::OwnDevice, .. }] = call.arguments.as_slice() {
            found = found.or(functions.get(call.function).copied());
        }
    };
    while let Some(block) = blocks.pop() {
        for statement in block {
            blocks.extend(statement.kind.blocks());
            statement.kind.walk(&mut |node| {
                if let Node::Call(call) = node {
                    note(call);
                }
            });
        }
    }
    found
}
