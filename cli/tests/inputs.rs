//! Files, folders, links and standard input.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

#[path = "support/cases.rs"]
mod cases;

use cases::{extgate, stderr, stdout};

const NONE: &str = r#"{"name": "demo"}"#;

fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("written");
}

fn paths(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["check", "--format", "json"];
    all.extend(arguments);
    stdout(&extgate(folder, &all))
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            line["path"].as_str().expect("a path").replace('\\', "/")
        })
        .collect()
}

#[test]
fn a_folder_is_searched_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in [
        "b/plugin.json",
        "a/.synaps-plugin/plugin.json",
        "a/plugin.json",
        "a/other.json",
        "c/d/e/plugin.json",
        "plugin.json",
    ] {
        put(folder.path(), name, NONE);
    }
    let expected = [
        "./a/.synaps-plugin/plugin.json",
        "./a/plugin.json",
        "./b/plugin.json",
        "./c/d/e/plugin.json",
        "./plugin.json",
    ];
    assert_eq!(paths(folder.path(), &[]), expected);
    // Inputs are taken in the order in which they are given.
    assert_eq!(
        paths(folder.path(), &["c", "a/other.json", "b"]),
        ["c/d/e/plugin.json", "a/other.json", "b/plugin.json"]
    );
}

#[test]
fn many_inputs_are_printed_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..1_000 {
        put(folder.path(), &format!("{number:04}/plugin.json"), NONE);
    }
    let expected: Vec<String> = (0..1_000)
        .map(|number| format!("./{number:04}/plugin.json"))
        .collect();
    assert_eq!(paths(folder.path(), &[]), expected);
}

#[test]
fn a_folder_without_a_manifest_is_an_error_that_helps() {
    let folder = tempfile::tempdir().expect("a folder");
    for (files, message) in [
        (&[][..], "nor another .json file"),
        (&["x.json"], "but 1 other .json file"),
        (&["y/z.json"], "but 2 other .json files"),
    ] {
        for file in files {
            put(folder.path(), file, NONE);
        }
        let output = extgate(folder.path(), &["check", "."]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn an_input_that_cannot_be_read_does_not_end_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a/plugin.json", NONE);
    put(folder.path(), "b/plugin.json", "[]");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let output = extgate(
        folder.path(),
        &["check", "missing", "a", "empty", "b", "--format", "json"],
    );
    assert_eq!(stdout(&output).lines().count(), 2);
    assert_eq!(stderr(&output).lines().count(), 2);
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_a_folder() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("a folder");
    put(outside.path(), "plugin.json", NONE);
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a/plugin.json", NONE);
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("b")).expect("a folder");
    symlink(at("a/plugin.json"), at("b/plugin.json")).expect("a link");
    symlink(outside.path(), at("c")).expect("a link");
    symlink(folder.path(), at("loop")).expect("a link");
    assert_eq!(
        paths(folder.path(), &["."]),
        ["./a/plugin.json", "./b/plugin.json"]
    );

    fs::create_dir(at("d")).expect("a folder");
    symlink(outside.path().join("plugin.json"), at("d/plugin.json")).expect("a link");
    let output = extgate(folder.path(), &["check", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("d/plugin.json: a link that leads out"),
        "{}",
        stderr(&output)
    );
    // Who names it means it.
    assert_eq!(paths(folder.path(), &["d/plugin.json"]), ["d/plugin.json"]);
}

fn with_input(arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_extgate"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input)
        .expect("written");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), stdout(&output) + &stderr(&output))
}

#[test]
fn standard_input_is_read_once() {
    let (status, text) = with_input(&["check", "-"], NONE.as_bytes());
    assert_eq!((status, &*text), (Some(0), "<stdin>: no extension\n"));
    let (status, text) = with_input(&["check", "-", "-"], NONE.as_bytes());
    assert_eq!(status, Some(2));
    assert!(text.contains("standard input was read already"), "{text}");
}

