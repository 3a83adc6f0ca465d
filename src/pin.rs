//! What a valid manifest promised, kept until its extension runs, and the one check that admits what
//! the extension then registers.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow::{self, Continue};

use crate::digest::{Digester, SchemaDigest};
use crate::manifest::{DeferredDeclarations, DeferredPlace};
use crate::matching::{self, Promised, PromisedModels, PromisedProvider, PromisedTool};
use crate::path::Field;
use crate::reason::{FirstFault, Rejection, Sink, first_fault};
use crate::runtime::{
    GenericCapability, InitializeResult, RegisteredExtensionProvider, RegisteredExtensionTool,
};
use crate::valid::ValidManifest;
use crate::vocabulary::PermissionSet;

/// What a valid manifest promised: names, descriptions, digests and permissions. Owned, so it outlives
/// the manifest's bytes and can wait for the child process, or be stored.
///
/// With the feature `serde` it can be written and read again. What is written has a format number, and
/// another number, like an unknown member, is refused in reading. A stored pin is trusted as it stands:
/// keep it where extensions cannot write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PinnedManifest {
    #[cfg(feature = "serde")]
    format: Format,
    pub(crate) plugin: Box<str>,
    pub(crate) requested: PermissionSet,
    pub(crate) promise: Option<Promise>,
}

/// The number of the stored format: 1 is written, and nothing else is read.
#[cfg(feature = "serde")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Format;

#[cfg(feature = "serde")]
impl Format {
    const NUMBER: u32 = 1;
}

#[cfg(feature = "serde")]
impl serde::Serialize for Format {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(Self::NUMBER)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Format {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            Self::NUMBER => Ok(Self),
            _ => Err(serde::de::Error::custom(
                "a pin of another format than 1, which this version does not read",
            )),
        }
    }
}

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

impl ValidManifest<'_> {
    /// Keeps what the manifest promises, for the time at which its extension runs.
    #[must_use]
    pub fn pin(&self, plugin: &str) -> PinnedManifest {
        PinnedManifest {
            #[cfg(feature = "serde")]
            format: Format,
            plugin: plugin.into(),
            requested: self.manifest().requested(),
            promise: self.manifest().deferred().map(Promise::of),
        }
    }
}

impl Promise {
    fn of(declared: &DeferredDeclarations<'_>) -> Self {
        let mut digester = Digester::new();
        Self {
            place: declared.place,
            tools: declared
                .tools()
                .iter()
                .map(|tool| PinnedTool {
                    name: tool.name().into(),
                    description: tool.description().into(),
                    schema: digester.digest(tool.input_schema()),
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

impl PinnedManifest {
    /// The plugin's id.
    #[must_use]
    pub fn plugin_id(&self) -> &str {
        &self.plugin
    }

    /// The permissions that the manifest requests.
    #[must_use]
    pub fn requested(&self) -> PermissionSet {
        self.requested
    }

    /// Whether the manifest has no deferred block, so that nothing was promised and nothing is matched.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        self.promise.is_none()
    }

    /// Admits what a runtime registered, if it is exactly what was promised. Consumes the result: what
    /// was not admitted cannot be reached.
    ///
    /// ```
    /// # use extgate::{Document, RuntimeDocument, Reason};
    /// let manifest = br#"{"extension": {
    ///     "runtime": "process", "command": "demo", "permissions": ["tools.register"],
    ///     "deferred": {"tools": [{"name": "list", "description": "Lists.", "input_schema": {"type": "object"}}]}
    /// }}"#;
    /// let document = Document::plugin(manifest)?;
    /// let pinned = document.extension()?.expect("an extension").validate()?.pin("demo");
    ///
    /// let honest = br#"{"protocol_version": 1, "capabilities": {"tools":
    ///     [{"input_schema": {"type": "object"}, "description": "Lists.", "name": "list"}]}}"#;
    /// let honest = RuntimeDocument::initialize_result(honest)?;
    /// assert_eq!(pinned.admit(honest.result()?)?.tools().len(), 1);
    ///
    /// let changed = br#"{"protocol_version": 1, "capabilities": {"tools":
    ///     [{"input_schema": {"type": "object"}, "description": "Lists all.", "name": "list"}]}}"#;
    /// let changed = RuntimeDocument::initialize_result(changed)?;
    /// let refused = pinned.admit(changed.result()?).unwrap_err();
    /// assert_eq!(refused.reason(), Reason::RegisteredToolDescriptionMismatch);
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    ///
    /// # Errors
    /// The first mismatch: `unsupported_protocol_version`, a reason of category
    /// [`Runtime`](crate::Category::Runtime), or one of section 3 about a registered tool or provider.
    pub fn admit<'d>(&self, result: InitializeResult<'d>) -> Result<Admitted<'d>, Rejection> {
        first_fault(self.check(&result, &mut FirstFault))?;
        Ok(Admitted {
            result,
            legacy: self.is_legacy(),
        })
    }

    /// Reports every mismatch, the one by which [`PinnedManifest::admit`] refuses first.
    ///
    /// The result is `Break` where the sink ended the checking.
    pub fn check<S: Sink>(
        &self,
        result: &InitializeResult<'_>,
        sink: &mut S,
    ) -> ControlFlow<S::Stop> {
        matching::protocol_version(result, sink)?;
        match &self.promise {
            None => matching::eager(result, self.requested, sink)?,
            Some(promise) => {
                let block = promise.place.path();
                matching::tools(
                    promise.tools.iter().map(PromisedTool::from),
                    block.field(Field::Tools),
                    result.tools(),
                    result.place.list(Field::Tools),
                    sink,
                )?;
                matching::providers(
                    promise.providers.iter().map(PromisedProvider::from),
                    block.field(Field::Providers),
                    result.providers(),
                    result.place.list(Field::Providers),
                    sink,
                )?;
            }
        }
        matching::generic(result, self.requested, sink)?;
        Continue(())
    }
}

impl<'p> From<&'p PinnedTool> for PromisedTool<'p> {
    fn from(tool: &'p PinnedTool) -> Self {
        Self {
            name: &tool.name,
            description: &tool.description,
            schema: Promised::Digest(&tool.schema),
        }
    }
}

impl<'p> From<&'p PinnedProvider> for PromisedProvider<'p> {
    fn from(provider: &'p PinnedProvider) -> Self {
        Self {
            id: &provider.id,
            display_name: &provider.display_name,
            description: &provider.description,
            config_schema: provider.config_schema.as_ref().map(Promised::Digest),
            models: PromisedModels::Pinned(&provider.models),
        }
    }
}

/// What a runtime registered and its manifest promised: the items that a host may register.
#[derive(Debug, Clone)]
#[must_use = "what is admitted is meant to be registered"]
pub struct Admitted<'d> {
    result: InitializeResult<'d>,
    legacy: bool,
}

impl<'d> Admitted<'d> {
    /// The admitted tools, in the runtime's order.
    #[must_use]
    pub fn tools(&self) -> &[RegisteredExtensionTool<'d>] {
        self.result.tools()
    }

    /// The admitted providers, in the runtime's order.
    #[must_use]
    pub fn providers(&self) -> &[RegisteredExtensionProvider<'d>] {
        self.result.providers()
    }

    /// The admitted generic capabilities, in the runtime's order.
    pub fn capabilities(&self) -> impl Iterator<Item = GenericCapability<'d>> + use<'d> {
        self.result.capabilities()
    }

    /// Whether the manifest promised nothing, so that nothing was matched: only well formed and permitted.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        self.legacy
    }
}
