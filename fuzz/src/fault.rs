//! Manifests with exactly one fault, whose reason and place the generator knows.

use crate::limit::{
    DECLARED_DESCRIPTION_MAX_BYTES, DECLARED_DISPLAY_MAX_BYTES, DECLARED_MAX_CONTEXT_PROVIDERS,
    DECLARED_MAX_PROVIDER_MODELS, DECLARED_MAX_PROVIDERS, DECLARED_MAX_TOOLS,
    DECLARED_NAME_MAX_BYTES, DECLARED_SCHEMA_MAX_BYTES, DOCUMENT_MAX_BYTES, MAX_ID_LENGTH,
};
use arbitrary::{Arbitrary, Unstructured};
use extgate::{Category, Reason};

use crate::build::{Builder, Kind, Slot};
use crate::dice::Dice;
use crate::manifest::{
    self, Block, ContextProvider, HOOKS, Hook, HookMatch, Manifest, STANDALONE, Tool, Wants,
};
use crate::raw::{self, RawFault};
use crate::spell::{Spelled, spell};
use crate::text;
use crate::value::{Value, join};

/// A manifest that is refused for one reason, at one place, and for no other.
#[derive(Debug, Clone)]
pub struct OneFault {
    /// Why it is refused.
    pub reason: Reason,
    /// What was done to a valid manifest.
    pub how: String,
    /// The place, as a JSON pointer.
    pub pointer: String,
    /// Bytes before the place.
    pub offset: usize,
    /// Bytes of the place, where the generator knows them.
    pub length: Option<usize>,
    /// The member that is missing, where one is.
    pub missing: Option<String>,
    /// The document.
    pub document: Vec<u8>,
}

impl OneFault {
    /// Every reason that can refuse a manifest.
    pub fn reasons() -> impl Iterator<Item = Reason> {
        Reason::ALL
            .iter()
            .copied()
            .filter(|reason| reason.category() != Category::Runtime)
    }

    /// A manifest with that fault, or nothing where no generator makes it: for reasons of category
    /// `Runtime`, and no others.
    pub fn of(reason: Reason, u: &mut Unstructured<'_>) -> Option<Self> {
        if let Some((_, rule)) = RULES.iter().find(|(known, _)| *known == reason) {
            return Some(Self::of_draft(reason, rule(u), u));
        }
        match reason {
            Reason::NumberOutOfRange if u.below(2) == 1 => Some(Self::of_bytes(reason, u)),
            Reason::WrongType
            | Reason::MissingField
            | Reason::UnknownField
            | Reason::UnknownValue
            | Reason::NumberOutOfRange => Some(Self::of_shape(reason, u)),
            reason if reason.category() == Category::Bytes => Some(Self::of_bytes(reason, u)),
            _ => None,
        }
    }

    fn of_draft(reason: Reason, draft: Draft, u: &mut Unstructured<'_>) -> Self {
        let value = draft.manifest.value(&mut Builder::new(u));
        let mut pointer = draft.pointer;
        // An empty member may have been left out: then its object is the place.
        if value.at(&pointer).is_none() {
            pointer.truncate(pointer.rfind('/').expect("a parent"));
            assert!(value.at(&pointer).is_some(), "{pointer} names nothing");
        }
        let document = spell(&value, u);
        Self::at(reason, draft.how, pointer, draft.on_key, None, document)
    }

    /// At the value, or the key, that a pointer names.
    fn at(
        reason: Reason,
        how: impl Into<String>,
        pointer: String,
        on_key: bool,
        missing: Option<String>,
        document: Spelled,
    ) -> Self {
        let span = document.span(&pointer);
        let place = if on_key {
            span.key.clone().expect("a member")
        } else {
            span.value.clone()
        };
        Self {
            reason,
            how: how.into(),
            pointer,
            offset: place.start,
            length: Some(place.len()),
            missing,
            document: document.bytes,
        }
    }

    fn of_shape(reason: Reason, u: &mut Unstructured<'_>) -> Self {
        let wants = Wants {
            hooks: u.below(2),
            tools: u.below(2),
            ..Wants::default()
        };
        let mut manifest = Manifest::with(u, wants);
        if reason == Reason::UnknownField {
            if manifest.hooks.is_empty() {
                manifest.hooks.push(plain_hook("before_tool_call"));
            }
            for hook in &mut manifest.hooks {
                hook.matcher.get_or_insert(HookMatch {
                    input_contains: None,
                    input_equals: None,
                });
            }
            manifest.permissions.extend(manifest.needed());
        }
        let mut builder = Builder::new(u);
        let mut value = manifest.value(&mut builder);
        let slots = core::mem::take(&mut builder.slots);
        if reason == Reason::WrongType && u.once_in(32) {
            let root = u.pick(&["[]", "null", "\"extension\"", "0", "[{\"extension\":{}}]"]);
            let document = spell(&Value::Raw(root.into()), u);
            return Self::at(reason, "no object", String::new(), false, None, document);
        }
        let fault = misshape(&mut value, &slots, reason, u, "/extension");
        let document = spell(&value, u);
        Self::at(
            reason,
            fault.how,
            fault.pointer,
            fault.on_key,
            fault.missing,
            document,
        )
    }

