//! Section 8: the rules that hold a runtime to its manifest, each once, over what was promised however
//! it is kept: declared in a manifest that is at hand, or pinned long ago.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::ControlFlow::{self, Continue};

use crate::digest::{Digester, SchemaDigest};
use crate::id;
use crate::json::Json;
use crate::manifest::{DeclaredExtensionProviderModel, DeclaredExtensionTool, Models};
use crate::names::NameIndex;
use crate::path::{Field, Path, numbered};
use crate::promise::{PinnedModel, PinnedProvider, PinnedTool};
use crate::reason::{Detail, Reason, Rejection, Side, Sink};
use crate::rules;
use crate::runtime::{
    GenericCapability, InitializeResult, RegisteredExtensionProvider, RegisteredExtensionTool,
    ResultPlace,
};
use crate::vocabulary::{Permission, PermissionSet};

/// A schema that was promised.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Promised<'p> {
    Value(Json<'p>),
    Digest(&'p SchemaDigest),
    /// The digest of the value that this text spells; the text may be gone, and is empty then.
    Text(&'p str, &'p SchemaDigest),
}

impl Promised<'_> {
    fn is(self, registered: Json<'_>, digester: &mut Digester) -> bool {
        match self {
            // What is spelled alike is the same value, whatever its digest.
            Self::Value(value) => {
                registered.is_spelled_as(value.source())
                    || digester.digest(value) == digester.digest(registered)
            }
            Self::Digest(digest) => digester.digest(registered) == *digest,
            Self::Text(text, digest) => {
                registered.is_spelled_as(text) || digester.digest(registered) == *digest
            }
        }
    }

    /// Whether both are absent or both the same.
    fn is_optional(
        promised: Option<Self>,
        registered: Option<Json<'_>>,
        digester: &mut Digester,
    ) -> bool {
        match (promised, registered) {
            (None, None) => true,
            (Some(promised), Some(registered)) => promised.is(registered, digester),
            _ => false,
        }
    }
}

/// A tool that was promised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromisedTool<'p> {
    pub(crate) name: &'p str,
    pub(crate) description: &'p str,
    pub(crate) schema: Promised<'p>,
}

/// A provider that was promised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromisedProvider<'p> {
    pub(crate) id: &'p str,
    pub(crate) display_name: &'p str,
    pub(crate) description: &'p str,
    pub(crate) config_schema: Option<Promised<'p>>,
    pub(crate) models: PromisedModels<'p>,
}

/// The models of a provider that was promised.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PromisedModels<'p> {
    Declared(Models<'p>),
    Pinned(&'p [PinnedModel]),
}

impl PromisedModels<'_> {
    fn count(self) -> usize {
        match self {
            Self::Declared(models) => models.count(),
            Self::Pinned(models) => models.len(),
        }
    }

    /// The places at which the promised models were registered.
    fn places(self, registered: &NameIndex<Cow<'_, str>>) -> Vec<u32> {
        match self {
            Self::Declared(models) => models
                .iter()
                .filter_map(|model| registered.find(model.id()))
                .collect(),
            Self::Pinned(models) => models
                .iter()
                .filter_map(|model| registered.find(&model.id))
                .collect(),
        }
    }
}

/// Holds registered tools to promised ones.
pub(crate) fn tools<'p, S: Sink>(
    promised: impl ExactSizeIterator<Item = PromisedTool<'p>>,
    declared_list: Path,
    registered: &[RegisteredExtensionTool<'_>],
    registered_list: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let runtime = |reason, path| Rejection::at(reason, path).on(Side::Runtime);
    if promised.len() != registered.len() {
        sink.report(runtime(
            Reason::DeclaredAndRegisteredToolCountsDiffer,
            registered_list,
        ))?;
    }
    for (index, one) in numbered(registered.iter()) {
        rules::tool(one, &registered_list, index, Side::Runtime, sink)?;
    }
    let names = NameIndex::new(numbered(registered.iter().map(|tool| tool.name())));
    for index in names.repeated() {
        sink.report(runtime(
            Reason::RegisteredToolNamesDuplicate,
            registered_list.index(index).field(Field::Name),
        ))?;
    }
    let mut digester = Digester::new();
    for (index, tool) in numbered(promised) {
        let Some((place, live)) = find(&names, registered, tool.name) else {
            sink.report(Rejection::at(
                Reason::DeclaredToolNotRegistered,
                declared_list.index(index).field(Field::Name),
            ))?;
            continue;
        };
        let at = |field| registered_list.index(place).field(field);
        if !tool.schema.is(live.input_schema(), &mut digester) {
            sink.report(runtime(
                Reason::RegisteredToolSchemaDigestMismatch,
                at(Field::InputSchema),
            ))?;
        }
        if live.description() != tool.description {
            sink.report(runtime(
                Reason::RegisteredToolDescriptionMismatch,
                at(Field::Description),
            ))?;
        }
    }
    Continue(())
}

