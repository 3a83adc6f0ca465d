//! Section 8: what a running extension registered, decoded.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::ControlFlow::{self, Continue};

use crate::json::{Json, RuntimeDocument, Text};
use crate::manifest::{DeclaredExtensionProvider, DeclaredExtensionTool};
use crate::path::{Field, Path};
use crate::reason::{FirstFault, Reason, Rejection, Side, Sink, first_fault};
use crate::shape;

/// A tool that a runtime registered. It has the members of a declared one.
pub type RegisteredExtensionTool<'d> = DeclaredExtensionTool<'d>;
/// A provider that a runtime registered. It has the members of a declared one.
pub type RegisteredExtensionProvider<'d> = DeclaredExtensionProvider<'d>;

/// An initialize result, decoded, and held to nothing yet: [`PinnedManifest::admit`](crate::PinnedManifest::admit)
/// does that.
#[derive(Debug, Clone)]
#[must_use = "a result that is not admitted registers nothing"]
pub struct InitializeResult<'d> {
    pub(crate) place: ResultPlace,
    pub(crate) protocol_version: Option<u32>,
    tools: Vec<RegisteredExtensionTool<'d>>,
    providers: Vec<RegisteredExtensionProvider<'d>>,
    capabilities: Option<Json<'d>>,
}

/// Where an initialize result stands in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultPlace {
    Root,
    /// In the `result` of a JSON-RPC response.
    Response,
}

impl ResultPlace {
    pub(crate) fn path(self) -> Path {
        match self {
            Self::Root => Path::ROOT,
            Self::Response => Path::of(Field::Result),
        }
    }

    /// The list of that name among the result's capabilities.
    pub(crate) fn list(self, list: Field) -> Path {
        self.path().field(Field::Capabilities).field(list)
    }
}

impl RuntimeDocument<'_> {
    fn place(&self) -> ResultPlace {
        if self.is_response() {
            ResultPlace::Response
        } else {
            ResultPlace::Root
        }
    }

    pub(crate) fn result_value(&self) -> Option<Json<'_>> {
        match self.place() {
            ResultPlace::Root => Some(self.root()),
            ResultPlace::Response => self.root().get(Field::Result.as_str()),
        }
    }

    /// Decodes the result.
    ///
    /// ```
    /// let bytes = br#"{"jsonrpc": "2.0", "id": 1, "result": {"protocol_version": 1}}"#;
    /// let document = extgate::RuntimeDocument::json_rpc_response(bytes)?;
    /// let result = document.result()?;
    /// assert!(result.tools().is_empty());
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    ///
    /// # Errors
    /// A rejection of category [`Shape`](crate::Category::Shape), the first by position; `missing_field`
    /// for a response without a result.
    pub fn result(&self) -> Result<InitializeResult<'_>, Rejection> {
        first_fault(self.check(&mut FirstFault))?;
        Ok(InitializeResult::of(
            self.result_value().unwrap_or(Json::NULL),
            self.place(),
        ))
    }

    /// Reports every fault of the result's shape, by position.
    ///
    /// The result is `Break` where the sink ended the checking.
    pub fn check<S: Sink>(&self, sink: &mut S) -> ControlFlow<S::Stop> {
        match self.result_value() {
            Some(value) => shape::check(
                value,
                &shape::INITIALIZE_RESULT,
                self.place().path(),
                Side::Runtime,
                sink,
            ),
            None => {
                sink.report(
                    Rejection::at(Reason::MissingField, Path::ROOT)
                        .with(crate::reason::Detail::Missing(Field::Result))
                        .on(Side::Runtime),
                )?;
                Continue(())
            }
        }
    }
}

impl<'d> InitializeResult<'d> {
    fn of(value: Json<'d>, place: ResultPlace) -> Self {
        let mut result = Self {
            place,
            protocol_version: value
                .get(Field::ProtocolVersion.as_str())
                .and_then(Json::as_u64)
                .and_then(|version| u32::try_from(version).ok()),
            tools: Vec::new(),
            providers: Vec::new(),
            capabilities: None,
        };
        let capabilities = value.get(Field::Capabilities.as_str());
        for (key, list) in capabilities.into_iter().flat_map(Json::text_members) {
            match &*key.decoded() {
                "tools" => {
                    result.tools = Vec::with_capacity(list.count());
                    result
                        .tools
                        .extend(list.items().map(DeclaredExtensionTool::of));
                }
                "providers" => {
                    result.providers = Vec::with_capacity(list.count());
                    result
                        .providers
                        .extend(list.items().map(DeclaredExtensionProvider::of));
                }
                "capabilities" => result.capabilities = Some(list),
                _ => {}
            }
        }
        result
    }

    /// The protocol version that the runtime says it speaks; what is admitted says 1.
    #[must_use]
    pub fn protocol_version(&self) -> u32 {
        self.protocol_version.unwrap_or_default()
    }

    /// The registered tools, in the document's order.
    #[must_use]
    pub fn tools(&self) -> &[RegisteredExtensionTool<'d>] {
        &self.tools
    }

    /// The registered providers, in the document's order.
    #[must_use]
    pub fn providers(&self) -> &[RegisteredExtensionProvider<'d>] {
        &self.providers
    }

    /// The registered generic capabilities, in the document's order, read as they are asked for.
    pub fn capabilities(&self) -> impl Iterator<Item = GenericCapability<'d>> + use<'d> {
        self.capabilities
            .into_iter()
            .flat_map(Json::items)
            .map(GenericCapability::of)
    }
}

/// A capability that is neither tool nor provider (section 8). Of what was admitted, kind and name are not
/// blank and every permission is requested by the manifest.
#[derive(Debug, Clone)]
pub struct GenericCapability<'d> {
    kind: Cow<'d, str>,
    name: Cow<'d, str>,
    permissions: Option<Json<'d>>,
    params: Option<Json<'d>>,
}

impl<'d> GenericCapability<'d> {
    fn of(value: Json<'d>) -> Self {
        let mut capability = Self {
            kind: Cow::Borrowed(""),
            name: Cow::Borrowed(""),
            permissions: None,
            params: None,
        };
        for (key, value) in value.text_members() {
            match &*key.decoded() {
                "kind" => capability.kind = value.as_str().unwrap_or_default(),
                "name" => capability.name = value.as_str().unwrap_or_default(),
                "permissions" => capability.permissions = Some(value),
                "params" => capability.params = Some(value),
                _ => {}
            }
        }
        capability
    }

    /// What kind of capability it is.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The permissions that it needs, as they are spelled.
    pub fn permissions(&self) -> impl Iterator<Item = Cow<'d, str>> + use<'d> {
        self.permission_texts().map(Text::decoded)
    }

    pub(crate) fn permission_texts(&self) -> impl Iterator<Item = Text<'d>> + use<'d> {
        self.permissions
            .into_iter()
            .flat_map(Json::items)
            .filter_map(Json::as_text)
    }

    /// Its parameters, which the gate does not look at.
    #[must_use]
    pub fn params(&self) -> Option<Json<'d>> {
        self.params
    }
}