    fn of_bytes(reason: Reason, u: &mut Unstructured<'_>) -> Self {
        let wants = Wants {
            tools: u.below(2),
            ..Wants::default()
        };
        let manifest = Manifest::with(u, wants);
        let mut value = manifest.value(&mut Builder::new(u));
        let whole = |how: &str, offset: usize, length: Option<usize>, document: Vec<u8>| Self {
            reason,
            how: how.into(),
            pointer: String::new(),
            offset,
            length,
            missing: None,
            document,
        };
        match reason {
            Reason::DocumentTooLarge => {
                let mut document = spell(&value, u).bytes;
                let more = u.below(2);
                let padding = u.pick(b" \n\t");
                document.resize(DOCUMENT_MAX_BYTES + 1 + more, padding);
                return whole("more than 8 MiB", DOCUMENT_MAX_BYTES, None, document);
            }
            Reason::ByteOrderMark => {
                let document = [b"\xEF\xBB\xBF", spell(&value, u).bytes.as_slice()].concat();
                return whole("a byte order mark", 0, Some(3), document);
            }
            Reason::Syntax if u.once_in(6) => {
                let mut document = spell(&value, u).bytes;
                let end = document.len();
                let more = u.pick(&["x", "{}", ",", "\u{0}", "\u{c}", "]", "}", "//", "\u{a0}"]);
                document.extend(more.bytes());
                return whole("text after the value", end, None, document);
            }
            Reason::Syntax if u.once_in(12) => {
                let document = u.pick(&["", " ", "\n\n"]);
                return whole("no value", document.len(), Some(0), document.into());
            }
            Reason::DuplicateKey => {
                let fault = raw::repeat_key(&mut value, "/extension", u);
                let document = spell(&value, u);
                return Self::at(reason, "a key twice", fault, true, None, document);
            }
            _ => {}
        }
        let containers = raw::objects(&value);
        let at = containers[u.below(containers.len())].clone();
        let fault = raw::insert(&mut value, &at, reason, u, 0);
        let document = spell(&value, u);
        Self::of_raw(reason, fault, &document)
    }

    fn of_raw(reason: Reason, fault: RawFault, document: &Spelled) -> Self {
        let start = document.span(&fault.member).value.start;
        Self {
            reason,
            how: fault.how,
            pointer: fault.pointer,
            offset: start + fault.offset,
            length: fault.length,
            missing: None,
            document: document.bytes.clone(),
        }
    }
}

/// One of [`OneFault::reasons`], each as likely as another, but for the document of 8 MiB, which is slow.
impl<'a> Arbitrary<'a> for OneFault {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let reasons: Vec<Reason> = Self::reasons().collect();
        let mut reason = u.pick(&reasons);
        if reason == Reason::DocumentTooLarge && !u.once_in(16) {
            reason = Reason::Syntax;
        }
        Ok(Self::of(reason, u).expect("a generator for each"))
    }
}

/// A manifest that was made faulty, before it is written.
struct Draft {
    manifest: Manifest,
    how: &'static str,
    pointer: String,
    on_key: bool,
}

fn draft(manifest: Manifest, how: &'static str, pointer: String) -> Draft {
    Draft {
        manifest,
        how,
        pointer,
        on_key: false,
    }
}

/// A fault of shape.
pub(crate) struct Misshape {
    pub(crate) how: String,
    pub(crate) pointer: String,
    pub(crate) on_key: bool,
    pub(crate) missing: Option<String>,
}

