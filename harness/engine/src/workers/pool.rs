//! Workers that live as long as nothing goes wrong, one machine for each thread that runs rules.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use steps::program::State;

use super::child::{Deadlines, WorkerProcess};
use super::factory::{Factory, SetUp, StartError};
use super::machines::{Machine, Machines};

/// A machine with its workers: by device and by how many of a rule's processes work on that device.
#[derive(Debug)]
pub struct Slot {
    pub machine: Machine,
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
    free: Mutex<Vec<Slot>>,
    /// Where machines are made; `None`: there is none yet.
    machines: Mutex<Option<Machines>>,
}

impl Pool {
    /// A pool without a machine yet.
    pub fn new() -> Pool {
        Pool { free: Mutex::new(Vec::new()), machines: Mutex::new(None) }
    }

    /// Takes a machine whose processes see all devices; there are as many as threads ask for one at the same time.
    pub fn take(&self) -> std::io::Result<Slot> {
        self.take_seeing(None)
    }

    /// Takes a machine whose processes see these devices.
    pub fn take_seeing(&self, visible: Option<&str>) -> std::io::Result<Slot> {
        let mut free = lock(&self.free);
        if let Some(position) = free.iter().rposition(|slot| slot.machine.visible.as_deref() == visible) {
            return Ok(free.remove(position));
        }
        drop(free);
        let mut machines = lock(&self.machines);
        let machine = match machines.as_mut().filter(|machines| !machines.vanished()) {
            Some(machines) => machines.machine(visible),
            None => machines.insert(Machines::new()?).machine(visible),
        };
        Ok(Slot { machine: machine?, workers: HashMap::new() })
    }

    pub fn give_back(&self, slot: Slot) {
        lock(&self.free).push(slot);
    }

    /// Ends all workers in order and removes the machines.
    pub fn close(&self, deadlines: Deadlines) {
        let slots: Vec<Slot> = lock(&self.free).drain(..).collect();
        for slot in slots {
            for (_, worker) in slot.workers {
                worker.stop(deadlines.step);
            }
        }
        // What cannot be removed is left to the next run.
        drop(lock(&self.machines).take());
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
