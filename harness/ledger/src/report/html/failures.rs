//! What asks for a person's attention: rules that are broken or without an answer, findings, known failures, each with
//! all that is known about it.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use crate::report::expected::told;
use crate::report::facts::{Content, Fact, facts};
use crate::report::text::{clean, count, elide, one_line};
use catalog::Level;
use record::{LogFile, Meaning, Recorded, RuleResult, RunHeader, Sort};

use super::document::escaped;
use super::labels::{about, anchor, label};
use super::room::{self, Details};

/// Lists of more entries are closed until somebody asks.
const OPEN: usize = 12;
/// Calls, cases and lines that are shown, counted from their end.
const LAST: usize = 60;
/// Up to so many failures each have their whole program.
const WHOLE: usize = 60;
/// Lines that are shown of longer ones: what it is, then what it does and checks at last.
const PROGRAM_START: usize = 24;
const PROGRAM_END: usize = 70;
/// Lines of a log that are shown, counted from its end.
const LOG_LINES: usize = 40;
/// The longest text of prose, in characters.
const PROSE: usize = 2_000;
/// The longest line, in characters.
const LINE: usize = 400;

/// Results under a heading.
pub(super) struct List<'a> {
    pub anchor: &'static str,
    pub heading: &'static str,
    pub results: Vec<&'a RuleResult>,
}

/// The lists that are not empty, the worst first. What is as expected stands in a list of its own.
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
        List { anchor: "broken", heading: "Broken rules", results: meaning(Meaning::Broken) },
        List { anchor: "unknown", heading: "Rules without an answer", results: meaning(Meaning::Unknown) },
        List { anchor: "findings", heading: "Findings", results: meaning(Meaning::Finding) },
        List { anchor: "known", heading: "Known failures", results: of(&excused) },
        List { anchor: "fixed", heading: "Known failures that hold now", results: of(&fixed) },
    ];
    lists.retain(|list| !list.results.is_empty());
    lists
}

