//! Cases as JSON and as text: for replay, for the files of known counterexamples, for reports.

use serde_json::{Map, Value as Json};

use steps::evaluate::Value;
use steps::program::{Domain, Program};

use super::error::CaseError;
use super::plan::Case;

/// The case as an object: axis → value, and `salt`.
pub fn case_to_json(program: &Program, values: &[Value], salt: u64) -> Json {
    let mut object = Map::new();
    for (axis, value) in program.axes.iter().zip(values) {
        let number = |value: i128| {
            serde_json::Number::from_i128(value).map_or_else(|| Json::String(value.to_string()), Json::Number)
        };
        let json = match (&axis.domain, value) {
            (Domain::Choice(names), Value::Integer(position)) => Json::String(names[*position as usize].clone()),
            (Domain::Text(texts), Value::Integer(position)) => Json::String(text(program, texts[*position as usize])),
            (_, Value::Integer(value)) => number(*value),
            (_, Value::List(items)) => Json::Array(items.iter().map(|item| number(*item)).collect()),
        };
        object.insert(axis.name.clone(), json);
    }
    object.insert("salt".to_owned(), Json::from(salt));
    Json::Object(object)
}

/// Reads a case; every axis must be there.
pub fn case_from_json(program: &Program, json: &Json) -> Result<Case, CaseError> {
    let Json::Object(object) = json else { return Err(CaseError::NotAnObject) };
    let names: Vec<&str> = program.axes.iter().map(|axis| axis.name.as_str()).collect();
    if let Some(unknown) = object.keys().find(|key| *key != "salt" && !names.contains(&key.as_str())) {
        let hint = steps::suggest::hint(unknown, names.iter().copied());
        return Err(CaseError::UnknownAxis { name: unknown.clone(), hint, axes: names.join(", ") });
    }
    let mut values = Vec::new();
    for axis in &program.axes {
        let Some(json) = object.get(&axis.name) else {
            return Err(CaseError::MissingAxis { name: axis.name.clone() });
        };
        let value = match (&axis.domain, json) {
            (Domain::Choice(names), Json::String(name)) => {
                names.iter().position(|known| known == name).map(|at| Value::Integer(at as i128))
            }
            (Domain::Text(texts), Json::String(wanted)) => {
                texts.iter().position(|known| text(program, *known) == *wanted).map(|at| Value::Integer(at as i128))
            }
            (_, Json::Array(items)) => items.iter().map(integer).collect::<Option<Vec<_>>>().map(Value::List),
            (_, json) => integer(json).map(Value::Integer),
        };
        match value {
            Some(value) => values.push(value),
            None => return Err(CaseError::NotAValue { value: json.to_string(), axis: axis.name.clone() }),
        }
    }
    let salt = object.get("salt").and_then(Json::as_u64).unwrap_or(0);
    Ok(Case { values, salt, tree: None })
}

/// Reads one case, or a list of cases that run in this order in one process.
pub fn cases_from_json(program: &Program, json: &Json) -> Result<Vec<Case>, CaseError> {
    match json {
        Json::Array(cases) => cases.iter().map(|case| case_from_json(program, case)).collect(),
        case => Ok(vec![case_from_json(program, case)?]),
    }
}

/// The values by name, as a person reads them.
pub fn display_values(program: &Program, values: &[Value]) -> Vec<(String, String)> {
    program
        .axes
        .iter()
        .zip(values)
        .map(|(axis, value)| {
            let shown = match (&axis.domain, value) {
                (Domain::Choice(names), Value::Integer(position)) => {
                    names.get(*position as usize).cloned().unwrap_or_default()
                }
                (Domain::Text(texts), Value::Integer(position)) => {
                    texts.get(*position as usize).map(|at| format!("{:?}", text(program, *at))).unwrap_or_default()
                }
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
        Json::String(text) => text.parse().ok(),
        _ => None,
    }
}
