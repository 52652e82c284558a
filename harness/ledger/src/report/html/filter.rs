//! The filter, which is hidden until its script runs.

use std::collections::BTreeSet;

use maud::{Markup, html};
use messages::message;
use record::Recorded;

use super::labels::name;
use crate::names::{meaning_text, verdict_text};
use crate::report::summary::MEANINGS;
use crate::report::text::one_line;

/// The form of the filter.
pub(super) fn filter(run: &Recorded) -> Markup {
    let chapters: BTreeSet<String> = run.results.iter().map(|result| one_line(&result.chapter)).collect();
    let verdicts: BTreeSet<_> = run.results.iter().map(|result| result.verdict).collect();
    let mut names: Vec<(&str, &str)> = MEANINGS
        .into_iter()
        .filter(|meaning| run.results.iter().any(|result| result.meaning() == *meaning))
        .map(|meaning| (name(meaning), meaning_text(meaning)))
        .collect();
    let others: Vec<(&str, &str)> = verdicts
        .iter()
        .map(|verdict| (verdict.name(), verdict_text(*verdict)))
        .filter(|(verdict, _)| names.iter().all(|(known, _)| known != verdict))
        .collect();
    names.extend(others);
    html! {
        form id="filters" role="search" aria-label=(message!("filter-rules")) hidden="" {
            div { label for="text" { (message!("filter-text")) } input id="text" name="text" type="search"; }
            (select("verdict", message!("filter-verdict"), names.into_iter()))
            (select("chapter", message!("filter-chapter"), chapters.iter().map(|name| (name.as_str(), name.as_str()))))
            div { button type="reset" { (message!("show-all")) } }
            // The script replaces this character with the number of shown rules.
            output id="shown" for="text verdict chapter"
                data-shown=(message!("rules-shown", shown = "#", all = run.results.len())) {}
        }
        "\n"
    }
}

fn select<'a>(id: &str, label: &str, options: impl Iterator<Item = (&'a str, &'a str)>) -> Markup {
    html! {
        div {
            label for=(id) { (label) }
            select id=(id) name=(id) {
                option value="" { (message!("all")) }
                @for (name, text) in options { option value=(name) { (text) } }
            }
        }
    }
}
