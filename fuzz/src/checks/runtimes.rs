//! What holds for initialize results held to a manifest.

use std::ops::ControlFlow;

use arbitrary::{Arbitrary, Unstructured};
use extgate::limits::INITIALIZE_RESULT_MAX_BYTES;
use extgate::{
    Document, Gated, InitializeResult, PinnedManifest, Place, Rejection, RuntimeDocument, Side,
    gate, lifecycle,
};

use super::bytes::rebuilt;
use super::shown;
use crate::manifest::Block;
use crate::respelled::same;
use crate::runtime::{Drift, Matching};

fn gated(bytes: &[u8]) -> Gated {
    gate(bytes, "demo")
        .unwrap_or_else(|refused| panic!("{refused}: {}", shown(bytes)))
        .expect("an extension")
}

fn read(bytes: &[u8], response: bool) -> Result<RuntimeDocument<'_>, Rejection> {
    if response {
        RuntimeDocument::json_rpc_response(bytes)
    } else {
        RuntimeDocument::initialize_result(bytes)
    }
}

fn faults(pinned: &PinnedManifest, result: &InitializeResult<'_>) -> Vec<Rejection> {
    let mut faults = Vec::new();
    let _ = pinned.check(result, &mut |fault: Rejection| {
        faults.push(fault);
        ControlFlow::<()>::Continue(())
    });
    faults
}

/// The first refusal of a runtime's bytes.
fn refusal(pinned: &PinnedManifest, bytes: &[u8], response: bool) -> Option<Rejection> {
    let document = match read(bytes, response) {
        Ok(document) => document,
        Err(refused) => return Some(refused),
    };
    let result = match document.result() {
        Ok(result) => result,
        Err(refused) => return Some(refused),
    };
    let faults = faults(pinned, &result);
    let refused = pinned.admit(result).err();
    assert_eq!(faults.first(), refused.as_ref(), "{}", shown(bytes));
    refused
}

/// Matching results are admitted, bare and in a response, in whatever order their lists are, and what
/// is admitted is what was generated; every drift is refused for its reason at its place.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_match(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let matching = Matching::arbitrary(&mut u).expect("never fails");
    let pinned = gated(&matching.document.bytes).pinned;
    for (bytes, response) in [
        (&matching.bare.bytes, false),
        (&matching.response.bytes, true),
    ] {
        admitted(&matching, &pinned, bytes, response);
    }
    drifted(&Drift::arbitrary(&mut u).expect("never fails"));
}

fn admitted(matching: &Matching, pinned: &PinnedManifest, bytes: &[u8], response: bool) {
    let document =
        read(bytes, response).unwrap_or_else(|refused| panic!("{refused}: {}", shown(bytes)));
    let result = document
        .result()
        .unwrap_or_else(|refused| panic!("{refused}: {}", shown(bytes)));
    assert_eq!(faults(pinned, &result), [], "{}", shown(bytes));
    by_the_peers_names(matching, &result);
    let admitted = pinned.admit(result).expect("no fault");
    assert_eq!(admitted.is_legacy(), matching.manifest.block == Block::None);
    let expected = &matching.runtime;
    assert_eq!(admitted.tools().len(), expected.tools.len());
    for (got, expected) in admitted.tools().iter().zip(&expected.tools) {
        assert_eq!(
            (got.name(), got.description()),
            (&*expected.name, &*expected.description)
        );
        assert!(same(&rebuilt(got.input_schema()), &expected.input_schema));
    }
    assert_eq!(admitted.providers().len(), expected.providers.len());
    for (got, expected) in admitted.providers().iter().zip(&expected.providers) {
        assert_eq!(
            (got.id(), got.display_name()),
            (&*expected.id, &*expected.display_name)
        );
        assert_eq!(got.description(), expected.description);
        assert!(
            got.models()
                .map(|model| model.id().to_owned())
                .eq(expected.models.iter().map(|model| model.id.clone()))
        );
    }
    assert_eq!(admitted.capabilities().count(), expected.capabilities.len());
    for (got, expected) in admitted.capabilities().zip(&expected.capabilities) {
        assert_eq!((got.kind(), got.name()), (&*expected.kind, &*expected.name));
        assert!(
            got.permissions()
                .eq(expected.permissions.iter().map(String::as_str))
        );
        assert_eq!(
            got.params().map(rebuilt).is_some(),
            expected.params.is_some()
        );
    }
}