fn find<'r, T>(names: &NameIndex<&str>, items: &'r [T], name: &str) -> Option<(u32, &'r T)> {
    let place = names.find(name)?;
    Some((place, items.get(usize::try_from(place).ok()?)?))
}

/// Holds registered providers to promised ones.
pub(crate) fn providers<'p, S: Sink>(
    promised: impl ExactSizeIterator<Item = PromisedProvider<'p>>,
    declared_list: Path,
    registered: &[RegisteredExtensionProvider<'_>],
    registered_list: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let runtime = |reason, path| Rejection::at(reason, path).on(Side::Runtime);
    if promised.len() != registered.len() {
        sink.report(runtime(
            Reason::DeclaredAndRegisteredProviderCountsDiffer,
            registered_list,
        ))?;
    }
    let ids = NameIndex::new(numbered(registered.iter().map(|one| one.id())));
    for index in ids.repeated() {
        sink.report(runtime(
            Reason::RegisteredProviderIdsDuplicate,
            registered_list.index(index).field(Field::Id),
        ))?;
    }
    let mut digester = Digester::new();
    for (index, provider) in numbered(promised) {
        let declared = declared_list.index(index);
        let Some((place, live)) = find(&ids, registered, provider.id) else {
            sink.report(Rejection::at(
                Reason::DeclaredProviderNotRegistered,
                declared.field(Field::Id),
            ))?;
            continue;
        };
        let registered = registered_list.index(place);
        let at = |field| registered.field(field);
        if live.display_name() != provider.display_name {
            sink.report(runtime(
                Reason::RegisteredProviderDisplayNameMismatch,
                at(Field::DisplayName),
            ))?;
        }
        if live.description() != provider.description {
            sink.report(runtime(
                Reason::RegisteredProviderDescriptionMismatch,
                at(Field::Description),
            ))?;
        }
        if !Promised::is_optional(provider.config_schema, live.config_schema(), &mut digester) {
            sink.report(runtime(
                Reason::RegisteredProviderConfigSchemaMismatch,
                at(Field::ConfigSchema),
            ))?;
        }
        models(
            provider.models,
            declared.field(Field::Models),
            live,
            at(Field::Models),
            &mut digester,
            sink,
        )?;
    }
    Continue(())
}

fn models<S: Sink>(
    promised: PromisedModels<'_>,
    declared_list: Path,
    live: &RegisteredExtensionProvider<'_>,
    registered_list: Path,
    digester: &mut Digester,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    // A runtime may send a list that is most of its document, so only the models that were promised are
    // decoded, and of the others no more than the id is kept.
    let ids = live.models.index();
    if promised.count() != live.models.count() {
        sink.report(
            Rejection::at(Reason::RegisteredProviderModelCountsDiffer, registered_list)
                .on(Side::Runtime),
        )?;
    }
    for index in ids.repeated() {
        sink.report(
            Rejection::at(
                Reason::RegisteredProviderModelIdsDuplicate,
                registered_list.index(index).field(Field::Id),
            )
            .on(Side::Runtime),
        )?;
    }
    let mut held = Held {
        registered: live.models.at(promised.places(&ids)),
        ids,
        declared_list,
        registered_list,
        digester,
    };
    match promised {
        PromisedModels::Declared(models) => {
            for (index, model) in numbered(models.iter()) {
                let capabilities = model.capabilities().map(Promised::Value);
                held.model(
                    index,
                    model.id(),
                    model.display_name(),
                    model.context_window(),
                    capabilities,
                    sink,
                )?;
            }
        }
        PromisedModels::Pinned(models) => {
            for (index, model) in numbered(models.iter()) {
                let capabilities = model.capabilities.as_ref().map(Promised::Digest);
                held.model(
                    index,
                    &model.id,
                    model.display_name.as_deref(),
                    model.context_window,
                    capabilities,
                    sink,
                )?;
            }
        }
    }
    Continue(())
}

