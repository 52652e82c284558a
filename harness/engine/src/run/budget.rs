//! Runs within a budget of time: the rules and cases that notice most defects, according to the product's fault
//! dictionary.

use std::path::Path;

use catalog::{Rule, Rules, count, files, offered};
use dictionary::{Current, EXTENSION, MOST_BYTES, Plan, cases_to_exclude, decode};
use record::{RecordedPlan, RuleResult, Verdict};

use crate::case::Budget;
use crate::runtime::Runtime;

use super::campaign::Campaign;
use super::empty_result::empty_result;
use super::errors::{DictionaryFileError, RunError};
use super::options::Options;
use super::profile::Profile;
use super::selection::Planned;
use super::time_budget::TimeBudget;

/// The fault dictionary of a product: from the given folder of catalogs if the folder has one, otherwise the embedded
/// one.
///
/// # Errors
/// Fails if there is no dictionary for the product, or if it cannot be read.
pub fn dictionary_of(
    specs: Option<&Path>,
    runtime: &Runtime,
    rules: &Rules,
    product: &str,
) -> Result<Current, DictionaryFileError> {
    let name = format!("{product}.{EXTENSION}");
    let path = specs.map(|specs| specs.join(&rules.runtime).join("dictionary").join(&name));
    let path = path.filter(|path| path.exists());
    let shown = path.as_ref().map_or_else(|| format!("the embedded {name}"), |path| path.display().to_string());
    let bytes = match &path {
        Some(path) => files::read(path, MOST_BYTES)
            .map_err(|source| DictionaryFileError::Unreadable { path: path.clone(), source })?,
        None => {
            let embedded = runtime.dictionaries.iter().find(|(known, _)| *known == product);
            let known = runtime.dictionaries.iter().map(|(known, _)| (*known).to_owned()).collect();
            let missing = || DictionaryFileError::Missing { product: product.to_owned(), known };
            embedded.ok_or_else(missing)?.1.to_vec()
        }
    };
    let dictionary = decode(&bytes).map_err(|source| DictionaryFileError::Damaged { name: shown, source })?;
    Ok(Current::of(dictionary, rules, runtime.defects()))
}

/// The confidence with which a night excludes each defect that a racy rule notices.
const CONFIDENCE: f64 = 0.99;
/// The largest factor by which a rule gets more cases than the profile gives.
const MOST_TIMES: u32 = 10;

/// The dictionary of the product in profiles that spend more than the least time; `None` if there is none.
pub(super) fn chances(options: &Options, runtime: &Runtime, rules: &Rules, product: &str) -> Option<Current> {
    if options.profile() == Profile::Smoke {
        return None;
    }
    dictionary_of(options.catalog.specs.as_deref(), runtime, rules, product).ok()
}

impl Campaign {
    /// Plans the run within the options' budget, if there is one, and returns the line about it. A resumed run keeps
    /// its plan.
    pub(super) fn plan_within(&mut self, options: &Options, whole: Vec<Planned>) -> Result<Option<String>, RunError> {
        let plan = match (&options.run.resumed_plan, options.time_budget()) {
            (Some(plan), _) => plan.clone(),
            (None, None) => return Ok(None),
            (None, Some(budget)) => {
                let (rules, product) = (&self.target.rules, &self.target.conditions.product);
                let current = dictionary_of(options.catalog.specs.as_deref(), self.target.runtime, rules, product)?;
                let wanted: Vec<String> =
                    whole.into_iter().filter(|planned| planned.rule.is_some()).map(|planned| planned.id).collect();
                let applies = |id: &String| {
                    rules.rule(id).is_some_and(|rule| offered(rule, product, rules).is_ok() && rule.hazard.is_none())
                };
                let wanted: Vec<String> = wanted.into_iter().filter(applies).collect();
                let plan = Plan::of(&current, &wanted, u64::try_from(budget.time().as_nanos()).unwrap_or(u64::MAX));
                for stale in &current.stale {
                    self.remark(format!("the fault dictionary of {product} is stale: {stale}; `ci/night.sh` makes it"));
                }
                if !plan.unknown.is_empty() {
                    let rules = count(plan.unknown.len(), "rule");
                    self.remark(format!(
                        "{rules} left out because the fault dictionary does not know the present text"
                    ));
                }
                recorded(budget, &plan)
            }
        };
        let line = line(&plan);
        self.header.settings.plan = Some(plan.clone());
        self.plan = Some(plan);
        Ok(Some(line))
    }

