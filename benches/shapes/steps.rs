//! The steps of a manifest's and a runtime's way through the gate, as all benches take them.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a module that several programs include, each for what it needs"
)]

use std::hint::black_box;

use extgate::{Document, PinnedManifest, RuntimeDocument, ValidManifest, gate};
use serde::de::IgnoredAny;
use sha2::{Digest as _, Sha256};

/// The plugin that every document is of.
pub const PLUGIN: &str = "workspace";

/// From bytes to a document.
pub fn parse(bytes: &[u8]) -> Document<'_> {
    Document::plugin(black_box(bytes)).expect("JSON")
}

/// From a document to its proof, class and trigger.
pub fn prove<'d>(document: &'d Document<'_>) -> ValidManifest<'d> {
    let manifest = document
        .extension()
        .expect("a block")
        .expect("an extension");
    let valid = manifest.validate().expect("valid");
    black_box((valid.class(), valid.earliest_trigger()));
    valid
}

/// From bytes to class and trigger.
pub fn validate(bytes: &[u8]) {
    let _ = black_box(prove(&parse(bytes)));
}

/// From bytes to all that is minted; the number of dormant tools.
pub fn all_of_it(bytes: &[u8]) -> usize {
    let document = parse(bytes);
    let valid = prove(&document);
    black_box(valid.context_providers(PLUGIN));
    black_box(valid.dormant_extension_tools(PLUGIN)).len()
}

/// What a manifest promised.
pub fn pin(bytes: &[u8]) -> PinnedManifest {
    let gated = gate(bytes, PLUGIN).expect("valid");
    gated.expect("an extension").pinned
}

/// From the bytes of an initialize result to what is admitted; the number of tools.
pub fn matched(pinned: &PinnedManifest, bytes: &[u8]) -> usize {
    let document = RuntimeDocument::initialize_result(black_box(bytes)).expect("JSON");
    let admitted = pinned.admit(document.result().expect("a result"));
    black_box(admitted.expect("admitted")).tools().len()
}

/// Skips the bytes as JSON: the least that a reader can do.
pub fn skip(bytes: &[u8]) {
    black_box(serde_json::from_slice::<IgnoredAny>(black_box(bytes)).expect("JSON"));
}

/// Hashes the preimages of a manifest's schemas: the least that digests can cost.
pub fn hash(preimages: &[Vec<u8>]) {
    for preimage in preimages {
        black_box(Sha256::digest(black_box(preimage)));
    }
}
