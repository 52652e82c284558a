//! Days in the form that entries use, for example `2027-03-31`.

use time::{Date, Month, OffsetDateTime};

/// Parses a day; `None` if the text is not a day.
pub fn day(text: &str) -> Option<Date> {
    let mut parts = text.splitn(3, '-');
    let mut number = |digits: usize| {
        let part = parts.next()?;
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse::<u16>().ok()).flatten()
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(year.into(), month, u8::try_from(day).ok()?).ok()
}

/// The current day, in UTC.
pub fn today() -> Date {
    OffsetDateTime::now_utc().date()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("2027-03-31", true)]
    #[case("2028-02-29", true)]
    #[case("2027-02-29", false)]
    #[case("2027-13-01", false)]
    #[case("31.03.2027", false)]
    #[case("2027-3-1", false)]
    #[case("2027-03-31T00", false)]
    #[case("+027-03-31", false)]
    fn a_day_has_one_notation(#[case] text: &str, #[case] is: bool) {
        let read = day(text);
        assert_eq!(read.is_some(), is);
        if let Some(read) = read {
            assert_eq!(read.to_string(), text);
        }
    }
}
