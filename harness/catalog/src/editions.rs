//! The editions of a runtime's libraries, and conditions on them.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::edition::{Edition, EditionCondition};

/// The editions of a runtime's libraries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Editions {
    /// The edition of the first library, and of each library without a version query; `None`: unknown.
    first: Option<Edition>,
    /// The editions of further libraries with a version query, by the library's position; `None`: unknown.
    further: BTreeMap<usize, Option<Edition>>,
}

impl From<Option<Edition>> for Editions {
    fn from(first: Option<Edition>) -> Editions {
        Editions { first, further: BTreeMap::new() }
    }
}

impl Editions {
    /// Adds the edition of a library, by the library's position.
    pub fn set(&mut self, library: usize, edition: Option<Edition>) {
        if library == 0 {
            self.first = edition;
        } else {
            self.further.insert(library, edition);
        }
    }

    /// The edition of a library, by the library's position; `None`: unknown.
    pub fn of(&self, library: usize) -> Option<&Edition> {
        self.further.get(&library).unwrap_or(&self.first).as_ref()
    }
}

/// The conditions on editions under `when`: of the first library alone, or of libraries by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditionConditions(pub(crate) Vec<(Option<String>, EditionCondition)>);

impl EditionConditions {
    /// Each condition with the id of its library; `None`: the first library.
    pub fn iter(&self) -> impl Iterator<Item = (Option<&str>, &EditionCondition)> {
        self.0.iter().map(|(library, condition)| (library.as_deref(), condition))
    }
}

impl fmt::Display for EditionConditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (library, condition)) in self.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            match library {
                None => write!(f, "{separator}{condition}")?,
                Some(library) => write!(f, "{separator}{condition} of {library}")?,
            }
        }
        Ok(())
    }
}

/// The form of [`EditionConditions`] in YAML.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "EditionConditions")]
#[expect(dead_code, reason = "only the schema is used")]
pub(crate) enum EditionConditionsForm {
    /// A condition on the edition of the first library, for example `>=8.2`.
    First(String),
    /// Library → condition.
    Of(BTreeMap<String, String>),
}

impl<'de> Deserialize<'de> for EditionConditions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EditionConditions, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = EditionConditions;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a condition such as \">=8.2\", or a map from libraries to conditions")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<EditionConditions, E> {
                let condition = EditionCondition::try_from(text.to_owned()).map_err(E::custom)?;
                Ok(EditionConditions(vec![(None, condition)]))
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<EditionConditions, M::Error> {
                let map: IndexMap<String, EditionCondition> =
                    Deserialize::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(EditionConditions(map.into_iter().map(|(id, condition)| (Some(id), condition)).collect()))
            }
        }
        deserializer.deserialize_any(Form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_a_version_has_the_edition_of_the_first() {
        let edition = |text: &str| Edition::read(text);
        let mut editions = Editions::from(edition("2.1"));
        editions.set(2, edition("1.4"));
        editions.set(3, None);
        let shown: Vec<Option<String>> = (0..4).map(|at| editions.of(at).map(Edition::to_string)).collect();
        assert_eq!(shown, [Some("2.1".to_owned()), Some("2.1".to_owned()), Some("1.4".to_owned()), None]);
    }

    #[test]
    fn a_condition_names_its_library_or_means_the_first() {
        let read = |text: &str| serde_yaml::from_str::<EditionConditions>(text).map(|read| read.to_string());
        assert_eq!(read("\">=2.1\"").unwrap(), ">=2.1");
        assert_eq!(read("{audit: \">=1.4\", depot: \"<3\"}").unwrap(), ">=1.4 of audit, <3 of depot");
        assert!(read("{audit: newest}").unwrap_err().to_string().contains("`newest` is not a condition"));
        assert!(read("[1]").unwrap_err().to_string().contains("a map from libraries to conditions"));
    }
}