/// The peer's two functions say the same of a manifest at hand as the pin says of one long gone.
fn by_the_peers_names(matching: &Matching, result: &InitializeResult<'_>) {
    let document = Document::plugin(&matching.document.bytes).expect("JSON");
    let manifest = document
        .extension()
        .expect("its shape is right")
        .expect("an extension");
    let Some(declared) = manifest.deferred() else {
        return;
    };
    let tools = lifecycle::validate_runtime_tool_declarations(declared.tools(), result.tools());
    assert_eq!(tools, Ok(()));
    let providers =
        lifecycle::validate_runtime_provider_declarations(declared.providers(), result.providers());
    assert_eq!(providers, Ok(()));
}

/// Holds the gate to a generated drift.
///
/// # Panics
/// Where it is not refused for exactly that reason at exactly that place.
pub fn drifted(drift: &Drift) {
    let bytes = &drift.runtime;
    let told = || {
        format!(
            "{} ({}): {} held to {}",
            drift.reason,
            drift.how,
            shown(bytes),
            shown(&drift.document.bytes)
        )
    };
    let pinned = gated(&drift.document.bytes).pinned;
    let refused = refusal(&pinned, bytes, drift.response);
    let refused = refused.unwrap_or_else(|| panic!("admitted, yet {}", told()));
    assert_eq!(refused.reason(), drift.reason, "{}", told());
    assert_eq!(refused.side(), drift.side, "{}", told());
    let sided = if refused.side() == Side::Runtime {
        bytes
    } else {
        &drift.document.bytes
    };
    assert_eq!(refused.locate(sided).pointer, drift.pointer, "{}", told());

    // The peer's functions refuse for the same reason, where the drift is in what they look at.
    let document = Document::plugin(&drift.document.bytes).expect("JSON");
    let manifest = document
        .extension()
        .expect("its shape is right")
        .expect("an extension");
    let read = read(bytes, drift.response);
    let result = read.as_ref().ok().and_then(|read| read.result().ok());
    if let (Some(declared), Some(result)) = (manifest.deferred(), result) {
        let tools = lifecycle::validate_runtime_tool_declarations(declared.tools(), result.tools());
        let both = tools.and_then(|()| {
            lifecycle::validate_runtime_provider_declarations(
                declared.providers(),
                result.providers(),
            )
        });
        if let Err(peer) = both {
            assert_eq!(peer.reason(), drift.reason, "{}", told());
        }
    }
}

/// A result in a JSON-RPC response is the same result: the bare one and the enveloped one are read,
/// refused and admitted alike, and every place lies as many bytes further as the envelope is long.
/// Nesting is counted from the result.
///
/// # Panics
/// Where the two differ.
pub fn check_json_rpc(data: &[u8]) {
    const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":null,"result":"#;
    // Only what is one JSON value stays one within an envelope.
    let one_value = serde_json::from_slice::<serde::de::IgnoredAny>(data).is_ok();
    if data.len() + HEAD.len() + 1 > INITIALIZE_RESULT_MAX_BYTES {
        return;
    }
    let enveloped = [HEAD, data, b"}"].concat();
    let bare = RuntimeDocument::initialize_result(data);
    let response = RuntimeDocument::json_rpc_response(&enveloped);
    match (&bare, &response) {
        (Ok(bare), Ok(response)) => {
            let (bare_result, result) = (bare.result(), response.result());
            match (&bare_result, &result) {
                (Ok(one), Ok(other)) => alike(one, other, data, &enveloped),
                (Err(one), Err(other)) => moved(one, other, data, &enveloped, HEAD.len()),
                _ => panic!(
                    "bare {bare_result:?}, enveloped {result:?}: {}",
                    shown(data)
                ),
            }
        }
        (Err(one), Err(other)) if one_value => moved(one, other, data, &enveloped, HEAD.len()),
        (Err(_), Err(_)) => {}
        (Ok(_), Err(refused)) => panic!("{refused} in an envelope: {}", shown(data)),
        (Err(refused), Ok(_)) => {
            assert!(
                !one_value,
                "{refused}, yet not in an envelope: {}",
                shown(data)
            );
        }
    }
}

