//! Warnings about valid entries.

use time::{Date, Duration};

use catalog::{Rules, offered};

use super::known_failure::KnownFailure;
use super::read::Expectations;

/// The longest remaining lifetime of an entry that causes no warning, in days.
const LONGEST: i64 = 366;

impl Expectations {
    /// Warnings about entries that have expired, apply for too long, occur twice, or cannot match any result.
    pub fn warnings(&self, rules: &Rules, on: Date) -> Vec<String> {
        let mut warnings = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let KnownFailure { place, expires, tracker, .. } = entry;
            if entry.expired(on) {
                warnings
                    .push(format!("{place}: expired on {expires}; check {tracker}, then remove or renew the entry"));
            } else if *expires - on > Duration::days(LONGEST) {
                warnings.push(format!("{place}: expires on {expires}, in more than a year; choose an earlier day"));
            }
            if unmatched(entry, rules) {
                warnings.push(format!("{place}: the entry's products support none of its rules; remove the entry"));
            }
            if let Some(first) = self.entries[..index].iter().find(|first| same(first, entry)) {
                warnings.push(format!("{place}: duplicates {}; remove one of the two entries", first.place));
            }
        }
        warnings
    }
}

/// True if the entry cannot match any result.
fn unmatched(entry: &KnownFailure, rules: &Rules) -> bool {
    let about = rules.rules.iter().filter(|rule| entry.is_about(&rule.id));
    let products: Vec<&str> = match entry.products.is_empty() {
        true => rules.products.iter().map(|product| product.id.as_str()).collect(),
        false => entry.products.iter().map(String::as_str).collect(),
    };
    let derived = rules.support_rule().is_some_and(|id| entry.is_about(&id));
    let mut offers = about.flat_map(|rule| products.iter().map(move |product| offered(rule, product, rules)));
    !derived && !offers.any(|offered| offered.is_ok())
}

fn same(one: &KnownFailure, other: &KnownFailure) -> bool {
    (&one.patterns, one.kind, &one.products, &one.versions, &one.symptom)
        == (&other.patterns, other.kind, &other.products, &other.versions, &other.symptom)
}
