//! Every bound of the format, and documents that keep it and pass it by one.

use arbitrary::{Arbitrary, Unstructured};
use extgate::Reason;
use extgate::limits;

use crate::dice::Dice;
use crate::manifest::padded;
use crate::spell::{Spelled, plain, spell};
use crate::value::Value;

// The bounds as the behaviour states them, not as the gate does: a changed constant is a found fault.
pub(crate) const DOCUMENT_MAX_BYTES: usize = 8_388_608;
pub(crate) const INITIALIZE_RESULT_MAX_BYTES: usize = 4_194_304;
pub(crate) const NESTING_MAX_LEVELS: usize = 127;
pub(crate) const DECLARED_MAX_TOOLS: usize = 256;
pub(crate) const DECLARED_MAX_PROVIDERS: usize = 16;
pub(crate) const DECLARED_MAX_PROVIDER_MODELS: usize = 64;
pub(crate) const DECLARED_MAX_CONTEXT_PROVIDERS: usize = 8;
pub(crate) const DECLARED_NAME_MAX_BYTES: usize = 128;
pub(crate) const DECLARED_DESCRIPTION_MAX_BYTES: usize = 1024;
pub(crate) const DECLARED_DISPLAY_MAX_BYTES: usize = 256;
pub(crate) const DECLARED_SCHEMA_MAX_BYTES: usize = 65_536;
pub(crate) const MAX_ID_LENGTH: usize = 64;

/// What is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounded {
    /// The document, in bytes.
    Document,
    /// The initialize result, in bytes.
    Result,
    /// Nesting, in levels.
    Nesting,
    /// The number of something.
    Count(Reason),
    /// The bytes of a text.
    Text(Reason),
    /// The compact size of a schema.
    Schema(Reason),
}

/// A bound: what it bounds, the constant that states it, and where.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// What is bounded.
    pub bounded: Bounded,
    /// The largest value that passes.
    pub most: usize,
    /// The name of the gate's constant.
    pub constant: &'static str,
    /// The pointer of what is bounded.
    pub pointer: &'static str,
}

const fn bound(
    bounded: Bounded,
    most: usize,
    constant: &'static str,
    pointer: &'static str,
) -> Bound {
    Bound {
        bounded,
        most,
        constant,
        pointer,
    }
}

use Bounded::{Count, Schema, Text};

/// Every bound.
pub static BOUNDS: &[Bound] = &[
    bound(Bounded::Document, 8_388_608, "DOCUMENT_MAX_BYTES", ""),
    bound(
        Bounded::Result,
        INITIALIZE_RESULT_MAX_BYTES,
        "INITIALIZE_RESULT_MAX_BYTES",
        "",
    ),
    bound(Bounded::Nesting, 127, "NESTING_MAX_LEVELS", ""),
    bound(
        Count(Reason::TooManyDeclaredTools),
        DECLARED_MAX_TOOLS,
        "DECLARED_MAX_TOOLS",
        "/extension/deferred/tools",
    ),
    bound(
        Count(Reason::TooManyDeclaredTools),
        DECLARED_MAX_TOOLS,
        "DECLARED_MAX_TOOLS",
        "/extension/tools",
    ),
    bound(
        Count(Reason::TooManyDeclaredProviders),
        DECLARED_MAX_PROVIDERS,
        "DECLARED_MAX_PROVIDERS",
        "/extension/deferred/providers",
    ),
    bound(
        Count(Reason::InvalidDeclaredProviderModelCount),
        DECLARED_MAX_PROVIDER_MODELS,
        "DECLARED_MAX_PROVIDER_MODELS",
        "/extension/deferred/providers/0/models",
    ),
    bound(
        Count(Reason::TooManyDeclaredContextProviders),
        DECLARED_MAX_CONTEXT_PROVIDERS,
        "DECLARED_MAX_CONTEXT_PROVIDERS",
        "/extension/deferred/context_providers",
    ),
    bound(
        Text(Reason::InvalidDeclaredToolName),
        MAX_ID_LENGTH,
        "MAX_ID_LENGTH",
        "/extension/deferred/tools/0/name",
    ),
    bound(
        Text(Reason::InvalidDeclaredProviderId),
        MAX_ID_LENGTH,
        "MAX_ID_LENGTH",
        "/extension/deferred/providers/0/id",
    ),
    bound(
        Text(Reason::InvalidDeclaredProviderModelId),
        MAX_ID_LENGTH,
        "MAX_ID_LENGTH",
        "/extension/deferred/providers/0/models/0/id",
    ),
    bound(
        Text(Reason::InvalidDeclaredContextProviderId),
        DECLARED_NAME_MAX_BYTES,
        "DECLARED_NAME_MAX_BYTES",
        "/extension/deferred/context_providers/0/id",
    ),
    bound(
        Text(Reason::InvalidDeclaredContextProviderCapability),
        DECLARED_NAME_MAX_BYTES,
        "DECLARED_NAME_MAX_BYTES",
        "/extension/deferred/context_providers/0/capability",
    ),
    bound(
        Text(Reason::InvalidDeclaredProviderModelCapabilities),
        DECLARED_NAME_MAX_BYTES,
        "DECLARED_NAME_MAX_BYTES",
        "/extension/deferred/providers/0/models/0/capabilities",
    ),
    bound(
        Text(Reason::InvalidDeclaredToolDescription),
        DECLARED_DESCRIPTION_MAX_BYTES,
        "DECLARED_DESCRIPTION_MAX_BYTES",
        "/extension/deferred/tools/0/description",
    ),
    bound(
        Text(Reason::InvalidDeclaredProviderDescription),
        DECLARED_DESCRIPTION_MAX_BYTES,
        "DECLARED_DESCRIPTION_MAX_BYTES",
        "/extension/deferred/providers/0/description",
    ),
    bound(
        Text(Reason::InvalidDeclaredContextProviderDescription),
        DECLARED_DESCRIPTION_MAX_BYTES,
        "DECLARED_DESCRIPTION_MAX_BYTES",
        "/extension/deferred/context_providers/0/description",
    ),
    bound(
        Text(Reason::InvalidDeclaredProviderDisplayName),
        DECLARED_DISPLAY_MAX_BYTES,
        "DECLARED_DISPLAY_MAX_BYTES",
        "/extension/deferred/providers/0/display_name",
    ),
    bound(
        Text(Reason::InvalidDeclaredProviderModelDisplayName),
        DECLARED_DISPLAY_MAX_BYTES,
        "DECLARED_DISPLAY_MAX_BYTES",
        "/extension/deferred/providers/0/models/0/display_name",
    ),
    bound(
        Schema(Reason::OversizedDeclaredToolSchema),
        DECLARED_SCHEMA_MAX_BYTES,
        "DECLARED_SCHEMA_MAX_BYTES",
        "/extension/deferred/tools/0/input_schema",
    ),
    bound(
        Schema(Reason::InvalidDeclaredProviderConfigSchema),
        DECLARED_SCHEMA_MAX_BYTES,
        "DECLARED_SCHEMA_MAX_BYTES",
        "/extension/deferred/providers/0/config_schema",
    ),
];

