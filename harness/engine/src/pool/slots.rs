//! Workers that are reused until a failure, on one machine per thread that runs rules.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use steps::program::Sharing;

use record::{RanIn, StartReason};

use super::child::{Deadlines, WorkerProcess};
use super::end::how;
use super::factory::{Factory, SetUp, StartError};
use super::machines::{MachineFolder, MachineFolders};
use super::seat::Seat;

/// A rule that ran in pooled workers.
#[derive(Debug, Clone)]
pub(crate) struct Predecessor {
    /// The rule's position in the catalog.
    pub index: usize,
    /// The rule's seed.
    pub seed: u64,
    /// The numbers of its workers.
    pub workers: Vec<u64>,
}

/// A machine with its workers.
#[derive(Debug)]
pub struct Slot {
    pub machine: MachineFolder,
    /// The free device memory after the first rule, in bytes; `None` if not measured yet.
    pub free_at_first: Option<u64>,
    workers: HashMap<Seat, WorkerProcess>,
    /// The reason for stopping the worker in each of these seats.
    vacated: HashMap<Seat, StartReason>,
    /// The numbers of the workers that the present rule used so far.
    used: Vec<u64>,
    /// The rules that ran on this machine, in order.
    ran: Vec<Predecessor>,
}

/// The workers of a slot, set aside while others take their seats.
#[derive(Debug)]
pub(crate) struct Idle {
    workers: HashMap<Seat, WorkerProcess>,
    vacated: HashMap<Seat, StartReason>,
    used: Vec<u64>,
}

impl Slot {
    /// The worker in a seat, which is started if needed.
    pub fn worker(&mut self, factory: &Factory, seat: Seat) -> Result<&mut WorkerProcess, StartError> {
        self.expect_living(factory, seat);
        let worker = match self.workers.entry(seat) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let reason = self.vacated.get(&seat).copied().unwrap_or(match seat.sharing {
                    Sharing::Pooled => StartReason::FirstUse,
                    Sharing::Apart => StartReason::SetApart,
                    Sharing::Own | Sharing::Isolated => StartReason::Own,
                });
                let set_up = SetUp::new(seat.state, seat.device, reason);
                entry.insert(factory.start(&self.machine, set_up)?.0)
            }
        };
        if !self.used.contains(&worker.number) {
            self.used.push(worker.number);
        }
        Ok(worker)
    }

    /// Begins a rule, which has used no worker yet.
    pub(crate) fn begin_rule(&mut self) {
        self.used.clear();
    }

    /// Ends a rule. Returns its workers, each with the number of rules that ran in it, this rule included.
    pub(crate) fn end_rule(&mut self, index: usize, seed: u64) -> Vec<RanIn> {
        self.ran.push(Predecessor { index, seed, workers: std::mem::take(&mut self.used) });
        let workers = self.ran.last().map(|rule| rule.workers.clone()).unwrap_or_default();
        let place = |worker: &u64| self.ran.iter().filter(|rule| rule.workers.contains(worker)).count() as u64;
        workers.iter().map(|worker| RanIn { worker: *worker, place: place(worker) }).collect()
    }

    /// The last rules, at most this many, that ran in the workers which the present rule used, in order.
    pub(crate) fn predecessors(&self, most: usize) -> Vec<Predecessor> {
        let shares = |rule: &&Predecessor| rule.workers.iter().any(|worker| self.used.contains(worker));
        let mut found: Vec<Predecessor> = self.ran.iter().rev().filter(shares).take(most).cloned().collect();
        found.reverse();
        found
    }

    /// Takes all workers out of their seats, so that the next rule gets fresh ones.
    pub(crate) fn set_aside(&mut self) -> Idle {
        Idle {
            workers: std::mem::take(&mut self.workers),
            vacated: std::mem::take(&mut self.vacated),
            used: std::mem::take(&mut self.used),
        }
    }

    /// Ends the present workers, and seats those that were set aside again.
    pub(crate) fn resume(&mut self, idle: Idle, deadlines: Deadlines) {
        self.retire(deadlines);
        (self.workers, self.vacated, self.used) = (idle.workers, idle.vacated, idle.used);
    }

    /// Empties a seat whose process has ended since its last request, so that the next rule is not blamed.
    fn expect_living(&mut self, factory: &Factory, seat: Seat) {
        let Some(worker) = self.workers.get_mut(&seat) else { return };
        let Some(status) = worker.status_if_idle() else { return };
        let text = format!("an idle worker exited ({})", how(status));
        factory.remarks.note(text, &worker.output());
        self.vacate(seat, StartReason::AfterLoss);
    }

    /// The worker in a seat, if there is one.
    pub fn seated(&mut self, seat: Seat) -> Option<&mut WorkerProcess> {
        self.workers.get_mut(&seat)
    }

    /// Takes the worker out of a seat. Unless the worker is put back, the seat's next worker counts as a first
    /// start.
    pub fn take(&mut self, seat: Seat) -> Option<WorkerProcess> {
        self.vacated.remove(&seat);
        self.workers.remove(&seat)
    }

    /// Puts a worker into a seat; the worker may be new.
    pub fn put(&mut self, seat: Seat, worker: WorkerProcess) {
        self.workers.insert(seat, worker);
    }

    /// The workers in all seats.
    pub fn seated_workers(&mut self) -> impl Iterator<Item = &mut WorkerProcess> {
        self.workers.values_mut()
    }

    /// The number of processes in this slot, including idle processes. Each process may hold a context on its device.
    pub fn processes(&self) -> usize {
        self.workers.len()
    }

    /// Empties a seat. The seat's next worker starts for this reason.
    pub fn vacate(&mut self, seat: Seat, reason: StartReason) {
        drop(self.workers.remove(&seat));
        self.vacated.insert(seat, reason);
    }

    /// Shuts down all workers.
    pub(super) fn retire(&mut self, deadlines: Deadlines) {
        for (_, worker) in self.workers.drain() {
            worker.stop(deadlines.step);
        }
        self.vacated.clear();
    }

    /// Ends all workers at once, because none can be trusted.
    pub fn clear(&mut self, reason: StartReason) {
        let seats: Vec<Seat> = self.workers.keys().copied().collect();
        seats.into_iter().for_each(|seat| self.vacate(seat, reason));
    }
}

/// The free machines in a run.
#[derive(Debug)]
pub struct Pool {
    free: Mutex<Vec<Slot>>,
    /// The parent folder for machines; `None` until the first machine is needed.
    machines: Mutex<Option<MachineFolders>>,
}

impl Pool {
    /// Creates a pool without machines.
    pub fn new() -> Pool {
        Pool { free: Mutex::new(Vec::new()), machines: Mutex::new(None) }
    }

    /// Takes a machine whose processes see all devices. Machines are created as threads need them.
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
            None => machines.insert(MachineFolders::new()?).machine(visible),
        };
        Ok(Slot {
            machine: machine?,
            free_at_first: None,
            workers: HashMap::new(),
            vacated: HashMap::new(),
            used: Vec::new(),
            ran: Vec::new(),
        })
    }

    pub fn give_back(&self, slot: Slot) {
        lock(&self.free).push(slot);
    }

    /// Shuts down all workers and removes the machines.
    pub fn close(&self, deadlines: Deadlines) {
        let slots: Vec<Slot> = lock(&self.free).drain(..).collect();
        for slot in slots {
            for worker in slot.workers.into_values() {
                worker.stop(deadlines.step);
            }
        }
        // A folder that cannot be removed is left to the next run.
        drop(lock(&self.machines).take());
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
