//! A history for a terminal.

use std::fmt::Write;

use super::{History, PastRun, Timeline, mark};
use crate::report::{MEANINGS, clean, columns, duration, meaning_text, one_line, pad, pad_left, wrap};
use messages::message;
use record::text::width;

/// The largest number of rules named after the first rule with the same results.
const OTHERS: usize = 6;

/// The history as text. Text from journals cannot move the cursor.
pub fn text(history: &History) -> String {
    let mut text = String::new();
    for timeline in &history.timelines {
        let tested = one_line(&timeline.tested);
        let _ = writeln!(text, "{}\n", message!("timeline", tested = tested, count = timeline.runs.len()));
        runs(&mut text, timeline);
        rules(&mut text, timeline);
        text.push('\n');
    }
    for remark in &history.remarks {
        let _ = writeln!(text, "{}", wrap(remark, width()).join("\n"));
    }
    clean(&text).into_owned()
}

fn runs(text: &mut String, timeline: &Timeline) {
    let meanings = MEANINGS.map(|meaning| pad_left(meaning_text(meaning), 7)).join(" ");
    let _ = writeln!(
        text,
        "  {}  {}   {} {meanings} {}  {}",
        pad_left(message!("column-run"), 3),
        pad(message!("column-started"), 19),
        pad_left(message!("column-exit"), 4),
        pad_left(message!("column-time"), 13),
        message!("column-differences")
    );
    let mut before: Option<&PastRun> = None;
    for (index, run) in timeline.runs.iter().enumerate() {
        let numbers = MEANINGS.map(|meaning| format!("{:>7}", run.counts.get(&meaning).copied().unwrap_or(0)));
        let started: String = one_line(&run.started).chars().take(19).collect();
        let _ = writeln!(
            text,
            "  {:>3}  {started:<19}   {:>4} {} {}  {}",
            index + 1,
            exit(run),
            numbers.join(" "),
            pad_left(&run.nanoseconds.map_or(message!("unfinished").to_owned(), duration), 13),
            since(run, before)
        );
        before = Some(run);
    }
}

/// The exit status, or a dash.
fn exit(run: &PastRun) -> String {
    run.exit.map_or("–".to_owned(), |exit| exit.to_string())
}

/// The differences from the previous run, in words.
fn since(run: &PastRun, before: Option<&PastRun>) -> String {
    let differs = before.map(|before| run.differs_from(before)).unwrap_or_default();
    if differs.is_empty() { String::new() } else { message!("other", what = differs.join(", ")) }
}

/// The headers of the columns that follow a rule's name and marks.
fn rule_columns() -> [&'static str; 5] {
    [
        message!("column-changes"),
        message!("column-not-good"),
        message!("column-flaky"),
        message!("column-failed-again"),
        message!("column-median-time"),
    ]
}

fn rules(text: &mut String, timeline: &Timeline) {
    let groups = timeline.restless_groups();
    let steady = timeline.rules().len() - groups.iter().map(Vec::len).sum::<usize>();
    if groups.is_empty() {
        let _ = writeln!(text, "\n  {}", message!("steady-rules", count = steady));
        return;
    }
    let name = groups.iter().map(|group| one_line(&group[0].rule).chars().count()).max().unwrap_or(0).min(60);
    let runs = timeline.runs.len().max(columns(message!("column-runs")));
    let [changes, not_good, flaky, again, time] = rule_columns();
    let _ = writeln!(
        text,
        "\n  {}  {}  {}  {}  {}  {}  {}",
        pad(message!("column-rule"), name),
        pad(message!("column-runs"), runs),
        pad_left(changes, 7),
        pad_left(not_good, 8),
        pad_left(flaky, 6),
        pad_left(again, 12),
        pad_left(time, 12)
    );
    for group in &groups {
        let rule = &group[0];
        let marks: String = rule.verdicts.iter().map(|verdict| mark(*verdict)).collect();
        let again = rule.again.map_or("–".to_owned(), |(failed, runs)| message!("of", some = failed, all = runs));
        let _ = writeln!(
            text,
            "  {:<name$}  {marks:<runs$}  {:>7}  {:>8}  {:>6}  {}  {:>12}",
            one_line(&rule.rule),
            rule.changes,
            format!("{}/{}", rule.broken, rule.ran),
            format!("{}/{}", rule.flaky, rule.ran),
            pad_left(&again, 12),
            duration(rule.median)
        );
        if let Some(others) = group.get(1..).filter(|others| !others.is_empty()) {
            let shown: Vec<String> = others.iter().take(OTHERS).map(|other| one_line(&other.rule)).collect();
            let more = if others.len() > OTHERS { ", …" } else { "" };
            let others = message!("others-with-same-results", count = others.len());
            for line in wrap(&format!("{others}: {}{more}", shown.join(", ")), width() - 4) {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    let _ = writeln!(text, "\n  {}", wrap(message!("legend"), width() - 2).join("\n  "));
    let _ = writeln!(text, "  {}", message!("other-steady-rules", count = steady));
}
