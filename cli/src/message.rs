//! What exactly was found, in a sentence without its period, and what more is to be said of it.

use std::borrow::Cow;
use std::fmt::Write as _;

use extgate::limits::{Limit, Unit};
use extgate::{
    Detail, Field, Finding, FindingCode, FindingDetail, JsonDocument, Location, Place, Reason,
    Rejection, Step, is_hidden,
};

use crate::source::Source;
use crate::visible::{cut, grouped, quoted};

/// A message, and notes on it for people.
pub(crate) struct Told {
    pub(crate) message: String,
    pub(crate) notes: Vec<String>,
}

impl From<String> for Told {
    fn from(message: String) -> Self {
        Self {
            message,
            notes: Vec::new(),
        }
    }
}

/// A sentence as a clause: without its period, and without the capital of its first word.
fn clause(text: &str) -> String {
    let text = text.strip_suffix('.').unwrap_or(text);
    let mut characters = text.chars();
    match (characters.next(), characters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_ascii_lowercase().to_string() + characters.as_str()
        }
        _ => text.to_owned(),
    }
}

/// The thing at a place: a member by its name, an item by its list.
pub(crate) fn subject(location: &Location) -> String {
    let token = |token: &str| quoted(&token.replace("~1", "/").replace("~0", "~"));
    let mut tokens = location.pointer.rsplit('/');
    match (tokens.next(), tokens.next()) {
        (None | Some(""), None) => "the document".to_owned(),
        (Some(last), Some(list))
            if last.bytes().all(|byte| byte.is_ascii_digit()) && !last.is_empty() =>
        {
            format!("item {last} of {}", token(list))
        }
        (last, _) => token(last.unwrap_or_default()),
    }
}

/// What stands at a place, as a noun.
fn found(source: &Source<'_>, location: &Location) -> String {
    let raw = source.raw(location);
    let text = String::from_utf8_lossy(raw);
    match raw.first() {
        None => "nothing".to_owned(),
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        Some(b'"') => format!(
            "the string {}",
            quoted(&source.string(location).unwrap_or_default())
        ),
        Some(b'-' | b'0'..=b'9') => format!("the number {}", cut(&text, 40)),
        Some(_) => cut(&text, 40),
    }
}

fn value(source: &Source<'_>, location: &Location) -> String {
    match source.string(location) {
        Some(text) => quoted(&text),
        None => quoted(&String::from_utf8_lossy(source.raw(location))),
    }
}

pub(crate) fn of_rejection(
    rejection: &Rejection,
    location: &Location,
    source: &Source<'_>,
) -> Told {
    let subject = subject(location);
    if let Some(field) = missing(rejection, location) {
        let mut message = format!("`{}` is missing in {subject}", field.as_str());
        if let Some(other) = misspelled(field, location, source) {
            let _ = write!(message, ", is it {other}?");
        }
        return message.into();
    }
    match rejection.detail() {
        Detail::Expected(what) => {
            let found = found(source, location);
            format!("{subject} is {found}, {what} is allowed").into()
        }
        Detail::OneOf(words) => one_of(rejection.reason(), words, location, source),
        Detail::Needs(permission) => {
            format!("`{permission}` is not among `permissions`, though it is needed").into()
        }
        Detail::Measured(measured, limit) => {
            measured_message(rejection.reason(), measured, limit, location, source).into()
        }
        _ => of_reason(rejection.reason(), location, source).into(),
    }
}

/// The member that a fault is about, and that does not stand there.
fn missing(rejection: &Rejection, location: &Location) -> Option<Field> {
    if let Detail::Missing(field) = rejection.detail() {
        return Some(field);
    }
    let Place::Value(path) = rejection.place() else {
        return None;
    };
    match path.steps().last() {
        // What is not found is shown where it would stand.
        Some(Step::Field(field)) if path.steps().len() > location.pointer.matches('/').count() => {
            Some(*field)
        }
        _ => None,
    }
}

