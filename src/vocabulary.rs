//! The closed sets of the format: permissions and hooks, with their wire names.

macro_rules! permissions {
    (
        requestable { $($variant:ident = $name:literal, $stands_alone:literal, $doc:literal;)+ }
        reserved { $($reserved:ident = $reserved_name:literal, $reserved_doc:literal;)+ }
    ) => {
        /// A permission that an extension may request, compared exactly.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Permission {
            $(#[doc = concat!("`", $name, "`: ", $doc)] $variant,)+
            $(#[doc = concat!("`", $reserved_name, "`: ", $reserved_doc)] $reserved,)+
        }

        impl Permission {
            /// Every permission.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+ $(Self::$reserved,)+];

            /// The wire names, in the order of [`Permission::ALL`].
            pub const NAMES: &'static [&'static str] = &[$($name,)+ $($reserved_name,)+];

            /// The wire names of those that can be requested.
            pub const REQUESTABLE: &'static [&'static str] = &[$($name,)+];

            /// The wire name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                    $(Self::$reserved => $reserved_name,)+
                }
            }

            /// Whether the permission alone, without a hook, lets an extension do something (section 4).
            #[must_use]
            pub const fn stands_alone(self) -> bool {
                match self {
                    $(Self::$variant => $stands_alone,)+
                    $(Self::$reserved => false,)+
                }
            }

            /// Whether the permission exists, but cannot be requested (section 4).
            #[must_use]
            pub const fn is_reserved(self) -> bool {
                matches!(self, $(Self::$reserved)|+)
            }

            /// The permission of that wire name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    $($reserved_name => Some(Self::$reserved),)+
                    _ => None,
                }
            }
        }
    };
}

permissions! {
    requestable {
        ToolsRegister = "tools.register", true, "register tools.";
        ProvidersRegister = "providers.register", true, "register model providers.";
        ContextProvidersRegister = "context_providers.register", true, "register context providers.";
        MemoryRead = "memory.read", true, "read memory.";
        MemoryWrite = "memory.write", true, "write memory.";
        ConfigWrite = "config.write", true, "write configuration.";
        ConfigSubscribe = "config.subscribe", true, "be told of changes to configuration.";
        AudioInput = "audio.input", true, "take audio.";
        AudioOutput = "audio.output", true, "give audio.";
        SessionDrive = "session.drive", true, "drive a session.";
        ToolsIntercept = "tools.intercept", false, "see and stop tool calls.";
        ToolsTransformOutput = "tools.transform_output", false, "change the output of tools.";
        PrivacyLlmContent = "privacy.llm_content", false, "see what is sent to and comes from a model.";
        SessionLifecycle = "session.lifecycle", false, "be told when sessions start and end.";
    }
    reserved {
        ToolsOverride = "tools.override", "requesting it is refused.";
    }
}

impl core::fmt::Display for Permission {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Permission {
    #[allow(
        clippy::as_conversions,
        reason = "the discriminant of a fieldless enum"
    )]
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The requested permissions as a set of bits, so that a look-up costs the same however many were requested.
///
/// ```
/// use extgate::{Permission, PermissionSet, gate};
/// let granted: PermissionSet = [Permission::ToolsRegister, Permission::MemoryRead].into_iter().collect();
/// let bytes = br#"{"extension": {"runtime": "process", "command": "x", "permissions": ["audio.input"]}}"#;
/// let requested = gate(bytes, "recorder")?.expect("an extension").pinned.requested();
/// let refused: Vec<Permission> = requested.iter().filter(|one| !granted.contains(*one)).collect();
/// assert_eq!(refused, [Permission::AudioInput]);
/// # Ok::<(), extgate::Rejection>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PermissionSet(u32);

impl PermissionSet {
    /// The set without a permission.
    pub const EMPTY: Self = Self(0);

    pub(crate) fn insert(&mut self, permission: Permission) {
        self.0 |= permission.bit();
    }

    /// Whether the permission was requested.
    #[must_use]
    pub const fn contains(self, permission: Permission) -> bool {
        self.0 & permission.bit() != 0
    }

    /// The permissions of the set, each once, in the order of [`Permission::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL
            .iter()
            .copied()
            .filter(move |permission| self.contains(*permission))
    }
}

impl FromIterator<Permission> for PermissionSet {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        permissions
            .into_iter()
            .fold(Self::EMPTY, |mut set, permission| {
                set.insert(permission);
                set
            })
    }
}

impl core::fmt::Debug for PermissionSet {
    /// As a set of wire names.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_set()
            .entries(self.iter().map(Permission::as_str))
            .finish()
    }
}

/// As a list of wire names.
#[cfg(feature = "serde")]
impl serde::Serialize for PermissionSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Permission::as_str))
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for PermissionSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = alloc::vec::Vec::<alloc::string::String>::deserialize(deserializer)?;
        names.iter().try_fold(Self::EMPTY, |mut set, name| {
            let permission = Permission::from_name(name)
                .ok_or_else(|| serde::de::Error::custom("an unknown permission"))?;
            set.insert(permission);
            Ok(set)
        })
    }
}

macro_rules! hooks {
    ($($variant:ident = $name:literal, $permission:ident, $tool_filter:literal;)+) => {
        /// A hook that an extension may subscribe to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum HookKind {
            $(#[doc = concat!("`", $name, "`, which needs [`Permission::", stringify!($permission), "`].")] $variant,)+
        }

        impl HookKind {
            /// Every hook.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The wire names, in the order of [`HookKind::ALL`].
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The wire name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The permission that a subscription needs.
            #[must_use]
            pub const fn permission(self) -> Permission {
                match self { $(Self::$variant => Permission::$permission,)+ }
            }

            /// Whether a subscription may name a tool.
            #[must_use]
            pub const fn takes_tool_filter(self) -> bool {
                match self { $(Self::$variant => $tool_filter,)+ }
            }

            /// The hook of that wire name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

hooks! {
    BeforeToolCall = "before_tool_call", ToolsIntercept, true;
    AfterToolCall = "after_tool_call", ToolsIntercept, true;
    BeforeMessage = "before_message", PrivacyLlmContent, false;
    OnMessageComplete = "on_message_complete", PrivacyLlmContent, false;
    OnCompaction = "on_compaction", PrivacyLlmContent, false;
    OnSessionStart = "on_session_start", SessionLifecycle, false;
    OnSessionEnd = "on_session_end", SessionLifecycle, false;
}

impl core::fmt::Display for HookKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}
