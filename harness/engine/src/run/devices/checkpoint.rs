//! Checkpoints. Every few rules, and after suspicious results, the resources of a device and its process are compared
//! with the values at the previous checkpoint. To find the cause of a loss, the rules since the previous checkpoint
//! are rerun. The set of rules is halved as long as one half reproduces the loss.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::pool::{Executor, Seat, Slot, WorkerProcess, interrupt};
use catalog::Rules;
use record::{Incident, Leaked as Resource};

use super::gate::settled;

/// The number of rules between two checkpoints.
const EVERY: usize = 16;
/// The time limit for finding the causes of losses, per device and run.
const PATIENCE: Duration = Duration::from_secs(60);
/// The minimum loss, in bytes, that is reported even if no rule reproduces the loss. Smaller losses are normal,
/// because runtimes keep some memory after the first use.
const WORTH_SAYING: u64 = 64 << 20;

const RESOURCES: [Resource; 3] = [Resource::Memory, Resource::Descriptors, Resource::Threads];

/// The smallest loss that counts. Smaller losses have many harmless causes: driver pages, and files and threads that a
/// first use leaves open.
fn least(resource: Resource) -> u64 {
    match resource {
        Resource::Memory => 4 << 20,
        Resource::Descriptors => 16,
        Resource::Threads => 8,
    }
}

/// The resources of a device and a process at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Account {
    process: u32,
    /// The free device memory in bytes; `None` if the runtime does not report the free memory.
    free: Option<u64>,
    descriptors: u64,
    threads: u64,
}

impl Account {
    /// Takes an account of a worker. Briefly waits for memory that was freed since the earlier account.
    fn of(worker: &mut WorkerProcess, deadline: Duration, before: Option<&Account>) -> Result<Account, String> {
        let most_lost = least(Resource::Memory) - 1;
        let wanted = before.and_then(|before| before.free).map(|free| free.saturating_sub(most_lost));
        let free = settled(worker, deadline, wanted)?;
        let process = worker.id();
        let entries = |folder: &str| {
            std::fs::read_dir(format!("/proc/{process}/{folder}")).map_or(0, |entries| entries.count() as u64)
        };
        Ok(Account { process, free, descriptors: entries("fd"), threads: entries("task") })
    }

    /// The amount of a resource lost since an earlier account.
    fn lost_since(&self, before: &Account, resource: Resource) -> u64 {
        let same_process = self.process == before.process;
        match resource {
            Resource::Memory => before.free.zip(self.free).map_or(0, |(before, now)| before.saturating_sub(now)),
            Resource::Descriptors if same_process => self.descriptors.saturating_sub(before.descriptors),
            Resource::Threads if same_process => self.threads.saturating_sub(before.threads),
            _ => 0,
        }
    }
}

/// The resource history for a device and its process.
#[derive(Debug, Default)]
pub(super) struct Book(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    good: Option<Account>,
    /// The rules that have run since the account in `good`, by catalog position.
    since: Vec<usize>,
    spent: Duration,
    /// The number of the suite's processes on the device when the account was taken. Each process holds memory, even
    /// while idle.
    processes: usize,
}

/// The search for the rules that leak a resource. The search reruns rules in the affected process.
struct LeakHunt<'a> {
    rules: &'a Rules,
    executor: &'a Executor,
    slot: &'a mut Slot,
    seed: u64,
    resource: Resource,
    until: Instant,
}