/// The member beside which one is missing, and whose name is almost that one's.
fn misspelled(field: Field, location: &Location, source: &Source<'_>) -> Option<String> {
    let object = JsonDocument::new(source.raw(location)).ok()?;
    let keys: Vec<_> = object.root().members().map(|(key, _)| key).collect();
    nearest(field.as_str(), keys.iter().map(|key| &**key)).map(quoted)
}

fn one_of(
    reason: Reason,
    words: &'static [&'static str],
    location: &Location,
    source: &Source<'_>,
) -> Told {
    let value = value(source, location);
    let mut message = match reason {
        Reason::UnknownPermission => format!("{value} is no known permission"),
        Reason::UnknownHook => format!("{value} is no known hook"),
        _ => format!(
            "{} is {value}, which is none of its words",
            subject(location)
        ),
    };
    let text = source.string(location).unwrap_or_default();
    if let Some(nearest) = nearest(&text, words.iter().copied()) {
        let _ = write!(message, ", did you mean `{nearest}`?");
    }
    Told {
        message,
        notes: vec![format!("allowed: {}", words.join(", "))],
    }
}

/// The known word that a text was most probably meant to be.
pub(crate) fn nearest<'w>(text: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    const MOST_CHARACTERS: usize = 100;
    const NEAR: f64 = 0.85;
    if text.len() > MOST_CHARACTERS {
        return None;
    }
    words
        .map(|word| (strsim::jaro_winkler(text, word), word))
        .filter(|(near, _)| *near >= NEAR)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, word)| word)
}

fn measured_message(
    reason: Reason,
    measured: usize,
    limit: &'static Limit,
    location: &Location,
    source: &Source<'_>,
) -> String {
    let subject = subject(location);
    let allowed = grouped(limit.value);
    let measure = grouped(measured);
    match (reason, limit.unit) {
        // Files are read to one byte beyond the bound.
        (Reason::DocumentTooLarge, _) => {
            format!("the document is larger than the {allowed} bytes that are allowed")
        }
        (Reason::InvalidDeclaredProviderModelCount, _) => {
            format!("{subject} has {measure} items, 1 to {allowed} are allowed")
        }
        (_, Unit::Items) => format!("{subject} has {measure} items, {allowed} are allowed"),
        (Reason::OversizedDeclaredToolSchema | Reason::InvalidDeclaredProviderConfigSchema, _) => {
            format!("{subject} is {measure} bytes as compact JSON, {allowed} allowed")
        }
        (_, unit) => {
            let characters = source
                .string(location)
                .map_or(0, |text| text.chars().count());
            format!(
                "{subject} is {measure} {unit} ({characters} characters), {allowed} allowed",
                unit = unit.as_str(),
                characters = grouped(characters)
            )
        }
    }
}

fn of_reason(reason: Reason, location: &Location, source: &Source<'_>) -> String {
    let subject = subject(location);
    let explained = || clause(reason.explanation());
    match reason {
        Reason::Syntax => match next_character(source, location.offset) {
            None => "the document ends where more is expected".to_owned(),
            Some(one) => format!("{one} is not expected here"),
        },
        Reason::InvalidUtf8 => match source.bytes.get(location.offset) {
            Some(byte) => format!("the byte 0x{byte:02X} is no UTF-8 here"),
            None => explained(),
        },
        Reason::LoneSurrogate => format!(
            "{} is half of a surrogate pair",
            quoted(&String::from_utf8_lossy(source.raw(location)))
        ),
        Reason::NumberOutOfRange => format!("{} is out of range", found(source, location)),
        Reason::DuplicateKey => {
            format!(
                "the key {} stands twice in one object",
                value(source, location)
            )
        }
        Reason::UnknownField => format!("{} is no member of `match`", value(source, location)),
        Reason::DuplicateDeclaredToolName
        | Reason::DuplicateDeclaredProviderId
        | Reason::DuplicateDeclaredProviderModelId
        | Reason::DuplicateDeclaredContextProviderId => {
            format!("{} is declared a second time", value(source, location))
        }
        Reason::RegisteredToolNamesDuplicate
        | Reason::RegisteredProviderIdsDuplicate
        | Reason::RegisteredProviderModelIdsDuplicate => {
            format!("{} is registered a second time", value(source, location))
        }
        Reason::DeclaredToolNotRegistered
        | Reason::DeclaredProviderNotRegistered
        | Reason::DeclaredProviderModelNotRegistered => {
            format!(
                "{} is declared, but not registered",
                value(source, location)
            )
        }
        Reason::UnsupportedProtocolVersion => {
            format!(
                "{subject} is {}, only 1 is supported",
                found(source, location)
            )
        }
        Reason::ReservedPermission => format!("{} is reserved", value(source, location)),
        Reason::InvalidThemeTokenColor => {
            format!("{} is no color of a theme", value(source, location))
        }
        Reason::CapabilityPermissionMissing => format!(
            "{} is not among the `permissions` that the manifest requests",
            value(source, location)
        ),
        _ => match source
            .string(location)
            .and_then(|text| wrong_text(reason, &text, subject == quoted(&text)))
        {
            Some(why) => format!("{subject} {why}"),
            None => explained(),
        },
    }
}

