//! How workers start: with which library, how far they are set up, what becomes of a start that fails.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::case::{FailedCall, Trouble};
use crate::wire::message::{Reply, Request, Start, Started};
use crate::wire::{FILES, advice};
use catalog::Rules;
use record::{Retry, RetryCause, StartReason, Verdict};
use steps::program::Readiness;
use thiserror::Error;

use super::child::{Deadlines, WorkerProcess};
use super::end::WorkerEnd;
use super::library::LibraryFiles;
use super::machines::Machine;
use super::quarantine::{Place, Quarantine};
use super::remarks::Remarks;
use super::simulated::{MACHINE, SimulatedMachine};
use super::starts::StartCount;

/// What every worker of a run has in common.
#[derive(Debug)]
pub struct Factory {
    pub runtime: String,
    pub executable: PathBuf,
    /// Folder of the catalog; `None`: the one that the executable carries.
    pub specs: Option<PathBuf>,
    pub digest: String,
    /// The product as far as it is known: its life cycle sets workers up.
    pub product: String,
    pub libraries: LibraryFiles,
    /// The embedded simulated device, which is configured by its environment.
    pub simulated: Option<SimulatedMachine>,
    pub deadlines: Deadlines,
    /// Bytes that a worker gets beside what it has once it is set up; `None`: there is no limit.
    pub memory: Option<u64>,
    /// Pooled workers read only this chapter: in proofs, which start many for a few rules each.
    pub only: Option<String>,
    /// Workers started, by reason.
    pub starts: StartCount,
    /// The nanoseconds that their start-up took together.
    pub start_up: AtomicU64,
    pub quarantine: Quarantine,
    /// The variable that names the devices which a process sees.
    pub visible: Option<String>,
    pub remarks: Arc<Remarks>,
    /// Starts that were tried once more.
    pub retries: Mutex<Vec<Retry>>,
    /// The longest time without progress after which a worker went on, in milliseconds.
    pub longest: Arc<AtomicU64>,
    /// A worker was lost when its library was asked for an error's text.
    pub mute: Arc<AtomicBool>,
}

/// What is waited for a call at least that has hung before.
const BRIEF: Duration = Duration::from_secs(2);

/// How a worker is to be set up.
#[derive(Debug, Clone, Copy)]
pub struct SetUp<'a> {
    pub state: Readiness,
    pub device: u32,
    /// Read only this chapter: for processes that run one rule.
    pub only: Option<&'a str>,
    pub reason: StartReason,
    /// Whether the runtime is started in it: by the set-up, or by the rule.
    pub runtime: bool,
}

impl<'a> SetUp<'a> {
    /// A process in which nothing starts the runtime but the set-up.
    pub fn new(state: Readiness, device: u32, only: Option<&'a str>, reason: StartReason) -> SetUp<'a> {
        SetUp { state, device, only, reason, runtime: state != Readiness::Loaded }
    }
}

/// Why there is no worker.
#[derive(Debug, Clone, Error)]
pub enum StartError {
    /// The machine is short of something, or the suite itself failed.
    #[error("a worker process cannot be started: {0}")]
    Environment(String),
    /// The worker said what is in the way.
    #[error("the runtime cannot be set up: {}", .0.message)]
    Refused(Trouble),
    /// It ended or hung; what its library printed.
    #[error("while the runtime was set up, {}{}", .0, printed(.1))]
    Ended(WorkerEnd, String),
    /// The catalog or the library is not what the header names any more.
    #[error("{0}")]
    Changed(String),
    /// The folder of the simulated machine is gone.
    #[error("{0}")]
    Vanished(String),
    /// Too many starts failed there.
    #[error("{}", .0.message)]
    Quarantined(Trouble),
    /// The second failure.
    #[error("{0} (it was tried twice)")]
    Again(Box<StartError>),
}

fn printed(output: &str) -> String {
    if output.trim().is_empty() { String::new() } else { format!("; it printed: {}", output.trim()) }
}

impl StartError {
    /// What it means for the rule that needed the worker.
    pub fn verdict(&self) -> Verdict {
        match self {
            StartError::Ended(..) => Verdict::DeviceLost,
            StartError::Again(error) => error.verdict(),
            _ => Verdict::Error,
        }
    }

    /// Whether the runtime was waited for in vain.
    pub fn hung(&self) -> bool {
        match self {
            StartError::Ended(end, _) => matches!(end, WorkerEnd::Hung(_) | WorkerEnd::Stuck(_)),
            StartError::Again(error) => error.hung(),
            _ => false,
        }
    }

    /// Whether the machine lacks a resource, so that results of rules meanwhile say nothing about the library.
    pub fn is_shortage(&self) -> bool {
        match self {
            StartError::Environment(_) => true,
            StartError::Again(error) => error.is_shortage(),
            _ => false,
        }
    }

