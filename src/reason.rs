//! Why something is refused: every code, in one table, and the sink that rules report to.

use core::fmt;
use core::ops::ControlFlow;

use crate::limits::{self, Limit};
use crate::path::{Field, Path, Place};

/// Which part of the behaviour a reason belongs to. Parts rank in this order: the first fault of the
/// first part that has one is *the* reason of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Category {
    /// Bytes to JSON (section 1 of the behaviour).
    Bytes,
    /// The shape of the extension block or of an initialize result (section 2).
    Shape,
    /// The legacy alias of the deferred block (section 5).
    LegacyAlias,
    /// The rules of the deferred block (section 3).
    Deferred,
    /// The rules of the whole manifest (section 4).
    Manifest,
    /// What a running extension registered, held to its manifest (section 8).
    Runtime,
}

impl Category {
    /// The category as a snake_case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Shape => "shape",
            Self::LegacyAlias => "legacy_alias",
            Self::Deferred => "deferred",
            Self::Manifest => "manifest",
            Self::Runtime => "runtime",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! reasons {
    ($($category:ident { $($variant:ident = $code:literal, $limit:expr, $explanation:literal, $mend:literal;)+ })+) => {
        /// Why a document is refused: a static code, never a text that depends on the input.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[doc = concat!("`", $code, "`: ", $explanation)] $variant,)+)+
        }

        impl Reason {
            /// Every reason, in the order in which categories rank and rules are checked.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)+)+];

            /// The code: stable, snake_case.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$variant => $code,)+)+ }
            }

            /// The part of the behaviour that the reason belongs to.
            #[must_use]
            pub const fn category(self) -> Category {
                match self { $($(Self::$variant => Category::$category,)+)+ }
            }

            /// What is wrong, in one sentence.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self { $($(Self::$variant => $explanation,)+)+ }
            }

            /// How to mend it, in one sentence.
            #[must_use]
            pub const fn mend(self) -> &'static str {
                match self { $($(Self::$variant => $mend,)+)+ }
            }

            /// The bound that the rule enforces, where it enforces one.
            #[must_use]
            pub fn limit(self) -> Option<&'static Limit> {
                match self { $($(Self::$variant => $limit,)+)+ }
            }
        }
    };
}

