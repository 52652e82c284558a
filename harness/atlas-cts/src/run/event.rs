//! A run's events, for programs: `--log-format json` prints one object per line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use catalog::Level;
use engine::run::{Agenda, Campaign};
use ledger::report::conclusion_text;
use record::{Incident, Meaning, Recorded, RuleResult};

/// An event and its time, in UTC as specified by RFC 3339.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogLine {
    pub(crate) at: String,
    #[serde(flatten)]
    pub(crate) event: LogEvent,
}

/// An event in a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum LogEvent {
    /// The run begins.
    Run(Box<RunEvent>),
    /// A line for people: for example, about the loaded library or a resumed run.
    Line { text: String },
    /// A rule begins. A rerun rule begins again.
    Begin { rule: String, devices: String },
    /// A rule has a result.
    Result(Box<ResultEvent>),
    /// A remark about the run.
    Remark { text: String },
    /// The run is complete or was stopped.
    End(Box<EndEvent>),
    /// An incident with devices or processes.
    #[serde(untagged)]
    Happened(Incident),
}

/// The subject of a run.
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
    /// Number of selected rules.
    pub(crate) rules: u64,
}

/// A rule's result.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResultEvent {
    pub(crate) rule: String,
    pub(crate) chapter: String,
    pub(crate) title: String,
    /// `must` if a document promises it, otherwise `info`.
    pub(crate) level: String,
    /// The verdict, as in the journal: for example, `pass` or `wrong-code`.
    pub(crate) verdict: String,
    /// The meaning of the verdict: good, broken, finding, skipped or unknown.
    pub(crate) meaning: String,
    /// True if the result matches a known failure and does not count.
    pub(crate) expected: bool,
    /// The reason for the verdict; empty for a pass.
    pub(crate) reason: String,
    /// The place of the failed statement; `None` if nothing failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// The devices that the rule ran on, by their numbers in the machine. If the rule runs on each device, only this
    /// result's device. Empty means all devices, or a simulated machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) devices: Vec<String>,
    /// A command that replays the failing case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<String>,
    /// Wall time.
    pub(crate) nanoseconds: u64,
    pub(crate) cases: u64,
    pub(crate) checks: u64,
}

/// The end of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndEvent {
    /// The exit status that follows from the results; `None` if the run is incomplete.
    pub(crate) exit: Option<u8>,
    /// A summary in one sentence.
    pub(crate) text: String,
    /// The number of results by verdict.
    pub(crate) counts: BTreeMap<String, u64>,
    /// Wall time; `None` if the run is incomplete.
    pub(crate) nanoseconds: Option<u64>,
    /// The folder of the journal and reports: a name in `reports/out`, or a path.
    pub(crate) folder: String,
}

impl LogLine {
    /// The log line for an event, stamped with the current time.
    pub(crate) fn now(event: LogEvent) -> LogLine {
        LogLine { at: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(), event }
    }
}

impl LogEvent {
    /// The event for a run that begins.
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

    /// The event for a rule's result.
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

    /// The event for the end of a run.
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
