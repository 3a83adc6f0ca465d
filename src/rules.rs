//! Sections 3, 4 and 5: the rules, each once. Whether the first fault ends the checking or every fault
//! is reported is the sink's affair.

use alloc::vec::Vec;
use core::ops::ControlFlow::{self, Continue};

use crate::id;
use crate::json::Json;
use crate::limits::{
    self, DECLARED_MAX_CONTEXT_PROVIDERS, DECLARED_MAX_PROVIDER_MODELS, DECLARED_MAX_PROVIDERS,
    DECLARED_MAX_TOOLS, DECLARED_SCHEMA_MAX_BYTES, Limit,
};
use crate::manifest::{
    Alias, DeclaredExtensionContextProvider, DeclaredExtensionProvider,
    DeclaredExtensionProviderModel, DeclaredExtensionTool, DeferredDeclarations, DeferredLifecycle,
    ExtensionManifest,
};
use crate::names::RepeatedNames;
use crate::path::{Field, Path, numbered};
use crate::reason::{Detail, Reason, Rejection, Side, Sink};
use crate::vocabulary::{HookKind, Permission};

/// Reports a fault at a value.
macro_rules! fault {
    ($sink:expr, $reason:ident, $path:expr) => {
        $sink.report(Rejection::at(Reason::$reason, $path))?
    };
    ($sink:expr, $reason:ident, $path:expr, $detail:expr) => {
        $sink.report(Rejection::at(Reason::$reason, $path).with($detail))?
    };
}

/// A text's measure, where it is too long; else nothing to add.
fn length(text: &str, limit: &'static Limit) -> Detail {
    if text.len() > limit.value {
        Detail::Measured(text.len(), limit)
    } else {
        Detail::None
    }
}

/// Sections 5, 3 and 4, in the order in which their faults rank.
pub(crate) fn manifest<S: Sink>(
    manifest: &ExtensionManifest<'_>,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    legacy_alias(&manifest.alias, sink)?;
    manifest_deferred(manifest, sink)?;
    whole_manifest(manifest, sink)
}

/// Section 5.
fn legacy_alias<S: Sink>(alias: &Alias<'_>, sink: &mut S) -> ControlFlow<S::Stop> {
    let extension = Path::of(Field::Extension);
    let activation = extension.field(Field::Activation);
    if let Some(text) = alias.activation
        && !text.is("deferred")
    {
        fault!(
            sink,
            UnsupportedActivation,
            activation,
            Detail::OneOf(&["deferred"])
        );
    }
    if alias.native && alias.is_used() {
        let place = if alias.activation.is_some() {
            activation
        } else {
            extension.field(Field::Tools)
        };
        fault!(sink, AmbiguousDeferredDeclarations, place);
    } else if alias.activation.is_some() && alias.knows_tools && !alias.tools {
        fault!(sink, DeferredActivationWithoutTools, activation);
    }
    Continue(())
}

/// Section 3, and the permissions and hooks that a deferred block needs (section 4).
pub(crate) fn manifest_deferred<S: Sink>(
    manifest: &ExtensionManifest<'_>,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let Some(declared) = manifest.deferred() else {
        return Continue(());
    };
    deferred(declared, sink)?;
    let path = declared.place.path();
    if manifest.knows_permissions() {
        let requested = manifest.requested();
        for (count, list, permission, reason) in [
            (
                declared.tool_count,
                Field::Tools,
                Permission::ToolsRegister,
                Reason::DeferredToolsRequireToolsRegisterPermission,
            ),
            (
                declared.provider_count,
                Field::Providers,
                Permission::ProvidersRegister,
                Reason::DeferredProvidersRequireProvidersRegisterPermission,
            ),
            (
                declared.context_provider_count,
                Field::ContextProviders,
                Permission::ContextProvidersRegister,
                Reason::DeferredContextProvidersRequireContextProvidersRegisterPermission,
            ),
        ] {
            if count > 0 && !requested.contains(permission) {
                sink.report(
                    Rejection::at(reason, path.field(list))
                        .with(Detail::Needs(permission.as_str())),
                )?;
            }
        }
    }
    if declared.lifecycle() == Some(DeferredLifecycle::Hook) && !manifest.has_hooks() {
        fault!(
            sink,
            HookLifecycleRequiresHookSubscriptions,
            path.field(Field::Lifecycle)
        );
    }
    Continue(())
}

