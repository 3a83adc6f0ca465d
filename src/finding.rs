//! What is said and not refused: every code of a finding, in one table, and the finding itself.

use alloc::vec::Vec;
use core::fmt;

use crate::limits::{Limit, Unit};
use crate::path::{Path, Place};
use crate::reason::Side;

/// The usual bound of model APIs on the name of a tool. It bounds nothing that the gate refuses.
pub(crate) static WIRE_NAME: Limit = Limit {
    name: "WIRE_NAME_MAX_BYTES",
    value: 64,
    unit: Unit::Bytes,
    bounds: "name of a tool as it is sent to a model",
    origin: "the usual bound of model APIs",
};

macro_rules! findings {
    ($($variant:ident = $code:literal, $explanation:literal, $mend:literal;)+) => {
        /// What is worth a reviewer's eye in what the gate accepts: a static code, never a text that
        /// depends on the input.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FindingCode {
            $(#[doc = concat!("`", $code, "`: ", $explanation)] $variant,)+
        }

        impl FindingCode {
            /// Every code: first those about a manifest, then those about a match.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The code: stable, snake_case.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// What is worth a look, in one sentence.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)+ }
            }

            /// What to do about it, in one sentence.
            #[must_use]
            pub const fn mend(self) -> &'static str {
                match self { $(Self::$variant => $mend,)+ }
            }
        }
    };
}

findings! {
    UnknownMember = "unknown_member",
        "A member of the extension block is none that a host reads, so it has no effect.",
        "Correct its name, or remove it.";
    ExtensionBlockMisspelled = "extension_block_misspelled",
        "A member of the document is spelled almost like `extension`, which it is not.",
        "Write `extension`, in lower case, if the plugin is meant to be an extension.";
    EmptyDeferredBlock = "empty_deferred_block",
        "The deferred block declares nothing, so the extension starts with the host, and yet may register nothing.",
        "Declare what the extension registers, or remove the block.";
    HooksOverrideUserLifecycle = "hooks_override_user_lifecycle",
        "`lifecycle` is `user`, but hooks are subscribed to, whose first event starts the extension.",
        "Remove the hooks if only the user may start the extension, else `lifecycle`.";
    ProvidersOutsideDeferred = "providers_outside_deferred",
        "Providers are declared in the extension block itself, where no host reads them.",
        "Move them into `deferred`.";
    InvisibleOrBidiCharacters = "invisible_or_bidi_characters",
        "A text that people or models read holds characters that cannot be seen or that change the order of others.",
        "Remove them; what they say is hidden from a reviewer, not from a model.";
    ControlCharacter = "control_character",
        "A description, or a part of the command that is run, holds a control character.",
        "Remove it; it can change a terminal, end a line, or cut a text short.";
    PluginIdNotAName = "plugin_id_not_a_name",
        "The plugin's id is no plain name: it is empty, begins with a dot, or holds a path separator, `:`, a control character or white space at an end.",
        "Use letters, digits, `-` and `_`; with `:` or a control character no tool can be made of the manifest at all.";
    MixedScriptName = "mixed_script_name",
        "A name mixes letters of scripts that look alike, such as Latin and Cyrillic.",
        "Use one script; look-alike letters pass one name off as another.";
    WireNameTooLong = "wire_name_too_long",
        "`<plugin>_<tool>` is longer than the 64 bytes that model APIs usually take.",
        "Shorten the tool's name or the plugin's.";
    WireNameCollision = "wire_name_collision",
        "Two tools have one name once all but `A-Za-z0-9_-` has become `_`, as model APIs ask for.",
        "Rename one of them.";
    CaseCollision = "case_collision",
        "Two names differ in case only.",
        "Rename one of them.";
    CommandOutsidePlugin = "command_outside_plugin",
        "`command` or `setup` leads out of the plugin: it is absolute, begins with `~`, or has `..` in it.",
        "Name a program of the plugin, or one that is found by its bare name.";
    PrebuiltNotHttps = "prebuilt_not_https",
        "A prebuilt asset is not fetched by HTTPS.",
        "Use an https URL.";
    PrebuiltBadSha256 = "prebuilt_bad_sha256",
        "The SHA-256 of a prebuilt asset is not 64 hexadecimal digits, so nothing can ever match it.",
        "Write the digest of the file as 64 hexadecimal digits.";
    SecretDefault = "secret_default",
        "A configuration entry is read from a secret's environment variable and has a default too.",
        "Remove the default; a secret in a manifest is no secret.";
    UnusedPermission = "unused_permission",
        "A permission is requested that nothing in the manifest uses.",
        "Remove it, or declare what uses it.";
    InlineCode = "inline_code",
        "`command` is an interpreter and `args` hands it code as text, which no review of the plugin's files sees.",
        "Put the code into a file of the plugin.";
    ExternalSchemaReference = "external_schema_reference",
        "A schema refers to something outside of it, which its digest does not cover.",
        "Copy what is meant into the schema, under `$defs`.";
    DroppedMember = "dropped_member",
        "The runtime sent a member that the host does not read, so it has no effect.",
        "Rely on nothing that it says; annotations of a tool grant nothing.";
    UndeclaredRegistration = "undeclared_registration",
        "The runtime registered something under a name that the manifest does not declare.",
        "Declare it, or do not register it.";
    OtherNormalForm = "other_normal_form",
        "What the runtime sent looks like what is declared, but is spelled in another Unicode normal form.",
        "Use the same normal form on both sides, best NFC; the gate compares bytes.";
}

