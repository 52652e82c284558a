//! The newest run of each timeline as metrics, in the text format of Prometheus.
//!
//! node_exporter's textfile collector reads the format. The number of series depends only on the number of timelines:
//! no metric names a rule.

use std::fmt::Write;

use super::{History, PastRun, RuleHistory, Timeline};
use crate::report::{MEANINGS, one_line};
use record::{Meaning, Verdict};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The history's newest runs as metrics. Text from journals occurs only in labels, where it is escaped.
pub fn prometheus(history: &History) -> String {
    let newest: Vec<Newest> = history.timelines.iter().filter_map(Newest::of).collect();
    let mut text = String::new();
    for metric in METRICS {
        // A metric without a sample is left out with its description.
        let samples: String = newest.iter().flat_map(|newest| samples(metric, newest)).collect();
        if !samples.is_empty() {
            let name = metric.name;
            let _ = write!(text, "# HELP {name} {}\n# TYPE {name} gauge\n{samples}", metric.help);
        }
    }
    text
}

/// A timeline with its newest run.
struct Newest<'a> {
    timeline: &'a Timeline,
    run: &'a PastRun,
    /// The number of rules that are flaky in at least one run.
    flaky: usize,
    /// The number of rules whose verdict is not that of the previous run.
    changed: usize,
}

impl Newest<'_> {
    fn of(timeline: &Timeline) -> Option<Newest<'_>> {
        let run = timeline.runs.last()?;
        let flaky = timeline.rules().iter().filter(|rule| rule.flaky > 0).count();
        let changed = timeline.rules().iter().filter(|rule| changed(rule)).count();
        Some(Newest { timeline, run, flaky, changed })
    }
}

/// True if the rule has a result in the newest two runs, and the verdicts differ.
fn changed(rule: &RuleHistory) -> bool {
    matches!(rule.verdicts[..], [.., Some(before), Some(now)] if before != now)
}

/// A metric; all are gauges.
struct Metric {
    name: &'static str,
    /// A sentence. It has no backslash and no line feed, which the format would need escaped.
    help: &'static str,
    values: fn(&Newest) -> Vec<Value>,
}

/// A value, with the labels that it has in addition to those of its timeline.
struct Value(Vec<(&'static str, String)>, f64);

/// A value without additional labels, if it is known.
fn plain(value: Option<f64>) -> Vec<Value> {
    value.map(|value| Value(Vec::new(), value)).into_iter().collect()
}

/// A number of things as a value.
fn number(number: usize) -> Vec<Value> {
    plain(Some(number as f64))
}

const METRICS: &[Metric] = &[
    Metric {
        name: "atlas_cts_run_info",
        help: "What the newest run tested, in labels; always 1.",
        values: |newest| vec![Value(newest.run.tested.iter().map(|(name, text)| (*name, text.clone())).collect(), 1.0)],
    },
    Metric {
        name: "atlas_cts_run_start_timestamp_seconds",
        help: "Start of the newest run, in seconds since 1970.",
        values: |newest| {
            let started = OffsetDateTime::parse(&newest.run.started, &Rfc3339).ok();
            plain(started.map(|started| started.unix_timestamp() as f64))
        },
    },
    Metric {
        name: "atlas_cts_run_finished",
        help: "1 if the newest run reached its end, otherwise 0.",
        values: |newest| plain(Some(f64::from(u8::from(newest.run.exit.is_some())))),
    },
    Metric {
        name: "atlas_cts_run_exit_status",
        help: "Exit status of the newest run: 0 conformant, 1 a rule is broken, 3 unknown. Absent without an end.",
        values: |newest| plain(newest.run.exit.map(f64::from)),
    },
    Metric {
        name: "atlas_cts_run_duration_seconds",
        help: "Wall time of the newest run. Absent without an end.",
        values: |newest| plain(newest.run.nanoseconds.map(|time| time as f64 / 1e9)),
    },
    Metric {
        name: "atlas_cts_rules",
        help: "Rules of the newest run by the meaning of their results. Known failures count as what they are.",
        values: |newest| {
            let value = |meaning| {
                let number = newest.run.counts.get(&meaning).copied().unwrap_or(0);
                Value(vec![("meaning", name(meaning).to_owned())], number as f64)
            };
            MEANINGS.map(value).into()
        },
    },
    Metric {
        name: "atlas_cts_rules_known",
        help: "Rules of the newest run that are excused by a known failure.",
        values: |newest| number(newest.run.known),
    },
    Metric {
        name: "atlas_cts_rules_flaky",
        help: "Rules of the newest run that are flaky.",
        values: |newest| number(newest.run.results.values().filter(|result| result.verdict == Verdict::Flaky).count()),
    },
    Metric {
        name: "atlas_cts_rules_changed",
        help: "Rules whose verdict differs from the run before.",
        values: |newest| number(newest.changed),
    },
    Metric {
        name: "atlas_cts_cases",
        help: "Cases that the newest run executed.",
        values: |newest| plain(Some(newest.run.cases as f64)),
    },
    Metric {
        name: "atlas_cts_checks",
        help: "Judged statements that the newest run executed.",
        values: |newest| plain(Some(newest.run.checks as f64)),
    },
    Metric {
        name: "atlas_cts_history_runs",
        help: "Runs in the history; the option --last limits them.",
        values: |newest| number(newest.timeline.runs.len()),
    },
    Metric {
        name: "atlas_cts_history_flaky_rules",
        help: "Rules that were flaky in at least one run of the history.",
        values: |newest| number(newest.flaky),
    },
];

/// The value of the label `meaning`. Alerts depend on it, so it is not a message.
fn name(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "good",
        Meaning::Broken => "broken",
        Meaning::Finding => "finding",
        Meaning::Skipped => "skipped",
        Meaning::Unknown => "unknown",
    }
}

/// The lines of a metric for a timeline.
fn samples(metric: &Metric, newest: &Newest) -> Vec<String> {
    let line = |Value(more, value): &Value| {
        let labels = newest.timeline.labels.iter().chain(more);
        let labels: Vec<String> = labels.map(|(name, text)| format!("{name}=\"{}\"", escaped(text))).collect();
        format!("{}{{{}}} {value}\n", metric.name, labels.join(","))
    };
    (metric.values)(newest).iter().map(line).collect()
}

/// Escapes the value of a label.
fn escaped(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
