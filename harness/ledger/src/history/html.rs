//! A history as one self-contained page without scripts.

use std::path::Path;

use maud::{Markup, html};
use messages::message;
use record::{Meaning, Verdict};

use super::text::{exit, rule_columns, since};
use super::{History, PastRun, RuleHistory, Timeline, chart, mark};
use crate::report::{MEANINGS, PAGE_FILE, class, document, duration, meaning_text, moment, one_line, verdict_text};

/// The largest number of rules in a list of rules with the same results.
const MOST: usize = 200;

/// The history as HTML. Text from journals is escaped, so a journal cannot add markup. Links to the runs' reports are
/// relative to `base` if the runs are below it.
pub fn html(history: &History, base: &Path) -> String {
    let body = html! {
        main {
            h1 { (message!("history-title")) }
            @for (number, timeline) in history.timelines.iter().enumerate() {
                @let id = format!("tested-{number}");
                @let title = message!("timeline", tested = timeline.tested.as_str(), count = timeline.runs.len());
                section aria-labelledby=(id) {
                    h2 id=(id) { (title) }
                    (chart::results(timeline))
                    (chart::times(timeline))
                    (runs(timeline, base))
                    (rules(timeline))
                }
                "\n"
            }
            @for remark in &history.remarks { p { (remark) } }
        }
        "\n"
    };
    document(message!("history-title"), &body.0, "")
}

/// The runs, newest first. A row is a link to the run's page.
fn runs(timeline: &Timeline, base: &Path) -> Markup {
    let numbered: Vec<(usize, &PastRun, Option<&PastRun>)> = timeline
        .runs
        .iter()
        .enumerate()
        .map(|(index, run)| (index + 1, run, index.checked_sub(1).map(|before| &timeline.runs[before])))
        .collect();
    html! {
        div.wide role="region" aria-label=(message!("runs-newest-first")) tabindex="0" {
            table {
                caption { (message!("runs-newest-first")) }
                thead {
                    tr {
                        th.number scope="col" { (message!("column-run")) }
                        th scope="col" { (message!("column-started")) }
                        th.number scope="col" { (message!("column-exit")) }
                        @for meaning in MEANINGS { th.number scope="col" { (meaning_text(meaning)) } }
                        th.number scope="col" { (message!("column-time")) }
                        th scope="col" { (message!("column-differences")) }
                        th scope="col" { (message!("column-folder")) }
                    }
                }
                tbody {
                    @for (number, run, before) in numbered.into_iter().rev() {
                        tr {
                            th.number scope="row" { (number) }
                            td {
                                @match link(run, base) {
                                    Some(to) => a href=(to) { (start(run)) },
                                    None => (start(run)),
                                }
                            }
                            td.number { (exit(run)) }
                            @for meaning in MEANINGS { (count(run, meaning)) }
                            td.number {
                                (run.nanoseconds.map_or(message!("unfinished").to_owned(), duration))
                            }
                            td { (since(run, before)) }
                            td.rule { (run.path.strip_prefix(base).unwrap_or(&run.path).display()) }
                        }
                        "\n"
                    }
                }
            }
        }
        "\n"
    }
}

fn start(run: &PastRun) -> Markup {
    html! { time { (moment(&one_line(&run.started))) } }
}

fn count(run: &PastRun, meaning: Meaning) -> Markup {
    let number = run.counts.get(&meaning).copied().unwrap_or(0);
    let color = if number > 0 { class(meaning) } else { "faint" };
    html! { td.number.(color) { (number) } }
}

/// The address of a run's page; `None` if there is no page. The address cannot name a scheme or another host.
fn link(run: &PastRun, base: &Path) -> Option<String> {
    let page = run.path.join(PAGE_FILE);
    if !page.is_file() {
        return None;
    }
    let relative = page.strip_prefix(base).unwrap_or(&page);
    let start = if relative.is_absolute() { "" } else { "./" };
    let mut address = start.to_owned();
    for byte in relative.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                address.push(char::from(byte))
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(address).filter(|address| !address.starts_with("//"))
}

/// The rules that changed or were not good. Rules with the same results share a row.
fn rules(timeline: &Timeline) -> Markup {
    let groups = timeline.restless_groups();
    let steady = timeline.rules().len() - groups.iter().map(Vec::len).sum::<usize>();
    html! {
        @if !groups.is_empty() {
            div.wide role="region" aria-label=(message!("changed-rules")) tabindex="0" {
                table {
                    caption { (message!("changed-rules")) ". " (message!("legend")) }
                    thead {
                        tr {
                            th scope="col" { (message!("column-rule")) }
                            th scope="col" { (message!("column-runs")) }
                            @for column in rule_columns() { th.number scope="col" { (column) } }
                        }
                    }
                    tbody { @for group in &groups { (row(group)) "\n" } }
                }
            }
            "\n"
        }
        p { (message!("steady-rules", count = steady)) }
    }
}

fn row(group: &[RuleHistory]) -> Markup {
    let [rule, others @ ..] = group else { return html! {} };
    let again = rule.again.map_or("–".to_owned(), |(failed, runs)| message!("of", some = failed, all = runs));
    html! {
        tr {
            th.rule scope="row" {
                (rule.rule)
                @if !others.is_empty() {
                    details {
                        summary { (message!("others-with-same-results", count = others.len())) }
                        ul { @for other in others.iter().take(MOST) { li { (other.rule) } } }
                        @if others.len() > MOST { (message!("and-more", count = others.len() - MOST)) }
                    }
                }
            }
            td { code.marks role="img" aria-label=(spoken(&rule.verdicts)) { (marks(&rule.verdicts)) } }
            td.number { (rule.changes) }
            td.number { (message!("of", some = rule.broken, all = rule.ran)) }
            td.number { (rule.flaky) }
            td.number { (again) }
            td.number { (duration(rule.median)) }
        }
    }
}

/// The verdicts as colored characters, oldest first.
fn marks(verdicts: &[Option<Verdict>]) -> Markup {
    html! {
        @for run in verdicts.chunk_by(|a, b| color(*a) == color(*b)) {
            span.(color(run[0])) { @for verdict in run { (mark(*verdict)) } }
        }
    }
}

fn color(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("faint", |verdict| class(verdict.meaning(record::Level::Must)))
}

/// The verdicts in words. Consecutive equal verdicts become one item with their number.
fn spoken(verdicts: &[Option<Verdict>]) -> String {
    let word = |verdict: &Option<Verdict>| verdict.map_or(message!("no-result"), verdict_text);
    let runs = verdicts.chunk_by(|a, b| a == b);
    runs.map(|run| format!("{} {}", run.len(), word(&run[0]))).collect::<Vec<_>>().join(", ")
}
