//! The declared types: an extension block as its manifest spells it, borrowed from the document.
//!
//! They are read from a block whose shape was checked. In a report of every fault they are read all
//! the same, and a member whose shape was refused is then absent, so that rules pass it over.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::digest::SchemaDigest;
use crate::json::{Json, Text, TextMembers};
use crate::limits::{DECLARED_MAX_CONTEXT_PROVIDERS, DECLARED_MAX_PROVIDERS, DECLARED_MAX_TOOLS};
use crate::names::NameIndex;
use crate::path::{Field, Path, numbered};
use crate::vocabulary::{Permission, PermissionSet};

/// The extension block of a manifest (section 2), decoded. Its rules have not been checked:
/// [`ExtensionManifest::validate`] does that, and gives the proof.
#[derive(Debug, Clone)]
pub struct ExtensionManifest<'d> {
    pub(crate) protocol_version: Option<u32>,
    pub(crate) command: Option<Cow<'d, str>>,
    setup: Option<Cow<'d, str>>,
    args: Option<Json<'d>>,
    permissions: Option<Json<'d>>,
    hooks: Option<Json<'d>>,
    config: Option<Json<'d>>,
    prebuilt: Option<Json<'d>>,
    pub(crate) theme_tokens: Option<Json<'d>>,
    pub(crate) alias: Alias<'d>,
    deferred: Option<DeferredDeclarations<'d>>,
    requested: PermissionSet,
    knows_permissions: bool,
}

/// The old spelling of a deferred block, as it stands in the document (section 5).
#[derive(Debug, Clone)]
pub(crate) struct Alias<'d> {
    /// `activation`, where it is not null.
    pub(crate) activation: Option<Text<'d>>,
    /// Whether `tools` has an item.
    pub(crate) tools: bool,
    /// Whether `tools` is missing or an array, so that it can be said to have none.
    pub(crate) knows_tools: bool,
    /// Whether a `deferred` that is not null stands beside.
    pub(crate) native: bool,
}

impl Alias<'_> {
    /// Whether either member says something.
    pub(crate) fn is_used(&self) -> bool {
        self.activation.is_some() || self.tools
    }
}

impl<'d> ExtensionManifest<'d> {
    /// Reads the members of an extension block.
    pub(crate) fn of(block: Json<'d>) -> Self {
        let mut manifest = Self {
            protocol_version: Some(1),
            command: None,
            setup: None,
            args: None,
            permissions: None,
            hooks: None,
            config: None,
            prebuilt: None,
            theme_tokens: None,
            alias: Alias {
                activation: None,
                tools: false,
                knows_tools: true,
                native: false,
            },
            deferred: None,
            requested: PermissionSet::EMPTY,
            knows_permissions: true,
        };
        let (mut deferred, mut alias_tools) = (None, None);
        for (key, value) in block.text_members() {
            match &*key.decoded() {
                "protocol_version" => manifest.protocol_version = u32_of(value),
                "command" => manifest.command = value.as_str(),
                "setup" => manifest.setup = value.as_str(),
                "args" => manifest.args = Some(value),
                "permissions" => manifest.permissions = Some(value),
                "hooks" => manifest.hooks = Some(value),
                "config" => manifest.config = Some(value),
                "prebuilt" => manifest.prebuilt = Some(value),
                "theme_tokens" => manifest.theme_tokens = Some(value),
                "deferred" if !value.is_null() => deferred = Some(value),
                "tools" => alias_tools = Some(value),
                "activation" => manifest.alias.activation = value.as_text(),
                _ => {}
            }
        }
        manifest.alias.knows_tools = alias_tools.is_none_or(Json::is_array);
        manifest.alias.tools =
            manifest.alias.knows_tools && alias_tools.is_some_and(|tools| tools.count() > 0);
        manifest.alias.native = deferred.is_some();
        manifest.knows_permissions = manifest.permissions.is_none_or(Json::is_array);
        for item in list(manifest.permissions) {
            let Some(name) = item.as_text() else {
                manifest.knows_permissions = false;
                continue;
            };
            let known = match name.plain() {
                Some(name) => Permission::from_name(name),
                None => Permission::from_name(&name.decoded()),
            };
            if let Some(permission) = known {
                manifest.requested.insert(permission);
            }
        }
        manifest.deferred = match deferred {
            Some(block) if block.is_object() => Some(DeferredDeclarations::of(block)),
            Some(_) => None,
            None if manifest.alias.is_used() => Some(DeferredDeclarations::of_alias(alias_tools)),
            None => None,
        };
        manifest
    }