/// Puts a fault of shape at one of the known places. The member at `root` is never taken away.
pub(crate) fn misshape(
    value: &mut Value,
    slots: &[Slot],
    reason: Reason,
    u: &mut Unstructured<'_>,
    root: &str,
) -> Misshape {
    let fits = |slot: &&Slot| {
        let null = value.at(&slot.pointer) == Some(&Value::Null);
        match reason {
            // A block that is null is none; of another type it would stand beside the alias, which is a fault too.
            Reason::WrongType => {
                slot.kind != Kind::Any && !(null && slot.pointer == "/extension/deferred")
            }
            Reason::MissingField => slot.required && slot.pointer != root,
            Reason::UnknownField => slot.kind == Kind::Closed && !null,
            Reason::UnknownValue => slot.kind == Kind::Word && !null,
            _ => matches!(slot.kind, Kind::U32 | Kind::U64),
        }
    };
    let fitting: Vec<&Slot> = slots.iter().filter(fits).collect();
    let Some(slot) = (!fitting.is_empty()).then(|| fitting[u.below(fitting.len())].clone()) else {
        assert_eq!(
            reason,
            Reason::NumberOutOfRange,
            "a place for any other fault is always there"
        );
        // The one integer that every extension block may have.
        let number = out_of_range(Kind::U32, u);
        value
            .members_mut(root)
            .push(("protocol_version".into(), number));
        return Misshape {
            how: "an integer that does not fit".into(),
            pointer: join(root, "protocol_version"),
            on_key: false,
            missing: None,
        };
    };
    let (parent, last) = slot.pointer.rsplit_once('/').expect("a member or item");
    let mut fault = Misshape {
        how: String::new(),
        pointer: slot.pointer.clone(),
        on_key: false,
        missing: None,
    };
    let place = value.at_mut(&slot.pointer).expect("a known place");
    match reason {
        Reason::WrongType => {
            *place = wrong_type(&slot, u);
            fault.how = format!("{place:?} in place of {:?}", slot.kind);
        }
        Reason::MissingField => {
            value.members_mut(parent).retain(|(key, _)| key != last);
            fault.how = format!("no {last}");
            fault.pointer = parent.to_owned();
            fault.missing = Some(last.to_owned());
        }
        Reason::UnknownField => {
            let key = u.pick(&[
                "input_contain",
                "",
                "x",
                "Input_equals",
                "input_equals ",
                "a/b~c",
                "hook",
            ]);
            value
                .members_mut(&slot.pointer)
                .push((key.into(), Value::Null));
            fault.how = format!("{key:?} in a match");
            fault.pointer = join(&slot.pointer, key);
            fault.on_key = true;
        }
        Reason::UnknownValue => {
            let Value::String(word) = &*place else {
                unreachable!("words are strings")
            };
            let other = match u.below(5) {
                0 => String::new(),
                1 => word.to_uppercase(),
                2 => format!("{word} "),
                3 => format!("{word}\u{0}"),
                _ => word[1..].to_owned(),
            };
            fault.how = format!("{other:?} in place of {word:?}");
            *place = Value::String(other);
        }
        _ => {
            *place = out_of_range(slot.kind, u);
            fault.how = format!("{place:?} in {:?}", slot.kind);
        }
    }
    fault
}

fn out_of_range(kind: Kind, u: &mut Unstructured<'_>) -> Value {
    const BEYOND_U32: [i128; 4] = [-1, 1 << 32, u64::MAX as i128, i64::MIN as i128];
    const BEYOND_U64: [i128; 2] = [-1, i64::MIN as i128];
    Value::Integer(if kind == Kind::U32 {
        u.pick(&BEYOND_U32)
    } else {
        u.pick(&BEYOND_U64)
    })
}

fn wrong_type(slot: &Slot, u: &mut Unstructured<'_>) -> Value {
    let text = || Value::String("1".into());
    let list = || Value::Array(Vec::new());
    let mut others = match slot.kind {
        Kind::Text | Kind::Word => vec![
            Value::Integer(1),
            Value::Bool(true),
            list(),
            Value::empty(),
            Value::Array(vec![text()]),
            Value::Object(vec![("process".into(), Value::Null)]),
            Value::Float(0.5),
        ],
        Kind::Bool => vec![
            text(),
            Value::Integer(0),
            list(),
            Value::empty(),
            Value::String("true".into()),
        ],
        Kind::U32 | Kind::U64 => vec![
            Value::Float(1.0),
            Value::Float(-0.0),
            text(),
            Value::Raw(b"18446744073709551616".to_vec()),
            Value::Raw(b"1e0".to_vec()),
            Value::Bool(true),
            list(),
            Value::empty(),
        ],
        Kind::List => vec![
            Value::empty(),
            text(),
            Value::Integer(0),
            Value::Bool(false),
        ],
        Kind::Object | Kind::Closed => vec![
            list(),
            Value::Array(vec![text(), text(), Value::empty()]),
            text(),
            Value::Integer(0),
            Value::Bool(true),
        ],
        Kind::Any => unreachable!("anything is right there"),
    };
    if !slot.nullable {
        others.push(Value::Null);
    }
    let place = u.below(others.len());
    others.swap_remove(place)
}

fn plain_hook(hook: &str) -> Hook {
    Hook {
        hook: hook.into(),
        tool: None,
        matcher: None,
    }
}

