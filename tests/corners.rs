//! Places of the code that coverage showed no other test to reach.

use extgate::{Document, JsonDocument, Locator, Reason, RuntimeDocument};

#[test]
fn an_empty_response_lacks_its_result() {
    for bytes in [b"{}".as_slice(), b" { } "] {
        let document = RuntimeDocument::json_rpc_response(bytes).expect("JSON");
        let refused = document.result().expect_err("there is none");
        assert_eq!(refused.reason(), Reason::MissingField);
        assert_eq!(refused.locate(bytes).pointer, "");
    }
}

#[test]
fn members_and_items_are_counted_beyond_what_a_word_of_the_tape_holds() {
    for count in [4_094, 4_095, 4_096, 10_000] {
        let members: Vec<String> = (0..count).map(|n| format!("\"{n}\":0")).collect();
        let object = format!("{{{}}}", members.join(","));
        let document = JsonDocument::new(object.as_bytes()).expect("JSON");
        assert_eq!(document.root().count(), count);
        let array = format!("[{}]", vec!["0"; count].join(","));
        let document = JsonDocument::new(array.as_bytes()).expect("JSON");
        assert_eq!(document.root().count(), count);
    }
    assert_eq!(
        JsonDocument::new(b"\"text\"").expect("JSON").root().count(),
        0
    );
}

/// Lines and columns are remembered every 16 KiB: on both sides of each such place they are right.
#[test]
fn lines_and_columns_are_right_around_each_remembered_place() {
    for length in (16_370..16_400).chain(32_750..32_780) {
        let bytes = format!(
            "{{\n\"a\":\"{}\",\n\"extension\":[]}}",
            "\u{e9}".repeat(length / 2)
        );
        let document = Document::plugin(bytes.as_bytes()).expect("JSON");
        let refused = document.extension().expect_err("no object");
        let found = Locator::new(bytes.as_bytes()).locate(&refused);
        assert_eq!((found.line, found.column), (3, 13), "{length}");
    }
}
