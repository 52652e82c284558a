//! Comparison of a catalog with a release's must-pass list.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use steps::judgment::reported;

use super::changes::{ChangedPart, Log};
use super::error::MustPassError;
use super::list::{MustPass, Promise};
use crate::one_space;
use crate::version::VersionNumber;
use crate::{Diagnostic, Level, Rule, Rules, Specs, short};

/// A mistake found by the comparison: a change that a release must not make silently.
#[derive(Debug)]
pub struct Mistake(Diagnostic);

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A requirement that became weaker.
struct Weakening<'a> {
    rule: &'a str,
    part: ChangedPart,
    /// The product, condition or statement; empty for the rule as a whole.
    name: String,
    /// The weakening, in words.
    what: String,
    /// The place of the weakening, as `file:line`.
    place: String,
}

/// Compares a catalog with an earlier list. Returns the weakenings that the log does not explain, the log entries that
/// match no weakening, and the new rules with a wrong `since`.
///
/// # Errors
/// Fails if the list or the log cannot be read.
pub fn hold(path: &Path, specs: &Specs, rules: &Rules) -> Result<Vec<Mistake>, MustPassError> {
    let list = MustPass::read(path)?;
    let log = Log::read(specs, rules)?;
    let found: Vec<Weakening<'_>> =
        list.rules.iter().flat_map(|(id, promise)| weakenings(id, promise, path, rules)).collect();
    let later: Vec<_> =
        log.changes.iter().filter(|change| is_later(&change.value.version.value, &list.version)).collect();
    let said =
        |weak: &&Weakening<'_>| !later.iter().any(|change| change.value.is_about(weak.rule, weak.part, &weak.name));
    let mut mistakes: Vec<Mistake> = found.iter().filter(said).map(|weak| weak.mistake(&log, &list.version)).collect();
    for change in later {
        let about = |weak: &Weakening<'_>| change.value.is_about(weak.rule, weak.part, &weak.name);
        if !found.iter().any(about) {
            let message = format!(
                "{} is as strong as in version {} here; remove the entry, or quote what became weaker exactly",
                change.value.rule.value, list.version
            );
            mistakes.push(Mistake(Diagnostic::at(&log.source, &change.value.rule, message)));
        }
    }
    mistakes.extend(rules.rules.iter().filter_map(|rule| since(rule, &list, rules)));
    Ok(mistakes)
}

/// The weakenings of a rule.
fn weakenings<'a>(id: &'a str, was: &Promise, list: &Path, rules: &Rules) -> Vec<Weakening<'a>> {
    let whole =
        |part, what: &str, place| vec![Weakening { rule: id, part, name: String::new(), what: what.to_owned(), place }];
    if rules.support_rule().as_deref() == Some(id) {
        return Vec::new();
    }
    let Some(rule) = rules.rule(id) else {
        return whole(ChangedPart::Rule, "was removed", list.display().to_string());
    };
    let place = place(rule, rules);
    let is = Promise::of(rule, rules);
    if rule.level != Level::Must || rule.hazard.is_some() {
        let what = if rule.hazard.is_some() { "is only observed" } else { "only informs" };
        return whole(ChangedPart::Level, what, place);
    }
    let weak = |part, name: &str, what: String| Weakening {
        rule: id,
        part,
        name: name.to_owned(),
        what,
        place: place.clone(),
    };
    let products = was.products.difference(&is.products);
    let products =
        products.map(|product| weak(ChangedPart::Products, product, format!("does not have to hold on {product}")));
    let conditions = is.conditions.difference(&was.conditions);
    let conditions = conditions.map(|name| weak(ChangedPart::Conditions, name, format!("applies only where `{name}`")));
    let only_reported: Vec<String> =
        reported(&rule.program).iter().map(|check| one_space(&rule.program.judged(check))).collect();
    let checks = lost(&was.checks, &is.checks).into_iter().map(|check| {
        let what = if only_reported.iter().any(|reported| reported.trim_start_matches("[info] ") == check) {
            "is only reported"
        } else {
            "is no longer judged"
        };
        weak(ChangedPart::Checks, check, format!("the check `{check}` {what}"))
    });
    products.chain(conditions).chain(checks).collect()
}

/// The statements that appear fewer times than before.
fn lost<'a>(was: &'a [String], is: &[String]) -> Vec<&'a str> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    is.iter().for_each(|check| *left.entry(check).or_default() += 1);
    let gone = |check: &&'a String| match left.get_mut(check.as_str()).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            false
        }
        None => true,
    };
    was.iter().filter(gone).map(String::as_str).collect()
}

/// The mistake in a rule's `since`, if any. A rule that is not in the list belongs to the next version and must not
/// name an earlier version.
fn since(rule: &Rule, list: &MustPass, rules: &Rules) -> Option<Mistake> {
    let promise = Promise::of(rule, rules);
    let listed = list.rules.contains_key(&rule.id);
    let version = rule.source.since.as_ref().map(|since| since.value.as_str());
    let later = version.is_some_and(|version| is_later(version, &list.version));
    let message = match (listed, later) {
        (false, false) if !promise.products.is_empty() && version.is_some() => format!(
            "{} is judged, but version {} did not have it; leave `since` out, or name the version that adds it",
            rule.id, list.version
        ),
        (true, true) => format!("{} is already in the list of version {}; remove `since`", rule.id, list.version),
        _ => return None,
    };
    Some(Mistake(at(&place(rule, rules), &message)))
}

impl Weakening<'_> {
    fn mistake(&self, log: &Log, version: &str) -> Mistake {
        let of = if self.name.is_empty() { String::new() } else { format!(", of: [{:?}]", self.name) };
        let message = format!(
            "{} {}, but version {version} required it; restore it, or explain it in {}:\n    \
             - {{rule: {}, version: …, part: {}{of}, why: …}}",
            self.rule,
            self.what,
            short(&log.path),
            self.rule,
            self.part.name()
        );
        Mistake(at(&self.place, &message))
    }
}

/// A mistake whose file and line are known only as text.
fn at(place: &str, message: &str) -> Diagnostic {
    Diagnostic { source: None, line: 0, column: 0, message: format!("{place}: {message}") }
}

fn place(rule: &Rule, rules: &Rules) -> String {
    format!("{}:{}", short(&rules.chapters[rule.chapter].path), rule.line)
}

/// True if a version is later than another; false for a malformed version.
fn is_later(version: &str, than: &str) -> bool {
    let read = |text| VersionNumber::read_whole(text);
    read(version).zip(read(than)).is_some_and(|(version, than)| version.compare(&than) == Ordering::Greater)
}
