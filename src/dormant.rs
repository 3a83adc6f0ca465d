//! Section 10: what is minted from a valid manifest. Owned, and without a process behind it.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::digest::{Digester, SchemaDigest};
use crate::id::{self, PLUGIN_SEGMENT_MAX_BYTES, TOOL_SEGMENT_MAX_BYTES};
use crate::manifest::DeferredDeclarations;
use crate::valid::ValidManifest;

/// A declared tool, shown and addressed before its extension runs.
///
/// All tools of a manifest share one block of text, so that cloning one costs no copy.
#[derive(Clone)]
pub struct DeferredExtensionTool {
    text: Arc<String>,
    identity: Range<usize>,
    plugin: usize,
    catalog_id: Range<usize>,
    description: Range<usize>,
    schema: Range<usize>,
    expected_digest: SchemaDigest,
}

/// `ext:`, before a plugin's id in an identity.
const IDENTITY_PREFIX: &str = "ext:";

impl DeferredExtensionTool {
    fn part(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The owning plugin's id.
    #[must_use]
    pub fn plugin_id(&self) -> &str {
        let start = self.identity.start + IDENTITY_PREFIX.len();
        self.part(start..start + self.plugin)
    }

    /// The name, as declared.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        self.part(self.identity.start + IDENTITY_PREFIX.len() + self.plugin + 1..self.identity.end)
    }

    /// `ext:<plugin>:<name>`
    #[must_use]
    pub fn identity(&self) -> &str {
        self.part(self.identity.clone())
    }

    /// `<plugin>:<name>`
    #[must_use]
    pub fn runtime_name(&self) -> &str {
        self.part(self.identity.start + IDENTITY_PREFIX.len()..self.identity.end)
    }

    /// `ext.<plugin segment>:<name segment>`, in `a-z 0-9 _ . - :` alone.
    #[must_use]
    pub fn catalog_id(&self) -> &str {
        self.part(self.catalog_id.clone())
    }

    /// The description, as declared.
    #[must_use]
    pub fn description(&self) -> &str {
        self.part(self.description.clone())
    }

    /// The JSON text of the parameters' schema, as it stands in the manifest.
    #[must_use]
    pub fn parameters(&self) -> &str {
        self.part(self.schema.clone())
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
        let Some(declared) = self.minting_block(plugin) else {
            return Vec::new();
        };
        let mut digester = Digester::new();
        let digests = declared
            .tools()
            .iter()
            .map(move |tool| digester.digest(tool.input_schema()));
        mint(plugin, declared, digests)
    }

    /// The descriptors of the context providers, in the order of declaration; none where there would be no tools.
    #[must_use]
    pub fn context_providers(&self, plugin: &str) -> Vec<RegisteredContextProviderDescriptor> {
        let Some(declared) = self.minting_block(plugin) else {
            return Vec::new();
        };
        declared
            .context_providers()
            .iter()
            .map(|one| {
                RegisteredContextProviderDescriptor::new(
                    plugin,
                    one.id(),
                    one.capability(),
                    one.description(),
                    one.schema_version(),
                )
            })
            .collect()
    }

    /// The deferred block, where a plugin of that id may have something minted from it.
    fn minting_block(&self, plugin: &str) -> Option<&DeferredDeclarations<'_>> {
        self.manifest()
            .deferred()
            .filter(|_| id::is_plugin_id(plugin))
    }
}

/// Mints the tools of a block whose digests are known.
fn mint(
    plugin: &str,
    declared: &DeferredDeclarations<'_>,
    digests: impl Iterator<Item = SchemaDigest>,
) -> Vec<DeferredExtensionTool> {
    /// `ext:` twice, `ext.`, and the colons.
    const FIXED: usize = 4 + 4 + 2;
    let tools = declared.tools();
    let names: usize = tools
        .iter()
        .map(|tool| FIXED + plugin.len() + PLUGIN_SEGMENT_MAX_BYTES + 3 * tool.name().len())
        .sum();
    // Descriptions and schemas are parts of the block.
    let mut text = String::with_capacity(names + declared.tools_source());
    let mut append = |push: &mut dyn FnMut(&mut String)| {
        let start = text.len();
        push(&mut text);
        start..text.len()
    };
    let mut parts = Vec::with_capacity(tools.len());
    for tool in tools {
        parts.push((
            append(&mut |text| {
                text.push_str(IDENTITY_PREFIX);
                text.push_str(plugin);
                text.push(':');
                text.push_str(tool.name());
            }),
            append(&mut |text| {
                text.push_str("ext.");
                id::push_segment(text, plugin, PLUGIN_SEGMENT_MAX_BYTES);
                text.push(':');
                id::push_segment(text, tool.name(), TOOL_SEGMENT_MAX_BYTES);
            }),
            append(&mut |text| text.push_str(tool.description())),
            append(&mut |text| text.push_str(tool.input_schema().source())),
        ));
    }
    let text = Arc::new(text);
    parts
        .into_iter()
        .zip(digests)
        .map(
            |((identity, catalog_id, description, schema), expected_digest)| {
                DeferredExtensionTool {
                    text: Arc::clone(&text),
                    identity,
                    plugin: plugin.len(),
                    catalog_id,
                    description,
                    schema,
                    expected_digest,
                }
            },
        )
        .collect()
}

/// A context provider, described before its extension runs. Holding one starts nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegisteredContextProviderDescriptor {
    address: String,
    extension_id: usize,
    capability: String,
    description: String,
    schema_version: u32,
}

/// `extension:`, before a plugin's id in an address.
const ADDRESS_PREFIX: &str = "extension:";

impl RegisteredContextProviderDescriptor {
    fn new(
        plugin: &str,
        id: &str,
        capability: &str,
        description: &str,
        schema_version: u32,
    ) -> Self {
        Self {
            address: [ADDRESS_PREFIX, plugin, ":", id].concat(),
            extension_id: plugin.len(),
            capability: capability.into(),
            description: description.into(),
            schema_version,
        }
    }

    /// `extension:<plugin>:<id>`
    #[must_use]
    pub fn runtime_address(&self) -> &str {
        &self.address
    }

    /// The owning plugin's id.
    #[must_use]
    pub fn extension_id(&self) -> &str {
        let start = ADDRESS_PREFIX.len();
        self.address
            .get(start..start + self.extension_id)
            .unwrap_or_default()
    }

    /// The provider's local id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.address
            .get(ADDRESS_PREFIX.len() + self.extension_id + 1..)
            .unwrap_or_default()
    }

    /// The label of what it contributes.
    #[must_use]
    pub fn capability(&self) -> &str {
        &self.capability
    }

    /// What context it gives.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The version of its payload's schema; never 0.
    #[must_use]
    pub fn schema_version(&self) -> u32 {
        self.schema_version
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
