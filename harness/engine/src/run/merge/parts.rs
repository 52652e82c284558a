//! A run's parts, as read from journals. Checks that the parts belong to the same run, and determines which parts are
//! missing.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use crate::run::differences::{Differences, able, editions, further, mapped, on_others};
use crate::run::errors::MergeError;
use crate::run::places::read_named;
use record::{Happened, RuleResult, RunEnd, RunHeader, RunSettings};

/// The content of one journal.
#[derive(Debug)]
pub(super) struct PartRun {
    pub path: PathBuf,
    /// The part's number, from 1.
    pub part: u32,
    pub header: RunHeader,
    pub results: Vec<RuleResult>,
    in_flight: BTreeMap<String, u32>,
    pub end: Option<RunEnd>,
}

impl PartRun {
    fn read(given: &Path) -> Result<PartRun, MergeError> {
        let (path, run) = read_named(given).map_err(|error| MergeError::Unreadable { error })?;
        let Some(part) = run.header.settings.part.as_ref().map(|part| part.number) else {
            return Err(MergeError::NotAPart { path });
        };
        Ok(PartRun { path, part, header: run.header, results: run.results, in_flight: run.in_flight, end: run.end })
    }

    /// The time that the run took or, if the run did not end, the total time of its rules.
    pub(super) fn nanoseconds(&self) -> u64 {
        let rules = || self.results.iter().map(|result| result.nanoseconds).fold(0, u64::saturating_add);
        self.end.as_ref().map_or_else(rules, |end| end.nanoseconds)
    }
}

/// The parts of one run.
#[derive(Debug)]
pub(super) struct Parts {
    /// The runs, sorted by part and then by start time. Never empty.
    pub runs: Vec<PartRun>,
    /// The number of parts in the run.
    pub of: u32,
    /// The missing parts.
    missing: BTreeSet<u32>,
}

impl Parts {
    pub(super) fn read(given: &[PathBuf]) -> Result<Parts, MergeError> {
        let mut runs: Vec<PartRun> = Vec::with_capacity(given.len());
        for path in given {
            let run = PartRun::read(path)?;
            if let Some(first) = runs.first() {
                let found = differences(&first.header, &run.header);
                if !found.is_empty() {
                    let first = first.path.clone();
                    return Err(MergeError::Different { path: run.path, first, found });
                }
            }
            runs.push(run);
        }
        runs.sort_by(|a, b| (a.part, &a.header.started).cmp(&(b.part, &b.header.started)));
        let of = runs.first().and_then(|run| run.header.settings.part.as_ref()).map_or(1, |part| part.of);
        let there: HashSet<u32> = runs.iter().map(|run| run.part).collect();
        let missing = (1..=of).filter(|part| !there.contains(part)).collect();
        Ok(Parts { runs, of, missing })
    }

    /// The first part's header, which records the facts that all parts have in common.
    pub(super) fn first(&self) -> &RunHeader {
        &self.runs[0].header
    }

    /// Checks that no two parts have a result for the same rule.
    ///
    /// # Errors
    /// Fails if two parts have a result for the same rule.
    pub(super) fn expect_own(&self) -> Result<(), MergeError> {
        let mut owners: BTreeMap<&str, u32> = BTreeMap::new();
        for run in &self.runs {
            for result in &run.results {
                if *owners.entry(&result.id).or_insert(run.part) != run.part {
                    return Err(MergeError::Foreign { path: run.path.clone(), id: result.id.clone() });
                }
            }
        }
        Ok(())
    }

    /// Remarks about the entire run: the parts' remarks without duplicates, and the missing parts.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut texts: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for run in &self.runs {
            for remark in run.end.iter().flat_map(|end| &end.remarks) {
                texts.entry(remark).or_default().insert(run.part);
            }
        }
        let said = texts.into_iter().map(|(text, parts)| format!("{}: {text}", numbered(&parts)));
        let missing =
            (!self.missing.is_empty()).then(|| format!("{} of {}: missing", numbered(&self.missing), self.of));
        let cut = self.runs.iter().filter(|run| run.end.is_none());
        let cut = cut.map(|run| format!("part {}: {} is incomplete", run.part, run.header.run));
        let elsewhere = self.elsewhere().then(|| {
            "the parts ran on different devices of the same model with the same software; each part's journal names \
             its devices"
                .to_owned()
        });
        missing.into_iter().chain(cut).chain(elsewhere).chain(said).collect()
    }

    /// The incidents with devices and processes, by part.
    pub(super) fn events(&self) -> Vec<Happened> {
        let of_one = |run: &PartRun| {
            let events = run.end.iter().flat_map(|end| &end.events);
            events.map(|one| Happened { part: Some(run.part), event: one.event.clone() }).collect::<Vec<_>>()
        };
        self.runs.iter().flat_map(of_one).collect()
    }

    /// True if it is certain that the parts used different devices.
    pub(super) fn elsewhere(&self) -> bool {
        self.runs.iter().any(|run| on_others(self.first(), &run.header))
    }

    /// A remark if parts ran with different known failures than the merged run.
    pub(super) fn other_expectations(&self, whole: &RunHeader) -> Option<String> {
        let digest = |header: &RunHeader| header.settings.expectations.as_ref().map(|files| files.digest.clone());
        let others = self.runs.iter().filter(|run| digest(&run.header) != digest(whole)).map(|run| run.part);
        let others: BTreeSet<u32> = others.collect();
        (!others.is_empty()).then(|| {
            format!(
                "{} of {}: run with other known failures; dangerous rules that were skipped stay skipped",
                numbered(&others),
                self.of
            )
        })
    }

    /// The reason why a rule has no result.
    pub(super) fn why_missing(&self, id: &str) -> String {
        let selected = |run: &&PartRun| run.header.own_rules().any(|selected| selected == id);
        match self.runs.iter().rfind(selected) {
            None => {
                let (is, it) = if self.missing.len() == 1 { ("is", "it") } else { ("are", "them") };
                let missing = numbered(&self.missing);
                format!("{missing} of {} {is} missing; run or resume {it}, then merge again", self.of)
            }
            Some(run) => {
                let when = if run.in_flight.contains_key(id) {
                    "while this rule was running"
                } else {
                    "before this rule started"
                };
                format!(
                    "part {} of {} ended {when}; finish it with --resume {}, then merge again",
                    run.part,
                    self.of,
                    run.path.display()
                )
            }
        }
    }
}