/// Text that is not a capability id.
pub(crate) fn bad_id(u: &mut Unstructured<'_>) -> String {
    match u.below(13) {
        0 => String::new(),
        // Exactly as long as may be, so that the length is not at fault.
        11 => format!("{}:", "a".repeat(MAX_ID_LENGTH - 1)),
        1 => "a b".into(),
        2 => u.pick(&["a:b", ":", "::"]).into(),
        3 => "\u{3000}".into(),
        4 => "a\u{85}".into(),
        5 => "\u{7f}a".into(),
        6 => "a\u{0}".into(),
        7 => " a".into(),
        8 => "\u{e9}".repeat(MAX_ID_LENGTH / 2 + 1),
        9 => "a\n".into(),
        10 => "\u{a0}".into(),
        _ => text::filled(u, text::ID, MAX_ID_LENGTH + 1),
    }
}

pub(crate) fn bad_provider_id(u: &mut Unstructured<'_>) -> String {
    match u.below(9) {
        0 => String::new(),
        1 => "A".into(),
        2 => "\u{e9}".into(),
        3 => "a.b".into(),
        4 => "a b".into(),
        5 => "a:b".into(),
        6 => "\u{ff41}".into(),
        7 => "a/".into(),
        _ => text::filled(u, text::PROVIDER_ID, MAX_ID_LENGTH + 1),
    }
}

fn bad_context_id(u: &mut Unstructured<'_>) -> String {
    match u.below(7) {
        0 => String::new(),
        1 => " ".into(),
        2 => "a:b".into(),
        3 => "\u{e9}".into(),
        4 => "\u{7f}".into(),
        5 => "a\t".into(),
        _ => text::filled(u, text::CONTEXT_ID, DECLARED_NAME_MAX_BYTES + 1),
    }
}

fn bad_label(u: &mut Unstructured<'_>) -> String {
    match u.below(6) {
        0 => String::new(),
        1 => "\n".into(),
        2 => "a\u{9f}".into(),
        3 => "\u{0}".into(),
        4 => "\u{65e5}".repeat(DECLARED_NAME_MAX_BYTES / 3 + 1),
        _ => text::filled(u, text::LABEL, DECLARED_NAME_MAX_BYTES + 1),
    }
}

pub(crate) fn blank(u: &mut Unstructured<'_>) -> String {
    u.pick(&[
        "",
        " ",
        "\n\t",
        "\u{3000}\u{a0}\u{2003}",
        "\u{85}",
        "\u{2028}",
        "\u{b}\u{c}\r",
    ])
    .into()
}

pub(crate) fn too_long(u: &mut Unstructured<'_>, alphabet: &[char], most: usize) -> String {
    match u.below(3) {
        0 => text::filled(u, alphabet, most + 1),
        1 => "\u{65e5}".repeat(most / 3 + 1),
        _ => "\u{1F600}".repeat(most / 4 + 1),
    }
}

fn bad_display(u: &mut Unstructured<'_>) -> String {
    match u.below(2) {
        0 => too_long(u, text::LABEL, DECLARED_DISPLAY_MAX_BYTES),
        _ => u.pick(&["a\n", "\u{7f}", "a\u{80}", "\u{0}a"]).into(),
    }
}

pub(crate) fn bad_description(u: &mut Unstructured<'_>) -> String {
    match u.below(2) {
        0 => blank(u),
        _ => too_long(u, text::DESCRIPTION, DECLARED_DESCRIPTION_MAX_BYTES),
    }
}

pub(crate) fn no_object(u: &mut Unstructured<'_>) -> Value {
    match u.below(6) {
        0 => Value::Null,
        1 => Value::Array(Vec::new()),
        2 => Value::String("{}".into()),
        3 => Value::Integer(0),
        4 => Value::Bool(true),
        _ => Value::Array(vec![Value::empty()]),
    }
}

/// An object one byte over its bound, or many.
pub(crate) fn oversized(u: &mut Unstructured<'_>) -> Value {
    let bytes = DECLARED_SCHEMA_MAX_BYTES + u.pick(&[1, 2, 1000]);
    if u.once_in(3) {
        // Floats, which are longer in canonical form than they may be spelled.
        let number = u.pick(&[1e15, 0.5, -1.5e-300, 1e16, 1e-5]);
        let text = crate::oracle::number_text(number).len() + 1;
        let items = vec![Value::Float(number); (DECLARED_SCHEMA_MAX_BYTES - 100) / text];
        let object = Value::Object(vec![("n".into(), Value::Array(items))]);
        return manifest::padded(object, bytes, u);
    }
    manifest::padded(Value::object(u), bytes, u)
}

fn tiny_tool(number: usize) -> Tool {
    Tool {
        name: format!("tiny{number}"),
        description: "d".into(),
        input_schema: Value::empty(),
    }
}

fn with_tools(u: &mut Unstructured<'_>, least: usize) -> Manifest {
    let tools = Wants {
        tools: least,
        ..Wants::default()
    };
    Manifest::with(u, tools)
}

