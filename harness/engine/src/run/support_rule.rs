//! The rule derived from the support table: functions that the documents list as supported must be exported.

use std::collections::BTreeMap;
use std::time::Instant;

use steps::program::Readiness;

use crate::pool::{Factory, Pool, SetUp};
use crate::wire::message::{Reply, Request};
use catalog::Level;
use record::{RuleResult, SelectedRule, StartReason, Verdict};

use super::empty_result::blank;
use super::selection::Planned;
use super::target::Target;

const TITLE: &str = "The library exports every function that the documents list as supported";

/// The result of a rule that has not run.
pub(super) fn empty_result(planned: &Planned) -> RuleResult {
    blank(&planned.id, &planned.chapter, TITLE, Level::Must)
}

/// The rule, as a run's header records it.
pub(super) fn selected_rule(planned: &Planned) -> SelectedRule {
    SelectedRule {
        id: planned.id.clone(),
        chapter: planned.chapter.clone(),
        title: TITLE.to_owned(),
        level: Level::Must,
        doubt: None,
        statement: String::new(),
        sources: Vec::new(),
        owns: Vec::new(),
        steps: None,
    }
}

/// Checks that the library exports every function that the catalog calls and the documents list as supported.
pub(super) fn exported(target: &Target, planned: &Planned) -> RuleResult {
    let begun = Instant::now();
    let (names, findings) = judged(target);
    let mut result = RuleResult { cases: 1, checks: names.len() as u64, findings, ..empty_result(planned) };
    match ask(target, &names) {
        Ok(exported) => {
            let names = names.iter().zip(&exported);
            let missing: Vec<&str> = names.filter(|(_, exported)| !**exported).map(|(name, _)| name.as_str()).collect();
            if !missing.is_empty() {
                result.verdict = Verdict::Fail;
                let source = target.rules.support_source.as_deref().unwrap_or_default();
                result.reason = format!(
                    "not exported, though documented as supported on {} ({source}): {}",
                    target.conditions.product,
                    missing.join(", ")
                );
            }
        }
        Err(reason) => (result.verdict, result.reason) = (Verdict::Error, reason),
    }
    result.nanoseconds = begun.elapsed().as_nanos() as u64;
    result
}

/// The functions that must be exported, and remarks about the others. Functions from an optional library, and
/// functions that the edition lacks, need not be exported. If the edition is unknown, the same applies to functions
/// that some edition lacks.
fn judged(target: &Target) -> (Vec<String>, Vec<String>) {
    let (libraries, conditions) = (&target.rules.libraries, &target.conditions);
    let (mut judged, mut unknown) = (Vec::new(), Vec::new());
    let mut left_out: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for name in supported(target) {
        let span = target.rules.span(&name);
        let lacking = conditions.lacking.contains(name.as_str());
        match conditions.editions.of(libraries.home(&name)) {
            _ if lacking && libraries.optional_home(&name).is_some() => {
                left_out.entry(libraries.home(&name)).or_default().push(name);
            }
            Some(edition) if !span.contains(edition) => {}
            None if !span.is_always() => unknown.extend(lacking.then(|| format!("{name} ({span})"))),
            _ => judged.push(name),
        }
    }
    let remark = |(position, names): (usize, Vec<String>)| {
        let library = &libraries.all()[position];
        let home = format!("the optional library {} ({})", library.id, library.names.join(" or "));
        format!("not judged, because they belong to {home} and no library exports them: {}", names.join(", "))
    };
    let mut remarks: Vec<String> = left_out.into_iter().map(remark).collect();
    if !unknown.is_empty() {
        remarks.push(format!("not exported, and the edition is unknown: {}", unknown.join(", ")));
    }
    (judged, remarks)
}

/// The functions that rules call and that the documents list as supported on the product.
fn supported(target: &Target) -> Vec<String> {
    let rules = &target.rules;
    let called = |name: &str| rules.rules.iter().any(|rule| rule.function_names().any(|called| called == name));
    let entries = rules.support.iter();
    entries
        .filter(|(name, entry)| entry.supported.contains(&target.conditions.product) && called(name))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Determines which functions the library exports. Fails with a reason if the library cannot be queried.
fn ask(target: &Target, names: &[String]) -> Result<Vec<bool>, String> {
    exports(&target.executor.factory, &target.executor.pool, names)
}

/// Same as `ask`, for use before the target is open.
pub(super) fn exports(factory: &Factory, pool: &Pool, names: &[String]) -> Result<Vec<bool>, String> {
    let slot = pool.take().map_err(|error| error.to_string())?;
    // The worker does not initialize the runtime, because symbols can be looked up without it.
    let set_up = SetUp::new(Readiness::Loaded, 0, StartReason::Exports);
    let started = factory.start(&slot.machine, set_up);
    pool.give_back(slot);
    let (mut worker, _) = started.map_err(|error| error.to_string())?;
    match worker.ask(&Request::Exports(names.to_vec()), factory.deadlines.step) {
        Ok(Reply::Exported(exported)) => Ok(exported),
        Ok(other) => Err(format!("unexpected reply {other:?}")),
        Err(end) => Err(end.to_string()),
    }
}