    /// The reason why the plan leaves a rule out; `None` if it does not.
    pub(super) fn left_out_of_plan(&self, id: &str) -> Option<String> {
        let plan = self.plan.as_ref().filter(|plan| !plan.rules.contains_key(id))?;
        Some(format!("left out of the plan for {}", plan.budget))
    }

    /// The result of a rule that the plan leaves out. A rule that does not apply says so instead.
    pub(super) fn not_planned(&self, index: usize, reason: String) -> RuleResult {
        let rule = &self.target.rules.rules[index];
        let skip = self.target.skip(rule);
        let skipped_without = skip.as_ref().and_then(|skip| skip.word());
        let reason = skip.map_or(reason, |skip| skip.to_string());
        let empty = empty_result(&self.target.rules, rule, 0);
        RuleResult { verdict: Verdict::Skipped, reason, skipped_without, ..empty }
    }

    /// Gives a rule on callers at the same time the cases that exclude each defect which it notices, up to ten times
    /// the profile's. The time goes where the chance to notice a defect is lowest.
    pub(super) fn more_of_races(&self, rule: &Rule, budget: &mut Budget) {
        let Some(current) = self.chances.as_ref().filter(|_| rule.program.has_lanes()) else { return };
        let Some(wanted) = cases_to_exclude(current, &rule.id, CONFIDENCE) else { return };
        let usual = budget.cases;
        budget.cases = usual.max(u32::try_from(wanted).unwrap_or(u32::MAX)).min(usual.saturating_mul(MOST_TIMES));
        budget.repeats = budget.repeats.max(budget.cases.min(budget.repeats.saturating_mul(MOST_TIMES)));
        budget.calls = budget.calls.saturating_mul(u64::from(budget.cases.div_ceil(usual.max(1))));
    }

    /// Limits a rule's cases to the planned number.
    pub(super) fn limit(&self, rule: &Rule, budget: &mut Budget) {
        let planned = self.plan.as_ref().and_then(|plan| plan.rules.get(&rule.id));
        if let Some(cases) = planned.copied() {
            (budget.cases, budget.repeats, budget.most, budget.calls) = (cases, cases, Some(cases), u64::MAX);
        }
    }
}

fn recorded(budget: TimeBudget, plan: &Plan) -> RecordedPlan {
    RecordedPlan {
        budget: budget.text().to_owned(),
        rules: plan.rules.iter().map(|(id, rule)| (id.clone(), rule.cases)).collect(),
        of: plan.of,
        killed: plan.killed,
        percent: plan.percent(),
        nanoseconds: plan.nanoseconds,
    }
}

/// The line about a plan: `level 1: 87 of 468 rules, 1204 cases, about 9.8 s on one device; …`.
fn line(plan: &RecordedPlan) -> String {
    let cases: u64 = plan.rules.values().map(|cases| u64::from(*cases)).sum();
    let left_out = plan.of - plan.rules.len().min(plan.of);
    format!(
        "{}: {} of {}, {}, about {:.1} s on one simulated device; keeps {} % of {}; left out: {}",
        plan.budget,
        plan.rules.len(),
        count(plan.of, "rule"),
        count(cases, "case"),
        plan.nanoseconds as f64 / 1e9,
        plan.percent,
        count(plan.killed, "killed defect"),
        count(left_out, "rule"),
    )
}