    /// The protocol version; 1 by default, and always 1 in a valid manifest.
    #[must_use]
    pub fn protocol_version(&self) -> u32 {
        self.protocol_version.unwrap_or(1)
    }

    /// The program that starts the extension, as it is spelled: not blank in a valid manifest, but perhaps
    /// a path out of the plugin. Running it is the host's decision.
    #[must_use]
    pub fn command(&self) -> &str {
        self.command.as_deref().unwrap_or_default()
    }

    /// The script that sets the extension up, as it is spelled.
    #[must_use]
    pub fn setup(&self) -> Option<&str> {
        self.setup.as_deref()
    }

    /// The program's arguments, in the document's order. There is no bound on their number but the document's.
    pub fn args(&self) -> impl Iterator<Item = Cow<'d, str>> + use<'d> {
        list(self.args).filter_map(Json::as_str)
    }

    /// The requested permissions as they are spelled, known or not, in the document's order.
    pub fn permissions(&self) -> impl Iterator<Item = Cow<'d, str>> + use<'d> {
        self.permission_texts().map(Text::decoded)
    }

    fn permission_texts(&self) -> impl Iterator<Item = Text<'d>> + use<'d> {
        list(self.permissions).filter_map(Json::as_text)
    }

    /// The requested permissions with their places; what is no string has none.
    pub(crate) fn permission_items(
        &self,
    ) -> impl Iterator<Item = (u32, Option<Text<'d>>)> + use<'d> {
        (0_u32..).zip(list(self.permissions).map(Json::as_text))
    }

    /// The requested permissions that exist.
    #[must_use]
    pub fn requested(&self) -> PermissionSet {
        self.requested
    }

    /// The hook subscriptions, in the document's order.
    pub fn hooks(&self) -> impl Iterator<Item = HookSubscription<'d>> + use<'d> {
        list(self.hooks).map(HookSubscription::of)
    }

    /// Whether the manifest subscribes to a hook.
    #[must_use]
    pub fn has_hooks(&self) -> bool {
        self.hooks
            .is_some_and(|hooks| !hooks.is_array() || hooks.count() > 0)
    }

    /// Whether `permissions` could be read to its last item, so that one that is not in it is missing indeed.
    pub(crate) fn knows_permissions(&self) -> bool {
        self.knows_permissions
    }

    /// The configuration entries, in the document's order.
    pub fn config(&self) -> impl Iterator<Item = ConfigEntry<'d>> + use<'d> {
        list(self.config).map(ConfigEntry::of)
    }

    /// The prebuilt assets by host triple, in the document's order.
    pub fn prebuilt(&self) -> impl Iterator<Item = (Cow<'d, str>, PrebuiltAsset<'d>)> + use<'d> {
        map(self.prebuilt).map(|(key, value)| (key.decoded(), PrebuiltAsset::of(value)))
    }

    /// The theme tokens and their colors, in the document's order.
    pub fn theme_tokens(&self) -> impl Iterator<Item = (Cow<'d, str>, Cow<'d, str>)> + use<'d> {
        map(self.theme_tokens).filter_map(|(key, value)| Some((key.decoded(), value.as_str()?)))
    }

    /// The deferred block, be it native or spelled by the legacy alias.
    #[must_use]
    pub fn deferred(&self) -> Option<&DeferredDeclarations<'d>> {
        self.deferred.as_ref()
    }
}

fn u32_of(value: Json<'_>) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn list<'d>(value: Option<Json<'d>>) -> impl Iterator<Item = Json<'d>> + use<'d> {
    value.map(Json::items).into_iter().flatten()
}

fn map<'d>(value: Option<Json<'d>>) -> impl Iterator<Item = (Text<'d>, Json<'d>)> + use<'d> {
    value
        .map(Json::text_members)
        .into_iter()
        .flat_map(|members: TextMembers<'d>| members)
}

