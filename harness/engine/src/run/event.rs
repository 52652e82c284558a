//! What happens in a run, as programs read it: `--log-format json` prints one object a line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use catalog::Level;
use ledger::report::conclusion_text;
use record::{Meaning, Recorded, RuleResult};

use super::campaign::Campaign;
use super::observer::Work;

/// Something that happened, and when: RFC 3339 in UTC.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogLine {
    pub at: String,
    #[serde(flatten)]
    pub event: LogEvent,
}

/// Something that happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LogEvent {
    /// The run begins: what is tested.
    Run(Box<RunEvent>),
    /// A line for a person: what was loaded, what is resumed.
    Line { text: String },
    /// A rule begins; one that runs once more begins twice.
    Begin { rule: String, devices: String },
    /// A rule has a result.
    Result(Box<ResultEvent>),
    /// Something is said about the run as a whole.
    Remark { text: String },
    /// The run is over, or was asked to end.
    End(Box<EndEvent>),
}

/// What is tested.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunEvent {
    /// Version of the suite.
    pub suite: String,
    pub runtime: String,
    pub product: String,
    /// Path of the library under test.
    pub library: String,
    /// SHA-256 of the library, lower-case hex.
    pub sha256: String,
    pub simulated: bool,
    pub profile: String,
    pub seed: u64,
    /// Rules that were selected.
    pub rules: u64,
}

/// What came of a rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultEvent {
    pub rule: String,
    pub chapter: String,
    pub title: String,
    /// Whether a document promises it: `must` or `info`.
    pub level: String,
    /// As the journal names it, for example `pass` or `wrong-code`.
    pub verdict: String,
    /// What it means: good, broken, finding, skipped or unknown.
    pub meaning: String,
    /// Whether it is as a known failure says, so that it does not count.
    pub expected: bool,
    /// Why; empty for a pass.
    pub reason: String,
    /// Where the failed statement stands; `None`: nothing failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The devices that it ran on, as the machine numbers them; of a rule that ran on each, that of this answer. Empty: all
    /// that there are, or a simulated machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// A command that runs the failing case again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// Wall time.
    pub nanoseconds: u64,
    pub cases: u64,
    pub checks: u64,
}

/// How a run ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndEvent {
    /// The exit status that the results mean; `None`: the run did not reach its end.
    pub exit: Option<u8>,
    /// In one sentence.
    pub text: String,
    /// Number of results by verdict.
    pub counts: BTreeMap<String, u64>,
    /// Wall time; `None`: the run did not reach its end.
    pub nanoseconds: Option<u64>,
    /// Where journal and reports are: a name below `reports/out`, or a path.
    pub folder: String,
}

impl LogLine {
    /// Something that happens now.
    pub fn now(event: LogEvent) -> LogLine {
        LogLine { at: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(), event }
    }
}

impl LogEvent {
    /// A run begins.
    pub fn run(work: &Work) -> LogEvent {
        let header = &work.campaign.header;
        LogEvent::Run(Box::new(RunEvent {
            suite: header.suite.clone(),
            runtime: header.runtime.clone(),
            product: header.product.clone(),
            library: header.library.path.clone(),
            sha256: header.library.sha256.clone(),
            simulated: header.library.simulated,
            profile: header.profile.clone(),
            seed: header.seed,
            rules: work.selected.len() as u64,
        }))
    }

    /// A rule has a result.
    pub fn result(campaign: &Campaign, result: &RuleResult) -> LogEvent {
        let failure = result.failure.as_ref();
        LogEvent::Result(Box::new(ResultEvent {
            rule: result.id.clone(),
            chapter: result.chapter.clone(),
            title: result.title.clone(),
            level: match result.level {
                Level::Must => "must".to_owned(),
                Level::Info => "info".to_owned(),
            },
            verdict: result.verdict.name().to_owned(),
            meaning: meaning(result.meaning()).to_owned(),
            expected: campaign.expected(result),
            reason: result.reason.clone(),
            place: failure.map(|failure| failure.place.clone()),
            devices: result.devices.clone(),
            replay: failure.map(|failure| failure.replay.clone()),
            nanoseconds: result.nanoseconds,
            cases: result.cases,
            checks: result.checks,
        }))
    }

    /// A run is over.
    pub fn end(run: &Recorded) -> LogEvent {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for result in &run.results {
            *counts.entry(result.verdict.name().to_owned()).or_default() += 1;
        }
        LogEvent::End(Box::new(EndEvent {
            exit: run.end.as_ref().map(|end| end.exit),
            text: conclusion_text(run),
            counts,
            nanoseconds: run.end.as_ref().map(|end| end.nanoseconds),
            folder: run.header.run.clone(),
        }))
    }
}

fn meaning(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "good",
        Meaning::Broken => "broken",
        Meaning::Finding => "finding",
        Meaning::Skipped => "skipped",
        Meaning::Unknown => "unknown",
    }
}