/// Section 3: the deferred block by itself.
pub(crate) fn deferred<S: Sink>(
    declared: &DeferredDeclarations<'_>,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let block = declared.place.path();
    tools(declared, block.field(Field::Tools), sink)?;
    providers(declared, block.field(Field::Providers), sink)?;
    context_providers(declared, block.field(Field::ContextProviders), sink)?;
    if declared.lifecycle() == Some(DeferredLifecycle::User)
        && (declared.tool_count > 0 || declared.provider_count > 0)
    {
        fault!(
            sink,
            UserLifecycleConflictsWithActiveCapabilities,
            block.field(Field::Lifecycle)
        );
    }
    Continue(())
}

fn too_many(count: usize, limit: &'static Limit) -> Detail {
    Detail::Measured(count, limit)
}

fn tools<S: Sink>(
    declared: &DeferredDeclarations<'_>,
    list: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    if declared.tool_count > DECLARED_MAX_TOOLS {
        fault!(
            sink,
            TooManyDeclaredTools,
            list,
            too_many(declared.tool_count, &limits::TOOLS)
        );
    }
    let tools = declared.tools();
    let repeated = RepeatedNames::of(tools.len(), |place| tools.get(place)?.name.as_deref());
    for (index, one) in numbered(tools.iter()) {
        tool(one, &list, index, Side::Manifest, sink)?;
        if repeated.has(index) {
            fault!(
                sink,
                DuplicateDeclaredToolName,
                list.index(index).field(Field::Name)
            );
        }
    }
    Continue(())
}

/// What a tool must be, declared or registered; duplicates aside.
pub(crate) fn tool<S: Sink>(
    tool: &DeclaredExtensionTool<'_>,
    list: &Path,
    index: u32,
    side: Side,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let at = |field| list.index(index).field(field);
    tool_name(tool, list, index, side, sink)?;
    if let Some(description) = &tool.description
        && !id::is_description(description)
    {
        sink.report(
            Rejection::at(
                Reason::InvalidDeclaredToolDescription,
                at(Field::Description),
            )
            .with(length(description, &limits::DESCRIPTION))
            .on(side),
        )?;
    }
    tool_schema_is_object(tool, list, index, side, sink)?;
    if let Some(schema) = tool.input_schema
        && let Some(size) = oversized(schema)
    {
        sink.report(
            Rejection::at(Reason::OversizedDeclaredToolSchema, at(Field::InputSchema))
                .with(size)
                .on(side),
        )?;
    }
    Continue(())
}

/// A tool's name is a capability id.
pub(crate) fn tool_name<S: Sink>(
    tool: &DeclaredExtensionTool<'_>,
    list: &Path,
    index: u32,
    side: Side,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    match &tool.name {
        Some(name) if !id::is_capability_id(name) => sink.report(
            Rejection::at(
                Reason::InvalidDeclaredToolName,
                list.index(index).field(Field::Name),
            )
            .with(length(name, &limits::ID))
            .on(side),
        ),
        _ => Continue(()),
    }
}

/// A tool's schema is an object.
pub(crate) fn tool_schema_is_object<S: Sink>(
    tool: &DeclaredExtensionTool<'_>,
    list: &Path,
    index: u32,
    side: Side,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    match tool.input_schema {
        Some(schema) if !schema.is_object() => sink.report(
            Rejection::at(
                Reason::DeclaredToolSchemaNotObject,
                list.index(index).field(Field::InputSchema),
            )
            .with(Detail::Expected("an object"))
            .on(side),
        ),
        _ => Continue(()),
    }
}

/// The size of an object whose compact text is too large.
fn oversized(schema: Json<'_>) -> Option<Detail> {
    if !schema.is_object() {
        return None;
    }
    schema
        .compact_size_above(DECLARED_SCHEMA_MAX_BYTES)
        .map(|size| Detail::Measured(size, &limits::SCHEMA))
}

fn providers<S: Sink>(
    declared: &DeferredDeclarations<'_>,
    list: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    if declared.provider_count > DECLARED_MAX_PROVIDERS {
        fault!(
            sink,
            TooManyDeclaredProviders,
            list,
            too_many(declared.provider_count, &limits::PROVIDERS)
        );
    }
    let providers = declared.providers();
    let repeated = RepeatedNames::of(providers.len(), |place| providers.get(place)?.id.as_deref());
    let mut models = Vec::new();
    for (index, one) in numbered(providers.iter()) {
        let at = list.index(index);
        provider(one, &at, repeated.has(index), &mut models, sink)?;
    }
    Continue(())
}

