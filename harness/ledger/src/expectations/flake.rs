//! Detects flakes that fail more often than their entries allow.

use record::Repeats;

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

/// The chance that at least `failed` of `runs` runs fail.
fn at_least(failed: u32, runs: u32, rate: f64) -> f64 {
    // Uses logarithms, because the chance that none of many runs fails can be too small for a float.
    let odds = rate.ln() - (-rate).ln_1p();
    let mut term = f64::from(runs) * (-rate).ln_1p();
    let mut fewer = 0.0;
    for count in 0..failed {
        fewer += term.exp();
        term += (f64::from(runs - count) / f64::from(count + 1)).ln() + odds;
    }
    1.0 - fewer
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    // 0.1 × 0.1, and 1 - 0.9^10 - 10 × 0.1 × 0.9^9.
    #[case(2, 2, 0.1, 0.01)]
    #[case(2, 10, 0.1, 0.263_901)]
    #[case(1, 20, 0.05, 0.641_514)]
    #[case(0, 5, 0.3, 1.0)]
    fn the_chance_of_a_number_of_failures_follows_the_binomial_distribution(
        #[case] failed: u32,
        #[case] runs: u32,
        #[case] rate: f64,
        #[case] chance: f64,
    ) {
        assert!((at_least(failed, runs, rate) - chance).abs() < 1e-6, "{}", at_least(failed, runs, rate));
    }

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
