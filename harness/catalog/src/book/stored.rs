//! Stored forms of values whose form in YAML has places or alternatives (`#[serde(with = …)]`).

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_yaml::{Location, Spanned};

/// A value without a place in a file.
fn placeless<T>(value: T) -> Spanned<T> {
    Spanned::new(value, Location::UNKNOWN, Location::UNKNOWN)
}

fn values<T: Clone>(spanned: &[Spanned<T>]) -> Vec<T> {
    spanned.iter().map(|spanned| spanned.value.clone()).collect()
}

fn placeless_all<T>(values: Vec<T>) -> Vec<Spanned<T>> {
    values.into_iter().map(placeless).collect()
}

/// The format of versions: the weights of their parts.
pub(crate) mod edition {
    use super::*;
    use crate::edition::EditionForm;

    pub(crate) fn serialize<S: Serializer>(form: &EditionForm, serializer: S) -> Result<S::Ok, S::Error> {
        values(&form.parts).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EditionForm, D::Error> {
        Ok(EditionForm { parts: placeless_all(Vec::deserialize(deserializer)?) })
    }
}

/// The format of an interface number, if a query has one.
pub(crate) mod interface {
    use super::*;
    use crate::edition::EditionForm;

    pub(crate) fn serialize<S: Serializer>(form: &Option<EditionForm>, serializer: S) -> Result<S::Ok, S::Error> {
        form.as_ref().map(|form| values(&form.parts)).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<EditionForm>, D::Error> {
        let parts = Option::<Vec<u32>>::deserialize(deserializer)?;
        Ok(parts.map(|parts| EditionForm { parts: placeless_all(parts) }))
    }
}

/// Regular expressions, by their texts.
pub(crate) mod patterns {
    use super::*;
    use regex_lite::Regex;

    pub(crate) fn serialize<S: Serializer>(patterns: &[Regex], serializer: S) -> Result<S::Ok, S::Error> {
        patterns.iter().map(Regex::as_str).collect::<Vec<_>>().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Regex>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.iter().map(|text| Regex::new(text).map_err(D::Error::custom)).collect()
    }
}

/// The forms of functions in a Python module, as JSON: their enumerations have a tag, for the program that reads them.
pub(crate) mod forms {
    use std::collections::BTreeMap;

    use super::*;
    use crate::python::PythonForm;

    pub(crate) fn serialize<S: Serializer>(
        forms: &BTreeMap<&'static str, PythonForm>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serde_json::to_string(forms).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<&'static str, PythonForm>, D::Error> {
        let text = String::deserialize(deserializer)?;
        abi::form::read_map(&mut serde_json::Deserializer::from_str(&text)).map_err(D::Error::custom)
    }
}

/// Documents without the lists of their pages, which only authors need.
pub(crate) mod documents {
    use super::*;
    use crate::model::DocumentEntry;

    #[derive(Serialize, Deserialize)]
    struct Stored(String, String, String, String, String, Vec<String>, bool);

    pub(crate) fn serialize<S: Serializer>(documents: &[DocumentEntry], serializer: S) -> Result<S::Ok, S::Error> {
        let stored = documents.iter().cloned().map(|document| {
            let DocumentEntry { id, title, edition, language, covers, sections, pages: _, promises } = document;
            Stored(id.value, title, edition, language, covers, sections, promises)
        });
        stored.collect::<Vec<_>>().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DocumentEntry>, D::Error> {
        let stored = Vec::<Stored>::deserialize(deserializer)?.into_iter();
        let entry = |Stored(id, title, edition, language, covers, sections, promises)| DocumentEntry {
            id: placeless(id),
            title,
            edition,
            language,
            covers,
            sections,
            pages: Vec::new(),
            promises,
        };
        Ok(stored.map(entry).collect())
    }
}

/// The condition under which a rule applies.
pub(crate) mod when {
    use super::*;
    use crate::edition::EditionCondition;
    use crate::editions::EditionConditions;
    use crate::model::When;

    #[derive(Default, Serialize, Deserialize)]
    struct Stored {
        products: Vec<String>,
        not_products: Vec<String>,
        run_mode: Option<String>,
        devices: Option<u32>,
        editions: Option<Vec<(Option<String>, EditionCondition)>>,
        has: Vec<String>,
        has_not: Vec<String>,
        kernel: Option<EditionCondition>,
        dedicated: bool,
    }

    pub(crate) fn serialize<S: Serializer>(when: &When, serializer: S) -> Result<S::Ok, S::Error> {
        let When { products, not_products, run_mode, devices, edition, has, has_not, kernel, dedicated } = when.clone();
        let editions = edition.map(|edition| edition.value.0);
        let (has, has_not) = (values(&has), values(&has_not));
        Stored { products, not_products, run_mode, devices, editions, has, has_not, kernel, dedicated }
            .serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<When, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let Stored { products, not_products, run_mode, devices, editions, has, has_not, kernel, dedicated } = stored;
        let edition = editions.map(|editions| placeless(EditionConditions(editions)));
        let (has, has_not) = (placeless_all(has), placeless_all(has_not));
        Ok(When { products, not_products, run_mode, devices, edition, has, has_not, kernel, dedicated })
    }
}

/// The environment of programs: not what only a check of steps needs.
pub(crate) mod environment {
    use std::collections::BTreeSet;

    use super::*;
    use steps::Environment;
    use steps::results::Results;
    use steps::types::Declarations;
    use steps::vocabulary::StoredVocabulary;

    pub(crate) fn serialize<S: Serializer>(environment: &Environment, serializer: S) -> Result<S::Ok, S::Error> {
        let Environment { results, process_functions, vocabulary, .. } = environment;
        (results, process_functions, StoredVocabulary::of(vocabulary)).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Environment, D::Error> {
        type Stored = (Results, BTreeSet<String>, StoredVocabulary);
        let (results, process_functions, vocabulary) = Stored::deserialize(deserializer)?;
        let bindings = abi::form::current().ok_or_else(|| D::Error::custom("a book needs its header's tables"))?;
        let declarations = Declarations::new(bindings);
        let vocabulary = vocabulary.read(&declarations).map_err(|error| D::Error::custom(error.message))?;
        let (facts, spaces) = Default::default();
        Ok(Environment { declarations, facts, results, spaces, process_functions, vocabulary })
    }
}
