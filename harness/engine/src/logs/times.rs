//! The times of log lines. Some runtimes' logs and the older form of the system log name no time zone; their times are
//! local.

use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Parses `2026-03-04-05:06:07.101.202` in the given zone.
pub fn local(text: &str, zone: &TimeZone) -> Option<SystemTime> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
    let separated = [(4, b'-'), (7, b'-'), (10, b'-'), (13, b':'), (16, b':')];
    if separated.iter().any(|(at, is)| text.as_bytes().get(*at) != Some(is)) {
        return None;
    }
    let small = |from: usize, to: usize| number(from, to).and_then(|number| i8::try_from(number).ok());
    let fraction: String = text.get(19..)?.chars().filter(|c| *c != '.').take_while(char::is_ascii_digit).collect();
    let nanoseconds = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let (month, day, hour) = (small(5, 7)?, small(8, 10)?, small(11, 13)?);
    let at = DateTime::new(number(0, 4)?, month, day, hour, small(14, 16)?, small(17, 19)?, nanoseconds).ok()?;
    Some(at.to_zoned(zone.clone()).ok()?.timestamp().into())
}

/// The time at the start of a system log line: `2026-03-04T05:06:07.123456+08:00`, or `Mar  4 05:06:07` in the given
/// zone. If the line has no year, the latest year is used for which the time is not long after `near`.
pub fn of_system(line: &str, near: SystemTime, zone: &TimeZone) -> Option<SystemTime> {
    let first = line.split_whitespace().next()?;
    if let Ok(at) = first.parse::<jiff::Timestamp>() {
        return Some(at.into());
    }
    let mut fields = line.split_whitespace();
    let (month, day, clock) = (fields.next()?, fields.next()?, fields.next()?);
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|known| *known == month)? + 1;
    let near = jiff::Timestamp::try_from(near).ok()?.to_zoned(zone.clone());
    let of_year = |year: i16| local(&format!("{year:04}-{month:02}-{day:0>2}-{clock}.0"), zone);
    // A line from December that is read in January is from the previous year.
    let later = SystemTime::from(near.timestamp()) + Duration::from_secs(7 * 24 * 3600);
    of_year(near.year()).filter(|at| *at <= later).or_else(|| of_year(near.year() - 1))
}

/// The microseconds since the system started, from a time such as `[ 1197.584409]` anywhere in a line.
pub fn since_start(line: &str) -> Option<u64> {
    let inside = line.match_indices('[').find_map(|(at, _)| {
        let (inside, _) = line[at + 1..].split_once(']')?;
        let (seconds, micros) = inside.trim().split_once('.')?;
        (micros.len() == 6).then_some((seconds.parse::<u64>().ok()?, micros.parse::<u64>().ok()?))
    });
    inside.map(|(seconds, micros)| seconds.saturating_mul(1_000_000).saturating_add(micros))
}

/// The time at the start of a journal line in the form `1772600767.123456 node kernel: …`.
pub fn of_journal(line: &str) -> Option<SystemTime> {
    let seconds: f64 = line.split_whitespace().next()?.parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

#[cfg(test)]
mod tests {
    use jiff::tz::offset;
    use rstest::rstest;

    use super::*;

    fn seconds(at: SystemTime) -> u64 {
        at.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
    }

    /// 2026-03-04 05:06:07 UTC.
    const AT: u64 = 1_772_600_767;

    #[rstest]
    #[case::of_the_runtime("2026-03-04-05:06:07.101.202", 0, Some(AT))]
    #[case::of_an_exported_log("2026-03-04-05:06:07.371626", 0, Some(AT))]
    #[case::in_another_zone("2026-03-04-13:06:07.101.202", 8, Some(AT))]
    #[case::of_no_day("2026-13-04-05:06:07.101.202", 0, None)]
    #[case::of_something_else("2026/03/04", 0, None)]
    fn a_time_without_a_zone_is_local(#[case] text: &str, #[case] hours: i8, #[case] at: Option<u64>) {
        assert_eq!(local(text, &offset(hours).to_time_zone()).map(seconds), at);
    }

    #[rstest]
    #[case::with_a_zone("2026-03-04T13:06:07.5+08:00 node kernel: x", 0, Some(AT))]
    #[case::without_a_year("Mar  4 05:06:07 node kernel: x", 0, Some(AT))]
    #[case::in_another_zone("Mar  4 13:06:07 node kernel: x", 8, Some(AT))]
    #[case::of_last_year("Dec 31 05:06:07 node kernel: x", 0, Some(1_767_157_567))]
    #[case::none("no time at all", 0, None)]
    fn the_system_log_has_two_forms_of_time(#[case] line: &str, #[case] hours: i8, #[case] at: Option<u64>) {
        let near = SystemTime::UNIX_EPOCH + Duration::from_secs(AT);
        assert_eq!(of_system(line, near, &offset(hours).to_time_zone()).map(seconds), at);
    }

    #[test]
    fn the_kernel_counts_from_its_start() {
        assert_eq!(since_start("[ 1197.584409] [driver] [ERROR] x"), Some(1_197_584_409));
        assert_eq!(since_start("Mar 4 node kernel: [12.000001] [driver]"), Some(12_000_001));
        assert_eq!(of_journal("1772600767.371626 node kernel: x").map(seconds), Some(AT));
        assert_eq!(of_journal("Mar  4 05:06:07 node kernel: x"), None);
        assert_eq!(since_start("[driver] [ERROR] [part] <x:1> y"), None);
    }
}
