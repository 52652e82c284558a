//! The reasons why there is no target to test.

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
use simulator_contract::{DENY, environment};

/// The reason why there is no target to test: an option, the runtime, a device, or the machine.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TargetError {
    #[error("--sim run-mode={given}: {}", modes(.known))]
    RunMode { given: String, known: Vec<String> },
    #[error("--devices 0: a run needs at least one device; give 1 or more")]
    ZeroDevices,
    #[error("--devices {wanted}: the simulated machine has at most {most}; give {most} or fewer")]
    TooManyDevices { wanted: u32, most: u32 },
    #[error(
        "--devices {wanted}: the runtime reports {are}; give {are} or fewer, or find the others with `atlas-cts doctor`"
    )]
    TooFewDevices { wanted: u32, are: u32 },
    #[error("--tune without-axiom={id}: unknown axiom `{id}`{hint}; axioms.yaml lists them")]
    UnknownAxiom { id: String, hint: String },
    #[error("--defect {name}: unknown defect{hint}; `atlas-cts simulator --list` lists all")]
    UnknownDefect { name: String, hint: String },
    #[error("--defect {name}: unknown function `{function}`{hint}")]
    UnknownDenied { name: String, function: String, hint: String },
    #[error("--defect {name}: `{function}` returns no code, so it cannot refuse a call")]
    NoCode { name: String, function: String },
    #[error("--sim edition={edition}: known editions are {}", .known.join(", "))]
    UnknownEdition { edition: String, known: &'static [&'static str] },
    #[error("--sim edition={edition}: `{library}` is not a library whose version api.yaml queries{hint}")]
    UnversionedLibrary { edition: String, library: String, hint: String },
    #[error("{option} configures the simulated device, but another library is under test; omit one of them")]
    Elsewhere { option: &'static str },
    #[error("/proc {why}, but the processes of a run need it; mount it: mount -t proc proc /proc")]
    NoProc { why: &'static str },
    #[error(
        "this user can start {free} more threads under the limit of {limit}, but a run may need {needed}, and rules \
         would blame the library; raise the limit on processes (ulimit -u, or the container's)"
    )]
    Threads { free: usize, needed: usize, limit: u64 },
    /// The run needs a file that cannot be read.
    #[error("{what}: {source}")]
    Unreadable { what: String, source: io::Error },
    #[error("cannot create a folder for a simulated machine: {source}{}", room_for_files(.source))]
    NoMachine { source: io::Error },
    /// No worker could be started.
    #[error("{library}: {error}")]
    Start { library: String, error: StartError },
    #[error("{library}: unexpected reply {reply}")]
    Reply { library: String, reply: String },
    #[error("{library}: while the runtime was queried, {end}")]
    Query { library: String, end: WorkerEnd },
    #[error("--backend device: {library} is the simulated device; give the runtime's own library")]
    NoDevice { library: String },
    #[error("{library}: the runtime reports no devices; `atlas-cts doctor` may show why")]
    NoDevices { library: String },
    #[error("the runtime does not report its product ({reason}); name it with --product ID")]
    ProductUnanswered { reason: String },
    #[error("api.yaml has no query for the product; name it with --product ID")]
    NoProductQuery,
    #[error(
        "the device reports `{reported}`, which is {found}, but --product is {wanted}; give --product {found} or auto"
    )]
    OtherProduct { reported: String, found: String, wanted: String },
    #[error(
        "the device reports `{reported}`, which matches no product in products.yaml; \
         name the product family with --product, one of {}, and add this name to products.yaml",
        known.join(", ")
    )]
    ProductUnknown { reported: String, known: Vec<String> },
    /// Some devices failed the gate.
    #[error(
        "{}{}; fix them (`atlas-cts doctor --probe` may find the cause), or use them anyway with ATLAS_CTS_SKIP_GATE=1",
        describe_lost(.out),
        if *.left > 0 { format!("; --tune min-devices requires {least}, and {left} can be used") } else { String::new() }
    )]
    DevicesOut { least: usize, left: usize, out: Vec<DeviceOut> },
    /// All devices that the runtime reports work, but there are fewer than required.
    #[error(
        "--tune min-devices={least}: {}; find the others with `atlas-cts doctor`, or require fewer",
        if *.left == 1 { "only one device works".to_owned() } else { format!("only {left} devices work") }
    )]
    TooFewWork { least: usize, left: usize },
    /// The lock folder or a lock file cannot be used.
    #[error(
        "{path}: {source}; devices are not used without locks: fix this, or set ATLAS_CTS_LOCKS to a folder that \
         all users of the devices can write to"
    )]
    LockFile { path: PathBuf, source: io::Error },
    /// The run was interrupted before it started.
    #[error("{signal}: stopped while waiting for device {device}; no rule has run")]
    Interrupted { signal: &'static str, device: u32 },
    #[error(
        "device {device} is in use by another run: {path} is still held by {holder} after {seconds} s; wait longer \
         with --tune lock-wait=SECONDS"
    )]
    Locked { device: u32, holder: String, path: PathBuf, seconds: u64 },
}

