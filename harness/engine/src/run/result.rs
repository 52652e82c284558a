//! Turns the results of a rule's cases into the rule's result.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value as Json;
use steps::Span;

use crate::case::{FailedCase, SearchResult};
use catalog::{Rule, Rules, left_out, named};
use record::{Conclusion, Confirmation, Failure, RuleResult, Verdict};

use super::answers;
use super::campaign::Campaign;
use super::empty_result::empty_result;
use super::predecessors::HISTORY_NOT_TRIED;
use super::replay;
use super::selected;

/// A finished rule.
pub(super) struct Finished {
    pub search: SearchResult,
    pub confirmation: Option<Confirmation>,
    /// The last part of the library's output.
    pub output: String,
    /// The devices visible to the rule's processes, as named on the machine. Empty if all devices are visible.
    pub devices: Vec<String>,
    /// The run's seed with which the rule's cases were drawn; see [`Campaign::seed_of`].
    pub run_seed: u64,
}

/// The verdict and reason of a rule that the run's own limits stopped; `None` if they did not. Such a rule is skipped,
/// because its failure says nothing about the device.
fn stopped_by_own_limit(rule: &Rule, search: &SearchResult, verdict: Verdict, patience: u32) -> Option<String> {
    let failure = &search.failure.as_ref()?.failure;
    match verdict {
        Verdict::Blocked | Verdict::Error if search.memory_limit.is_some() => Some(failure.message.clone()),
        Verdict::Blocked if rule.program.text(Span { start: failure.start, end: failure.end }).contains("patience") => {
            Some(format!("{}; the run's patience is {patience} ms (--tune patience=MS raises it)", failure.message))
        }
        _ => None,
    }
}

/// The verdict and reason that follow from a rule's search, before any blame is assigned.
pub fn verdict(rules: &Rules, search: &SearchResult, confirmation: Option<&Confirmation>) -> (Verdict, String) {
    let Some(failed) = &search.failure else {
        if let Some(text) = search.fatal.as_ref().or(search.unhealthy.as_ref()) {
            let reason = format!("the device is unusable in this process: {text}");
            return (Verdict::DeviceLost, reason);
        }
        if let Some(cut) = search.coverage.as_ref().and_then(|coverage| coverage.cut) {
            return (Verdict::Cut, cut.to_string());
        }
        return match &search.exceeds {
            None if search.judged_nothing() => (Verdict::Observed, String::new()),
            Some(text) => (Verdict::Exceeds, text.clone()),
            None => (Verdict::Pass, String::new()),
        };
    };
    let (verdict, mut reason) = (failed.failure.verdict, failed.failure.message.clone());
    if verdict == Verdict::Blocked {
        let call = failed.failure.blocked_by.as_ref();
        let owner = call.and_then(|call| Some((&call.function, rules.owners.get(&call.function)?)));
        let owner = owner.map(|(function, owner)| format!("; {function} is owned by {owner}"));
        reason = format!("set-up failed: {reason}{}", owner.unwrap_or_default());
    }
    match confirmation {
        None => (verdict, reason),
        Some(confirmation) => match confirmation.conclusion {
            Conclusion::Alone => (verdict, reason),
            Conclusion::Flaky => {
                let untried = confirmation.remark.starts_with(HISTORY_NOT_TRIED);
                let untried = if untried { format!(" ({})", confirmation.remark) } else { String::new() };
                (Verdict::Flaky, format!("{}{untried}: {reason}", confirmation.clause()))
            }
            _ => (verdict, format!("{reason}; {}", confirmation.clause())),
        },
    }
}

impl Finished {
    /// The rule's result.
    pub(super) fn result(self, campaign: &Campaign, rule: &Rule, seed: u64) -> RuleResult {
        let rules = &campaign.target.rules;
        let mut result = empty_result(rules, rule, seed);
        (result.verdict, result.reason) = verdict(rules, &self.search, self.confirmation.as_ref());
        let patience = campaign.target.executor.scope.patience;
        let limit = stopped_by_own_limit(rule, &self.search, result.verdict, patience);
        let unjudged = unjudged(rule, &self.search);
        if result.verdict == Verdict::Observed {
            result.verdict = Verdict::Skipped;
            let branches: Vec<&str> = unjudged.keys().map(String::as_str).collect();
            result.reason = format!("nothing judged: {}", branches.join("; "));
        }
        let SearchResult { cases, checks, findings, observations, answers, failure, coverage, memory_limit, .. } =
            self.search;
        result.memory_limit = memory_limit;
        if let Some(limit) = limit {
            (result.verdict, result.reason) = (Verdict::Skipped, limit);
        }
        result.coverage = coverage;
        result.answers = answers::recorded(rules, &rule.program, answers).map(Box::new);
        let conditions = &campaign.target.conditions;
        let left_out = left_out(rule, &conditions.product, &campaign.target.executor.missing, rules);
        result.left_out = left_out.into_iter().map(|alternative| named(&rule.program, alternative)).collect();
        result.observed_only = rule.observed_only(rules, &campaign.target.executor.known).1;
        (result.cases, result.checks, result.findings, result.observations) = (cases, checks, findings, observations);
        if !unjudged.is_empty() {
            result.observations.insert("nothing judged".to_owned(), unjudged);
        }
        result.devices.clone_from(&self.devices);
        let found = Found { confirmation: self.confirmation, output: self.output, devices: self.devices };
        result.failure = failure.map(|failed| Box::new(describe(campaign, rule, *failed, found, self.run_seed)));
        if result.failure.is_some() {
            selected::complete(&mut result, rule, rules, &conditions.editions);
        }
        if rule.hazard.is_some() && !matches!(result.verdict, Verdict::Error | Verdict::Cut) {
            let seen = match (&result.memory_limit, result.reason.as_str()) {
                (Some(limit), "") => limit.to_string(),
                (None, "") => "nothing unusual".to_owned(),
                (_, reason) => reason.to_owned(),
            };
            let outcome = format!("{}: {seen}", result.verdict);
            result.observations.entry("outcome".to_owned()).or_default().insert(outcome, 1);
            result.verdict = Verdict::Observed;
        }
        result
    }
}

