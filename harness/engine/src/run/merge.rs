//! Merges the parts of a run. Every rule appears in the merged run. If a rule has no result in any part, the merged
//! run records the reason.

mod choose;
mod parts;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use clap::Args;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::case::rule_seed;
use crate::runtime::Runtime;
use catalog::Specs;
use record::books::{Books, Expected};
use record::{
    DeviceOut, MergedRun, RanIn, Recorded, RuleResult, RunEnd, RunHeader, SelectedRule, Verdict, counts, exit_code,
    sum_of,
};

use super::empty_result::blank;
use super::errors::{MergeError, RunError};
use super::expectation_options::ExpectationOptions;
use super::folder::RunFolder;
use super::log_files;
use super::observer::{Observer, load_catalog, shown, status};
use super::status::ExitStatus;

use choose::choose;
use parts::Parts;

/// The parts to merge, and the output.
#[derive(Debug, Clone, Args)]
pub struct MergeOptions {
    /// Folders or journals of a run's parts. Several for the same part are attempts at that part.
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Folder for the reports; default reports/out/<run>.
    #[arg(long, env = "ATLAS_CTS_REPORT_DIR", value_name = "DIR")]
    pub report_dir: Option<PathBuf>,
    /// Catalog folder with which known failures are checked, instead of the embedded catalog.
    #[arg(long, env = "ATLAS_CTS_SPECS", value_name = "DIR")]
    pub specs: Option<PathBuf>,
    #[command(flatten)]
    pub known: ExpectationOptions,
}

