//! Editions of a runtime, versions of a kernel, and conditions on them.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use crate::version::SIGNS;

/// A version such as 8.2.1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Edition(Vec<u32>);

/// The error for a text that is not an edition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an edition; write, for example, \"8.5\"")]
pub struct NotAnEdition(String);

impl TryFrom<String> for Edition {
    type Error = NotAnEdition;

    fn try_from(text: String) -> Result<Edition, NotAnEdition> {
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        numbers.map(Edition).ok_or(NotAnEdition(text))
    }
}

impl From<Edition> for String {
    fn from(edition: Edition) -> String {
        edition.to_string()
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

impl Edition {
    /// Reads the leading numbers in a version text; `None` if the text does not begin with a number.
    pub fn read(text: &str) -> Option<Edition> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let numbers: Vec<u32> = text[start..].split('.').map_while(|part| part.parse().ok()).collect();
        (!numbers.is_empty()).then_some(Edition(numbers))
    }
}

/// The editions that have a function or value.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// The first edition; `None`: no lower limit.
    pub since: Option<Edition>,
    /// The last edition, including all editions that begin with its numbers: 8.5.2 is not after 8.5.
    pub until: Option<Edition>,
}

impl Span {
    /// True if all editions are in the span.
    pub fn is_always(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// True if an edition is in the span.
    pub fn contains(&self, edition: &Edition) -> bool {
        let begun = |since: &Edition| edition >= since;
        let over = |until: &Edition| edition.0[..edition.0.len().min(until.0.len())] > until.0[..];
        self.since.as_ref().is_none_or(begun) && !self.until.as_ref().is_some_and(over)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.since, &self.until) {
            (Some(since), None) => write!(f, "since {since}"),
            (None, Some(until)) => write!(f, "until {until}"),
            (Some(since), Some(until)) => write!(f, "from {since} to {until}"),
            (None, None) => f.write_str("always"),
        }
    }
}

/// The format of reported runtime versions, which are read as editions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditionForm {
    /// For an integer version, the weight of each part except the last. With [1000, 10], 13010 is 13.1. If the list is
    /// empty, the version is a text that begins with numbers and dots.
    #[schemars(with = "Vec<u32>")]
    pub parts: Vec<Spanned<u32>>,
}

impl EditionForm {
    /// The first part whose weight is 0 or not less than the previous part's weight.
    pub fn mistake(&self) -> Option<&Spanned<u32>> {
        let before = |index: usize| index.checked_sub(1).map_or(u32::MAX, |before| self.parts[before].value);
        self.parts
            .iter()
            .enumerate()
            .find(|(index, part)| part.value == 0 || part.value >= before(*index))
            .map(|(_, part)| part)
    }

    /// The edition that a reported version denotes; `None` if the version cannot be parsed.
    pub fn read(&self, version: &str) -> Option<Edition> {
        if self.parts.is_empty() {
            return Edition::read(version);
        }
        let mut rest: u32 = version.trim().parse().ok()?;
        let numbers = self.parts.iter().map(|part| {
            let number = rest / part.value;
            rest %= part.value;
            number
        });
        Some(Edition(numbers.collect()))
    }
}

/// A condition on an edition, such as `>=8.2`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct EditionCondition {
    /// One of `SIGNS`.
    sign: String,
    edition: Edition,
}

/// The error for a text that is not a condition on an edition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a condition on an edition; write one sign and one edition, for example, \">=8.2\"")]
pub struct NotACondition(String);

impl TryFrom<String> for EditionCondition {
    type Error = NotACondition;

    fn try_from(text: String) -> Result<EditionCondition, NotACondition> {
        let found = SIGNS.iter().find_map(|(sign, _)| Some((*sign, text.strip_prefix(sign)?.trim())));
        // Text after a kernel's number is ignored. A second condition would be ignored too, so it is refused.
        let is_one = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains(['<', '>', '=']);
        let number = found.filter(|(_, rest)| is_one(rest));
        let read = number
            .and_then(|(sign, rest)| Some(EditionCondition { sign: sign.to_owned(), edition: Edition::read(rest)? }));
        read.ok_or(NotACondition(text))
    }
}

impl From<EditionCondition> for String {
    fn from(condition: EditionCondition) -> String {
        condition.to_string()
    }
}

impl fmt::Display for EditionCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sign, self.edition)
    }
}

impl EditionCondition {
    /// True if an edition in the span may satisfy the condition.
    pub fn meets(&self, span: &Span) -> bool {
        let begun = |before: fn(&Edition, &Edition) -> bool| {
            span.since.as_ref().is_none_or(|since| before(since, &self.edition))
        };
        let until = Span { since: None, until: span.until.clone() };
        match self.sign.as_str() {
            ">=" | ">" => until.contains(&self.edition),
            "<=" => begun(|since, edition| since <= edition),
            "<" => begun(|since, edition| since < edition),
            _ => span.contains(&self.edition),
        }
    }

