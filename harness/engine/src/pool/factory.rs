//! Starts workers: loads their library, prepares them, and handles failed starts.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::case::{FailedCall, Trouble};
use crate::wire::message::{Reply, Request, Start, Started};
use crate::wire::{FILES, advice};
use catalog::Rules;
use catalog::book::encode_head;
use catalog::digest::hex;
use record::{Retry, RetryCause, StartReason, Verdict};
use steps::program::{Readiness, Sight};
use thiserror::Error;

use super::child::{Deadlines, WorkerProcess};
use super::end::WorkerEnd;
use super::library::LibraryFiles;
use super::machines::MachineFolder;
use super::python::PythonSetUp;
use super::quarantine::{Place, Quarantine};
use super::remarks::Remarks;
use super::simulated::{MACHINE, SimulatedMachine};
use super::stacks::Stacks;
use super::starts::StartCount;
use super::visible;

/// The configuration shared by all workers in a run.
#[derive(Debug)]
pub struct Factory {
    pub runtime: String,
    pub executable: PathBuf,
    /// The catalog folder; `None` for the embedded catalog.
    pub specs: Option<PathBuf>,
    /// The catalog without its rules, in hexadecimal.
    pub head: Arc<str>,
    /// The product, if known. The product's life cycle prepares workers.
    pub product: String,
    pub libraries: LibraryFiles,
    /// The embedded simulated device, which is configured by its environment.
    pub simulated: Option<SimulatedMachine>,
    pub deadlines: Deadlines,
    /// The Python module through which calls are made; `None` for calls in C.
    pub python: Option<PythonSetUp>,
    /// The number of bytes that a worker may use in addition to its memory after start-up; `None` for no limit.
    pub memory: Option<u64>,
    /// True if the memory of a case becomes inaccessible when the case has ended.
    pub fenced_memory: bool,
    /// The number of started workers, by reason.
    pub starts: StartCount,
    /// The largest number of a worker so far; in a resumed run, also of those before.
    pub numbers: AtomicU64,
    /// The total start-up time of the workers, in nanoseconds.
    pub start_up: AtomicU64,
    pub quarantine: Quarantine,
    /// The variable that lists a process's visible devices.
    pub visible: Option<String>,
    /// Variables of workers, unless the user has set them.
    pub variables: Vec<(String, String)>,
    pub remarks: Arc<Remarks>,
    /// Starts that were retried.
    pub retries: Mutex<Vec<Retry>>,
    /// The longest time without progress after which a worker recovered, in milliseconds.
    pub longest: Arc<AtomicU64>,
    /// True if a worker was lost while its library was queried for an error text.
    pub mute: Arc<AtomicBool>,
    /// The stacks of lost workers.
    pub stacks: Arc<Stacks>,
}

/// The minimum deadline for a call that has hung before.
const BRIEF: Duration = Duration::from_secs(2);

/// The parameters for preparing a worker.
#[derive(Debug, Clone, Copy)]
pub struct SetUp<'a> {
    pub state: Readiness,
    pub device: u32,
    pub reason: StartReason,
    /// True if the runtime is started in this process, either during preparation or by the rule.
    pub runtime: bool,
    /// The devices that the process sees.
    pub sight: &'a Sight,
}

impl<'a> SetUp<'a> {
    /// Parameters for a process in which the rule does not start the runtime itself.
    pub fn new(state: Readiness, device: u32, reason: StartReason) -> SetUp<'a> {
        SetUp { state, device, reason, runtime: state != Readiness::Loaded, sight: &Sight::Rule }
    }
}

/// The reason why a worker did not start.
#[derive(Debug, Clone, Error)]
pub enum StartError {
    /// The machine lacks a resource, or the suite failed.
    #[error("cannot start a worker process: {0}")]
    Environment(String),
    /// The worker refused to start and reported the reason.
    #[error("cannot set up the runtime: {}", .0.message)]
    Refused(Trouble),
    /// The worker exited or hung. The text is the library's output.
    #[error("while the runtime was being set up, {}{}", .0, printed(.1))]
    Ended(WorkerEnd, String),
    /// The catalog or the library no longer matches the header.
    #[error("{0}")]
    Changed(String),
    /// The simulated machine's folder is gone.
    #[error("{0}")]
    Vanished(String),
    /// Too many starts failed on this device.
    #[error("{}", .0.message)]
    Quarantined(Trouble),
    /// A retry failed as well.
    #[error("{0} (after one retry)")]
    Again(Box<StartError>),
}

fn printed(output: &str) -> String {
    if output.trim().is_empty() { String::new() } else { format!("; it printed: {}", output.trim()) }
}

