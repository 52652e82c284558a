//! Workers that live as long as nothing goes wrong, one machine for each thread that runs rules.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use steps::program::State;

use super::child::{Deadlines, WorkerProcess};
use super::factory::{Factory, SetUp, StartError};

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
                let set_up = SetUp { state: State::Device, device, only: factory.only.as_deref() };
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
    /// A pool without a machine yet.
    pub fn new() -> Pool {
        Pool { root: machines_folder(), free: Mutex::new(Vec::new()), made: AtomicU64::new(0) }
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

/// State of simulated machines: in memory where there is room for it.
fn machines_folder() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{MACHINES}{}-{number}", std::process::id());
    let memory = Path::new("/dev/shm");
    let roomy = rustix::fs::statvfs(memory).is_ok_and(|fs| fs.f_bavail.saturating_mul(fs.f_frsize) >= 1 << 30);
    let folder = if roomy { memory.to_owned() } else { std::env::temp_dir() };
    if number == 0 {
        remove_left_over(&folder);
    }
    folder.join(name)
}

/// Start of the names of machine folders; the number of the process that made them follows.
const MACHINES: &str = "atlas-cts-";

/// Removes the machines of runs that were killed.
fn remove_left_over(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(MACHINES)).and_then(|rest| rest.split_once('-'));
        let Some(process) = process.and_then(|(process, _)| process.parse::<u32>().ok()) else { continue };
        if !Path::new(&format!("/proc/{process}")).exists() {
            // Another run may be removing it at the same time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
