//! The JSON Schema beside the gate: it accepts what the gate accepts, and refuses what a schema can refuse.

use std::collections::BTreeMap;

use extgate::{Category, Reason};
use serde_json::Value;

#[path = "support/cases.rs"]
mod cases;
#[allow(dead_code, reason = "only the cases are of use here")]
#[path = "../../tests/support/mod.rs"]
mod support;

use cases::{extgate, stdout};

/// Reasons of which a schema can refuse every case.
const ALWAYS: &[&str] = &[
    "missing_field",
    "unknown_field",
    "unknown_value",
    "unsupported_activation",
    "ambiguous_deferred_declarations",
    "deferred_activation_without_tools",
    "too_many_declared_tools",
    "declared_tool_schema_not_object",
    "too_many_declared_providers",
    "invalid_declared_provider_id",
    "invalid_declared_provider_model_count",
    "too_many_declared_context_providers",
    "invalid_declared_context_provider_id",
    "invalid_declared_context_provider_schema_version",
    "user_lifecycle_conflicts_with_active_capabilities",
    "deferred_tools_require_tools_register_permission",
    "deferred_providers_require_providers_register_permission",
    "deferred_context_providers_require_context_providers_register_permission",
    "hook_lifecycle_requires_hook_subscriptions",
    "unsupported_protocol_version",
    "empty_command",
    "no_hook_or_registration_permission",
    "invalid_theme_token_name",
    "invalid_theme_token_color",
    "unknown_permission",
    "reserved_permission",
    "unknown_hook",
    "hook_permission_missing",
    "hook_tool_filter_not_allowed",
];

/// Reasons of which it can refuse some: `1.0` is an integer to a schema, and it counts no bytes.
const PARTLY: &[&str] = &[
    "wrong_type",
    "number_out_of_range",
    "invalid_declared_tool_name",
    "invalid_declared_tool_description",
    "invalid_declared_provider_display_name",
    "invalid_declared_provider_description",
    "invalid_declared_provider_model_id",
    "invalid_declared_provider_model_display_name",
    "invalid_declared_provider_model_capabilities",
    "invalid_declared_provider_config_schema",
    "invalid_declared_context_provider_capability",
    "invalid_declared_context_provider_description",
];

/// Reasons beyond a schema: sizes in bytes of JSON text, and names that repeat.
const NEVER: &[&str] = &[
    "oversized_declared_tool_schema",
    "duplicate_declared_tool_name",
    "duplicate_declared_provider_id",
    "duplicate_declared_provider_model_id",
    "duplicate_declared_context_provider_id",
];

fn schema() -> jsonschema::Validator {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = stdout(&extgate(folder.path(), &["schema"]));
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of draft 2020-12");
    jsonschema::draft202012::new(&schema).expect("a schema")
}

#[test]
fn it_judges_the_vectors_as_far_as_a_schema_can() {
    let schema = schema();
    let mut accepted = 0;
    // Of each reason: how many cases were refused, and which were not.
    let mut refused: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    let own = cases::cases().into_iter().map(|case| {
        let reason = case.code.parse::<Reason>().ok();
        let of_manifest = reason.filter(|one| one.category() != Category::Runtime);
        (
            format!("cases/{}", case.code),
            of_manifest.map(|one| one.as_str().to_owned()),
            case.manifest,
        )
    });
    let vectors = support::cases().into_iter().map(|case| {
        let reason = case.expect["reason"].as_str().map(str::to_owned);
        (case.id, reason, case.document)
    });
    for (id, reason, document) in vectors.chain(own) {
        let Ok(value) = serde_json::from_slice::<Value>(&document) else {
            continue;
        };
        let valid = schema.is_valid(&value);
        match reason {
            None => {
                let fault = schema.iter_errors(&value).next();
                assert!(
                    valid,
                    "{id} is accepted by the gate: {}",
                    fault.expect("a fault")
                );
                accepted += 1;
            }
            Some(reason) => {
                let (count, others) = refused.entry(reason).or_default();
                if valid {
                    others.push(id);
                } else {
                    *count += 1;
                }
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
    for reason in ALWAYS.iter().chain(PARTLY) {
        let (count, others) = refused.get(*reason).cloned().unwrap_or_default();
        assert!(count > 0, "no case of {reason} is refused: {others:?}");
        assert!(
            PARTLY.contains(reason) || others.is_empty(),
            "{reason} is not refused: {others:?}"
        );
    }
}

#[test]
fn every_reason_of_a_manifest_is_listed_once() {
    let mut listed: Vec<&str> = [ALWAYS, PARTLY, NEVER].concat();
    listed.sort_unstable();
    let mut reasons: Vec<&str> = Reason::ALL
        .iter()
        .filter(|one| !matches!(one.category(), Category::Bytes | Category::Runtime))
        .map(|one| one.as_str())
        .collect();
    reasons.sort_unstable();
    assert_eq!(listed, reasons);
}

/// The patterns stand for rules in Unicode: each single character is a name to both, or to neither.
#[test]
fn patterns_and_rules_agree_on_every_character() {
    let schema = schema();
    let manifest = |name: &str, description: &str, command: &str| {
        serde_json::json!({"extension": {"runtime": "process", "command": command, "permissions": ["tools.register"],
            "deferred": {"tools": [{"name": name, "description": description, "input_schema": {}}]}}})
    };
    let gate = |value: &Value| extgate::gate(value.to_string().as_bytes(), "demo").is_ok();
    for one in ('\0'..=char::MAX).filter(|one| {
        *one < '\u{3100}'
            || (*one > '\u{FE00}' && *one < '\u{10000}')
            || *one > '\u{E0000}' && *one < '\u{E0200}'
    }) {
        let text = one.to_string();
        for value in [
            manifest(&text, "d", "c"),
            manifest("n", &text, "c"),
            manifest("n", "d", &text),
        ] {
            assert_eq!(
                schema.is_valid(&value),
                gate(&value),
                "U+{:04X} {value}",
                u32::from(one)
            );
        }
    }
}