fn describe_lost(out: &[DeviceOut]) -> String {
    let out = out.iter().map(|out| format!("device {} does not work: {}", out.device, out.reason));
    out.collect::<Vec<_>>().join("; ")
}

fn modes(known: &[String]) -> String {
    if known.is_empty() {
        return "this runtime has no run modes; omit it".to_owned();
    }
    let known: Vec<String> = known.iter().map(|mode| format!("`{mode}`")).collect();
    format!("known modes are {}", known.join(" and "))
}

impl TargetError {
    /// The command's exit status.
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
            | TargetError::UnversionedLibrary { .. }
            | TargetError::Elsewhere { .. } => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

/// The editions that `--sim edition` names, as the simulated device reads them: `12.9` for every library, or
/// `driver=13.0,tools=12.9` with the first library before the others.
pub(super) fn simulated_edition(given: &str, runtime: &Runtime, rules: &Rules) -> Result<String, TargetError> {
    let known = runtime.simulated.as_ref().map_or(&[][..], |device| device.editions);
    let libraries: Vec<&str> = std::iter::once(rules.libraries.first())
        .chain(rules.libraries.versioned().map(|(_, library)| library))
        .map(|library| library.id.as_str())
        .collect();
    for part in given.split(',').map(str::trim) {
        let (library, edition) =
            part.split_once('=').map_or((None, part), |(library, edition)| (Some(library), edition));
        if let Some(library) = library.filter(|library| !libraries.contains(library)) {
            let hint = hint(library, libraries.iter().copied());
            return Err(TargetError::UnversionedLibrary {
                edition: given.to_owned(),
                library: library.to_owned(),
                hint,
            });
        }
        if !known.contains(&edition) {
            return Err(TargetError::UnknownEdition { edition: edition.to_owned(), known });
        }
    }
    if !given.contains('=') {
        return Ok(given.to_owned());
    }
    let newest = known.last().copied().unwrap_or_default();
    let edition = |library: &&str| environment::edition_of(given, library).unwrap_or(newest);
    let [first] = libraries.as_slice() else {
        let named = libraries.iter().map(|library| format!("{library}={}", edition(library)));
        return Ok(named.collect::<Vec<_>>().join(","));
    };
    Ok(edition(first).to_owned())
}

/// Checks that the catalog has an axiom with this id.
pub(super) fn check_axiom(id: &str, rules: &Rules) -> Result<(), TargetError> {
    let known = || rules.axioms.iter().map(|axiom| axiom.id.as_str());
    match known().any(|known| known == id) {
        true => Ok(()),
        false => Err(TargetError::UnknownAxiom { id: id.to_owned(), hint: hint(id, known()) }),
    }
}

/// Checks that `--defect NAME` names a switch of the simulated device, or a function that the device can deny.
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
    let module = || runtime.simulated.iter().filter_map(|device| device.module.as_ref());
    let of_module = || module().flat_map(|module| module.switches()).map(|switch| switch.name);
    let of_device = || runtime.simulated.iter().flat_map(|device| device.switches()).map(|defect| defect.name);
    let known = || of_device().chain(of_module());
    if known().any(|known| known == name) {
        return Ok(());
    }
    Err(TargetError::UnknownDefect { name: name_of(), hint: similar(name, known()) })
}

/// The number of names that a hint lists.
const LISTED: usize = 4;

/// A hint for an unknown name: the names that begin with it or, if there are none, a similar name.
fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let longer: Vec<&str> = known.iter().copied().filter(|known| !name.is_empty() && known.starts_with(name)).collect();
    let listed: Vec<String> = longer.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    match longer.len() {
        0 => hint(name, known),
        1 => format!("; did you mean {}?", listed[0]),
        more if more > LISTED => format!("; {more} names begin with it: {}, …", listed.join(", ")),
        _ => format!("; these names begin with it: {}", listed.join(", ")),
    }
}