fn with_providers(u: &mut Unstructured<'_>, least: usize, models: usize) -> Manifest {
    let providers = Wants {
        providers: least,
        models,
        ..Wants::default()
    };
    Manifest::with(u, providers)
}

fn with_contexts(u: &mut Unstructured<'_>, least: usize) -> Manifest {
    let contexts = Wants {
        context_providers: least,
        ..Wants::default()
    };
    Manifest::with(u, contexts)
}

/// A place in a list, and one before it.
pub(crate) fn pair(u: &mut Unstructured<'_>, count: usize) -> (usize, usize) {
    let later = 1 + u.below(count - 1);
    (u.below(later), later)
}

fn at_tool(
    u: &mut Unstructured<'_>,
    how: &'static str,
    member: &str,
    break_it: impl FnOnce(&mut Unstructured<'_>, &mut Tool),
) -> Draft {
    let mut manifest = with_tools(u, 1);
    let place = u.below(manifest.tools.len());
    break_it(u, &mut manifest.tools[place]);
    let pointer = format!("{}/{place}/{member}", manifest.tools_pointer());
    draft(manifest, how, pointer)
}

fn at_provider(
    u: &mut Unstructured<'_>,
    how: &'static str,
    member: &str,
    break_it: impl FnOnce(&mut Unstructured<'_>, &mut manifest::Provider),
) -> Draft {
    let mut manifest = with_providers(u, 1, 1);
    let place = u.below(manifest.providers.len());
    break_it(u, &mut manifest.providers[place]);
    let pointer = format!("{}/{place}/{member}", Manifest::PROVIDERS);
    draft(manifest, how, pointer)
}

fn at_model(
    u: &mut Unstructured<'_>,
    how: &'static str,
    member: &str,
    break_it: impl FnOnce(&mut Unstructured<'_>, &mut manifest::Model),
) -> Draft {
    let mut manifest = with_providers(u, 1, 1);
    let place = u.below(manifest.providers.len());
    let models = &mut manifest.providers[place].models;
    let model = u.below(models.len());
    break_it(u, &mut models[model]);
    let pointer = format!("{}/{place}/models/{model}/{member}", Manifest::PROVIDERS);
    draft(manifest, how, pointer)
}

fn at_context(
    u: &mut Unstructured<'_>,
    how: &'static str,
    member: &str,
    break_it: impl FnOnce(&mut Unstructured<'_>, &mut ContextProvider),
) -> Draft {
    let mut manifest = with_contexts(u, 1);
    let place = u.below(manifest.context_providers.len());
    break_it(u, &mut manifest.context_providers[place]);
    let pointer = format!("{}/{place}/{member}", Manifest::CONTEXT_PROVIDERS);
    draft(manifest, how, pointer)
}

/// Takes a permission away, and leaves another by which the extension may do something.
fn without(manifest: &mut Manifest, permission: &str) {
    manifest.permissions.retain(|one| one != permission);
    manifest.permissions.push("memory.read".into());
}

fn insert<T>(u: &mut Unstructured<'_>, list: &mut Vec<T>, item: T) -> usize {
    let place = u.below(list.len() + 1);
    list.insert(place, item);
    place
}

type Rule = fn(&mut Unstructured<'_>) -> Draft;

/// The rules of sections 3, 4 and 5, and how each is broken.
const RULES: &[(Reason, Rule)] = &[
    (Reason::UnsupportedActivation, |u| {
        let mut manifest = with_tools(u, 1);
        if manifest.block == Block::Native {
            manifest.block = Block::Alias;
            manifest.lifecycle = None;
            manifest.providers.clear();
            manifest.context_providers.clear();
        }
        let other = u.pick(&[
            "",
            "eager",
            "Deferred",
            "deferred ",
            " deferred",
            "deferred\u{0}",
            "defered",
        ]);
        manifest.activation = Some(other.into());
        draft(
            manifest,
            "another activation",
            "/extension/activation".into(),
        )
    }),
    (Reason::AmbiguousDeferredDeclarations, |u| {
        let native = Wants {
            native: true,
            ..Wants::default()
        };
        let mut manifest = Manifest::with(u, native);
        let ways = u.below(3);
        let mut pointer = "/extension/tools";
        if ways != 1 {
            manifest.alias_tools = vec![tiny_tool(0)];
        }
        if ways != 0 {
            manifest.activation = Some("deferred".into());
            pointer = "/extension/activation";
        }
        draft(manifest, "a native block beside the alias", pointer.into())
    }),
    (Reason::DeferredActivationWithoutTools, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        manifest.block = u.pick(&[Block::None, Block::Alias]);
        manifest.tools.clear();
        manifest.providers.clear();
        manifest.context_providers.clear();
        manifest.lifecycle = None;
        manifest.activation = Some("deferred".into());
        draft(manifest, "activation alone", "/extension/activation".into())
    }),
    (Reason::TooManyDeclaredTools, |u| {
        let mut manifest = with_tools(u, 1);
        manifest.tools.truncate(3);
        let count = DECLARED_MAX_TOOLS + u.pick(&[1, 2, 44]);
        let more = manifest.tools.len()..count;
        manifest.tools.extend(more.map(tiny_tool));
        let pointer = manifest.tools_pointer().into();
        draft(manifest, "too many tools", pointer)
    }),
    (Reason::InvalidDeclaredToolName, |u| {
        at_tool(u, "a bad name", "name", |u, tool| tool.name = bad_id(u))
    }),
    (Reason::InvalidDeclaredToolDescription, |u| {
        at_tool(u, "a bad description", "description", |u, tool| {
            tool.description = bad_description(u)
        })
    }),
    (Reason::DeclaredToolSchemaNotObject, |u| {
        at_tool(u, "a schema of another type", "input_schema", |u, tool| {
            tool.input_schema = no_object(u)
        })
    }),
    (Reason::OversizedDeclaredToolSchema, |u| {
        at_tool(u, "too large a schema", "input_schema", |u, tool| {
            tool.input_schema = oversized(u)
        })
    }),
    (Reason::DuplicateDeclaredToolName, |u| {
        let mut manifest = with_tools(u, 2);
        let (first, later) = pair(u, manifest.tools.len());
        manifest.tools[later].name = manifest.tools[first].name.clone();
        let pointer = format!("{}/{later}/name", manifest.tools_pointer());
        draft(manifest, "a name twice", pointer)
    }),
    (Reason::TooManyDeclaredProviders, |u| {
        let mut manifest = with_providers(u, 1, 1);
        manifest.providers.truncate(2);
        let count = DECLARED_MAX_PROVIDERS + u.pick(&[1, 2, 9]);
        for number in manifest.providers.len()..count {
            let more = manifest::provider(u, format!("more-{number}"), 1);
            manifest.providers.push(more);
        }
        draft(manifest, "too many providers", Manifest::PROVIDERS.into())
    }),
    (Reason::InvalidDeclaredProviderId, |u| {
        at_provider(u, "a bad id", "id", |u, one| one.id = bad_provider_id(u))
    }),
    (Reason::DuplicateDeclaredProviderId, |u| {
        let mut manifest = with_providers(u, 2, 1);
        let (first, later) = pair(u, manifest.providers.len());
        manifest.providers[later].id = manifest.providers[first].id.clone();
        draft(
            manifest,
            "an id twice",
            format!("{}/{later}/id", Manifest::PROVIDERS),
        )
    }),
    (Reason::InvalidDeclaredProviderDisplayName, |u| {
        at_provider(u, "a bad display name", "display_name", |u, one| {
            one.display_name = if u.below(2) == 0 {
                blank(u)
            } else {
                bad_display(u)
            };
        })
    }),
    (Reason::InvalidDeclaredProviderDescription, |u| {
        at_provider(u, "a bad description", "description", |u, one| {
            one.description = bad_description(u)
        })
    }),
    (Reason::InvalidDeclaredProviderModelCount, |u| {
        at_provider(u, "no model, or too many", "models", |u, one| {
            let last = one.models[0].clone();
            one.models.clear();
            if u.below(2) == 1 {
                let count = DECLARED_MAX_PROVIDER_MODELS + u.pick(&[1, 2, 30]);
                one.models.extend((0..count).map(|number| manifest::Model {
                    id: format!("m{number}"),
                    ..last.clone()
                }));
            }
        })
    }),
    (Reason::InvalidDeclaredProviderModelId, |u| {
        at_model(u, "a bad id", "id", |u, model| model.id = bad_id(u))
    }),
    (Reason::DuplicateDeclaredProviderModelId, |u| {
        let mut manifest = with_providers(u, 1, 2);
        let place = u.below(manifest.providers.len());
        let models = &mut manifest.providers[place].models;
        let (first, later) = pair(u, models.len());
        models[later].id = models[first].id.clone();
        draft(
            manifest,
            "an id twice",
            format!("{}/{place}/models/{later}/id", Manifest::PROVIDERS),
        )
    }),
    (Reason::InvalidDeclaredProviderModelDisplayName, |u| {
        at_model(u, "a bad display name", "display_name", |u, model| {
            model.display_name = Some(bad_display(u))
        })
    }),
    (Reason::InvalidDeclaredProviderModelCapabilities, |u| {
        let mut key = None;
        let ways = u.below(3);
        let mut draft = at_model(u, "bad capabilities", "capabilities", |u, model| {
            let mut labels = match model.capabilities.take() {
                Some(Value::Object(labels)) => labels,
                _ => Vec::new(),
            };
            model.capabilities = Some(match ways {
                0 => {
                    let other = no_object(u);
                    if other == Value::Null {
                        Value::Integer(1)
                    } else {
                        other
                    }
                }
                1 => {
                    let label = bad_label(u);
                    labels.push((label.clone(), Value::Bool(true)));
                    key = Some(label);
                    Value::Object(labels)
                }
                _ => {
                    let value = u.pick(&[Some(1), Some(0), None]);
                    let value = value.map_or(Value::Null, Value::Integer);
                    labels.retain(|(label, _)| label != "vision");
                    labels.push(("vision".into(), value));
                    key = Some("vision".into());
                    Value::Object(labels)
                }
            });
        });
        draft.on_key = ways == 1;
        if let Some(key) = key {
            draft.pointer = join(&draft.pointer, &key);
        }
        draft
    }),
    (Reason::InvalidDeclaredProviderConfigSchema, |u| {
        at_provider(u, "a bad config schema", "config_schema", |u, one| {
            let schema = if u.below(3) == 0 {
                oversized(u)
            } else {
                no_object(u)
            };
            one.config_schema = Some(if schema == Value::Null {
                Value::Bool(false)
            } else {
                schema
            });
        })
    }),
    (Reason::TooManyDeclaredContextProviders, |u| {
        let mut manifest = with_contexts(u, 1);
        let count = DECLARED_MAX_CONTEXT_PROVIDERS + u.pick(&[1, 2, 9]);
        for number in manifest.context_providers.len()..count {
            manifest.context_providers.push(ContextProvider {
                id: format!("more-{number}"),
                capability: "c".into(),
                description: "d".into(),
                schema_version: 1,
            });
        }
        draft(
            manifest,
            "too many context providers",
            Manifest::CONTEXT_PROVIDERS.into(),
        )
    }),
    (Reason::InvalidDeclaredContextProviderId, |u| {
        at_context(u, "a bad id", "id", |u, one| one.id = bad_context_id(u))
    }),
    (Reason::DuplicateDeclaredContextProviderId, |u| {
        let mut manifest = with_contexts(u, 2);
        let (first, later) = pair(u, manifest.context_providers.len());
        manifest.context_providers[later].id = manifest.context_providers[first].id.clone();
        draft(
            manifest,
            "an id twice",
            format!("{}/{later}/id", Manifest::CONTEXT_PROVIDERS),
        )
    }),
    (Reason::InvalidDeclaredContextProviderCapability, |u| {
        at_context(u, "a bad capability", "capability", |u, one| {
            one.capability = bad_label(u)
        })
    }),
    (Reason::InvalidDeclaredContextProviderDescription, |u| {
        at_context(u, "a bad description", "description", |u, one| {
            one.description = if u.below(2) == 0 {
                String::new()
            } else {
                too_long(u, text::DESCRIPTION, DECLARED_DESCRIPTION_MAX_BYTES)
            };
        })
    }),
    (Reason::InvalidDeclaredContextProviderSchemaVersion, |u| {
        at_context(u, "version 0", "schema_version", |_, one| {
            one.schema_version = 0
        })
    }),
    (Reason::UserLifecycleConflictsWithActiveCapabilities, |u| {
        let wants = Wants {
            tools: u.below(2),
            providers: 1 + u.below(2),
            native: true,
            ..Wants::default()
        };
        let mut manifest = Manifest::with(u, wants);
        if wants.tools > 0 && u.below(2) == 1 {
            manifest.providers.clear();
        }
        manifest.lifecycle = Some("user".into());
        draft(
            manifest,
            "user lifecycle beside tools or providers",
            "/extension/deferred/lifecycle".into(),
        )
    }),
    (Reason::DeferredToolsRequireToolsRegisterPermission, |u| {
        let mut manifest = with_tools(u, 1);
        without(&mut manifest, "tools.register");
        let pointer = manifest.tools_pointer().into();
        draft(manifest, "tools without permission", pointer)
    }),
    (
        Reason::DeferredProvidersRequireProvidersRegisterPermission,
        |u| {
            let mut manifest = with_providers(u, 1, 1);
            without(&mut manifest, "providers.register");
            draft(
                manifest,
                "providers without permission",
                Manifest::PROVIDERS.into(),
            )
        },
    ),
    (
        Reason::DeferredContextProvidersRequireContextProvidersRegisterPermission,
        |u| {
            let mut manifest = with_contexts(u, 1);
            without(&mut manifest, "context_providers.register");
            draft(
                manifest,
                "context providers without permission",
                Manifest::CONTEXT_PROVIDERS.into(),
            )
        },
    ),
    (Reason::HookLifecycleRequiresHookSubscriptions, |u| {
        let mut manifest = Manifest::with(
            u,
            Wants {
                lifecycle: Some("hook"),
                ..Wants::default()
            },
        );
        manifest.hooks.clear();
        manifest.permissions.push(u.pick(&STANDALONE).into());
        draft(
            manifest,
            "hook lifecycle without hooks",
            "/extension/deferred/lifecycle".into(),
        )
    }),
    (Reason::UnsupportedProtocolVersion, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        manifest.protocol_version = u.pick(&[0, 2, u32::MAX]);
        draft(
            manifest,
            "another version",
            "/extension/protocol_version".into(),
        )
    }),
    (Reason::EmptyCommand, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        manifest.command = blank(u);
        draft(manifest, "a blank command", "/extension/command".into())
    }),
    (Reason::NoHookOrRegistrationPermission, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        manifest.hooks.clear();
        manifest.tools.clear();
        manifest.providers.clear();
        manifest.context_providers.clear();
        manifest.activation = None;
        if manifest.block == Block::Alias {
            manifest.block = Block::None;
        }
        if manifest.lifecycle.as_deref() == Some("hook") {
            manifest.lifecycle = None;
        }
        let idle = [
            "tools.intercept",
            "tools.transform_output",
            "privacy.llm_content",
            "session.lifecycle",
        ];
        manifest.permissions = (0..u.below(5)).map(|_| u.pick(&idle).into()).collect();
        draft(manifest, "nothing that it may do", "/extension".into())
    }),
    (Reason::InvalidThemeTokenName, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        let bad = u.pick(&[
            "", "a.b", "a/b", "a\\b", "a b", "\u{3000}", "\u{85}", "a\n", "/", ".",
        ]);
        manifest.theme_tokens.retain(|(name, _)| name != bad);
        insert(u, &mut manifest.theme_tokens, (bad.into(), "#fff".into()));
        let mut draft = draft(
            manifest,
            "a bad token name",
            join("/extension/theme_tokens", bad),
        );
        draft.on_key = true;
        draft
    }),
    (Reason::InvalidThemeTokenColor, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        let bad = u.pick(&[
            "",
            "#",
            "fff",
            "#ff",
            "#ffff",
            "#fffff",
            "#fffffff",
            "#ggg",
            "# fff",
            "#\u{ff10}00",
            "#fff;",
            "##fff",
            "red",
        ]);
        manifest.theme_tokens.retain(|(name, _)| name != "colored");
        insert(
            u,
            &mut manifest.theme_tokens,
            ("colored".into(), bad.into()),
        );
        draft(
            manifest,
            "a bad color",
            "/extension/theme_tokens/colored".into(),
        )
    }),
    (Reason::UnknownPermission, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        let bad = u.pick(&[
            "",
            "all",
            "tools.Register",
            "tools.register ",
            " memory.read",
            "tools",
            "tools.*",
            "memory.read\u{0}",
        ]);
        let place = insert(u, &mut manifest.permissions, bad.into());
        draft(
            manifest,
            "an unknown permission",
            format!("{}/{place}", Manifest::PERMISSIONS),
        )
    }),
    (Reason::ReservedPermission, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        let place = insert(u, &mut manifest.permissions, "tools.override".into());
        draft(
            manifest,
            "a reserved permission",
            format!("{}/{place}", Manifest::PERMISSIONS),
        )
    }),
    (Reason::UnknownHook, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        let bad = u.pick(&[
            "",
            "before_tool_calls",
            "Before_tool_call",
            "before_tool_call ",
            "on_message",
        ]);
        let place = insert(u, &mut manifest.hooks, plain_hook(bad));
        draft(
            manifest,
            "an unknown hook",
            format!("{}/{place}/hook", Manifest::HOOKS),
        )
    }),
    (Reason::HookPermissionMissing, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        let (hook, permission, _) = u.pick(&HOOKS);
        let others = |one: &Hook| {
            HOOKS
                .iter()
                .any(|(name, other, _)| *name == one.hook && *other != permission)
        };
        manifest.hooks.retain(others);
        let place = insert(u, &mut manifest.hooks, plain_hook(hook));
        without(&mut manifest, permission);
        draft(
            manifest,
            "a hook without permission",
            format!("{}/{place}/hook", Manifest::HOOKS),
        )
    }),
    (Reason::HookToolFilterNotAllowed, |u| {
        let mut manifest = Manifest::with(u, Wants::default());
        let (hook, permission, _) = HOOKS[2 + u.below(5)];
        let mut filtered = plain_hook(hook);
        filtered.tool = Some(u.pick(&["", "x", "before_tool_call"]).into());
        let place = insert(u, &mut manifest.hooks, filtered);
        manifest.permissions.push(permission.into());
        draft(
            manifest,
            "a tool filter on another hook",
            format!("{}/{place}/tool", Manifest::HOOKS),
        )
    }),
];
