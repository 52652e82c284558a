//! Versions of driver, firmware and toolkit, which are no numbers: `25.0.rc1.1`, `8.2.RC1`, `7.8.T5.0.B210`. And which
//! of them fit together, as their own files say.

use std::cmp::Ordering;

/// A version that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Release(Vec<Part>);

/// A part of a version: `rc1` comes before the number that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Before(String, u64),
    Number(u64),
}

impl Release {
    /// Reads a version; `None`: it does not begin with a number.
    pub(super) fn read(text: &str) -> Option<Release> {
        let parts = text.trim().split(['.', '-']).map_while(part);
        let parts: Vec<Part> = parts.collect();
        matches!(parts.first(), Some(Part::Number(_))).then_some(Release(parts))
    }

    /// Whether it is in a range, ends included. What begins like an end is within: 7.8.99.5 is up to 7.8.99.
    fn within(&self, low: &Release, high: &Release) -> bool {
        self.beginning(low) != Ordering::Less && self.beginning(high) != Ordering::Greater
    }

    /// How the parts that both have compare.
    fn beginning(&self, other: &Release) -> Ordering {
        let parts = self.0.iter().zip(&other.0).map(|(own, other)| compare(own, other));
        let shorter = if self.0.len() < other.0.len() { self.compare(other) } else { Ordering::Equal };
        parts.fold(Ordering::Equal, Ordering::then).then(shorter)
    }

    /// Which one comes first. A part that is missing is a zero.
    pub(super) fn compare(&self, other: &Release) -> Ordering {
        let most = self.0.len().max(other.0.len());
        let part = |release: &Release, at: usize| release.0.get(at).cloned().unwrap_or(Part::Number(0));
        (0..most).map(|at| compare(&part(self, at), &part(other, at))).fold(Ordering::Equal, Ordering::then)
    }

    /// Whether it begins with these numbers.
    pub(super) fn begins_with(&self, numbers: &[u64]) -> bool {
        numbers
            .iter()
            .enumerate()
            .all(|(at, number)| self.0.get(at).unwrap_or(&Part::Number(0)) == &Part::Number(*number))
    }
}

fn compare(a: &Part, b: &Part) -> Ordering {
    match (a, b) {
        (Part::Number(a), Part::Number(b)) => a.cmp(b),
        (Part::Before(a, m), Part::Before(b, n)) => a.cmp(b).then(m.cmp(n)),
        (Part::Before(..), Part::Number(_)) => Ordering::Less,
        (Part::Number(_), Part::Before(..)) => Ordering::Greater,
    }
}

fn part(text: &str) -> Option<Part> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &text[..text.len() - digits.len()];
    let number = || digits.parse().ok();
    match (letters.is_empty(), digits.is_empty()) {
        (true, true) => None,
        (true, false) => number().map(Part::Number),
        (false, true) => Some(Part::Before(letters.to_lowercase(), 0)),
        (false, false) => number().map(|number| Part::Before(letters.to_lowercase(), number)),
    }
}

/// Whether a version is in one of the ranges of a file: `[7.0.0,7.8.99]`, or several. `None`: one of them cannot be read.
pub(super) fn in_ranges(version: &str, ranges: &str) -> Option<bool> {
    let version = Release::read(version)?;
    let mut any = None;
    for range in brackets(ranges) {
        let (low, high) = range.split_once(',')?;
        // `23.0.0.` ends where what begins with 23.0.0 ends.
        let [low, high] = [low, high].map(|end| Release::read(end.trim().trim_end_matches('.')));
        let within = version.within(&low?, &high?);
        any = Some(any.unwrap_or(false) || within);
    }
    any
}

/// The parts of a list in brackets: `[V100R001C17],[V100R001C18]`.
pub(super) fn brackets(list: &str) -> impl Iterator<Item = &str> {
    list.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(part, _)| part.trim())
}

/// The branch of an inner version: V100R001C22 of V100R001C22SPC003B220. Branches are names: their numbers went down.
pub(super) fn branch(inner: &str) -> Option<&str> {
    let at = inner.find('C')?;
    let digits = inner[at + 1..].chars().take_while(char::is_ascii_digit).count();
    (digits > 0).then(|| &inner[..at + 1 + digits])
}

