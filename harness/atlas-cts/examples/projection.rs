//! A comparison of two runs in what a verdict rests on: for each rule its verdict, the number of its cases, and the
//! values and the check of its failing case. Times, texts, folders and formats may differ.
//!
//! ```sh
//! cargo run -q -p atlas-cts --example projection -- OLD NEW [FROM=TO]…
//! ```
//!
//! OLD and NEW are folders of runs; FROM=TO renames the rules whose id begins with FROM. Exit status: 0 equal, 1 they
//! differ, 2 usage or a journal that cannot be read.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value};

/// The grounds of a verdict.
#[derive(PartialEq)]
struct Seen {
    verdict: String,
    cases: u64,
    /// Values and check of the failing case.
    failing: Option<(Map<String, Value>, String)>,
}

impl std::fmt::Display for Seen {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}, {} cases", self.verdict, self.cases)?;
        let Some((values, check)) = &self.failing else { return Ok(()) };
        write!(out, ", {} at {}", check.trim(), Value::from(values.clone()))
    }
}

/// The result of a rule in a line of a journal; `None` for other lines.
fn result(line: &str) -> Result<Option<(String, Seen)>, String> {
    let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let Some(result) = line.get("result") else { return Ok(None) };
    let text = |field: &str| result[field].as_str().map(str::to_owned).ok_or(format!("no {field} in a result"));
    let failing = |failure: &Value| {
        let values = failure["replay_values"].as_object().cloned().unwrap_or_default();
        Some((values, failure["statement"].as_str()?.to_owned()))
    };
    let cases = result["cases"].as_u64().ok_or("no number of cases in a result")?;
    Ok(Some((text("id")?, Seen { verdict: text("verdict")?, cases, failing: failing(&result["failure"]) })))
}

/// The results of a run by rule; the last one counts, as after a resume.
fn results(run: &str, renamed: &[(&str, &str)]) -> Result<BTreeMap<String, Seen>, String> {
    let path = Path::new(run).join("results.jsonl");
    let journal = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut results = BTreeMap::new();
    for (at, line) in journal.lines().enumerate() {
        let found = result(line).map_err(|error| format!("{}:{}: {error}", path.display(), at + 1))?;
        let Some((mut id, seen)) = found else { continue };
        if let Some((rest, to)) = renamed.iter().find_map(|(from, to)| Some((id.strip_prefix(from)?, to))) {
            id = format!("{to}{rest}");
        }
        results.insert(id, seen);
    }
    Ok(results)
}

fn compare(words: &[String]) -> Result<bool, String> {
    let [old, new, renamed @ ..] = words else { return Err("give the folders of two runs".to_owned()) };
    let renamed: Option<Vec<_>> = renamed.iter().map(|word| word.split_once('=')).collect();
    let (old, new) = (results(old, &renamed.ok_or("a renaming is FROM=TO")?)?, results(new, &[])?);
    let mut ids: Vec<&String> = old.keys().chain(new.keys()).collect();
    ids.sort();
    ids.dedup();
    let shown = |seen: Option<&Seen>| seen.map_or("no result".to_owned(), Seen::to_string);
    let different = ids.iter().filter(|id| old.get(**id) != new.get(**id)).inspect(|id| {
        println!("{id}\n  old  {}\n  new  {}", shown(old.get(**id)), shown(new.get(**id)));
    });
    let different = different.count();
    println!("{} rules, {different} different", ids.len());
    Ok(different == 0)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match compare(&words) {
        Ok(equal) => ExitCode::from(u8::from(!equal)),
        Err(error) => {
            eprintln!("error: {error}; usage: projection OLD NEW [FROM=TO]…");
            ExitCode::from(2)
        }
    }
}
