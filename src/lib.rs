//! Decides, from hostile bytes, whether an AI agent's extension may exist.
//!
//! An agent host loads extensions: child processes that register tools, model providers, context
//! providers and hooks. Their manifests declare these up front, so that the host can show dormant tools
//! and start nothing until one is needed. When the process runs, what it registers must be exactly what
//! was declared, or it is shut down. This crate is that check, from bytes to verdict: it never spawns,
//! never opens anything, never panics and never recurses over its input.
//!
//! ```text
//! bytes -> Document -> ExtensionManifest -> ValidManifest -> dormant tools, PinnedManifest
//! bytes -> RuntimeDocument -> InitializeResult -> PinnedManifest::admit -> Admitted
//! ```
//!
//! # From bytes to a verdict
//!
//! [`gate`] does all of it in one call. These are its steps.
//!
//! **Bytes.** [`Document::plugin`] reads a `plugin.json` to its end, within its bounds, and borrows from
//! it. What is no JSON, or would be read differently by two readers, ends here.
//!
//! ```
//! use extgate::{Document, Reason};
//! let bytes = br#"{"name": "notes", "extension": {"runtime": "process", "command": "bin/notes",
//!     "permissions": ["tools.register"], "deferred": {"tools": [
//!         {"name": "add", "description": "Adds a note.", "input_schema": {"type": "object"}}]}}}"#;
//! let document = Document::plugin(bytes)?;
//! assert_eq!(document.name().as_deref(), Some("notes"));
//!
//! let refused = Document::plugin(br#"{"extension": {"args": [], "\u0061rgs": []}}"#).unwrap_err();
//! assert_eq!(refused.reason(), Reason::DuplicateKey);
//! assert_eq!(refused.locate(br#"{"extension": {"args": [], "\u0061rgs": []}}"#).column, 28);
//! # Ok::<(), extgate::Rejection>(())
//! ```
//!
//! **Proof.** [`Document::extension`] decodes the extension block, and [`ExtensionManifest::validate`]
//! consumes it: what comes back is the only way to a [`ValidManifest`].
//!
//! ```
//! # use extgate::Document;
//! # let bytes = br#"{"extension": {"runtime": "process", "command": "bin/notes",
//! #     "permissions": ["tools.register"], "deferred": {"tools": [
//! #         {"name": "add", "description": "Adds a note.", "input_schema": {"type": "object"}}]}}}"#;
//! # let document = Document::plugin(bytes)?;
//! let manifest = document.extension()?.expect("an extension");
//! assert_eq!(manifest.command(), "bin/notes");
//! let valid = manifest.validate()?;
//! assert_eq!(valid.manifest().deferred().map(|block| block.tools().len()), Some(1));
//! # Ok::<(), extgate::Rejection>(())
//! ```
//!
//! **Class.** What kind of extension it is, and what may start it first.
//!
//! ```
//! # use extgate::Document;
//! # let bytes = br#"{"extension": {"runtime": "process", "command": "bin/notes",
//! #     "permissions": ["tools.register"], "deferred": {"tools": [
//! #         {"name": "add", "description": "Adds a note.", "input_schema": {"type": "object"}}]}}}"#;
//! # let document = Document::plugin(bytes)?;
//! # let valid = document.extension()?.expect("an extension").validate()?;
//! use extgate::{ActivationTrigger, ExtensionClass};
//! assert_eq!(valid.class(), ExtensionClass::ToolOnly);
//! assert_eq!(valid.earliest_trigger(), ActivationTrigger::ExactToolActivation);
//! # Ok::<(), extgate::Rejection>(())
//! ```
//!
//! **Dormant tools.** They own their text, and are listed and addressed while nothing runs. Calling one
//! takes a lease, which the host implements: [`RuntimeLease`].
//!
//! ```
//! # use extgate::Document;
//! # let bytes = br#"{"extension": {"runtime": "process", "command": "bin/notes",
//! #     "permissions": ["tools.register"], "deferred": {"tools": [
//! #         {"name": "add", "description": "Adds a note.", "input_schema": {"type": "object"}}]}}}"#;
//! # let document = Document::plugin(bytes)?;
//! # let valid = document.extension()?.expect("an extension").validate()?;
//! use extgate::{ExecuteError, NoLease};
//! let tools = valid.dormant_extension_tools("notes");
//! assert_eq!(tools[0].runtime_name(), "notes:add");
//! assert_eq!(tools[0].catalog_id(), "ext.notes:add");
//! assert_eq!(tools[0].execute(None::<&NoLease>, "{}").err(), Some(ExecuteError::NoLease));
//! # Ok::<(), extgate::Rejection>(())
//! ```
//!
//! **Admission.** The pin outlives the bytes. When the process has answered `initialize`,
//! [`PinnedManifest::admit`] gives what may be registered, or the reason to shut the process down.
//!
//! ```
//! # use extgate::Document;
//! # let bytes = br#"{"extension": {"runtime": "process", "command": "bin/notes",
//! #     "permissions": ["tools.register"], "deferred": {"tools": [
//! #         {"name": "add", "description": "Adds a note.", "input_schema": {"type": "object"}}]}}}"#;
//! # let document = Document::plugin(bytes)?;
//! # let valid = document.extension()?.expect("an extension").validate()?;
//! use extgate::{Reason, RuntimeDocument};
//! let pinned = valid.pin("notes");
//! let answer = br#"{"jsonrpc": "2.0", "id": 1, "result": {"protocol_version": 1, "capabilities": {"tools": [
//!     {"name": "add", "description": "Adds a note.", "input_schema": {"type": "object"}}]}}}"#;
//! let answer = RuntimeDocument::json_rpc_response(answer)?;
//! let admitted = pinned.admit(answer.result()?)?;
//! assert_eq!(admitted.tools()[0].name(), "add");
//!
//! let silent = RuntimeDocument::initialize_result(br#"{"protocol_version": 1}"#)?;
//! let refused = pinned.admit(silent.result()?).unwrap_err();
//! assert_eq!(refused.reason(), Reason::DeclaredAndRegisteredToolCountsDiffer);
//! # Ok::<(), extgate::Rejection>(())
//! ```
//!
//! # What is guaranteed
//!
//! Each line is held by the named test, `file::test` in the folder `tests/` of the repository.
//!
//! | guarantee | test |
//! | --- | --- |
//! | verdicts, classes, triggers, names and digests are those of the behaviour, case by case | `conformance::every_vector_is_judged_as_expected` |
//! | no bytes make it panic, and the same bytes get the same answer | `properties::read_bytes` |
//! | what is accepted is JSON, and another reader sees the same values | `properties::against_serde` |
//! | every reason is given for exactly its fault, at exactly its place | `properties::every_reason_has_a_generator_and_is_given_for_what_it_makes` |
//! | every bound passes at its value, and not one above | `properties::every_bound_is_kept_exactly` |
//! | a matching runtime is admitted, and each drift is refused, in whatever order lists are | `properties::matching` |
//! | a report of every fault begins with the one for which the document is refused | `conformance::the_report_of_all_faults_begins_with_the_reason` |
//! | bounds, reasons, permissions, hooks and members are those of the page [`behaviour`] | `docs::the_tables_of_reasons_are_those_of_the_code` |
//! | members and their types are those of the same page | `docs::the_tables_of_members_are_those_of_the_code` |
//! | a digest depends on the value alone, not on its spelling | `properties::digest` |
//! | a digest is the same in every version | `docs::the_digests_are_those_of_the_code` |
//! | the trigger is the earliest of the components, whatever their order | `docs::the_table_of_classes_and_triggers_is_that_of_the_code` |
//! | memory stays below 6 times the document and 16 KiB, whatever its keys | `hostile::objects_of_many_keys` |
//! | the same, whatever its lists | `hostile::lists_of_many_items` |
//! | nesting costs no stack, and size no reading | `hostile::sizes_and_shapes_that_are_refused_before_they_are_read` |
//! | no number makes reading slow | `hostile::numbers_that_are_slow_to_convert` |
//! | without a lease nothing is started and nothing is called | `embedding::without_a_lease_nothing_is_called` |
//! | a host that lists starts nothing | `host::nothing_starts_before_a_call` |
//! | nothing of a refused extension can be registered | `host::nothing_of_a_refused_extension_is_registered_and_none_is_left_over` |
//! | every type crosses threads, and every error is `'static` | `embedding::everything_crosses_threads` |
//! | what is minted or pinned outlives the bytes | `embedding::what_is_minted_outlives_the_bytes` |
//! | a refusal holds no byte of the document | `embedding::a_refusal_repeats_nothing_of_the_input` |
//! | `Debug` shows no document, schema, default or parameter | `embedding::debug_shows_no_schema_default_or_parameter` |
//! | a stored pin of another format is refused | `embedding::a_stored_pin_of_another_format_is_refused` |
//! | a stored pin that no manifest can have made is refused | `embedding::a_stored_pin_of_what_no_manifest_promises_is_refused` |
//! | the core has no unsafe code, and no method that panics is called in it | `house::the_core_forbids_unsafe_code_and_panics` |
//! | the core depends on `sha2`, and on `serde` where it is asked to | `house::the_core_depends_on_little` |
//!
//! That a proof comes from its check and from nothing else is held by the compiler:
//!
//! ```compile_fail,E0451
//! # fn forge(manifest: extgate::ExtensionManifest<'_>) -> extgate::ValidManifest<'_> {
//! extgate::ValidManifest { manifest }
//! # }
//! ```
//!
//! So is that what was not admitted is gone:
//!
//! ```compile_fail,E0382
//! # fn both(pinned: &extgate::PinnedManifest, result: extgate::InitializeResult<'_>) {
//! let admitted = pinned.admit(result);
//! let anyway = result.tools();
//! # }
//! ```
//!
//! # Bounds
//!
//! The largest values that pass; lengths are bytes of decoded text, never characters. They are constants
//! of the module [`limits`].
//!
//! | constant | value | counts |
//! | --- | --- | --- |
//! | [`DOCUMENT_MAX_BYTES`](limits::DOCUMENT_MAX_BYTES) | 8,388,608 | bytes |
//! | [`INITIALIZE_RESULT_MAX_BYTES`](limits::INITIALIZE_RESULT_MAX_BYTES) | 4,194,304 | bytes |
//! | [`NESTING_MAX_LEVELS`](limits::NESTING_MAX_LEVELS) | 127 | levels |
//! | [`DECLARED_MAX_TOOLS`](limits::DECLARED_MAX_TOOLS) | 256 | items |
//! | [`DECLARED_MAX_PROVIDERS`](limits::DECLARED_MAX_PROVIDERS) | 16 | items |
//! | [`DECLARED_MAX_PROVIDER_MODELS`](limits::DECLARED_MAX_PROVIDER_MODELS) | 64 | items |
//! | [`DECLARED_MAX_CONTEXT_PROVIDERS`](limits::DECLARED_MAX_CONTEXT_PROVIDERS) | 8 | items |
//! | [`DECLARED_NAME_MAX_BYTES`](limits::DECLARED_NAME_MAX_BYTES) | 128 | bytes |
//! | [`DECLARED_DESCRIPTION_MAX_BYTES`](limits::DECLARED_DESCRIPTION_MAX_BYTES) | 1,024 | bytes |
//! | [`DECLARED_DISPLAY_MAX_BYTES`](limits::DECLARED_DISPLAY_MAX_BYTES) | 256 | bytes |
//! | [`DECLARED_SCHEMA_MAX_BYTES`](limits::DECLARED_SCHEMA_MAX_BYTES) | 65,536 | bytes |
//! | [`MAX_ID_LENGTH`](limits::MAX_ID_LENGTH) | 64 | bytes |
//!
//! # Features
//!
//! None is on by default, and the crate is `no_std` with `alloc` either way.
//!
//! | feature | adds |
//! | --- | --- |
//! | `serde` | `Serialize` and `Deserialize` for [`PinnedManifest`], [`SchemaDigest`] and [`PermissionSet`] |
//!
//! # The behaviour
//!
//! What exactly is accepted, and with which reason the rest is refused, is the page
//! [`behaviour`], whose sections the documentation of items names. The format's members as tables are
//! the module [`shape`]. Who comes from `synaps-engine` reads [`migration`] and uses [`lifecycle`].
//!
//! Beside refusals there are findings, which change no verdict: [`Document::findings`] of a manifest,
//! [`RuntimeDocument::findings`] of what a runtime sent, and [`differences`] for where two schemas differ.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::as_conversions,
        clippy::disallowed_methods
    )
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

