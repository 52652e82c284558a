//! The rules that need attention, with all details: broken and unanswered rules, findings and known failures.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use crate::report::expected::sorted_line;
use crate::report::facts::{Content, Fact, Role, facts};
use crate::report::text::{clean, elide, one_line};
use catalog::Level;
use messages::{bracketed, message};
use record::{LogFile, Meaning, Recorded, RuleResult, RunHeader, Sort};

use super::document::escaped;
use super::labels::{about, anchor, label};
use super::size::{self, Details};

/// The largest number of entries in a list that starts expanded.
const OPEN: usize = 12;
/// The largest number of calls, cases or lines shown. A longer list shows only its end.
const LAST: usize = 60;
/// The largest number of failures whose programs are shown whole.
const WHOLE: usize = 60;
/// The numbers of lines shown from the beginning and the end of every other program. The end has the last calls and
/// checks.
const PROGRAM_START: usize = 24;
const PROGRAM_END: usize = 70;
/// The number of lines shown from the end of a log.
const LOG_LINES: usize = 40;
/// The longest prose shown, in characters.
const PROSE: usize = 2_000;
/// The longest line shown, in characters.
const LINE: usize = 400;

/// A list of results and its heading.
pub(super) struct List<'a> {
    pub anchor: &'static str,
    pub heading: &'static str,
    pub results: Vec<&'a RuleResult>,
}

/// The nonempty lists, worst first. Known failures have separate lists.
pub(super) fn lists(run: &Recorded) -> Vec<List<'_>> {
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let excused = |result: &RuleResult| expected.is_some_and(|expected| expected.excuses(&result.id));
    let fixed = |result: &RuleResult| {
        expected.and_then(|expected| expected.of(&result.id)).is_some_and(|sorted| sorted.sort == Sort::Fixed)
    };
    let of = |fits: &dyn Fn(&RuleResult) -> bool| -> Vec<&RuleResult> {
        let mut results: Vec<&RuleResult> = run.results.iter().filter(|result| fits(result)).collect();
        results.sort_by(|a, b| a.id.cmp(&b.id));
        results
    };
    let meaning = |meaning: Meaning| of(&|result| result.meaning() == meaning && !excused(result));
    let mut lists = vec![
        List { anchor: "broken", heading: message!("heading-broken-rules"), results: meaning(Meaning::Broken) },
        List { anchor: "unknown", heading: message!("heading-unanswered-rules"), results: meaning(Meaning::Unknown) },
        List { anchor: "findings", heading: message!("heading-findings"), results: meaning(Meaning::Finding) },
        List { anchor: "known", heading: message!("heading-known"), results: of(&excused) },
        List { anchor: "fixed", heading: message!("heading-fixed"), results: of(&fixed) },
    ];
    lists.retain(|list| !list.results.is_empty());
    lists
}

/// The lists with details, in at most `limit` bytes.
pub(super) fn sections(folder: &Path, run: &Recorded, limit: usize) -> String {
    let lists = lists(run);
    let whole = lists.iter().map(|list| list.results.len()).sum::<usize>() <= WHOLE;
    let results = lists.iter().flat_map(|list| &list.results);
    let mut details: Vec<Details> = results.map(|result| of_result(folder, result, run, whole)).collect();
    let heads: Vec<String> = lists.iter().flat_map(heads).collect();
    let taken = heads.iter().map(|head| head.len() + size::OMITTED_LINE).sum();
    size::select(&mut details, limit.saturating_sub(taken));
    let mut entries = heads.iter().zip(&details);
    let mut markup = String::new();
    if lists.is_empty() {
        let _ = writeln!(markup, "<p class=\"faint\">{}</p>", message!("page-nothing-broken"));
    }
    for List { anchor, heading, results } in &lists {
        let number = results.len();
        let _ = writeln!(
            markup,
            "<section aria-labelledby=\"{anchor}\" data-group=\"\">\n<h2 id=\"{anchor}\">{heading} ({number})</h2>"
        );
        for (head, details) in entries.by_ref().take(number) {
            let _ = writeln!(markup, "{head}{}</details>", details.markup());
        }
        markup.push_str("</section>\n");
    }
    markup
}

