//! The common case in one call.

use alloc::vec::Vec;

use crate::class::{ActivationTrigger, ExtensionClass};
use crate::dormant::{DeferredExtensionTool, RegisteredContextProviderDescriptor, mint};
use crate::json::Document;
use crate::pin::PinnedManifest;
use crate::reason::Rejection;

/// What a host needs of an accepted extension. Owned: the manifest's bytes may go.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "an extension that was accepted is meant to be listed, and its pin kept"]
pub struct Gated {
    /// What kind of extension it is.
    pub class: ExtensionClass,
    /// What may start it first.
    pub trigger: ActivationTrigger,
    /// Its dormant tools, in the order of declaration.
    pub tools: Vec<DeferredExtensionTool>,
    /// Its context providers, in the order of declaration.
    pub context_providers: Vec<RegisteredContextProviderDescriptor>,
    /// What it promised, for the time at which it runs.
    pub pinned: PinnedManifest,
}

/// Decides from a manifest's bytes, at most [8 MiB](crate::limits::DOCUMENT_MAX_BYTES), whether the
/// extension of this plugin may exist. `None` for a plugin that is no extension.
///
/// The plugin's id is the host's own name for it, such as its folder's: a document's `name` could be
/// another plugin's. From an id that is empty or has `:` or a control character nothing is minted
/// (section 10): both lists are empty, and the rest stands.
///
/// A host that starts the extension also wants its command, and takes the steps one by one: they are on
/// the [crate page](crate).
///
/// ```
/// let bytes = br#"{"extension": {
///     "runtime": "process", "command": "bin/notes", "permissions": ["tools.register"],
///     "deferred": {"tools": [{"name": "add", "description": "Adds a note.", "input_schema": {}}]}
/// }}"#;
/// let gated = extgate::gate(bytes, "notes")?.expect("an extension");
/// assert_eq!(gated.class, extgate::ExtensionClass::ToolOnly);
/// assert_eq!(gated.tools[0].identity(), "ext:notes:add");
/// assert_eq!(extgate::gate(b"[]", "notes").unwrap_err().reason(), extgate::Reason::WrongType);
/// # Ok::<(), extgate::Rejection>(())
/// ```
///
/// # Errors
/// The first fault, as [`Document::plugin`] (section 1), [`Document::extension`] (section 2) and
/// [`ExtensionManifest::validate`](crate::ExtensionManifest::validate) (sections 5, 3 and 4) find it.
pub fn gate(bytes: &[u8], plugin: &str) -> Result<Option<Gated>, Rejection> {
    let document = Document::plugin(bytes)?;
    let Some(manifest) = document.extension()? else {
        return Ok(None);
    };
    let valid = manifest.validate()?;
    // Minted once, for the host and for the pin.
    let declared = valid.manifest().deferred();
    let minted = declared.map_or_else(Vec::new, |declared| mint(plugin, declared));
    Ok(Some(Gated {
        class: valid.class(),
        trigger: valid.earliest_trigger(),
        tools: valid
            .minting_block(plugin)
            .map_or_else(Vec::new, |_| minted.clone()),
        context_providers: valid.context_providers(plugin),
        pinned: valid.pin_with(plugin, minted),
    }))
}
