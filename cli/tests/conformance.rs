//! The conformance vectors, through the built binary.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use serde_json::Value;

#[path = "support/cases.rs"]
mod cases;
#[path = "../../tests/support/mod.rs"]
mod support;

use cases::{extgate, stdout};
use support::{Case, Outcome, hold};

/// Files that one process is given.
const BATCH: usize = 200;

fn lines(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = extgate(folder, arguments);
    let text = stdout(&output);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let refused = lines.iter().any(|line| line["verdict"] == "reject");
    assert_eq!(output.status.code(), Some(i32::from(refused)));
    lines
}

fn outcome(line: &Value) -> Outcome {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |key: &str| line[key].as_array().expect("a list").clone();
    let part = |tool: &Value, key: &str| text(&tool[key]).expect("a text");
    Outcome {
        verdict: text(&line["verdict"]).expect("a verdict"),
        reason: text(&line["rejections"][0]["reason"]),
        class: text(&line["class"]),
        trigger: text(&line["trigger"]),
        tools: list("tools")
            .iter()
            .map(|tool| ["runtime_name", "catalog_id", "digest"].map(|key| part(tool, key)))
            .collect(),
        contexts: list("context_providers")
            .iter()
            .map(|one| text(one).expect("an address"))
            .collect(),
        runtime: None,
    }
}

/// What `match` says, in the vectors' words.
fn admission(folder: &Path, plugin: &str, file: &str, runtime: &[u8]) -> String {
    fs::write(folder.join("runtime.json"), runtime).expect("written");
    let given = format!("--plugin-id={plugin}");
    let arguments = ["match", "--format=json", &given, file, "runtime.json"];
    let line = lines(folder, &arguments).pop().expect("a verdict");
    match line["verdict"].as_str() {
        Some("accept") => "ok".to_owned(),
        Some("reject") => {
            let reason = line["mismatches"][0]["reason"].as_str();
            reason.expect("a reason").to_owned()
        }
        other => other.expect("a verdict").to_owned(),
    }
}

#[test]
fn every_vector_is_judged_as_expected() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = support::cases();
    let mut by_plugin: BTreeMap<&str, Vec<(&Case, String)>> = BTreeMap::new();
    for (number, case) in cases.iter().enumerate() {
        let file = format!("{number}.json");
        fs::write(folder.path().join(&file), &case.document).expect("written");
        by_plugin
            .entry(&case.plugin)
            .or_default()
            .push((case, file));
    }
    let mut outcomes: HashMap<String, Outcome> = HashMap::new();
    for (plugin, cases) in &by_plugin {
        let given = format!("--plugin-id={plugin}");
        for batch in cases.chunks(BATCH) {
            let mut arguments = vec!["check", "--format=json", &given];
            arguments.extend(batch.iter().map(|(_, file)| &**file));
            let got = lines(folder.path(), &arguments);
            assert_eq!(got.len(), batch.len());
            for ((case, file), line) in batch.iter().zip(&got) {
                assert_eq!(line["path"], **file, "out of order");
                let mut outcome = outcome(line);
                if let Some(runtime) = &case.runtime
                    && outcome.verdict == "accept"
                {
                    outcome.runtime = Some(admission(folder.path(), plugin, file, runtime));
                }
                assert!(
                    outcomes.insert(case.id.clone(), outcome).is_none(),
                    "{} stands twice",
                    case.id
                );
            }
        }
    }
    hold(|case| outcomes[&case.id].clone());
}