/// For each rule, the line that is visible while the list is collapsed.
fn heads(list: &List<'_>) -> Vec<String> {
    let open = list.anchor == "broken" && list.results.len() <= OPEN;
    list.results.iter().map(|result| head(result, open)).collect()
}

fn head(result: &RuleResult, open: bool) -> String {
    let level = match result.level {
        Level::Must => String::new(),
        Level::Info => format!(" <span class=\"faint\">{}</span>", bracketed(message!("level-info")).trim()),
    };
    let message = result.failure.as_ref().map_or("", |failure| &failure.message);
    let seen = if result.reason.trim().is_empty() { message } else { &result.reason };
    format!(
        "<details id=\"{}\" {}{}>\n<summary>{}<h3>{}</h3>{level} {}<br/><span class=\"faint\">{}</span></summary>\n",
        anchor("rule", &result.id),
        about(result),
        if open { " open=\"\"" } else { "" },
        label(result),
        escaped(&elide(&result.id, 120)),
        escaped(&elide(&result.title, 200)),
        escaped(&elide(seen, 240))
    )
}

fn of_result(folder: &Path, result: &RuleResult, run: &Recorded, whole: bool) -> Details {
    let mut details = Details::new();
    let sorted = run.end.as_ref().and_then(|end| end.expectations.as_ref()?.of(&result.id));
    let sorted = sorted.filter(|sorted| sorted.sort != Sort::New);
    let known = sorted.map(|sorted| row(message!("label-expected"), &prose(&sorted_line(sorted)))).unwrap_or_default();
    let list = |group: FactGroup| rows(result, &run.header, |fact| group_of(fact) == group);
    details.add(0, message!("block-facts"), in_list(&(known + &list(FactGroup::Known))));
    details.add(1, message!("block-calls"), in_list(&list(FactGroup::Calls)));
    details.add(3, message!("block-replay"), in_list(&list(FactGroup::Replay)));
    details.add(2, message!("block-program"), program(result, whole));
    details.add(4, message!("block-output"), in_list(&list(FactGroup::Output)));
    for file in result.logs.iter().flat_map(|logs| &logs.files) {
        details.add(5, message!("block-log"), log(folder, file));
    }
    details
}

fn in_list(rows: &str) -> String {
    if rows.is_empty() { String::new() } else { format!("<dl>\n{rows}</dl>\n") }
}

/// Facts that are shown or omitted together.
#[derive(PartialEq, Eq)]
enum FactGroup {
    Known,
    Calls,
    Replay,
    Output,
}

fn group_of(fact: &Fact<'_>) -> FactGroup {
    match fact.content {
        Content::Calls(_) | Content::Cases(_) | Content::Stack(_) => FactGroup::Calls,
        Content::Output(_) => FactGroup::Output,
        _ if fact.role == Role::Replay => FactGroup::Replay,
        _ => FactGroup::Known,
    }
}

/// The labeled facts, except the library, which is the same for every rule.
fn rows(result: &RuleResult, header: &RunHeader, wanted: impl Fn(&Fact<'_>) -> bool) -> String {
    let facts = facts(result, header);
    let facts = facts.iter().filter(|fact| fact.role != Role::Library && wanted(fact));
    facts.map(|fact| row(fact.label, &content(&fact.content))).collect()
}

fn row(label: &str, markup: &str) -> String {
    format!("<dt>{label}</dt><dd>{markup}</dd>\n")
}

fn content(content: &Content<'_>) -> String {
    match content {
        Content::Text(text) => prose(text),
        // The whole text, for copying.
        Content::Exact(text) => format!("<code>{}</code>", escaped(&one_line(text))),
        Content::List(entries) => list("ul", entries, entries.len().min(LAST)),
        Content::Values(values) => {
            let value = |(name, value): &(String, String)| {
                format!("<code>{} = {}</code>", escaped(&elide(name, LINE)), escaped(&elide(value, LINE)))
            };
            let rest = values.len().saturating_sub(LAST);
            let rest =
                (rest > 0).then(|| format!("<span class=\"faint\">{}</span>", message!("and-more", count = rest)));
            values.iter().take(LAST).map(value).chain(rest).collect::<Vec<_>>().join("<br/>")
        }
        Content::Calls(calls) => numbered(calls),
        Content::Cases(cases) => numbered(cases),
        Content::Stack(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| escaped(&elide(line, LINE))).collect();
            format!("<pre>{}</pre>", lines.join("\n"))
        }
        Content::Output(output) => format!("<pre>{}</pre>", escaped(&last_lines(output, LAST))),
    }
}

