//! The domain of an axis, as written in the catalog.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// The values of an axis. A domain has exactly one kind (docs/catalog/language.md).
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DomainSource {
    /// Sizes in bytes, such as `1..64MiB`. The distribution is log-uniform with a bias toward the ends.
    pub bytes: Option<String>,
    /// Integers, such as `0..63`.
    pub int: Option<String>,
    /// A sample of constants.
    pub one_of: Option<Vec<String>>,
    /// Each of these values, or each integer in a range, at least once.
    pub every: Option<Choices>,
    /// Texts, each tried at least once.
    pub text: Option<Vec<String>>,
    /// Integers from 0 to n-1.
    pub offset: Option<String>,
    /// A list of items from this domain.
    pub list_of: Option<Box<DomainSource>>,
    /// The range of a list's length.
    pub length: Option<String>,
    /// The integers from 0 to n-1 in random order, where n is drawn from this range.
    pub permutation: Option<String>,
    /// The length of an earlier list.
    pub length_of: Option<String>,
    /// An index for an earlier list.
    pub index_of: Option<String>,
    /// A device number: `any`.
    pub device: Option<String>,
    /// Only multiples of this number.
    pub multiple_of: Option<String>,
}

impl DomainSource {
    /// The kinds that are given; a valid domain has exactly one.
    pub fn kinds(&self) -> Vec<&'static str> {
        let kinds = [
            ("bytes", self.bytes.is_some()),
            ("int", self.int.is_some()),
            ("one_of", self.one_of.is_some()),
            ("every", self.every.is_some()),
            ("text", self.text.is_some()),
            ("offset", self.offset.is_some()),
            ("list_of", self.list_of.is_some()),
            ("permutation", self.permutation.is_some()),
            ("length_of", self.length_of.is_some()),
            ("index_of", self.index_of.is_some()),
            ("device", self.device.is_some()),
        ];
        kinds.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect()
    }
}

/// The domain in one line.
impl fmt::Display for DomainSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let named = [
            ("bytes", &self.bytes),
            ("int", &self.int),
            ("offset", &self.offset),
            ("permutation", &self.permutation),
            ("length_of", &self.length_of),
            ("index_of", &self.index_of),
            ("device", &self.device),
        ];
        parts.extend(named.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}"))));
        parts.extend(self.one_of.as_ref().map(|values| format!("one of {}", values.join(", "))));
        parts.extend(self.every.as_ref().map(|values| format!("every {}", values.0.join(", "))));
        parts.extend(self.text.as_ref().map(|values| format!("every {values:?}")));
        parts.extend(self.list_of.as_ref().map(|item| format!("list of {item}")));
        parts.extend(self.length.as_ref().map(|length| format!("length {length}")));
        parts.extend(self.multiple_of.as_ref().map(|step| format!("multiples of {step}")));
        f.write_str(&parts.join(", "))
    }
}

/// A list of values, or a single text such as a range.
#[derive(Debug, Clone, JsonSchema)]
pub struct Choices(#[schemars(with = "ChoicesShape")] pub Vec<String>);

/// Only for the JSON Schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "its shape is read by schemars")]
enum ChoicesShape {
    Range(String),
    Values(Vec<String>),
}

impl<'de> Deserialize<'de> for Choices {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Choices, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Choices;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a list of values, or a range such as 0..63")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Choices, E> {
                Ok(Choices(vec![text.to_owned()]))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut sequence: A) -> Result<Choices, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = sequence.next_element::<String>()? {
                    values.push(value);
                }
                Ok(Choices(values))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
