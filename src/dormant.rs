//! Section 10: what is minted from a valid manifest. Owned, and without a process behind it.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::digest::{Digester, SchemaDigest};
use crate::id::{self, PLUGIN_SEGMENT_MAX_BYTES, TOOL_SEGMENT_MAX_BYTES};
use crate::json::widen;
use crate::manifest::DeferredDeclarations;
use crate::valid::ValidManifest;

/// A declared tool, shown and addressed before its extension runs.
///
/// All tools of a manifest share one block of text, so that cloning one copies no text.
#[derive(Clone)]
pub struct DeferredExtensionTool {
    /// The shared block; absent only while it is written.
    text: Option<Arc<String>>,
    /// Bytes of the plugin's id.
    plugin: u32,
    /// Where the tool's part of the text begins: its identity.
    start: u32,
    /// Where its catalog id begins.
    catalog_id: u32,
    /// Where its description begins.
    description: u32,
    /// Where its schema begins.
    schema: u32,
    end: u32,
    expected_digest: SchemaDigest,
}

/// `ext:`, before a plugin's id in an identity.
const IDENTITY_PREFIX: &str = "ext:";

impl DeferredExtensionTool {
    /// What a stored pin knows of a tool: neither plugin nor schema.
    #[cfg(feature = "serde")]
    pub(crate) fn stored(name: &str, description: &str, expected_digest: SchemaDigest) -> Self {
        let mut text =
            String::with_capacity(IDENTITY_PREFIX.len() + 1 + name.len() + description.len());
        text.push_str(IDENTITY_PREFIX);
        text.push(':');
        text.push_str(name);
        let description_start = size(&text);
        text.push_str(description);
        let end = size(&text);
        Self {
            text: Some(Arc::new(text)),
            plugin: 0,
            start: 0,
            catalog_id: description_start,
            description: description_start,
            schema: end,
            end,
            expected_digest,
        }
    }

    fn part(&self, start: usize, end: usize) -> &str {
        let text = self.text.as_deref().map(String::as_str);
        text.and_then(|text| text.get(start..end))
            .unwrap_or_default()
    }

    /// Where the runtime name begins.
    const fn runtime(&self) -> usize {
        widen(self.start) + IDENTITY_PREFIX.len()
    }

    /// The owning plugin's id.
    #[must_use]
    pub fn plugin_id(&self) -> &str {
        self.part(self.runtime(), self.runtime() + widen(self.plugin))
    }

    /// The name, as declared.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        let colon = self.runtime() + widen(self.plugin);
        self.part(colon + 1, widen(self.catalog_id))
    }

    /// `ext:<plugin>:<name>`
    #[must_use]
    pub fn identity(&self) -> &str {
        self.part(widen(self.start), widen(self.catalog_id))
    }

    /// `<plugin>:<name>`
    #[must_use]
    pub fn runtime_name(&self) -> &str {
        self.part(self.runtime(), widen(self.catalog_id))
    }

    /// `ext.<plugin segment>:<name segment>`, in `a-z 0-9 _ . - :` alone.
    #[must_use]
    pub fn catalog_id(&self) -> &str {
        self.part(widen(self.catalog_id), widen(self.description))
    }

    /// The description, as declared.
    #[must_use]
    pub fn description(&self) -> &str {
        self.part(widen(self.description), widen(self.schema))
    }

    /// The JSON text of the parameters' schema, as it stands in the manifest.
    #[must_use]
    pub fn parameters(&self) -> &str {
        self.part(widen(self.schema), widen(self.end))
    }

    /// The canonical digest of the schema, which the runtime's must equal.
    #[must_use]
    pub fn expected_digest(&self) -> &SchemaDigest {
        &self.expected_digest
    }
}

/// By what each says, however its text is kept.
impl PartialEq for DeferredExtensionTool {
    fn eq(&self, other: &Self) -> bool {
        self.expected_digest == other.expected_digest
            && self.identity() == other.identity()
            && self.description() == other.description()
            && self.parameters() == other.parameters()
    }
}

impl Eq for DeferredExtensionTool {}

impl fmt::Debug for DeferredExtensionTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredExtensionTool")
            .field("identity", &self.identity())
            .field("expected_digest", &self.expected_digest)
            .finish_non_exhaustive()
    }
}

