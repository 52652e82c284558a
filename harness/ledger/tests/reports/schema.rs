//! The published schema of the journal, checked with journals of every format and with written lines.

use std::fs;
use std::path::{Path, PathBuf};

use record::{
    Happened, Host, Incident, Leaked, Line, MappedLibrary, RecordedShard, RetryCause, RuleBegin, RunResume, RunStop,
};
use regex_lite::Regex;
use rstest::rstest;
use serde_json::{Value as Json, json};

use crate::sample::{broken, end, expected, header, results, retry};

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn schema() -> Json {
    serde_json::to_value(record::journal_schema()).unwrap()
}

/// True if a value matches a part of the schema `whole`. Knows the keywords of generated schemas.
fn holds(value: &Json, schema: &Json, whole: &Json) -> bool {
    let Json::Object(keywords) = schema else { return schema == &json!(true) };
    keywords.iter().all(|(keyword, says)| match keyword.as_str() {
        "$schema" | "$defs" | "title" | "description" | "default" | "format" => true,
        "$ref" => holds(value, whole.pointer(&says.as_str().unwrap()[1..]).unwrap(), whole),
        "const" => value == says,
        "enum" => says.as_array().unwrap().contains(value),
        "type" => says.as_array().map_or(says == kind(value), |kinds| kinds.iter().any(|says| says == kind(value))),
        "oneOf" => says.as_array().unwrap().iter().filter(|schema| holds(value, schema, whole)).count() == 1,
        "anyOf" => says.as_array().unwrap().iter().any(|schema| holds(value, schema, whole)),
        "minimum" => value.as_f64().is_none_or(|number| number >= says.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= says.as_f64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| Regex::new(says.as_str().unwrap()).unwrap().is_match(text)),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= says.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= says.as_u64().unwrap()),
        "items" => value.as_array().into_iter().flatten().all(|item| holds(item, says, whole)),
        "prefixItems" => {
            let pairs = value.as_array().into_iter().flatten().zip(says.as_array().unwrap());
            pairs.into_iter().all(|(item, schema)| holds(item, schema, whole))
        }
        "required" => says.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
        "properties" => members(value).all(|(key, member)| says.get(key).is_none_or(|says| holds(member, says, whole))),
        "propertyNames" => members(value).all(|(key, _)| holds(&json!(key), says, whole)),
        "additionalProperties" | "unevaluatedProperties" => {
            let known = |key: &str| {
                let variants = keywords.get("oneOf").and_then(Json::as_array).into_iter().flatten();
                let fits = variants.filter(|schema| holds(value, schema, whole));
                fits.chain([schema]).any(|schema| schema["properties"].get(key).is_some())
            };
            members(value).all(|(key, member)| known(key) || holds(member, says, whole))
        }
        other => panic!("unknown keyword: {other}"),
    })
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

fn members(value: &Json) -> impl Iterator<Item = (&String, &Json)> {
    value.as_object().into_iter().flatten()
}

/// A line of each kind, with the keys that the types do not describe completely.
fn lines() -> Vec<Json> {
    let text = String::new;
    let mut header = header();
    header.host = Some(Host { assumed_bare: true, page_size: Some(4096), ..Host::default() });
    header.mapped = vec![MappedLibrary { path: text(), sha256: Some("0af".to_owned()), build_id: None }];
    header.settings.part = Some(RecordedShard { number: 1, of: 2, balanced: Some(text()), rules: vec![text()] });
    header.settings.rule_limit = Some(600);
    let mut end = end(&results(), 1);
    (end.retries, end.expectations) = (vec![retry()], Some(expected()));
    let (device, rule, reason) = (Some("2".to_owned()), text(), text());
    let (attempt, attempts) = (1, 2);
    end.events = [
        Incident::DeviceOut { device: device.clone(), reason: text() },
        Incident::DeviceBack { device: device.clone(), reason: text(), attempt, attempts },
        Incident::DeviceNotBack { device: None, reason: text(), attempt, attempts },
        Incident::ProcessReplaced { device: device.clone(), rule: text(), reason: text() },
        Incident::RuleRetried { rule, cause: RetryCause::LostDevice, devices: vec![device.clone()], reason },
        Incident::Leak { rules: Vec::new(), resource: Leaked::Memory, amount: 1, device },
    ]
    .map(|event| Happened { part: Some(1), event })
    .into();
    let lines = [
        Line::Run(Box::new(header)),
        Line::Begin(RuleBegin { id: text() }),
        Line::Result(Box::new(broken())),
        Line::Resume(RunResume { started: text() }),
        Line::Stop(RunStop { at: text(), signal: text() }),
        Line::End(Box::new(end)),
    ];
    let others = results().into_iter().map(|result| Line::Result(Box::new(result)));
    lines.into_iter().chain(others).map(|line| serde_json::to_value(line).unwrap()).collect()
}

/// The lines of the stored runs.
fn stored() -> Vec<Json> {
    let runs = fs::read_dir(project("fixtures/runs/format-5")).unwrap();
    let journals = runs.map(|run| fs::read_to_string(run.unwrap().path().join("results.jsonl")).unwrap());
    let lines = |text: String| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>();
    journals.flat_map(lines).collect()
}

#[rstest]
#[case::of_stored_runs(stored())]
#[case::as_written(lines())]
fn every_line_matches_the_schema(#[case] journal: Vec<Json>) {
    let schema = schema();
    assert!(!journal.is_empty());
    for line in journal {
        assert!(holds(&line, &schema, &schema), "{line:#}");
    }
}

/// A line with one change.
fn changed(line: usize, place: &str, key: &str, value: Option<Json>) -> Json {
    let mut line = lines().swap_remove(line);
    let object = line.pointer_mut(place).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => object.insert(key.to_owned(), value),
        None => object.remove(key),
    };
    line
}

#[rstest]
#[case::a_line_of_two(0, "", "begin", Some(json!({"id": ""})))]
#[case::an_unknown_key(2, "/result", "color", Some(json!("red")))]
#[case::an_unknown_key_of_an_event(5, "/end/events/0", "attempt", Some(json!(1)))]
#[case::a_key_of_another_event(5, "/end/events/0", "event", Some(json!("leak")))]
#[case::a_missing_key(2, "/result", "verdict", None)]
#[case::settings(0, "/run", "settings", None)]
#[case::interruptions(2, "/result", "interrupted", None)]
#[case::remarks(5, "/end", "remarks", None)]
#[case::a_missing_key_that_may_be_null(0, "/run", "edition", None)]
#[case::null_where_a_key_is_left_out(0, "/run", "host", Some(json!(null)))]
#[case::an_unknown_verdict(5, "/end/counts", "fine", Some(json!(1)))]
#[case::a_later_format(0, "/run", "format", Some(json!(6)))]
#[case::an_earlier_format(0, "/run", "format", Some(json!(4)))]
#[case::no_digest(0, "/run", "catalog_digest", Some(json!("ABC")))]
#[case::a_count_below_zero(5, "/end", "workers_started", Some(json!(-1)))]
fn the_schema_refuses(#[case] line: usize, #[case] place: &str, #[case] key: &str, #[case] value: Option<Json>) {
    let schema = schema();
    assert!(!holds(&changed(line, place, key, value), &schema, &schema));
}