reasons! {
    Bytes {
        DocumentTooLarge = "document_too_large", Some(&limits::DOCUMENT),
            "The document is larger than the gate reads: 8 MiB for a manifest, 4 MiB for an initialize result.",
            "Make the document smaller; a manifest needs no bulk data.";
        ByteOrderMark = "byte_order_mark", None,
            "The document begins with a byte order mark (EF BB BF), which JSON does not have.",
            "Save the file as UTF-8 without BOM.";
        InvalidUtf8 = "invalid_utf8", None,
            "The document is not valid UTF-8.",
            "Save the file as UTF-8; overlong forms and encoded surrogates are not UTF-8 either.";
        Syntax = "syntax", None,
            "The text is not JSON as RFC 8259 has it.",
            "Look for a comment, a trailing comma, a single quote, a missing bracket, or text after the value.";
        LoneSurrogate = "lone_surrogate", None,
            "A \\u escape names half of a surrogate pair, which is no character.",
            "Write the character itself, or both halves in order: high, then low.";
        NestingTooDeep = "nesting_too_deep", Some(&limits::NESTING),
            "Arrays and objects are nested more than 127 levels deep.",
            "Flatten the value; use `$ref` in a schema.";
        DuplicateKey = "duplicate_key", None,
            "An object has the same key twice, so two readers could see two manifests.",
            "Keep one of the two members; keys are compared after unescaping.";
    }
    Shape {
        NumberOutOfRange = "number_out_of_range", None,
            "A number is too large for a double, or an integer does not fit its member.",
            "Use a number within the member's range.";
        WrongType = "wrong_type", None,
            "A value has another JSON type than its place asks for.",
            "Use the type that is named; a number with a fraction or an exponent is no integer, and null stands only where it is allowed.";
        MissingField = "missing_field", None,
            "A required member is missing.",
            "Add the member.";
        UnknownField = "unknown_field", None,
            "A hook's `match` has a member other than `input_contains` and `input_equals`.",
            "Remove the member, or correct its name.";
        UnknownValue = "unknown_value", None,
            "A string is none of the words that its place allows.",
            "Use one of the allowed words, spelled exactly.";
    }
    LegacyAlias {
        UnsupportedActivation = "unsupported_activation", None,
            "`activation` is set to something other than `deferred`.",
            "Write \"deferred\", or remove the member for an eager extension.";
        AmbiguousDeferredDeclarations = "ambiguous_deferred_declarations", None,
            "A native `deferred` block stands beside the legacy `tools` or `activation`.",
            "Move the tools into `deferred.tools` and remove the legacy members.";
        DeferredActivationWithoutTools = "deferred_activation_without_tools", None,
            "`activation` is `deferred`, but no tools are declared.",
            "Declare the tools, or remove `activation`.";
    }
    Deferred {
        TooManyDeclaredTools = "too_many_declared_tools", Some(&limits::TOOLS),
            "More than 256 tools are declared.",
            "Declare at most 256 tools.";
        InvalidDeclaredToolName = "invalid_declared_tool_name", Some(&limits::ID),
            "A tool name is not 1 to 64 bytes without control characters, whitespace and `:`.",
            "Shorten the name and use letters, digits, `_`, `-` or `.`.";
        InvalidDeclaredToolDescription = "invalid_declared_tool_description", Some(&limits::DESCRIPTION),
            "A tool description is blank, or longer than 1,024 bytes.",
            "Say in at most 1,024 bytes what the tool does.";
        DeclaredToolSchemaNotObject = "declared_tool_schema_not_object", None,
            "A tool's `input_schema` is not an object.",
            "Give a JSON Schema object; `{\"type\":\"object\"}` takes any parameters.";
        OversizedDeclaredToolSchema = "oversized_declared_tool_schema", Some(&limits::SCHEMA),
            "A tool's `input_schema` takes more than 65,536 bytes as compact JSON.",
            "Shorten descriptions in the schema, share parts by `$ref`, or split the tool.";
        DuplicateDeclaredToolName = "duplicate_declared_tool_name", None,
            "Two declared tools have one name.",
            "Rename or remove one of them.";
        TooManyDeclaredProviders = "too_many_declared_providers", Some(&limits::PROVIDERS),
            "More than 16 providers are declared.",
            "Declare at most 16 providers.";
        InvalidDeclaredProviderId = "invalid_declared_provider_id", Some(&limits::ID),
            "A provider id is not 1 to 64 of `a-z`, `0-9`, `-` and `_`.",
            "Use lower-case ASCII letters, digits, `-` and `_`.";
        DuplicateDeclaredProviderId = "duplicate_declared_provider_id", None,
            "Two declared providers have one id.",
            "Rename or remove one of them.";
        InvalidDeclaredProviderDisplayName = "invalid_declared_provider_display_name", Some(&limits::DISPLAY),
            "A provider's display name is blank, longer than 256 bytes, or has a control character.",
            "Give a display name of at most 256 bytes on one line.";
        InvalidDeclaredProviderDescription = "invalid_declared_provider_description", Some(&limits::DESCRIPTION),
            "A provider description is blank, or longer than 1,024 bytes.",
            "Say in at most 1,024 bytes what the provider offers.";
        InvalidDeclaredProviderModelCount = "invalid_declared_provider_model_count", Some(&limits::PROVIDER_MODELS),
            "A provider has no model, or more than 64.",
            "Declare 1 to 64 models for each provider.";
        InvalidDeclaredProviderModelId = "invalid_declared_provider_model_id", Some(&limits::ID),
            "A model id is not 1 to 64 bytes without control characters, whitespace and `:`.",
            "Shorten the id and use letters, digits, `_`, `-` or `.`.";
        DuplicateDeclaredProviderModelId = "duplicate_declared_provider_model_id", None,
            "Two models of one provider have one id.",
            "Rename or remove one of them.";
        InvalidDeclaredProviderModelDisplayName = "invalid_declared_provider_model_display_name", Some(&limits::DISPLAY),
            "A model's display name is longer than 256 bytes, or has a control character.",
            "Give a display name of at most 256 bytes on one line, or leave it out.";
        InvalidDeclaredProviderModelCapabilities = "invalid_declared_provider_model_capabilities", Some(&limits::NAME),
            "A model's `capabilities` is not null or an object from labels of 1 to 128 bytes to booleans.",
            "Write `{\"vision\": true}`: each key a label, each value true or false.";
        InvalidDeclaredProviderConfigSchema = "invalid_declared_provider_config_schema", Some(&limits::SCHEMA),
            "A provider's `config_schema` is not an object, or takes more than 65,536 bytes as compact JSON.",
            "Give a JSON Schema object of at most 65,536 bytes, or leave it out.";
        TooManyDeclaredContextProviders = "too_many_declared_context_providers", Some(&limits::CONTEXT_PROVIDERS),
            "More than 8 context providers are declared.",
            "Declare at most 8 context providers.";
        InvalidDeclaredContextProviderId = "invalid_declared_context_provider_id", Some(&limits::NAME),
            "A context-provider id is not 1 to 128 bytes of printable ASCII without space and `:`.",
            "Use ASCII letters, digits and punctuation other than `:`.";
        DuplicateDeclaredContextProviderId = "duplicate_declared_context_provider_id", None,
            "Two declared context providers have one id.",
            "Rename or remove one of them.";
        InvalidDeclaredContextProviderCapability = "invalid_declared_context_provider_capability", Some(&limits::NAME),
            "A context provider's capability is not a label of 1 to 128 bytes without control characters.",
            "Give a short label such as `project-memory`.";
        InvalidDeclaredContextProviderDescription = "invalid_declared_context_provider_description", Some(&limits::DESCRIPTION),
            "A context provider's description is empty, or longer than 1,024 bytes.",
            "Say in at most 1,024 bytes what context it gives.";
        InvalidDeclaredContextProviderSchemaVersion = "invalid_declared_context_provider_schema_version", None,
            "A context provider's schema version is 0.",
            "Count schema versions from 1.";
        UserLifecycleConflictsWithActiveCapabilities = "user_lifecycle_conflicts_with_active_capabilities", None,
            "`lifecycle` is `user`, yet tools or providers are declared, which start the extension by themselves.",
            "Remove `lifecycle`, or the tools and providers.";
    }
    Manifest {
        DeferredToolsRequireToolsRegisterPermission = "deferred_tools_require_tools_register_permission", None,
            "Tools are declared without the permission `tools.register`.",
            "Add \"tools.register\" to `permissions`.";
        DeferredProvidersRequireProvidersRegisterPermission = "deferred_providers_require_providers_register_permission", None,
            "Providers are declared without the permission `providers.register`.",
            "Add \"providers.register\" to `permissions`.";
        DeferredContextProvidersRequireContextProvidersRegisterPermission = "deferred_context_providers_require_context_providers_register_permission", None,
            "Context providers are declared without the permission `context_providers.register`.",
            "Add \"context_providers.register\" to `permissions`.";
        HookLifecycleRequiresHookSubscriptions = "hook_lifecycle_requires_hook_subscriptions", None,
            "`lifecycle` is `hook`, but no hook is subscribed to.",
            "Subscribe to a hook in `hooks`, or remove `lifecycle`.";
        UnsupportedProtocolVersion = "unsupported_protocol_version", None,
            "The protocol version is not 1.",
            "Write `\"protocol_version\": 1`.";
        EmptyCommand = "empty_command", None,
            "`command` is blank.",
            "Name the program that starts the extension.";
        NoHookOrRegistrationPermission = "no_hook_or_registration_permission", None,
            "The extension has no hook and no permission by which it could do anything.",
            "Subscribe to a hook, or request the permission that the extension needs.";
        InvalidThemeTokenName = "invalid_theme_token_name", None,
            "A theme token's name is empty, or has `.`, `/`, `\\` or whitespace.",
            "Use a plain word as the token's name.";
        InvalidThemeTokenColor = "invalid_theme_token_color", None,
            "A theme token's color is not `#` with 3 or 6 hexadecimal digits.",
            "Write a color such as `#1e90ff`.";
        UnknownPermission = "unknown_permission", None,
            "A requested permission does not exist.",
            "Use one of the known permissions, spelled exactly.";
        ReservedPermission = "reserved_permission", None,
            "The permission `tools.override` is reserved and cannot be requested.",
            "Remove it.";
        UnknownHook = "unknown_hook", None,
            "A hook of that name does not exist.",
            "Use one of the known hooks, spelled exactly.";
        HookPermissionMissing = "hook_permission_missing", None,
            "A hook is subscribed to without the permission that it needs.",
            "Add the permission to `permissions`.";
        HookToolFilterNotAllowed = "hook_tool_filter_not_allowed", None,
            "A hook that is not about tools has a `tool` filter.",
            "Remove `tool`; only `before_tool_call` and `after_tool_call` take it.";
    }
    Runtime {
        DeclaredAndRegisteredToolCountsDiffer = "declared_and_registered_tool_counts_differ", None,
            "The runtime registered another number of tools than the manifest declares.",
            "Declare exactly the tools that are registered.";
        RegisteredToolNamesDuplicate = "registered_tool_names_duplicate", None,
            "The runtime registered two tools of one name.",
            "Register each tool once.";
        DeclaredToolNotRegistered = "declared_tool_not_registered", None,
            "A declared tool was not registered.",
            "Register it under exactly its declared name, or remove the declaration.";
        RegisteredToolSchemaDigestMismatch = "registered_tool_schema_digest_mismatch", None,
            "A registered tool's schema is not the declared one.",
            "Declare the schema that the runtime sends; `1` and `1.0` differ, member order does not.";
        RegisteredToolDescriptionMismatch = "registered_tool_description_mismatch", None,
            "A registered tool's description is not the declared one, byte for byte.",
            "Declare the description that the runtime sends.";
        DeclaredAndRegisteredProviderCountsDiffer = "declared_and_registered_provider_counts_differ", None,
            "The runtime registered another number of providers than the manifest declares.",
            "Declare exactly the providers that are registered.";
        RegisteredProviderIdsDuplicate = "registered_provider_ids_duplicate", None,
            "The runtime registered two providers of one id.",
            "Register each provider once.";
        DeclaredProviderNotRegistered = "declared_provider_not_registered", None,
            "A declared provider was not registered.",
            "Register it under exactly its declared id, or remove the declaration.";
        RegisteredProviderDisplayNameMismatch = "registered_provider_display_name_mismatch", None,
            "A registered provider's display name is not the declared one.",
            "Declare the display name that the runtime sends.";
        RegisteredProviderDescriptionMismatch = "registered_provider_description_mismatch", None,
            "A registered provider's description is not the declared one.",
            "Declare the description that the runtime sends.";
        RegisteredProviderConfigSchemaMismatch = "registered_provider_config_schema_mismatch", None,
            "A registered provider's config schema is not the declared one.",
            "Declare the config schema that the runtime sends; absent and null are the same.";
        RegisteredProviderModelCountsDiffer = "registered_provider_model_counts_differ", None,
            "A registered provider has another number of models than is declared.",
            "Declare exactly the models that are registered.";
        RegisteredProviderModelIdsDuplicate = "registered_provider_model_ids_duplicate", None,
            "A registered provider has two models of one id.",
            "Register each model once.";
        DeclaredProviderModelNotRegistered = "declared_provider_model_not_registered", None,
            "A declared model was not registered.",
            "Register it under exactly its declared id, or remove the declaration.";
        RegisteredProviderModelDisplayNameMismatch = "registered_provider_model_display_name_mismatch", None,
            "A registered model's display name is not the declared one.",
            "Declare the display name that the runtime sends.";
        RegisteredProviderModelContextWindowMismatch = "registered_provider_model_context_window_mismatch", None,
            "A registered model's context window is not the declared one.",
            "Declare the context window that the runtime sends.";
        RegisteredProviderModelCapabilitiesMismatch = "registered_provider_model_capabilities_mismatch", None,
            "A registered model's capabilities are not the declared ones.",
            "Declare the capabilities that the runtime sends; absent and null are the same, `{}` is another value.";
        RegisteredToolsRequireToolsRegisterPermission = "registered_tools_require_tools_register_permission", None,
            "The runtime registered tools without the permission `tools.register`.",
            "Add \"tools.register\" to the manifest's `permissions`.";
        RegisteredProvidersRequireProvidersRegisterPermission = "registered_providers_require_providers_register_permission", None,
            "The runtime registered providers without the permission `providers.register`.",
            "Add \"providers.register\" to the manifest's `permissions`.";
        InvalidCapability = "invalid_capability", None,
            "A generic capability has a blank `kind` or `name`.",
            "Give both.";
        CapabilityPermissionMissing = "capability_permission_missing", None,
            "A generic capability needs a permission that is unknown or that the manifest does not request.",
            "Request the permission in the manifest, or do not register the capability.";
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// That a text is no reason's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UnknownReason;

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the code of a reason")
    }
}

