//! What the command line prints, for every reason and finding, every command and every format.
//!
//! `SNAPSHOTS=overwrite cargo test -p extgate-cli --test golden` writes all of `golden/` anew; read the
//! difference before you commit it. What stands there is a promise: a change of it is told in CHANGELOG.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use extgate::{FindingCode, Reason};
use serde_json::Value;
use snapbox::data::DataFormat;
use snapbox::{Assert, Data};

#[path = "support/cases.rs"]
mod cases;

use cases::{cases, extgate, stderr, stdout};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn holds(name: &str, text: String) {
    let expected = Data::read_from(&golden(name), Some(DataFormat::Text)).raw();
    Assert::new()
        .action_env("SNAPSHOTS")
        .eq(Data::text(text), expected);
}

/// What a person would see who runs these.
fn session(folder: &Path, commands: &[Vec<&str>]) -> String {
    let mut text = String::new();
    for arguments in commands {
        let output = extgate(folder, arguments);
        let words: Vec<String> = arguments
            .iter()
            .map(|word| {
                let plain = |one: char| one.is_ascii_alphanumeric() || "-_./".contains(one);
                if word.chars().all(plain) {
                    (*word).to_owned()
                } else {
                    format!("'{word}'")
                }
            })
            .collect();
        text.push_str(&format!("$ extgate {}\n", words.join(" ")));
        text.push_str(&stdout(&output));
        for line in stderr(&output).lines() {
            text.push_str(&format!("! {line}\n"));
        }
        let status = output.status.code().expect("it ended by itself");
        text.push_str(&format!("= {status}\n\n"));
    }
    text.truncate(text.trim_end().len() + 1);
    text
}

#[test]
fn every_reason_and_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = BTreeSet::new();
    for case in cases() {
        case.write(folder.path());
        let people = case.command();
        let mut machines = people.clone();
        machines.extend(["--format", "json"]);

        // The case shows what it is for, whatever the golden file says.
        let output = stdout(&extgate(folder.path(), &machines));
        let line: Value = serde_json::from_str(&output).expect("a line of JSON");
        let faults = line.get("rejections").or(line.get("mismatches"));
        let reason = faults.and_then(|faults| faults[0]["reason"].as_str());
        let found = line["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .any(|one| one["code"] == *case.code);
        assert!(
            reason == Some(&case.code) || found,
            "{}: {output}",
            case.code
        );

        assert!(seen.insert(case.code.clone()), "{} stands twice", case.code);
        holds(
            &format!("codes/{}.txt", case.code),
            session(folder.path(), &[people, machines]),
        );
    }
    let codes = Reason::ALL.iter().map(|one| one.as_str());
    let codes: BTreeSet<String> = codes
        .chain(FindingCode::ALL.iter().map(|one| one.as_str()))
        .map(str::to_owned)
        .collect();
    assert_eq!(seen, codes);
    let files = fs::read_dir(golden("codes")).expect("golden files");
    let files: BTreeSet<String> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .to_string_lossy()
                .replace(".txt", "")
        })
        .collect();
    assert_eq!(files, codes, "a golden file of no case");
}

/// A folder with the examples, one of each verdict, and a runtime that drifted.
fn examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/manifests");
    for name in ["notes", "faulty"] {
        fs::create_dir_all(at(&format!("plugins/{name}/.synaps-plugin"))).expect("a folder");
        fs::copy(
            sources.join(format!("{name}.json")),
            at(&format!("plugins/{name}/.synaps-plugin/plugin.json")),
        )
        .expect("copied");
    }
    for (name, text) in [
        ("plugins/other/plugin.json", r#"{"name": "other"}"#),
        (
            "plugins/suspect/plugin.json",
            r#"{"name": "suspect", "extension": {"runtime": "process", "command": "/opt/x", "permissions": ["memory.read"]}}"#,
        ),
        ("schema.json", r#"{"type": "object"}"#),
        ("broken.json", r#"{"type": "object""#),
        (
            "initialize.json",
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"protocol_version": 1, "capabilities": {"tools": [
  {"name": "list", "description": "Lists notes, newest first.", "input_schema": {"type": "object"}},
  {"name": "add", "description": "Adds a note.", "input_schema": {"type": "object", "properties": {"n": {"default": 1.0}}}}
]}}}"#,
        ),
        (
            "tools-list.json",
            r#"{"jsonrpc": "2.0", "id": 2, "result": {"tools": [
  {"name": "add", "title": "Add", "description": "Adds a note.", "inputSchema": {"type": "object", "properties": {"n": {"default": 1.0, "maximum": 1E2}}}, "annotations": {"readOnlyHint": false}}
]}}"#,
        ),
        (
            "undeclarable.json",
            r#"{"tools": [{"name": "add note", "inputSchema": {"type": "object"}}, {"name": "b", "description": " ", "inputSchema": []}]}"#,
        ),
        ("empty.json", r#"{"protocol_version": 1}"#),
        (
            "drifted.json",
            r#"{"protocol_version": 1, "capabilities": {"tools": [
  {"name": "list", "description": "Lists notes.", "input_schema": {"type": "object"}, "annotations": {}},
  {"name": "adds", "description": "Adds a note.", "input_schema": {"type": "object"}}
]}}"#,
        ),
    ] {
        if let Some(parent) = Path::new(name).parent() {
            fs::create_dir_all(at(&parent.to_string_lossy())).expect("a folder");
        }
        fs::write(at(name), text).expect("written");
    }
    folder
}

