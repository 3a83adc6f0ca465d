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

mod bytes;
mod class;
mod digest;
mod dormant;
mod gate;
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
mod shape;
mod update;
mod valid;
mod vocabulary;

pub use class::{ActivationTrigger, ExtensionClass, classify, earliest_trigger};
pub use digest::{ParseDigestError, SchemaDigest};
pub use dormant::{
    ContextProviderLookupError, DeferredExtensionTool, RegisteredContextProviderDescriptor,
    resolve_context_provider,
};
pub use gate::{Gated, gate};
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