impl ValidManifest<'_> {
    /// The dormant tools, in the order of declaration; none for a manifest without a deferred block, or
    /// a plugin id from which no identity can be made: empty, or with `:` or a control character.
    #[must_use]
    pub fn dormant_extension_tools(&self, plugin: &str) -> Vec<DeferredExtensionTool> {
        let declared = self.minting_block(plugin);
        declared.map_or_else(Vec::new, |declared| mint(plugin, declared))
    }

    /// The descriptors of the context providers, in the order of declaration; none where there would be no tools.
    #[must_use]
    pub fn context_providers(&self, plugin: &str) -> Vec<RegisteredContextProviderDescriptor> {
        let declared = self.minting_block(plugin);
        declared.map_or_else(Vec::new, |declared| describe(plugin, declared))
    }

    /// The deferred block, where a plugin of that id may have something minted from it.
    pub(crate) fn minting_block(&self, plugin: &str) -> Option<&DeferredDeclarations<'_>> {
        self.manifest()
            .deferred()
            .filter(|_| id::is_plugin_id(plugin))
    }
}

/// Mints the tools of a block. Who passes a `plugin` that can be part of no identity hands on none: a pin reads
/// names, descriptions, schemas and digests alone.
pub(crate) fn mint(
    plugin: &str,
    declared: &DeferredDeclarations<'_>,
) -> Vec<DeferredExtensionTool> {
    /// `ext:` twice, `ext.`, and the colons.
    const FIXED: usize = 4 + 4 + 2;
    let tools = declared.tools();
    let names: usize = tools
        .iter()
        .map(|tool| FIXED + plugin.len() + PLUGIN_SEGMENT_MAX_BYTES + 3 * tool.name().len())
        .sum();
    // Descriptions and schemas are parts of the list of tools.
    let mut text = String::with_capacity(names + declared.tools_source());
    let mut digester = Digester::for_values(tools.iter().map(|tool| tool.input_schema()));
    let mut minted: Vec<_> = tools
        .iter()
        .map(|tool| {
            let start = size(&text);
            text.push_str(IDENTITY_PREFIX);
            text.push_str(plugin);
            text.push(':');
            text.push_str(tool.name());
            let catalog_id = size(&text);
            text.push_str("ext.");
            id::push_segment(&mut text, plugin, PLUGIN_SEGMENT_MAX_BYTES);
            text.push(':');
            id::push_segment(&mut text, tool.name(), TOOL_SEGMENT_MAX_BYTES);
            let description = size(&text);
            text.push_str(tool.description());
            let schema = size(&text);
            text.push_str(tool.input_schema().source());
            DeferredExtensionTool {
                text: None,
                plugin: size(plugin),
                start,
                catalog_id,
                description,
                schema,
                end: size(&text),
                expected_digest: digester.digest(tool.input_schema()),
            }
        })
        .collect();
    let text = Arc::new(text);
    for tool in &mut minted {
        tool.text = Some(Arc::clone(&text));
    }
    minted
}

