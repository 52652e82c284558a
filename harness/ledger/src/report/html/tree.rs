//! All rules as a tree: area, chapter, rule.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Level, area};
use maud::{Markup, html};
use messages::{bracketed, comma, message};
use record::{Recorded, RuleResult};

use super::bar::of_results;
use super::document::prose;
use super::failures::lists;
use super::labels::{anchor, class, label, name};
use super::since::Since;
use crate::names::{meaning_of, verdict_text};
use crate::report::expected::sorted_line;
use crate::report::facts::{Content, Role, notes};
use crate::report::summary::MEANINGS;
use crate::report::text::{duration, elide, one_line};

/// The longest reason or note shown, in characters.
const NOTE: usize = 160;

/// The chapters of an area, each with its rules.
type Chapters<'a> = BTreeMap<String, Vec<&'a RuleResult>>;

/// The tree of all rules.
pub(super) fn section(run: &Recorded, since: &Since<'_>) -> Markup {
    let mut areas: BTreeMap<String, Chapters<'_>> = BTreeMap::new();
    for result in &run.results {
        let chapter = elide(&result.chapter, 60);
        areas.entry(area(&chapter).to_owned()).or_default().entry(chapter).or_default().push(result);
    }
    let detailed: BTreeSet<&str> =
        lists(run).iter().flat_map(|list| &list.results).map(|result| result.id.as_str()).collect();
    let of_rule = |result: &RuleResult| row(result, detailed.contains(result.id.as_str()), run, since);
    html! {
        section aria-labelledby="rules" {
            h2 id="rules" { (message!("heading-all-rules")) }
            @if run.results.is_empty() { p { (message!("no-results")) } }
            div.tree {
                @for (area, mut chapters) in areas {
                    @let all: Vec<&RuleResult> = chapters.values().flatten().copied().collect();
                    details id=(anchor("area", &area)) data-group="" {
                        summary { (line(&area, &all)) }
                        div.more {
                            // An area with one chapter has no level between itself and its rules.
                            @if chapters.len() == 1 {
                                @for rules in chapters.values_mut() { (table(&area, rules, &of_rule)) }
                            } @else {
                                @for (chapter, rules) in &mut chapters {
                                    details id=(anchor("chapter", chapter)) data-group="" {
                                        summary { (line(chapter, rules)) }
                                        (table(chapter, rules, &of_rule))
                                    }
                                    "\n"
                                }
                            }
                        }
                    }
                    "\n"
                }
            }
        }
        "\n"
    }
}

/// A name, the bar of its results, and their numbers in words.
fn line(title: &str, rules: &[&RuleResult]) -> Markup {
    html! {
        span { (title) }
        (of_results(rules))
        span.numbers { (numbers(rules)) }
    }
}

/// The number of results of each meaning, in words.
fn numbers(rules: &[&RuleResult]) -> Markup {
    let numbers = MEANINGS.map(|meaning| (meaning, rules.iter().filter(|rule| rule.meaning() == meaning).count()));
    html! {
        @for (index, (meaning, number)) in numbers.into_iter().filter(|(_, number)| *number > 0).enumerate() {
            @if index > 0 { (comma()) }
            span class=(class(meaning)) { (number) " " (meaning_of(meaning, number)) }
        }
    }
}

fn table(name: &str, rules: &mut [&RuleResult], of_rule: &dyn Fn(&RuleResult) -> Markup) -> Markup {
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    html! {
        div.wide role="region" aria-label=(name) tabindex="0" {
            table {
                thead {
                    tr {
                        th scope="col" { (message!("column-rule")) }
                        th scope="col" { (message!("column-verdict")) }
                        th.number.optional scope="col" { (message!("column-cases")) }
                        th.number.optional scope="col" { (message!("column-time")) }
                        th scope="col" { (message!("column-notes")) }
                    }
                }
                tbody { @for rule in rules { (of_rule(rule)) "\n" } }
            }
        }
    }
}

fn row(result: &RuleResult, detailed: bool, run: &Recorded, since: &Since<'_>) -> Markup {
    let id = elide(&result.id, 120);
    html! {
        tr id=[since.was(result).map(|_| anchor("row", &result.id))] data-rule=(one_line(&result.id)) data-chapter=(one_line(&result.chapter))
            data-verdict=(result.verdict) data-meaning=(name(result.meaning())) {
            td.rule {
                @if detailed { a href={ "#" (anchor("rule", &result.id)) } { (id) } } @else { (id) }
                @if result.level == Level::Info { " " span.faint { (bracketed(message!("level-info")).trim()) } }
                br;
                span.faint { (elide(&result.title, 160)) }
            }
            td { (label(result)) (on(result)) (was(result, since)) }
            td.number.optional { (result.cases) }
            td.number.optional { (duration(result.nanoseconds)) }
            td {
                @for (index, line) in remarks(result, detailed, run).iter().enumerate() {
                    @if index > 0 { br; }
                    (prose(line))
                }
            }
        }
    }
}

/// The rule's verdict in the run before, if it was another one.
pub(super) fn was(result: &RuleResult, since: &Since<'_>) -> Markup {
    html! {
        @if let Some(verdict) = since.was(result) {
            " " span.faint { (message!("was-before", verdict = verdict_text(verdict))) }
        }
    }
}

/// A rule's devices, if they are known.
fn on(result: &RuleResult) -> Markup {
    let each = result.each.iter().map(|on| on.device.as_str());
    let devices: Vec<&str> = match result.each.is_empty() {
        true => result.devices.iter().map(String::as_str).collect(),
        false => each.collect(),
    };
    let word = if devices.len() == 1 { message!("label-device") } else { message!("label-devices") };
    html! { @if !devices.is_empty() { br; span.faint { (word) " " (elide(&devices.join(comma()), 60)) } } }
}

/// The reason, the entry for a known failure, and notes on a passing rule.
fn remarks(result: &RuleResult, detailed: bool, run: &Recorded) -> Vec<String> {
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref()?.of(&result.id)).map(sorted_line);
    let mut lines: Vec<String> = [Some(result.reason.clone()), expected].into_iter().flatten().collect();
    // The details of a failure include the same notes.
    if !detailed {
        for fact in notes(result).into_iter().filter(|fact| fact.role != Role::Reason) {
            match fact.content {
                Content::Text(text) => lines.push(format!("{}: {text}", fact.label)),
                Content::List(entries) => {
                    lines.extend(entries.first().map(|first| match entries.len() {
                        1 => format!("{}: {first}", fact.label),
                        number => format!("{}: {first} ({})", fact.label, message!("and-more", count = number - 1)),
                    }));
                }
                _ => {}
            }
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.iter().take(4).map(|line| elide(line, NOTE)).collect()
}