impl Bound {
    /// The reason of passing it.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self.bounded {
            Bounded::Document | Bounded::Result => Reason::DocumentTooLarge,
            Bounded::Nesting => Reason::NestingTooDeep,
            Count(reason) | Text(reason) | Schema(reason) => reason,
        }
    }

    /// The value of the gate's constant of that name.
    #[must_use]
    pub fn stated(&self) -> Option<usize> {
        let known = limits::ALL.iter().find(|limit| limit.name == self.constant);
        known.map(|limit| limit.value)
    }
}

/// A document that keeps a bound exactly, and one that passes it by one.
#[derive(Debug, Clone)]
pub struct AtTheBound {
    /// The bound.
    pub bound: Bound,
    /// At the bound: accepted.
    pub keeps: Spelled,
    /// One more: refused.
    pub passes: Spelled,
    /// Whether they are initialize results, not manifests.
    pub runtime: bool,
    /// The pointer of what passes the bound.
    pub pointer: String,
}

impl AtTheBound {
    /// Documents at that bound.
    pub fn of(bound: Bound, u: &mut Unstructured<'_>) -> Self {
        let mut made = Self {
            bound,
            keeps: plain(&Value::Null),
            passes: plain(&Value::Null),
            runtime: bound.bounded == Bounded::Result,
            pointer: bound.pointer.to_owned(),
        };
        match bound.bounded {
            Bounded::Document => {
                made.keeps = plain(&everything(&[]));
                pad(&mut made, u.pick(b" \n"));
            }
            Bounded::Result => {
                made.keeps = plain(&Value::Object(vec![(
                    "protocol_version".into(),
                    Value::Integer(1),
                )]));
                pad(&mut made, b' ');
            }
            Bounded::Nesting => nest(&mut made, u),
            Count(_) => {
                (made.keeps, made.passes) = both(bound, u, |size, u| {
                    Value::Array(
                        (0..size)
                            .map(|number| item(bound.pointer, number, u))
                            .collect(),
                    )
                });
            }
            Text(Reason::InvalidDeclaredProviderModelCapabilities) => {
                let (one, size) = character(true, u);
                let label = |bytes: usize| one.repeat(bytes / size) + &"x".repeat(bytes % size);
                (made.keeps, made.passes) = both(bound, u, |bytes, _| {
                    Value::Object(vec![(label(bytes), Value::Bool(true))])
                });
                made.pointer = crate::value::join(bound.pointer, &label(bound.most + 1));
            }
            Text(reason) => {
                let ascii = matches!(
                    reason,
                    Reason::InvalidDeclaredProviderId | Reason::InvalidDeclaredContextProviderId
                );
                let (one, size) = character(!ascii, u);
                (made.keeps, made.passes) = both(bound, u, |bytes, _| {
                    Value::String(one.repeat(bytes / size) + &"x".repeat(bytes % size))
                });
            }
            Schema(_) => {
                let base = Value::object(u);
                (made.keeps, made.passes) =
                    both(bound, u, |bytes, u| padded(base.clone(), bytes, u));
            }
        }
        made
    }
}

