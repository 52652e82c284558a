//! A history for a terminal.

use std::fmt::Write;

use super::{History, LEGEND, PastRun, Timeline, mark};
use crate::report::{clean, duration, one_line, wrap};
use record::Meaning;

/// The width that it is laid out for.
const WIDTH: usize = 100;

/// The history as text. Nothing of what journals say can move a cursor.
pub fn text(history: &History) -> String {
    let mut text = String::new();
    for timeline in &history.timelines {
        let _ = writeln!(text, "{}, {} runs\n", one_line(&timeline.tested), timeline.runs.len());
        runs(&mut text, timeline);
        rules(&mut text, timeline);
        text.push('\n');
    }
    for remark in &history.remarks {
        let _ = writeln!(text, "{}", wrap(remark, WIDTH).join("\n"));
    }
    clean(&text).into_owned()
}

fn runs(text: &mut String, timeline: &Timeline) {
    let _ = writeln!(
        text,
        "  run  started               exit   hold broken finding unknown skipped          time  since the run before"
    );
    let mut before: Option<&PastRun> = None;
    for (index, run) in timeline.runs.iter().enumerate() {
        let number = |meaning| run.counts.get(&meaning).copied().unwrap_or(0);
        let started: String = one_line(&run.started).chars().take(19).collect();
        let _ = writeln!(
            text,
            "  {:>3}  {started:<19}   {:>4} {:>6} {:>6} {:>7} {:>7} {:>7} {:>13}  {}",
            index + 1,
            exit(run),
            number(Meaning::Good),
            number(Meaning::Broken),
            number(Meaning::Finding),
            number(Meaning::Unknown),
            number(Meaning::Skipped),
            run.nanoseconds.map_or("no end".to_owned(), duration),
            since(run, before)
        );
        before = Some(run);
    }
}

/// The exit status, or that there is none.
pub(super) fn exit(run: &PastRun) -> String {
    run.exit.map_or("–".to_owned(), |exit| exit.to_string())
}

/// What differs from the run before.
pub(super) fn since(run: &PastRun, before: Option<&PastRun>) -> String {
    let differs = before.map(|before| run.differs_from(before)).unwrap_or_default();
    if differs.is_empty() { String::new() } else { format!("other {}", differs.join(", ")) }
}

fn rules(text: &mut String, timeline: &Timeline) {
    let restless = timeline.restless();
    let steady = timeline.rules().len() - restless.len();
    if restless.is_empty() {
        let _ = writeln!(text, "\n  {steady} rules: all good in every run in which they ran");
        return;
    }
    let width = restless.iter().map(|rule| one_line(&rule.rule).chars().count()).max().unwrap_or(0).min(60);
    let runs = timeline.runs.len().max("runs".len());
    let _ = writeln!(
        text,
        "\n  {:<width$}  {:<runs$}  changes  not good   flaky  failed again   median time",
        "rule", "runs"
    );
    for rule in &restless {
        let marks: String = rule.verdicts.iter().map(|verdict| mark(*verdict)).collect();
        let again = rule.again.map_or("–".to_owned(), |(failed, runs)| format!("{failed} of {runs}"));
        let _ = writeln!(
            text,
            "  {:<width$}  {marks:<runs$}  {:>7}  {:>8}  {:>6}  {again:>12}  {:>12}",
            one_line(&rule.rule),
            rule.changes,
            format!("{}/{}", rule.broken, rule.ran),
            format!("{}/{}", rule.flaky, rule.ran),
            duration(rule.median)
        );
    }
    let _ = writeln!(text, "\n  {}", wrap(LEGEND, WIDTH - 2).join("\n  "));
    let _ = writeln!(text, "  {steady} other rules were good in every run in which they ran");
}