#[test]
fn check() {
    let folder = examples();
    holds(
        "check.txt",
        session(
            folder.path(),
            &[
                vec!["check", "plugins"],
                vec!["check", "plugins", "--quiet"],
                vec!["check", "plugins", "--format", "json"],
                vec!["check", "plugins/suspect/plugin.json", "--deny", "all"],
                vec![
                    "check",
                    "plugins/suspect",
                    "--deny",
                    "command_outside_plugin,unknown_member",
                    "--format",
                    "json",
                ],
                vec!["check", "plugins/suspect", "--deny", "unknown_member"],
                vec![
                    "check",
                    "plugins/notes/.synaps-plugin/plugin.json",
                    "--plugin-id",
                    "../x",
                ],
                vec!["check", "plugins/other", "missing.json", "plugins/notes"],
                vec!["check", "missing"],
                vec!["check", "plugins/suspect", "--color", "always"],
            ],
        )
        .replace('\u{1B}', "ESC"),
    );
}

#[test]
fn sarif() {
    let folder = examples();
    let version = env!("CARGO_PKG_VERSION");
    holds(
        "sarif.txt",
        session(
            folder.path(),
            &[
                vec!["check", "plugins", "missing.json", "--format", "sarif"],
                vec![
                    "match",
                    "plugins/notes/.synaps-plugin/plugin.json",
                    "drifted.json",
                    "--format",
                    "sarif",
                ],
            ],
        )
        .replace(version, "VERSION"),
    );
}

#[test]
fn matching() {
    let folder = examples();
    let manifest = "plugins/notes/.synaps-plugin/plugin.json";
    holds(
        "match.txt",
        session(
            folder.path(),
            &[
                vec!["match", manifest, "drifted.json"],
                vec!["match", manifest, "drifted.json", "--format", "json"],
                vec!["match", "plugins/suspect/plugin.json", "empty.json"],
                vec![
                    "match",
                    "plugins/suspect/plugin.json",
                    "empty.json",
                    "--format",
                    "json",
                ],
                vec!["match", "plugins/other/plugin.json", "empty.json"],
                vec![
                    "match",
                    "plugins/faulty/.synaps-plugin/plugin.json",
                    "empty.json",
                    "--quiet",
                ],
                vec!["match", manifest, "missing.json"],
            ],
        ),
    );
}

#[test]
fn digest() {
    let folder = examples();
    let manifest = "plugins/notes/.synaps-plugin/plugin.json";
    holds(
        "digest.txt",
        session(
            folder.path(),
            &[
                vec!["digest", "schema.json", manifest],
                vec![
                    "digest",
                    "schema.json",
                    manifest,
                    "broken.json",
                    "--format",
                    "json",
                ],
                vec!["digest", "broken.json", "missing.json"],
            ],
        ),
    );
}

#[test]
fn declare() {
    let folder = examples();
    holds(
        "declare.txt",
        session(
            folder.path(),
            &[
                vec!["declare", "initialize.json"],
                vec![
                    "declare",
                    "tools-list.json",
                    "--command",
                    "bin/notes",
                    "--plugin-id",
                    "notes",
                ],
                vec!["declare", "undeclarable.json"],
                vec!["declare", "empty.json"],
                vec!["declare", "broken.json"],
                vec!["declare", "missing.json"],
            ],
        ),
    );
}

#[test]
fn explain() {
    let folder = examples();
    holds(
        "explain.txt",
        session(
            folder.path(),
            &[
                vec!["explain"],
                vec![
                    "explain",
                    "oversized_declared_tool_schema",
                    "unknown_member",
                ],
                vec!["explain", "wire_name_too_long", "--format", "json"],
                vec!["explain", "unknown_members"],
            ],
        ),
    );
    // One JSON object for each code.
    let output = stdout(&extgate(folder.path(), &["explain", "--format", "json"]));
    assert_eq!(
        output.lines().count(),
        Reason::ALL.len() + FindingCode::ALL.len()
    );
}

#[test]
fn help() {
    let folder = examples();
    let pages: Vec<Vec<&str>> = vec![
        vec!["-h"],
        vec!["--help"],
        vec!["check", "--help"],
        vec!["match", "--help"],
        vec!["digest", "--help"],
        vec!["declare", "--help"],
        vec!["explain", "--help"],
        vec!["schema", "--help"],
        vec!["check", "--format", "xml"],
        vec!["check", "--deny", "unknown_membr"],
        vec!["chek"],
    ];
    holds("help.txt", session(folder.path(), &pages));
}

#[test]
fn schema() {
    let folder = examples();
    holds("schema.txt", session(folder.path(), &[vec!["schema"]]));
}
