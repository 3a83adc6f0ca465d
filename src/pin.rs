//! What a valid manifest promised, kept until its extension runs, and the one check that admits what
//! the extension then registers.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow::{self, Continue};

use crate::digest::SchemaDigest;
use crate::dormant::{DeferredExtensionTool, mint};
use crate::matching::{self, PromisedProvider, PromisedTool};
use crate::path::Field;
use crate::promise::Promise;
use crate::reason::{FirstFault, Rejection, Sink, first_fault};
use crate::runtime::{
    GenericCapability, InitializeResult, RegisteredExtensionProvider, RegisteredExtensionTool,
};
use crate::valid::ValidManifest;
#[cfg(feature = "serde")]
use crate::vocabulary::Permission;
use crate::vocabulary::PermissionSet;

/// What a valid manifest promised: names, descriptions, digests and permissions. Owned, so it outlives
/// the manifest's bytes and can wait for the child process, or be stored.
///
/// It also keeps the text of the tools' schemas, which it shares with the dormant tools: a schema that a
/// runtime sends as it was declared is the same without a digest. That text is not stored.
///
/// With the feature `serde` it can be written and read again. What is written has a format number, and
/// another number, an unknown member, and what no valid manifest promises (a name twice, a list beyond
/// its bound) are refused in reading. Beyond that a stored pin is trusted: keep it where extensions
/// cannot write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
#[must_use = "a pin is what a runtime is later held to"]
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

/// A pin as it is read, before it is held to what a valid manifest can promise.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: Format,
    plugin: Box<str>,
    requested: PermissionSet,
    promise: Option<Promise>,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for PinnedManifest {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        let Stored {
            format,
            plugin,
            requested,
            promise,
        } = stored;
        if requested.iter().any(Permission::is_reserved)
            || !promise.as_ref().is_none_or(Promise::is_possible)
        {
            return Err("a pin of what no valid manifest promises");
        }
        Ok(Self {
            format,
            plugin,
            requested,
            promise,
        })
    }
}

impl ValidManifest<'_> {
    /// Keeps what the manifest promises, for the time at which its extension runs. The plugin's id is
    /// kept as it is given; nothing is minted from it.
    pub fn pin(&self, plugin: &str) -> PinnedManifest {
        let declared = self.manifest().deferred();
        self.pin_with(
            plugin,
            declared.map_or_else(Vec::new, |block| mint("", block)),
        )
    }

    /// [`ValidManifest::pin`] with what was minted from the declared tools, for whatever plugin.
    pub(crate) fn pin_with(
        &self,
        plugin: &str,
        minted: Vec<DeferredExtensionTool>,
    ) -> PinnedManifest {
        let declared = self.manifest().deferred();
        PinnedManifest {
            #[cfg(feature = "serde")]
            format: Format,
            plugin: plugin.into(),
            requested: self.manifest().requested(),
            promise: declared.map(|declared| Promise::of(declared, minted)),
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

    /// The promised tools, in the order of declaration: each name, and the digest of its schema.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &SchemaDigest)> {
        let tools = self.promise.as_ref().map(|promise| &promise.tools);
        tools
            .into_iter()
            .flatten()
            .map(|tool| (tool.name(), tool.schema()))
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
    /// The first mismatch (section 8): `unsupported_protocol_version`, a reason of category
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