fn prose(text: &str) -> String {
    escaped(&elide(text, PROSE))
}

fn list(kind: &str, entries: &[String], most: usize) -> String {
    let items: String =
        entries.iter().take(most).map(|entry| format!("<li>{}</li>", escaped(&elide(entry, PROSE)))).collect();
    let rest = entries.len() - most;
    let rest = match rest {
        0 => String::new(),
        rest => format!("<p class=\"faint\">{}</p>", message!("and-more", count = rest)),
    };
    format!("<{kind}>{items}</{kind}>{rest}")
}

/// The last entries of a list, with their numbers in the whole list.
fn numbered(entries: &[String]) -> String {
    let hidden = entries.len().saturating_sub(LAST);
    let items: String = entries
        .iter()
        .skip(hidden)
        .map(|entry| format!("<li><code>{}</code></li>", escaped(&elide(entry, LINE))))
        .collect();
    let note = match hidden {
        0 => String::new(),
        hidden => format!("<p class=\"faint\">{}</p>", message!("omitted-entries", count = hidden)),
    };
    format!("{note}<ol start=\"{}\">{items}</ol>", hidden + 1)
}

fn last_lines(text: &str, most: usize) -> String {
    let text = clean(text);
    let lines: Vec<&str> = text.trim_end().split('\n').collect();
    let hidden = lines.len().saturating_sub(most);
    let note = (hidden > 0).then(|| message!("omitted-lines", count = hidden));
    let shown = lines.iter().skip(hidden).map(|line| cut_line(line).into_owned());
    note.into_iter().chain(shown).collect::<Vec<_>>().join("\n")
}

/// The case as a C program: the whole program, or its beginning and end.
fn program(result: &RuleResult, whole: bool) -> String {
    let Some(program) = result.failure.as_ref().and_then(|failure| failure.program.as_ref()) else {
        return String::new();
    };
    let program = clean(program);
    let mut lines: Vec<Cow<'_, str>> = program.trim_end().split('\n').map(cut_line).collect();
    let summary = message!("program-summary", count = lines.len());
    if !whole && lines.len() > PROGRAM_START + PROGRAM_END {
        let cut = lines.len() - PROGRAM_START - PROGRAM_END;
        let note = format!("/* {} */", message!("program-omitted-lines", count = cut));
        lines.splice(PROGRAM_START..PROGRAM_START + cut, [Cow::Owned(note)]);
    }
    format!(
        "<details><summary>{summary}</summary>\n<p class=\"faint\">{}</p>\n<pre tabindex=\"0\">{}</pre></details>\n",
        message!("program-hint"),
        escaped(&lines.join("\n"))
    )
}

fn cut_line(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(LINE) {
        Some((end, _)) => Cow::Owned(format!("{}…", &line[..end])),
        None => Cow::Borrowed(line),
    }
}

/// The end of a kept log, with a link to the file; empty if the file is missing or does not belong to the run.
fn log(folder: &Path, file: &LogFile) -> String {
    let Ok(bytes) = file.read(folder) else { return String::new() };
    let text = String::from_utf8_lossy(&bytes);
    let name = escaped(&one_line(&file.name));
    format!(
        "<details><summary>{name} ({})</summary>\n<p><a href=\"{name}\">{}</a></p>\n<pre tabindex=\"0\">{}</pre>\
         </details>\n",
        message!("count-lines", count = file.lines),
        message!("whole-file"),
        escaped(&last_lines(&text, LOG_LINES))
    )
}
