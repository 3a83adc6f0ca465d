//! The conformance vectors, through the library: fail-fast and report-everything must agree with the
//! expected verdict, and with each other.

use std::ops::ControlFlow;

use extgate::{
    Document, PinnedManifest, Rejection, RuntimeDocument, SchemaDigest, ValidManifest, gate,
};

mod support;

use support::{Case, Outcome, hold};

fn validate(bytes: &[u8]) -> Result<Option<Verdict>, Rejection> {
    let document = Document::plugin(bytes)?;
    let Some(manifest) = document.extension()? else {
        return Ok(None);
    };
    Ok(Some(Verdict::of(&manifest.validate()?)))
}

struct Verdict {
    class: String,
    trigger: String,
}

impl Verdict {
    fn of(valid: &ValidManifest<'_>) -> Self {
        Self {
            class: valid.class().as_str().to_owned(),
            trigger: valid.earliest_trigger().as_str().to_owned(),
        }
    }
}

fn outcome(case: &Case) -> Outcome {
    let mut outcome = Outcome::default();
    match validate(&case.document) {
        Ok(None) => outcome.verdict = "none".into(),
        Err(rejection) => {
            outcome.verdict = "reject".into();
            outcome.reason = Some(rejection.reason().as_str().into());
        }
        Ok(Some(verdict)) => {
            outcome.verdict = "accept".into();
            outcome.class = Some(verdict.class);
            outcome.trigger = Some(verdict.trigger);
            let gated = gate(&case.document, &case.plugin)
                .expect("it was accepted")
                .expect("it is an extension");
            outcome.tools = gated
                .tools
                .iter()
                .map(|tool| {
                    [
                        tool.runtime_name().to_owned(),
                        tool.catalog_id().to_owned(),
                        tool.expected_digest().to_string(),
                    ]
                })
                .collect();
            outcome.contexts = gated
                .context_providers
                .iter()
                .map(|one| one.runtime_address().to_owned())
                .collect();
            if let Some(runtime) = &case.runtime {
                outcome.runtime = Some(admission(&gated.pinned, runtime));
            }
        }
    }
    outcome
}

/// The result of admitting a runtime, which the report of all mismatches must begin with.
fn admission(pinned: &PinnedManifest, runtime: &[u8]) -> String {
    let document = match RuntimeDocument::initialize_result(runtime) {
        Ok(document) => document,
        Err(rejection) => return rejection.reason().as_str().into(),
    };
    let result = match document.result() {
        Ok(result) => result,
        Err(rejection) => return rejection.reason().as_str().into(),
    };
    let mut first = None;
    let _ = pinned.check(&result, &mut |rejection: Rejection| {
        first.get_or_insert(rejection);
        ControlFlow::<()>::Continue(())
    });
    match pinned.admit(result) {
        Ok(admitted) => {
            assert_eq!(first, None);
            if admitted.is_legacy() { "legacy" } else { "ok" }.into()
        }
        Err(rejection) => {
            assert_eq!(first, Some(rejection));
            rejection.reason().as_str().into()
        }
    }
}

#[test]
fn every_vector_is_judged_as_expected() {
    hold(outcome);
}

#[test]
fn the_report_of_all_faults_begins_with_the_reason() {
    for case in support::cases() {
        let Ok(document) = Document::plugin(&case.document) else {
            continue;
        };
        let refused = document
            .extension()
            .and_then(|manifest| manifest.map_or(Ok(()), |one| one.validate().map(|_| ())))
            .err();
        let mut faults = Vec::new();
        let _ = document.check(&mut |rejection: Rejection| {
            faults.push(rejection);
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(faults.first(), refused.as_ref(), "{}", case.id);
        assert_eq!(document.first_fault(), refused, "{}", case.id);
    }
}

/// The sizes of `input_schema` at its bound, made here since their documents are large.
#[test]
fn schemas_are_bounded_by_their_compact_size() {
    let document = |schema: &str| {
        format!(
            r#"{{"extension":{{"runtime":"process","command":"x","permissions":["tools.register"],
            "deferred":{{"tools":[{{"name":"t","description":"d","input_schema":{schema}}}]}}}}}}"#
        )
    };
    let reason = |schema: &str| {
        validate(document(schema).as_bytes())
            .err()
            .map(|rejection| rejection.reason().as_str())
    };
    const FRAME: usize = r#"{"d":""}"#.len();
    for (spelling, compact) in [
        ("z", 1),
        ("\u{7F}", 1),
        ("\u{e9}", 2),
        ("\\u0001", 6),
        ("\\/", 1),
        ("\\u00e9", 2),
        ("\\u007f", 1),
        ("\\\"", 2),
        ("\\u000a", 2),
        ("\\ud83d\\ude00", 4),
    ] {
        for (size, expected) in [
            (65_536, None),
            (65_537, Some("oversized_declared_tool_schema")),
        ] {
            let room = size - FRAME;
            let text = spelling.repeat(room / compact) + &"z".repeat(room % compact);
            let schema = format!("{{ \"d\" : \"{text}\" }}");
            assert_eq!(reason(&schema), expected, "{spelling} {size}");
        }
    }
    // Numbers count in canonical form: three bytes for 1.00, eighteen for 1e15, ten for 0.00000001e-1.
    for (spelling, compact) in [("1.00", 3), ("1e15", 18), ("0.000000001", 4), ("-0", 4)] {
        let frame = r#"{"d":[],"p":""}"#.len();
        let count = (65_536 - frame) / (compact + 1);
        let used = frame + count * (compact + 1) - 1;
        for (size, expected) in [
            (65_536, None),
            (65_537, Some("oversized_declared_tool_schema")),
        ] {
            let numbers = vec![spelling; count].join(", ");
            let filler = "z".repeat(size - used);
            let schema = format!(r#"{{"d":[{numbers}],"p":"{filler}"}}"#);
            assert_eq!(reason(&schema), expected, "{spelling} {size}");
        }
    }
}

#[test]
fn tools_are_bounded_by_their_number() {
    for (count, expected) in [(256, None), (257, Some("too_many_declared_tools"))] {
        let tools: Vec<String> = (0..count)
            .map(|n| format!(r#"{{"name":"t{n}","description":"d","input_schema":{{}}}}"#))
            .collect();
        let document = format!(
            r#"{{"extension":{{"runtime":"process","command":"x","permissions":["tools.register"],
            "deferred":{{"tools":[{}]}}}}}}"#,
            tools.join(",")
        );
        let reason = validate(document.as_bytes())
            .err()
            .map(|rejection| rejection.reason().as_str());
        assert_eq!(reason, expected);
    }
}

#[test]
fn a_stored_digest_is_read_again() {
    let digest: SchemaDigest = "6c449f91c1adbf3945ad078f5f875c0c1f133f246c4588668faffbe23a3c195f"
        .parse()
        .expect("a digest");
    assert_eq!(SchemaDigest::from_bytes(*digest.as_bytes()), digest);
}