/// A hook subscription (section 2). Of a valid manifest the hook is known and permitted (section 4).
#[derive(Debug, Clone)]
pub struct HookSubscription<'d> {
    pub(crate) hook: Option<Cow<'d, str>>,
    tool: Option<Cow<'d, str>>,
    matcher: Option<Json<'d>>,
}

impl<'d> HookSubscription<'d> {
    fn of(value: Json<'d>) -> Self {
        let mut hook = Self {
            hook: None,
            tool: None,
            matcher: None,
        };
        for (key, value) in value.text_members() {
            match &*key.decoded() {
                "hook" => hook.hook = value.as_str(),
                "tool" => hook.tool = value.as_str(),
                "match" => hook.matcher = (!value.is_null()).then_some(value),
                _ => {}
            }
        }
        hook
    }

    /// The hook's name, known or not.
    #[must_use]
    pub fn hook(&self) -> &str {
        self.hook.as_deref().unwrap_or_default()
    }

    /// The tool that the subscription is limited to.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// The text that a tool's input must contain.
    #[must_use]
    pub fn input_contains(&self) -> Option<Cow<'d, str>> {
        self.matcher?.get("input_contains")?.as_str()
    }

    /// The value that a tool's input must equal.
    #[must_use]
    pub fn input_equals(&self) -> Option<Json<'d>> {
        self.matcher?.get("input_equals")
    }
}

/// A configuration entry (section 2), read from the document as it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct ConfigEntry<'d> {
    value: Json<'d>,
}

impl<'d> ConfigEntry<'d> {
    fn of(value: Json<'d>) -> Self {
        Self { value }
    }

    fn string(&self, field: Field) -> Option<Cow<'d, str>> {
        self.value.get(field.as_str())?.as_str()
    }

    /// The entry's key.
    #[must_use]
    pub fn key(&self) -> Cow<'d, str> {
        self.string(Field::Key).unwrap_or_default()
    }

    /// The type of its value: `string`, `bool` or `number`.
    #[must_use]
    pub fn kind(&self) -> Option<Cow<'d, str>> {
        self.string(Field::Type)
    }

    /// What it is for.
    #[must_use]
    pub fn description(&self) -> Option<Cow<'d, str>> {
        self.string(Field::Description)
    }

    /// Whether a value must be given; false by default.
    #[must_use]
    pub fn required(&self) -> bool {
        self.value
            .get(Field::Required.as_str())
            .and_then(Json::as_bool)
            .unwrap_or(false)
    }

    /// The default, if any. Where [`ConfigEntry::secret_env`] stands beside it, it may be a secret.
    #[must_use]
    pub fn default_value(&self) -> Option<Json<'d>> {
        self.value.get(Field::Default.as_str())
    }

    /// The name of the environment variable that holds the value, where that is a secret.
    #[must_use]
    pub fn secret_env(&self) -> Option<Cow<'d, str>> {
        self.string(Field::SecretEnv)
    }

    /// What the host fills in: `project_root`.
    #[must_use]
    pub fn host_context(&self) -> Option<Cow<'d, str>> {
        self.string(Field::HostContext)
    }
}

/// A prebuilt asset of one host triple (section 2).
#[derive(Debug, Clone)]
pub struct PrebuiltAsset<'d> {
    url: Option<Cow<'d, str>>,
    sha256: Option<Cow<'d, str>>,
}

impl<'d> PrebuiltAsset<'d> {
    fn of(value: Json<'d>) -> Self {
        let string = |field: Field| value.get(field.as_str())?.as_str();
        Self {
            url: string(Field::Url),
            sha256: string(Field::Sha256),
        }
    }

    /// Where the asset is fetched from, as it is spelled: no rule looks at it.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_deref().unwrap_or_default()
    }

    /// Its SHA-256, as it is spelled: no rule looks at it.
    #[must_use]
    pub fn sha256(&self) -> &str {
        self.sha256.as_deref().unwrap_or_default()
    }
}

/// When an extension without tools and providers starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeferredLifecycle {
    /// On the first authorized hook event.
    Hook,
    /// On a user's action.
    User,
}

