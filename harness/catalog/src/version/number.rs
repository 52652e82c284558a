//! A version as its components.

use std::cmp::Ordering;

/// A version that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionNumber(Vec<Component>);

/// A component of a version: `rc1` sorts before the number of the final version.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Component {
    Before(String, u64),
    Number(u64),
}

impl VersionNumber {
    /// Reads a version; `None` if the text does not begin with a number.
    pub fn read(text: &str) -> Option<VersionNumber> {
        let parts = text.trim().split(['.', '-']).map_while(part);
        let parts: Vec<Component> = parts.collect();
        matches!(parts.first(), Some(Component::Number(_))).then_some(VersionNumber(parts))
    }

    /// Reads a version; `None` if any part of the text is malformed.
    pub fn read_whole(text: &str) -> Option<VersionNumber> {
        text.split(['.', '-']).all(|text| part(text).is_some()).then(|| VersionNumber::read(text)).flatten()
    }

    /// True if the version is in a range. The range includes both ends and all versions that begin with either end:
    /// 7.8.99.5 is in a range that ends at 7.8.99.
    pub fn within(&self, low: &VersionNumber, high: &VersionNumber) -> bool {
        self.beginning(low) != Ordering::Less && self.beginning(high) != Ordering::Greater
    }

    /// Compares only the parts that the other version has, so 7.8.99.5 counts as equal to 7.8.99. Missing parts count
    /// as 0.
    pub fn beginning(&self, other: &VersionNumber) -> Ordering {
        let parts = self.0.iter().zip(&other.0).map(|(own, other)| compare(own, other));
        let shorter = if self.0.len() < other.0.len() { self.compare(other) } else { Ordering::Equal };
        parts.fold(Ordering::Equal, Ordering::then).then(shorter)
    }

    /// Compares two versions. Missing parts count as 0.
    pub fn compare(&self, other: &VersionNumber) -> Ordering {
        let most = self.0.len().max(other.0.len());
        let part = |release: &VersionNumber, at: usize| release.0.get(at).cloned().unwrap_or(Component::Number(0));
        (0..most).map(|at| compare(&part(self, at), &part(other, at))).fold(Ordering::Equal, Ordering::then)
    }

    /// True if the version begins with these numbers.
    pub fn begins_with(&self, numbers: &[u64]) -> bool {
        numbers
            .iter()
            .enumerate()
            .all(|(at, number)| self.0.get(at).unwrap_or(&Component::Number(0)) == &Component::Number(*number))
    }
}

fn compare(a: &Component, b: &Component) -> Ordering {
    match (a, b) {
        (Component::Number(a), Component::Number(b)) => a.cmp(b),
        (Component::Before(a, m), Component::Before(b, n)) => a.cmp(b).then(m.cmp(n)),
        (Component::Before(..), Component::Number(_)) => Ordering::Less,
        (Component::Number(_), Component::Before(..)) => Ordering::Greater,
    }
}

fn part(text: &str) -> Option<Component> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &text[..text.len() - digits.len()];
    let number = || digits.parse().ok();
    match (letters.is_empty(), digits.is_empty()) {
        (true, true) => None,
        (true, false) => number().map(Component::Number),
        (false, true) => Some(Component::Before(letters.to_lowercase(), 0)),
        (false, false) => number().map(|number| Component::Before(letters.to_lowercase(), number)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn release(text: &str) -> VersionNumber {
        VersionNumber::read(text).unwrap_or_else(|| panic!("{text} is a version"))
    }

    #[rstest]
    #[case::patch("25.2.0", "25.2.1", Ordering::Less)]
    #[case::candidate_before_release("25.3.rc1", "25.3", Ordering::Less)]
    #[case::candidate_of_a_candidate("25.0.rc1", "25.0.rc1.1", Ordering::Less)]
    #[case::either_spelling("8.2.RC1", "8.2.rc1", Ordering::Equal)]
    #[case::alpha_before_candidate("8.3.alpha001", "8.3.RC1", Ordering::Less)]
    #[case::numbers_not_texts("25.10.0", "25.9.0", Ordering::Greater)]
    #[case::dashes("8.5.0-beta.1", "8.5.0", Ordering::Less)]
    #[case::missing_parts("9.0", "9.0.0", Ordering::Equal)]
    fn versions_compare_as_they_were_released(#[case] a: &str, #[case] b: &str, #[case] is: Ordering) {
        assert_eq!(release(a).compare(&release(b)), is);
        assert_eq!(release(b).compare(&release(a)), is.reverse());
    }

    proptest! {
        #[test]
        fn any_text_is_a_version_or_rejected(text in ".{0,40}") {
            if let Some(read) = VersionNumber::read(&text) {
                prop_assert_eq!(read.compare(&read), Ordering::Equal);
                prop_assert_eq!(read.beginning(&read), Ordering::Equal);
            }
        }
    }
}