/// One of [`BOUNDS`]; those of whole documents seldom, as they are slow.
impl<'a> Arbitrary<'a> for AtTheBound {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut bound = u.pick(BOUNDS);
        if matches!(bound.bounded, Bounded::Document | Bounded::Result) && !u.once_in(16) {
            bound = BOUNDS[2];
        }
        Ok(Self::of(bound, u))
    }
}

/// Fills the document up to its bound and by one beyond.
fn pad(made: &mut AtTheBound, with: u8) {
    made.passes = made.keeps.clone();
    made.keeps.bytes.resize(made.bound.most, with);
    made.passes.bytes.resize(made.bound.most + 1, with);
}

/// A character of one to four bytes, which a text may consist of.
fn character(wide: bool, u: &mut Unstructured<'_>) -> (&'static str, usize) {
    let choices = [
        ("x", 1),
        ("\u{e9}", 2),
        ("\u{65e5}", 3),
        ("\u{1F600}", 4),
        ("\u{FEFF}", 3),
    ];
    u.pick(if wide { &choices } else { &choices[..1] })
}

fn both(
    bound: Bound,
    u: &mut Unstructured<'_>,
    mut value: impl FnMut(usize, &mut Unstructured<'_>) -> Value,
) -> (Spelled, Spelled) {
    let keeps = value(bound.most, u);
    let passes = value(bound.most + 1, u);
    let keeps = spell(&everything(&[(bound.pointer, keeps)]), u);
    let passes = spell(&everything(&[(bound.pointer, passes)]), u);
    (keeps, passes)
}

fn nest(made: &mut AtTheBound, u: &mut Unstructured<'_>) {
    let (open, close, token) = u.pick(&[("[", "]", "/0"), ("{\"a\":", "}", "/a")]);
    let member = u.pick(&[
        "/elsewhere",
        "/extension/unknown",
        "/extension/deferred/tools/0/input_schema/deep",
    ]);
    // As many objects and arrays stand around the member as its pointer has steps.
    let around = member.matches('/').count();
    let free = made.bound.most - around;
    let text = |levels: usize| {
        Value::Raw(format!("{}0{}", open.repeat(levels), close.repeat(levels)).into_bytes())
    };
    let document = |levels: usize| {
        let mut value = everything(&[]);
        let (parent, key) = member.rsplit_once('/').expect("a member");
        value.members_mut(parent).push((key.into(), text(levels)));
        value
    };
    made.keeps = spell(&document(free), u);
    made.passes = spell(&document(free + 1), u);
    made.pointer = format!("{member}{}", token.repeat(free));
}

fn object(members: &[(&str, Value)]) -> Value {
    Value::Object(
        members
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    )
}

fn string(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn tool(name: &str) -> Value {
    object(&[
        ("name", string(name)),
        ("description", string("d")),
        ("input_schema", Value::empty()),
    ])
}

fn provider(id: &str) -> Value {
    object(&[
        ("id", string(id)),
        ("display_name", string("P")),
        ("description", string("d")),
        ("models", Value::Array(vec![model("m")])),
        ("config_schema", Value::empty()),
    ])
}

fn model(id: &str) -> Value {
    object(&[
        ("id", string(id)),
        ("display_name", string("M")),
        ("capabilities", Value::empty()),
    ])
}

fn context_provider(id: &str) -> Value {
    object(&[
        ("id", string(id)),
        ("capability", string("c")),
        ("description", string("d")),
        ("schema_version", Value::Integer(1)),
    ])
}

/// The item of a counted list.
fn item(list: &str, number: usize, u: &mut Unstructured<'_>) -> Value {
    let name = format!("i{number}");
    match list.rsplit('/').next() {
        Some("tools") => tool(&name),
        Some("providers") => provider(&name),
        Some("models") => {
            if u.once_in(2) {
                object(&[("id", string(&name))])
            } else {
                model(&name)
            }
        }
        _ => context_provider(&name),
    }
}

/// A valid manifest that has one of each, with some parts replaced.
fn everything(parts: &[(&str, Value)]) -> Value {
    let permissions = [
        "tools.register",
        "providers.register",
        "context_providers.register",
    ];
    let mut value = object(&[(
        "extension",
        object(&[
            ("runtime", string("process")),
            ("command", string("x")),
            (
                "permissions",
                Value::Array(permissions.map(string).to_vec()),
            ),
            (
                "deferred",
                object(&[
                    ("tools", Value::Array(vec![tool("t")])),
                    ("providers", Value::Array(vec![provider("p")])),
                    (
                        "context_providers",
                        Value::Array(vec![context_provider("c")]),
                    ),
                ]),
            ),
        ]),
    )]);
    for (pointer, part) in parts {
        if *pointer == "/extension/tools" {
            let members = value.members_mut("/extension");
            members.retain(|(key, _)| key != "deferred");
            members.push(("tools".into(), part.clone()));
        } else {
            *value.at_mut(pointer).expect("a part") = part.clone();
        }
    }
    value
}
