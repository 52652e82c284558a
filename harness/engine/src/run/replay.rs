//! Reproduces a failure with a command or a C program.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::case::{FailedCase, LEAST_PATIENCE, cases_from_json, query};
use crate::print_c::{PRELUDE, Sheet, deadline_of, print_in_parts};
use catalog::Rule;
use record::text::quote_word;

use super::campaign::Campaign;
use super::places::run_alone;
use super::tuning::DEFAULT_DEADLINE;

/// The values with which to replay a failing case. If several cases were given, returns the values of all cases that
/// ran.
pub(super) fn values(only: &[Json], failed: &FailedCase) -> Json {
    let before = (failed.case as usize).saturating_sub(1);
    if failed.replay_values.is_object() && before > 0 && before < only.len() {
        let mut cases = only[..before].to_vec();
        cases.push(failed.replay_values.clone());
        return Json::Array(cases);
    }
    failed.replay_values.clone()
}

/// The number of times that a given case with lanes runs, unless it fails earlier.
const RACY_RUNS: usize = 20;

/// The cases to run. A single case with lanes runs several times, because a race does not show every time.
pub(super) fn repeated<'a>(rule: &Rule, only: &'a [Json]) -> Cow<'a, [Json]> {
    match only {
        [case] if case.is_object() && rule.program.has_lanes() => vec![case.clone(); RACY_RUNS].into(),
        only => only.into(),
    }
}

/// The command that reruns exactly this case, or all given cases in one process. If other rules must run first in the
/// same process, the command runs them. If devices are given, the command uses the same devices.
pub(super) fn command(
    campaign: &Campaign,
    rule: &Rule,
    before: &[String],
    values: &Json,
    devices: &[String],
    run_seed: u64,
) -> String {
    let (target, header) = (&campaign.target, &campaign.header);
    let factory = &target.executor.factory;
    let shown = target.rules.visible.as_ref().filter(|_| !devices.is_empty());
    let mut words: Vec<String> =
        shown.map(|variable| format!("{variable}={}", quote_word(&devices.join(",")))).into_iter().collect();
    if header.host.as_ref().is_some_and(|host| host.assumed_bare) {
        words.push("ATLAS_CTS_ASSUME_BARE_METAL=1".to_owned());
    }
    let query = query(&rule.id, values);
    let last = query.as_deref().map_or_else(|| rule.id.clone(), quote_word);
    let rules: Vec<&str> = before.iter().map(String::as_str).chain([last.as_str()]).collect();
    words.push(run_alone(&rules.join(" ")));
    if !before.is_empty() {
        words.push("--jobs 1".to_owned());
    }
    words.push(format!("--product {}", target.conditions.product));
    if let Some(specs) = &factory.specs {
        let specs = std::path::absolute(specs).unwrap_or_else(|_| specs.clone());
        words.push(format!("--specs {}", quote_word(&specs.display().to_string())));
    }
    if factory.simulated.is_none() {
        words.push(format!("--library {}", quote_word(&factory.libraries.first().path.display().to_string())));
    } else if !header.defects.is_empty() {
        words.push(format!("--defect {}", header.defects.join(",")));
    }
    let editions = header.settings.sim_edition.iter().flat_map(|editions| editions.split(','));
    let mut sim: Vec<String> = editions.map(|edition| format!("edition={edition}")).collect();
    sim.extend(header.settings.sim_memory.map(|mebibytes| format!("memory={mebibytes}")));
    if let Some(simulated) = &factory.simulated
        && target.rules.run_modes.first().is_some_and(|usual| *usual != simulated.run_mode)
    {
        sim.push(format!("run-mode={}", simulated.run_mode));
    }
    if !sim.is_empty() {
        words.push(format!("--sim {}", quote_word(&sim.join(","))));
    }
    if let Some(name) = &header.settings.through {
        words.push(format!("--through {name}"));
    }
    if header.library.chosen_by.starts_with("--backend simulator") {
        words.push("--backend simulator".to_owned());
    }
    let count = if shown.is_some() { devices.len() } else { target.conditions.devices as usize };
    words.push(format!("--devices {count}"));
    words.push(format!("--seed {run_seed}"));
    let mut tune = Vec::new();
    let deadline = factory.deadlines.step.as_secs();
    if deadline != DEFAULT_DEADLINE {
        tune.push(format!("deadline={deadline}"));
    }
    tune.extend(header.settings.rule_limit.map(|limit| format!("rule-limit={limit}")));
    let patience = target.executor.scope.patience;
    if patience != LEAST_PATIENCE {
        tune.push(format!("patience={patience}"));
    }
    tune.extend(header.settings.without_axioms.iter().map(|id| format!("without-axiom={id}")));
    if !tune.is_empty() {
        words.push(format!("--tune {}", quote_word(&tune.join(","))));
    }
    if target.conditions.hazardous {
        words.push("--hazardous".to_owned());
    }
    if rule.when.dedicated && factory.simulated.is_none() {
        words.push("--dedicated".to_owned());
    }
    if query.is_none() && !values.is_null() {
        words.push(format!("--case {}", quote_word(&values.to_string())));
    }
    words.join(" ")
}

/// The maximum length, in bytes, of a program in a journal. The program for a single case is always shorter.
const LONGEST_PROGRAM: usize = 32 << 10;

/// The case, or all given cases, as a C program without the prelude. `None` if no program can be written, or if the
/// program is too long.
pub(super) fn program(campaign: &Campaign, rule: &Rule, values: &Json, devices: &[String]) -> Option<String> {
    let target = &campaign.target;
    let rules = &target.rules;
    let product = rules.product(&target.conditions.product)?;
    if values.is_null() {
        return None;
    }
    let cases = cases_from_json(&rule.program, &target.executor.scope, values).ok()?;
    let (observed, _) = rule.observed_only(rules, &target.executor.known);
    let deadline = deadline_of(target.executor.factory.deadlines.step.as_secs(), target.executor.scope.patience);
    let patience = target.executor.scope.patience;
    let blank = Sheet { patience, ..Sheet::new(product, target.conditions.devices) };
    let prelude = Some(PRELUDE);
    let sheet = Sheet { cases: &cases, observed: &observed, deadline, prelude, visible: devices, ..blank };
    let printed = print_in_parts(rules, rule, &sheet).ok()?;
    Some(printed.program).filter(|program| program.len() <= LONGEST_PROGRAM)
}