/// `kept` is memory for its models, used again for the next provider.
fn provider<'d, S: Sink>(
    provider: &DeclaredExtensionProvider<'d>,
    at: &Path,
    repeated: bool,
    kept: &mut Vec<DeclaredExtensionProviderModel<'d>>,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    if let Some(text) = &provider.id
        && !id::is_provider_id(text)
    {
        fault!(
            sink,
            InvalidDeclaredProviderId,
            at.field(Field::Id),
            length(text, &limits::ID)
        );
    }
    if repeated {
        fault!(sink, DuplicateDeclaredProviderId, at.field(Field::Id));
    }
    if let Some(name) = &provider.display_name
        && (id::is_blank(name) || !id::fits_display(name))
    {
        fault!(
            sink,
            InvalidDeclaredProviderDisplayName,
            at.field(Field::DisplayName),
            length(name, &limits::DISPLAY)
        );
    }
    if let Some(description) = &provider.description
        && !id::is_description(description)
    {
        fault!(
            sink,
            InvalidDeclaredProviderDescription,
            at.field(Field::Description),
            length(description, &limits::DESCRIPTION)
        );
    }
    let models = at.field(Field::Models);
    let count = provider.models.count();
    if provider.models.known && !(1..=DECLARED_MAX_PROVIDER_MODELS).contains(&count) {
        fault!(
            sink,
            InvalidDeclaredProviderModelCount,
            models,
            Detail::Measured(count, &limits::PROVIDER_MODELS)
        );
    }
    kept.clear();
    kept.reserve(count.min(DECLARED_MAX_PROVIDER_MODELS));
    kept.extend(provider.models().take(DECLARED_MAX_PROVIDER_MODELS));
    let repeated = RepeatedNames::of(kept.len(), |place| kept.get(place)?.id.as_deref());
    for (index, one) in numbered(kept.iter()) {
        model(one, &models.index(index), repeated.has(index), sink)?;
    }
    if let Some(schema) = provider.config_schema {
        let place = at.field(Field::ConfigSchema);
        if !schema.is_object() {
            fault!(
                sink,
                InvalidDeclaredProviderConfigSchema,
                place,
                Detail::Expected("an object")
            );
        } else if let Some(size) = oversized(schema) {
            fault!(sink, InvalidDeclaredProviderConfigSchema, place, size);
        }
    }
    Continue(())
}

fn model<S: Sink>(
    model: &DeclaredExtensionProviderModel<'_>,
    at: &Path,
    repeated: bool,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    if let Some(text) = &model.id
        && !id::is_capability_id(text)
    {
        fault!(
            sink,
            InvalidDeclaredProviderModelId,
            at.field(Field::Id),
            length(text, &limits::ID)
        );
    }
    if repeated {
        fault!(sink, DuplicateDeclaredProviderModelId, at.field(Field::Id));
    }
    if let Some(name) = &model.display_name
        && !id::fits_display(name)
    {
        fault!(
            sink,
            InvalidDeclaredProviderModelDisplayName,
            at.field(Field::DisplayName),
            length(name, &limits::DISPLAY)
        );
    }
    let Some(capabilities) = model.capabilities else {
        return Continue(());
    };
    let place = at.field(Field::Capabilities);
    if !capabilities.is_object() {
        fault!(
            sink,
            InvalidDeclaredProviderModelCapabilities,
            place,
            Detail::Expected("null, or an object from labels to booleans")
        );
    }
    for (position, (label, value)) in numbered(capabilities.text_members()) {
        let member = place.member(position);
        if !id::is_label(&label.decoded()) {
            let measure = length(&label.decoded(), &limits::NAME);
            sink.report(
                Rejection::at_key(Reason::InvalidDeclaredProviderModelCapabilities, member)
                    .with(measure),
            )?;
        } else if value.as_bool().is_none() {
            fault!(
                sink,
                InvalidDeclaredProviderModelCapabilities,
                member,
                Detail::Expected("true or false")
            );
        }
    }
    Continue(())
}

fn context_providers<S: Sink>(
    declared: &DeferredDeclarations<'_>,
    list: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    if declared.context_provider_count > DECLARED_MAX_CONTEXT_PROVIDERS {
        fault!(
            sink,
            TooManyDeclaredContextProviders,
            list,
            too_many(declared.context_provider_count, &limits::CONTEXT_PROVIDERS)
        );
    }
    let providers = declared.context_providers();
    let repeated = RepeatedNames::of(providers.len(), |place| providers.get(place)?.id.as_deref());
    for (index, one) in numbered(providers.iter()) {
        let at = list.index(index);
        context_provider(one, &at, repeated.has(index), sink)?;
    }
    Continue(())
}

