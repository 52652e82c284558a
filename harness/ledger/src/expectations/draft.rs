//! Drafts entries for the failures in a run.

use std::fmt::Write;

use time::Date;

use cases::query;
use record::{Code, Meaning, Recorded, RuleResult, Sort, Symptom, Verdict};

use super::known_failure::Versions;

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
    results.into_iter().for_each(|result| entry(&mut text, result, &header.product, details));
    Some(text)
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
    line(format!("    symptom:\n      verdict: {verdict}"));
    let code = code.as_ref().map(Code::to_string);
    for (name, value) in [("check", check), ("code", code), ("call", call)] {
        if let Some(value) = value {
            line(format!("      {name}: {}", quoted(&value)));
        }
    }
    line(format!("    tracker: {}", quoted(&details.tracker)));
    line(format!("    owner: {}", quoted(&details.owner)));
    line(format!("    expires: {}", details.expires));
    line(format!("    note: {}", quoted(&result.reason)));
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
