//! One rule: from its plan to its result.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use serde_json::Value as Json;

use crate::generate::{Budget, Scope, Value, cases_from_json, rule_seed};
use crate::lang::Span;
use crate::lang::program::State;
use crate::record::{Conclusion, Confirmation, Failure, RuleResult, Verdict};
use crate::rules::Rule;
use crate::worker::CaseReport;
use crate::worker::protocol::RunCase;
use crate::worker::search::{FailedCase, Ran, Search, SearchResult};

use super::child::WorkerProcess;
use super::folder::KnownCase;
use super::group::{Group, GroupEnd};
use super::owners::Outcome;
use super::pool::{SetUp, Slot, StartError};
use super::session::Session;

/// Where the cases of a rule run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// All in the pool's worker.
    Worker,
    /// In workers of the pool, one for each process of the rule.
    Group,
    /// In processes that are started for each case.
    Fresh,
}

impl Home {
    pub(super) fn of(rule: &Rule) -> Home {
        if rule.program.isolated() || rule.hazard.is_some() {
            Home::Fresh
        } else if rule.program.several_processes() {
            Home::Group
        } else {
            Home::Worker
        }
    }
}

impl Session {
    /// Runs a rule on a machine of the pool.
    pub(super) fn run_rule(&self, rule: &Rule, slot: &mut Slot) -> Outcome {
        let begun = Instant::now();
        let seed = rule_seed(self.header.seed, &rule.id);
        let mut output = String::new();
        let (result, call) = match self.search(rule, seed, slot, &mut output) {
            Ok(mut search) => {
                let confirmation = self.confirm(rule, seed, &slot.machine, &mut search, &mut output);
                let failed = search.failure.as_ref().map(|failed| failed.failure.blocked_by.clone());
                let call = failed.unwrap_or_else(|| search.stopped_by.clone());
                (self.result(rule, seed, search, confirmation, output), call)
            }
            Err(error) => {
                let mut result = self.empty_result(rule, seed);
                result.verdict = error.verdict();
                result.reason = error.to_string();
                let call = error.call();
                (result, call)
            }
        };
        Outcome { result: RuleResult { nanoseconds: begun.elapsed().as_nanos() as u64, ..result }, call }
    }

    pub(super) fn search(
        &self,
        rule: &Rule,
        seed: u64,
        slot: &mut Slot,
        output: &mut String,
    ) -> Result<SearchResult, StartError> {
        let home = Home::of(rule);
        if home == Home::Worker {
            return self.search_pooled(rule, seed, slot, output);
        }
        let fresh = home == Home::Fresh;
        let scope = self.scope();
        let known = self.known_cases(rule);
        let budget = self.budget(home);
        let search = Search {
            program: &rule.program,
            scope: &scope,
            seed,
            budget,
            known: &known,
            only: &self.only_cases,
            counts: self.trial.counts,
        };
        let patience = self.profile.patience();
        let (mut starts, mut hangs) = (patience.starts, patience.hangs);
        let mut trouble = None;
        let mut fatal = None;
        let mut result = search.run(&mut |number, values, salt| {
            let case = self.run_case(rule, number, values, salt);
            let end = if fresh {
                self.case_in_fresh_processes(rule, &slot.machine, &case)
            } else {
                self.case_in_pool(rule, slot, &case)
            };
            match end {
                Ok(end) => {
                    if !end.output.is_empty() {
                        *output = end.output;
                    }
                    // Smaller cases hang and crash too: a hang takes the deadline, a crash the start of all processes.
                    match end.report.failure.as_ref().map(|failure| failure.verdict) {
                        Some(Verdict::Timeout) => hangs = hangs.saturating_sub(1),
                        Some(Verdict::Crash) => starts = starts.saturating_sub(end.lost.len() as u32),
                        _ => {}
                    }
                    let last = (!fresh && end.fatal.is_some()) || starts == 0 || hangs == 0;
                    fatal = fatal.take().or(end.fatal);
                    Ran { report: end.report, trace: end.trace, last }
                }
                Err(error) => {
                    let mut report = CaseReport::default();
                    report.fail(Verdict::Error, Span::default(), error.to_string());
                    trouble = Some(error);
                    Ran { report, trace: Vec::new(), last: true }
                }
            }
        });
        if let Some(trouble) = fatal.filter(|_| !fresh) {
            (result.fatal, result.stopped_by) = (Some(trouble.message), trouble.call);
        }
        match trouble {
            Some(error) => Err(error),
            None => Ok(result),
        }
    }

    /// The budget of a rule by where its cases run.
    pub(super) fn budget(&self, home: Home) -> Budget {
        self.trial.budget(match home {
            Home::Worker => self.profile.budget(),
            Home::Group => self.profile.group_budget(),
            Home::Fresh => self.profile.isolated_budget(),
        })
    }

