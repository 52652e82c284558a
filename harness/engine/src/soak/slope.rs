//! A robust slope: the median of the slopes between all pairs of points (Theil and Sen), with a confidence interval
//! that assumes no distribution (Kendall).

/// A slope and its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slope {
    pub(super) estimate: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The slope of points, whose first coordinates differ. `z` is the quantile of the normal distribution for the
/// confidence. `None` for fewer than three points.
pub(super) fn slope(points: &[(f64, f64)], z: f64) -> Option<Slope> {
    if points.len() < 3 {
        return None;
    }
    let mut slopes = Vec::with_capacity(points.len() * (points.len() - 1) / 2);
    for (index, (x, y)) in points.iter().enumerate() {
        for (later_x, later_y) in &points[index + 1..] {
            if later_x > x {
                slopes.push((later_y - y) / (later_x - x));
            }
        }
    }
    slopes.sort_unstable_by(f64::total_cmp);
    let count = slopes.len() as f64;
    let half_width = z * variance(points).sqrt();
    let at = |rank: f64| slopes[(rank.max(0.0) as usize).min(slopes.len() - 1)];
    let middle = slopes.len() / 2;
    let estimate =
        if slopes.len().is_multiple_of(2) { (slopes[middle - 1] + slopes[middle]) / 2.0 } else { slopes[middle] };
    // The ranks are rounded outward.
    let low = at(((count - half_width) / 2.0).floor() - 1.0);
    let high = at(((count + half_width) / 2.0).ceil());
    Some(Slope { estimate, low, high })
}

/// The variance of Kendall's statistic if there is no trend, with the correction for equal values.
fn variance(points: &[(f64, f64)]) -> f64 {
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let mut values: Vec<f64> = points.iter().map(|(_, y)| *y).collect();
    values.sort_unstable_by(f64::total_cmp);
    let ties: f64 = values.chunk_by(|a, b| a == b).map(|equal| term(equal.len() as f64)).sum();
    ((term(points.len() as f64) - ties) / 18.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between 0 and 1 without a trend.
    fn noise(count: usize) -> Vec<f64> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 31)
        };
        (0..count).map(|_| next()).collect()
    }

    fn points(value: impl Fn(usize) -> f64, count: usize) -> Vec<(f64, f64)> {
        (0..count).map(|index| (index as f64, value(index))).collect()
    }

    #[test]
    fn a_line_has_its_slope_and_the_narrowest_interval() {
        let found = slope(&points(|index| 3.0 * index as f64 + 7.0, 20), 3.29).unwrap();
        assert_eq!(found, Slope { estimate: 3.0, low: 3.0, high: 3.0 });
    }

    #[test]
    fn steps_are_a_trend_and_one_jump_is_not_much_of_one() {
        let steps = slope(&points(|index| (index / 5) as f64, 40), 3.29).unwrap();
        assert!(steps.low > 0.0 && steps.estimate < 0.3, "{steps:?}");
        let constant = slope(&points(|_| 1.0, 40), 3.29).unwrap();
        assert_eq!(constant, Slope { estimate: 0.0, low: 0.0, high: 0.0 });
        let jump = slope(&points(|index| f64::from(index >= 20), 40), 3.29).unwrap();
        assert_eq!(jump.low, 0.0);
    }

    #[test]
    fn outliers_do_not_hide_a_trend_or_make_one() {
        let values = noise(60);
        let level = slope(&points(|index| values[index], 60), 3.29).unwrap();
        assert!(level.low < 0.0 && level.high > 0.0, "{level:?}");
        let wild = |index: usize| if index.is_multiple_of(7) { 1000.0 } else { values[index] };
        let level = slope(&points(wild, 60), 3.29).unwrap();
        assert!(level.low <= 0.0 && level.high >= 0.0, "{level:?}");
        let rising = slope(&points(|index| wild(index) + 0.1 * index as f64, 60), 3.29).unwrap();
        assert!(rising.low > 0.0 && rising.high < 0.3, "{rising:?}");
    }

    #[test]
    fn too_few_points_have_no_slope() {
        assert_eq!(slope(&points(|index| index as f64, 2), 3.29), None);
    }
}
