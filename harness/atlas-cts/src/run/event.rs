//! What happens in a run, as programs read it: `--log-format json` prints one object a line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use catalog::Level;
use engine::run::{Agenda, Campaign};
use ledger::report::conclusion_text;
use record::{Incident, Meaning, Recorded, RuleResult};

/// Something that happened, and when: RFC 3339 in UTC.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogLine {
    pub(crate) at: String,
    #[serde(flatten)]
    pub(crate) event: LogEvent,
}

/// Something that happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum LogEvent {
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
    /// Something happens to devices or processes.
    #[serde(untagged)]
    Happened(Incident),
}

/// What is tested.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunEvent {
    /// Version of the suite.
    pub(crate) suite: String,
    pub(crate) runtime: String,
    pub(crate) product: String,
    /// Path of the library under test.
    pub(crate) library: String,
    /// SHA-256 of the library, lower-case hex.
    pub(crate) sha256: String,
    pub(crate) simulated: bool,
    pub(crate) profile: String,
    pub(crate) seed: u64,
    /// Rules that were selected.
    pub(crate) rules: u64,
}

/// What came of a rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResultEvent {
    pub(crate) rule: String,
    pub(crate) chapter: String,
    pub(crate) title: String,
    /// Whether a document promises it: `must` or `info`.
    pub(crate) level: String,
    /// As the journal names it, for example `pass` or `wrong-code`.
    pub(crate) verdict: String,
    /// What it means: good, broken, finding, skipped or unknown.
    pub(crate) meaning: String,
    /// Whether it is as a known failure says, so that it does not count.
    pub(crate) expected: bool,
    /// Why; empty for a pass.
    pub(crate) reason: String,
    /// Where the failed statement stands; `None`: nothing failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// The devices that it ran on, as the machine numbers them; of a rule that ran on each, that of this answer. Empty: all
    /// that there are, or a simulated machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) devices: Vec<String>,
    /// A command that runs the failing case again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<String>,
    /// Wall time.
    pub(crate) nanoseconds: u64,
    pub(crate) cases: u64,
    pub(crate) checks: u64,
}

/// How a run ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndEvent {
    /// The exit status that the results mean; `None`: the run did not reach its end.
    pub(crate) exit: Option<u8>,
    /// In one sentence.
    pub(crate) text: String,
    /// Number of results by verdict.
    pub(crate) counts: BTreeMap<String, u64>,
    /// Wall time; `None`: the run did not reach its end.
    pub(crate) nanoseconds: Option<u64>,
    /// Where journal and reports are: a name below `reports/out`, or a path.
    pub(crate) folder: String,
}

impl LogLine {
    /// Something that happens now.
    pub(crate) fn now(event: LogEvent) -> LogLine {
        LogLine { at: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(), event }
    }
}

impl LogEvent {
    /// A run begins.
    pub(crate) fn run(work: &Agenda) -> LogEvent {
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
    pub(crate) fn result(campaign: &Campaign, result: &RuleResult) -> LogEvent {
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
    pub(crate) fn end(run: &Recorded) -> LogEvent {
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