/// Why a text is no name, label or description, where a character of it says so.
fn wrong_text(reason: Reason, text: &str, is_key: bool) -> Option<String> {
    let bad: fn(char) -> bool = match reason {
        Reason::InvalidDeclaredToolName | Reason::InvalidDeclaredProviderModelId => {
            |one| one.is_control() || one.is_whitespace() || one == ':'
        }
        Reason::InvalidDeclaredProviderId => {
            |one| !matches!(one, 'a'..='z' | '0'..='9' | '-' | '_')
        }
        Reason::InvalidDeclaredContextProviderId => |one| !one.is_ascii_graphic() || one == ':',
        Reason::InvalidThemeTokenName => {
            |one| matches!(one, '.' | '/' | '\\') || one.is_whitespace()
        }
        Reason::InvalidDeclaredProviderDisplayName
        | Reason::InvalidDeclaredProviderModelDisplayName
        | Reason::InvalidDeclaredProviderModelCapabilities
        | Reason::InvalidDeclaredContextProviderCapability => char::is_control,
        Reason::InvalidDeclaredToolDescription
        | Reason::InvalidDeclaredProviderDescription
        | Reason::InvalidDeclaredContextProviderDescription
        | Reason::InvalidCapability
        | Reason::EmptyCommand => |_| false,
        _ => return None,
    };
    if text.is_empty() {
        return Some("is empty".to_owned());
    }
    match text.chars().find(|one| bad(*one)) {
        Some(one) if is_key => Some(format!("holds {}", character(one))),
        Some(one) => Some(format!(
            "is {}, which holds {}",
            quoted(text),
            character(one)
        )),
        None => text.trim().is_empty().then(|| "is blank".to_owned()),
    }
}

/// A character by itself or, where it cannot be seen, by its number.
fn character(one: char) -> String {
    if one == ' ' {
        "a space".to_owned()
    } else if is_hidden(one) || one.is_whitespace() {
        format!("U+{:04X}", u32::from(one))
    } else {
        format!("`{one}`")
    }
}

fn next_character(source: &Source<'_>, offset: usize) -> Option<String> {
    let rest = source.bytes.get(offset..).unwrap_or_default();
    let chunk = rest.utf8_chunks().next()?;
    Some(match chunk.valid().chars().next() {
        Some('\n' | '\r') => "a line's end".to_owned(),
        Some(one) => character(one),
        None => format!("the byte 0x{:02X}", rest.first()?),
    })
}

