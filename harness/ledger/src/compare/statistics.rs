//! Statistics: Fisher's exact test, Holm's correction for multiple tests, and medians. Each takes about thirty lines,
//! too few to justify a large dependency. The unit tests compare the results with published values.

/// The two-sided p value of Fisher's exact test for `a` of `n` and `b` of `m`: the chance of a table that is at most as
/// likely as the observed table, if both samples come from the same population.
pub fn fisher(a: u64, n: u64, b: u64, m: u64) -> f64 {
    let [a, n, b, m] = few([a.min(n), n, b.min(m), m]);
    let successes = a + b;
    let factorials = Factorials::up_to(n + m);
    let weight = |hits: u64| factorials.choose(n, hits) + factorials.choose(m, successes - hits);
    let (low, high) = (successes.saturating_sub(m), successes.min(n));
    let all = factorials.choose(n + m, successes);
    // The tolerance allows for rounding errors between equally likely tables.
    let limit = weight(a) + 1e-7;
    let p: f64 = (low..=high).map(weight).filter(|weight| *weight <= limit).map(|weight| (weight - all).exp()).sum();
    p.min(1.0)
}

/// The largest total of a table. Larger tables would take too much memory without changing any decision.
const MOST_COUNTED: u64 = 1_000_000;

/// Scales a table down to a total of at most `MOST_COUNTED`. The shares stay about the same.
fn few(table: [u64; 4]) -> [u64; 4] {
    let all = u128::from(table[1]) + u128::from(table[3]);
    if all <= u128::from(MOST_COUNTED) {
        return table;
    }
    table.map(|count| u64::try_from(u128::from(count) * u128::from(MOST_COUNTED) / all).unwrap_or(MOST_COUNTED))
}

/// A table of logarithms of factorials.
struct Factorials(Vec<f64>);

impl Factorials {
    fn up_to(most: u64) -> Factorials {
        let mut logarithms = vec![0.0];
        let mut sum = 0.0;
        for number in 1..=most {
            sum += (number as f64).ln();
            logarithms.push(sum);
        }
        Factorials(logarithms)
    }

    /// The logarithm of the number of ways to choose `k` of `n` items.
    fn choose(&self, n: u64, k: u64) -> f64 {
        self.0[n as usize] - self.0[k as usize] - self.0[(n - k) as usize]
    }
}

/// True for each significant p value (Holm's method). The chance of any false finding is at most `level`.
pub fn holm(values: &[f64], level: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut significant = vec![false; values.len()];
    for (rank, index) in order.iter().enumerate() {
        if values[*index] > level / (values.len() - rank) as f64 {
            break;
        }
        significant[*index] = true;
    }
    significant
}

/// The statistical tests in a comparison, which are judged together.
#[derive(Debug, Default)]
pub(super) struct Tests(Vec<f64>);

/// The index of a test in [`Tests`].
pub(super) type Test = usize;

impl Tests {
    pub(super) fn add(&mut self, p: f64) -> Test {
        self.0.push(p);
        self.0.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The p value of each test, and true if it is significant.
    pub(super) fn significant(&self, level: f64) -> Vec<(f64, bool)> {
        self.0.iter().copied().zip(holm(&self.0, level)).collect()
    }
}

/// The median of sorted numbers; `None` for an empty list.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let count = sorted.len();
    let upper = *sorted.get(count / 2)?;
    Some(if count.is_multiple_of(2) { f64::midpoint(sorted[count / 2 - 1], upper) } else { upper })
}

/// A 95 % confidence interval for the median of sorted numbers, for any distribution. The interval's ends are two of
/// the numbers, chosen by rank. `None` for fewer than six numbers, because even the widest interval is then too narrow.
pub(super) fn median_interval(sorted: &[f64]) -> Option<[f64; 2]> {
    if sorted.len() < 6 {
        return None;
    }
    let last = sorted.len().checked_sub(1)?;
    let count = sorted.len() as f64;
    let half = 1.96 * count.sqrt() / 2.0;
    let low = (count / 2.0 - half).floor().max(0.0) as usize;
    let high = (count / 2.0 + half).ceil() as usize;
    Some([sorted[low.min(last)], sorted[high.min(last)]])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{fisher, holm, median, median_interval};

    #[rstest]
    // The lady tasting tea, and textbook tables. The expected values are sums of exact fractions.
    #[case(3, 4, 1, 4, 0.485_714)]
    #[case(4, 4, 0, 4, 0.028_571_43)]
    #[case(1, 20, 3, 20, 0.604_990)]
    #[case(0, 20, 3, 20, 0.230_769)]
    #[case(1, 10, 11, 14, 0.002_759_46)]
    #[case(10, 12, 2, 17, 0.000_296_15)]
    #[case(0, 50, 50, 50, 1.982_33e-29)]
    #[case(0, 0, 3, 5, 1.0)]
    #[case(5, 5, 7, 7, 1.0)]
    #[case(0, u64::MAX, 0, u64::MAX, 1.0)]
    #[case(u64::MAX, u64::MAX, 0, u64::MAX, 0.0)]
    fn the_exact_test_gives_the_known_values(
        #[case] a: u64,
        #[case] n: u64,
        #[case] b: u64,
        #[case] m: u64,
        #[case] p: f64,
    ) {
        let found = fisher(a, n, b, m);
        assert!((found - p).abs() <= p * 1e-5, "{found} is not {p}");
    }

    #[rstest]
    #[case(&[0.01, 0.04, 0.03, 0.005], 0.05, &[true, false, false, true])]
    #[case(&[0.001, 0.02, 0.02], 0.05, &[true, true, true])]
    #[case(&[0.2], 0.05, &[false])]
    #[case(&[], 0.05, &[])]
    fn many_tests_need_smaller_values(#[case] values: &[f64], #[case] level: f64, #[case] significant: &[bool]) {
        assert_eq!(holm(values, level), significant);
    }

    #[test]
    fn the_median_and_its_interval_are_ranks() {
        let numbers: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(median(&numbers), Some(50.5));
        assert_eq!(median_interval(&numbers), Some([41.0, 61.0]));
        assert_eq!(median(&[2.0]), Some(2.0));
        assert_eq!(median_interval(&numbers[..6]), Some([1.0, 6.0]));
        assert_eq!(median_interval(&numbers[..5]), None);
        assert_eq!(median(&[]), None);
    }
}