impl StartError {
    /// The verdict for the rule that needed the worker.
    pub fn verdict(&self) -> Verdict {
        match self {
            StartError::Ended(..) => Verdict::DeviceLost,
            StartError::Again(error) => error.verdict(),
            _ => Verdict::Error,
        }
    }

    /// True if the runtime did not answer in time.
    pub fn hung(&self) -> bool {
        match self {
            StartError::Ended(end, _) => matches!(end, WorkerEnd::Hung(_) | WorkerEnd::Stuck(_)),
            StartError::Again(error) => error.hung(),
            _ => false,
        }
    }

    /// True if the machine lacks a resource. Rules' results at this time then reveal nothing about the library.
    pub fn is_shortage(&self) -> bool {
        match self {
            StartError::Environment(_) => true,
            StartError::Again(error) => error.is_shortage(),
            _ => false,
        }
    }

    /// The life-cycle call that failed, if any.
    pub fn call(&self) -> Option<FailedCall> {
        match self {
            StartError::Refused(trouble) | StartError::Quarantined(trouble) => trouble.call.clone(),
            StartError::Again(error) => error.call(),
            _ => None,
        }
    }
}

impl Factory {
    /// Creates a factory that has not started any workers.
    pub fn new(
        executable: PathBuf,
        rules: &Rules,
        product: String,
        specs: Option<PathBuf>,
        libraries: LibraryFiles,
        simulated: Option<SimulatedMachine>,
        deadlines: Deadlines,
    ) -> Factory {
        let known = libraries.paths().into_iter().flatten().collect();
        Factory {
            runtime: rules.runtime.clone(),
            executable,
            specs,
            head: hex(&encode_head(rules).expect("a checked catalog names only what is in its header")).into(),
            product,
            libraries,
            simulated,
            deadlines,
            python: None,
            memory: None,
            fenced_memory: false,
            starts: StartCount::default(),
            numbers: AtomicU64::new(0),
            start_up: AtomicU64::new(0),
            quarantine: Quarantine::default(),
            visible: rules.visible.clone(),
            variables: rules.variables.clone(),
            remarks: Arc::default(),
            retries: Mutex::default(),
            longest: Arc::default(),
            mute: Arc::default(),
            stacks: Arc::new(Stacks::of(known)),
        }
    }

    /// The deadline for a call that hung before: ten times the longest time without progress so far, but at least 2 s,
    /// and at most a quarter of the usual deadline or twice the longest time, whichever is greater.
    pub fn brief(&self) -> Duration {
        let longest = Duration::from_millis(self.longest.load(Ordering::Relaxed));
        let most = (self.deadlines.step / 4).max(longest.saturating_mul(2)).min(self.deadlines.step);
        longest.saturating_mul(10).min(most).max(BRIEF.min(self.deadlines.step))
    }

    /// The number of further hangs to wait for after a first hang, to learn more about the hang. For a call that hung
    /// before, the number is at most one.
    pub fn further_hangs(&self, deadline: Duration, most: u32) -> u32 {
        if deadline < self.deadlines.step { most.min(1) } else { most }
    }

    /// Starts a worker on a machine. If a start fails after other starts succeeded, the start is retried once, with a
    /// remark, unless the start hung. After several failures in a row, no more workers are started.
    pub fn start(&self, machine: &MachineFolder, set_up: SetUp<'_>) -> Result<(WorkerProcess, Started), StartError> {
        let place = Place::of(machine, set_up.device, set_up.state);
        if let Some(reason) = self.quarantine.reason(&place) {
            return Err(StartError::Quarantined(reason));
        }
        let first = match self.attempt(machine, set_up) {
            Err(error) if !matches!(error, StartError::Changed(_) | StartError::Vanished(_)) => error,
            other => return other,
        };
        let others_succeeded = self.starts.processes() > 0;
        if !others_succeeded || first.hung() || self.quarantine.reason(&place).is_some() {
            return Err(first);
        }
        let retry = Retry { cause: RetryCause::Start, rule: None, reason: first.to_string() };
        self.retries.lock().unwrap_or_else(PoisonError::into_inner).push(retry);
        match self.attempt(machine, set_up) {
            Ok(started) => {
                let text = format!("a worker started only on the second attempt: {first}");
                self.remarks.note(text, "");
                Ok(started)
            }
            Err(error @ (StartError::Changed(_) | StartError::Vanished(_))) => Err(error),
            Err(error) => Err(StartError::Again(Box::new(error))),
        }
    }