impl core::error::Error for UnknownReason {}

impl core::str::FromStr for Reason {
    type Err = UnknownReason;

    /// # Errors
    /// [`UnknownReason`] for anything but a code, exactly as [`Reason::as_str`] gives it.
    fn from_str(code: &str) -> Result<Self, UnknownReason> {
        Self::ALL
            .iter()
            .copied()
            .find(|reason| reason.as_str() == code)
            .ok_or(UnknownReason)
    }
}

/// What exactly was found or asked for, where a [`Reason`] alone does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Detail {
    /// Nothing to add.
    None,
    /// The required member that is missing.
    Missing(Field),
    /// What the place asks for, as a noun: `a string or null`.
    Expected(&'static str),
    /// The words that the place allows.
    OneOf(&'static [&'static str]),
    /// What was measured, and the limit that it passes.
    Measured(usize, &'static Limit),
    /// The permission that is needed.
    Needs(&'static str),
}

/// Which document a rejection's place is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The `plugin.json`.
    Manifest,
    /// What the running extension sent.
    Runtime,
}

impl Side {
    /// The side as a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Runtime => "runtime",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal: the reason and its place. Small, `Copy`, `'static`, and without a byte of the document,
/// so that it can be logged anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rejection {
    reason: Reason,
    side: Side,
    place: Place,
    detail: Detail,
}