impl FindingCode {
    /// The bound behind it, where it has one.
    #[must_use]
    pub fn limit(self) -> Option<&'static Limit> {
        match self {
            Self::WireNameTooLong => Some(&WIRE_NAME),
            _ => None,
        }
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// That a text is no finding's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UnknownFinding;

impl fmt::Display for UnknownFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the code of a finding")
    }
}

impl core::error::Error for UnknownFinding {}

impl core::str::FromStr for FindingCode {
    type Err = UnknownFinding;

    /// # Errors
    /// [`UnknownFinding`] for anything but a code, exactly as [`FindingCode::as_str`] gives it.
    fn from_str(code: &str) -> Result<Self, UnknownFinding> {
        Self::ALL
            .iter()
            .copied()
            .find(|finding| finding.as_str() == code)
            .ok_or(UnknownFinding)
    }
}

/// What exactly was found, where a [`FindingCode`] alone does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingDetail {
    /// Nothing to add.
    None,
    /// The known member whose name is nearest.
    Nearest(&'static str),
    /// The first such character, and how many there are.
    Characters(char, u32),
    /// What was measured, and the limit that it passes.
    Measured(usize, &'static Limit),
    /// The other of two names, which stands before this one, or on the manifest's side.
    Other(Path),
}

/// What is worth a reviewer's eye, and its place. Small, `Copy`, `'static`, and without a byte of the
/// document beyond a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Finding {
    code: FindingCode,
    side: Side,
    place: Place,
    detail: FindingDetail,
}

impl Finding {
    pub(crate) const fn new(code: FindingCode, side: Side, place: Place) -> Self {
        Self {
            code,
            side,
            place,
            detail: FindingDetail::None,
        }
    }

    pub(crate) const fn with(mut self, detail: FindingDetail) -> Self {
        self.detail = detail;
        self
    }

    /// The code.
    #[must_use]
    pub const fn code(&self) -> FindingCode {
        self.code
    }

    /// Which document the place is in.
    #[must_use]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Where it is. [`Locator`](crate::Locator) makes bytes, line, column and JSON pointer of it. A
    /// [`Place::Byte`] is the opening quote of a string or key.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// What exactly was found.
    #[must_use]
    pub const fn detail(&self) -> FindingDetail {
        self.detail
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.explanation())?;
        match self.detail {
            FindingDetail::None => Ok(()),
            FindingDetail::Nearest(name) => write!(f, " Nearest: `{name}`."),
            FindingDetail::Characters(first, count) => {
                write!(f, " The first of {count}: U+{:04X}.", u32::from(first))
            }
            FindingDetail::Measured(measured, limit) => write!(
                f,
                " Found {measured} {unit}, {usual} usual.",
                unit = limit.unit.as_str(),
                usual = limit.value
            ),
            FindingDetail::Other(path) => write!(f, " The other: {path}."),
        }
    }
}

/// The findings of one document or match, in the order in which they were found. At most
/// [`Findings::MOST`] are kept; the rest is counted.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    kept: alloc::vec::IntoIter<Finding>,
    omitted: usize,
}

impl Findings {
    /// The most findings that are kept.
    pub const MOST: usize = 1_000;

    /// How many there are beyond those that were kept.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Collects what a survey reports.
    pub(crate) fn collect(survey: impl FnOnce(&mut dyn FnMut(Finding))) -> Self {
        let mut kept = Vec::new();
        let mut omitted = 0;
        survey(&mut |finding| {
            if kept.len() < Self::MOST {
                kept.push(finding);
            } else {
                omitted += 1;
            }
        });
        Self {
            kept: kept.into_iter(),
            omitted,
        }
    }
}

impl Iterator for Findings {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        self.kept.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.kept.size_hint()
    }
}

impl ExactSizeIterator for Findings {}

/// What findings are reported to. They never stop anything.
pub(crate) type Report<'r> = &'r mut dyn FnMut(Finding);
