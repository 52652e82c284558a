//! Whether a machine can run the suite, and why not: what every runtime's doctor shares.
//!
//! - [`Doctor`] is what a runtime brings: where it looks, and what it asks its libraries in a process of its own.
//! - [`Machine`] is where all of it comes from: files below a root, variables, tools, children with a timer.
//! - [`Examination`] is what comes out: findings, each with its next action; what was looked at; a verdict.
//! - [`MachineHealth`] is what a run looks at again and again: what is wrong with each device right now.

mod child;
mod finding;
mod health;
mod machine;
mod page;

use std::path::PathBuf;

use catalog::Rules;
use record::Fingerprint;

pub use child::{Answer, End, ask};
pub use finding::{Certainty, Device, EXAMINATION_FORMAT, Examination, Finding, Look, Severity, Verdict, Version};
pub use health::{DeviceHealth, Fault, MachineHealth};
pub use machine::{Identity, Machine, Node, NodeKind};
pub use page::page;

/// Answers a question, given in words, in a process of its own, which may crash or hang: each line that is said is a line
/// of the answer.
pub type Answering = fn(&[String], &mut dyn FnMut(&str));

/// What a runtime's doctor is: an entry of the registry.
#[derive(Debug)]
pub struct Doctor {
    /// Looks at the machine, and writes down what it finds. It opens no device.
    pub examine: fn(&Machine, &Patient<'_>, &mut Examination),
    /// Answers a question.
    pub answer: Answering,
    /// Says what a text means that a probe left: codes and messages of the runtime.
    pub explain: fn(&Machine, &str, &mut Examination),
    /// Identifies the devices that the runtime counts in a process with these variables. It opens no device.
    pub identify: fn(&Machine) -> Fingerprint,
    /// Looks at the health of all devices. It opens no device.
    pub health: fn(&Machine) -> MachineHealth,
    /// The rules that a probe runs: together they set a device up, allocate, copy, synchronize and free.
    pub probe: &'static [&'static str],
}

/// Whom the doctor is asked about.
#[derive(Debug)]
pub struct Patient<'a> {
    /// The catalog: libraries, products, what applies to each.
    pub rules: &'a Rules,
    /// The runtime's library that would be tested; `None`: there is none.
    pub library: Option<PathBuf>,
    /// The product that was named; `None`: what the device says it is.
    pub product: Option<String>,
}
