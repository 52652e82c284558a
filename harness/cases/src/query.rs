//! A rule and one of its cases as a single word: `toy.copy.within-host:size=4096;choose=pageable`.

use serde_json::{Map, Value as Json};
use thiserror::Error;

/// The maximum length of a printed query in bytes. Longer cases are easier to handle as JSON.
const LONGEST: usize = 400;

/// A malformed query.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum QueryError {
    #[error("`{part}` does not give a value; write `axis=value`, with `;` between axes")]
    NoValue { part: String },
    #[error("`{name}` is given twice; give each axis once")]
    Twice { name: String },
}

/// The query for a case of a rule. `None` if only JSON can express the case: several cases, lists, texts that are not
/// words, and cases that are too long.
pub fn query(rule: &str, case: &Json) -> Option<String> {
    let Json::Object(values) = case else { return None };
    // A missing salt means a salt of 0.
    let values = values.iter().filter(|(name, value)| !(*name == "salt" && value.as_u64() == Some(0)));
    let parts: Vec<String> =
        values.map(|(name, value)| Some(format!("{name}={}", word(value)?))).collect::<Option<_>>()?;
    let text = format!("{rule}:{}", parts.join(";"));
    (!parts.is_empty() && text.len() <= LONGEST).then_some(text)
}

/// The rule in a query, and the case if the query has one.
///
/// # Errors
/// Fails if the text after the colon is not a case.
pub fn parse_query(text: &str) -> Result<(&str, Option<Json>), QueryError> {
    let Some((rule, case)) = text.split_once(':') else { return Ok((text, None)) };
    let mut values = Map::new();
    for part in case.split(';').map(str::trim) {
        let (name, value) = part.split_once('=').ok_or_else(|| QueryError::NoValue { part: part.to_owned() })?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || value.is_empty() {
            return Err(QueryError::NoValue { part: part.to_owned() });
        }
        if values.insert(name.to_owned(), value_of(value)).is_some() {
            return Err(QueryError::Twice { name: name.to_owned() });
        }
    }
    Ok((rule, Some(Json::Object(values))))
}

/// A value in query notation; `None` if the notation would be read back as a different value.
fn word(value: &Json) -> Option<String> {
    let text = match value {
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        _ => return None,
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.-+".contains(c);
    (text.chars().all(fits) && !text.is_empty() && value_of(&text) == *value).then_some(text)
}

/// A number if the text represents one, otherwise the text.
fn value_of(text: &str) -> Json {
    let number = text.parse::<u64>().map(Json::from).or_else(|_| text.parse::<i64>().map(Json::from));
    number.unwrap_or_else(|_| Json::from(text))
}