    fn attempt(&self, machine: &MachineFolder, set_up: SetUp<'_>) -> Result<(WorkerProcess, Started), StartError> {
        self.libraries.expect_same().map_err(StartError::Changed)?;
        let started = self.start_once(machine, set_up);
        let place = Place::of(machine, set_up.device, set_up.state);
        // The file is checked again, because this worker may have loaded a replaced file.
        self.libraries.expect_same().map_err(StartError::Changed)?;
        match &started {
            Ok(_) => self.quarantine.succeeded(&place),
            // A shortage on the machine reveals nothing about its device.
            Err(StartError::Changed(_) | StartError::Environment(_)) => {}
            Err(error) => {
                // The device is not to blame, and the next machine may work.
                if let Some(reason) = self.simulated.as_ref().and_then(|_| machine.vanished()) {
                    return Err(StartError::Vanished(reason));
                }
                let trouble = Trouble { message: error.to_string(), call: error.call() };
                self.quarantine.failed(place, trouble);
            }
        }
        started
    }

    /// The variable that a worker must not have, because it sees all devices.
    pub(super) fn removed(&self, sight: &Sight) -> Option<&str> {
        self.visible.as_deref().filter(|_| *sight == Sight::All)
    }

    /// The environment of a worker on a machine.
    pub(super) fn environment(&self, machine: &MachineFolder, sight: &Sight) -> Vec<(String, String)> {
        let mut environment = match &self.simulated {
            Some(simulated) => simulated.environment(&machine.path),
            // A simulated device may also be given as a library. The processes of such a device share a machine too.
            None if std::env::var_os(MACHINE).is_none() => {
                vec![(MACHINE.to_owned(), machine.path.display().to_string())]
            }
            None => Vec::new(),
        };
        if let Some(variable) = &self.visible {
            let visible = match sight {
                Sight::All => None,
                Sight::Rule => machine.visible.clone(),
                Sight::Listed(_) => {
                    let names = machine.visible.as_deref().map_or_else(|| visible::given(variable), visible::named);
                    sight.listed(&names)
                }
            };
            environment.extend(visible.map(|visible| (variable.clone(), visible)));
        }
        let unset = self.variables.iter().filter(|(name, _)| std::env::var_os(name).is_none());
        environment.extend(unset.cloned());
        environment.push((FILES.to_owned(), machine.path.display().to_string()));
        if let Some(python) = &self.python {
            environment.extend(python.environment(&self.libraries.first().path));
        }
        environment
    }

    /// The request that prepares a worker.
    pub(super) fn start_request(&self, set_up: SetUp<'_>) -> Start {
        Start {
            head: self.head.clone(),
            libraries: self.libraries.paths(),
            state: set_up.state,
            device: set_up.device,
            product: self.product.clone(),
            memory: self.memory,
            fenced_memory: self.fenced_memory,
            through: self.python.as_ref().map(|python| python.through.clone()),
            mute: self.mute.load(Ordering::Relaxed),
        }
    }

    fn start_once(&self, machine: &MachineFolder, set_up: SetUp<'_>) -> Result<(WorkerProcess, Started), StartError> {
        let environment = (self.environment(machine, set_up.sight), self.removed(set_up.sight));
        let remarks = self.remarks.clone();
        let mut worker = WorkerProcess::spawn(&self.runtime, &self.executable, environment, &machine.path, remarks)
            .map_err(|error| StartError::Environment(format!("{error}{}", advice(&error))))?;
        worker.number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        worker.longest = self.longest.clone();
        worker.mute = self.mute.clone();
        worker.stacks = self.stacks.clone();
        worker.activity = machine.activity.clone();
        let start = self.start_request(set_up);
        match worker.ask(&Request::Start(Box::new(start)), self.deadlines.start) {
            Ok(Reply::Started(started)) => {
                self.starts.note(set_up.reason, set_up.runtime);
                self.start_up.fetch_add(started.nanoseconds, Ordering::Relaxed);
                if let Some(changed) = &started.changed {
                    let text =
                        format!("during set-up, the library changed its process, and the change is kept: {changed}");
                    self.remarks.note(text, "");
                }
                for reason in &started.unloaded {
                    self.remarks.note(format!("an optional library was not loaded: {reason}"), "");
                }
                Ok((worker, started))
            }
            Ok(Reply::NotStarted(trouble)) => Err(StartError::Refused(trouble)),
            Ok(Reply::Trouble(message)) => Err(StartError::Changed(message)),
            Ok(other) => Err(StartError::Ended(WorkerEnd::Confused(format!("{other:?}")), worker.output())),
            Err(WorkerEnd::Environment(reason)) => Err(StartError::Environment(reason)),
            Err(end) => Err(StartError::Ended(end, worker.output())),
        }
    }
}
