//! The resources of a device and of the processes that live as long as a soak.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use catalog::FREE_MEMORY;
use record::Levels;

use crate::pool::{Factory, Seat, Slot, WorkerProcess};
use crate::wire::message::{Reply, Request};

/// The longest wait for freed memory that a runtime counts late, and the pause between two queries.
const SETTLES: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(10);

/// The levels of each process at one time, and the free memory of the device.
#[derive(Debug, Default)]
pub(super) struct Look {
    free: Option<u64>,
    processes: BTreeMap<u32, Levels>,
}

impl Look {
    /// Looks at the workers in a slot. The pooled worker of the first device is started if necessary, because it
    /// queries the free memory. If less than `wanted` is free, waits briefly.
    ///
    /// # Errors
    /// Fails if a worker cannot be started or does not answer.
    pub(super) fn at(slot: &mut Slot, factory: &Factory, wanted: Option<u64>) -> Result<Look, String> {
        let deadline = factory.deadlines.step;
        let observer = slot.worker(factory, Seat::pooled(0, 0)).map_err(|error| error.to_string())?;
        let until = Instant::now() + SETTLES;
        let free = loop {
            let free = free_memory(observer, deadline)?;
            if free.zip(wanted).is_none_or(|(free, wanted)| free >= wanted) || Instant::now() >= until {
                break free;
            }
            std::thread::sleep(PAUSE);
        };
        let mut processes = BTreeMap::new();
        for worker in slot.seated_workers() {
            processes.insert(worker.id(), of_process(worker, deadline)?);
        }
        Ok(Look { free, processes })
    }

    /// The free memory of the device in bytes.
    pub(super) fn free(&self) -> Option<u64> {
        self.free
    }

    /// The levels, with the sums over the processes that also the other look has seen.
    pub(super) fn shared_with(&self, other: &Look) -> Levels {
        let shared = self.processes.iter().filter(|(process, _)| other.processes.contains_key(process));
        let mut sum = Levels { free: self.free, ..Levels::default() };
        for (_, levels) in shared {
            add(&mut sum.resident, levels.resident);
            add(&mut sum.heap, levels.heap);
            add(&mut sum.descriptors, levels.descriptors);
            add(&mut sum.threads, levels.threads);
            add(&mut sum.mappings, levels.mappings);
        }
        sum
    }

    /// True if a process was lost between this look and a later one.
    pub(super) fn lost_before(&self, later: &Look) -> bool {
        !self.processes.keys().any(|process| later.processes.contains_key(process))
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}

/// The free memory that the runtime reports in a worker.
fn free_memory(worker: &mut WorkerProcess, deadline: Duration) -> Result<Option<u64>, String> {
    match worker.ask(&Request::Query, deadline) {
        Ok(Reply::Answers(answers)) => {
            let answer = answers.iter().find(|(asked, _)| asked == FREE_MEMORY);
            Ok(answer.and_then(|(_, answer)| answer.as_ref().ok()?.parse().ok()))
        }
        Ok(other) => Err(format!("unexpected answer from the process: {other:?}")),
        Err(end) => Err(end.to_string()),
    }
}

fn of_process(worker: &mut WorkerProcess, deadline: Duration) -> Result<Levels, String> {
    let heap = match worker.ask(&Request::Heap, deadline) {
        Ok(Reply::Heap(heap)) => heap,
        Ok(other) => return Err(format!("unexpected answer from the process: {other:?}")),
        Err(end) => return Err(end.to_string()),
    };
    let folder = format!("/proc/{}", worker.id());
    let read = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).ok();
    let entries =
        |below: &str| std::fs::read_dir(format!("{folder}/{below}")).ok().map(|entries| entries.count() as u64);
    let status = read("status").unwrap_or_default();
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    Ok(Levels {
        free: None,
        resident: resident.map(|kibibytes: u64| kibibytes << 10),
        heap,
        descriptors: entries("fd"),
        threads: entries("task"),
        mappings: read("maps").map(|text| text.lines().count() as u64),
    })
}