/// The registered models of one provider, to which promised ones are held.
struct Held<'a, 'd> {
    ids: NameIndex<Cow<'d, str>>,
    /// Those of a promised id with their places, ascending.
    registered: Vec<(u32, DeclaredExtensionProviderModel<'d>)>,
    declared_list: Path,
    registered_list: Path,
    digester: &'a mut Digester,
}

impl Held<'_, '_> {
    fn model<S: Sink>(
        &mut self,
        index: u32,
        id: &str,
        display_name: Option<&str>,
        context_window: Option<u64>,
        capabilities: Option<Promised<'_>>,
        sink: &mut S,
    ) -> ControlFlow<S::Stop> {
        let found = self.ids.find(id).and_then(|place| {
            let known = self.registered.binary_search_by_key(&place, |(at, _)| *at);
            self.registered.get(known.ok()?)
        });
        let Some(&(place, ref live)) = found else {
            return sink.report(Rejection::at(
                Reason::DeclaredProviderModelNotRegistered,
                self.declared_list.index(index).field(Field::Id),
            ));
        };
        let at = self.registered_list.index(place);
        let mut report =
            |reason, field| sink.report(Rejection::at(reason, at.field(field)).on(Side::Runtime));
        if live.display_name() != display_name {
            report(
                Reason::RegisteredProviderModelDisplayNameMismatch,
                Field::DisplayName,
            )?;
        }
        if live.context_window() != context_window {
            report(
                Reason::RegisteredProviderModelContextWindowMismatch,
                Field::ContextWindow,
            )?;
        }
        if !Promised::is_optional(capabilities, live.capabilities(), self.digester) {
            report(
                Reason::RegisteredProviderModelCapabilitiesMismatch,
                Field::Capabilities,
            )?;
        }
        Continue(())
    }
}

/// The result's protocol version.
pub(crate) fn protocol_version<S: Sink>(
    result: &InitializeResult<'_>,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    if result.protocol_version == Some(1) {
        return Continue(());
    }
    let path = result.place.path().field(Field::ProtocolVersion);
    sink.report(Rejection::at(Reason::UnsupportedProtocolVersion, path).on(Side::Runtime))
}

/// What an extension without a deferred block registers: well formed and permitted.
pub(crate) fn eager<S: Sink>(
    result: &InitializeResult<'_>,
    requested: PermissionSet,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let list = result.place.list(Field::Tools);
    let names = NameIndex::new(numbered(result.tools().iter().map(|tool| tool.name())));
    let repeated = names.repeated();
    for (index, tool) in numbered(result.tools().iter()) {
        eager_tool(
            tool,
            &list,
            index,
            repeated.binary_search(&index).is_ok(),
            sink,
        )?;
    }
    let list = result.place.list(Field::Providers);
    let ids = NameIndex::new(numbered(result.providers().iter().map(|one| one.id())));
    let repeated = ids.repeated();
    for (index, provider) in numbered(result.providers().iter()) {
        let at = list.index(index);
        eager_provider(provider, &at, repeated.binary_search(&index).is_ok(), sink)?;
    }
    for (any, list, permission, reason) in [
        (
            !result.tools().is_empty(),
            Field::Tools,
            Permission::ToolsRegister,
            Reason::RegisteredToolsRequireToolsRegisterPermission,
        ),
        (
            !result.providers().is_empty(),
            Field::Providers,
            Permission::ProvidersRegister,
            Reason::RegisteredProvidersRequireProvidersRegisterPermission,
        ),
    ] {
        if any && !requested.contains(permission) {
            sink.report(
                Rejection::at(reason, result.place.list(list))
                    .with(Detail::Needs(permission.as_str()))
                    .on(Side::Runtime),
            )?;
        }
    }
    Continue(())
}

