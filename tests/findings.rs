//! Findings of every vector and of documents made to cost: their places are inside, and they take little time.

use std::time::{Duration, Instant};

use extgate::{Document, FindingCode, Findings, Locator, RuntimeDocument, Side};

#[allow(dead_code, reason = "only the cases are of use here")]
mod support;

/// Every place is in the document, and what is no place of a byte is named by a pointer that finds it again.
fn hold(bytes: &[u8], findings: Findings) -> usize {
    let locator = Locator::new(bytes);
    findings
        .filter(|finding| {
            let location = locator.place(finding.place());
            assert!(
                location.offset + location.length <= bytes.len(),
                "{finding:?}"
            );
            assert!(location.length > 0 || bytes.is_empty(), "{finding:?}");
            let found = locator.find(&location.pointer).expect("it is there");
            let key = found.key.map_or(found.offset, |key| key.start);
            assert!(
                location.offset == found.offset || location.offset == key,
                "{finding:?} {location:?}"
            );
            finding.side() == Side::Manifest
        })
        .count()
}

#[test]
fn places_of_findings_are_in_the_documents_of_all_vectors() {
    let mut count = 0;
    for case in support::cases() {
        let Ok(document) = Document::plugin(&case.document) else {
            continue;
        };
        count += hold(&case.document, document.findings(&case.plugin));
        let valid = document
            .extension()
            .ok()
            .flatten()
            .and_then(|manifest| manifest.validate().ok());
        if let (Some(valid), Some(runtime)) = (valid, &case.runtime)
            && let Ok(sent) = RuntimeDocument::initialize_result(runtime)
        {
            let found = sent.findings(&valid, &|_, _| false);
            assert_eq!(hold(runtime, found), 0, "of the runtime's side all");
        }
    }
    assert!(count > 50, "{count}");
}

fn extension(members: &str) -> Vec<u8> {
    format!(r#"{{"extension":{{"runtime":"process","command":"x",{members}}}}}"#).into_bytes()
}

/// A deferred block is empty where it has no component at all.
#[test]
fn a_deferred_block_is_empty_without_any_component() {
    let found = |block: &str| {
        let bytes = extension(&format!(
            r#""permissions":["tools.register"],"deferred":{block}"#
        ));
        let document = Document::plugin(&bytes).expect("JSON");
        document
            .findings("demo")
            .any(|finding| finding.code() == FindingCode::EmptyDeferredBlock)
    };
    for empty in [
        "{}",
        r#"{"tools":[],"providers":[],"context_providers":[]}"#,
        r#"{"lifecycle":null}"#,
    ] {
        assert!(found(empty), "{empty}");
    }
    for filled in [
        r#"{"tools":[{"name":"t","description":"d","input_schema":{}}]}"#,
        r#"{"providers":[{"id":"p","display_name":"P","models":[{"id":"m"}]}]}"#,
        r#"{"context_providers":[{"id":"c","capability":"c","schema_version":1}]}"#,
        r#"{"lifecycle":"hook"}"#,
        r#"{"lifecycle":"user"}"#,
    ] {
        assert!(!found(filled), "{filled}");
    }
}

#[test]
fn what_is_made_to_cost_costs_little() {
    const MOST: usize = extgate::limits::DOCUMENT_MAX_BYTES - 1_000;
    let many = |item: &dyn Fn(usize) -> String| {
        let count = MOST / (item(1_000_000).len() + 1);
        (0..count).map(item).collect::<Vec<_>>().join(",")
    };
    let hooks = vec![r#"{"hook":"before_message"}"#; 150_000].join(",");
    let permissions = vec![r#""tools.intercept""#; 150_000].join(",");
    let tool = |schema: &str| {
        format!(
            r#""permissions":["tools.register"],"deferred":{{"tools":[{{"name":"t","description":"d","input_schema":{schema}}}]}}"#
        )
    };
    for (name, document, expected) in [
        (
            "unknown members",
            extension(&many(&|n| format!("\"deferr{n}\":0"))),
            FindingCode::UnknownMember,
        ),
        (
            "keys that differ in case",
            extension(&format!(
                "\"config\":[{}]",
                many(&|n| format!("{{\"key\":\"{}{n}\"}}", if n % 2 == 0 { 'k' } else { 'K' }))
            )),
            FindingCode::UnknownMember,
        ),
        (
            "hooks beside permissions",
            extension(&format!(
                "\"hooks\":[{hooks}],\"permissions\":[{permissions}]"
            )),
            FindingCode::UnusedPermission,
        ),
        (
            "hidden characters in a schema",
            extension(&tool(&format!(
                "{{\"enum\":[{}]}}",
                many(&|n| format!("\"\u{200B}{n}\""))
            ))),
            FindingCode::InvisibleOrBidiCharacters,
        ),
        (
            "hidden characters below long keys",
            extension(&tool(&format!(
                "{{\"{}\":[{}]}}",
                "k".repeat(1_000_000),
                vec!["\"\u{200B}\""; 500_000].join(",")
            ))),
            FindingCode::InvisibleOrBidiCharacters,
        ),
        (
            "depth",
            extension(&tool(&format!(
                "{}\"\u{200B}\"{}",
                "{\"a\":[".repeat(60),
                "]}".repeat(60)
            ))),
            FindingCode::InvisibleOrBidiCharacters,
        ),
    ] {
        let start = Instant::now();
        let read = Document::plugin(&document).expect(name);
        let findings = read.findings("demo");
        let took = start.elapsed();
        let codes: Vec<FindingCode> = findings.clone().map(|one| one.code()).collect();
        assert!(
            codes.contains(&expected) || name.starts_with("keys"),
            "{name}: {:?}",
            codes.first()
        );
        let locator = Locator::new(&document);
        let located = findings
            .take(100)
            .map(|one| locator.place(one.place()).offset)
            .max();
        assert!(located.is_some() || codes.is_empty(), "{name}");
        // Tests run without optimization, beside others: a square of what is here would take minutes.
        let all = start.elapsed();
        assert!(all < Duration::from_secs(60), "{name}: {took:?}, {all:?}");
    }
}
