//! Detects flakes that fail more often than their entries allow.

use record::Repeats;

use crate::confidence::at_least;

/// The chance that a flake within its rate is judged too frequent.
const FALSE_ALARM: f64 = 0.01;

/// Above this number of runs, the normal distribution replaces the exact sum.
const MANY: u32 = 1000;

/// The normal quantile for [`FALSE_ALARM`].
const QUANTILE: f64 = 2.3263;

/// True if there are more failures than a rate allows: at this rate, fewer than one in a hundred series of runs would
/// have this many failures or more.
pub(super) fn too_often(seen: Repeats, rate: f64) -> bool {
    if seen.failed == 0 || seen.failed > seen.runs {
        return false;
    }
    let runs = f64::from(seen.runs);
    if seen.runs > MANY {
        let deviation = (runs * rate * (1.0 - rate)).sqrt();
        return f64::from(seen.failed) - runs * rate > QUANTILE * deviation;
    }
    at_least(seen.failed, seen.runs, rate) < FALSE_ALARM
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::not_again(0, 10, 0.01, false)]
    #[case::as_often_as_known(1, 10, 0.1, false)]
    #[case::chance(3, 10, 0.1, false)]
    #[case::each_time(10, 10, 0.5, true)]
    #[case::twice_says_little(2, 2, 0.2, false)]
    #[case::twice_of_a_rare_one(2, 2, 0.05, true)]
    #[case::many_runs_within(1_050, 10_000, 0.1, false)]
    #[case::many_runs_beyond(1_100, 10_000, 0.1, true)]
    #[case::no_runs(0, 0, 0.1, false)]
    #[case::more_failures_than_runs(3, 2, 0.1, false)]
    fn a_flake_is_too_frequent_where_chance_hardly_explains_it(
        #[case] failed: u32,
        #[case] runs: u32,
        #[case] rate: f64,
        #[case] is: bool,
    ) {
        assert_eq!(too_often(Repeats { failed, runs }, rate), is);
    }
}
