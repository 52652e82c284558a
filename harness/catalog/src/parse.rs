//! Parsing of YAML files, which may be hostile.

use std::sync::Arc;

use serde::Deserialize;

use super::diagnostic::{Diagnostic, Source};
use super::model::{ChapterFile, RuleSource, When};

/// A parsed file with its text.
#[derive(Debug)]
pub(crate) struct ParsedFile<T> {
    pub source: Arc<Source>,
    pub value: T,
}

pub(super) fn parsed<T: for<'de> Deserialize<'de>>(source: Arc<Source>) -> Result<ParsedFile<T>, Diagnostic> {
    parse_source(&source).map(|value| ParsedFile { value, source })
}

/// Parses a YAML file. Errors include a place.
pub fn parse_source<T: for<'de> Deserialize<'de>>(source: &Arc<Source>) -> Result<T, Diagnostic> {
    parse(&source.text).map_err(|error| diagnostic(source, &error))
}

/// Parses a chapter. If one rule is malformed, the other rules are still returned, so that all mistakes are reported
/// together.
pub(super) fn chapter(source: Arc<Source>) -> (ParsedFile<ChapterFile>, Vec<Diagnostic>) {
    let error = match parse::<ChapterFile>(&source.text) {
        Ok(value) => return (ParsedFile { source, value }, Vec::new()),
        Err(error) => error,
    };
    let mut rules = Vec::new();
    let mut own = Vec::new();
    for (line, item) in rule_items(&source.text) {
        let placed = format!("{}{item}", "\n".repeat(line));
        match parse::<Vec<serde_yaml::Spanned<RuleSource>>>(&placed) {
            Ok(mut parsed) => rules.append(&mut parsed),
            Err(error) => own.push(diagnostic(&source, &error)),
        }
    }
    if own.is_empty() {
        own.push(diagnostic(&source, &error));
    }
    let value = ChapterFile { title: String::new(), assumes: Vec::new(), when: When::default(), rules };
    (ParsedFile { source, value }, own)
}

/// The items of the rule list, each with the number of lines before it.
fn rule_items(text: &str) -> Vec<(usize, String)> {
    let mut items: Vec<(usize, String)> = Vec::new();
    let mut indentation = None;
    for (number, line) in text.lines().enumerate() {
        let spaces = line.len() - line.trim_start().len();
        let starts = line.trim_start().starts_with("- id:") && *indentation.get_or_insert(spaces) == spaces;
        if starts {
            items.push((number, String::new()));
        }
        if let Some((_, item)) = items.last_mut() {
            item.push_str(line);
            item.push('\n');
        }
    }
    items
}

pub(super) fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, serde_yaml::Error> {
    let options = serde_yaml::options! {
        strict_booleans: true,
        merge_keys: serde_yaml::MergeKeyPolicy::Error,
        with_snippet: false,
        budget: serde_yaml::budget! {
            max_nodes: 2_000_000,
            max_events: 4_000_000,
            max_total_scalar_bytes: 64 << 20,
            max_depth: 64,
        },
    };
    serde_yaml::from_str_with_options(text, options)
}

pub(super) fn diagnostic(source: &Arc<Source>, error: &serde_yaml::Error) -> Diagnostic {
    let (line, column) =
        error.location().map_or((0, 0), |location| source.inside(location.line() as usize, location.column() as usize));
    let text = error.to_string();
    let message = text.lines().next().unwrap_or("not valid YAML");
    // The diagnostic prints the place, so the message does not repeat it.
    let message = message.split(" at line ").next().unwrap_or(message).trim_start_matches("error: ");
    // The YAML reader's advice is meant for programmers.
    let message = match message {
        "unexpected end of input" if source.text.trim().is_empty() => "the file is empty",
        _ if message.starts_with("multiple YAML documents") => "a second YAML document begins here; a file holds one",
        _ => message.split(", set DuplicateKeyPolicy").next().unwrap_or(message),
    };
    if source.is_elsewhere() {
        // The YAML reader's message quotes the file, so it is withheld.
        let message =
            "the file has mistakes, which are not shown because it is reached through a link: name the file itself";
        return Diagnostic { source: Some(source.clone()), line, column, message: message.to_owned() };
    }
    let hint = misspelled(message);
    Diagnostic { source: Some(source.clone()), line, column, message: format!("{message}{hint}") }
}

/// "unknown field `foo`, expected one of a, b" → a suggestion.
fn misspelled(message: &str) -> String {
    let Some((_, rest)) = message.split_once("unknown field `") else { return String::new() };
    let Some((name, expected)) = rest.split_once('`') else { return String::new() };
    let known = expected.rsplit("expected ").next().unwrap_or_default().trim_start_matches("one of ");
    steps::suggest::hint(name, known.split(", "))
}
