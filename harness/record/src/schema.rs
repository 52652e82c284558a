//! The JSON Schema of journal lines, for programs that read journals.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::Value;

use crate::line::Line;

/// The JSON Schema of a journal line as this version writes it.
pub fn journal_schema() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(Strict)
        .into_generator()
        .into_root_schema_for::<Line>()
}

/// Restricts objects to the keys that are written. A key with a default value may be absent. An optional key without a
/// value is absent, never null.
#[derive(Debug, Clone)]
struct Strict;

impl Transform for Strict {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut().filter(|object| object.contains_key("properties")) else { return };
        let mut required = match object.remove("required") {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        let properties = object.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
        for (key, property) in properties {
            if property.get("default").is_some() {
                required.retain(|name| name != key);
            } else if !required.iter().any(|name| name == key) {
                not_null(property);
            }
        }
        object.insert("required".to_owned(), required.into());
        let variants = object.get_mut("oneOf").and_then(Value::as_array_mut);
        let closed = if variants.is_some() { "unevaluatedProperties" } else { "additionalProperties" };
        for variant in variants.into_iter().flatten().filter_map(Value::as_object_mut) {
            // A variant has only some of the object's keys.
            variant.remove("additionalProperties");
        }
        object.insert(closed.to_owned(), false.into());
    }
}

/// Removes null from the allowed values of a key.
fn not_null(property: &mut Value) {
    let Some(property) = property.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = property.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            property.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(choices)) = property.remove("anyOf") {
        let choices = choices.into_iter().filter(|choice| choice["type"] != "null");
        property.extend(choices.filter_map(|choice| choice.as_object().cloned()).flatten());
    }
}
