//! Where in a document a rule looked, without a byte of the document's text.

use alloc::string::String;

macro_rules! fields {
    ($($variant:ident = $name:literal,)+) => {
        /// A member that the gate knows by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Field {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
        }

        impl Field {
            /// The member's name as it stands in a document.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

fields! {
    Activation = "activation",
    Args = "args",
    Capabilities = "capabilities",
    Capability = "capability",
    Command = "command",
    Config = "config",
    ConfigSchema = "config_schema",
    ContextProviders = "context_providers",
    ContextWindow = "context_window",
    Default = "default",
    Deferred = "deferred",
    Description = "description",
    DisplayName = "display_name",
    Extension = "extension",
    Hook = "hook",
    Hooks = "hooks",
    HostContext = "host_context",
    Id = "id",
    InputContains = "input_contains",
    InputEquals = "input_equals",
    InputSchema = "input_schema",
    Key = "key",
    Kind = "kind",
    Lifecycle = "lifecycle",
    Match = "match",
    Models = "models",
    Name = "name",
    Params = "params",
    Permissions = "permissions",
    Prebuilt = "prebuilt",
    ProtocolVersion = "protocol_version",
    Providers = "providers",
    Required = "required",
    Result = "result",
    Runtime = "runtime",
    SchemaVersion = "schema_version",
    SecretEnv = "secret_env",
    Setup = "setup",
    Sha256 = "sha256",
    ThemeTokens = "theme_tokens",
    Tool = "tool",
    Tools = "tools",
    Type = "type",
    Url = "url",
}

/// One step of a [`Path`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Into the member of that name.
    Field(Field),
    /// Into the array's item at that index, from 0.
    Index(u32),
    /// Into the object's member at that position in the document, from 0, whatever its name.
    Member(u32),
}

/// The deepest path of any rule: `/extension/deferred/providers/I/models/J/capabilities/KEY`.
const MAX_STEPS: usize = 8;

/// The way from a document's root to a value. `Copy`, and free of the document's text.
#[derive(Clone, Copy)]
pub struct Path {
    steps: [Step; MAX_STEPS],
    len: u8,
}

impl Path {
    /// The document itself.
    pub const ROOT: Self = Self {
        steps: [Step::Index(0); MAX_STEPS],
        len: 0,
    };

    pub(crate) const fn of(field: Field) -> Self {
        let mut path = Self::ROOT;
        path.steps[0] = Step::Field(field);
        path.len = 1;
        path
    }

    /// The steps, from the root.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        self.steps
            .get(..usize::from(self.len))
            .unwrap_or(&self.steps)
    }

    /// A longer path. A step beyond the room of [`Path`] is not kept: the place stays true, only coarser.
    pub(crate) fn then(mut self, step: Step) -> Self {
        self.push(step);
        self
    }

    /// Lengthens the path in place. Each push is undone by a [`Path::pop`].
    #[inline]
    pub(crate) fn push(&mut self, step: Step) {
        if let Some(slot) = self.steps.get_mut(usize::from(self.len)) {
            *slot = step;
        }
        self.len += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    pub(crate) fn field(self, field: Field) -> Self {
        self.then(Step::Field(field))
    }

    pub(crate) fn index(self, index: u32) -> Self {
        self.then(Step::Index(index))
    }

    pub(crate) fn member(self, position: u32) -> Self {
        self.then(Step::Member(position))
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.steps() == other.steps()
    }
}

impl Eq for Path {}

impl core::hash::Hash for Path {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.steps().hash(state);
    }
}

impl core::fmt::Debug for Path {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

/// As a JSON pointer, save that a [`Step::Member`] is shown by its position: `/extension/theme_tokens/#2`.
impl core::fmt::Display for Path {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for step in self.steps() {
            match step {
                Step::Field(field) => write!(f, "/{}", field.as_str())?,
                Step::Index(index) => write!(f, "/{index}")?,
                Step::Member(position) => write!(f, "/#{position}")?,
            }
        }
        Ok(())
    }
}

/// Appends a reference token, escaped as RFC 6901 has it.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for one in token.chars() {
        match one {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Where a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// At that byte of the document, from 0.
    Byte(u32),
    /// The value at the end of that path.
    Value(Path),
    /// The key of the member at the end of that path.
    Key(Path),
}

/// Numbers the items of a list whose length a bound or a document's size keeps far below 2^32.
pub(crate) fn numbered<T>(items: impl Iterator<Item = T>) -> impl Iterator<Item = (u32, T)> {
    (0_u32..).zip(items)
}
