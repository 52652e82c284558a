//! Rules on simulated devices that are wrong on purpose: what proofs are made of.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use simulator_contract::{glitch, reach};

use crate::defects::Event;
use crate::generate::{Budget, Plan, case_to_json, rule_seed};
use crate::lang::Span;
use crate::lang::judgement::Judgement;
use crate::record::Verdict;
use crate::rules::Rule;

use super::pool::{Slot, StartError};
use super::rule::Home;
use super::session::{Planned, Session};

/// How a rule runs in a proof. The default: as in any run.
#[derive(Debug, Clone, Default)]
pub struct Trial {
    /// What is not judged.
    pub ignored: Option<Judgement>,
    /// Go on after a failure, to count the cases that fail.
    pub counts: bool,
    /// At most so many cases.
    pub cases: Option<u32>,
    /// If there are any: these cases and no others.
    pub only: Vec<Json>,
    /// Which event goes wrong, counted from 1 over all processes of the machine; on a device that looks for it only.
    pub event: Option<(Event, u64)>,
    /// Nobody reads the failure: it is not made smaller.
    pub unread: bool,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub verdict: Verdict,
    pub reason: String,
    /// Where the first failing case failed; empty: not at a statement.
    pub place: Span,
    /// Cases executed.
    pub cases: u64,
    /// Cases that failed.
    pub failed: u64,
    /// Number of the first case that failed.
    pub first: u64,
    /// Events of the kind that were still to come, the one that goes wrong among them.
    pub left: u64,
}

impl Trial {
    pub(super) fn budget(&self, budget: Budget) -> Budget {
        let most = self.cases.unwrap_or(u32::MAX);
        Budget {
            cases: budget.cases.min(most),
            repeats: budget.repeats.min(most),
            shrinks: if self.unread { 0 } else { budget.shrinks },
            ..budget
        }
    }
}

impl Attempt {
    /// Whether the rule said that the device is wrong.
    pub fn kills(&self) -> bool {
        self.verdict.kills()
    }

    /// Whether the rule found nothing wrong.
    pub fn passes(&self) -> bool {
        self.verdict.passes()
    }

    fn without_place(verdict: Verdict, reason: String) -> Attempt {
        Attempt { verdict, reason, place: Span::default(), cases: 0, failed: 0, first: 0, left: 0 }
    }
}

impl Session {
    /// Runs a rule with a seed of its own.
    pub fn attempt(&mut self, planned: &Planned, seed: u64, trial: Trial) -> Attempt {
        self.only_cases.clone_from(&trial.only);
        self.trial = trial;
        self.header.seed = seed;
        let Some(index) = planned.rule else {
            let result = self.exported(planned);
            return Attempt { cases: 1, ..Attempt::without_place(result.verdict, result.reason) };
        };
        let rules = self.rules.clone();
        let rule = &rules.rules[index];
        let seed = rule_seed(seed, &rule.id);
        let mut slot = match self.pool.take() {
            Ok(slot) => slot,
            Err(error) => return Attempt::without_place(Verdict::Error, format!("no folder for a machine: {error}")),
        };
        let event = self.trial.event;
        if let Err(error) = event.map_or(Ok(()), |event| self.arm(rule, &mut slot, event)) {
            self.pool.give_back(slot);
            return Attempt::without_place(Verdict::Error, format!("nothing can go wrong there: {error}"));
        }
        let mut output = String::new();
        let found = self.search(rule, seed, &mut slot, &mut output);
        let left = event.map_or(Ok(0), |_| left(&slot.machine));
        self.pool.give_back(slot);
        let left = match left {
            Ok(left) => left,
            Err(error) => return Attempt::without_place(Verdict::Error, format!("the events are not known: {error}")),
        };
        match found {
            Err(error @ StartError::Ended(..)) => Attempt::without_place(Verdict::DeviceLost, error.to_string()),
            Err(error) => Attempt::without_place(Verdict::Error, error.to_string()),
            Ok(found) => {
                let (cases, failed) = (found.cases, found.failed);
                let call = found.failure.as_ref().and_then(|failed| failed.failure.blocked_by.clone());
                let (place, first) = found.failure.as_ref().map_or((Span::default(), 0), |failed| {
                    (Span { start: failed.failure.start, end: failed.failure.end }, failed.case)
                });
                let mut result = self.result(rule, seed, found, None, output);
                if let Some(call) = call {
                    result.verdict = self.of_owner(&rule.id, result.verdict, &call);
                }
                Attempt { verdict: result.verdict, reason: result.reason, place, cases, failed, first, left }
            }
        }
    }

