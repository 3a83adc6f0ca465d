//! Every bound of the gate, in one table. Lengths are bytes of decoded UTF-8, never characters.

/// What a [`Limit`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Bytes: of a document, of decoded UTF-8 text, or of a schema's compact text.
    Bytes,
    /// Items of a list.
    Items,
    /// Levels of nested arrays and objects.
    Levels,
}

impl Unit {
    /// The unit as a word, as it follows a number: `1,024 bytes`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Items => "items",
            Self::Levels => "levels",
        }
    }
}

/// One bound: the largest value that passes, what it measures and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limit {
    /// The constant's name.
    pub name: &'static str,
    /// The largest value that passes.
    pub value: usize,
    /// What is counted.
    pub unit: Unit,
    /// The thing that is bounded.
    pub bounds: &'static str,
    /// Why the bound has this value.
    pub origin: &'static str,
}

impl core::fmt::Display for Unit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! limits {
    ($($name:ident, $limit:ident = $value:expr, $unit:ident, $bounds:literal, $origin:literal;)+) => {
        $(
            #[doc = concat!("Largest ", $bounds, ", ", $origin, ".")]
            pub const $name: usize = $value;
            pub(crate) static $limit: Limit = Limit {
                name: stringify!($name),
                value: $value,
                unit: Unit::$unit,
                bounds: $bounds,
                origin: $origin,
            };
        )+
        /// Every bound, in the order of this page.
        pub static ALL: &[&Limit] = &[$(&$limit),+];
    };
}

limits! {
    DOCUMENT_MAX_BYTES, DOCUMENT = 8 * 1024 * 1024, Bytes,
        "document (`plugin.json`)", "a manifest is read on the start-up path";
    INITIALIZE_RESULT_MAX_BYTES, INITIALIZE_RESULT = 4 * 1024 * 1024, Bytes,
        "initialize result", "the frame cap of the host that this gate is compatible with";
    NESTING_MAX_LEVELS, NESTING = 127, Levels,
        "nesting of arrays and objects", "the depth at which `serde_json` stops";
    DECLARED_MAX_TOOLS, TOOLS = 256, Items,
        "number of declared tools", "shared with the peer's descriptor cache";
    DECLARED_MAX_PROVIDERS, PROVIDERS = 16, Items,
        "number of declared providers", "shared with the peer";
    DECLARED_MAX_PROVIDER_MODELS, PROVIDER_MODELS = 64, Items,
        "number of models of one provider", "shared with the peer; at least one is needed";
    DECLARED_MAX_CONTEXT_PROVIDERS, CONTEXT_PROVIDERS = 8, Items,
        "number of declared context providers", "shared with the peer";
    DECLARED_NAME_MAX_BYTES, NAME = 128, Bytes,
        "label (capability label, context-provider id)", "shared with the peer";
    DECLARED_DESCRIPTION_MAX_BYTES, DESCRIPTION = 1024, Bytes,
        "description", "shared with the peer";
    DECLARED_DISPLAY_MAX_BYTES, DISPLAY = 256, Bytes,
        "display name", "shared with the peer";
    DECLARED_SCHEMA_MAX_BYTES, SCHEMA = 64 * 1024, Bytes,
        "schema, as compact JSON text", "shared with the peer";
    MAX_ID_LENGTH, ID = 64, Bytes,
        "id (tool names, provider ids, model ids)", "the runtime's own bound on ids at initialize";
}
