//! Cases as JSON and as text, for replay, files of known counterexamples, and reports.

use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value as Json};

use steps::bounds::Bounds;
use steps::evaluate::{Scope, Value};
use steps::program::{Domain, Program};
use steps::{AxisId, Id};

use super::error::CaseError;
use super::plan::Case;
use super::tree::CaseTree;

/// The case as a JSON object that maps each axis to its value and also contains `salt`.
pub fn case_to_json(program: &Program, values: &[Value], salt: u64) -> Json {
    let mut object = Map::new();
    for (axis, value) in program.axes.ids().zip(values) {
        if program.is_part_of_sequence(axis) {
            continue;
        }
        let axis = &program.axes[axis];
        let number =
            |value: i128| Number::from_i128(value).map_or_else(|| Json::String(value.to_string()), Json::Number);
        let json = match (&axis.domain, value) {
            (Domain::Choice(names), Value::Integer(position)) => Json::String(names[*position as usize].clone()),
            (Domain::Text(texts), Value::Integer(position)) => Json::String(text(program, texts[*position as usize])),
            (Domain::Sequence(sequence), Value::List(codes)) => Json::String(sequence.text(codes)),
            (_, Value::Integer(value)) => number(*value),
            (_, Value::List(items)) => Json::Array(items.iter().map(|item| number(*item)).collect()),
        };
        object.insert(axis.name.clone(), json);
    }
    object.insert("salt".to_owned(), Json::from(salt));
    Json::Object(object)
}

/// Reads a case from the JSON that [`case_to_json`] produces. Every axis must be present.
///
/// # Errors
/// Fails if the JSON is not a case of this program. Only [`cases_from_json`] checks that the values are in their
/// domains.
pub fn case_from_json(program: &Program, json: &Json) -> Result<Case, CaseError> {
    read(program, json, |_, _| Ok(()))
}

/// Reads one case, or a list of cases to run in this order in one process. The JSON comes from the user or from a file.
///
/// # Errors
/// Fails unless the rule could draw these cases with this product and these devices.
pub fn cases_from_json(program: &Program, scope: &Scope, json: &Json) -> Result<Vec<Case>, CaseError> {
    let case = |json: &Json| {
        let case = read(program, json, |axis, values| match CaseTree::expect_value(program, scope, axis, values) {
            Ok(()) => Ok(()),
            Err(CaseError::Evaluation(error)) => Err(error.into()),
            Err(_) => {
                let allowed = allowed(program, scope, axis, &values[..axis.index()])?;
                let axis = program.axes[axis].name.clone();
                let value = json.get(&axis).map(Json::to_string).unwrap_or_default();
                Err(CaseError::NotHere { value, axis, allowed })
            }
        })?;
        if scope.accepts(program, &case.values)? { Ok(case) } else { Err(CaseError::Excluded) }
    };
    match json {
        Json::Array(cases) if cases.is_empty() => Err(CaseError::NoCases),
        Json::Array(cases) => cases.iter().map(case).collect(),
        json => Ok(vec![case(json)?]),
    }
}

/// Reads a case axis by axis. `check` receives the values read so far.
fn read(
    program: &Program,
    json: &Json,
    check: impl Fn(AxisId, &[Value]) -> Result<(), CaseError>,
) -> Result<Case, CaseError> {
    let Json::Object(object) = json else { return Err(CaseError::NotAnObject) };
    let drawn = program.axes.entries().filter(|(id, _)| !program.is_part_of_sequence(*id));
    let names: Vec<&str> = drawn.map(|(_, axis)| axis.name.as_str()).collect();
    if let Some(unknown) = object.keys().find(|key| *key != "salt" && !names.contains(&key.as_str())) {
        let hint = steps::suggest::hint(unknown, names.iter().copied());
        return Err(CaseError::UnknownAxis { name: unknown.clone(), hint, axes: names.join(", ") });
    }
    let mut values = Vec::new();
    for (id, axis) in program.axes.entries() {
        if let Some(part) = program.part_of_sequence(id, &values) {
            values.push(part);
            continue;
        }
        let Some(json) = object.get(&axis.name) else {
            return Err(CaseError::MissingAxis { name: axis.name.clone() });
        };
        let (value, allowed) = match &axis.domain {
            Domain::Choice(names) => {
                (json.as_str().and_then(|name| names.iter().position(|known| known == name)).map(at), names.join(", "))
            }
            Domain::Text(texts) => {
                let known: Vec<String> = texts.iter().map(|known| text(program, *known)).collect();
                let found = json.as_str().and_then(|wanted| known.iter().position(|known| known == wanted));
                (found.map(at), format!("{known:?}"))
            }
            Domain::Sequence(sequence) => {
                let codes = json.as_str().and_then(|text| sequence.read(text));
                (codes.map(Value::List), format!("steps joined by `+`, each one of {}", sequence.forms()))
            }
            Domain::List { .. } | Domain::Permutation(_) => {
                let items = json.as_array().and_then(|items| items.iter().map(integer).collect());
                (items.map(Value::List), "a list of integers".to_owned())
            }
            _ => (integer(json).map(Value::Integer), "an integer".to_owned()),
        };
        let Some(value) = value else {
            return Err(CaseError::NotAValue { value: json.to_string(), axis: axis.name.clone(), allowed });
        };
        values.push(value);
        check(id, &values)?;
    }
    let salt = match object.get("salt") {
        None => 0,
        Some(salt) => salt.as_u64().ok_or_else(|| CaseError::NotASalt { value: salt.to_string() })?,
    };
    Ok(Case { values, salt, tree: None })
}

