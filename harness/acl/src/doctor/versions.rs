//! Versions of driver, firmware and toolkit, which are not plain numbers: `25.0.rc1.1`, `8.2.RC1`, `7.8.T5.0.B210`. The
//! components' own files list the compatible versions.

use catalog::version::VersionNumber;

/// True if a version is in one of a file's ranges, for example `[7.0.0,7.8.99]`. `None` if a range cannot be read.
pub(super) fn in_ranges(version: &str, ranges: &str) -> Option<bool> {
    let version = VersionNumber::read(version)?;
    let mut any = None;
    for range in brackets(ranges) {
        let (low, high) = range.split_once(',')?;
        // The range end `23.0.0.` includes every version that begins with 23.0.0.
        let [low, high] = [low, high].map(|end| VersionNumber::read(end.trim().trim_end_matches('.')));
        let within = version.within(&low?, &high?);
        any = Some(any.unwrap_or(false) || within);
    }
    any
}

/// The parts of a bracketed list, for example `[V100R001C17],[V100R001C18]`.
pub(super) fn brackets(list: &str) -> impl Iterator<Item = &str> {
    list.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(part, _)| part.trim())
}

/// The branch of an internal version, for example V100R001C22 for V100R001C22SPC003B220. Branches are compared as
/// names, because newer branches may have lower numbers.
pub(super) fn branch(inner: &str) -> Option<&str> {
    let at = inner.find('C')?;
    let digits = inner[at + 1..].chars().take_while(char::is_ascii_digit).count();
    (digits > 0).then(|| &inner[..at + 1 + digits])
}

/// The drivers with which a toolkit was published or tested, by version prefix. Sources: hicann/release-management
/// release notes, hicann/community test reports, MindCluster 26.0.0.
const PUBLISHED: &[(&[u64], &[&[u64]])] = &[
    (&[8, 5], &[&[25, 5], &[26, 0]]),
    (&[9, 0], &[&[25, 5], &[26, 0]]),
    (&[9, 1], &[&[25, 1], &[25, 5], &[25, 6], &[26, 0]]),
    (&[9, 2], &[&[25, 2], &[25, 3], &[25, 5], &[25, 7], &[26, 0], &[26, 1]]),
];

/// True if a toolkit was published or tested with a driver; `None` if no public source covers the toolkit.
pub(super) fn published_together(toolkit: &str, driver: &str) -> Option<bool> {
    let (toolkit, driver) = (VersionNumber::read(toolkit)?, VersionNumber::read(driver)?);
    let (_, drivers) = PUBLISHED.iter().find(|(known, _)| toolkit.begins_with(known))?;
    Some(drivers.iter().any(|known| driver.begins_with(known)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

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
    fn a_range_contains_the_versions_between_its_ends(
        #[case] version: &str,
        #[case] ranges: &str,
        #[case] is: Option<bool>,
    ) {
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
    fn published_pairs_are_known(#[case] toolkit: &str, #[case] driver: &str, #[case] is: Option<bool>) {
        assert_eq!(published_together(toolkit, driver), is);
    }

    proptest! {
        #[test]
        fn no_text_makes_a_version_parser_panic(text in ".{0,40}", ranges in "[\\[\\],.0-9a-zA-Z]{0,60}") {
            in_ranges(&text, &ranges);
            branch(&text);
        }
    }
}