/// The differences that show that two runs are not parts of the same run, one per line.
fn differences(first: &RunHeader, other: &RunHeader) -> Vec<String> {
    let mut differences = Differences::between(["in the first", "in this one"]);
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "not reported".to_owned());
    let yes = |yes: bool| if yes { "on" } else { "off" }.to_owned();
    let of = |header: &RunHeader| header.settings.part.as_ref().map_or(0, |part| part.of);
    let balanced = |header: &RunHeader| header.settings.part.as_ref().and_then(|part| part.balanced.clone());
    let machine = "run all parts against the same library and driver";
    let settings = "give all parts the same options";
    let (a, b): (&RunSettings, &RunSettings) = (&first.settings, &other.settings);
    differences.fact("the suite's version", &first.suite, &other.suite, "use the same version for all parts");
    differences.fact("the catalog's digest", &first.catalog_digest, &other.catalog_digest, "use the same catalog");
    differences.fact("the runtime", &first.runtime, &other.runtime, settings);
    differences.fact("the number of parts", &of(first), &of(other), "give all parts the same N");
    differences.fact("the library's digest", &first.library.sha256, &other.library.sha256, machine);
    differences.fact("the further libraries", &further(first), &further(other), machine);
    differences.fact("the mapped libraries", &mapped(first, other), &mapped(other, first), machine);
    differences.fact("the edition", &editions(first), &editions(other), machine);
    differences.fact("the capabilities", &able(first), &able(other), machine);
    differences.fact("the product", &first.product, &other.product, "merge runs of one product");
    differences.fact(
        "the device's name",
        &text(&first.reported_name),
        &text(&other.reported_name),
        "merge runs of the same model",
    );
    differences.fact("the number of devices", &first.devices, &other.devices, "give all parts the same --devices");
    differences.fingerprints(first, other);
    differences.fact("the run mode", &first.run_mode, &other.run_mode, settings);
    differences.fact("the profile", &first.profile, &other.profile, settings);
    differences.fact("the seed", &first.seed, &other.seed, "give all parts the same --seed");
    differences.fact("the defects", &first.defects.join(","), &other.defects.join(","), settings);
    let limit = |settings: &RunSettings| settings.rule_limit.map(|limit| limit.to_string()).unwrap_or_default();
    differences.fact("--tune rule-limit", &limit(a), &limit(b), settings);
    differences.fact("--sim edition", &text(&a.sim_edition), &text(&b.sim_edition), settings);
    let mebibytes = |memory: Option<u64>| memory.map_or_else(|| "no number".to_owned(), |memory| memory.to_string());
    differences.fact("--sim memory", &mebibytes(a.sim_memory), &mebibytes(b.sim_memory), settings);
    differences.fact("--through", &text(&a.through), &text(&b.through), settings);
    differences.fact("--tune deadline", &a.deadline, &b.deadline, settings);
    differences.fact("--hazardous", &yes(a.hazardous), &yes(b.hazardous), settings);
    differences.fact("--tune without-axiom", &a.without_axioms.join(", "), &b.without_axioms.join(", "), settings);
    differences.fact("--tune every-device", &yes(a.on_every_device), &yes(b.on_every_device), settings);
    differences.fact("--dedicated", &yes(a.dedicated), &yes(b.dedicated), settings);
    differences.fact("--strict", &yes(a.strict), &yes(b.strict), settings);
    let least = |settings: &RunSettings| settings.min_executed.map(|least| least.to_string());
    differences.fact("--tune min-executed", &text(&least(a)), &text(&least(b)), settings);
    if first.selected != other.selected {
        differences.found.push(format!("  the rules selected for all parts: different; {settings}"));
    }
    let times = "balance all parts by the same run (--shard K/N@RUN), or none";
    differences.fact("the times", &text(&balanced(first)), &text(&balanced(other)), times);
    differences.found
}

/// Part numbers as text: `part 3`, `parts 3, 7`.
pub(super) fn numbered(numbers: &BTreeSet<u32>) -> String {
    // The maximum number of parts to list. A run may have a hundred thousand parts, and each rule may list missing
    // parts.
    const SHOWN: usize = 20;
    let mut texts: Vec<String> = numbers.iter().take(SHOWN).map(u32::to_string).collect();
    texts.extend(numbers.len().checked_sub(SHOWN).filter(|more| *more > 0).map(|more| format!("and {more} more")));
    format!("{} {}", if numbers.len() == 1 { "part" } else { "parts" }, texts.join(", "))
}