fn at(position: usize) -> Value {
    Value::Integer(position as i128)
}

/// The values allowed for an axis, given the values of earlier axes.
fn allowed(program: &Program, scope: &Scope, axis: AxisId, values: &[Value]) -> Result<String, CaseError> {
    let bounds = scope.bounds(program, axis, values)?;
    let range = |bounds: Bounds| match (bounds.count, bounds.step) {
        (1, _) => bounds.low.to_string(),
        (_, 1) => format!("{}..{}", bounds.low, bounds.high()),
        (_, step) => format!("{}..{} in steps of {step}", bounds.low, bounds.high()),
    };
    Ok(match &program.axes[axis].domain {
        Domain::OneOf { values: alternatives, .. } => {
            let drawn = scope.alternatives(axis, alternatives.len()).map(|position| &alternatives[position]);
            let values: Result<Vec<i128>, _> = drawn.map(|one| scope.evaluate(one, values)).collect();
            values?.iter().map(i128::to_string).collect::<Vec<_>>().join(", ")
        }
        Domain::List { .. } => {
            let lengths = scope.length_bounds(program, axis, values)?;
            format!("a list of {} integers in {}", range(lengths), range(bounds))
        }
        Domain::Sequence(sequence) => {
            format!("1 to {} steps joined by `+`, each one of {}", sequence.most, sequence.forms())
        }
        Domain::Permutation(_) => format!("the numbers from 0 to n-1 in any order, where n is {}", range(bounds)),
        _ => range(bounds),
    })
}

/// Parses JSON and rejects duplicate keys. serde_json would silently keep only the last value of a duplicate key, so
/// the case could differ from the case that the text seems to describe.
///
/// # Errors
/// Fails if the text is not JSON or has a duplicate key.
pub fn parse_json(text: &str) -> Result<Json, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let json = unique_keys(&mut deserializer)?;
    deserializer.end()?;
    Ok(json)
}

/// Parses a field as [`parse_json`] does.
pub fn unique_keys<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
    UniqueKeys::deserialize(deserializer).map(|UniqueKeys(json)| json)
}

struct UniqueKeys(Json);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueKeys, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor).map(UniqueKeys)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(UniqueKeys(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut object = Map::new();
        while let Some((key, UniqueKeys(value))) = entries.next_entry::<String, _>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key `{key}`")));
            }
            object.insert(key, value);
        }
        Ok(Json::Object(object))
    }
}

/// The values by name, for reports.
pub fn display_values(program: &Program, values: &[Value]) -> Vec<(String, String)> {
    program
        .axes
        .ids()
        .zip(values)
        .filter(|(id, _)| !program.is_part_of_sequence(*id))
        .map(|(id, value)| {
            let axis = &program.axes[id];
            let shown = match (&axis.domain, value) {
                (Domain::Choice(names), Value::Integer(position)) => {
                    names.get(*position as usize).cloned().unwrap_or_default()
                }
                (Domain::Text(texts), Value::Integer(position)) => {
                    texts.get(*position as usize).map(|at| format!("{:?}", text(program, *at))).unwrap_or_default()
                }
                (Domain::Sequence(sequence), Value::List(codes)) => sequence.text(codes),
                (_, Value::Integer(value)) => value.to_string(),
                (_, Value::List(items)) => format!("{items:?}"),
            };
            (axis.name.clone(), shown)
        })
        .collect()
}

fn text(program: &Program, position: usize) -> String {
    let bytes = &program.texts[position];
    String::from_utf8_lossy(&bytes[..bytes.len() - 1]).into_owned()
}

fn integer(json: &Json) -> Option<i128> {
    match json {
        Json::Number(number) => number.as_i128(),
        // Only integers that do not fit in a JSON number are written as text.
        Json::String(text) => text.parse().ok().filter(|value| Number::from_i128(*value).is_none()),
        _ => None,
    }
}