#[test]
fn who_stops_reading_hears_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..2_000 {
        put(folder.path(), &format!("{number:04}/plugin.json"), "[]");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_extgate"))
        .args(["check", "."])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn denied_findings_refuse() {
    let folder = tempfile::tempdir().expect("a folder");
    put(
        folder.path(),
        "plugin.json",
        r#"{"extension": {"runtime": "process", "command": "/x", "permissions": ["memory.read"], "x": 1}}"#,
    );
    for (deny, status) in [
        ("all", 1),
        ("unknown_member", 1),
        ("command_outside_plugin", 1),
        ("case_collision", 0),
    ] {
        let output = extgate(
            folder.path(),
            &["check", "plugin.json", "--format", "json", "--deny", deny],
        );
        assert_eq!(output.status.code(), Some(status), "{deny}");
        let line: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(
            line["verdict"],
            if status == 1 { "reject" } else { "accept" }
        );
        let reasons = line["rejections"].as_array().expect("rejections").len();
        assert_eq!(
            reasons,
            match deny {
                "all" => 2,
                "case_collision" => 0,
                _ => 1,
            }
        );
        assert_eq!(line["findings"].as_array().expect("findings").len(), 2);
    }
    let output = extgate(folder.path(), &["check", "--deny", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn faults_beyond_the_most_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let hooks = vec![r#"{"hook":"x"}"#; 1_500].join(",");
    put(
        folder.path(),
        "plugin.json",
        &format!(r#"{{"extension":{{"runtime":"process","command":"x","hooks":[{hooks}]}}}}"#),
    );
    let line = stdout(&extgate(
        folder.path(),
        &["check", "plugin.json", "--format", "json"],
    ));
    let line: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(
        line["rejections"].as_array().expect("rejections").len(),
        1_000
    );
    assert_eq!(line["more_rejections"], 500);
    let text = stdout(&extgate(folder.path(), &["check", "plugin.json"]));
    assert!(text.contains("and 500 more faults\n") && text.ends_with("refused, 1,500 errors\n"));
}

#[test]
fn what_is_generated_names_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [
        vec!["generate", "completions", "bash"],
        vec!["generate", "completions", "zsh"],
        vec!["generate", "man"],
    ] {
        let output = extgate(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0));
        for command in ["check", "match", "digest", "declare", "explain", "schema"] {
            assert!(stdout(&output).contains(command), "{arguments:?} {command}");
        }
    }
    let pages = folder.path().join("man");
    fs::create_dir(&pages).expect("a folder");
    assert_eq!(
        extgate(folder.path(), &["generate", "man", "man"])
            .status
            .code(),
        Some(0)
    );
    for page in ["extgate.1", "extgate-check.1", "extgate-match.1"] {
        assert!(pages.join(page).is_file(), "{page}");
    }
    let version = stdout(&extgate(folder.path(), &["--version"]));
    assert_eq!(version, format!("extgate {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn what_is_declared_passes_and_matches() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = r#"{"protocol_version": 1, "capabilities": {
        "tools": [{"name": "a", "description": "A\u202e.", "input_schema": {"n": [1, 1.0, -0, 1e300, 123456789012345678901234567890], "k\u0000": null}}],
        "providers": [{"id": "p", "display_name": "P", "description": "d", "config_schema": {"type": "object"},
            "models": [{"id": "m", "display_name": "", "capabilities": {"x": true}, "context_window": 18446744073709551615}, {"id": "n", "capabilities": {}}]}],
        "capabilities": [{"kind": "k", "name": "n", "permissions": ["memory.read", "audio.input"]}]}}"#;
    for (name, text) in [
        ("bare.json", runtime.to_owned()),
        (
            "response.json",
            format!(r#"{{"jsonrpc": "2.0", "id": 1, "result": {runtime}}}"#),
        ),
    ] {
        put(folder.path(), name, &text);
        let output = extgate(folder.path(), &["declare", name, "--command", "x"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let declared: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(
            declared["extension"]["permissions"],
            serde_json::json!([
                "tools.register",
                "providers.register",
                "memory.read",
                "audio.input"
            ])
        );
        put(folder.path(), "plugin.json", &stdout(&output));
        for arguments in [
            vec!["check", "plugin.json"],
            vec!["match", "plugin.json", name],
        ] {
            let output = extgate(folder.path(), &arguments);
            assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        }
    }
    let mcp = r#"{"tools": [{"name": "a", "description": "A.", "inputSchema": {"n": 1.0}, "annotations": {}}]}"#;
    put(folder.path(), "mcp.json", mcp);
    let declared = stdout(&extgate(folder.path(), &["declare", "mcp.json"]));
    let declared: Value = serde_json::from_str(&declared).expect("JSON");
    assert_eq!(
        declared["deferred"]["tools"][0]["input_schema"].to_string(),
        r#"{"n":1.0}"#
    );
}
