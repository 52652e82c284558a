//! The rules that need attention, with all details: broken and unanswered rules, findings and known failures.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use crate::causes::{Cause, causes};
use crate::report::expected::sorted_line;
use crate::report::facts::{Content, Fact, Role, facts};
use crate::report::layout::{Detail, Layout};
use crate::report::steps::frame;
use crate::report::text::{clean, elide, one_line};
use catalog::Level;
use maud::{Markup, PreEscaped, html};
use messages::{bracketed, message};
use record::{LogFile, Meaning, Recorded, RuleResult, RunHeader, Sort};

use super::document::{escape, prose as in_prose};
use super::labels::{anchor, known_label, label, name};
use super::lanes::lanes;
use super::since::Since;
use super::size::{self, Details};
use super::tree::was;

/// The largest number of entries in a list that starts expanded.
const OPEN: usize = 12;
/// The largest number of causes whose first rules start expanded.
const FEW: usize = 2;
/// The largest number of calls, cases or lines shown. A longer list shows only its end.
const LAST: usize = 60;
/// The largest number of failures whose programs are shown whole.
const WHOLE: usize = 60;
/// The numbers of lines shown from the beginning and the end of every other program. The end has the last calls and
/// checks.
const PROGRAM: [usize; 2] = [24, 70];
/// The same for a rule whose cause has a rule that comes first.
const FOLLOWER: [usize; 2] = [8, 24];
/// The number of lines shown from the end of a log.
const LOG_LINES: usize = 40;
/// The longest prose shown, in characters.
const PROSE: usize = 2_000;
/// The longest sentence about a failure in its summary, in characters.
const SEEN: usize = 240;
/// The longest line shown, in characters.
const LINE: usize = 400;

/// A list of results and its heading.
pub(super) struct List<'a> {
    pub anchor: &'static str,
    pub heading: &'static str,
    pub results: Vec<&'a RuleResult>,
    /// The causes of the results, in their order. Results after those of the last cause have none.
    pub groups: Vec<Group>,
}

/// A cause, and the number of its results.
pub(super) struct Group {
    pub title: String,
    pub lead: Option<String>,
    pub advice: String,
    pub number: usize,
}

impl<'a> List<'a> {
    fn new(anchor: &'static str, heading: &'static str, results: Vec<&'a RuleResult>) -> List<'a> {
        List { anchor, heading, results, groups: Vec::new() }
    }

    /// The broken rules by cause. A cause of one rule is not a group.
    fn broken(results: Vec<&'a RuleResult>) -> List<'a> {
        let causes = causes(results);
        let (groups, alone): (Vec<_>, Vec<_>) = causes.iter().partition(|cause| cause.len() > 1);
        let group = |cause: &&Cause<'_>| Group {
            title: cause.title(),
            lead: cause.lead(),
            advice: cause.advice(),
            number: cause.len(),
        };
        let of_cause = |cause: &&Cause<'a>| -> Vec<&'a RuleResult> {
            std::iter::once(cause.first).chain(cause.others.iter().copied()).collect()
        };
        List {
            groups: groups.iter().map(group).collect(),
            ..List::new(
                "broken",
                message!("heading-broken-rules"),
                groups.iter().chain(&alone).flat_map(of_cause).collect(),
            )
        }
    }
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
        List::broken(meaning(Meaning::Broken)),
        List::new("unknown", message!("heading-unanswered-rules"), meaning(Meaning::Unknown)),
        List::new("findings", message!("heading-findings"), meaning(Meaning::Finding)),
        List::new("known", message!("heading-known"), of(&excused)),
        List::new("fixed", message!("heading-fixed"), of(&fixed)),
    ];
    lists.retain(|list| !list.results.is_empty());
    lists
}

/// The lists with details, in at most `limit` bytes.
pub(super) fn sections(folder: &Path, run: &Recorded, since: &Since<'_>, limit: usize) -> String {
    let lists = lists(run);
    let whole = lists.iter().map(|list| list.results.len()).sum::<usize>() <= WHOLE;
    let results = lists.iter().flat_map(|list| &list.results);
    let followers: BTreeSet<&str> = lists.iter().flat_map(followers).collect();
    let shown = |result: &RuleResult| match followers.contains(result.id.as_str()) {
        _ if whole => None,
        true => Some(FOLLOWER),
        false => Some(PROGRAM),
    };
    let mut details: Vec<Details> = results.map(|result| of_result(folder, result, run, shown(result))).collect();
    let heads: Vec<String> = lists.iter().flat_map(|list| heads(list, since)).collect();
    let taken = heads.iter().map(|head| head.len() + size::OMITTED_LINE).sum();
    size::select(&mut details, limit.saturating_sub(taken));
    let mut entries = heads.iter().zip(&details);
    let mut entry = || -> Option<Markup> {
        entries.next().map(|(head, details)| {
            PreEscaped(format!("{head}<div class=\"more\">{}</div></details>\n", details.markup()))
        })
    };
    let sections = html! {
        @if lists.is_empty() { p.faint { (message!("page-nothing-broken")) } "\n" }
        @for list in &lists {
            section aria-labelledby=(list.anchor) data-group="" {
                "\n"
                h2 id=(list.anchor) { (list.heading) " (" (list.results.len()) ")" }
                "\n"
                @for group in &list.groups { (of_group(group, &mut entry)) "\n" }
                @let rest = list.results.len() - list.groups.iter().map(|group| group.number).sum::<usize>();
                div.entries { @for _ in 0..rest { (entry().unwrap_or_default()) } }
            }
            "\n"
        }
    };
    sections.into_string()
}

