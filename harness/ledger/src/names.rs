//! The names of verdicts, meanings and sorts, in the language in use. In English, they are the names in the journal.

use messages::message;
use record::{Meaning, Sort, Verdict};

/// The name of a verdict.
pub fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => message!("verdict-name-pass"),
        Verdict::Fail => message!("verdict-name-fail"),
        Verdict::WrongCode => message!("verdict-name-wrong-code"),
        Verdict::Exceeds => message!("verdict-name-exceeds"),
        Verdict::Observed => message!("verdict-name-observed"),
        Verdict::Blocked => message!("verdict-name-blocked"),
        Verdict::Skipped => message!("verdict-name-skipped"),
        Verdict::Error => message!("verdict-name-error"),
        Verdict::Crash => message!("verdict-name-crash"),
        Verdict::Timeout => message!("verdict-name-timeout"),
        Verdict::Flaky => message!("verdict-name-flaky"),
        Verdict::DeviceLost => message!("verdict-name-device-lost"),
        Verdict::Cut => message!("verdict-name-cut"),
    }
}

/// The name of a verdict as a title. In other languages than English, the English name follows, because programs and
/// journals use it.
pub(crate) fn verdict_title(verdict: Verdict) -> String {
    let title = verdict.name().to_uppercase();
    match verdict_text(verdict) {
        name if name == verdict.name() => title,
        name => format!("{name} {title}"),
    }
}

/// The word for a meaning.
pub(crate) fn meaning_text(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => message!("meaning-good"),
        Meaning::Broken => message!("meaning-broken"),
        Meaning::Finding => message!("meaning-finding"),
        Meaning::Unknown => message!("meaning-unknown"),
        Meaning::Skipped => message!("meaning-skipped"),
    }
}

/// The word for a meaning after a number of results.
pub(crate) fn meaning_of(meaning: Meaning, count: usize) -> String {
    match meaning {
        Meaning::Finding => message!("meaning-findings", count = count),
        _ => meaning_text(meaning).to_owned(),
    }
}

/// The name of a sort of known failures.
pub fn sort_text(sort: Sort) -> &'static str {
    match sort {
        Sort::Known => message!("sort-name-known"),
        Sort::New => message!("sort-name-new"),
        Sort::Unlike => message!("sort-name-unlike"),
        Sort::TooOften => message!("sort-name-too-often"),
        Sort::Expired => message!("sort-name-expired"),
        Sort::Fixed => message!("sort-name-fixed"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use messages::{Language, in_language};

    use super::*;

    const SORTS: [Sort; 6] = [Sort::Known, Sort::New, Sort::Unlike, Sort::TooOften, Sort::Expired, Sort::Fixed];

    #[test]
    fn english_names_are_those_of_the_journal() {
        assert_eq!(Verdict::ALL.map(verdict_text), Verdict::ALL.map(Verdict::name));
        assert_eq!(SORTS.map(sort_text), SORTS.map(Sort::name));
        assert_eq!(verdict_title(Verdict::WrongCode), "WRONG-CODE");
    }

    #[test]
    fn names_differ_in_every_language_and_a_title_contains_the_name_in_the_journal() {
        for language in Language::ALL {
            in_language(language, || {
                assert_eq!(BTreeSet::from(Verdict::ALL.map(verdict_text)).len(), Verdict::ALL.len(), "{language:?}");
                assert_eq!(BTreeSet::from(SORTS.map(sort_text)).len(), SORTS.len(), "{language:?}");
                assert!(
                    Verdict::ALL
                        .iter()
                        .all(|verdict| verdict_title(*verdict).ends_with(&verdict.name().to_uppercase()))
                );
            });
        }
    }
}
