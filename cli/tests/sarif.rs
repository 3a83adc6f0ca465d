//! SARIF logs keep to the public schema of SARIF 2.1.0, which stands in `data/` as OASIS publishes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use extgate::{FindingCode, Reason};
use serde_json::{Value, json};

#[path = "support/cases.rs"]
mod cases;

use cases::{cases, extgate, stdout};

fn schema() -> jsonschema::Validator {
    // A bracket in one pattern is not escaped, which not every reader of patterns forgives.
    let schema = include_str!("data/sarif-schema-2.1.0.json").replace("{2}]?$", r"{2}\\]?$");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

fn log(folder: &Path, arguments: &[&str]) -> Value {
    let mut arguments = arguments.to_vec();
    arguments.extend(["--format", "sarif"]);
    let text = stdout(&extgate(folder, &arguments));
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn every_log_is_valid() {
    let schema = schema();
    assert!(!schema.is_valid(&json!({"version": "2.1.0", "runs": [{}]})));
    let folder = tempfile::tempdir().expect("a folder");
    for case in cases() {
        case.write(folder.path());
        let log = log(folder.path(), &case.command());
        let faults: Vec<String> = schema
            .iter_errors(&log)
            .map(|fault| format!("{} at {}", fault, fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{}: {faults:?}", case.code);
        let run = &log["runs"][0];
        let result = run["results"]
            .as_array()
            .expect("results")
            .iter()
            .find(|result| result["ruleId"] == *case.code)
            .expect("a result");
        let index = result["ruleIndex"].as_u64().expect("an index");
        let rule = &run["tool"]["driver"]["rules"][usize::try_from(index).expect("small")];
        assert_eq!(rule["id"], *case.code);
        let reason = case.code.parse::<Reason>().is_ok();
        assert_eq!(result["level"], if reason { "error" } else { "warning" });
        let region = &result["locations"][0]["physicalLocation"]["region"];
        let number = |key: &str| region[key].as_u64().expect("a number");
        assert!(
            (number("startLine"), number("startColumn"))
                <= (number("endLine"), number("endColumn")),
            "{}: {region}",
            case.code
        );
    }
    // A log with an input that could not be read, and one with a denied finding.
    let missing = log(folder.path(), &["check", "missing.json"]);
    assert!(schema.is_valid(&missing));
    assert_eq!(
        missing["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
}

#[test]
fn rules_are_the_reasons_and_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("plugin.json"), "{}").expect("written");
    let log = log(folder.path(), &["check"]);
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules")
        .clone();
    let ids: Vec<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().expect("an id"))
        .collect();
    let codes: Vec<&str> = Reason::ALL
        .iter()
        .map(|one| one.as_str())
        .chain(FindingCode::ALL.iter().map(|one| one.as_str()))
        .collect();
    assert_eq!(ids, codes);
    for rule in &rules {
        assert!(!rule["help"]["text"].as_str().expect("help").is_empty());
    }
    assert_eq!(log["runs"][0]["results"], json!([]));
}

/// The fingerprints of a manifest's results, by rule.
fn fingerprints(folder: &Path, text: &str) -> BTreeMap<String, String> {
    fs::write(folder.join("plugin.json"), text).expect("written");
    let log = log(folder, &["check", "plugin.json"]);
    let results = log["runs"][0]["results"].as_array().expect("results");
    results
        .iter()
        .map(|result| {
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            (
                text(&result["ruleId"]),
                text(&result["partialFingerprints"]["extgate/v1"]),
            )
        })
        .collect()
}

#[test]
fn fingerprints_outlive_what_is_added_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = |before: &str, description: &str| {
        format!(
            r#"{{"name":"demo",{before}"extension":{{"runtime":"process","command":"x","permissions":["tools.register"],
            "deferred":{{"tools":[{description}{{"name":"b","description":" ","input_schema":[]}}]}}}}}}"#
        )
    };
    let one = fingerprints(folder.path(), &manifest("", ""));
    let tool = r#"{"name":"a","description":"d","input_schema":{}},"#;
    let other = fingerprints(folder.path(), &manifest("\n\n\"version\":\"1\",\n", tool));
    assert_eq!(one.len(), 2);
    assert_eq!(one, other);
    let renamed = manifest("", "").replace("\"b\"", "\"c\"");
    assert_ne!(one, fingerprints(folder.path(), &renamed));
}