/// The rules that have the cause of another rule, which comes first.
fn followers<'a>(list: &'a List<'_>) -> Vec<&'a str> {
    let mut rest = &list.results[..];
    let mut followers = Vec::new();
    for group in &list.groups {
        let (of_group, after) = rest.split_at(group.number);
        followers.extend(of_group.iter().skip(1).map(|result| result.id.as_str()));
        rest = after;
    }
    followers
}

/// A cause: its first rule whole, and a line for each other rule.
fn of_group(group: &Group, entry: &mut dyn FnMut() -> Option<Markup>) -> Markup {
    html! {
        div.cause data-group="" {
            h3.plain { (in_prose(&group.title)) " (" (message!("count-rules", count = group.number)) ")" }
            p { @if let Some(lead) = &group.lead { (in_prose(lead)) "; " } (group.advice) "." }
            (entry().unwrap_or_default())
            details data-group="" {
                summary { (message!("other-rules-of-cause", count = group.number - 1)) }
                div.more.line { @for _ in 1..group.number { (entry().unwrap_or_default()) } }
            }
        }
    }
}

/// For each rule, the line that is visible while its details are collapsed. The first rule starts open, and so do the
/// first rules of few causes and few rules without a common cause.
fn heads(list: &List<'_>, since: &Since<'_>) -> Vec<String> {
    let mut first = BTreeSet::from([0]);
    let mut next = 0;
    for group in &list.groups {
        next += group.number;
        first.insert(next);
    }
    let in_groups = next;
    let open = |position: usize| {
        let alone = position >= in_groups && list.results.len() - in_groups <= OPEN;
        list.anchor == "broken"
            && (alone
                || (position < in_groups && list.groups.len() <= FEW && first.contains(&position))
                || position == 0)
    };
    list.results
        .iter()
        .enumerate()
        .map(|(position, result)| head(result, list.anchor == "known", open(position), since))
        .collect()
}

/// The start of a rule's entry, up to its details.
fn head(result: &RuleResult, known: bool, open: bool, since: &Since<'_>) -> String {
    let summary = html! {
        summary {
            @if known { (known_label(result)) } @else { (label(result)) }
            @if result.unconfirmed() { span.verdict.note { (message!("unconfirmed")) } }
            @if since.is_new(result) { span.verdict.note { (message!("label-new")) } }
            h3 { (elide(&result.id, 120)) }
            @if result.level == Level::Info { " " span.faint { (bracketed(message!("level-info")).trim()) } }
            (was(result, since)) " " (elide(&result.title, 200))
            br;
            span.faint { (in_prose(&elide(seen(result), SEEN))) }
        }
        "\n"
    };
    let open = if open { " open=\"\"" } else { "" };
    format!("<details id=\"{}\" {}{open}>{}", anchor("rule", &result.id), about(result), summary.into_string())
}

/// The attributes that the filter script reads.
fn about(result: &RuleResult) -> String {
    format!(
        "data-rule=\"{}\" data-chapter=\"{}\" data-verdict=\"{}\" data-meaning=\"{}\"",
        escape(&one_line(&result.id)),
        escape(&one_line(&result.chapter)),
        result.verdict,
        name(result.meaning())
    )
}

/// The failure in a sentence.
fn seen(result: &RuleResult) -> &str {
    let message = result.failure.as_ref().map_or("", |failure| &failure.message);
    if result.reason.trim().is_empty() { message } else { &result.reason }
}

fn of_result(folder: &Path, result: &RuleResult, run: &Recorded, shown: Option<[usize; 2]>) -> Details {
    let mut details = Details::new();
    let sorted = run.end.as_ref().and_then(|end| end.expectations.as_ref()?.of(&result.id));
    let sorted = sorted.filter(|sorted| sorted.sort != Sort::New);
    let known = sorted.map(|sorted| row(message!("label-expected"), &prose(&sorted_line(sorted)))).unwrap_or_default();
    let list = |group: FactGroup| rows(result, &run.header, |fact| group_of(fact) == group);
    details.add(0, message!("block-facts"), in_list(&(known + &list(FactGroup::Known))));
    details.add(1, message!("block-calls"), in_list(&list(FactGroup::Calls)));
    details.add(3, message!("block-replay"), in_list(&list(FactGroup::Replay)));
    details.add(2, message!("block-program"), program(result, shown));
    details.add(4, message!("block-output"), in_list(&list(FactGroup::Output)));
    for file in result.logs.iter().flat_map(|logs| &logs.files) {
        details.add(5, message!("block-log"), log(folder, file));
    }
    details
}

