//! Workers that live as long as nothing goes wrong, one machine for each thread that runs rules.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::lang::program::State;
use crate::worker::Trouble;
use crate::worker::protocol::{Reply, Request, Start, Started};

use super::child::{Deadlines, WorkerEnd, WorkerProcess};
use super::simulator::SimulatorOptions;

/// What every worker of a run has in common.
#[derive(Debug)]
pub struct Factory {
    pub runtime: String,
    pub executable: PathBuf,
    pub specs: PathBuf,
    pub digest: String,
    pub library: PathBuf,
    /// The embedded simulated device, which is configured by its environment.
    pub simulator: Option<SimulatorOptions>,
    pub deadlines: Deadlines,
    /// Workers started, and the nanoseconds that they took together.
    pub started: AtomicU64,
    pub start_up: AtomicU64,
}

/// How a worker is to be set up.
#[derive(Debug, Clone, Copy)]
pub struct SetUp<'a> {
    pub state: State,
    pub device: u32,
    /// Read only this chapter: for processes that run one rule.
    pub only: Option<&'a str>,
}

/// Why there is no worker.
#[derive(Debug, Clone)]
pub enum StartError {
    /// The operating system refused.
    Spawn(String),
    /// The worker said what is in the way.
    Refused(Trouble),
    /// It ended or hung.
    Ended(WorkerEnd, String),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartError::Spawn(message) => write!(f, "a worker process cannot be started: {message}"),
            StartError::Refused(trouble) => write!(f, "the runtime cannot be set up: {}", trouble.message),
            StartError::Ended(end, output) => {
                write!(f, "while the runtime was set up, {end}")?;
                if output.trim().is_empty() { Ok(()) } else { write!(f, "; it printed: {}", output.trim()) }
            }
        }
    }
}

impl Factory {
    /// Starts a worker on a machine.
    pub fn start(&self, machine: &Path, set_up: SetUp<'_>) -> Result<(WorkerProcess, Started), StartError> {
        let environment = match &self.simulator {
            Some(simulator) => simulator.environment(machine),
            // The simulated device given as a library: its processes share a machine too.
            None if std::env::var_os(super::simulator::MACHINE).is_none() => {
                vec![(super::simulator::MACHINE.to_owned(), machine.display().to_string())]
            }
            None => Vec::new(),
        };
        let mut worker = WorkerProcess::spawn(&self.runtime, &self.executable, &environment)
            .map_err(|error| StartError::Spawn(error.to_string()))?;
        let start = Start {
            specs: self.specs.clone(),
            only: set_up.only.map(str::to_owned),
            digest: set_up.only.is_none().then(|| self.digest.clone()),
            library: self.library.clone(),
            state: set_up.state,
            device: set_up.device,
        };
        match worker.ask(&Request::Start(Box::new(start)), self.deadlines.start) {
            Ok(Reply::Started(started)) => {
                self.started.fetch_add(1, Ordering::Relaxed);
                self.start_up.fetch_add(started.nanoseconds, Ordering::Relaxed);
                Ok((worker, started))
            }
            Ok(Reply::NotStarted(trouble)) => Err(StartError::Refused(trouble)),
            Ok(other) => Err(StartError::Ended(WorkerEnd::Confused(format!("{other:?}")), worker.output())),
            Err(end) => Err(StartError::Ended(end, worker.output())),
        }
    }
}

/// A machine with its workers: by device and by how many of a rule's processes work on that device.
#[derive(Debug)]
pub struct Slot {
    pub machine: PathBuf,
    pub workers: HashMap<(u32, usize), WorkerProcess>,
}

impl Slot {
    /// The worker for the n-th process on a device, started if need be.
    pub fn worker(&mut self, factory: &Factory, device: u32, ordinal: usize) -> Result<&mut WorkerProcess, StartError> {
        match self.workers.entry((device, ordinal)) {
            std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let set_up = SetUp { state: State::Device, device, only: None };
                Ok(entry.insert(factory.start(&self.machine, set_up)?.0))
            }
        }
    }
}

/// Machines that are free.
#[derive(Debug)]
pub struct Pool {
    root: PathBuf,
    free: Mutex<Vec<Slot>>,
    made: AtomicU64,
}

impl Pool {
    /// A pool whose simulated machines keep their state below a folder.
    pub fn new(root: PathBuf) -> Pool {
        Pool { root, free: Mutex::new(Vec::new()), made: AtomicU64::new(0) }
    }

    /// Takes a machine; there are as many as threads ask for one at the same time.
    pub fn take(&self) -> std::io::Result<Slot> {
        if let Some(slot) = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(slot);
        }
        let machine = self.root.join(format!("machine-{}", self.made.fetch_add(1, Ordering::Relaxed)));
        std::fs::create_dir_all(&machine)?;
        Ok(Slot { machine, workers: HashMap::new() })
    }

    pub fn give_back(&self, slot: Slot) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }

    /// Ends all workers in order and removes the machines.
    pub fn close(&self, deadlines: Deadlines) {
        let slots: Vec<Slot> = self.free.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for slot in slots {
            for (_, worker) in slot.workers {
                worker.stop(deadlines.step);
            }
        }
        // What cannot be removed is left to the system's cleaning of temporary files.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