impl DeferredLifecycle {
    /// The wire name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::User => "user",
        }
    }
}

impl core::fmt::Display for DeferredLifecycle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A deferred block: what the extension will register once it runs.
///
/// Items beyond a bound are counted, but not kept: a block that has more is refused anyway.
#[derive(Debug, Clone)]
pub struct DeferredDeclarations<'d> {
    pub(crate) place: DeferredPlace,
    pub(crate) tool_count: usize,
    pub(crate) provider_count: usize,
    pub(crate) context_provider_count: usize,
    tools: Vec<DeclaredExtensionTool<'d>>,
    providers: Vec<DeclaredExtensionProvider<'d>>,
    context_providers: Vec<DeclaredExtensionContextProvider<'d>>,
    lifecycle: Option<DeferredLifecycle>,
    /// The bytes of the list of tools in the document.
    tools_source: usize,
}

/// Where a deferred block's lists stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum DeferredPlace {
    /// In `/extension/deferred`.
    Native,
    /// In `/extension`, by the legacy alias.
    Alias,
}

impl DeferredPlace {
    pub(crate) fn path(self) -> Path {
        let extension = Path::of(Field::Extension);
        match self {
            Self::Native => extension.field(Field::Deferred),
            Self::Alias => extension,
        }
    }
}

impl<'d> DeferredDeclarations<'d> {
    fn of(block: Json<'d>) -> Self {
        let mut declared = Self {
            place: DeferredPlace::Native,
            tool_count: 0,
            provider_count: 0,
            context_provider_count: 0,
            tools: Vec::new(),
            providers: Vec::new(),
            context_providers: Vec::new(),
            lifecycle: None,
            tools_source: 0,
        };
        for (key, value) in block.text_members() {
            match &*key.decoded() {
                "tools" => {
                    declared.tools_source = value.source().len();
                    (declared.tool_count, declared.tools) =
                        kept(value, DECLARED_MAX_TOOLS, DeclaredExtensionTool::of);
                }
                "providers" => {
                    (declared.provider_count, declared.providers) =
                        kept(value, DECLARED_MAX_PROVIDERS, DeclaredExtensionProvider::of);
                }
                "context_providers" => {
                    (declared.context_provider_count, declared.context_providers) = kept(
                        value,
                        DECLARED_MAX_CONTEXT_PROVIDERS,
                        DeclaredExtensionContextProvider::of,
                    );
                }
                "lifecycle" => {
                    declared.lifecycle = match value.as_str().as_deref() {
                        Some("hook") => Some(DeferredLifecycle::Hook),
                        Some("user") => Some(DeferredLifecycle::User),
                        _ => None,
                    };
                }
                _ => {}
            }
        }
        declared
    }

    fn of_alias(tools: Option<Json<'d>>) -> Self {
        let tools_source = tools.map_or(0, |tools| tools.source().len());
        let (tool_count, tools) = tools.map_or((0, Vec::new()), |tools| {
            kept(tools, DECLARED_MAX_TOOLS, DeclaredExtensionTool::of)
        });
        Self {
            place: DeferredPlace::Alias,
            tool_count,
            provider_count: 0,
            context_provider_count: 0,
            tools,
            providers: Vec::new(),
            context_providers: Vec::new(),
            lifecycle: None,
            tools_source,
        }
    }

    /// A bound on the bytes of all descriptions and schemas of the tools.
    pub(crate) fn tools_source(&self) -> usize {
        self.tools_source
    }

    /// The declared tools, in the document's order.
    #[must_use]
    pub fn tools(&self) -> &[DeclaredExtensionTool<'d>] {
        &self.tools
    }

    /// The declared model providers, in the document's order.
    #[must_use]
    pub fn providers(&self) -> &[DeclaredExtensionProvider<'d>] {
        &self.providers
    }

    /// The declared context providers, in the document's order.
    #[must_use]
    pub fn context_providers(&self) -> &[DeclaredExtensionContextProvider<'d>] {
        &self.context_providers
    }

    /// When the extension starts, if it says so.
    #[must_use]
    pub fn lifecycle(&self) -> Option<DeferredLifecycle> {
        self.lifecycle
    }

