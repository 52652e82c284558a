//! How likely it is that something happens as often as it was seen.

/// The chance that of so many runs at least so many fail.
pub fn at_least(failed: u32, runs: u32, rate: f64) -> f64 {
    // In logarithms: of many runs the chance that none fails is too small for a number.
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
    fn the_chance_of_so_many_failures_is_that_of_the_binomial_distribution(
        #[case] failed: u32,
        #[case] runs: u32,
        #[case] rate: f64,
        #[case] chance: f64,
    ) {
        assert!((at_least(failed, runs, rate) - chance).abs() < 1e-6, "{}", at_least(failed, runs, rate));
    }
}
