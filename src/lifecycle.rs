//! The items of the peer's `extensions::lifecycle` module, by their names.
//!
//! What takes a manifest here takes the decoded one, [`ExtensionManifest`]; what mints takes the proof,
//! [`ValidManifest`]. Reasons are typed; [`Reason::as_str`](crate::Reason::as_str) gives the peer's code.

use alloc::vec::Vec;

use crate::manifest::ExtensionManifest;
use crate::matching::{self, PromisedProvider, PromisedTool};
use crate::path::{Field, Path};
use crate::reason::{FirstFault, Rejection, first_fault};
use crate::rules;
use crate::runtime::{RegisteredExtensionProvider, RegisteredExtensionTool, ResultPlace};
use crate::valid::ValidManifest;

pub use crate::class::{ActivationTrigger, ExtensionClass, classify, earliest_trigger};
pub use crate::dormant::DeferredExtensionTool;
pub use crate::limits::{
    DECLARED_DESCRIPTION_MAX_BYTES, DECLARED_DISPLAY_MAX_BYTES, DECLARED_MAX_CONTEXT_PROVIDERS,
    DECLARED_MAX_PROVIDER_MODELS, DECLARED_MAX_PROVIDERS, DECLARED_MAX_TOOLS,
    DECLARED_NAME_MAX_BYTES, DECLARED_SCHEMA_MAX_BYTES,
};
pub use crate::manifest::{
    DeclaredExtensionContextProvider, DeclaredExtensionProvider, DeclaredExtensionProviderModel,
    DeclaredExtensionTool, DeferredDeclarations, DeferredLifecycle,
};

/// Whether a deferred block declares a context provider.
#[must_use]
pub fn has_context_provider(declared: &DeferredDeclarations<'_>) -> bool {
    declared.context_provider_count > 0
}

/// Section 3: the deferred block by itself.
///
/// # Errors
/// The first fault of the block.
pub fn validate_deferred(declared: &DeferredDeclarations<'_>) -> Result<(), Rejection> {
    first_fault(rules::deferred(declared, &mut FirstFault))
}

/// Section 3, and the permissions and hooks that the block needs. A manifest without a deferred block passes.
///
/// # Errors
/// The first fault of the block, or of what the manifest lacks for it.
pub fn validate_manifest_deferred(manifest: &ExtensionManifest<'_>) -> Result<(), Rejection> {
    first_fault(rules::manifest_deferred(manifest, &mut FirstFault))
}

/// Holds registered tools to declared ones (section 8).
///
/// # Errors
/// The first mismatch.
pub fn validate_runtime_tool_declarations(
    declared: &[DeclaredExtensionTool<'_>],
    registered: &[RegisteredExtensionTool<'_>],
) -> Result<(), Rejection> {
    first_fault(matching::tools(
        declared.iter().map(PromisedTool::from),
        declared_list(Field::Tools),
        registered,
        ResultPlace::Root.list(Field::Tools),
        &mut FirstFault,
    ))
}

/// Holds registered providers to declared ones (section 8).
///
/// # Errors
/// The first mismatch.
pub fn validate_runtime_provider_declarations(
    declared: &[DeclaredExtensionProvider<'_>],
    registered: &[RegisteredExtensionProvider<'_>],
) -> Result<(), Rejection> {
    first_fault(matching::providers(
        declared.iter().map(PromisedProvider::from),
        declared_list(Field::Providers),
        registered,
        ResultPlace::Root.list(Field::Providers),
        &mut FirstFault,
    ))
}

fn declared_list(list: Field) -> Path {
    Path::of(Field::Extension)
        .field(Field::Deferred)
        .field(list)
}

/// The dormant tools of a valid manifest, in the order of declaration.
#[must_use]
pub fn dormant_extension_tools(
    plugin: &str,
    manifest: &ValidManifest<'_>,
) -> Vec<DeferredExtensionTool> {
    manifest.dormant_extension_tools(plugin)
}
