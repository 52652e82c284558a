//! Drafts entries for the failures in a run.

use std::collections::BTreeSet;
use std::fmt::Write;

use time::Date;

use cases::query;
use messages::{Language, in_language};
use record::{Code, Meaning, Recorded, RuleResult, Sort, Symptom, Verdict};

use super::known_failure::Versions;
use super::symptom::ExpectedSymptom;
use crate::causes::{Cause, Likeness, causes};

/// The parts of an entry that do not follow from a run.
#[derive(Debug, Clone)]
pub struct Details {
    /// Empty: the user fills it in.
    pub owner: String,
    /// Empty: the user fills it in.
    pub tracker: String,
    pub expires: Date,
}

/// A file with entries for the unexpected failures in a run; `None` if there are none. Entries without an owner or a
/// tracker are rejected when they are read, so the user must fill in both.
pub fn draft(run: &Recorded, details: &Details) -> Option<String> {
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let known = |result: &&RuleResult| {
        let sorted = expected.and_then(|expected| expected.of(&result.id));
        sorted.is_some_and(|sorted| matches!(sorted.sort, Sort::Known | Sort::Expired))
    };
    let failed = |result: &&RuleResult| !matches!(result.meaning(), Meaning::Good | Meaning::Skipped);
    let mut results: Vec<&RuleResult> = run.results.iter().filter(failed).filter(|result| !known(result)).collect();
    results.sort_by(|a, b| a.id.cmp(&b.id));
    if results.is_empty() {
        return None;
    }
    let header = &run.header;
    let mut text = format!(
        "# Drafted from a run of {}, product {}, suite {}: review each entry before use.\n",
        comment(&header.started),
        comment(&header.product),
        comment(&header.suite)
    );
    let versions: Vec<String> = Versions::of(header)
        .each()
        .map(|(name, version)| format!("{name}: {}", quoted(&format!("=={version}"))))
        .collect();
    if !versions.is_empty() {
        let _ = writeln!(
            text,
            "# Versions in this run; add those on which the failure depends:\n#     versions: {{{}}}",
            comment(&versions.join(", "))
        );
    }
    text.push_str("expectations:\n");
    let groups: Vec<Group<'_>> = causes(results.iter().copied()).iter().filter_map(Group::of).collect();
    groups.iter().for_each(|group| group.write(&mut text, &header.product, details));
    let grouped: BTreeSet<&str> = groups.iter().flat_map(|group| &group.results).map(|result| &*result.id).collect();
    let rest = results.into_iter().filter(|result| !grouped.contains(result.id.as_str()));
    rest.for_each(|result| entry(&mut text, result, &header.product, details));
    Some(text)
}

/// An entry for several rules of a cause.
struct Group<'a> {
    title: String,
    symptom: ExpectedSymptom,
    /// The rules with this symptom. A cause may have others, which get separate entries.
    results: Vec<&'a RuleResult>,
}

impl<'a> Group<'a> {
    /// The entry for a cause; `None` if it would say nothing more than the verdict, or be about one rule only.
    fn of(cause: &Cause<'a>) -> Option<Group<'a>> {
        let verdict = cause.first.verdict;
        let blank = ExpectedSymptom { verdict, check: None, code: None, call: None, shape: None };
        let symptom = match &cause.likeness {
            Likeness::Bytes { shape, .. } => ExpectedSymptom { shape: Some(*shape), ..blank },
            Likeness::Answer { function, code, .. } => {
                ExpectedSymptom { code: Some(code.clone()), call: Some(function.clone()), ..blank }
            }
            Likeness::Lost { function, .. } => ExpectedSymptom { call: Some(function.clone()), ..blank },
            Likeness::Value { .. } | Likeness::Verdict(_) => return None,
        };
        let shown = |result: &&RuleResult| symptom.differences_in(result, &Symptom::of(result)).is_empty();
        let results: Vec<&RuleResult> = cause.results().filter(shown).collect();
        // Known failures are the same in every language.
        let title = in_language(Language::English, || cause.title());
        (results.len() > 1 && verdict != Verdict::Flaky).then_some(Group { title, symptom, results })
    }

    fn write(&self, text: &mut String, product: &str, details: &Details) {
        let rules: String = self.results.iter().map(|result| format!("      - {}\n", quoted(&result.id))).collect();
        let _ = write!(text, "  - rules:\n{rules}    kind: fail\n    products: [{}]\n", quoted(product));
        symptom(text, &self.symptom);
        signed(text, details, &self.title);
    }
}

/// The symptom of an entry.
fn symptom(text: &mut String, symptom: &ExpectedSymptom) {
    let ExpectedSymptom { verdict, check, code, call, shape } = symptom;
    let _ = writeln!(text, "    symptom:\n      verdict: {verdict}");
    for (name, value) in [("check", check), ("code", code), ("call", call)] {
        if let Some(value) = value {
            let _ = writeln!(text, "      {name}: {}", quoted(value));
        }
    }
    if let Some(shape) = shape {
        let _ = writeln!(text, "      shape: {}", shape.name());
    }
}

/// The end of an entry.
fn signed(text: &mut String, details: &Details, note: &str) {
    let _ = writeln!(text, "    tracker: {}\n    owner: {}", quoted(&details.tracker), quoted(&details.owner));
    let _ = writeln!(text, "    expires: {}\n    note: {}", details.expires, quoted(note));
}

fn entry(text: &mut String, result: &RuleResult, product: &str, details: &Details) {
    let flake = result.verdict == Verdict::Flaky;
    let seen = if flake { Symptom::of_single_run(result) } else { Symptom::of(result) };
    let Symptom { verdict, check, code, call } = seen;
    // A failure that was not rerun has no known rate.
    let flake = flake && verdict != Verdict::Flaky;
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!("  - rule: {}", quoted(&result.id)));
    if flake {
        let again = result.runs_again();
        let share = f64::from(again.failed.max(1)) / f64::from(again.runs.max(2));
        line(format!("    kind: flake\n    rate: {:.2} # seen: {again}", share.clamp(0.01, 0.99)));
    } else {
        line("    kind: fail".to_owned());
    }
    let case = result.failure.as_ref().and_then(|failure| query(&result.id, &failure.replay_values));
    if let Some(case) = case {
        line(format!("    # seen with {}", comment(&case)));
    }
    line(format!("    products: [{}]", quoted(product)));
    let code = code.as_ref().map(Code::to_string);
    symptom(text, &ExpectedSymptom { verdict, check, code, call, shape: None });
    signed(text, details, &result.reason);
}

/// A YAML scalar, as a JSON string. Characters that a terminal must not print are escaped here, because cleaning the
/// text later would break the quoting.
fn quoted(text: &str) -> String {
    let written = serde_json::Value::from(text).to_string();
    let shown = |c: char| c.is_ascii() && !c.is_control() || c.is_alphanumeric();
    written.chars().fold(String::new(), |mut quoted, c| {
        match c {
            c if shown(c) => quoted.push(c),
            c => drop(write!(quoted, "\\U{:08x}", u32::from(c))),
        }
        quoted
    })
}

/// The text of a comment, on one line.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
