//! A budget of time for a run.

use std::str::FromStr;
use std::time::Duration;

use super::profile::Profile;

/// From this budget on, a run investigates failures as thoroughly as a nightly run, and draws its seed.
const LONG: Duration = Duration::from_secs(300);
/// The longest budget: the profiles are for more.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// A budget of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeBudget {
    text: String,
    time: Duration,
}

impl TimeBudget {
    /// The budget of a level from 1 to 3.
    pub fn of_level(level: u8) -> TimeBudget {
        let seconds = match level {
            1 => 10,
            2 => 60,
            _ => 600,
        };
        TimeBudget { text: format!("level {level}"), time: Duration::from_secs(seconds) }
    }

    /// The budget as reports name it: `level 1`, or as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn time(&self) -> Duration {
        self.time
    }

    /// The profile with about as much work.
    pub fn profile(&self) -> Profile {
        if self.time < LONG { Profile::Smoke } else { Profile::Nightly }
    }
}

impl FromStr for TimeBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeBudget, String> {
        let digits = text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let seconds = match unit {
            "s" => Some(1),
            "m" | "min" => Some(60),
            "h" => Some(3600),
            _ => None,
        };
        let time = seconds.zip(number.parse::<u64>().ok()).and_then(|(seconds, number)| number.checked_mul(seconds));
        match time.map(Duration::from_secs).filter(|time| !time.is_zero() && *time <= LONGEST) {
            Some(time) => Ok(TimeBudget { text: text.to_owned(), time }),
            None => Err("write a time from 1s to 24h, such as 90s or 5m".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("90s", Some(90))]
    #[case("5m", Some(300))]
    #[case("1h", Some(3600))]
    #[case("0s", None)]
    #[case("25h", None)]
    #[case("ten", None)]
    #[case("10", None)]
    fn a_budget_is_a_number_with_a_unit(#[case] text: &str, #[case] seconds: Option<u64>) {
        let found = text.parse::<TimeBudget>().ok().map(|budget| budget.time().as_secs());
        assert_eq!(found, seconds);
    }

    #[test]
    fn short_levels_work_like_smoke_and_the_long_one_like_nightly() {
        let profiles = [1, 2, 3].map(|level| TimeBudget::of_level(level).profile());
        assert_eq!(profiles, [Profile::Smoke, Profile::Smoke, Profile::Nightly]);
    }
}