/// The lists with their details, which share what is left of `room` bytes.
pub(super) fn sections(folder: &Path, run: &Recorded, room: usize) -> String {
    let lists = lists(run);
    let whole = lists.iter().map(|list| list.results.len()).sum::<usize>() <= WHOLE;
    let results = lists.iter().flat_map(|list| &list.results);
    let mut details: Vec<Details> = results.map(|result| of_result(folder, result, run, whole)).collect();
    let heads: Vec<String> = lists.iter().flat_map(heads).collect();
    let taken = heads.iter().map(|head| head.len() + room::LEFT_OUT).sum();
    room::share(&mut details, room.saturating_sub(taken));
    let mut entries = heads.iter().zip(&details);
    let mut markup = String::new();
    if lists.is_empty() {
        markup.push_str("<p class=\"faint\">Nothing is broken, and no rule is without an answer.</p>\n");
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

/// What is seen of each rule of a list before anybody opens it.
fn heads(list: &List<'_>) -> Vec<String> {
    let open = list.anchor == "broken" && list.results.len() <= OPEN;
    list.results.iter().map(|result| head(result, open)).collect()
}

fn head(result: &RuleResult, open: bool) -> String {
    let level = if result.level == Level::Info { " <span class=\"faint\">(level info)</span>" } else { "" };
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
    let known = sorted.map(|sorted| row("expected", &prose(&told(sorted)))).unwrap_or_default();
    let mut add = |rank, what, wanted: &dyn Fn(&Fact<'_>) -> bool, before: &str| {
        let rows = rows(result, &run.header, wanted);
        details.add(rank, what, in_list(&format!("{before}{rows}")));
    };
    add(0, "what is known", &|fact| part_of(fact) == Part::Known, &known);
    add(1, "calls and cases before", &|fact| part_of(fact) == Part::Course, "");
    add(3, "the command that repeats it", &|fact| part_of(fact) == Part::Replay, "");
    details.add(2, "the C program", program(result, whole));
    details.add(4, "output", in_list(&rows(result, &run.header, |fact| part_of(fact) == Part::Output)));
    for file in result.logs.iter().flat_map(|logs| &logs.files) {
        details.add(5, "an excerpt of a log", log(folder, file));
    }
    details
}

fn in_list(rows: &str) -> String {
    if rows.is_empty() { String::new() } else { format!("<dl>\n{rows}</dl>\n") }
}

/// What of a failure is shown, or left out, together.
#[derive(PartialEq, Eq)]
enum Part {
    Known,
    Course,
    Replay,
    Output,
}

fn part_of(fact: &Fact<'_>) -> Part {
    match fact.content {
        Content::Calls(_) | Content::Cases(_) => Part::Course,
        Content::Output(_) => Part::Output,
        _ if fact.label == "replay" => Part::Replay,
        _ => Part::Known,
    }
}

/// Labeled facts. The library is that of the run, and of every rule.
fn rows(result: &RuleResult, header: &RunHeader, wanted: impl Fn(&Fact<'_>) -> bool) -> String {
    let facts = facts(result, header);
    let facts = facts.iter().filter(|fact| fact.label != "library" && wanted(fact));
    facts.map(|fact| row(fact.label, &content(&fact.content))).collect()
}

fn row(label: &str, markup: &str) -> String {
    format!("<dt>{label}</dt><dd>{markup}</dd>\n")
}

fn content(content: &Content<'_>) -> String {
    match content {
        Content::Text(text) => prose(text),
        // Whole: it is there to be copied.
        Content::Exact(text) => format!("<code>{}</code>", escaped(&one_line(text))),
        Content::List(entries) => list("ul", entries, entries.len().min(LAST)),
        Content::Values(values) => {
            let value = |(name, value): &(String, String)| {
                format!("<code>{} = {}</code>", escaped(&elide(name, LINE)), escaped(&elide(value, LINE)))
            };
            let rest = values.len().saturating_sub(LAST);
            let rest = (rest > 0).then(|| format!("<span class=\"faint\">and {rest} more</span>"));
            values.iter().take(LAST).map(value).chain(rest).collect::<Vec<_>>().join("<br/>")
        }
        Content::Calls(calls) => numbered(calls),
        Content::Cases(cases) => numbered(cases),
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
    let rest = if rest > 0 { format!("<p class=\"faint\">and {rest} more</p>") } else { String::new() };
    format!("<{kind}>{items}</{kind}>{rest}")
}

/// The last entries of a list, with the numbers that they have in the whole of it.
fn numbered(entries: &[String]) -> String {
    let hidden = entries.len().saturating_sub(LAST);
    let items: String = entries
        .iter()
        .skip(hidden)
        .map(|entry| format!("<li><code>{}</code></li>", escaped(&elide(entry, LINE))))
        .collect();
    let note =
        if hidden > 0 { format!("<p class=\"faint\">{hidden} before these left out</p>") } else { String::new() };
    format!("{note}<ol start=\"{}\">{items}</ol>", hidden + 1)
}

fn last_lines(text: &str, most: usize) -> String {
    let text = clean(text);
    let lines: Vec<&str> = text.trim_end().split('\n').collect();
    let hidden = lines.len().saturating_sub(most);
    let note = (hidden > 0).then(|| format!("({} before these left out)", count(hidden as u64, "line")));
    let shown = lines.iter().skip(hidden).map(|line| cut_line(line).into_owned());
    note.into_iter().chain(shown).collect::<Vec<_>>().join("\n")
}

/// The case as a C program: whole, or its beginning and its end.
fn program(result: &RuleResult, whole: bool) -> String {
    let Some(program) = result.failure.as_ref().and_then(|failure| failure.program.as_ref()) else {
        return String::new();
    };
    let program = clean(program);
    let mut lines: Vec<Cow<'_, str>> = program.trim_end().split('\n').map(cut_line).collect();
    let number = count(lines.len() as u64, "line");
    if !whole && lines.len() > PROGRAM_START + PROGRAM_END {
        let cut = lines.len() - PROGRAM_START - PROGRAM_END;
        let note = format!("/* … {} left out … */", count(cut as u64, "line"));
        lines.splice(PROGRAM_START..PROGRAM_START + cut, [Cow::Owned(note)]);
    }
    format!(
        "<details><summary>The case as a C program ({number})</summary>\n\
         <p class=\"faint\">atlas-cts reproducer writes it with its prelude, ready to compile.</p>\n<pre tabindex=\"0\">{}</pre></details>\n",
        escaped(&lines.join("\n"))
    )
}

fn cut_line(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(LINE) {
        Some((end, _)) => Cow::Owned(format!("{}…", &line[..end])),
        None => Cow::Borrowed(line),
    }
}

/// The end of a log that was kept, with a link to the file. Nothing if the file is not there, or is none of a run's.
fn log(folder: &Path, file: &LogFile) -> String {
    let Ok(bytes) = file.read(folder) else { return String::new() };
    let text = String::from_utf8_lossy(&bytes);
    let name = escaped(&one_line(&file.name));
    format!(
        "<details><summary>{name} ({})</summary>\n<p><a href=\"{name}\">the whole file</a></p>\n<pre tabindex=\"0\">{}</pre>\
         </details>\n",
        count(file.lines, "line"),
        escaped(&last_lines(&text, LOG_LINES))
    )
}
