//! The part that all runtimes' doctors share. A doctor checks whether a machine can run the suite and, if the machine
//! cannot, explains the reason.
//!
//! - [`Doctor`] is a runtime's part: the places to examine, and queries of the runtime's libraries in a separate
//!   process.
//! - [`HostMachine`] is the source of all facts: files below a root, variables, tools, child processes with a time limit.
//! - [`Tool`] is a vendor's tool, queried until it hangs.
//! - [`Examination`] is the result: findings with advice, the examined places, and a verdict.
//! - [`MachineHealth`] is the result of a check that a run repeats: the current faults of each device.

mod child;
mod finding;
mod health;
mod machine;
mod page;
mod tool;

use std::path::PathBuf;

use catalog::Rules;
use record::Fingerprint;

pub use child::{ChildAnswer, End, ask};
pub use finding::{Certainty, Device, EXAMINATION_FORMAT, Examination, Finding, Look, Severity, Verdict, Version};
pub use health::{DeviceHealth, Fault, MachineHealth};
pub use machine::{HostMachine, Identity, Node, NodeKind};
pub use page::page;
pub use tool::Tool;

/// Answers a query, given as words, in a separate process, which may crash or hang. Each call of the second argument
/// prints one line of the answer.
pub type Answering = fn(&[String], &mut dyn FnMut(&str));

/// A runtime's doctor, as a registry entry.
#[derive(Debug)]
pub struct Doctor {
    /// Examines the machine and records findings, without opening a device.
    pub examine: fn(&HostMachine, &Patient<'_>, &mut Examination),
    /// Answers a query.
    pub answer: Answering,
    /// Explains the runtime's codes and messages in a probe's output.
    pub explain: fn(&HostMachine, &str, &mut Examination),
    /// Identifies the devices to which the runtime gives numbers in a process with these variables, without opening a
    /// device.
    pub identify: fn(&HostMachine) -> Fingerprint,
    /// Examines the health of all devices, without opening a device.
    pub health: fn(&HostMachine) -> MachineHealth,
    /// Advice in the language in use, to be continued with "or".
    pub advise: fn(Advice) -> &'static str,
    /// The rules that a probe runs: together they set up a device, allocate, copy, synchronize and free.
    pub probe: &'static [&'static str],
}

/// A problem with the runtime's library for which each runtime has different advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// The library was not found.
    Installation,
    /// Another library that the library needs was not found.
    Dependency,
}

/// The subject of an examination.
#[derive(Debug)]
pub struct Patient<'a> {
    /// The catalog: libraries, products, and the rules that apply to each.
    pub rules: &'a Rules,
    /// The library that a run would test, if there is one.
    pub library: Option<PathBuf>,
    /// The product given by the user; `None` for the product that the device reports.
    pub product: Option<String>,
}