impl Rejection {
    pub(crate) const fn at_byte(reason: Reason, at: u32) -> Self {
        Self {
            reason,
            side: Side::Manifest,
            place: Place::Byte(at),
            detail: Detail::None,
        }
    }

    pub(crate) const fn at(reason: Reason, path: Path) -> Self {
        Self {
            reason,
            side: Side::Manifest,
            place: Place::Value(path),
            detail: Detail::None,
        }
    }

    pub(crate) const fn at_key(reason: Reason, path: Path) -> Self {
        Self {
            reason,
            side: Side::Manifest,
            place: Place::Key(path),
            detail: Detail::None,
        }
    }

    pub(crate) const fn with(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    pub(crate) const fn on(mut self, side: Side) -> Self {
        self.side = side;
        self
    }

    /// The reason.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// Which document the place is in.
    #[must_use]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Where the fault is. [`Locator`](crate::Locator) makes bytes, line, column and JSON pointer of it.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// What exactly was found or asked for.
    #[must_use]
    pub const fn detail(&self) -> Detail {
        self.detail
    }

    /// What was measured, in the unit of [`Rejection::limit`], where the rule measures.
    #[must_use]
    pub const fn measured(&self) -> Option<usize> {
        match self.detail {
            Detail::Measured(measured, _) => Some(measured),
            _ => None,
        }
    }

    /// The bound behind the rule, where it has one.
    #[must_use]
    pub fn limit(&self) -> Option<&'static Limit> {
        match self.detail {
            Detail::Measured(_, limit) => Some(limit),
            _ => self.reason.limit(),
        }
    }