fn eager_tool<S: Sink>(
    tool: &RegisteredExtensionTool<'_>,
    list: &Path,
    index: u32,
    repeated: bool,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    rules::tool_name(tool, list, index, Side::Runtime, sink)?;
    let at = |field| list.index(index).field(field);
    let mut report =
        |reason, field| sink.report(Rejection::at(reason, at(field)).on(Side::Runtime));
    if repeated {
        report(Reason::RegisteredToolNamesDuplicate, Field::Name)?;
    }
    if id::is_blank(tool.description()) {
        report(Reason::InvalidDeclaredToolDescription, Field::Description)?;
    }
    rules::tool_schema_is_object(tool, list, index, Side::Runtime, sink)
}

fn eager_provider<S: Sink>(
    provider: &RegisteredExtensionProvider<'_>,
    at: &Path,
    repeated: bool,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let mut report = |reason, path| sink.report(Rejection::at(reason, path).on(Side::Runtime));
    if !id::is_provider_id(provider.id()) {
        report(Reason::InvalidDeclaredProviderId, at.field(Field::Id))?;
    }
    if repeated {
        report(Reason::RegisteredProviderIdsDuplicate, at.field(Field::Id))?;
    }
    if id::is_blank(provider.display_name()) {
        report(
            Reason::InvalidDeclaredProviderDisplayName,
            at.field(Field::DisplayName),
        )?;
    }
    if id::is_blank(provider.description()) {
        report(
            Reason::InvalidDeclaredProviderDescription,
            at.field(Field::Description),
        )?;
    }
    let list = at.field(Field::Models);
    if provider.models.count() == 0 {
        report(Reason::InvalidDeclaredProviderModelCount, list)?;
    }
    let repeated = provider.models.index().repeated();
    for (index, model) in numbered(provider.models()) {
        let path = list.index(index).field(Field::Id);
        if !id::is_capability_id(model.id()) {
            report(Reason::InvalidDeclaredProviderModelId, path)?;
        }
        if repeated.binary_search(&index).is_ok() {
            report(Reason::RegisteredProviderModelIdsDuplicate, path)?;
        }
    }
    if provider
        .config_schema()
        .is_some_and(|schema| !schema.is_object())
    {
        report(
            Reason::InvalidDeclaredProviderConfigSchema,
            at.field(Field::ConfigSchema),
        )?;
    }
    Continue(())
}

/// Generic capabilities, which are held to the requested permissions alone.
pub(crate) fn generic<S: Sink>(
    result: &InitializeResult<'_>,
    requested: PermissionSet,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    for (index, capability) in numbered(result.capabilities()) {
        generic_capability(&capability, index, result.place, requested, sink)?;
    }
    Continue(())
}

fn generic_capability<S: Sink>(
    capability: &GenericCapability<'_>,
    index: u32,
    place: ResultPlace,
    requested: PermissionSet,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let at = place.list(Field::Capabilities).index(index);
    for (text, field) in [
        (capability.kind(), Field::Kind),
        (capability.name(), Field::Name),
    ] {
        if id::is_blank(text) {
            sink.report(
                Rejection::at(Reason::InvalidCapability, at.field(field)).on(Side::Runtime),
            )?;
        }
    }
    for (position, text) in numbered(capability.permission_texts()) {
        let permitted = Permission::from_name(&text.decoded())
            .is_some_and(|permission| requested.contains(permission));
        if !permitted {
            sink.report(
                Rejection::at(
                    Reason::CapabilityPermissionMissing,
                    at.field(Field::Permissions).index(position),
                )
                .on(Side::Runtime),
            )?;
        }
    }
    Continue(())
}

impl<'d> From<&'d DeclaredExtensionTool<'_>> for PromisedTool<'d> {
    fn from(tool: &'d DeclaredExtensionTool<'_>) -> Self {
        Self {
            name: tool.name(),
            description: tool.description(),
            schema: Promised::Value(tool.input_schema()),
        }
    }
}

impl<'d> From<&'d RegisteredExtensionProvider<'_>> for PromisedProvider<'d> {
    fn from(provider: &'d RegisteredExtensionProvider<'_>) -> Self {
        Self {
            id: provider.id(),
            display_name: provider.display_name(),
            description: provider.description(),
            config_schema: provider.config_schema().map(Promised::Value),
            models: PromisedModels::Declared(provider.models),
        }
    }
}

impl<'p> From<&'p PinnedTool> for PromisedTool<'p> {
    fn from(tool: &'p PinnedTool) -> Self {
        Self {
            name: tool.name(),
            description: tool.description(),
            schema: Promised::Text(tool.schema_text(), tool.schema()),
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
