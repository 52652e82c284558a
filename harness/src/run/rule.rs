//! One rule: from its plan to its result.

use std::ffi::OsStr;
use std::time::Instant;

use serde_json::Value as Json;

use crate::generate::{Scope, case_from_json, rule_seed};
use crate::lang::Span;
use crate::lang::program::State;
use crate::record::{Failure, RuleResult, Verdict};
use crate::rules::Rule;
use crate::worker::CaseReport;
use crate::worker::protocol::RunCase;
use crate::worker::search::{FailedCase, Ran, Search, SearchResult};

use super::child::WorkerProcess;
use super::folder::KnownCase;
use super::group::Group;
use super::options::DEFAULT_DEADLINE;
use super::owners::Outcome;
use super::pool::{SetUp, Slot, StartError};
use super::session::{Session, project_root};

impl Session {
    /// Runs a rule on a machine of the pool.
    pub(super) fn run_rule(&self, rule: &Rule, slot: &mut Slot) -> Outcome {
        let begun = Instant::now();
        let seed = rule_seed(self.header.seed, &rule.id);
        let mut output = String::new();
        let (result, call) = match self.search(rule, seed, slot, &mut output) {
            Ok(search) => {
                let failed = search.failure.as_ref().map(|failed| failed.failure.blocked_by.clone());
                let call = failed.unwrap_or_else(|| search.stopped_by.clone());
                (self.result(rule, seed, search, output), call)
            }
            Err(error) => {
                let mut result = self.empty_result(rule, seed);
                result.verdict = match error {
                    StartError::Ended(..) => Verdict::DeviceLost,
                    _ => Verdict::Error,
                };
                result.reason = error.to_string();
                let call = if let StartError::Refused(trouble) = error { trouble.call } else { None };
                (result, call)
            }
        };
        Outcome { result: RuleResult { nanoseconds: begun.elapsed().as_nanos() as u64, ..result }, call }
    }

    fn search(&self, rule: &Rule, seed: u64, slot: &mut Slot, output: &mut String) -> Result<SearchResult, StartError> {
        let fresh = rule.program.isolated() || rule.hazard.is_some();
        if !fresh && !rule.program.several_processes() {
            return self.search_pooled(rule, seed, slot, output);
        }
        let scope = self.scope();
        let known = self.known_cases(rule);
        let budget = if fresh { self.profile.isolated_budget() } else { self.profile.group_budget() };
        let search = Search {
            program: &rule.program,
            scope: &scope,
            seed,
            budget,
            known: &known,
            only: self.only_case.as_ref(),
        };
        let mut trouble = None;
        let mut fatal = None;
        let mut result = search.run(&mut |number, values, salt| {
            let case = RunCase {
                rule: rule.id.clone(),
                product: self.target.product.clone(),
                devices: self.target.devices,
                process: 0,
                number,
                values: values.to_vec(),
                salt,
            };
            let end = if fresh {
                self.case_in_fresh_processes(rule, slot, &case)
            } else {
                self.case_in_pool(rule, slot, &case)
            };
            match end {
                Ok(end) => {
                    if !end.output.is_empty() {
                        *output = end.output;
                    }
                    let last = !fresh && end.fatal.is_some();
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

    fn case_in_pool(&self, rule: &Rule, slot: &mut Slot, case: &RunCase) -> Result<super::group::GroupEnd, StartError> {
        let keys: Vec<(u32, usize)> = keys(rule);
        for (device, ordinal) in &keys {
            slot.worker(&self.factory, *device, *ordinal)?;
        }
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

    fn case_in_fresh_processes(
        &self,
        rule: &Rule,
        slot: &Slot,
        case: &RunCase,
    ) -> Result<super::group::GroupEnd, StartError> {
        let chapter =
            self.rules.chapters[rule.chapter].path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        let mut workers = Vec::new();
        for (process, (device, _)) in keys(rule).into_iter().enumerate() {
            let set_up = SetUp { state: rule.program.processes[process].state, device, only: chapter.as_deref() };
            workers.push(self.factory.start(&slot.machine, set_up)?.0);
        }
        let mut group = Group {
            rules: &self.rules,
            rule,
            members: workers.iter_mut().collect(),
            deadline: self.factory.deadlines.step,
        };
        let end = group.run(case);
        for (member, worker) in workers.into_iter().enumerate() {
            let state = rule.program.processes[member].state;
            if end.lost.contains(&member) || state == State::Loaded {
                drop(worker);
            } else {
                worker.stop(self.factory.deadlines.step);
            }
        }
        Ok(end)
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
        let still_a_case = |case: &Json| match case_from_json(&rule.program, case) {
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
        }
    }

    fn result(&self, rule: &Rule, seed: u64, search: SearchResult, output: String) -> RuleResult {
        let mut result = self.empty_result(rule, seed);
        result.cases = search.cases;
        result.checks = search.checks;
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
            result.failure = Some(Box::new(self.failure(rule, *failed, output)));
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

    fn failure(&self, rule: &Rule, failed: FailedCase, output: String) -> Failure {
        let span = Span { start: failed.failure.start, end: failed.failure.end };
        let chapter = &self.rules.chapters[rule.chapter];
        Failure {
            statement: if span == Span::default() { "the end of the case".to_owned() } else { rule.text(span) },
            place: rule.place(chapter, span.start),
            message: failed.failure.message,
            rule_statement: rule.statement.split_whitespace().collect::<Vec<_>>().join(" "),
            sources: rule.sources.clone(),
            values: failed.values,
            replay: self.replay(rule, &failed.replay_values),
            replay_values: failed.replay_values,
            case: failed.case,
            shrinks: failed.shrinks,
            trace: failed.trace,
            output,
        }
    }

    /// A command that runs exactly one case again.
    fn replay(&self, rule: &Rule, values: &Json) -> String {
        let mut words = vec!["cargo test --".to_owned(), "--exact".to_owned(), rule.id.clone()];
        words.push(format!("--product {}", self.target.product));
        if self.factory.specs != project_root().join("specs") {
            let specs = std::path::absolute(&self.factory.specs).unwrap_or_else(|_| self.factory.specs.clone());
            words.push(format!("--specs {}", quoted(&specs.display().to_string())));
        }
        if self.factory.simulator.is_none() {
            words.push(format!("--library {}", quoted(&self.factory.library.display().to_string())));
        } else if !self.header.defects.is_empty() {
            words.push(format!("--defect {}", self.header.defects.join(",")));
        }
        if self.header.library.chosen_by == "--backend simulator" {
            words.push("--backend simulator".to_owned());
        }
        if self.factory.simulator.as_ref().is_some_and(|simulator| simulator.run_mode == "device") {
            words.push("--run-mode device".to_owned());
        }
        words.push(format!("--devices {}", self.target.devices));
        words.push(format!("--seed {}", self.header.seed));
        let deadline = self.factory.deadlines.step.as_secs();
        if deadline != DEFAULT_DEADLINE {
            words.push(format!("--deadline {deadline}"));
        }
        if self.target.hazardous {
            words.push("--hazardous".to_owned());
        }
        if !values.is_null() {
            words.push(format!("--case {}", quoted(&values.to_string())));
        }
        words.join(" ")
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    if word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+=:,".contains(c)) && !word.is_empty() {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
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
