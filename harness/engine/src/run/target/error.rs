//! Why there is nothing to test.

use std::fmt;
use std::io;
use std::path::PathBuf;

use steps::suggest::hint;

use crate::catalog::Rules;
use crate::run::exit::ExitStatus;
use crate::runtime::Runtime;
use crate::workers::{StartError, WorkerEnd};
use simulator_contract::DENY;

/// What is in the way of testing: the options, the runtime, a device, the machine.
#[derive(Debug)]
#[non_exhaustive]
pub enum TargetError {
    /// `--run-mode` names none of the runtime's.
    RunMode { given: String, known: Vec<String> },
    /// `--devices 0`.
    ZeroDevices,
    /// More devices are asked for than there are.
    TooFewDevices { wanted: u32, are: u32 },
    /// `--defect` names nothing that can be switched on.
    UnknownDefect { name: String, hint: String },
    /// A function is to be denied that the header does not declare.
    UnknownDenied { name: String, function: String, hint: String },
    /// A function is to be denied that cannot refuse.
    NoCode { name: String, function: String },
    /// Defects are those of the simulated device, and another library is tested.
    DefectsElsewhere,
    /// A file that the run needs cannot be read.
    Unreadable { what: String, source: io::Error },
    /// There is no folder for the state of a simulated machine.
    NoMachine { source: io::Error },
    /// No worker could be set up.
    Start { library: String, error: StartError },
    /// A worker answered something else.
    Reply { library: String, reply: String },
    /// The worker ended while the runtime was asked.
    Asked { library: String, end: WorkerEnd },
    /// A real device was asked for.
    NoDevice { library: String },
    /// The runtime reports that it has none.
    NoDevices { library: String },
    /// The runtime does not say which product it is.
    ProductUnanswered { reason: String },
    /// The catalog has no question for the product.
    NoProductQuery,
    /// The device is another product.
    OtherProduct { reported: String, found: String, wanted: String },
    /// The catalog does not know the name that the device reports.
    ProductUnknown { reported: String },
    /// The folder of the locks, or a lock file, cannot be used.
    LockFile { path: PathBuf, source: io::Error },
    /// Another run uses a device, and did so all the time that was waited.
    Locked { device: u32, holder: String, path: PathBuf, seconds: u64 },
}

impl TargetError {
    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            TargetError::RunMode { .. }
            | TargetError::ZeroDevices
            | TargetError::TooFewDevices { .. }
            | TargetError::UnknownDefect { .. }
            | TargetError::UnknownDenied { .. }
            | TargetError::NoCode { .. }
            | TargetError::DefectsElsewhere => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetError::RunMode { given, known } if known.is_empty() => {
                write!(f, "--run-mode {given}: this runtime has no run modes; leave it out")
            }
            TargetError::RunMode { given, known } => {
                let known: Vec<String> = known.iter().map(|mode| format!("`{mode}`")).collect();
                write!(f, "--run-mode {given}: there are {}", known.join(" and "))
            }
            TargetError::ZeroDevices => f.write_str("--devices 0: a run needs at least one device"),
            TargetError::TooFewDevices { wanted, are } => write!(f, "--devices {wanted}: the runtime reports {are}"),
            TargetError::UnknownDefect { name, hint } => {
                write!(f, "--defect {name}: there is no such defect{hint}; `atlas-cts simulator --list` names all")
            }
            TargetError::UnknownDenied { name, function, hint } => {
                write!(f, "--defect {name}: `{function}` is not in the header{hint}")
            }
            TargetError::NoCode { name, function } => {
                write!(f, "--defect {name}: `{function}` does not answer with a code, so that it cannot refuse")
            }
            TargetError::DefectsElsewhere => f.write_str(
                "--defect changes the simulated device, but another library is tested; leave one of them out",
            ),
            TargetError::Unreadable { what, source } => write!(f, "{what}: {source}"),
            TargetError::NoMachine { source } => write!(f, "no folder for a simulated machine: {source}"),
            TargetError::Start { library, error } => write!(f, "{library}: {error}"),
            TargetError::Reply { library, reply } => write!(f, "{library}: unexpected reply {reply}"),
            TargetError::Asked { library, end } => {
                write!(f, "{library}: while the runtime was asked what it is, {end}")
            }
            TargetError::NoDevice { library } => {
                write!(f, "--backend device: {library} is the simulated device; give the runtime's own library")
            }
            TargetError::NoDevices { library } => write!(f, "{library}: the runtime reports no device"),
            TargetError::ProductUnanswered { reason } => {
                write!(f, "the runtime does not say which product it is ({reason}); name it with --product ID")
            }
            TargetError::NoProductQuery => {
                f.write_str("api.yaml has no query for the product; name it with --product ID")
            }
            TargetError::OtherProduct { reported, found, wanted } => {
                write!(f, "the device reports `{reported}`, which is {found}, but --product {wanted} was asked for; ")?;
                write!(f, "give --product {found} or auto")
            }
            TargetError::ProductUnknown { reported } => {
                write!(f, "the device reports `{reported}`, which no product of products.yaml matches; ")?;
                f.write_str("name the family with --product ID, and add the name there")
            }
            TargetError::LockFile { path, source } => {
                write!(
                    f,
                    "{}: {source}; without its lock no device is used: mend that, or name a folder ",
                    path.display()
                )?;
                f.write_str("that all who use the devices can write with --lock-dir DIR")
            }
            TargetError::Locked { device, holder, path, seconds } => {
                let path = path.display();
                write!(
                    f,
                    "device {device} is in use by another run: {path} is held by {holder}, also after {seconds} s; "
                )?;
                f.write_str("wait for it to end, longer with --lock-wait SECONDS")
            }
        }
    }
}

impl std::error::Error for TargetError {}

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
