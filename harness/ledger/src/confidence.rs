//! The confidence in an answer about a symptom that does not occur in every run.

/// The chance that the true rate is below its lower bound.
const DOUBT: f64 = 0.05;

/// The confidence that the first version with a symptom was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Confidence {
    /// The number of runs of the last version tried in which the symptom occurred.
    pub hits: u32,
    /// The number of runs of the last version tried.
    pub runs: u32,
    /// The lower bound of the symptom's rate, with 95 % confidence.
    pub rate: f64,
    /// The number of versions considered free of the symptom.
    pub free: u32,
    /// The number of runs of each version considered free. None of these runs showed the symptom.
    pub runs_of_free: u32,
    /// The chance that a version considered free has the symptom after all, if the symptom is as frequent in that
    /// version as in the last version tried.
    pub missed: f64,
    /// The lower bound of the chance that the answer is right, if the symptom is equally frequent in every version that
    /// has the symptom.
    pub right: f64,
    /// The number of runs per version that would raise `right` to 90 %.
    pub wanted: u32,
}

impl Confidence {
    /// Computes the confidence. In the version with the symptom, `hits` of `runs` runs showed the symptom. In each of
    /// `free` other versions, none of `runs_of_free` runs showed the symptom.
    pub fn of(hits: u32, runs: u32, (free, runs_of_free): (u32, u32)) -> Confidence {
        let rate = lowest_rate(hits, runs);
        let silent = 1.0 - rate;
        // The symptom may have been missed in any version considered free.
        let missed = (f64::from(free) * silent.powf(f64::from(runs_of_free))).min(1.0);
        let wanted = ((0.1 - DOUBT) / f64::from(free.max(1))).ln() / silent.ln();
        Confidence {
            hits,
            runs,
            rate,
            free,
            runs_of_free,
            missed,
            right: (1.0 - DOUBT - missed).max(0.0),
            wanted: wanted.ceil().clamp(1.0, f64::from(u32::MAX)) as u32,
        }
    }
}

/// The chance that at least `failed` of `runs` runs fail.
pub(crate) fn at_least(failed: u32, runs: u32, rate: f64) -> f64 {
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

/// The lower end of the exact one-sided interval (Clopper and Pearson) for a rate. At the returned rate, the chance of
/// `hits` or more hits is [`DOUBT`].
fn lowest_rate(hits: u32, runs: u32) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_least(hits, runs, middle) < DOUBT { low = middle } else { high = middle }
    }
    low
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
    // If all runs are hits, the rate to the power of the number of runs is 0.05. The other values come from Clopper and
    // Pearson's tables (90 %, two-sided).
    #[case(1, 1, 0.05)]
    #[case(10, 10, 0.741_134)]
    #[case(1, 10, 0.005_116)]
    #[case(5, 10, 0.222_441)]
    #[case(10, 20, 0.301_954)]
    #[case(1000, 1000, 0.997_009)]
    #[case(10_000, 10_000, 0.999_700)]
    fn the_lowest_rate_agrees_with_the_tables(#[case] hits: u32, #[case] runs: u32, #[case] rate: f64) {
        assert!((lowest_rate(hits, runs) - rate).abs() < 1e-5, "{}", lowest_rate(hits, runs));
    }

    #[rstest]
    // 1 - 0.05 - 2 × (1 - 0.741134)^10, and so on.
    #[case::each_time(10, 10, 2, 0.949_997)]
    #[case::half_of_the_time(5, 10, 2, 0.788_1)]
    #[case::rarely(1, 10, 2, 0.0)]
    #[case::nothing_to_miss(1, 10, 0, 0.95)]
    fn versions_that_may_have_been_missed_lower_the_confidence(
        #[case] hits: u32,
        #[case] runs: u32,
        #[case] free: u32,
        #[case] right: f64,
    ) {
        let found = Confidence::of(hits, runs, (free, runs));
        assert!((found.right - right).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn the_wanted_number_of_runs_gives_ninety_percent() {
        for (hits, runs, free) in [(1, 10, 1), (3, 10, 2), (5, 20, 4)] {
            let Confidence { rate, wanted, .. } = Confidence::of(hits, runs, (free, runs));
            let missed = |runs: u32| f64::from(free) * (1.0 - rate).powf(f64::from(runs));
            assert!(DOUBT + missed(wanted) <= 0.1 + 1e-9 && DOUBT + missed(wanted - 1) > 0.1, "{wanted}");
        }
    }
}