    /// Whether the block was spelled by the legacy alias, `tools` and `activation` in the extension block.
    #[must_use]
    pub fn is_alias(&self) -> bool {
        self.place == DeferredPlace::Alias
    }
}

/// The number of a list's items, and the first of them.
fn kept<'d, T>(value: Json<'d>, most: usize, item: impl Fn(Json<'d>) -> T) -> (usize, Vec<T>) {
    let count = if value.is_array() { value.count() } else { 0 };
    let mut items = Vec::with_capacity(count.min(most));
    items.extend(value.items().take(most).map(item));
    (count, items)
}

/// A tool that a manifest declares (section 3), or that a runtime registers (section 8): both have the
/// same members.
#[derive(Debug, Clone)]
pub struct DeclaredExtensionTool<'d> {
    pub(crate) name: Option<Cow<'d, str>>,
    pub(crate) description: Option<Cow<'d, str>>,
    pub(crate) input_schema: Option<Json<'d>>,
}

impl<'d> DeclaredExtensionTool<'d> {
    pub(crate) fn of(value: Json<'d>) -> Self {
        let mut tool = Self {
            name: None,
            description: value.is_object().then_some(Cow::Borrowed("")),
            input_schema: None,
        };
        for (key, value) in value.text_members() {
            match &*key.decoded() {
                "name" => tool.name = value.as_str(),
                "description" => tool.description = value.as_str(),
                "input_schema" => tool.input_schema = Some(value),
                _ => {}
            }
        }
        tool
    }

    /// The tool's name: a capability id of 1 to 64 bytes, once it was validated or admitted.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// What the tool does: 1 to 1,024 bytes, once it was validated; empty by default.
    #[must_use]
    pub fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// The JSON Schema of its parameters: an object of at most 65,536 bytes as compact text, once it was
    /// validated. The gate compares schemas and does not interpret them.
    #[must_use]
    pub fn input_schema(&self) -> Json<'d> {
        self.input_schema.unwrap_or(Json::NULL)
    }

    /// The canonical digest of its schema (section 7). Computed anew at each call.
    #[must_use]
    pub fn schema_digest(&self) -> SchemaDigest {
        self.input_schema().digest()
    }
}

/// A model provider that a manifest declares (section 3), or that a runtime registers (section 8): both
/// have the same members.
#[derive(Debug, Clone)]
pub struct DeclaredExtensionProvider<'d> {
    pub(crate) id: Option<Cow<'d, str>>,
    pub(crate) display_name: Option<Cow<'d, str>>,
    pub(crate) description: Option<Cow<'d, str>>,
    pub(crate) models: Models<'d>,
    pub(crate) config_schema: Option<Json<'d>>,
}

/// The models of a provider: the list as it stands, or nothing where it has another type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Models<'d> {
    list: Option<Json<'d>>,
    /// Whether the list is missing or an array, so that its length can be judged.
    pub(crate) known: bool,
}

impl<'d> Models<'d> {
    pub(crate) fn count(self) -> usize {
        self.list.map_or(0, Json::count)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = DeclaredExtensionProviderModel<'d>> + use<'d> {
        list(self.list).map(DeclaredExtensionProviderModel::of)
    }

    /// The ids with their places.
    pub(crate) fn index(self) -> NameIndex<Cow<'d, str>> {
        let ids = self.iter().map(|model| model.id.unwrap_or_default());
        NameIndex::new(numbered(ids.take(self.count())))
    }

    /// The models at some places, in the list's order.
    pub(crate) fn at(self, mut places: Vec<u32>) -> Vec<(u32, DeclaredExtensionProviderModel<'d>)> {
        places.sort_unstable();
        let mut wanted = places.into_iter().peekable();
        numbered(list(self.list))
            .filter(|(place, _)| {
                let found = wanted.peek() == Some(place);
                while wanted.next_if_eq(place).is_some() {}
                found
            })
            .map(|(place, model)| (place, DeclaredExtensionProviderModel::of(model)))
            .collect()
    }
}

