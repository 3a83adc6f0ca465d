//! What a deferred block promised, by value: names and texts as they are, schemas by digest.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::digest::{Digester, SchemaDigest};
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

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct PinnedTool {
    pub(crate) name: Box<str>,
    pub(crate) description: Box<str>,
    pub(crate) schema: SchemaDigest,
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
    /// Of a block, and the digests of its tools' schemas.
    pub(crate) fn of(
        declared: &DeferredDeclarations<'_>,
        digests: impl Iterator<Item = SchemaDigest>,
    ) -> Self {
        let mut digester = Digester::new();
        Self {
            place: declared.place,
            tools: declared
                .tools()
                .iter()
                .zip(digests)
                .map(|(tool, schema)| PinnedTool {
                    name: tool.name().into(),
                    description: tool.description().into(),
                    schema,
                })
                .collect(),
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
                .all(|tool| id::is_capability_id(&tool.name))
            && all_differ(self.tools.iter().map(|tool| &*tool.name))
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
