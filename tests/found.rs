//! What generators and fuzzers found, each as the right answer.

use std::ops::ControlFlow;

use extgate::{Document, JsonDocument, Reason, Rejection};

/// The codes and paths of every fault that is reported.
fn report(bytes: &[u8]) -> Vec<String> {
    let document = Document::plugin(bytes).expect("JSON");
    let mut faults = Vec::new();
    let _ = document.check(&mut |fault: Rejection| {
        let pointer = fault.locate(bytes).pointer;
        faults.push(format!("{} {pointer}", fault.reason()));
        ControlFlow::<()>::Continue(())
    });
    faults
}

/// A permission that is no string may be the one that a hook needs, so nothing can be said of the hook.
#[test]
fn a_permission_of_another_type_is_reported_once() {
    let bytes = br#"{"extension":{"runtime":"process","command":"x",
        "permissions":[["privacy.llm_content"]],"hooks":[{"hook":"before_message"}]}}"#;
    assert_eq!(report(bytes), ["wrong_type /extension/permissions/0"]);
    let bytes = br#"{"extension":{"runtime":"process","command":"x","permissions":[0]}}"#;
    assert_eq!(report(bytes), ["wrong_type /extension/permissions/0"]);
}

/// Tools of another type cannot be counted, so `activation` is neither without them nor beside them.
#[test]
fn alias_tools_of_another_type_are_reported_once() {
    let bytes =
        br#"{"extension":{"runtime":"process","command":"x","permissions":["tools.register"],
        "activation":"deferred","tools":{}}}"#;
    assert_eq!(report(bytes), ["wrong_type /extension/tools"]);
    let bytes =
        br#"{"extension":{"runtime":"process","command":"x","permissions":["tools.register"],
        "deferred":{},"tools":{"a":1}}}"#;
    assert_eq!(report(bytes), ["wrong_type /extension/tools"]);
}

/// A key is the same however it is spelled, wherever its two spellings stand, in an object of any size.
/// Objects of more than eight keys once missed an escaped spelling of a plain key.
#[test]
fn two_spellings_of_one_key_are_one_key_in_objects_of_every_size() {
    for size in (1..=40).chain([255, 256, 1_000]) {
        for first in 0..size {
            let mut keys: Vec<String> = (0..size).map(|n| format!("\"key{n}\":0")).collect();
            assert!(JsonDocument::new(format!("{{{}}}", keys.join(",")).as_bytes()).is_ok());
            let plain = keys[first].clone();
            keys.push(plain.replace("key", "\\u006bey"));
            for turn in 0..2 {
                let document = format!("{{{}}}", keys.join(","));
                let refused = JsonDocument::new(document.as_bytes()).expect_err(&document);
                assert_eq!(
                    refused.reason(),
                    Reason::DuplicateKey,
                    "{first} of {size}, {turn}"
                );
                assert_eq!(
                    refused.locate(document.as_bytes()).pointer,
                    format!("/key{first}")
                );
                keys.swap(first, size);
            }
        }
    }
}