/// Merges parts of a run into one run in a new folder, with one report. Returns the exit status of the merged run.
///
/// # Errors
/// Fails if the parts cannot be read or do not belong to one run, or if the merged run cannot be written or shown.
pub fn merge(
    options: &MergeOptions,
    runtimes: &[&'static Runtime],
    books: &'static dyn Books,
    observer: &mut impl Observer,
) -> Result<ExitStatus, RunError> {
    let parts = Parts::read(&options.runs)?;
    let name = &parts.first().runtime;
    let runtime = runtimes.iter().find(|runtime| runtime.name() == name);
    let runtime = runtime.ok_or_else(|| MergeError::Runtime { name: name.clone() })?;
    parts.expect_own()?;
    let specs = Specs::choose(options.specs.as_deref(), runtime.specs);
    // Only known failures refer to a catalog: the parts say themselves which rules they are about.
    let known = match options.known.place(&specs) {
        Some(_) => options.known.read(&specs, &load_catalog(specs.clone(), runtime)?, books)?,
        None => None,
    };
    let mut header = merged_header(&parts);
    let expecting = known.map(|known| options.known.expecting(known, &mut header));
    if let Some(expecting) = &expecting {
        observer.line(&expecting.line())?;
    }
    let folder = RunFolder::create(&mut header, options.report_dir.as_deref(), None, None, books)?;
    let (mut results, mut end, chosen) = put_together(&parts, &header, expecting.as_deref());
    for (result, run) in results.iter_mut().zip(chosen) {
        let remarks = run.map(|run| log_files::copy(&parts.runs[run].path, &folder.path, result));
        end.remarks.extend(remarks.into_iter().flatten());
    }
    let mut run = Recorded { header, results, in_flight: BTreeMap::new(), end: Some(end.clone()) };
    for remark in folder.write(&run, end)? {
        observer.line(&remark)?;
    }
    run.header.run = shown(&folder.path, &run.header);
    observer.summary(&run)?;
    Ok(status(run.end.as_ref()))
}

/// The facts that the parts have in common, and the list of parts.
fn merged_header(parts: &Parts) -> RunHeader {
    let mut header = parts.first().clone();
    header.settings.part = None;
    // Each part records its own known failures. The merged run is compared with the current known failures.
    header.settings.expectations = None;
    // Each part measured its own patience. The merged run records the longest.
    header.settings.patience = parts.runs.iter().filter_map(|run| run.header.settings.patience).max();
    header.resumed = Vec::new();
    header.started = parts.runs.iter().map(|run| run.header.started.clone()).min().unwrap_or_default();
    if parts.runs.iter().any(|run| run.header.host != header.host) {
        // Each part may have run on a different host.
        header.host = None;
    }
    header.devices_out = devices_out(parts);
    if let Some(fingerprint) = header.fingerprint.as_mut().filter(|_| parts.elsewhere()) {
        fingerprint.devices.clear();
    }
    header.merged = parts
        .runs
        .iter()
        .map(|run| MergedRun {
            run: run.header.run.clone(),
            part: run.part,
            of: parts.of,
            started: run.header.started.clone(),
            finished: run.end.as_ref().map(|end| end.finished.clone()),
            exit: run.end.as_ref().map(|end| end.exit),
            results: run.results.len(),
            host: run.header.host.clone(),
        })
        .collect();
    header
}

/// The devices that were unusable before each part.
fn devices_out(parts: &Parts) -> Vec<DeviceOut> {
    let mut all: Vec<DeviceOut> = Vec::new();
    for run in &parts.runs {
        for DeviceOut { device, reason } in &run.header.devices_out {
            let out = DeviceOut { device: device.clone(), reason: format!("part {}: {reason}", run.part) };
            // Several attempts at the same part may report the same device.
            if !all.contains(&out) {
                all.push(out);
            }
        }
    }
    all
}

/// Returns each rule's result in catalog order, the end of the merged run, and, for each result, the position of the
/// run that the result comes from.
fn put_together(
    parts: &Parts,
    header: &RunHeader,
    expecting: Option<&dyn Expected>,
) -> (Vec<RuleResult>, RunEnd, Vec<Option<usize>>) {
    let mut chosen = Vec::with_capacity(header.selected.len());
    let mut answers: HashMap<&str, Vec<(usize, &RuleResult)>> = HashMap::new();
    for (position, run) in parts.runs.iter().enumerate() {
        for result in &run.results {
            answers.entry(&result.id).or_default().push((position, result));
        }
    }
    let mut remarks = parts.remarks();
    let before = workers_before(parts);
    let results: Vec<RuleResult> = header
        .selected
        .iter()
        .map(|rule| {
            let attempts = answers.remove(rule.id.as_str()).unwrap_or_default();
            let (result, remark) = choose(&attempts, parts);
            remarks.extend(remark);
            chosen.push(result.map(|(run, _)| run));
            let Some((run, result)) = result else { return without_answer(parts, header, rule) };
            let ran_in = result.ran_in.iter().map(|ran| RanIn { worker: before[run] + ran.worker, ..*ran });
            RuleResult { ran_in: ran_in.collect(), ..result.clone() }
        })
        .collect();
    let ends = || parts.runs.iter().filter_map(|run| run.end.as_ref());
    let unusable_cases = ends().map(|end| end.unusable_cases).sum();
    remarks.extend(parts.other_expectations(header));
    let expectations = expecting.map(|expecting| expecting.applied(&results, header.settings.strict));
    let end = RunEnd {
        finished: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
        nanoseconds: parts.runs.iter().map(parts::PartRun::nanoseconds).fold(0, u64::saturating_add),
        counts: counts(&results),
        workers_started: ends().map(|end| end.workers_started).sum(),
        starts: sum_of(ends().map(|end| &end.starts)),
        start_up_nanoseconds: ends().map(|end| end.start_up_nanoseconds).fold(0, u64::saturating_add),
        events: parts.events(),
        remarks,
        unusable_cases,
        retries: ends().flat_map(|end| end.retries.iter().cloned()).collect(),
        exit: exit_code(&header.settings, &results, unusable_cases, expectations.as_ref()),
        expectations,
    };
    (results, end, chosen)
}

/// For each run, the number by which its workers' numbers grow, so that no two workers have the same one.
fn workers_before(parts: &Parts) -> Vec<u64> {
    let workers =
        |run: &parts::PartRun| run.results.iter().flat_map(|result| &result.ran_in).map(|ran| ran.worker).max();
    let mut sum = 0;
    let mut before = |run| {
        let here = sum;
        sum += workers(run).unwrap_or(0);
        here
    };
    parts.runs.iter().map(&mut before).collect()
}

/// The result of a rule that has no result in any part.
fn without_answer(parts: &Parts, header: &RunHeader, rule: &SelectedRule) -> RuleResult {
    let reason = parts.why_missing(&rule.id);
    let seed = rule.steps.as_ref().map_or(0, |_| rule_seed(header.seed, &rule.id));
    let empty = blank(&rule.id, &rule.chapter, &rule.title, rule.level);
    RuleResult { verdict: Verdict::Error, reason, seed, doubt: rule.doubt.clone(), ..empty }
}
