//! Why there is nothing to test.

use std::io;
use std::path::PathBuf;

use steps::suggest::hint;
use thiserror::Error;

use crate::pool::{StartError, WorkerEnd};
use crate::run::library::room_for_files;
use crate::run::status::ExitStatus;
use crate::runtime::Runtime;
use catalog::Rules;
use record::DeviceOut;
use simulator_contract::DENY;

/// What is in the way of testing: the options, the runtime, a device, the machine.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TargetError {
    #[error("--run-mode {given}: {}", modes(.known))]
    RunMode { given: String, known: Vec<String> },
    #[error("--devices 0: a run needs at least one device; give 1 or more")]
    ZeroDevices,
    #[error("--devices {wanted}: the simulated machine has at most {most}; give {most} or fewer")]
    TooManyDevices { wanted: u32, most: u32 },
    #[error(
        "--devices {wanted}: the runtime reports {are}; give {are} or fewer, or see why the others are not counted \
         (`atlas-cts doctor`)"
    )]
    TooFewDevices { wanted: u32, are: u32 },
    #[error("--without-axiom {id}: there is no axiom `{id}`{hint}; axioms.yaml lists them")]
    UnknownAxiom { id: String, hint: String },
    #[error("--defect {name}: there is no such defect{hint}; `atlas-cts simulator --list` names all")]
    UnknownDefect { name: String, hint: String },
    #[error("--defect {name}: `{function}` is not in the header{hint}")]
    UnknownDenied { name: String, function: String, hint: String },
    #[error("--defect {name}: `{function}` does not answer with a code, so that it cannot refuse")]
    NoCode { name: String, function: String },
    #[error("--sim-edition {edition}: the simulated device plays {}", .known.join(", "))]
    UnknownEdition { edition: String, known: &'static [&'static str] },
    #[error("{option} changes the simulated device, but another library is tested; leave one of them out")]
    Elsewhere { option: &'static str },
    #[error("/proc {why}, and the processes of a run need it; mount it: mount -t proc proc /proc")]
    NoProc { why: &'static str },
    #[error(
        "this user may start {free} more threads under the limit of {limit}, and a run may need {needed}: rules would \
         blame the library for that; raise the limit of processes (ulimit -u, or the container's)"
    )]
    Threads { free: usize, needed: usize, limit: u64 },
    /// A file that the run needs cannot be read.
    #[error("{what}: {source}")]
    Unreadable { what: String, source: io::Error },
    #[error("no folder for a simulated machine: {source}{}", room_for_files(.source))]
    NoMachine { source: io::Error },
    /// No worker could be set up.
    #[error("{library}: {error}")]
    Start { library: String, error: StartError },
    #[error("{library}: unexpected reply {reply}")]
    Reply { library: String, reply: String },
    #[error("{library}: while the runtime was asked what it is, {end}")]
    Query { library: String, end: WorkerEnd },
    #[error("--backend device: {library} is the simulated device; give the runtime's own library")]
    NoDevice { library: String },
    #[error("{library}: the runtime reports no device; `atlas-cts doctor` may say why")]
    NoDevices { library: String },
    #[error("the runtime does not say which product it is ({reason}); name it with --product ID")]
    ProductUnanswered { reason: String },
    #[error("api.yaml has no query for the product; name it with --product ID")]
    NoProductQuery,
    #[error(
        "the device reports `{reported}`, which is {found}, but --product {wanted} was asked for; \
         give --product {found} or auto"
    )]
    OtherProduct { reported: String, found: String, wanted: String },
    #[error(
        "the device reports `{reported}`, which no product of products.yaml matches; \
         name the family with --product ID, and add the name there"
    )]
    ProductUnknown { reported: String },
    /// They do not do the small operation of the gate.
    #[error(
        "{}{}; see to them (`atlas-cts doctor --probe` may say why), or use them as they are with --skip-gate",
        lost(.out),
        if *.left > 0 { format!("; --min-devices asks for {least}, and {left} are left") } else { String::new() }
    )]
    DevicesOut { least: usize, left: usize, out: Vec<DeviceOut> },
    /// All that the runtime counts work.
    #[error(
        "--min-devices {least}: {}; see why the others are not counted (`atlas-cts doctor`), or ask for fewer",
        if *.left == 1 { "one device works".to_owned() } else { format!("{left} devices work") }
    )]
    TooFewWork { least: usize, left: usize },
    /// The folder of the locks, or a lock file, cannot be used.
    #[error(
        "{path}: {source}; without its lock no device is used: mend that, or name a folder that all who use the \
         devices can write with --lock-dir DIR"
    )]
    LockFile { path: PathBuf, source: io::Error },
    /// The run was asked to end before it began.
    #[error("{signal}: the run was asked to end while it waited for device {device}; nothing has run")]
    Interrupted { signal: &'static str, device: u32 },
    #[error(
        "device {device} is in use by another run: {path} is held by {holder}, also after {seconds} s; wait for it to \
         end, longer with --lock-wait SECONDS"
    )]
    Locked { device: u32, holder: String, path: PathBuf, seconds: u64 },
}