impl LeakHunt<'_> {
    fn account(&mut self, before: Option<&Account>) -> Result<Account, String> {
        let deadline = self.executor.factory.brief();
        let worker = self.slot.worker(&self.executor.factory, Seat::pooled(0, 0)).map_err(|error| error.to_string())?;
        Account::of(worker, deadline, before)
    }

    /// Reruns these rules and returns the loss; `None` if the loss is unknown.
    fn taken_by(&mut self, rules: &[usize]) -> Option<u64> {
        let before = self.account(None).ok()?;
        for index in rules {
            if Instant::now() >= self.until || interrupt::requested().is_some() {
                return None;
            }
            let rule = &self.rules.rules[*index];
            let mut assignment = self.executor.assignment(rule, crate::case::rule_seed(self.seed, &rule.id));
            assignment.deadline = self.executor.factory.brief();
            self.executor.search(&assignment, self.slot, &mut String::new()).ok()?;
        }
        let after = self.account(Some(&before)).ok()?;
        // If the process was replaced, the loss is unknown: the new process has a separate context, and the old
        // process's memory may not be freed yet.
        (after.process == before.process).then(|| after.lost_since(&before, self.resource))
    }

    /// The smallest set of rules found that reproduces the loss, and the amount lost. `None` if even the entire set
    /// does not reproduce the loss.
    fn guilty(&mut self, rules: &[usize]) -> Option<(Vec<usize>, u64)> {
        let least = least(self.resource);
        let mut amount = self.taken_by(rules).filter(|amount| *amount >= least)?;
        let mut rules = rules.to_vec();
        while rules.len() > 1 {
            let (first, second) = rules.split_at(rules.len() / 2);
            let halves = [first.to_vec(), second.to_vec()];
            let takes =
                |half: Vec<usize>| self.taken_by(&half).filter(|taken| *taken >= least).map(|taken| (half, taken));
            match halves.into_iter().find_map(takes) {
                Some((half, taken)) => (rules, amount) = (half, taken),
                // Neither half reproduces the loss, or the time is up.
                None => break,
            }
        }
        // Runs the set again, because the first loss may have been due to another program.
        self.taken_by(&rules).filter(|again| *again >= least)?;
        Some((rules, amount))
    }
}

impl Book {
    /// Looks for leaks after a rule on this device, if a checkpoint is due. Returns the leaks found, and remarks.
    pub(super) fn checkpoint(
        &self,
        device: Option<&str>,
        rule: usize,
        suspicious: bool,
        seed: u64,
        executor: &Executor,
        slot: &mut Slot,
    ) -> (Vec<Incident>, Vec<String>) {
        let nothing = Default::default;
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.since.push(rule);
        if entries.since.len() < EVERY && !suspicious && entries.good.is_some() {
            return nothing();
        }
        // No process is started just for a checkpoint.
        let Some(worker) = slot.seated(Seat::pooled(0, 0)) else { return nothing() };
        let Ok(now) = Account::of(worker, executor.factory.brief(), entries.good.as_ref()) else { return nothing() };
        let since = std::mem::take(&mut entries.since);
        let more_processes = slot.processes() > std::mem::replace(&mut entries.processes, slot.processes());
        let Some(good) = entries.good.replace(now) else { return nothing() };
        let (mut leaks, mut said) = (Vec::new(), Vec::new());
        for resource in RESOURCES {
            let lost = now.lost_since(&good, resource);
            if lost < least(resource) {
                continue;
            }
            let begun = Instant::now();
            let until = begun + PATIENCE.saturating_sub(entries.spent);
            let rules = &executor.rules;
            let mut hunt = LeakHunt { rules, executor, slot, seed, resource, until };
            let guilty = hunt.guilty(&since);
            entries.good = hunt.account(None).ok().or(entries.good);
            entries.spent += begun.elapsed();
            match guilty {
                Some((guilty, amount)) => {
                    let rules = guilty.iter().map(|index| rules.rules[*index].id.clone()).collect();
                    leaks.push(Incident::Leak { rules, resource, amount, device: device.map(str::to_owned) });
                }
                // Memory that the suite's additional processes hold is not lost.
                None if resource == Resource::Memory && more_processes => {}
                None if resource == Resource::Memory && lost >= WORTH_SAYING => said.push(format!(
                    "{} lost between two checkpoints, and no rule between them reproduces the loss: another program \
                     may be \
                     using the device",
                    resource.amount(lost, device)
                )),
                None => {}
            }
        }
        (leaks, said)
    }
}