/// Bytes of a text, which a document's bound keeps far below 2^32; also where its next part begins.
fn size(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// A context provider, described before its extension runs. Holding one starts nothing.
///
/// All of a manifest share one block of text, so that cloning one copies no text.
#[derive(Clone)]
pub struct RegisteredContextProviderDescriptor {
    /// The shared block; absent only while it is written.
    text: Option<Arc<String>>,
    /// Bytes of the plugin's id.
    plugin: u32,
    /// Where its part of the text begins: its address.
    start: u32,
    /// Where its capability begins.
    capability: u32,
    /// Where its description begins.
    description: u32,
    end: u32,
    schema_version: u32,
}

/// `extension:`, before a plugin's id in an address.
const ADDRESS_PREFIX: &str = "extension:";

/// Describes the context providers of a block. `plugin` can be part of an address.
fn describe(
    plugin: &str,
    declared: &DeferredDeclarations<'_>,
) -> Vec<RegisteredContextProviderDescriptor> {
    let providers = declared.context_providers();
    if providers.is_empty() {
        return Vec::new();
    }
    let mut text = String::new();
    let room = providers.iter().map(|one| {
        let own = one.id().len() + one.capability().len() + one.description().len();
        ADDRESS_PREFIX.len() + plugin.len() + 1 + own
    });
    text.reserve_exact(room.sum());
    let mut described: Vec<_> = providers
        .iter()
        .map(|one| {
            let start = size(&text);
            text.push_str(ADDRESS_PREFIX);
            text.push_str(plugin);
            text.push(':');
            text.push_str(one.id());
            let capability = size(&text);
            text.push_str(one.capability());
            let description = size(&text);
            text.push_str(one.description());
            RegisteredContextProviderDescriptor {
                text: None,
                plugin: size(plugin),
                start,
                capability,
                description,
                end: size(&text),
                schema_version: one.schema_version(),
            }
        })
        .collect();
    let text = Arc::new(text);
    for one in &mut described {
        one.text = Some(Arc::clone(&text));
    }
    described
}

impl RegisteredContextProviderDescriptor {
    fn part(&self, start: usize, end: usize) -> &str {
        let text = self.text.as_deref().map(String::as_str);
        text.and_then(|text| text.get(start..end))
            .unwrap_or_default()
    }

    /// Where the plugin's id begins.
    const fn plugin_start(&self) -> usize {
        widen(self.start) + ADDRESS_PREFIX.len()
    }

    /// `extension:<plugin>:<id>`
    #[must_use]
    pub fn runtime_address(&self) -> &str {
        self.part(widen(self.start), widen(self.capability))
    }

    /// The owning plugin's id.
    #[must_use]
    pub fn extension_id(&self) -> &str {
        self.part(
            self.plugin_start(),
            self.plugin_start() + widen(self.plugin),
        )
    }

    /// The provider's local id.
    #[must_use]
    pub fn id(&self) -> &str {
        let colon = self.plugin_start() + widen(self.plugin);
        self.part(colon + 1, widen(self.capability))
    }

    /// The label of what it contributes.
    #[must_use]
    pub fn capability(&self) -> &str {
        self.part(widen(self.capability), widen(self.description))
    }

    /// What context it gives.
    #[must_use]
    pub fn description(&self) -> &str {
        self.part(widen(self.description), widen(self.end))
    }

    /// The version of its payload's schema; never 0.
    #[must_use]
    pub fn schema_version(&self) -> u32 {
        self.schema_version
    }
}

/// By what each says, however its text is kept.
impl PartialEq for RegisteredContextProviderDescriptor {
    fn eq(&self, other: &Self) -> bool {
        self.schema_version == other.schema_version
            && self.runtime_address() == other.runtime_address()
            && self.plugin == other.plugin
            && self.capability() == other.capability()
            && self.description() == other.description()
    }
}

impl Eq for RegisteredContextProviderDescriptor {}

impl core::hash::Hash for RegisteredContextProviderDescriptor {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.runtime_address().hash(state);
        self.schema_version.hash(state);
    }
}

impl fmt::Debug for RegisteredContextProviderDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredContextProviderDescriptor")
            .field("address", &self.runtime_address())
            .field("capability", &self.capability())
            .field("schema_version", &self.schema_version)
            .finish_non_exhaustive()
    }
}

/// Why a context provider cannot be resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContextProviderLookupError {
    /// No descriptor has the requested id; without one, there is none at all.
    NotRegistered,
    /// More than one has it; without a requested id, there is more than one in all.
    Ambiguous,
}

impl fmt::Display for ContextProviderLookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotRegistered => "no such context provider is registered",
            Self::Ambiguous => "more than one context provider matches",
        })
    }
}

impl core::error::Error for ContextProviderLookupError {}

/// The one descriptor of a catalog that has the requested bare id, or, without one, the only descriptor.
///
/// # Errors
/// [`ContextProviderLookupError::NotRegistered`] without a match, [`ContextProviderLookupError::Ambiguous`]
/// with more than one: the host never picks one by itself.
pub fn resolve_context_provider<'c>(
    catalog: &'c [RegisteredContextProviderDescriptor],
    requested: Option<&str>,
) -> Result<&'c RegisteredContextProviderDescriptor, ContextProviderLookupError> {
    let mut matches = catalog
        .iter()
        .filter(|one| requested.is_none_or(|id| one.id() == id));
    match (matches.next(), matches.next()) {
        (None, _) => Err(ContextProviderLookupError::NotRegistered),
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(ContextProviderLookupError::Ambiguous),
    }
}