    /// The largest value that would have passed, where the rule has a bound.
    #[must_use]
    pub fn allowed(&self) -> Option<usize> {
        self.limit().map(|limit| limit.value)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason.explanation())?;
        match self.detail {
            Detail::None => Ok(()),
            Detail::Missing(field) => write!(f, " Missing: `{}`.", field.as_str()),
            Detail::Expected(what) => write!(f, " Expected {what}."),
            Detail::OneOf(words) => {
                f.write_str(" Allowed:")?;
                for (position, word) in words.iter().enumerate() {
                    let comma = if position == 0 { "" } else { "," };
                    write!(f, "{comma} `{word}`")?;
                }
                f.write_str(".")
            }
            Detail::Measured(measured, limit) => write!(
                f,
                " Found {measured} {unit}, {allowed} allowed.",
                unit = limit.unit.as_str(),
                allowed = limit.value
            ),
            Detail::Needs(permission) => write!(f, " Needed: `{permission}`."),
        }
    }
}

impl core::error::Error for Rejection {}

/// What rules report to. Fail-fast and report-everything are two sinks for the same rules.
///
/// Implemented for closures: one that returns [`ControlFlow::Break`] ends the checking there.
pub trait Sink {
    /// What a stop carries out.
    type Stop;

    /// Takes one fault, and says whether to go on.
    fn report(&mut self, rejection: Rejection) -> ControlFlow<Self::Stop>;
}

impl<F, S> Sink for F
where
    F: FnMut(Rejection) -> ControlFlow<S>,
{
    type Stop = S;

    fn report(&mut self, rejection: Rejection) -> ControlFlow<S> {
        self(rejection)
    }
}

/// The sink that stops at the first fault.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstFault;

impl Sink for FirstFault {
    type Stop = Rejection;

    #[inline]
    fn report(&mut self, rejection: Rejection) -> ControlFlow<Rejection> {
        ControlFlow::Break(rejection)
    }
}

/// The `Result` of a check that was run with [`FirstFault`].
pub(crate) fn first_fault(flow: ControlFlow<Rejection>) -> Result<(), Rejection> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(rejection) => Err(rejection),
    }
}