/// The branches on which cases judged nothing, each with its place and the number of these cases.
fn unjudged(rule: &Rule, search: &SearchResult) -> BTreeMap<String, u64> {
    let branches = rule.program.free_branches();
    let named = search.observed.iter().filter_map(|(id, cases)| Some((branches.get(id)?, *cases)));
    named
        .map(|(branch, cases)| {
            let (condition, place) = (rule.program.condition_of(branch), rule.place(branch.span.start));
            (format!("{condition} ({place})"), cases)
        })
        .collect()
}

/// The facts about a failing case that the search does not give.
struct Found {
    confirmation: Option<Confirmation>,
    output: String,
    devices: Vec<String>,
}

/// Describes a failing case for the journal: the place of the failure, the case's values, and a command that replays
/// the case.
fn describe(
    campaign: &Campaign,
    rule: &Rule,
    failed: FailedCase,
    Found { confirmation, output, devices }: Found,
    run_seed: u64,
) -> Failure {
    let replay_values = replay::values(&campaign.only, &failed);
    // If the case never failed when it ran alone, the case cannot reproduce the failure, so the command runs the
    // entire rule.
    let whole = confirmation.as_ref().is_some_and(|confirmation| {
        matches!(confirmation.conclusion, Conclusion::Flaky | Conclusion::Open | Conclusion::AfterRules)
            && confirmation.alone.runs > 0
            && confirmation.alone.failed == 0
    });
    let before = confirmation.as_ref().map_or(&[][..], |confirmation| &confirmation.after_rules);
    let span = Span { start: failed.failure.start, end: failed.failure.end };
    let (rules, conditions) = (&campaign.target.rules, &campaign.target.conditions);
    let known = &campaign.target.executor.factory.stacks.known;
    let grounds = rule.grounds_at(span);
    let clauses = grounds.iter().flat_map(|ground| &ground.clauses).map(|clause| &*rules.book.clauses[*clause].id);
    let axioms = rule.axioms_at(span, rules).into_iter().map(|axiom| axiom.id.as_str());
    let mut seen = HashSet::new();
    let clause_ids = clauses.chain(axioms).filter(|id| seen.insert(*id)).map(str::to_owned).collect();
    let written = rule.program.written(span);
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Failure {
        statement: if span == Span::default() { "the end of the case".to_owned() } else { rule.program.text(span) },
        span: (span != Span::default()).then(|| (offset(written.start), offset(written.end))),
        message: failed.failure.message,
        recent_error: failed.failure.recent_error,
        stack: failed.failure.stack.map(|stack| Box::new(stack.recorded(known))),
        clause_ids,
        values: failed.values,
        program: replay::program(campaign, rule, &replay_values, &devices),
        replay: replay::command(
            campaign,
            rule,
            before,
            if whole { &Json::Null } else { &replay_values },
            &devices,
            run_seed,
        ),
        promised: rule.promises_at(span, &conditions.product, &conditions.editions, rules),
        devices,
        replay_values,
        case: failed.case,
        shrinks: failed.shrinks,
        cut: failed.shrinking.cut,
        calls: lines_of_calls(rule, span, &failed.trace.places),
        trace: failed.trace.calls,
        output,
        difference: failed.failure.difference,
        history: failed.failure.history,
        boundary: failed.boundary,
        confirmation,
        ..Failure::default()
    }
}

/// The lines of calls that are given by their offsets in the program's text; 0 for a call outside the steps. Empty for
/// a failure that has no place in the steps.
fn lines_of_calls(rule: &Rule, span: Span, calls: &[Option<usize>]) -> Vec<u32> {
    if span == Span::default() {
        return Vec::new();
    }
    let (text, first) = (rule.steps(), rule.steps_at().0);
    let line = |offset: usize| {
        let written = rule.program.written(Span { start: offset, end: offset }).start;
        first + text.bytes().take(written).filter(|byte| *byte == b'\n').count()
    };
    calls.iter().map(|place| place.map_or(0, |offset| u32::try_from(line(offset)).unwrap_or_default())).collect()
}