    /// The request for a case of a group.
    pub(super) fn run_case(&self, rule: &Rule, number: u64, values: &[Value], salt: u64) -> RunCase {
        RunCase {
            rule: rule.id.clone(),
            product: self.target.product.clone(),
            devices: self.target.devices,
            process: 0,
            number,
            values: values.to_vec(),
            salt,
            ignored: self.trial.ignored,
        }
    }

    /// Starts the workers that a rule uses and that do not run yet; rules with fresh processes use none.
    pub(super) fn start_workers(&self, rule: &Rule, slot: &mut Slot) -> Result<(), StartError> {
        if Home::of(rule) != Home::Fresh {
            for (device, ordinal) in keys(rule) {
                slot.worker(&self.factory, device, ordinal)?;
            }
        }
        Ok(())
    }

    fn case_in_pool(&self, rule: &Rule, slot: &mut Slot, case: &RunCase) -> Result<GroupEnd, StartError> {
        let keys: Vec<(u32, usize)> = keys(rule);
        self.start_workers(rule, slot)?;
        let mut members: Vec<Option<&mut WorkerProcess>> = keys.iter().map(|_| None).collect();
        for (key, worker) in &mut slot.workers {
            if let Some(position) = keys.iter().position(|wanted| wanted == key) {
                members[position] = Some(worker);
            }
        }
        let members: Vec<&mut WorkerProcess> = members.into_iter().flatten().collect();
        let mut group = Group { rules: &self.rules, rule, members, deadline: self.factory.deadlines.step };
        let end = group.run(case);
        for member in &end.lost {
            slot.workers.remove(&keys[*member]);
        }
        if end.fatal.is_some() || !end.report.releases.is_empty() {
            keys.iter().for_each(|key| drop(slot.workers.remove(key)));
        }
        Ok(end)
    }

    fn case_in_fresh_processes(&self, rule: &Rule, machine: &Path, case: &RunCase) -> Result<GroupEnd, StartError> {
        let mut workers = self.fresh_processes(rule, machine)?;
        let end = self.case_in(rule, &mut workers, case);
        self.leave(rule, workers, &end);
        Ok(end)
    }

    /// Starts the processes of a rule.
    pub(super) fn fresh_processes(&self, rule: &Rule, machine: &Path) -> Result<Vec<WorkerProcess>, StartError> {
        (0..rule.program.processes.len()).map(|process| self.fresh_process(rule, process, machine)).collect()
    }

    /// Starts one of the processes of a rule.
    pub(super) fn fresh_process(
        &self,
        rule: &Rule,
        process: usize,
        machine: &Path,
    ) -> Result<WorkerProcess, StartError> {
        let process = &rule.program.processes[process];
        let set_up = SetUp { state: process.state, device: process.device, only: self.chapter_of(rule) };
        Ok(self.factory.start(machine, set_up)?.0)
    }

    /// The file of a rule's chapter: a process that runs one rule reads no other.
    pub(super) fn chapter_of(&self, rule: &Rule) -> Option<&str> {
        self.rules.chapters[rule.chapter].path.file_stem().and_then(|stem| stem.to_str())
    }

    /// Runs a case in processes that were started for the rule.
    pub(super) fn case_in(&self, rule: &Rule, workers: &mut [WorkerProcess], case: &RunCase) -> GroupEnd {
        let members = workers.iter_mut().collect();
        Group { rules: &self.rules, rule, members, deadline: self.factory.deadlines.step }.run(case)
    }

    /// Ends processes that were started for the rule, after their last case.
    pub(super) fn leave(&self, rule: &Rule, workers: Vec<WorkerProcess>, end: &GroupEnd) {
        for (member, worker) in workers.into_iter().enumerate() {
            let state = rule.program.processes[member].state;
            if end.lost.contains(&member) || state == State::Loaded {
                drop(worker);
            } else {
                worker.stop(self.factory.deadlines.step);
            }
        }
    }

    pub(super) fn scope(&self) -> Scope {
        let facts = self.rules.product(&self.target.product).map(|product| product.facts.clone()).unwrap_or_default();
        Scope { facts, devices: self.target.devices }
    }

    /// Counterexamples of earlier runs that are still cases of the rule.
    pub(super) fn known_cases(&self, rule: &Rule) -> Vec<Json> {
        let name = format!("{}.json", rule.id);
        if !self.known.contains(OsStr::new(&name)) {
            return Vec::new();
        }
        let path = self.regressions.join(name);
        let Ok(text) = std::fs::read_to_string(&path) else { return Vec::new() };
        let unused = |what: &dyn std::fmt::Display| {
            eprintln!("{}: {what}; this counterexample is not tried, mend or remove it", path.display());
        };
        let known: Vec<KnownCase> = match serde_json::from_str(&text) {
            Ok(known) => known,
            Err(error) => {
                unused(&error);
                return Vec::new();
            }
        };
        let still_a_case = |case: &Json| match cases_from_json(&rule.program, case) {
            Ok(_) => true,
            Err(error) => {
                unused(&error);
                false
            }
        };
        known.into_iter().map(|known| known.case).filter(still_a_case).collect()
    }

