//! `atlas-cts catalog lint`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::expect::unusable;
use atlas_cts::choice::named_or_all;
use atlas_cts::{CommandError, say_line};
use catalog::count;
use catalog::lint::{
    Edges, claims, condition_mistakes, fixed_time_outs, free_branches, rules_without_checks, unproven_promises,
    untested_capabilities, unused_set_ups, unwritten, wide_lines,
};
use catalog::proof::ProofTable;
use catalog::{Rules, readings};
use clap::Args;
use clap::builder::BoolishValueParser;
use engine::run::{CatalogOptions, ExitStatus, ExpectationOptions, RunError, load_rules, simulated_capabilities};
use engine::runtime::Runtime;
use ledger::expectations::{Expectations, today};

/// The options of `lint`.
#[derive(Debug, Args)]
pub(crate) struct LintOptions {
    #[command(flatten)]
    pub(crate) catalog: CatalogOptions,
    /// Count warnings as mistakes.
    #[arg(long, value_parser = BoolishValueParser::new())]
    strict: bool,
    #[command(flatten)]
    known: ExpectationOptions,
}

/// Checks the catalog of the named runtime, or all catalogs, one after another.
pub(crate) fn lint(mut options: LintOptions) -> Result<ExitStatus, CommandError> {
    let runtimes = named_or_all(&mut options.catalog)?;
    let mut status = ExitStatus::Success;
    for runtime in &runtimes {
        if runtimes.len() > 1 {
            say_line(format_args!("{}:", runtime.name()))?;
        }
        status = match lint_of(&options, runtime)? {
            ExitStatus::Success => status,
            other => other,
        };
    }
    Ok(status)
}

/// Checks a runtime's catalog and the known failures, then prints warnings and a summary.
fn lint_of(options: &LintOptions, runtime: &'static Runtime) -> Result<ExitStatus, CommandError> {
    let rules = Arc::new(load_rules(&options.catalog, runtime)?);
    let places = unwritten(&options.catalog.specs(runtime), &rules.runtime);
    if !places.is_empty() {
        return Err(CommandError::Unwritten { places });
    }
    if rules.book.whole {
        readings(&options.catalog.specs(runtime), &rules).map_err(RunError::from)?;
    } else {
        say_line("not checked: the evidence, which is not part of the executable; give a checkout with --specs DIR")?;
    }
    let table = ProofTable::of(&options.catalog.specs(runtime), &rules.runtime).map_err(CommandError::ProofTable)?;
    let mut warnings = claims(&rules, &table, runtime.defects());
    warnings.extend(wide_lines(&options.catalog.specs(runtime), &rules.runtime));
    warnings.extend(unproven_promises(&rules, &table));
    warnings.extend(rules_without_checks(&rules));
    warnings.extend(unused_set_ups(&rules));
    let answers = simulated_capabilities(&options.catalog, runtime, &rules)?;
    warnings.extend(untested_capabilities(&rules, &answers));
    let edges = Edges::of(&rules);
    warnings.extend(edges.mistakes(&rules));
    let known = options.known.place(&options.catalog.specs(runtime));
    let known = known.map(|place| Expectations::read(&place, &rules)).transpose().map_err(unusable)?;
    warnings.extend(known.iter().flat_map(|known| known.warnings(&rules, today())));
    warnings.iter().try_for_each(|warning| say_line(format_args!("warning: {warning}")))?;
    let gaps = rules.unowned();
    if !gaps.is_empty() {
        return Err(CommandError::Unowned { gaps });
    }
    let mistakes: Vec<String> = condition_mistakes(&rules).iter().map(ToString::to_string).collect();
    if !mistakes.is_empty() {
        return Err(CommandError::Conditions { mistakes });
    }
    let mistakes = fixed_time_outs(&rules);
    if !mistakes.is_empty() {
        return Err(CommandError::TimeOuts { mistakes });
    }
    say_line(conclusion(&rules))?;
    // Legal, and therefore not a warning: a device that always takes such a branch leaves the rule without a verdict.
    free_branches(&rules).iter().try_for_each(|branch| say_line(format_args!("free: {branch}")))?;
    if let Some(summary) = edges.summary(&rules) {
        say_line(summary)?;
    }
    if let Some(known) = known {
        let number = count(known.entries.len(), "known failure");
        say_line(format_args!("{number} in {}: no mistakes", known.files.path))?;
    }
    Ok(if options.strict && !warnings.is_empty() { ExitStatus::Usage } else { ExitStatus::Success })
}

/// The summary for a catalog without mistakes.
fn conclusion(rules: &Rules) -> String {
    let functions: BTreeSet<&str> = rules.rules.iter().flat_map(|rule| rule.function_names()).collect();
    format!(
        "{} in {}{}, {} of {} functions of the header used, {}: no mistakes",
        count(rules.rules.len(), "rule"),
        count(rules.chapters.len(), "chapter"),
        if rules.support_rule().is_some() { " and one derived from the support table" } else { "" },
        functions.len(),
        rules.environment.declarations.bindings.functions.len(),
        count(rules.products.len(), "product")
    )
}