    /// True if an edition satisfies the condition.
    pub fn holds(&self, edition: &Edition) -> bool {
        let found = edition.cmp(&self.edition);
        SIGNS.iter().any(|(sign, wanted)| *sign == self.sign && wanted.contains(&found))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn holds(condition: &str, version: &str) -> bool {
        let edition = Edition::read(version).expect("the text begins with a number");
        EditionCondition::try_from(condition.to_owned()).expect("it is a condition").holds(&edition)
    }

    #[test]
    fn a_version_is_compared_number_by_number_and_what_follows_the_numbers_is_ignored() {
        assert!(holds(">=5.11", "5.15.0-91-generic") && holds(">=5.11", "6.1"));
        assert!(!holds(">=5.11", "5.10.134-16.al8.x86_64") && !holds(">=5.11", "4.19.90"));
        assert!(holds("<5.11", "5.10.0") && !holds("<5.11", "5.11"));
        assert!(holds("==8.2", "8.2") && !holds("== 8.2", "8.2.1") && holds(">8.2", "8.2.1") && holds("<=8.2", "8.2"));
    }

    #[rstest]
    #[case(">=8.2 <9.0")]
    #[case(">=8.2,<9.0")]
    #[case("8.2")]
    #[case(">=next")]
    fn a_text_that_is_not_one_condition_is_refused(#[case] text: &str) {
        let message = EditionCondition::try_from(text.to_owned()).expect_err("it is not a condition").to_string();
        assert!(
            message.starts_with(&format!("`{text}` ")) && message.contains("one sign and one edition"),
            "{message}"
        );
    }

    #[rstest]
    #[case(Some("8.5"), None, "8.5.0", true)]
    #[case(Some("8.5.0"), None, "8.5.0-beta.1", false)]
    #[case(Some("8.5"), None, "8.3.RC1", false)]
    #[case(None, Some("8.5"), "8.5.2", true)]
    #[case(None, Some("8.5"), "9.0.0", false)]
    #[case(Some("8.5"), Some("9.0"), "9.0.1", true)]
    #[case(None, None, "5.0", true)]
    fn a_span_holds_the_editions_between_its_ends(
        #[case] since: Option<&str>,
        #[case] until: Option<&str>,
        #[case] version: &str,
        #[case] inside: bool,
    ) {
        let edition = |text: &str| Edition::try_from(text.to_owned()).expect("it is an edition");
        let span = Span { since: since.map(edition), until: until.map(edition) };
        assert_eq!(span.contains(&Edition::read(version).expect("it begins with a number")), inside, "{span}");
    }

    #[rstest]
    #[case(">=9.0", None, Some("8.5"), false)]
    #[case(">8.5", None, Some("8.5"), true)]
    #[case(">=8.5.2", None, Some("8.5"), true)]
    #[case("<9.0", Some("9.0"), None, false)]
    #[case("<=9.0", Some("9.0"), None, true)]
    #[case("==8.2", Some("8.5"), None, false)]
    #[case("==8.5", Some("8.5"), Some("9.0"), true)]
    #[case(">=8.0", Some("8.5"), None, true)]
    #[case("<8.0", None, None, true)]
    fn a_condition_meets_a_span_if_an_edition_is_in_both(
        #[case] condition: &str,
        #[case] since: Option<&str>,
        #[case] until: Option<&str>,
        #[case] meets: bool,
    ) {
        let edition = |text: &str| Edition::try_from(text.to_owned()).expect("it is an edition");
        let span = Span { since: since.map(edition), until: until.map(edition) };
        let condition = EditionCondition::try_from(condition.to_owned()).expect("it is a condition");
        assert_eq!(condition.meets(&span), meets, "{condition}, {span}");
    }

    #[rstest]
    #[case("8.2")]
    #[case("newer")]
    #[case(">=")]
    #[case(">=v8")]
    #[case("=8.2")]
    fn a_text_that_is_not_a_condition_is_never_one_that_always_holds(#[case] text: &str) {
        let message = EditionCondition::try_from(text.to_owned()).unwrap_err().to_string();
        assert!(message.starts_with(&format!("`{text}` ")) && message.contains("\">=8.2\""), "{message}");
    }

    #[rstest]
    #[case(&[], "8.2.RC1", Some("8.2"))]
    #[case(&[], "V100R001", None)]
    #[case(&[], "unknown", None)]
    #[case(&[1000, 10], "13010", Some("13.1"))]
    #[case(&[1000, 10], "12000", Some("12.0"))]
    #[case(&[1000, 10], "13.1", None)]
    #[case(&[100], "250", Some("2"))]
    #[case(&[10000, 100, 1], "20301", Some("2.3.1"))]
    fn a_reported_version_is_read_as_the_catalog_says(
        #[case] parts: &[u32],
        #[case] version: &str,
        #[case] edition: Option<&str>,
    ) {
        let text = format!("parts: {parts:?}");
        let form: EditionForm = serde_yaml::from_str(&text).unwrap();
        assert_eq!(form.read(version).map(|edition| edition.to_string()).as_deref(), edition);
    }
}