    /// The call of the life cycle that was to blame, if it was one.
    pub fn call(&self) -> Option<FailedCall> {
        match self {
            StartError::Refused(trouble) | StartError::Quarantined(trouble) => trouble.call.clone(),
            StartError::Again(error) => error.call(),
            _ => None,
        }
    }
}

impl Factory {
    /// A factory that has started no worker yet.
    pub fn new(
        executable: PathBuf,
        rules: &Rules,
        product: String,
        specs: Option<PathBuf>,
        libraries: LibraryFiles,
        simulated: Option<SimulatedMachine>,
        deadlines: Deadlines,
    ) -> Factory {
        Factory {
            runtime: rules.runtime.clone(),
            executable,
            specs,
            digest: rules.digest.clone(),
            product,
            libraries,
            simulated,
            deadlines,
            memory: None,
            only: None,
            starts: StartCount::default(),
            start_up: AtomicU64::new(0),
            quarantine: Quarantine::default(),
            visible: rules.visible.clone(),
            remarks: Arc::default(),
            retries: Mutex::default(),
            longest: Arc::default(),
            mute: Arc::default(),
        }
    }

    /// The time to wait for a call that hung before: ten times the longest time of any call, and 2 s at least; no
    /// longer than a quarter of the deadline, unless calls have been seen to take half as long.
    pub fn brief(&self) -> Duration {
        let longest = Duration::from_millis(self.longest.load(Ordering::Relaxed));
        let most = (self.deadlines.step / 4).max(longest.saturating_mul(2)).min(self.deadlines.step);
        longest.saturating_mul(10).min(most).max(BRIEF.min(self.deadlines.step))
    }

    /// The number of hangs that may be waited for after the first, to find out more about it; of a call that hung
    /// before, one.
    pub fn further_hangs(&self, deadline: Duration, most: u32) -> u32 {
        if deadline < self.deadlines.step { most.min(1) } else { most }
    }

    /// Starts a worker on a machine. A start that fails after others succeeded is tried once more, which a remark of
    /// the run says, unless it hung; where several failed in a row, nothing more is tried.
    pub fn start(&self, machine: &Machine, set_up: SetUp<'_>) -> Result<(WorkerProcess, Started), StartError> {
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
                let text = format!("a worker did not start at first, but when it was tried once more: {first}");
                self.remarks.note(text, "");
                Ok(started)
            }
            Err(error @ (StartError::Changed(_) | StartError::Vanished(_))) => Err(error),
            Err(error) => Err(StartError::Again(Box::new(error))),
        }
    }

    fn attempt(&self, machine: &Machine, set_up: SetUp<'_>) -> Result<(WorkerProcess, Started), StartError> {
        self.libraries.expect_same().map_err(StartError::Changed)?;
        let started = self.start_once(machine, set_up);
        let place = Place::of(machine, set_up.device, set_up.state);
        // Looked at again: this worker may have loaded what was put there meanwhile.
        self.libraries.expect_same().map_err(StartError::Changed)?;
        match &started {
            Ok(_) => self.quarantine.succeeded(&place),
            // What the machine lacks says nothing about its device.
            Err(StartError::Changed(_) | StartError::Environment(_)) => {}
            Err(error) => {
                // No device is to blame for that, and the next machine may be well.
                if let Some(reason) = self.simulated.as_ref().and_then(|_| machine.vanished()) {
                    return Err(StartError::Vanished(reason));
                }
                let trouble = Trouble { message: error.to_string(), call: error.call() };
                self.quarantine.failed(place, trouble);
            }
        }
        started
    }

    fn start_once(&self, machine: &Machine, set_up: SetUp<'_>) -> Result<(WorkerProcess, Started), StartError> {
        let mut environment = match &self.simulated {
            Some(simulated) => simulated.environment(&machine.path),
            // The simulated device given as a library: its processes share a machine too.
            None if std::env::var_os(MACHINE).is_none() => {
                vec![(MACHINE.to_owned(), machine.path.display().to_string())]
            }
            None => Vec::new(),
        };
        if let Some((variable, visible)) = self.visible.clone().zip(machine.visible.clone()) {
            environment.push((variable, visible));
        }
        environment.push((FILES.to_owned(), machine.path.display().to_string()));
        let remarks = self.remarks.clone();
        let mut worker = WorkerProcess::spawn(&self.runtime, &self.executable, &environment, &machine.path, remarks)
            .map_err(|error| StartError::Environment(format!("{error}{}", advice(&error))))?;
        worker.longest = self.longest.clone();
        worker.mute = self.mute.clone();
        worker.asked = machine.asked.clone();
        let start = Start {
            specs: self.specs.clone(),
            only: set_up.only.map(str::to_owned),
            digest: set_up.only.is_none().then(|| self.digest.clone()),
            libraries: self.libraries.paths(),
            state: set_up.state,
            device: set_up.device,
            product: self.product.clone(),
            memory: self.memory,
            mute: self.mute.load(Ordering::Relaxed),
        };
        match worker.ask(&Request::Start(Box::new(start)), self.deadlines.start) {
            Ok(Reply::Started(started)) => {
                self.starts.note(set_up.reason, set_up.runtime);
                self.start_up.fetch_add(started.nanoseconds, Ordering::Relaxed);
                if let Some(changed) = &started.changed {
                    let text =
                        format!("while it was set up, the library changed its process, which stays so: {changed}");
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
