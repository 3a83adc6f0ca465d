//! What a deferred block promised, by value: names and texts as they are, schemas by digest.

#[cfg(feature = "serde")]
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::digest::{Digester, SchemaDigest};
use crate::dormant::DeferredExtensionTool;
#[cfg(feature = "serde")]
use crate::id;
#[cfg(feature = "serde")]
use crate::limits::{DECLARED_MAX_PROVIDER_MODELS, DECLARED_MAX_PROVIDERS, DECLARED_MAX_TOOLS};
use crate::manifest::{DeferredDeclarations, DeferredPlace};
#[cfg(feature = "serde")]
use crate::names::NameIndex;
#[cfg(feature = "serde")]
use crate::path::numbered;

/// What a deferred block promised.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Promise {
    pub(crate) place: DeferredPlace,
    pub(crate) tools: Vec<PinnedTool>,
    pub(crate) providers: Vec<PinnedProvider>,
}

/// A promised tool. Its text is that of the dormant tool, and shared with it.
#[derive(Clone)]
pub(crate) struct PinnedTool(DeferredExtensionTool);

impl PinnedTool {
    pub(crate) fn name(&self) -> &str {
        self.0.tool_name()
    }

    pub(crate) fn description(&self) -> &str {
        self.0.description()
    }

    pub(crate) fn schema(&self) -> &SchemaDigest {
        self.0.expected_digest()
    }

    /// The schema's text, as it was declared; empty for a pin that was stored.
    pub(crate) fn schema_text(&self) -> &str {
        self.0.parameters()
    }
}

/// By what is promised: one schema may be spelled in two ways.
impl PartialEq for PinnedTool {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
            && self.description() == other.description()
            && self.schema() == other.schema()
    }
}

impl Eq for PinnedTool {}

impl fmt::Debug for PinnedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedTool")
            .field("name", &self.name())
            .field("schema", self.schema())
            .finish_non_exhaustive()
    }
}

/// A promised tool as it is stored: without the schema's text.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTool<'t> {
    name: Cow<'t, str>,
    description: Cow<'t, str>,
    schema: SchemaDigest,
}

#[cfg(feature = "serde")]
impl serde::Serialize for PinnedTool {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = StoredTool {
            name: self.name().into(),
            description: self.description().into(),
            schema: *self.schema(),
        };
        stored.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for PinnedTool {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredTool::deserialize(deserializer)?;
        Ok(Self(DeferredExtensionTool::stored(
            &stored.name,
            &stored.description,
            stored.schema,
        )))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct PinnedProvider {
    pub(crate) id: Box<str>,
    pub(crate) display_name: Box<str>,
    pub(crate) description: Box<str>,
    pub(crate) models: Vec<PinnedModel>,
    pub(crate) config_schema: Option<SchemaDigest>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct PinnedModel {
    pub(crate) id: Box<str>,
    pub(crate) display_name: Option<Box<str>>,
    pub(crate) capabilities: Option<SchemaDigest>,
    pub(crate) context_window: Option<u64>,
}

impl Promise {
    /// Of a block, and the tools that were minted from it.
    pub(crate) fn of(
        declared: &DeferredDeclarations<'_>,
        minted: Vec<DeferredExtensionTool>,
    ) -> Self {
        let mut digester = Digester::new();
        Self {
            place: declared.place,
            tools: minted.into_iter().map(PinnedTool).collect(),
            providers: declared
                .providers()
                .iter()
                .map(|provider| PinnedProvider {
                    id: provider.id().into(),
                    display_name: provider.display_name().into(),
                    description: provider.description().into(),
                    models: provider
                        .models()
                        .map(|model| PinnedModel {
                            id: model.id().into(),
                            display_name: model.display_name().map(Box::from),
                            capabilities: model.capabilities().map(|value| digester.digest(value)),
                            context_window: model.context_window(),
                        })
                        .collect(),
                    config_schema: provider.config_schema().map(|value| digester.digest(value)),
                })
                .collect(),
        }
    }
}

#[cfg(feature = "serde")]
impl Promise {
    /// Whether a valid manifest can promise this: the rules of section 3 that matching stands on.
    pub(crate) fn is_possible(&self) -> bool {
        self.tools.len() <= DECLARED_MAX_TOOLS
            && self
                .tools
                .iter()
                .all(|tool| id::is_capability_id(tool.name()))
            && all_differ(self.tools.iter().map(PinnedTool::name))
            && self.providers.len() <= DECLARED_MAX_PROVIDERS
            && all_differ(self.providers.iter().map(|one| &*one.id))
            && self.providers.iter().all(PinnedProvider::is_possible)
    }
}

#[cfg(feature = "serde")]
impl PinnedProvider {
    fn is_possible(&self) -> bool {
        id::is_provider_id(&self.id)
            && (1..=DECLARED_MAX_PROVIDER_MODELS).contains(&self.models.len())
            && self.models.iter().all(|one| id::is_capability_id(&one.id))
            && all_differ(self.models.iter().map(|one| &*one.id))
    }
}

#[cfg(feature = "serde")]
fn all_differ<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    NameIndex::new(numbered(names)).repeated().is_empty()
}
