//! A history as Markdown.

use std::fmt::Write;

use super::text::{exit, since};
use super::{History, LEGEND, PastRun, Timeline, mark};
use crate::report::{duration, markdown_line as escaped};
use record::Meaning;

/// Rules that are shown; a comment has an end.
const MOST: usize = 50;

/// The history as Markdown. What journals say is escaped.
pub fn markdown(history: &History) -> String {
    let mut text = String::from("# Runs over time\n");
    for timeline in &history.timelines {
        let _ = writeln!(text, "\n## {}, {} runs\n", escaped(&timeline.tested), timeline.runs.len());
        runs(&mut text, timeline);
        rules(&mut text, timeline);
    }
    for remark in &history.remarks {
        let _ = writeln!(text, "\n{}", escaped(remark));
    }
    text
}

fn runs(text: &mut String, timeline: &Timeline) {
    text.push_str(
        "| run | started | exit | hold | broken | finding | unknown | skipped | time | since the run before |\n",
    );
    text.push_str("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    let mut before: Option<&PastRun> = None;
    for (index, run) in timeline.runs.iter().enumerate() {
        let number = |meaning| run.counts.get(&meaning).copied().unwrap_or(0);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            index + 1,
            escaped(&run.started),
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

fn rules(text: &mut String, timeline: &Timeline) {
    let restless = timeline.restless();
    let steady = timeline.rules().len() - restless.len();
    if !restless.is_empty() {
        text.push_str("\n| rule | runs | changes | not good | flaky | failed again | median time |\n");
        text.push_str("| --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
        for rule in restless.iter().take(MOST) {
            // A blank at either end of code is not shown.
            let marks: String =
                rule.verdicts.iter().map(|verdict| mark(*verdict)).collect::<String>().replace(' ', "·");
            let again = rule.again.map_or("–".to_owned(), |(failed, runs)| format!("{failed} of {runs}"));
            let _ = writeln!(
                text,
                "| {} | `{marks}` | {} | {} of {} | {} | {again} | {} |",
                escaped(&rule.rule),
                rule.changes,
                rule.broken,
                rule.ran,
                rule.flaky,
                duration(rule.median)
            );
        }
        if restless.len() > MOST {
            let _ = writeln!(text, "\n… and {} more: `--format html` has all", restless.len() - MOST);
        }
        let _ = writeln!(text, "\n{}", escaped(&LEGEND.replace("blank", "·")));
    }
    let _ = writeln!(text, "\n{steady} rules were good in every run in which they ran.");
}