pub(crate) fn of_finding(
    finding: &Finding,
    location: &Location,
    source: &Source<'_>,
    plugin: &str,
    other: impl Fn(Place) -> String,
) -> Told {
    let subject = subject(location);
    let value = || value(source, location);
    let explained = || clause(finding.code().explanation());
    let mut notes = Vec::new();
    let message = match (finding.code(), finding.detail()) {
        (FindingCode::UnknownMember, detail) => {
            format!("{} is no known member{}", value(), meant(detail))
        }
        (FindingCode::DroppedMember, detail) => {
            format!(
                "{} was sent, but no host reads it{}",
                value(),
                meant(detail)
            )
        }
        (FindingCode::ExtensionBlockMisspelled, _) => {
            format!("{} is not read, `extension` is", value())
        }
        (
            code @ (FindingCode::InvisibleOrBidiCharacters | FindingCode::ControlCharacter),
            FindingDetail::Characters(first, count),
        ) => {
            let text = source.string(location).unwrap_or_default();
            notes.extend(tagged(&text));
            let what = match code {
                FindingCode::ControlCharacter => "control",
                _ => "invisible or bidirectional",
            };
            let first = u32::from(first);
            match count {
                1 => format!("{subject} holds the {what} character U+{first:04X}"),
                _ => format!("{subject} holds {count} {what} characters, the first U+{first:04X}"),
            }
        }
        (FindingCode::PluginIdNotAName, _) => {
            format!("the plugin's id {} is no plain name", quoted(plugin))
        }
        (FindingCode::MixedScriptName, _) => {
            let text = source.string(location).unwrap_or_else(|| plugin.to_owned());
            notes.extend(beyond_ascii(&text));
            format!("{} mixes letters of scripts that look alike", quoted(&text))
        }
        (FindingCode::WireNameTooLong, FindingDetail::Measured(measured, limit)) => {
            let name = source.string(location).unwrap_or_default();
            format!(
                "{} is {measured} bytes, model APIs usually take {}",
                quoted(&format!("{plugin}_{name}")),
                limit.value
            )
        }
        (FindingCode::WireNameCollision, FindingDetail::Other(path)) => {
            format!(
                "{} and {} are one name to a model",
                value(),
                other(Place::Value(path))
            )
        }
        (FindingCode::CaseCollision, FindingDetail::Other(path)) => {
            format!(
                "{} and {} differ in case only",
                value(),
                other(Place::Value(path))
            )
        }
        (FindingCode::CommandOutsidePlugin, _) => {
            format!("{subject} is {}, which leads out of the plugin", value())
        }
        (FindingCode::PrebuiltNotHttps, _) => {
            format!("{subject} is {}, which is not HTTPS", value())
        }
        (FindingCode::PrebuiltBadSha256, _) => {
            format!(
                "{subject} is {}, which is not 64 hexadecimal digits",
                value()
            )
        }
        (FindingCode::UnusedPermission, _) => {
            format!("{} is requested, but nothing here uses it", value())
        }
        (FindingCode::InlineCode, _) => {
            format!("`command` runs code that `args` gives, by {}", value())
        }
        (FindingCode::ExternalSchemaReference, _) => {
            format!(
                "{subject} is {}, which the schema's digest does not cover",
                value()
            )
        }
        (FindingCode::UndeclaredRegistration, _) => {
            format!("{} is registered, but not declared", value())
        }
        (FindingCode::OtherNormalForm, _) => {
            format!("{subject} differs from what is declared in Unicode normal form only")
        }
        _ => explained(),
    };
    Told { message, notes }
}

fn meant(detail: FindingDetail) -> Cow<'static, str> {
    match detail {
        FindingDetail::Nearest(name) => format!(", did you mean `{name}`?").into(),
        _ => "".into(),
    }
}

/// What Unicode tags in a text spell, which a model may read though nobody sees it.
fn tagged(text: &str) -> Option<String> {
    let hidden: String = text
        .chars()
        .filter_map(|one| u32::from(one).checked_sub(0xE0000))
        .filter(|code| (0x20..0x7F).contains(code))
        .filter_map(char::from_u32)
        .collect();
    (!hidden.is_empty()).then(|| format!("the hidden tags spell {}", quoted(&hidden)))
}

/// The letters of a text beyond ASCII, each once, by number.
fn beyond_ascii(text: &str) -> Option<String> {
    const MOST: usize = 5;
    let mut letters: Vec<char> = Vec::new();
    for one in text.chars().filter(|one| !one.is_ascii()) {
        if letters.len() < MOST && !letters.contains(&one) {
            letters.push(one);
        }
    }
    let shown: Vec<String> = letters
        .iter()
        .map(|one| format!("{} is U+{:04X}", character(*one), u32::from(*one)))
        .collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}
