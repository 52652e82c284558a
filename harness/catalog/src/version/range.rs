//! A range of versions: `>=25.5 <26.0`.

use std::cmp::Ordering;
use std::fmt;

use super::VersionNumber;

/// Conditions that a version must satisfy together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    text: String,
    conditions: Vec<(&'static [Ordering], VersionNumber)>,
}

/// The error for a text that is not a range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a range of versions; write conditions with a sign and a version each, for example \">=25.5 <26.0\""
)]
pub struct NotARange(String);

/// The comparison signs, each with the orderings that satisfy it. Longer signs come first, because `>=` begins with
/// `>`.
pub(crate) const SIGNS: [(&str, &[Ordering]); 5] = [
    (">=", &[Ordering::Greater, Ordering::Equal]),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    ("==", &[Ordering::Equal]),
    (">", &[Ordering::Greater]),
    ("<", &[Ordering::Less]),
];

impl Range {
    /// Reads a range.
    ///
    /// # Errors
    /// Fails if there is no condition, or if a condition lacks a sign or a version that begins with a number.
    pub fn read(text: &str) -> Result<Range, NotARange> {
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let condition = |word: &str| {
            let (sign, rest) = SIGNS.iter().find_map(|(sign, allowed)| Some((*allowed, word.strip_prefix(sign)?)))?;
            Some((sign, VersionNumber::read_whole(rest)?))
        };
        let conditions: Option<Vec<_>> = words.map(condition).collect();
        match conditions {
            Some(conditions) if !conditions.is_empty() => Ok(Range { text: text.trim().to_owned(), conditions }),
            _ => Err(NotARange(text.to_owned())),
        }
    }

    /// True if a version is in the range. Each condition compares only the parts that it names: 26.0 covers every
    /// version that begins with 26.0, including release candidates.
    pub fn holds(&self, version: &VersionNumber) -> bool {
        self.conditions.iter().all(|(allowed, named)| allowed.contains(&version.beginning(named)))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::numbers_not_texts(">=25.9", "25.10.0", true)]
    #[case::patch_of_the_last("<=25.5", "25.5.2", true)]
    #[case::not_after_what_begins_like_it(">25.5", "25.5.2", false)]
    #[case::candidate_of_the_next("<26.0", "26.0.rc1", false)]
    #[case::candidate_before_a_release("<26.0.1", "26.0.rc1", true)]
    #[case::candidates_in_order(">=25.3.rc2", "25.3.RC1", false)]
    #[case::exactly("==8.5.0", "8.5.0", true)]
    #[case::all_conditions(">=25.5 <26.0", "25.5.1", true)]
    #[case::all_conditions_with_a_comma(">=25.5, <26.0", "26.1.0", false)]
    #[case::firmware(">=7.8.0.7.220", "7.8.0.7.221", true)]
    #[case::shorter_version(">=9.0.0", "9.0", true)]
    fn a_range_holds_what_satisfies_each_of_its_conditions(
        #[case] range: &str,
        #[case] version: &str,
        #[case] is: bool,
    ) {
        let version = VersionNumber::read(version).expect("it is a version");
        assert_eq!(Range::read(range).expect("it is a range").holds(&version), is);
    }

    #[rstest]
    #[case("")]
    #[case("25.5")]
    #[case(">=")]
    #[case(">=V100R001")]
    #[case(">= 25.5")]
    #[case(">=25.5 26")]
    #[case(">=25.x$")]
    #[case("=25.5")]
    fn a_text_that_is_no_range_is_never_one_that_always_holds(#[case] text: &str) {
        let message = Range::read(text).expect_err("it is not a range").to_string();
        assert!(message.starts_with(&format!("`{text}` ")) && message.contains(">=25.5 <26.0"), "{message}");
    }
}
