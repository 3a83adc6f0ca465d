//! Text of a manifest cannot change a terminal or hide, in whatever format and stream it is printed.

use std::fs;

use extgate::is_hidden;
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

#[path = "support/cases.rs"]
mod cases;

use cases::{cases, extgate, stderr, stdout};

/// Clears a screen, turns text around, hides words, ends a line, and names a C1 control.
const HOSTILE: &str = "x\u{1B}[2J\u{1B}]0;title\u{7}\u{202E}gpj\u{2066}\u{E0041}\u{E0042}\u{200B}\u{FEFF}\r\n\u{85}\u{9B}31m\u{7F}\u{2028}\u{AD}";

fn is_clean(what: &str, text: &str) {
    let raw = text.chars().find(|one| *one != '\n' && is_hidden(*one));
    assert_eq!(raw, None, "{what}:\n{text:?}");
}

#[test]
fn no_output_holds_a_hidden_character() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifests = [
        // Refused: in every kind of text that a message may quote.
        json!({"name": HOSTILE, "extension": {
            "runtime": HOSTILE, "command": HOSTILE, "permissions": [HOSTILE], HOSTILE: 1,
            "hooks": [{"hook": HOSTILE, "tool": HOSTILE, "match": {HOSTILE: 1}}],
            "theme_tokens": {HOSTILE: HOSTILE}, "activation": HOSTILE,
            "deferred": {"tools": [{"name": HOSTILE, "description": HOSTILE, "input_schema": HOSTILE}],
                "providers": [{"id": HOSTILE, "display_name": HOSTILE, "models": [{"id": HOSTILE, "capabilities": {HOSTILE: 1}}]}],
                "context_providers": [{"id": HOSTILE, "capability": HOSTILE, "schema_version": 0}], "lifecycle": HOSTILE}}}),
        json!(HOSTILE),
        json!({"name": HOSTILE, "extension": HOSTILE}),
        // Accepted, with findings.
        json!({"name": HOSTILE, "extension": {
            "runtime": "process", "command": format!("../{HOSTILE}"), "args": [HOSTILE], "setup": HOSTILE,
            "permissions": ["tools.register"], HOSTILE: HOSTILE,
            "prebuilt": {HOSTILE: {"url": HOSTILE, "sha256": HOSTILE}},
            "config": [{"key": HOSTILE, "description": HOSTILE, "secret_env": HOSTILE, "default": HOSTILE}],
            "deferred": {"tools": [
                {"name": "a\u{202E}\u{E0041}b", "description": HOSTILE, "input_schema": {HOSTILE: HOSTILE, "$ref": HOSTILE}},
                {"name": "A\u{202E}\u{E0041}b", "description": HOSTILE, "input_schema": {}}]}}}),
    ];
    let runtime = json!({"protocol_version": 1, "capabilities": {"tools": [
        {"name": "a\u{202E}\u{E0041}b", "description": HOSTILE.to_uppercase(), "input_schema": {HOSTILE: [HOSTILE, 1]}, HOSTILE: 1},
        {"name": "c\u{202E}", "description": HOSTILE, "input_schema": {}}]}});
    let name = if cfg!(windows) {
        "x\u{202E}\u{E0041}.json".to_owned()
    } else {
        HOSTILE.replace('/', "") + ".json"
    };
    let at = |name: &str| folder.path().join(name);
    fs::write(at("runtime.json"), runtime.to_string()).expect("written");
    for manifest in &manifests {
        // Raw where JSON allows it, as escapes elsewhere: `to_string` escapes controls below U+0020 only.
        fs::write(at(&name), manifest.to_string()).expect("written");
        for format in ["human", "json", "sarif"] {
            for arguments in [
                vec!["check", &*name, "--format", format],
                vec![
                    "check",
                    &*name,
                    "--format",
                    format,
                    "--deny",
                    "all",
                    "--plugin-id",
                    HOSTILE,
                ],
                vec!["match", &*name, "runtime.json", "--format", format],
            ] {
                let output = extgate(folder.path(), &arguments);
                assert!(
                    matches!(output.status.code(), Some(0 | 1)),
                    "{arguments:?}: {}",
                    stderr(&output)
                );
                is_clean("output", &stdout(&output));
                is_clean("errors", &stderr(&output));
            }
        }
        for arguments in [
            vec!["digest", &*name],
            vec!["digest", &*name, "--format", "json"],
        ] {
            let output = extgate(folder.path(), &arguments);
            is_clean("digests", &(stdout(&output) + &stderr(&output)));
        }
    }
    fs::write(at(&name), runtime.to_string()).expect("written");
    for arguments in [
        vec!["declare", &*name],
        vec![
            "declare",
            &*name,
            "--command",
            HOSTILE,
            "--plugin-id",
            HOSTILE,
        ],
        vec!["explain", HOSTILE],
    ] {
        let output = extgate(folder.path(), &arguments);
        is_clean("declared", &(stdout(&output) + &stderr(&output)));
    }
}

#[test]
fn errors_about_paths_are_clean() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = format!("no{HOSTILE}");
    for arguments in [
        vec!["check", &*missing],
        vec!["check", &*missing, "--format", "sarif"],
        vec!["match", &*missing, &*missing],
        vec!["declare", &*missing],
        vec!["digest", &*missing],
    ] {
        let output = extgate(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(!stderr(&output).is_empty());
        is_clean("errors", &(stdout(&output) + &stderr(&output)));
    }
}

#[test]
fn every_case_is_clean_and_narrow() {
    let folder = tempfile::tempdir().expect("a folder");
    for case in cases() {
        case.write(folder.path());
        let output = stdout(&extgate(folder.path(), &case.command()));
        is_clean(&case.code, &output);
        for line in output.lines() {
            assert!(line.width() <= 80, "{}: {line}", case.code);
        }
    }
}

#[test]
fn color_is_given_only_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("plugin.json"), "[]").expect("written");
    let escapes = |color: &str| {
        let output = extgate(folder.path(), &["check", "plugin.json", "--color", color]);
        stdout(&output).contains('\u{1B}')
    };
    assert!(escapes("always") && !escapes("never") && !escapes("auto"));
}