fn lost(out: &[DeviceOut]) -> String {
    let out = out.iter().map(|out| format!("device {} does not work: {}", out.device, out.reason));
    out.collect::<Vec<_>>().join("; ")
}

fn modes(known: &[String]) -> String {
    if known.is_empty() {
        return "this runtime has no run modes; leave it out".to_owned();
    }
    let known: Vec<String> = known.iter().map(|mode| format!("`{mode}`")).collect();
    format!("there are {}", known.join(" and "))
}

impl TargetError {
    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            TargetError::RunMode { .. }
            | TargetError::ZeroDevices
            | TargetError::TooManyDevices { .. }
            | TargetError::TooFewDevices { .. }
            | TargetError::UnknownAxiom { .. }
            | TargetError::UnknownDefect { .. }
            | TargetError::UnknownDenied { .. }
            | TargetError::NoCode { .. }
            | TargetError::UnknownEdition { .. }
            | TargetError::Elsewhere { .. } => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

/// Whether `--sim-edition NAME` means something.
pub(super) fn check_edition(edition: &str, runtime: &Runtime) -> Result<(), TargetError> {
    let known = runtime.simulated.as_ref().map_or(&[][..], |device| device.editions);
    let is = known.contains(&edition);
    is.then_some(()).ok_or_else(|| TargetError::UnknownEdition { edition: edition.to_owned(), known })
}

/// Whether the catalog has an axiom of this id.
pub(super) fn check_axiom(id: &str, rules: &Rules) -> Result<(), TargetError> {
    let known = || rules.axioms.iter().map(|axiom| axiom.id.as_str());
    match known().any(|known| known == id) {
        true => Ok(()),
        false => Err(TargetError::UnknownAxiom { id: id.to_owned(), hint: hint(id, known()) }),
    }
}

/// Whether `--defect NAME` means something: a switch of the simulated device, or a function that can be denied.
pub(super) fn check_switch(name: &str, runtime: &Runtime, rules: &Rules) -> Result<(), TargetError> {
    let name_of = || name.to_owned();
    if let Some(function) = name.strip_prefix(DENY) {
        let declarations = &rules.environment.declarations;
        return match declarations.function(function) {
            Some(found) if rules.environment.results.of(found.returns).is_some() => Ok(()),
            Some(_) => Err(TargetError::NoCode { name: name_of(), function: function.to_owned() }),
            None => Err(TargetError::UnknownDenied {
                name: name_of(),
                function: function.to_owned(),
                hint: hint(function, declarations.function_names()),
            }),
        };
    }
    let known = || runtime.simulated.iter().flat_map(|device| device.switches()).map(|defect| defect.name);
    if known().any(|known| known == name) {
        return Ok(());
    }
    Err(TargetError::UnknownDefect { name: name_of(), hint: hint(name, known()) })
}
