//! Capabilities: what some devices have and others lack, by the answer of the device (`capabilities` in api.yaml).

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edition::Span;
use super::model::SupportEntry;

/// A capability that a device has or lacks. The run queries the device once.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Capability {
    pub name: String,
    /// The capability in words; empty: the name says it.
    pub title: String,
    /// The position of its query among those of the life cycle.
    pub query: usize,
    /// The functions that the query calls.
    #[serde(deserialize_with = "abi::form::read_names")]
    pub functions: Vec<&'static str>,
    /// The capability's place, as `file:line`.
    pub place: String,
}

impl Capability {
    /// The name of the query for a capability, among the queries of a life cycle.
    pub fn query(name: &str) -> String {
        format!("has {name}")
    }

    /// The name, followed by the title if there is one.
    pub fn shown(&self) -> String {
        match self.title.as_str() {
            "" => self.name.clone(),
            title => format!("{} ({title})", self.name),
        }
    }

    /// The function of the query that a product does not offer, or that is not there: `there` says whether a function
    /// with its span is. `None` if the query can be made.
    pub fn unoffered(
        &self,
        product: &str,
        support: &BTreeMap<String, SupportEntry>,
        there: impl Fn(&str, Span) -> bool,
    ) -> Option<&'static str> {
        let offers = |function: &&str| {
            support.get(*function).is_none_or(|entry| {
                let named = |list: &[String]| list.iter().any(|known| known == product);
                named(&entry.supported) && !named(&entry.unsupported)
            }) && there(function, support.get(*function).map(SupportEntry::span).unwrap_or_default())
        };
        self.functions.iter().copied().find(|function| !offers(function))
    }
}

/// The answer to the query for a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CapabilityAnswer {
    /// The number that the device gave. The device has the capability unless it is 0.
    Gave(String),
    /// The reason why the query failed.
    Failed(String),
    /// The query was not made, because the product or the edition does not offer this function.
    Unasked(String),
}

impl CapabilityAnswer {
    /// True if the device has the capability; `None` if the query failed.
    pub fn has(&self) -> Option<bool> {
        match self {
            CapabilityAnswer::Gave(number) => Some(number.trim().parse::<i128>().ok()? != 0),
            CapabilityAnswer::Failed(_) => None,
            CapabilityAnswer::Unasked(_) => Some(false),
        }
    }
}

impl fmt::Display for CapabilityAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CapabilityAnswer::Gave(number) => write!(f, "the device answers {number}"),
            CapabilityAnswer::Failed(why) => write!(f, "the query failed: {why}"),
            CapabilityAnswer::Unasked(function) => {
                write!(f, "the query was left out, because {function} is not offered")
            }
        }
    }
}

/// The answers of a device, by the names of the capabilities. A capability without an answer excludes no
/// rule.
pub type CapabilityAnswers = BTreeMap<String, CapabilityAnswer>;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one(CapabilityAnswer::Gave("1".to_owned()), Some(true), "the device answers 1")]
    #[case::many(CapabilityAnswer::Gave("18446744073709551615".to_owned()), Some(true), "answers 18446744073709551615")]
    #[case::negative(CapabilityAnswer::Gave("-1".to_owned()), Some(true), "answers -1")]
    #[case::zero(CapabilityAnswer::Gave("0".to_owned()), Some(false), "the device answers 0")]
    #[case::not_a_number(CapabilityAnswer::Gave("null".to_owned()), None, "answers null")]
    #[case::failed(CapabilityAnswer::Failed("f returned 3".to_owned()), None, "the query failed: f returned 3")]
    #[case::unasked(CapabilityAnswer::Unasked("f".to_owned()), Some(false), "f is not offered")]
    fn only_a_number_other_than_zero_is_a_capability(
        #[case] answer: CapabilityAnswer,
        #[case] has: Option<bool>,
        #[case] text: &str,
    ) {
        assert_eq!(answer.has(), has);
        assert!(answer.to_string().contains(text), "{answer}");
    }
}