impl<'d> DeclaredExtensionProvider<'d> {
    pub(crate) fn of(value: Json<'d>) -> Self {
        let mut provider = Self {
            id: None,
            display_name: None,
            description: value.is_object().then_some(Cow::Borrowed("")),
            models: Models {
                list: None,
                known: value.is_object(),
            },
            config_schema: None,
        };
        for (key, value) in value.text_members() {
            match &*key.decoded() {
                "id" => provider.id = value.as_str(),
                "display_name" => provider.display_name = value.as_str(),
                "description" => provider.description = value.as_str(),
                "models" => {
                    provider.models = Models {
                        list: value.is_array().then_some(value),
                        known: value.is_array(),
                    };
                }
                "config_schema" if !value.is_null() => provider.config_schema = Some(value),
                _ => {}
            }
        }
        provider
    }

    /// The provider's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    /// The name that people see.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or_default()
    }

    /// What the provider offers; empty by default.
    #[must_use]
    pub fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// The models, in the document's order, read as they are asked for.
    pub fn models(&self) -> impl Iterator<Item = DeclaredExtensionProviderModel<'d>> + use<'d> {
        self.models.iter()
    }

    /// The JSON Schema of its configuration; null is absent.
    #[must_use]
    pub fn config_schema(&self) -> Option<Json<'d>> {
        self.config_schema
    }
}

/// A model of a provider (section 3).
#[derive(Debug, Clone)]
pub struct DeclaredExtensionProviderModel<'d> {
    pub(crate) id: Option<Cow<'d, str>>,
    pub(crate) display_name: Option<Cow<'d, str>>,
    pub(crate) capabilities: Option<Json<'d>>,
    pub(crate) context_window: Option<u64>,
}

impl<'d> DeclaredExtensionProviderModel<'d> {
    fn of(value: Json<'d>) -> Self {
        let mut model = Self {
            id: None,
            display_name: None,
            capabilities: None,
            context_window: None,
        };
        for (key, value) in value.text_members() {
            match &*key.decoded() {
                "id" => model.id = value.as_str(),
                "display_name" => model.display_name = value.as_str(),
                "capabilities" if !value.is_null() => model.capabilities = Some(value),
                "context_window" => model.context_window = value.as_u64(),
                _ => {}
            }
        }
        model
    }

    /// The model's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    /// The name that people see, if any.
    #[must_use]
    pub fn display_name(&self) -> Option<&str> {
        self.display_name.as_deref()
    }

    /// What the model can do: an object from labels to booleans; null is absent.
    #[must_use]
    pub fn capabilities(&self) -> Option<Json<'d>> {
        self.capabilities
    }

    /// The size of its context window in tokens, if any. It is compared, and else not looked at.
    #[must_use]
    pub fn context_window(&self) -> Option<u64> {
        self.context_window
    }
}

/// A context provider that a manifest declares (section 3).
#[derive(Debug, Clone)]
pub struct DeclaredExtensionContextProvider<'d> {
    pub(crate) id: Option<Cow<'d, str>>,
    pub(crate) capability: Option<Cow<'d, str>>,
    pub(crate) description: Option<Cow<'d, str>>,
    pub(crate) schema_version: Option<u32>,
}

impl<'d> DeclaredExtensionContextProvider<'d> {
    fn of(value: Json<'d>) -> Self {
        let mut provider = Self {
            id: None,
            capability: None,
            description: value.is_object().then_some(Cow::Borrowed("")),
            schema_version: None,
        };
        for (key, value) in value.text_members() {
            match &*key.decoded() {
                "id" => provider.id = value.as_str(),
                "capability" => provider.capability = value.as_str(),
                "description" => provider.description = value.as_str(),
                "schema_version" => provider.schema_version = u32_of(value),
                _ => {}
            }
        }
        provider
    }

    /// The provider's local id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    /// The label of what it contributes.
    #[must_use]
    pub fn capability(&self) -> &str {
        self.capability.as_deref().unwrap_or_default()
    }

    /// What context it gives; empty by default.
    #[must_use]
    pub fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// The version of its payload's schema.
    #[must_use]
    pub fn schema_version(&self) -> u32 {
        self.schema_version.unwrap_or_default()
    }
}