    /// Lets an event go wrong once the rule's workers run: what their start does is not among the events of a case.
    fn arm(&self, rule: &Rule, slot: &mut Slot, (event, number): (Event, u64)) -> Result<(), String> {
        self.start_workers(rule, slot).map_err(|error| error.to_string())?;
        let bytes = glitch::encode(event, number);
        let file = File::options().write(true).create(true).truncate(false).open(event_file(&slot.machine));
        file.and_then(|file| file.write_all_at(&bytes, 0)).map_err(|error| error.to_string())
    }

    /// The cases that a rule runs with this seed, at most so many beside the edges; none for what has no steps.
    pub fn cases(&self, planned: &Planned, seed: u64, most: u32) -> Vec<Json> {
        let Some(rule) = planned.rule.map(|index| &self.rules.rules[index]) else { return Vec::new() };
        let budget = Trial { cases: Some(most), ..Trial::default() }.budget(self.budget(Home::of(rule)));
        let scope = self.scope();
        let Ok(mut plan) = Plan::new(&rule.program, &scope, rule_seed(seed, &rule.id), &budget) else {
            return Vec::new();
        };
        let drawn = std::iter::from_fn(|| plan.next_case()?.ok());
        drawn.map(|case| case_to_json(&rule.program, &case.values, case.salt)).collect()
    }

    /// Ends the workers: the next rule starts in fresh processes.
    pub fn retire(&mut self) {
        if let Ok(mut slot) = self.pool.take() {
            slot.workers.clear();
            self.pool.give_back(slot);
        }
    }

    /// The file of a rule's chapter, without its extension; `None`: it has none.
    pub fn chapter_file(&self, planned: &Planned) -> Option<String> {
        planned.rule.and_then(|index| self.chapter_of(&self.rules.rules[index])).map(str::to_owned)
    }

    /// Workers read only this chapter from now on.
    pub fn reads_only(&mut self, chapter: String) {
        self.factory.only = Some(chapter);
    }

    /// Workers note from now on which defects the model asks for.
    pub fn notes_reach(&mut self) {
        if let Some(simulator) = &mut self.factory.simulator {
            simulator.notes_reach = true;
        }
    }

    /// Workers look from now on whether an event goes wrong.
    pub fn glitches(&mut self) {
        if let Some(simulator) = &mut self.factory.simulator {
            simulator.glitches = true;
        }
    }

    /// Which defects the model asked for since this was called last: the bytes of [`reach`].
    ///
    /// # Errors
    /// The file that the simulated processes share cannot be read.
    pub fn reached(&mut self) -> std::io::Result<Vec<u8>> {
        let slot = self.pool.take()?;
        let path = slot.machine.join(reach::FILE);
        self.pool.give_back(slot);
        let bits = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            bits => bits?,
        };
        // In place: processes have it mapped.
        File::options().write(true).open(&path)?.write_all_at(&vec![0; bits.len()], 0)?;
        Ok(bits)
    }
}

/// The file in which the processes of a machine look which event goes wrong.
fn event_file(machine: &Path) -> PathBuf {
    machine.join(glitch::FILE)
}

fn left(machine: &Path) -> std::io::Result<u64> {
    let mut bytes = [0; glitch::BYTES];
    File::open(event_file(machine))?.read_exact_at(&mut bytes, 0)?;
    Ok(glitch::left(&bytes))
}
