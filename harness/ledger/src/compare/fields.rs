//! The differences between the first lines of two journals, and remarks about the effects on a comparison.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use record::{Recorded, RunHeader};

use super::difference::{FieldChange, Side};

/// The identity of a run.
pub(super) fn side(path: &str, run: &Recorded) -> Side {
    let header = &run.header;
    let what = if header.library.simulated { "SIMULATED DEVICE" } else { &header.library.path };
    let version = header.library.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let defects = match header.defects.as_slice() {
        [] => String::new(),
        defects => format!(" with {}", defects.join(", ")),
    };
    Side {
        path: path.to_owned(),
        run: header.run.clone(),
        started: header.started.clone(),
        tested: format!("{what}{version}{defects}"),
        product: header.product.clone(),
        results: run.results.len() as u64,
        ended: run.end.is_some(),
    }
}

/// Remarks about differences between the runs that weaken the comparison.
pub(super) fn remarks(old: &Recorded, new: &Recorded) -> Vec<String> {
    let mut remarks = Vec::new();
    let (a, b) = (&old.header, &new.header);
    let mut differ = |what: &str, one: &str, other: &str, means: &str| {
        if one != other {
            remarks.push(format!("{what} differs ({one}, then {other}): {means}"));
        }
    };
    differ(
        "the runtime",
        &a.runtime,
        &b.runtime,
        "rules with the same id are compared, even if the rules themselves differ",
    );
    differ(
        "the product",
        &a.product,
        &b.product,
        "the documents promise different things; only rules that apply to both products are compared",
    );
    differ(
        "the catalog",
        short(&a.catalog_digest),
        short(&b.catalog_digest),
        "a rule may have changed; answers to identically worded questions are compared",
    );
    differ("the suite's version", &a.suite, &b.suite, "the suite itself may behave differently");
    differ(
        "the profile",
        &a.profile,
        &b.profile,
        "rules tried different numbers of cases; a failure that shows only in more cases looks like a change",
    );
    differ(
        "the seed",
        &a.seed.to_string(),
        &b.seed.to_string(),
        "the cases differ; shares of answers are compared with statistical tests",
    );
    let kind = |simulated: bool| if simulated { "simulated" } else { "real" };
    differ(
        "the device",
        kind(a.library.simulated),
        kind(b.library.simulated),
        "a simulated device says nothing about hardware",
    );
    for (run, which) in [(old, "older"), (new, "newer")] {
        if run.end.is_none() {
            remarks.push(format!("the {which} run did not finish: its missing results are unknown"));
        }
    }
    remarks
}

/// A shortened digest.
fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// All differing fields, by path.
pub(super) fn compare(old: &RunHeader, new: &RunHeader) -> Vec<FieldChange> {
    let flat = |header: &RunHeader| {
        let mut fields = BTreeMap::new();
        // Serialization cannot fail, because the header was read from JSON.
        let mut value = serde_json::to_value(header).unwrap_or_default();
        // The catalog's texts are compared by its digest.
        let ids = header.selected.iter().map(|rule| rule.id.as_str()).collect();
        (value["selected"], value["clauses"]) = (ids, Json::Null);
        flatten(String::new(), &value, &mut fields);
        fields
    };
    let (old, new) = (flat(old), flat(new));
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    let changed = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    changed
        .map(|name| FieldChange { field: name.clone(), old: old.get(name).cloned(), new: new.get(name).cloned() })
        .collect()
}

/// Flattens nested objects into paths. A list counts as one value, unless all its items are objects with names; then
/// the items become paths too.
fn flatten(path: String, value: &Json, fields: &mut BTreeMap<String, Json>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Json::Object(object) => object.iter().for_each(|(name, value)| flatten(below(name), value, fields)),
        Json::Array(items) if !items.is_empty() && items.iter().all(|item| name_of(item).is_some()) => {
            for item in items {
                let name = name_of(item).unwrap_or_default();
                flatten(below(name), &without_name(item), fields);
            }
        }
        Json::Null => {}
        value => drop(fields.insert(path, value.clone())),
    }
}

/// The fields that can name an item in a list.
const NAMES: [&str; 4] = ["path", "id", "name", "device"];

fn name_of(item: &Json) -> Option<&str> {
    NAMES.iter().find_map(|name| item.get(name)?.as_str())
}

fn without_name(item: &Json) -> Json {
    let mut item = item.clone();
    if let Some(object) = item.as_object_mut()
        && let Some(name) = NAMES.iter().find(|name| object.get(**name).is_some_and(Json::is_string))
    {
        object.remove(*name);
        if object.is_empty() {
            return Json::Bool(true);
        }
    }
    item
}
