//! What a person is told of a record.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use catalog::digest;
use ledger::conformance::ConformanceRecord;
use record::Sort;

use super::signature::NAMESPACE;

/// Rules that are named before the rest is counted.
const NAMED: usize = 5;

/// Who vouches for a record.
pub(super) enum Seal {
    /// Nobody.
    None,
    /// Whoever has the key: the signature was written here.
    Written(PathBuf),
    /// This signer: the signature fits.
    Good(String),
}

/// Which file the record is.
pub(super) fn written(path: &Path, bytes: &[u8]) -> String {
    format!("record     {} (sha256 {})\n", path.display(), digest::of_bytes(bytes))
}

/// What the record says, and who vouches for it.
pub(super) fn of(record: &ConformanceRecord, seal: &Seal) -> String {
    let mut text = String::new();
    // A record is a stranger's: none of its texts may look like another line of this page.
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
        line("known", format!("{known} results as {} says: they excuse nothing here", applied.files.path));
    }
    let edition = record.edition.as_ref().map(|edition| format!(", edition {edition}")).unwrap_or_default();
    line("product", format!("{} of {}{edition}", record.product, record.runtime));
    if let Some(library) = record.libraries.first() {
        let what = if library.simulated { "SIMULATED DEVICE" } else { &library.path };
        line("library", format!("{what} (sha256 {})", library.sha256.as_deref().unwrap_or("not known")));
    }
    let required = record.rules.values().filter(|rule| rule.required).count();
    let seen = record.rules.values().filter(|rule| rule.verdict.is_some()).count();
    line("rules", format!("{required} that a conformant device holds here; {seen} have a result"));
    line("run", format!("{}, begun {} (journal sha256 {})", record.run.name, record.run.started, record.run.journal));
    match seal {
        Seal::None => line("signature", "none: nothing shows who made this record, nor that a run did".to_owned()),
        Seal::Written(path) => line("signature", format!("{}, for {NAMESPACE}", path.display())),
        Seal::Good(signer) => line("signature", format!("good, of {signer}, for {NAMESPACE}")),
    }
    text
}

/// The first rules by their ids, and how many more there are.
fn named(rules: &[String]) -> String {
    let more = rules.len().saturating_sub(NAMED);
    let first = rules[..rules.len() - more].join(", ");
    match (rules.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(" ({first})"),
        (false, more) => format!(" ({first} and {more} more)"),
    }
}
