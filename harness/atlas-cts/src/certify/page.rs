//! The printed summary of a record.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use catalog::{count, digest};
use ledger::conformance::ConformanceRecord;
use record::Sort;

use super::signature::NAMESPACE;

/// The maximum number of rules to list. The remaining rules are only counted.
const NAMED: usize = 5;

/// The signature of a record.
pub(super) enum Seal {
    /// The record is not signed.
    None,
    /// The signature was written to this file.
    Written(PathBuf),
    /// The signature is valid and from this signer.
    Good(String),
}

/// The line about the record's file.
pub(super) fn written(path: &Path, bytes: &[u8]) -> String {
    format!("record     {} (sha256 {})\n", path.display(), digest::of_bytes(bytes))
}

/// The lines about the record and its signature.
pub(super) fn of(record: &ConformanceRecord, seal: &Seal) -> String {
    let mut text = String::new();
    // A record comes from outside, so its strings must not look like other lines on this page.
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<10} {}", value.replace(['\n', '\t'], " "));
    };
    line("statement", record.statement.words().to_owned());
    for missing in &record.missing {
        line("missing", format!("{}: {}{}", missing.capability.words(), missing.why, named(&missing.rules)));
    }
    if !record.assuming.is_empty() {
        let axioms: Vec<&str> = record.assuming.keys().map(String::as_str).collect();
        line("assuming", axioms.join(", "));
    }
    let broken: Vec<String> = record.broken().map(str::to_owned).collect();
    if !broken.is_empty() {
        line("broken", format!("{} promised by a document{}", broken.len(), named(&broken)));
    }
    if let Some(applied) = &record.expectations {
        let known = applied.number(Sort::Known) + applied.number(Sort::Expired);
        line("known", format!("{} listed in {}, still counted here", count(known, "result"), applied.files.path));
    }
    let edition = record.edition.as_ref().map(|edition| format!(", edition {edition}")).unwrap_or_default();
    line("product", format!("{} of {}{edition}", record.product, record.runtime));
    if let Some(library) = record.libraries.first() {
        let what = if library.simulated { "SIMULATED DEVICE" } else { &library.path };
        line("library", format!("{what} (sha256 {})", library.sha256.as_deref().unwrap_or("unknown")));
    }
    let required = record.rules.values().filter(|rule| rule.required).count();
    let seen = record.rules.values().filter(|rule| rule.verdict.is_some()).count();
    line("rules", format!("{required} required of a conformant device; {seen} with a result"));
    line("run", format!("{}, begun {} (journal sha256 {})", record.run.name, record.run.started, record.run.journal));
    match seal {
        Seal::None => {
            line("signature", "none: nothing shows who made this record, or that it is from a run".to_owned())
        }
        Seal::Written(path) => line("signature", format!("{}, for {NAMESPACE}", path.display())),
        Seal::Good(signer) => line("signature", format!("good, by {signer}, for {NAMESPACE}")),
    }
    text
}

/// The ids of the first rules, and the number of remaining rules.
fn named(rules: &[String]) -> String {
    let more = rules.len().saturating_sub(NAMED);
    let first = rules[..rules.len() - more].join(", ");
    match (rules.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(" ({first})"),
        (false, more) => format!(" ({first} and {more} more)"),
    }
}
