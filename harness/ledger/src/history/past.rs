//! The parts of a past run that a history needs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use record::{Meaning, Recorded, RuleResult, RunHeader, Verdict};

/// A past run.
#[derive(Debug)]
pub struct PastRun {
    pub path: PathBuf,
    /// Start time, RFC 3339 in UTC.
    pub started: String,
    /// Wall time; `None` if the run did not finish.
    pub nanoseconds: Option<u64>,
    /// Exit status; `None` if the run did not finish.
    pub exit: Option<u8>,
    /// The number of results by meaning.
    pub counts: BTreeMap<Meaning, usize>,
    /// The number of results that a known failure excuses.
    pub known: usize,
    /// The number of executed cases.
    pub cases: u64,
    /// The number of executed judged statements.
    pub checks: u64,
    /// The suite, the devices and the installed versions, by the names of labels in metrics. Empty text is unknown.
    pub tested: BTreeMap<&'static str, String>,
    /// The versions and settings that can affect the results, by name.
    pub made_with: BTreeMap<&'static str, String>,
    pub(super) results: BTreeMap<String, PastResult>,
}

/// A rule's result in a past run.
#[derive(Debug, Clone, Copy)]
pub(super) struct PastResult {
    pub verdict: Verdict,
    pub meaning: Meaning,
    pub nanoseconds: u64,
    /// The number of failed reruns of the failing case, and the total number of its reruns.
    pub again: Option<(u32, u32)>,
}

impl PastRun {
    pub(super) fn of(path: &Path, run: &Recorded) -> PastRun {
        let mut counts = BTreeMap::new();
        run.results.iter().for_each(|result| *counts.entry(result.meaning()).or_default() += 1);
        let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
        let known = run.results.iter().filter(|result| expected.is_some_and(|known| known.excuses(&result.id)));
        PastRun {
            path: path.to_owned(),
            started: run.header.started.clone(),
            nanoseconds: run.end.as_ref().map(|end| end.nanoseconds),
            exit: run.end.as_ref().map(|end| end.exit),
            counts,
            known: known.count(),
            cases: run.results.iter().map(|result| result.cases).sum(),
            checks: run.results.iter().map(|result| result.checks).sum(),
            tested: tested(&run.header),
            made_with: made_with(&run.header),
            results: run.results.iter().map(|result| (result.id.clone(), PastResult::of(result))).collect(),
        }
    }

    /// The names of the versions and settings that differ from those of an earlier run.
    pub fn differs_from(&self, earlier: &PastRun) -> Vec<&'static str> {
        let differs = |name: &&'static str| self.made_with.get(*name) != earlier.made_with.get(*name);
        self.made_with.keys().copied().filter(differs).collect()
    }
}

impl PastResult {
    fn of(result: &RuleResult) -> PastResult {
        let again = result.runs_again();
        PastResult {
            verdict: result.verdict,
            meaning: result.meaning(),
            nanoseconds: result.nanoseconds,
            again: (again.runs > 0).then_some((again.failed, again.runs)),
        }
    }
}

fn tested(header: &RunHeader) -> BTreeMap<&'static str, String> {
    let fingerprint = header.fingerprint.as_ref();
    // Several sources may know a version, and a machine may have several models.
    let listed = |texts: BTreeSet<&str>| texts.into_iter().collect::<Vec<_>>().join(", ");
    let installed = |of: &str| {
        let versions = fingerprint.iter().flat_map(|found| &found.installed).filter(|found| found.of == of);
        listed(versions.map(|found| found.version.as_str()).collect())
    };
    let devices = fingerprint.iter().flat_map(|found| &found.devices);
    let models = listed(devices.filter_map(|device| device.model.as_deref()).collect());
    let reported = header.reported_name.clone().unwrap_or_default();
    BTreeMap::from([
        ("suite", header.suite.clone()),
        ("profile", header.profile.clone()),
        ("edition", header.edition.clone().unwrap_or_default()),
        ("library_version", header.library.version.clone().unwrap_or_default()),
        ("device", if models.is_empty() { reported } else { models }),
        ("driver", installed("driver")),
        ("firmware", installed("firmware")),
        ("toolkit", installed("toolkit")),
    ])
}

fn made_with(header: &RunHeader) -> BTreeMap<&'static str, String> {
    let installed = header.fingerprint.iter().flat_map(|fingerprint| &fingerprint.installed);
    let installed: Vec<String> = installed.map(|version| format!("{} {}", version.of, version.version)).collect();
    BTreeMap::from([
        ("suite", header.suite.clone()),
        ("library", header.library.sha256.clone()),
        ("version", header.library.version.clone().unwrap_or_default()),
        ("installed", installed.join(", ")),
        ("catalog", header.catalog_digest.clone()),
        ("profile", header.profile.clone()),
        (
            "selection",
            if header.is_narrowed() { header.own_rules().collect::<Vec<_>>().join(" ") } else { String::new() },
        ),
        ("defects", header.defects.join(", ")),
        ("devices", header.devices.to_string()),
    ])
}
