//! The page and the schema of the JSON export have the keys that the source of the export has.
//!
//! That real exports satisfy the schema is what `tests/real/schema.py` checks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

fn text_of(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The keys of the JSON export, as its source has them.
fn keys_of_the_export() -> BTreeSet<String> {
    let source = text_of("report/src/export/json.rs");
    let structures = source.split("\nstruct ").skip(1).filter_map(|rest| rest.split("\n}").next());
    let is_key = |key: &&str| key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let fields = structures.flat_map(|structure| {
        structure.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(':'))
    });
    let entries = source.split("serialize_entry(").skip(1);
    let named = entries.filter_map(|entry| entry.split('"').nth(1));
    fields.map(|(key, _)| key).filter(is_key).chain(named).map(str::to_owned).collect()
}

/// What the published schema defines.
fn definitions() -> Value {
    let schema: Value =
        serde_json::from_str(&text_of("share/pathprof-1.schema.json")).expect("JSON");
    schema["$defs"].clone()
}

/// The definitions that one of them refers to, itself included.
fn referred<'a>(definitions: &'a Value, name: &str, known: &mut BTreeMap<String, &'a Value>) {
    let definition = &definitions[name];
    assert!(definition.is_object(), "{name} is not defined");
    if known.insert(name.to_owned(), definition).is_none() {
        let text = definition.to_string();
        let names = text.split("\"#/$defs/").skip(1).filter_map(|rest| rest.split('"').next());
        names.for_each(|name| referred(definitions, name, known));
    }
}

/// The schemas of a document that describe objects with known keys.
fn objects(schema: &Value) -> Vec<&Value> {
    let inside: Vec<&Value> = match schema {
        Value::Object(keys) => keys.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    let is_object = schema["type"] == "object" && schema["properties"].is_object();
    let found = is_object.then_some(schema).into_iter();
    found.chain(inside.into_iter().flat_map(objects)).collect()
}

#[test]
fn every_key_of_the_export_is_described() {
    let page = text_of("docs/json.md");
    let keys = keys_of_the_export();
    assert!(keys.len() > 60 && keys.contains("build_id"), "{keys:?}");
    let unknown: Vec<_> = keys.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(unknown.is_empty(), "docs/json.md lacks {unknown:?}");
}

#[test]
fn the_schema_has_the_keys_of_the_export_and_no_others() {
    let definitions = definitions();
    let mut of_report = BTreeMap::new();
    referred(&definitions, "report", &mut of_report);
    let objects = of_report.values().flat_map(|definition| objects(definition));
    let properties = objects.filter_map(|of| of["properties"].as_object());
    let known: BTreeSet<String> = properties.flat_map(|of| of.keys().cloned()).collect();
    assert_eq!(known, keys_of_the_export());
}

#[test]
fn the_schema_refuses_what_it_does_not_know() {
    let definitions = definitions();
    let objects = objects(&definitions);
    assert!(objects.len() > 30, "{objects:?}");
    for object in objects {
        assert_eq!(object["additionalProperties"], false, "{object}");
        let required = object["required"].as_array().expect("a list");
        assert!(
            required.iter().all(|key| object["properties"].get(key.as_str().unwrap()).is_some())
        );
    }
}
