//! What generators and fuzzers found, each as the right answer.

use std::ops::ControlFlow;

use extgate::{Document, Rejection};

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