    pub(super) fn empty_result(&self, rule: &Rule, seed: u64) -> RuleResult {
        RuleResult {
            id: rule.id.clone(),
            chapter: self.rules.chapters[rule.chapter].name.clone(),
            title: rule.title.clone(),
            level: rule.level,
            verdict: Verdict::Pass,
            reason: String::new(),
            nanoseconds: 0,
            cases: 0,
            checks: 0,
            seed,
            failure: None,
            findings: Vec::new(),
            observations: Default::default(),
            doubt: rule.doubt.clone(),
            interrupted: 0,
            coverage: None,
        }
    }

    pub(super) fn result(
        &self,
        rule: &Rule,
        seed: u64,
        search: SearchResult,
        confirmation: Option<Confirmation>,
        output: String,
    ) -> RuleResult {
        let mut result = self.empty_result(rule, seed);
        result.cases = search.cases;
        result.checks = search.checks;
        result.coverage = search.coverage;
        result.findings = search.findings;
        result.observations = search.observations;
        if let Some(text) = search.exceeds {
            result.verdict = Verdict::Exceeds;
            result.reason = text;
        }
        if let Some(failed) = search.failure {
            result.verdict = failed.failure.verdict;
            result.reason = failed.failure.message.clone();
            if failed.failure.verdict == Verdict::Blocked {
                let call = failed.failure.blocked_by.as_ref();
                let owner = call.and_then(|call| Some((&call.function, self.rules.owners.get(&call.function)?)));
                let owner = owner.map(|(function, owner)| format!("; {function} is owned by {owner}"));
                result.reason = format!("set-up failed: {}{}", result.reason, owner.unwrap_or_default());
            }
            if let Some(confirmation) = &confirmation {
                (result.verdict, result.reason) = match confirmation.conclusion {
                    Conclusion::Alone => (result.verdict, result.reason),
                    Conclusion::Flaky => (Verdict::Flaky, format!("{}: {}", confirmation.clause(), result.reason)),
                    _ => (result.verdict, format!("{}; {}", result.reason, confirmation.clause())),
                };
            }
            result.failure = Some(Box::new(self.failure(rule, *failed, confirmation, output)));
        } else if let Some(text) = search.fatal.or(search.unhealthy) {
            result.verdict = Verdict::DeviceLost;
            result.reason = format!("the device is of no further use to this process: {text}");
        }
        if rule.hazard.is_some() && result.verdict != Verdict::Error {
            let seen = if result.reason.is_empty() { "nothing unusual" } else { &result.reason };
            result
                .observations
                .entry("outcome".to_owned())
                .or_default()
                .insert(format!("{}: {seen}", result.verdict), 1);
            result.verdict = Verdict::Observed;
        }
        result
    }

    fn failure(&self, rule: &Rule, failed: FailedCase, confirmation: Option<Confirmation>, output: String) -> Failure {
        let replay_values = self.replay_values(&failed);
        // What never failed alone is not repeated by its case: the command runs the rule.
        let whole = confirmation.as_ref().is_some_and(|confirmation| {
            matches!(confirmation.conclusion, Conclusion::Flaky | Conclusion::Open)
                && confirmation.alone.runs > 0
                && confirmation.alone.failed == 0
        });
        let span = Span { start: failed.failure.start, end: failed.failure.end };
        let chapter = &self.rules.chapters[rule.chapter];
        Failure {
            statement: if span == Span::default() { "the end of the case".to_owned() } else { rule.text(span) },
            place: rule.place(chapter, span.start),
            message: failed.failure.message,
            rule_statement: rule.statement.split_whitespace().collect::<Vec<_>>().join(" "),
            sources: rule.sources.clone(),
            values: failed.values,
            replay: self.replay(rule, if whole { &Json::Null } else { &replay_values }),
            replay_values,
            case: failed.case,
            shrinks: failed.shrinks,
            trace: failed.trace,
            output,
            confirmation,
        }
    }
}

/// Device and ordinal on that device of each process.
fn keys(rule: &Rule) -> Vec<(u32, usize)> {
    let mut keys: Vec<(u32, usize)> = Vec::new();
    for process in &rule.program.processes {
        let device = process.device;
        let ordinal = keys.iter().filter(|(known, _)| *known == device).count();
        keys.push((device, ordinal));
    }
    keys
}
