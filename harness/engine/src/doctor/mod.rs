//! The common part of every runtime's doctor, which checks if a machine can run the suite and explains why not.
//!
//! - [`Doctor`] is a runtime's part: the places to examine, and queries of its libraries in a separate process.
//! - [`HostMachine`] is the source of all facts: files below a root, variables, tools, child processes with a time limit.
//! - [`Examination`] is the result: findings, each with advice; the places examined; a verdict.
//! - [`MachineHealth`] is a check that a run repeats: the present faults of each device.

mod child;
mod finding;
mod health;
mod machine;
mod page;

use std::path::PathBuf;

use catalog::Rules;
use record::Fingerprint;

pub use child::{ChildAnswer, End, ask};
pub use finding::{Certainty, Device, EXAMINATION_FORMAT, Examination, Finding, Look, Severity, Verdict, Version};
pub use health::{DeviceHealth, Fault, MachineHealth};
pub use machine::{HostMachine, Identity, Node, NodeKind};
pub use page::page;

/// Answers a query, given as words, in a separate process, which may crash or hang. Each call of the second argument
/// prints a line of the answer.
pub type Answering = fn(&[String], &mut dyn FnMut(&str));

/// A runtime's doctor: an entry of the registry.
#[derive(Debug)]
pub struct Doctor {
    /// Examines the machine and records findings. It opens no device.
    pub examine: fn(&HostMachine, &Patient<'_>, &mut Examination),
    /// Answers a query.
    pub answer: Answering,
    /// Explains the runtime's codes and messages in the output of a probe.
    pub explain: fn(&HostMachine, &str, &mut Examination),
    /// Identifies the devices that the runtime numbers in a process with these variables. It opens no device.
    pub identify: fn(&HostMachine) -> Fingerprint,
    /// Examines the health of all devices. It opens no device.
    pub health: fn(&HostMachine) -> MachineHealth,
    /// The rules that a probe runs: together they set up a device, allocate, copy, synchronize and free.
    pub probe: &'static [&'static str],
}

/// The subject of an examination.
#[derive(Debug)]
pub struct Patient<'a> {
    /// The catalog: libraries, products, and the rules that apply to each.
    pub rules: &'a Rules,
    /// The library that a run would test; `None`: there is none.
    pub library: Option<PathBuf>,
    /// The product that the user gave; `None`: the one that the device reports.
    pub product: Option<String>,
}
