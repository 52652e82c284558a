//! Finds the smallest set of cases that must run first for a case to fail.

/// The result of running a list of cases in a fresh process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    /// The case at this index failed; later cases did not run.
    FailsAt(usize),
    Passes,
    /// No further runs are possible.
    Stopped,
}

/// Shortens a list of cases whose last case fails when all run in order: first by starting later, then by leaving
/// out smaller and smaller parts, down to single cases. Also returns true if the search was complete.
///
/// `alone_passes`: the last case is known to pass alone.
pub(super) fn shorten<C: Clone>(
    mut cases: Vec<C>,
    mut alone_passes: bool,
    run: &mut dyn FnMut(&[C]) -> Tried,
) -> (Vec<C>, bool) {
    // Finds the latest start from which the case fails. The case fails from `low` but from no start after `high`,
    // assuming that a later start never makes a failure more likely.
    let mut low = 0;
    let mut high = cases.len().saturating_sub(1 + usize::from(alone_passes));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match run(&cases[middle..]) {
            Tried::FailsAt(at) => {
                low = middle;
                alone_passes &= middle + at + 1 == cases.len();
                cases.truncate(middle + at + 1);
                high = high.min(cases.len() - 1);
            }
            Tried::Passes => high = middle - 1,
            Tried::Stopped => return (cases.split_off(low), false),
        }
    }
    cases.drain(..low);
    let mut size = cases.len() / 2;
    while size > 0 {
        // The first case is needed, because the last case passed when the list started after the first case.
        let mut at = 1;
        while at + 1 < cases.len() {
            let end = (at + size).min(cases.len() - 1);
            let rest: Vec<C> = cases[..at].iter().chain(&cases[end..]).cloned().collect();
            let tried = if rest.len() == 1 && alone_passes { Tried::Passes } else { run(&rest) };
            match tried {
                Tried::FailsAt(last) => {
                    alone_passes &= last + 1 == rest.len();
                    cases = rest;
                    cases.truncate(last + 1);
                }
                Tried::Passes => at = end,
                Tried::Stopped => return (cases, false),
            }
        }
        size /= 2;
    }
    (cases, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A device on which the case `last` fails after all cases in `needed` have run in this order. Other cases may run
    /// between them.
    fn device<'a>(needed: &'a [usize], last: usize, runs: &'a mut u32) -> impl FnMut(&[usize]) -> Tried + 'a {
        move |cases| {
            *runs += 1;
            let mut missing = needed.iter().peekable();
            for (at, case) in cases.iter().enumerate() {
                if *case == last && missing.peek().is_none() {
                    return Tried::FailsAt(at);
                }
                missing.next_if_eq(&case);
            }
            Tried::Passes
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn exactly_the_needed_cases_are_left(all in 1usize..120, needed in proptest::collection::btree_set(0usize..119, 1..4)) {
            let needed: Vec<usize> = needed.into_iter().filter(|case| *case < all).collect();
            prop_assume!(!needed.is_empty());
            let mut runs = 0;
            let (found, complete) = shorten((0..=all).collect(), true, &mut device(&needed, all, &mut runs));
            prop_assert!(complete);
            prop_assert_eq!(&found[..found.len() - 1], &needed[..]);
            prop_assert_eq!(found.last(), Some(&all));
            prop_assert!(runs <= 60, "{} runs for {} cases", runs, all);
        }

        #[test]
        fn what_is_left_fails_also_when_the_budget_ends(all in 1usize..60, needed in 0usize..60, budget in 0u32..12) {
            prop_assume!(needed < all);
            let needed = [needed];
            let (mut runs, mut left) = (0, budget);
            let mut judge = device(&needed, all, &mut runs);
            let (found, _) = shorten((0..=all).collect(), true, &mut |cases| {
                if left == 0 {
                    return Tried::Stopped;
                }
                left -= 1;
                judge(cases)
            });
            prop_assert_eq!(judge(&found), Tried::FailsAt(found.len() - 1));
        }
    }

    #[test]
    fn a_case_that_needs_no_other_is_left_alone() {
        let (found, complete) = shorten(vec![1, 2, 3, 4], false, &mut |cases| Tried::FailsAt(cases.len() - 1));
        assert_eq!((found, complete), (vec![4], true));
    }

    #[test]
    fn an_earlier_case_that_fails_is_the_last() {
        let fails = |cases: &[u32]| match cases.iter().position(|case| *case == 3) {
            Some(at) => Tried::FailsAt(at),
            None => Tried::Passes,
        };
        let (found, complete) = shorten(vec![1, 2, 3, 4, 5], true, &mut { fails });
        assert_eq!((found, complete), (vec![3], true));
    }
}