/// What exactly is accepted and refused, with which reason, and what is made of what is accepted.
///
#[cfg(doc)]
#[doc = include_str!("../docs/behaviour.md")]
pub mod behaviour {}
/// From the peer's module to this crate: what maps to what, what differs, how to compare.
///
#[cfg(doc)]
#[doc = include_str!("../docs/migration.md")]
pub mod migration {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bytes;
mod class;
mod differences;
mod digest;
mod dormant;
mod drift;
mod finding;
mod findings;
mod gate;
mod hidden;
mod id;
mod json;
mod lease;
pub mod lifecycle;
pub mod limits;
mod manifest;
mod matching;
mod names;
mod path;
mod pin;
mod promise;
mod reason;
mod rules;
mod runtime;
mod script;
pub mod shape;
mod similar;
mod survey;
mod update;
mod valid;
mod vocabulary;

pub use class::{ActivationTrigger, ExtensionClass, classify, earliest_trigger};
pub use differences::{Change, Difference, Differences, differences};
pub use digest::{ParseDigestError, SchemaDigest};
pub use dormant::{
    ContextProviderLookupError, DeferredExtensionTool, RegisteredContextProviderDescriptor,
    resolve_context_provider,
};
pub use finding::{Finding, FindingCode, FindingDetail, Findings, UnknownFinding};
pub use gate::{Gated, gate};
pub use hidden::is_hidden;
pub use json::{
    Document, Items, Json, JsonDocument, JsonType, Location, Locator, Members, RuntimeDocument,
};
pub use lease::{ExecuteError, LeaseCall, NoLease, RuntimeLease};
pub use manifest::{
    ConfigEntry, DeclaredExtensionContextProvider, DeclaredExtensionProvider,
    DeclaredExtensionProviderModel, DeclaredExtensionTool, DeferredDeclarations, DeferredLifecycle,
    ExtensionManifest, HookSubscription, PrebuiltAsset,
};
pub use path::{Field, Path, Place, Step};
pub use pin::{Admitted, PinnedManifest};
pub use reason::{Category, Detail, Reason, Rejection, Side, Sink, UnknownReason};
pub use runtime::{
    GenericCapability, InitializeResult, RegisteredExtensionProvider, RegisteredExtensionTool,
};
pub use update::PinChange;
pub use valid::ValidManifest;
pub use vocabulary::{HookKind, Permission, PermissionSet};
