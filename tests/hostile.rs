//! Documents made to cost: each gets its verdict within a ceiling of memory.

use allocation_counter::measure;
use extgate::{Document, RuntimeDocument, gate};

/// The reason of a refusal, and the peak of memory in bytes.
fn judged(bytes: &[u8]) -> (Option<&'static str>, u64) {
    let mut reason = None;
    let peak = measure(|| {
        reason = gate(bytes, "demo")
            .err()
            .map(|refused| refused.reason().as_str());
    })
    .bytes_max;
    (reason, peak)
}

/// Six times the document, and what any document may take.
fn ceiling(bytes: &[u8]) -> u64 {
    u64::try_from(6 * bytes.len() + 16 * 1024).expect("64 bits")
}

const MOST: usize = extgate::limits::DOCUMENT_MAX_BYTES;

fn extension(members: &str) -> Vec<u8> {
    format!(
        r#"{{"extension":{{"runtime":"process","command":"x","permissions":["memory.read"],{members}}}}}"#
    )
    .into_bytes()
}

fn holds(name: &str, bytes: &[u8], expected: Option<&str>) {
    let (reason, peak) = judged(bytes);
    assert_eq!(reason, expected, "{name}");
    assert!(
        peak <= ceiling(bytes),
        "{name}: {peak} bytes for a document of {}",
        bytes.len()
    );
}

#[test]
fn sizes_and_shapes_that_are_refused_before_they_are_read() {
    let mut large = vec![b' '; MOST + 1];
    large[0] = b'{';
    large[1] = b'}';
    holds("8 MiB and a byte", &large, Some("document_too_large"));
    holds("8 MiB", &large[..MOST], None);
    holds("empty", b"", Some("syntax"));
    holds("binary", &[0xFF; 4096], Some("invalid_utf8"));
    holds("zeros", &[0; 4096], Some("syntax"));
    holds("deep", &b"[".repeat(100_000), Some("nesting_too_deep"));
    holds(
        "deep extension",
        &extension(&format!("\"config\":{}", "[".repeat(100_000))),
        Some("nesting_too_deep"),
    );
}

#[test]
fn objects_of_many_keys() {
    let keys = |n: usize, key: &dyn Fn(usize) -> String| -> String {
        (0..n)
            .map(|k| format!("\"{}\":0,", key(k)))
            .collect::<String>()
            + "\"last\":0"
    };
    let config = |object: &str| {
        extension(&format!(
            "\"config\":[{{\"key\":\"k\",\"default\":{{{object}}}}}]"
        ))
    };
    for (name, object) in [
        (
            "reverse order",
            keys(100_000, &|k| format!("{:06}", 100_000 - k)),
        ),
        (
            "one fingerprint",
            keys(80_000, &|k| format!("aaaaaaaa{k:06}bbbbbbbb")),
        ),
        ("escaped", keys(80_000, &|k| format!("\\u0061{k}"))),
        ("short", keys(600_000, &|k| format!("{k:x}"))),
    ] {
        holds(name, &config(&object), None);
        let twice = object.replace("\"last\":0", "\"last\":0,\"\\u006cast\":1");
        holds(name, &config(&twice), Some("duplicate_key"));
    }
}

#[test]
fn lists_of_many_items() {
    let hook = r#"{"hook":"before_message"}"#;
    let hooks = vec![hook; 150_000].join(",");
    let permissions = vec![r#""privacy.llm_content""#; 150_000].join(",");
    let document = format!(
        r#"{{"extension":{{"runtime":"process","command":"x","hooks":[{hooks}],"permissions":[{permissions}]}}}}"#
    );
    holds("hooks beside permissions", document.as_bytes(), None);

    let count = (MOST - 200) / 2;
    for item in ["0", "[]", "\"\"", "{}", "[0]", "null"] {
        let list = vec![item; count * 2 / (item.len() + 1)].join(",");
        let document = extension(&format!(
            "\"config\":[{{\"key\":\"k\",\"default\":[{list}]}}]"
        ));
        assert!(document.len() <= MOST && document.len() > MOST - 400);
        holds(item, &document, None);
    }
    // More tools than are kept, each too small to be one.
    let tools = vec!["{}"; 2_000_000].join(",");
    holds(
        "tools",
        &extension(&format!("\"tools\":[{tools}]")),
        Some("missing_field"),
    );
    let strings = vec!["\"\""; 2_000_000].join(",");
    holds("args", &extension(&format!("\"args\":[{strings}]")), None);
}

#[test]
fn numbers_that_are_slow_to_convert() {
    for float in [
        "1.7976931348623158079e308",
        "0.12345678901234567890",
        "2.2250738585072011e-308",
        "1e-310",
    ] {
        let list = vec![float; (MOST - 300) / (float.len() + 1)].join(",");
        let skipped = extension(&format!(
            "\"config\":[{{\"key\":\"k\",\"default\":[{list}]}}]"
        ));
        holds(float, &skipped, None);
        let schema = extension(&format!(
            r#""deferred":{{"tools":[{{"name":"t","description":"d","input_schema":{{"n":[{list}]}}}}]}}"#
        ));
        holds(float, &schema, Some("oversized_declared_tool_schema"));
    }
}

#[test]
fn a_runtime_that_registers_without_end() {
    let tool = |n: usize| format!(r#"{{"name":"t{n}","description":"d","input_schema":{{}}}}"#);
    let tools: Vec<String> = (0..70_000).map(tool).collect();
    let bytes = format!(
        r#"{{"protocol_version":1,"capabilities":{{"tools":[{}]}}}}"#,
        tools.join(",")
    );
    let manifest =
        br#"{"extension":{"runtime":"process","command":"x","permissions":["tools.register"]}}"#;
    let eager = gate(manifest, "demo")
        .expect("accepted")
        .expect("an extension");
    let peak = measure(|| {
        let document = RuntimeDocument::initialize_result(bytes.as_bytes()).expect("read");
        let result = document.result().expect("decoded");
        let admitted = eager.pinned.admit(result).expect("admitted");
        assert_eq!(admitted.tools().len(), 70_000);
    })
    .bytes_max;
    assert!(
        peak <= ceiling(bytes.as_bytes()),
        "{peak} for {}",
        bytes.len()
    );
}

#[test]
fn an_initialize_result_has_half_the_bound() {
    let mut bytes = vec![b' '; extgate::limits::INITIALIZE_RESULT_MAX_BYTES + 1];
    bytes[0] = b'0';
    let refused = RuntimeDocument::initialize_result(&bytes).expect_err("too large");
    assert_eq!(refused.reason().as_str(), "document_too_large");
    assert_eq!(refused.allowed(), Some(4 * 1024 * 1024));
    assert!(RuntimeDocument::initialize_result(&bytes[1..]).is_err());
    assert!(Document::plugin(&bytes[1..]).is_err());
}
