//! The target `case`: reads the JSON given by `--case` or in a kept counterexample, and returns cases of a rule or an
//! error.

use std::collections::BTreeSet;
use std::fmt;

use engine::case::{Case, CaseError, case_to_json, cases_from_json, parse_json};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use steps::Program;

use crate::{program, toy};

/// Texts that have a meaning in a case but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "\"salt\":1,",
    "\"choose\":\"one\",",
    "\"size\":64,",
    "\"size\":\"64\",",
    "[1,2]",
    "[[]]",
    "null",
    "1e3",
    "1.0",
    "\"\"",
];

/// Checks that an accepted case of any toy rule with axes is in the rule's domains, and that it reads back as written.
pub fn law(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(json) = parse_json(text) else { return };
    for rule in toy::rules().rules.iter().filter(|rule| !rule.program.axes.is_empty()) {
        match read(&rule.program, &json) {
            Err(error) => assert!(!error.to_string().is_empty(), "an error has no message: {error:?}"),
            Ok(cases) => {
                no_key_stands_twice(text);
                cases_are_written_as_they_were_read(&rule.program, &cases, &json);
                let scope = toy::scope();
                cases
                    .iter()
                    .for_each(|case| program::lies_in_its_domains(&rule.program, &scope, case, "an accepted value"));
            }
        }
    }
}

/// Reads a case as if it came from the command line or a file of counterexamples.
fn read(program: &Program, json: &Json) -> Result<Vec<Case>, CaseError> {
    cases_from_json(program, &toy::scope(), json)
}

fn no_key_stands_twice(text: &str) {
    let mut twice = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    // The text was parsed before, so that only duplicates matter here.
    let _ = Keys(&mut twice).deserialize(&mut reader);
    assert_eq!(twice, None, "a duplicate key is accepted: {text}");
}

fn cases_are_written_as_they_were_read(program: &Program, cases: &[Case], json: &Json) {
    let read = match json {
        Json::Array(cases) => cases.clone(),
        case => vec![case.clone()],
    };
    for (case, mut read) in cases.iter().zip(read) {
        if let Json::Object(object) = &mut read {
            object.entry("salt").or_insert(Json::from(0));
        }
        let written = case_to_json(program, &case.values, case.salt);
        assert_eq!(written, read, "a case changes when it is written and read again: as written, as read");
    }
}

/// Finds a duplicate key in an object.
struct Keys<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! nothing {
    ($($visit:ident: $value:ty),*) => {
        $(fn $visit<E>(self, _: $value) -> Result<(), E> {
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Keys(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if !keys.insert(key.clone()) {
                *self.0 = Some(key);
            }
            entries.next_value_seed(Keys(self.0))?;
        }
        Ok(())
    }
}