fn context_provider<S: Sink>(
    provider: &DeclaredExtensionContextProvider<'_>,
    at: &Path,
    repeated: bool,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    if let Some(text) = &provider.id
        && !id::is_context_provider_id(text)
    {
        fault!(
            sink,
            InvalidDeclaredContextProviderId,
            at.field(Field::Id),
            length(text, &limits::NAME)
        );
    }
    if repeated {
        fault!(
            sink,
            DuplicateDeclaredContextProviderId,
            at.field(Field::Id)
        );
    }
    if let Some(label) = &provider.capability
        && !id::is_label(label)
    {
        fault!(
            sink,
            InvalidDeclaredContextProviderCapability,
            at.field(Field::Capability),
            length(label, &limits::NAME)
        );
    }
    if let Some(description) = &provider.description
        && (description.is_empty() || description.len() > limits::DESCRIPTION.value)
    {
        fault!(
            sink,
            InvalidDeclaredContextProviderDescription,
            at.field(Field::Description),
            length(description, &limits::DESCRIPTION)
        );
    }
    if provider.schema_version == Some(0) {
        fault!(
            sink,
            InvalidDeclaredContextProviderSchemaVersion,
            at.field(Field::SchemaVersion)
        );
    }
    Continue(())
}

/// Section 4: the manifest as a whole.
fn whole_manifest<S: Sink>(manifest: &ExtensionManifest<'_>, sink: &mut S) -> ControlFlow<S::Stop> {
    let extension = Path::of(Field::Extension);
    if manifest
        .protocol_version
        .is_some_and(|version| version != 1)
    {
        fault!(
            sink,
            UnsupportedProtocolVersion,
            extension.field(Field::ProtocolVersion)
        );
    }
    if manifest.command.as_deref().is_some_and(id::is_blank) {
        fault!(sink, EmptyCommand, extension.field(Field::Command));
    }
    if !manifest.has_hooks()
        && manifest.knows_permissions()
        && !manifest.requested().iter().any(Permission::stands_alone)
    {
        fault!(sink, NoHookOrRegistrationPermission, extension);
    }
    theme_tokens(manifest, extension.field(Field::ThemeTokens), sink)?;
    permissions(manifest, extension.field(Field::Permissions), sink)?;
    hooks(manifest, extension.field(Field::Hooks), sink)
}

fn theme_tokens<S: Sink>(
    manifest: &ExtensionManifest<'_>,
    map: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let tokens = manifest.theme_tokens.map(Json::text_members);
    for (position, (name, color)) in numbered(tokens.into_iter().flatten()) {
        let name = name.decoded();
        let refused = |one: char| matches!(one, '.' | '/' | '\\') || one.is_whitespace();
        if name.is_empty() || name.contains(refused) {
            sink.report(Rejection::at_key(
                Reason::InvalidThemeTokenName,
                map.member(position),
            ))?;
        }
        if let Some(color) = color.as_str()
            && !is_color(color.trim())
        {
            fault!(sink, InvalidThemeTokenColor, map.member(position));
        }
    }
    Continue(())
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

fn permissions<S: Sink>(
    manifest: &ExtensionManifest<'_>,
    list: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    for (index, text) in manifest.permission_items() {
        let Some(text) = text else { continue };
        match Permission::from_name(&text.decoded()) {
            None => fault!(
                sink,
                UnknownPermission,
                list.index(index),
                Detail::OneOf(Permission::REQUESTABLE)
            ),
            Some(permission) if permission.is_reserved() => {
                fault!(sink, ReservedPermission, list.index(index));
            }
            Some(_) => {}
        }
    }
    Continue(())
}

fn hooks<S: Sink>(
    manifest: &ExtensionManifest<'_>,
    list: Path,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let requested = manifest.requested();
    for (index, subscription) in numbered(manifest.hooks()) {
        let Some(name) = &subscription.hook else {
            continue;
        };
        let at = |field| list.index(index).field(field);
        let Some(hook) = HookKind::from_name(name) else {
            fault!(
                sink,
                UnknownHook,
                at(Field::Hook),
                Detail::OneOf(HookKind::NAMES)
            );
            continue;
        };
        if manifest.knows_permissions() && !requested.contains(hook.permission()) {
            fault!(
                sink,
                HookPermissionMissing,
                at(Field::Hook),
                Detail::Needs(hook.permission().as_str())
            );
        }
        if subscription.tool().is_some() && !hook.takes_tool_filter() {
            fault!(sink, HookToolFilterNotAllowed, at(Field::Tool));
        }
    }
    Continue(())
}
