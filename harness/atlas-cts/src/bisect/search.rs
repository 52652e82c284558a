//! The search itself: the order of trials, and the conclusion.

/// A version's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The version shows the symptom.
    With,
    /// The rule ran without the symptom.
    Without,
    /// The version cannot be tried.
    Unknown,
}

/// The conclusion. Versions are positions in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Conclusion {
    /// The first version that is known to have the symptom.
    First {
        first: usize,
        /// The last earlier version that is known to be free of the symptom; `None` if the list has none.
        before: Option<usize>,
        /// The versions between `before` and `first` that cannot be tried. The first version with the symptom may be
        /// one of these versions.
        between: Vec<usize>,
    },
    /// The last version that can be tried does not have the symptom.
    Nowhere { last: usize },
    /// No version can be tried.
    Untried,
}

/// Finds the first of `count` versions with the symptom, provided that all later versions also have the symptom. The
/// last version is tried first, then the first version.
///
/// # Errors
/// Returns the first error from `look`.
pub(super) fn search<E>(count: usize, mut look: impl FnMut(usize) -> Result<Seen, E>) -> Result<Conclusion, E> {
    let Some((last, seen)) = known((0..count).rev(), &mut look)? else { return Ok(Conclusion::Untried) };
    if seen == Seen::Without {
        return Ok(Conclusion::Nowhere { last });
    }
    let (mut before, mut first) = match known(0..last, &mut look)? {
        None => return Ok(Conclusion::First { first: last, before: None, between: (0..last).collect() }),
        Some((oldest, Seen::Without)) => (oldest, last),
        Some((oldest, _)) => {
            return Ok(Conclusion::First { first: oldest, before: None, between: (0..oldest).collect() });
        }
    };
    let mut between: Vec<usize> = Vec::new();
    loop {
        between.retain(|unknown| (before..first).contains(unknown));
        let middle = (before + first).div_ceil(2);
        let open = (before + 1..first).filter(|version| !between.contains(version));
        let Some(next) = open.min_by_key(|version| version.abs_diff(middle)) else { break };
        match look(next)? {
            Seen::With => first = next,
            Seen::Without => before = next,
            Seen::Unknown => between.push(next),
        }
    }
    between.sort_unstable();
    Ok(Conclusion::First { first, before: Some(before), between })
}

/// The first version that can be tried, and the result of that version.
fn known<E>(
    mut versions: impl Iterator<Item = usize>,
    look: &mut impl FnMut(usize) -> Result<Seen, E>,
) -> Result<Option<(usize, Seen)>, E> {
    versions
        .find_map(|version| match look(version) {
            Ok(Seen::Unknown) => None,
            other => Some(other.map(|seen| (version, seen))),
        })
        .transpose()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The specification, written independently of the code.
        #[test]
        fn the_search_finds_the_first_version_with_the_symptom_except_for_untestable_ones(
            begins in 0..40_usize,
            testable in prop::collection::vec(prop::bool::weighted(0.8), 1..40),
        ) {
            let count = testable.len();
            let has = |version: usize| version >= begins;
            let mut looked: Vec<usize> = Vec::new();
            let conclusion = search(count, |version| {
                looked.push(version);
                Ok::<_, Infallible>(match (testable[version], has(version)) {
                    (false, _) => Seen::Unknown,
                    (true, true) => Seen::With,
                    (true, false) => Seen::Without,
                })
            });
            let known: Vec<usize> = (0..count).filter(|version| testable[*version]).collect();
            let first = known.iter().copied().find(|version| has(*version));
            let before = known.iter().copied().rev().find(|version| !has(*version));
            let expected = match (first, known.last()) {
                (None, None) => Conclusion::Untried,
                (None, Some(last)) => Conclusion::Nowhere { last: *last },
                (Some(first), _) => {
                    let from = before.map_or(0, |before| before + 1);
                    Conclusion::First { first, before, between: (from..first).collect() }
                }
            };
            prop_assert_eq!(conclusion.unwrap(), expected);
            let distinct: std::collections::BTreeSet<usize> = looked.iter().copied().collect();
            prop_assert_eq!(distinct.len(), looked.len(), "no version is tried twice: {:?}", looked);
            let unknown = count - known.len();
            prop_assert!(looked.len() <= 3 + count.ilog2() as usize + unknown, "{looked:?}");
        }
    }

    #[test]
    fn an_error_ends_the_search() {
        let answer = search(8, |version| if version == 0 { Err("full disk") } else { Ok(Seen::With) });
        assert_eq!(answer, Err("full disk"));
    }
}