fn alike(one: &InitializeResult<'_>, other: &InitializeResult<'_>, data: &[u8], enveloped: &[u8]) {
    assert_eq!(one.protocol_version(), other.protocol_version());
    assert_eq!(one.tools().len(), other.tools().len());
    assert_eq!(one.providers().len(), other.providers().len());
    assert_eq!(one.capabilities().count(), other.capabilities().count());
    let pinned = gated(crate::families::eager_manifest()).pinned;
    let (bare, response) = (faults(&pinned, one), faults(&pinned, other));
    assert_eq!(bare.len(), response.len());
    for (one, other) in bare.iter().zip(&response) {
        assert_eq!(one.reason(), other.reason());
        let (one, other) = (one.locate(data), other.locate(enveloped));
        assert_eq!(
            format!("/result{}", one.pointer),
            other.pointer,
            "{}",
            shown(data)
        );
    }
}

fn moved(one: &Rejection, other: &Rejection, data: &[u8], enveloped: &[u8], by: usize) {
    assert_eq!(one.reason(), other.reason(), "{}", shown(data));
    assert_eq!((one.side(), one.detail()), (other.side(), other.detail()));
    if let (Place::Byte(one), Place::Byte(other)) = (one.place(), other.place()) {
        assert_eq!(one as usize + by, other as usize, "{}", shown(data));
    }
    let (one, other) = (one.locate(data), other.locate(enveloped));
    assert_eq!(
        format!("/result{}", one.pointer),
        other.pointer,
        "{}",
        shown(data)
    );
    assert_eq!(
        (one.offset + by, one.length),
        (other.offset, other.length),
        "{}",
        shown(data)
    );
}

/// A pin that was stored and read again is the same pin: it equals the first, and it admits and
/// refuses the same. `store` writes a pin and reads it again.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_stored_pin(data: &[u8], store: impl Fn(&PinnedManifest) -> PinnedManifest) {
    let mut u = Unstructured::new(data);
    let matching = Matching::arbitrary(&mut u).expect("never fails");
    let pinned = gated(&matching.document.bytes).pinned;
    let stored = store(&pinned);
    assert_eq!(stored, pinned, "{}", shown(&matching.document.bytes));
    assert_eq!(refusal(&stored, &matching.bare.bytes, false), None);

    let drift = Drift::arbitrary(&mut u).expect("never fails");
    let pinned = gated(&drift.document.bytes).pinned;
    let stored = store(&pinned);
    let refused = refusal(&stored, &drift.runtime, drift.response);
    assert_eq!(refused.map(|refused| refused.reason()), Some(drift.reason));
    assert_eq!(refused, refusal(&pinned, &drift.runtime, drift.response));
}

/// [`check_stored_pin`], stored as JSON.
///
/// # Panics
/// Where it does not hold.
#[cfg(feature = "serde")]
pub fn check_stored_pin_as_json(data: &[u8]) {
    check_stored_pin(data, |pin| {
        let text = serde_json::to_string(pin).expect("a pin can be written");
        serde_json::from_str(&text).expect("what was written can be read")
    });
}
