//! A history as Markdown.

use std::fmt::Write;

use super::text::{exit, rule_columns, since};
use super::{History, PastRun, Timeline, mark};
use crate::report::{MEANINGS, duration, markdown_line as escaped, meaning_text};
use messages::message;

/// The largest number of rules in a table, because comments have a size limit.
const MOST: usize = 50;

/// The history as Markdown. Text from journals is escaped.
pub fn markdown(history: &History) -> String {
    let mut text = format!("# {}\n", message!("history-title"));
    for timeline in &history.timelines {
        let tested = escaped(&timeline.tested);
        let _ = writeln!(text, "\n## {}\n", message!("timeline", tested = tested, count = timeline.runs.len()));
        runs(&mut text, timeline);
        rules(&mut text, timeline);
    }
    for remark in &history.remarks {
        let _ = writeln!(text, "\n{}", escaped(remark));
    }
    text
}

fn runs(text: &mut String, timeline: &Timeline) {
    let first = [message!("column-run"), message!("column-started"), message!("column-exit")];
    let last = [message!("column-time"), message!("column-differences")];
    let columns: Vec<&str> = first.into_iter().chain(MEANINGS.map(meaning_text)).chain(last).collect();
    let _ = writeln!(text, "| {} |", columns.join(" | "));
    text.push_str("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    let mut before: Option<&PastRun> = None;
    for (index, run) in timeline.runs.iter().enumerate() {
        let numbers = MEANINGS.map(|meaning| run.counts.get(&meaning).copied().unwrap_or(0).to_string());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            index + 1,
            escaped(&run.started),
            exit(run),
            numbers.join(" | "),
            run.nanoseconds.map_or(message!("unfinished").to_owned(), duration),
            since(run, before)
        );
        before = Some(run);
    }
}

fn rules(text: &mut String, timeline: &Timeline) {
    let groups = timeline.restless_groups();
    let steady = timeline.rules().len() - groups.iter().map(Vec::len).sum::<usize>();
    if !groups.is_empty() {
        let columns = rule_columns().join(" | ");
        let _ = writeln!(text, "\n| {} | {} | {columns} |", message!("column-rule"), message!("column-runs"));
        text.push_str("| --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
        for group in groups.iter().take(MOST) {
            let rule = &group[0];
            let others = match group.len() {
                1 => String::new(),
                rules => format!(" {}", message!("others-with-same-results", count = rules - 1)),
            };
            // Markdown drops a space at either end of a code span.
            let marks: String =
                rule.verdicts.iter().map(|verdict| mark(*verdict)).collect::<String>().replace(' ', "·");
            let again = rule.again.map_or("–".to_owned(), |(failed, runs)| message!("of", some = failed, all = runs));
            let _ = writeln!(
                text,
                "| {}{others} | `{marks}` | {} | {} | {} | {again} | {} |",
                escaped(&rule.rule),
                rule.changes,
                message!("of", some = rule.broken, all = rule.ran),
                rule.flaky,
                duration(rule.median)
            );
        }
        if groups.len() > MOST {
            let _ = writeln!(text, "\n… {}", message!("and-more-in-html", count = groups.len() - MOST));
        }
        let _ = writeln!(text, "\n{}", escaped(message!("legend-markdown")));
    }
    let _ = writeln!(text, "\n{}", message!("steady-rules", count = steady));
}