fn in_list(rows: &str) -> String {
    if rows.is_empty() { String::new() } else { format!("<dl>\n{rows}</dl>\n") }
}

/// The widest frame with steps, in columns. Wider lines are cut.
const WIDEST: usize = 160;

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

/// The labeled facts, except the library and the documents, which the page names once.
fn rows(result: &RuleResult, header: &RunHeader, wanted: impl Fn(&Fact<'_>) -> bool) -> String {
    let facts = facts(result, header, Detail::Full);
    let facts = facts.iter().filter(|fact| !matches!(fact.role, Role::Library | Role::Documents) && wanted(fact));
    let markup = |fact: &Fact<'_>| match &fact.content {
        Content::Exact(text) if fact.role == Role::Replay => {
            format!("<code data-copy=\"\">{}</code>", escape(&one_line(text)))
        }
        other => content(other),
    };
    facts.map(|fact| row(fact.label, &markup(fact))).collect()
}

fn row(label: &str, markup: &str) -> String {
    format!("<dt>{label}</dt><dd>{markup}</dd>\n")
}

fn content(content: &Content<'_>) -> String {
    match content {
        Content::Text(text) => prose(text),
        // The whole text, for copying.
        Content::Exact(text) => format!("<code>{}</code>", escape(&one_line(text))),
        Content::List(entries) => list("ul", entries, entries.len().min(LAST)),
        Content::Values(values) => {
            let value = |(name, value): &(String, String)| {
                format!("<code>{} = {}</code>", escape(&elide(name, LINE)), escape(&elide(value, LINE)))
            };
            let rest = values.len().saturating_sub(LAST);
            let rest =
                (rest > 0).then(|| format!("<span class=\"faint\">{}</span>", message!("and-more", count = rest)));
            values.iter().take(LAST).map(value).chain(rest).collect::<Vec<_>>().join("<br/>")
        }
        Content::Steps(failure) => {
            let frame = frame(failure, Layout { width: WIDEST, ..Layout::FILE }).unwrap_or_default();
            if frame.is_empty() { frame } else { format!("<pre tabindex=\"0\">{}</pre>", escape(&frame)) }
        }
        Content::Calls(calls) => numbered(calls),
        Content::Cases(cases) => numbered(cases),
        Content::Stack(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| escape(&elide(line, LINE))).collect();
            format!("<pre>{}</pre>", lines.join("\n"))
        }
        Content::Output(output) => format!("<pre>{}</pre>", escape(&last_lines(output, LAST))),
        Content::History(picture) => lanes(picture).into_string(),
    }
}

fn prose(text: &str) -> String {
    in_prose(&elide(text, PROSE)).into_string()
}

fn list(kind: &str, entries: &[String], most: usize) -> String {
    let items: String =
        entries.iter().take(most).map(|entry| format!("<li>{}</li>", escape(&elide(entry, PROSE)))).collect();
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
        .map(|entry| format!("<li><code>{}</code></li>", escape(&elide(entry, LINE))))
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
fn program(result: &RuleResult, shown: Option<[usize; 2]>) -> String {
    let Some(program) = result.failure.as_ref().and_then(|failure| failure.program.as_ref()) else {
        return String::new();
    };
    let program = clean(program);
    let mut lines: Vec<Cow<'_, str>> = program.trim_end().split('\n').map(cut_line).collect();
    let summary = message!("program-summary", count = lines.len());
    if let Some([start, end]) = shown.filter(|[start, end]| lines.len() > start + end) {
        let cut = lines.len() - start - end;
        let note = format!("/* {} */", message!("program-omitted-lines", count = cut));
        lines.splice(start..start + cut, [Cow::Owned(note)]);
    }
    format!(
        "<details><summary>{summary}</summary>\n<p class=\"faint\">{}</p>\n<pre tabindex=\"0\" data-copy=\"\">{}</pre></details>\n",
        message!("program-hint"),
        escape(&lines.join("\n"))
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
    let name = escape(&one_line(&file.name));
    format!(
        "<details><summary>{name} ({})</summary>\n<p><a href=\"{name}\">{}</a></p>\n<pre tabindex=\"0\">{}</pre>\
         </details>\n",
        message!("count-lines", count = file.lines),
        message!("whole-file"),
        escape(&last_lines(&text, LOG_LINES))
    )
}
