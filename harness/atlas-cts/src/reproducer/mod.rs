//! `atlas-cts reproducer`: a folder that reproduces a run's failure without the suite.

mod error;
mod evidence;
mod issue;
mod libraries;
mod makefile;
mod readme;

use std::path::{Path, PathBuf};

use catalog::files::replace;
use catalog::{self, Known, Originals, Rule, Rules, Specs};
use clap::Args;
use clap::builder::BoolishValueParser;
use engine::case::{Case, CaseError, LEAST_PATIENCE, case_from_json, parse_query, query};
use engine::print_c::{PRELUDE, Printed, Sheet, deadline_of, print_in_parts};
use engine::run::{CatalogOptions, choose_runtime, read_named, redact};
use ledger::report::quote;
use record::{Host, RuleResult};
use serde_json::Value as Json;

use crate::conclude::CommandError;
use crate::runtimes::RUNTIMES;

pub use error::ReproducerError;
use evidence::{Evidence, HEADERS, SOURCE};
use libraries::LinkedLibraries;

/// The maximum size of a catalog's header, in bytes.
const LARGEST_HEADER: u64 = 4 << 20;

/// The options of `reproducer`.
#[derive(Debug, Args)]
pub struct Wanted {
    /// Folder of the run, its name below reports/out, `latest` or `latest~1`.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Id of the rule, or the query that its failure prints.
    #[arg(value_name = "RULE")]
    pub rule: String,
    /// New folder to write to [default: reproducer-RULE].
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Replace names of machines, sites and people in the folder's texts.
    ///
    /// The program then links no library by its path if the path contains such a name.
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub redact: bool,
    /// Quote the sentences in the documents in this folder in the README.
    #[arg(long, value_name = "DIR")]
    pub documents: Option<PathBuf>,
}

/// Writes the folder and returns its path.
pub fn reproducer(rules: &Rules, specs: &Specs, wanted: &Wanted) -> Result<PathBuf, CommandError> {
    let (_, mut run) = read_named(&wanted.run)?;
    let unread = |source| CommandError::Query { text: wanted.rule.clone(), source };
    let (id, case) = parse_query(&wanted.rule).map_err(unread)?;
    let rule = catalog::rule(rules, id)?;
    let result = result_of(rule, &run.results, &wanted.run).and_then(|result| with_case(result, case.as_ref()));
    let result = result.map_err(|error| CommandError::Reproducer(Box::new(error)))?;
    let mut result = result.clone();
    let runtime = choose_runtime(RUNTIMES, &mut CatalogOptions::default(), std::slice::from_ref(&rule.id))?;
    if wanted.redact {
        redact(&mut run.header, &mut result, runtime);
    }
    if let Some(documents) = &wanted.documents {
        quote(&mut result, &run.header, &Originals::read(documents).map_err(CommandError::Originals)?);
    }
    let product = catalog::product(rules, &run.header.product)?;
    let known = Known {
        editions: run.header.editions(&rules.libraries),
        run_mode: Some(run.header.run_mode.clone()).filter(|mode| !mode.is_empty()),
        virtual_machine: run.header.host.as_ref().map_or(Some(false), Host::counts_as_virtual),
        shown: run.header.host.as_ref().map(Host::shown).unwrap_or_default(),
        without: run.header.settings.without_axioms.iter().cloned().collect(),
    };
    let (observed, _) = rule.observed_only(rules, &known);
    let folder = wanted.to.clone().unwrap_or_else(|| PathBuf::from(format!("reproducer-{}", rule.id)));
    let written = || -> Result<(), ReproducerError> {
        let id = || rule.id.clone();
        let cases = cases(rule, &result).map_err(|source| ReproducerError::Case { rule: id(), source })?;
        let evidence = Evidence { rules, rule, header: &run.header, result: &result, cases, observed };
        let patience = run.header.settings.patience.unwrap_or(LEAST_PATIENCE);
        let sheet = Sheet {
            cases: &evidence.cases,
            observed: &evidence.observed,
            deadline: deadline_of(run.header.settings.deadline, patience),
            patience,
            visible: evidence.devices(),
            prelude: Some(PRELUDE),
            ..Sheet::new(product, run.header.devices)
        };
        let printed = print_in_parts(rules, rule, &sheet);
        let printed = printed.map_err(|source| ReproducerError::Print { rule: id(), source })?;
        let path = specs.root().join(&rules.runtime).join(rules.header);
        let declarations = specs.read(&path, LARGEST_HEADER);
        let declarations = declarations.map_err(|source| ReproducerError::Header { path, source })?;
        let libraries = libraries::choose(&evidence, runtime);
        write(&evidence, &libraries, printed, &declarations, &folder)
    };
    written().map_err(|error| CommandError::Reproducer(Box::new(error)))?;
    Ok(folder)
}

/// The rule's result, if it ran.
fn result_of<'a>(rule: &Rule, results: &'a [RuleResult], run: &Path) -> Result<&'a RuleResult, ReproducerError> {
    let result = results.iter().find(|result| result.id == rule.id);
    let result = result.ok_or_else(|| ReproducerError::NoResult { rule: rule.id.clone(), run: run.to_owned() })?;
    if result.cases == 0 && result.failure.is_none() {
        return Err(ReproducerError::Skipped { rule: rule.id.clone(), reason: result.reason.clone() });
    }
    Ok(result)
}

/// The result, if its failing case is the case that the user named.
fn with_case<'a>(result: &'a RuleResult, case: Option<&Json>) -> Result<&'a RuleResult, ReproducerError> {
    let Some(case) = case else { return Ok(result) };
    let found = result.failure.as_ref().and_then(|failure| query(&result.id, &failure.replay_values));
    let named = query(&result.id, case);
    if found.is_none() || found != named {
        let (rule, found) = (result.id.clone(), found.unwrap_or_else(|| result.id.clone()));
        return Err(ReproducerError::OtherCase { rule, found });
    }
    Ok(result)
}

/// The failing case, preceded by the cases without which it passes. Empty if the rule passed, or if it failed before
/// its first case.
fn cases(rule: &Rule, result: &RuleResult) -> Result<Vec<Case>, CaseError> {
    let Some(failure) = &result.failure else { return Ok(Vec::new()) };
    match &failure.replay_values {
        Json::Null => Ok(Vec::new()),
        Json::Array(cases) => cases.iter().map(|case| case_from_json(&rule.program, case)).collect(),
        case => Ok(vec![case_from_json(&rule.program, case)?]),
    }
}

fn write(
    evidence: &Evidence<'_>,
    libraries: &LinkedLibraries,
    printed: Printed,
    declarations: &[u8],
    folder: &Path,
) -> Result<(), ReproducerError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ReproducerError::Write { path, source }
    };
    std::fs::create_dir(folder).map_err(failed(folder))?;
    let headers = folder.join(HEADERS);
    std::fs::create_dir(&headers).map_err(failed(&headers))?;
    let files = [
        (folder.join(SOURCE), printed.program.into_bytes()),
        (folder.join(PRELUDE), printed.prelude.unwrap_or_default().into_bytes()),
        (folder.join("Makefile"), makefile::text(evidence, libraries).into_bytes()),
        (folder.join("README.md"), readme::text(evidence, libraries).into_bytes()),
        (folder.join("issue.md"), issue::text(evidence).into_bytes()),
        (headers.join(evidence.rules.header), declarations.to_vec()),
    ];
    files.into_iter().try_for_each(|(path, bytes)| replace(&path, bytes).map_err(failed(&path)))
}