/// Drivers that a toolkit was published or tested with; a driver that begins like one of them is meant.
/// Sources: hicann/release-management release notes, hicann/community test reports, MindCluster 26.0.0.
const PUBLISHED: &[(&[u64], &[&[u64]])] = &[
    (&[8, 5], &[&[25, 5], &[26, 0]]),
    (&[9, 0], &[&[25, 5], &[26, 0]]),
    (&[9, 1], &[&[25, 1], &[25, 5], &[25, 6], &[26, 0]]),
    (&[9, 2], &[&[25, 2], &[25, 3], &[25, 5], &[25, 7], &[26, 0], &[26, 1]]),
];

/// Whether a toolkit was published or tested with a driver; `None`: nothing public is known of the toolkit.
pub(super) fn published_together(toolkit: &str, driver: &str) -> Option<bool> {
    let (toolkit, driver) = (Release::read(toolkit)?, Release::read(driver)?);
    let (_, drivers) = PUBLISHED.iter().find(|(known, _)| toolkit.begins_with(known))?;
    Some(drivers.iter().any(|known| driver.begins_with(known)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn release(text: &str) -> Release {
        Release::read(text).unwrap_or_else(|| panic!("{text} is a version"))
    }

    #[rstest]
    #[case::patch("25.2.0", "25.2.1", Ordering::Less)]
    #[case::candidate_before_release("25.3.rc1", "25.3", Ordering::Less)]
    #[case::candidate_of_a_candidate("25.0.rc1", "25.0.rc1.1", Ordering::Less)]
    #[case::either_spelling("8.2.RC1", "8.2.rc1", Ordering::Equal)]
    #[case::alpha_before_candidate("8.3.alpha001", "8.3.RC1", Ordering::Less)]
    #[case::numbers_are_no_texts("25.10.0", "25.9.0", Ordering::Greater)]
    #[case::dashes("8.5.0-beta.1", "8.5.0", Ordering::Less)]
    #[case::missing_parts("9.0", "9.0.0", Ordering::Equal)]
    fn versions_compare_as_they_were_released(#[case] a: &str, #[case] b: &str, #[case] is: Ordering) {
        assert_eq!(release(a).compare(&release(b)), is);
        assert_eq!(release(b).compare(&release(a)), is.reverse());
    }

    #[rstest]
    #[case::inside("7.7.0.9.220", "[7.0.0,7.8.99]", Some(true))]
    #[case::above("7.3.0.1.231", "[7.0.0,7.2.99]", Some(false))]
    #[case::begins_like_the_end("7.8.99.5", "[7.0.0,7.8.99]", Some(true))]
    #[case::one_of_several("25.2.1", "[23.0.0,23.0.0.],[25.0,25.0.],[25.2,25.2.]", Some(true))]
    #[case::none_of_several("25.3.0", "[23.0.0,23.0.0.],[25.0,25.0.],[25.2,25.2.]", Some(false))]
    #[case::a_candidate_of_a_prefix("25.0.rc1.1", "[25.0,25.0.]", Some(true))]
    #[case::shorter_than_the_end("7.0", "[7.0.0,7.2.99]", Some(true))]
    #[case::no_range("7.0", "", None)]
    #[case::half_a_range("7.0", "[7.0.0]", None)]
    fn a_range_holds_what_lies_in_it(#[case] version: &str, #[case] ranges: &str, #[case] is: Option<bool>) {
        assert_eq!(in_ranges(version, ranges), is);
    }

    #[test]
    fn a_branch_is_cut_from_an_inner_version() {
        assert_eq!(branch("V100R001C22SPC003B220"), Some("V100R001C22"));
        assert_eq!(branch("unknown"), None);
        assert_eq!(brackets("[V100R001C17],[V100R001C18]").collect::<Vec<_>>(), ["V100R001C17", "V100R001C18"]);
    }

    #[rstest]
    #[case::published("8.5.0", "25.5.1", Some(true))]
    #[case::older_driver("9.0.0", "25.2.1", Some(false))]
    #[case::tested_only("9.2.0-beta.1", "25.2.1", Some(true))]
    #[case::unknown_toolkit("8.2.RC1", "25.2.1", None)]
    fn pairs_that_were_published_are_known(#[case] toolkit: &str, #[case] driver: &str, #[case] is: Option<bool>) {
        assert_eq!(published_together(toolkit, driver), is);
    }

    proptest! {
        #[test]
        fn any_text_is_a_version_or_none(text in ".{0,40}", ranges in "[\\[\\],.0-9a-zA-Z]{0,60}") {
            in_ranges(&text, &ranges);
            branch(&text);
            if let Some(read) = Release::read(&text) {
                prop_assert_eq!(read.compare(&read), Ordering::Equal);
            }
        }
    }
}
