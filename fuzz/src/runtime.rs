//! Initialize results: what matches a manifest, and what has drifted from it in one place.

use crate::limit::INITIALIZE_RESULT_MAX_BYTES;
use arbitrary::{Arbitrary, Unstructured};
use extgate::{Category, Reason, Side};

use crate::build::{Builder, Kind, Members};
use crate::dice::Dice;
use crate::fault::{
    bad_description, bad_id, bad_provider_id, blank, misshape, no_object, oversized, pair,
};
use crate::manifest::{self, Block, Manifest, Provider, Tool, Wants};
use crate::raw;
use crate::respelled;
use crate::spell::{Spelled, spell};
use crate::text;
use crate::value::Value;

/// A capability that is neither tool nor provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Generic {
    /// What kind it is.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The permissions that it needs.
    pub permissions: Vec<String>,
    /// Its parameters.
    pub params: Option<Value>,
}

/// What an initialize result says.
#[derive(Debug, Clone, PartialEq)]
pub struct Runtime {
    /// The protocol version.
    pub protocol_version: u32,
    /// The registered tools.
    pub tools: Vec<Tool>,
    /// The registered providers.
    pub providers: Vec<Provider>,
    /// The registered generic capabilities.
    pub capabilities: Vec<Generic>,
}

impl Runtime {
    /// A result that matches the manifest, its lists in any order. A manifest without a deferred block
    /// matches whatever is well formed and permitted.
    pub fn of(manifest: &Manifest, u: &mut Unstructured<'_>) -> Self {
        let mut runtime = if manifest.block == Block::None {
            let may = |permission: &str| manifest.permissions.iter().any(|one| one == permission);
            let (tools, providers) = (may("tools.register"), may("providers.register"));
            let tools = if tools { u.below(4) } else { 0 };
            let providers = if providers { u.below(3) } else { 0 };
            Self {
                protocol_version: 1,
                tools: manifest::tools(u, tools),
                providers: manifest::providers(u, providers, 1),
                capabilities: Vec::new(),
            }
        } else {
            Self {
                protocol_version: 1,
                tools: manifest.tools.clone(),
                providers: manifest.providers.clone(),
                capabilities: Vec::new(),
            }
        };
        u.shuffle(&mut runtime.tools);
        u.shuffle(&mut runtime.providers);
        for provider in &mut runtime.providers {
            u.shuffle(&mut provider.models);
        }
        runtime.capabilities = (0..u.below(4)).map(|_| generic(manifest, u)).collect();
        runtime
    }

    /// The result as JSON; in a JSON-RPC response where `enveloped`.
    pub(crate) fn value(&self, b: &mut Builder<'_, '_>, enveloped: bool) -> Value {
        let at = if enveloped { "/result" } else { "" };
        let mut o = Members::new(b, at);
        o.required(
            b,
            "protocol_version",
            Kind::U32,
            Value::Integer(self.protocol_version.into()),
        );
        let nothing =
            self.tools.is_empty() && self.providers.is_empty() && self.capabilities.is_empty();
        if !nothing || b.full || b.u.below(2) == 0 {
            let mut lists = Members::new(b, &o.pointer("capabilities"));
            let tools = b.items(&lists.pointer("tools"), &self.tools, |b, at, tool| {
                tool.value(b, at, true)
            });
            lists.list(b, "tools", Kind::Object, tools);
            let providers = b.items(
                &lists.pointer("providers"),
                &self.providers,
                |b, at, one| one.value(b, at, true),
            );
            lists.list(b, "providers", Kind::Object, providers);
            let generic = b.items(
                &lists.pointer("capabilities"),
                &self.capabilities,
                |b, at, one| one.value(b, at),
            );
            lists.list(b, "capabilities", Kind::Object, generic);
            let lists = lists.done(b);
            o.optional(b, "capabilities", Kind::Object, lists);
        }
        let result = o.done(b);
        if enveloped {
            envelope(b.u, result)
        } else {
            result
        }
    }
}

/// A JSON-RPC response around a result.
pub(crate) fn envelope(u: &mut Unstructured<'_>, result: Value) -> Value {
    let mut members = vec![
        ("jsonrpc".to_owned(), Value::String("2.0".into())),
        (
            "id".to_owned(),
            u.pick(&[Some(1), None]).map_or(Value::Null, Value::Integer),
        ),
    ];
    let place = u.below(3);
    members.insert(place, ("result".into(), result));
    Value::Object(members)
}

fn generic(manifest: &Manifest, u: &mut Unstructured<'_>) -> Generic {
    let count = u.below(3);
    let permitted: Vec<&String> = manifest.permissions.iter().collect();
    Generic {
        kind: text::told(u, text::DESCRIPTION, 60),
        name: text::told(u, text::DESCRIPTION, 60),
        permissions: (0..if permitted.is_empty() { 0 } else { count })
            .map(|_| u.pick(&permitted).clone())
            .collect(),
        params: u
            .once_in(2)
            .then(|| Value::arbitrary(u).unwrap_or(Value::Null)),
    }
}

impl Generic {
    fn value(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        let mut o = Members::new(b, at);
        o.required(b, "kind", Kind::Text, Value::String(self.kind.clone()));
        o.required(b, "name", Kind::Text, Value::String(self.name.clone()));
        let permissions = self
            .permissions
            .iter()
            .cloned()
            .map(Value::String)
            .collect();
        o.list(b, "permissions", Kind::Text, permissions);
        if let Some(params) = &self.params {
            o.any("params", params.clone());
        }
        o.done(b)
    }
}

/// A valid manifest and an initialize result that matches it.
#[derive(Debug, Clone)]
pub struct Matching {
    /// What the manifest says.
    pub manifest: Manifest,
    /// The manifest's document.
    pub document: Spelled,
    /// What the result says.
    pub runtime: Runtime,
    /// The result as a document.
    pub bare: Spelled,
    /// The result in a JSON-RPC response, in another spelling.
    pub response: Spelled,
}

impl<'a> Arbitrary<'a> for Matching {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let manifest = Manifest::arbitrary(u)?;
        let runtime = Runtime::of(&manifest, u);
        let document = manifest.value(&mut Builder::new(u));
        let document = spell(&document, u);
        let bare = runtime.value(&mut Builder::new(u), false);
        let bare = spell(&bare, u);
        let response = runtime.value(&mut Builder::new(u), true);
        let response = spell(&response, u);
        Ok(Self {
            manifest,
            document,
            runtime,
            bare,
            response,
        })
    }
}

/// A valid manifest and an initialize result that is refused for one reason, at one place.
#[derive(Debug, Clone)]
pub struct Drift {
    /// Why it is refused.
    pub reason: Reason,
    /// What was done to a matching result.
    pub how: String,
    /// The document in which the place is.
    pub side: Side,
    /// The place, as a JSON pointer; from the response where there is one.
    pub pointer: String,
    /// The manifest's document.
    pub document: Spelled,
    /// What the runtime sent.
    pub runtime: Vec<u8>,
    /// Whether it is a JSON-RPC response around the result.
    pub response: bool,
}

/// What was drifted, before it is written.
struct Draft {
    manifest: Manifest,
    runtime: Runtime,
    how: &'static str,
    side: Side,
    /// From the manifest's root, or from the result.
    pointer: String,
}

const TOOLS: &str = "/capabilities/tools";
const PROVIDERS: &str = "/capabilities/providers";
const GENERIC: &str = "/capabilities/capabilities";

impl Drift {
    /// Every reason for which an initialize result can be refused.
    pub fn reasons() -> impl Iterator<Item = Reason> {
        Reason::ALL.iter().copied().filter(|reason| {
            reason.category() == Category::Runtime
                || SHARED.contains(reason)
                || reason.category() == Category::Bytes
        })
    }

    /// A result with that drift, or nothing where no generator makes it.
    pub fn of(reason: Reason, u: &mut Unstructured<'_>) -> Option<Self> {
        let makers: Vec<Maker> = DRIFTS
            .iter()
            .filter_map(|(known, maker)| (*known == reason).then_some(*maker))
            .collect();
        let response = u.below(2) == 1;
        if !makers.is_empty() {
            return Some(Self::of_draft(reason, u.pick(&makers)(u), response, u));
        }
        let matching = Manifest::arbitrary(u).expect("never fails");
        let runtime = Runtime::of(&matching, u);
        let document = matching.value(&mut Builder::new(u));
        let document = spell(&document, u);
        let root = if response { "/result" } else { "" };
        let mut builder = Builder::new(u);
        builder.full = true;
        let mut value = runtime.value(&mut builder, response);
        let slots = core::mem::take(&mut builder.slots);
        let mut drift = Self {
            reason,
            how: String::new(),
            side: Side::Runtime,
            pointer: root.into(),
            document,
            runtime: Vec::new(),
            response,
        };
        match reason {
            Reason::MissingField if response && u.once_in(8) => {
                value.members_mut("").retain(|(key, _)| key != "result");
                drift.how = "no result".into();
                drift.pointer = String::new();
                drift.runtime = spell(&value, u).bytes;
            }
            Reason::WrongType if u.once_in(8) => {
                *value.at_mut(root).expect("the result") = no_object(u);
                drift.how = "a result of another type".into();
                drift.runtime = spell(&value, u).bytes;
            }
            Reason::NumberOutOfRange if u.below(2) == 1 => {
                let fault = raw::insert(&mut value, root, reason, u, 0);
                (drift.how, drift.pointer) = (fault.how, fault.pointer);
                drift.runtime = spell(&value, u).bytes;
            }
            Reason::WrongType | Reason::MissingField | Reason::NumberOutOfRange => {
                let fault = misshape(&mut value, &slots, reason, u, root);
                (drift.how, drift.pointer) = (fault.how, fault.pointer);
                drift.runtime = spell(&value, u).bytes;
            }
            Reason::DocumentTooLarge => {
                drift.how = "more than 4 MiB".into();
                drift.pointer = String::new();
                drift.runtime = spell(&value, u).bytes;
                drift.runtime.resize(INITIALIZE_RESULT_MAX_BYTES + 1, b' ');
            }
            Reason::ByteOrderMark => {
                drift.how = "a byte order mark".into();
                drift.pointer = String::new();
                drift.runtime = [b"\xEF\xBB\xBF", spell(&value, u).bytes.as_slice()].concat();
            }
            Reason::DuplicateKey => {
                drift.how = "a key twice".into();
                drift.pointer = raw::repeat_key(&mut value, "", u);
                drift.runtime = spell(&value, u).bytes;
            }
            reason if reason.category() == Category::Bytes => {
                // Below a response's result nesting is counted from the result.
                let at = if response && u.once_in(3) { "" } else { root };
                let free = usize::from(!at.is_empty());
                let fault = raw::insert(&mut value, at, reason, u, free);
                (drift.how, drift.pointer) = (fault.how, fault.pointer);
                drift.runtime = spell(&value, u).bytes;
            }
            _ => return None,
        }
        Some(drift)
    }

    fn of_draft(reason: Reason, draft: Draft, response: bool, u: &mut Unstructured<'_>) -> Self {
        let document = draft.manifest.value(&mut Builder::new(u));
        let mut builder = Builder::new(u);
        // A list that is the place of the drift must be written down, empty or not.
        builder.full = true;
        let runtime = draft.runtime.value(&mut builder, response);
        let mut pointer = match draft.side {
            Side::Runtime if response => format!("/result{}", draft.pointer),
            _ => draft.pointer,
        };
        let sided = if draft.side == Side::Runtime {
            &runtime
        } else {
            &document
        };
        // A member that was left out is missed in its object.
        if sided.at(&pointer).is_none() {
            pointer.truncate(pointer.rfind('/').expect("a parent"));
            assert!(sided.at(&pointer).is_some(), "{pointer} names nothing");
        }
        Self {
            reason,
            how: draft.how.into(),
            side: draft.side,
            pointer,
            document: spell(&document, u),
            runtime: spell(&runtime, u).bytes,
            response,
        }
    }
}

/// One of [`Drift::reasons`], each as likely as another, but for the document of 4 MiB, which is slow.
impl<'a> Arbitrary<'a> for Drift {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let reasons: Vec<Reason> = Self::reasons().collect();
        let mut reason = u.pick(&reasons);
        if reason == Reason::DocumentTooLarge && !u.once_in(16) {
            reason = Reason::WrongType;
        }
        Ok(Self::of(reason, u).expect("a generator for each"))
    }
}

/// Reasons of other categories that a result can be refused for.
const SHARED: &[Reason] = &[
    Reason::NumberOutOfRange,
    Reason::WrongType,
    Reason::MissingField,
    Reason::UnsupportedProtocolVersion,
    Reason::InvalidDeclaredToolName,
    Reason::InvalidDeclaredToolDescription,
    Reason::DeclaredToolSchemaNotObject,
    Reason::OversizedDeclaredToolSchema,
    Reason::InvalidDeclaredProviderId,
    Reason::InvalidDeclaredProviderDisplayName,
    Reason::InvalidDeclaredProviderDescription,
    Reason::InvalidDeclaredProviderModelCount,
    Reason::InvalidDeclaredProviderModelId,
    Reason::InvalidDeclaredProviderConfigSchema,
];

fn runtime_side(manifest: Manifest, runtime: Runtime, how: &'static str, pointer: String) -> Draft {
    Draft {
        manifest,
        runtime,
        how,
        side: Side::Runtime,
        pointer,
    }
}

/// A manifest that declares at least so many, and its matching result.
fn declared(
    u: &mut Unstructured<'_>,
    tools: usize,
    providers: usize,
    models: usize,
) -> (Manifest, Runtime) {
    let wants = Wants {
        tools,
        providers,
        models,
        ..Wants::default()
    };
    let manifest = Manifest::with(u, wants);
    let runtime = Runtime::of(&manifest, u);
    (manifest, runtime)
}

/// A manifest without a deferred block that may register anything, and a result of at least so many.
fn eager(
    u: &mut Unstructured<'_>,
    tools: usize,
    providers: usize,
    models: usize,
) -> (Manifest, Runtime) {
    let mut manifest = Manifest::with(u, Wants::default());
    manifest.block = Block::None;
    manifest.activation = None;
    manifest.lifecycle = None;
    manifest.tools.clear();
    manifest.providers.clear();
    manifest.context_providers.clear();
    for permission in ["tools.register", "providers.register"] {
        manifest.permissions.push(permission.into());
    }
    let mut runtime = Runtime::of(&manifest, u);
    let (tools, providers) = (tools + u.below(2), providers + u.below(2));
    runtime.tools = manifest::tools(u, tools);
    runtime.providers = manifest::providers(u, providers, models);
    (manifest, runtime)
}

fn at_tool(
    (manifest, mut runtime): (Manifest, Runtime),
    u: &mut Unstructured<'_>,
    how: &'static str,
    member: &str,
    drift: impl FnOnce(&mut Unstructured<'_>, &mut Tool),
) -> Draft {
    let place = u.below(runtime.tools.len());
    drift(u, &mut runtime.tools[place]);
    runtime_side(manifest, runtime, how, format!("{TOOLS}/{place}/{member}"))
}

fn at_provider(
    (manifest, mut runtime): (Manifest, Runtime),
    u: &mut Unstructured<'_>,
    how: &'static str,
    member: &str,
    drift: impl FnOnce(&mut Unstructured<'_>, &mut Provider),
) -> Draft {
    let place = u.below(runtime.providers.len());
    drift(u, &mut runtime.providers[place]);
    runtime_side(
        manifest,
        runtime,
        how,
        format!("{PROVIDERS}/{place}/{member}"),
    )
}

fn at_model(
    (manifest, mut runtime): (Manifest, Runtime),
    u: &mut Unstructured<'_>,
    how: &'static str,
    member: &str,
    drift: impl FnOnce(&mut Unstructured<'_>, &mut manifest::Model),
) -> Draft {
    let place = u.below(runtime.providers.len());
    let models = &mut runtime.providers[place].models;
    let model = u.below(models.len());
    drift(u, &mut models[model]);
    runtime_side(
        manifest,
        runtime,
        how,
        format!("{PROVIDERS}/{place}/models/{model}/{member}"),
    )
}

/// Another text: no byte may differ.
fn other_text(u: &mut Unstructured<'_>, text: &str) -> String {
    match u.below(4) {
        0 => format!("{text} "),
        1 => format!("{text}\u{301}"),
        2 if text.chars().count() > 1 => text.chars().skip(1).collect(),
        _ => format!("X{text}"),
    }
}

/// A name that none of the others has.
fn fresh(taken: &[String]) -> String {
    let mut name = String::from("fresh");
    while taken.contains(&name) {
        name.push('0');
    }
    name
}

type Maker = fn(&mut Unstructured<'_>) -> Draft;

/// How each reason is brought about; some in more than one way.
const DRIFTS: &[(Reason, Maker)] = &[
    (Reason::UnsupportedProtocolVersion, |u| {
        let (manifest, mut runtime) = declared(u, 0, 0, 1);
        runtime.protocol_version = u.pick(&[0, 2, u32::MAX]);
        runtime_side(
            manifest,
            runtime,
            "another version",
            "/protocol_version".into(),
        )
    }),
    (Reason::DeclaredAndRegisteredToolCountsDiffer, |u| {
        let (manifest, mut runtime) = declared(u, 1, 0, 1);
        if u.below(2) == 0 {
            runtime.tools.remove(u.below(runtime.tools.len()));
        } else {
            runtime.tools.push(manifest::tool(u, "one-more".into()));
        }
        runtime_side(manifest, runtime, "a tool less or more", TOOLS.into())
    }),
    (Reason::DeclaredAndRegisteredToolCountsDiffer, |u| {
        // A block that declares no tools must see none.
        let native = Wants {
            native: true,
            ..Wants::default()
        };
        let mut manifest = Manifest::with(u, native);
        manifest.tools.clear();
        let mut runtime = Runtime::of(&manifest, u);
        runtime.tools = manifest::tools(u, 1);
        runtime_side(
            manifest,
            runtime,
            "a tool where none is declared",
            TOOLS.into(),
        )
    }),
    (Reason::InvalidDeclaredToolName, |u| {
        let both = declared(u, 1, 0, 1);
        at_tool(both, u, "a bad name", "name", |u, tool| {
            tool.name = bad_id(u)
        })
    }),
    (Reason::InvalidDeclaredToolName, |u| {
        let both = eager(u, 1, 0, 1);
        at_tool(
            both,
            u,
            "a bad name of an eager extension's tool",
            "name",
            |u, tool| tool.name = bad_id(u),
        )
    }),
    (Reason::InvalidDeclaredToolDescription, |u| {
        let both = declared(u, 1, 0, 1);
        at_tool(both, u, "a bad description", "description", |u, tool| {
            tool.description = bad_description(u)
        })
    }),
    (Reason::InvalidDeclaredToolDescription, |u| {
        let both = eager(u, 1, 0, 1);
        at_tool(
            both,
            u,
            "a blank description of an eager extension's tool",
            "description",
            |u, tool| tool.description = blank(u),
        )
    }),
    (Reason::DeclaredToolSchemaNotObject, |u| {
        let both = declared(u, 1, 0, 1);
        at_tool(
            both,
            u,
            "a schema of another type",
            "input_schema",
            |u, tool| tool.input_schema = no_object(u),
        )
    }),
    (Reason::DeclaredToolSchemaNotObject, |u| {
        let both = eager(u, 1, 0, 1);
        at_tool(
            both,
            u,
            "an eager extension's schema of another type",
            "input_schema",
            |u, tool| tool.input_schema = no_object(u),
        )
    }),
    (Reason::OversizedDeclaredToolSchema, |u| {
        let both = declared(u, 1, 0, 1);
        at_tool(both, u, "too large a schema", "input_schema", |u, tool| {
            tool.input_schema = oversized(u)
        })
    }),
    (Reason::RegisteredToolNamesDuplicate, |u| {
        let (manifest, mut runtime) = declared(u, 2, 0, 1);
        let (first, later) = pair(u, runtime.tools.len());
        runtime.tools[later].name = runtime.tools[first].name.clone();
        runtime_side(
            manifest,
            runtime,
            "a name twice",
            format!("{TOOLS}/{later}/name"),
        )
    }),
    (Reason::RegisteredToolNamesDuplicate, |u| {
        let (manifest, mut runtime) = eager(u, 2, 0, 1);
        let (first, later) = pair(u, runtime.tools.len());
        runtime.tools[later].name = runtime.tools[first].name.clone();
        runtime_side(
            manifest,
            runtime,
            "a name twice, eager",
            format!("{TOOLS}/{later}/name"),
        )
    }),
    (Reason::DeclaredToolNotRegistered, |u| {
        let (manifest, mut runtime) = declared(u, 1, 0, 1);
        let declared = u.below(manifest.tools.len());
        let name = manifest.tools[declared].name.clone();
        let names: Vec<_> = manifest
            .tools
            .iter()
            .map(|tool| tool.name.clone())
            .collect();
        let live = runtime
            .tools
            .iter_mut()
            .find(|tool| tool.name == name)
            .expect("it matched");
        live.name = fresh(&names);
        let pointer = format!("{}/{declared}/name", manifest.tools_pointer());
        Draft {
            manifest,
            runtime,
            how: "another name",
            side: Side::Manifest,
            pointer,
        }
    }),
    (Reason::RegisteredToolSchemaDigestMismatch, |u| {
        let both = declared(u, 1, 0, 1);
        at_tool(both, u, "a changed schema", "input_schema", |u, tool| {
            // The change may end the object at the top, which is another fault.
            let before = tool.input_schema.clone();
            respelled::change(&mut tool.input_schema, u);
            if !matches!(tool.input_schema, Value::Object(_)) {
                tool.input_schema = before;
                tool.input_schema
                    .members_mut("")
                    .push(("one more member".into(), Value::Null));
            }
            // Nor may it pass the bound on schemas.
            if crate::oracle::compact_text(&tool.input_schema).len() > 65_536 {
                tool.input_schema = Value::Object(vec![("another".into(), Value::Null)]);
            }
        })
    }),
    (Reason::RegisteredToolDescriptionMismatch, |u| {
        let both = declared(u, 1, 0, 1);
        at_tool(both, u, "another description", "description", |u, tool| {
            while tool.description.len() > 900 {
                tool.description.pop();
            }
            let other = other_text(u, &tool.description);
            tool.description = if other.trim().is_empty() {
                "Another word.".into()
            } else {
                other
            };
        })
    }),
    (Reason::DeclaredAndRegisteredProviderCountsDiffer, |u| {
        let (manifest, mut runtime) = declared(u, 0, 1, 1);
        if u.below(2) == 0 {
            runtime.providers.remove(u.below(runtime.providers.len()));
        } else {
            runtime
                .providers
                .push(manifest::provider(u, "one-more".into(), 1));
        }
        runtime_side(
            manifest,
            runtime,
            "a provider less or more",
            PROVIDERS.into(),
        )
    }),
    (Reason::RegisteredProviderIdsDuplicate, |u| {
        let (manifest, mut runtime) = declared(u, 0, 2, 1);
        let (first, later) = pair(u, runtime.providers.len());
        runtime.providers[later].id = runtime.providers[first].id.clone();
        runtime_side(
            manifest,
            runtime,
            "an id twice",
            format!("{PROVIDERS}/{later}/id"),
        )
    }),
    (Reason::RegisteredProviderIdsDuplicate, |u| {
        let (manifest, mut runtime) = eager(u, 0, 2, 1);
        let (first, later) = pair(u, runtime.providers.len());
        runtime.providers[later].id = runtime.providers[first].id.clone();
        runtime_side(
            manifest,
            runtime,
            "an id twice, eager",
            format!("{PROVIDERS}/{later}/id"),
        )
    }),
    (Reason::DeclaredProviderNotRegistered, |u| {
        let (manifest, mut runtime) = declared(u, 0, 1, 1);
        let declared = u.below(manifest.providers.len());
        let id = manifest.providers[declared].id.clone();
        let ids: Vec<_> = manifest
            .providers
            .iter()
            .map(|one| one.id.clone())
            .collect();
        let live = runtime
            .providers
            .iter_mut()
            .find(|one| one.id == id)
            .expect("it matched");
        live.id = fresh(&ids);
        Draft {
            manifest,
            runtime,
            how: "another id",
            side: Side::Manifest,
            pointer: format!("{}/{declared}/id", Manifest::PROVIDERS),
        }
    }),
    (Reason::RegisteredProviderDisplayNameMismatch, |u| {
        let both = declared(u, 0, 1, 1);
        at_provider(both, u, "another display name", "display_name", |u, one| {
            one.display_name = other_text(u, &one.display_name)
        })
    }),
    (Reason::RegisteredProviderDescriptionMismatch, |u| {
        let both = declared(u, 0, 1, 1);
        at_provider(both, u, "another description", "description", |u, one| {
            one.description = other_text(u, &one.description)
        })
    }),
    (Reason::RegisteredProviderConfigSchemaMismatch, |u| {
        let both = declared(u, 0, 1, 1);
        at_provider(
            both,
            u,
            "another config schema",
            "config_schema",
            |u, one| match &mut one.config_schema {
                Some(schema) if u.below(2) == 0 => {
                    respelled::change(schema, u);
                    // null is absent, which is another change, not none.
                }
                Some(_) => one.config_schema = None,
                None => one.config_schema = Some(Value::empty()),
            },
        )
    }),
    (Reason::RegisteredProviderModelCountsDiffer, |u| {
        let both = declared(u, 0, 1, 1);
        at_provider(both, u, "a model less or more", "models", |u, one| {
            let last = one.models[0].clone();
            if u.below(2) == 0 {
                one.models.pop();
            } else {
                one.models.push(manifest::Model {
                    id: "one more".into(),
                    ..last
                });
            }
        })
    }),
    (Reason::RegisteredProviderModelIdsDuplicate, |u| {
        let (manifest, mut runtime) = declared(u, 0, 1, 2);
        let place = u.below(runtime.providers.len());
        let models = &mut runtime.providers[place].models;
        let (first, later) = pair(u, models.len());
        models[later].id = models[first].id.clone();
        runtime_side(
            manifest,
            runtime,
            "an id twice",
            format!("{PROVIDERS}/{place}/models/{later}/id"),
        )
    }),
    (Reason::RegisteredProviderModelIdsDuplicate, |u| {
        let (manifest, mut runtime) = eager(u, 0, 1, 2);
        let place = u.below(runtime.providers.len());
        let models = &mut runtime.providers[place].models;
        let (first, later) = pair(u, models.len());
        models[later].id = models[first].id.clone();
        runtime_side(
            manifest,
            runtime,
            "an id twice, eager",
            format!("{PROVIDERS}/{place}/models/{later}/id"),
        )
    }),
    (Reason::DeclaredProviderModelNotRegistered, |u| {
        let (manifest, mut runtime) = declared(u, 0, 1, 1);
        let declared = u.below(manifest.providers.len());
        let provider = &manifest.providers[declared];
        let model = u.below(provider.models.len());
        let ids: Vec<_> = provider.models.iter().map(|one| one.id.clone()).collect();
        let live = runtime
            .providers
            .iter_mut()
            .find(|one| one.id == provider.id)
            .expect("it matched");
        let live = live
            .models
            .iter_mut()
            .find(|one| one.id == ids[model])
            .expect("it matched");
        live.id = fresh(&ids);
        Draft {
            how: "another model id",
            side: Side::Manifest,
            pointer: format!("{}/{declared}/models/{model}/id", Manifest::PROVIDERS),
            manifest,
            runtime,
        }
    }),
    (Reason::RegisteredProviderModelDisplayNameMismatch, |u| {
        let both = declared(u, 0, 1, 1);
        at_model(
            both,
            u,
            "another display name",
            "display_name",
            |u, model| {
                model.display_name = match &model.display_name {
                    Some(name) if u.below(2) == 0 => Some(other_text(u, name)),
                    Some(_) => None,
                    None => Some(String::new()),
                };
            },
        )
    }),
    (Reason::RegisteredProviderModelContextWindowMismatch, |u| {
        let both = declared(u, 0, 1, 1);
        at_model(
            both,
            u,
            "another context window",
            "context_window",
            |u, model| {
                model.context_window = match model.context_window {
                    Some(size) if u.below(2) == 0 => Some(size ^ u.pick(&[1, 1 << 63, 1 << 32])),
                    Some(_) => None,
                    None => Some(0),
                };
            },
        )
    }),
    (Reason::RegisteredProviderModelCapabilitiesMismatch, |u| {
        let both = declared(u, 0, 1, 1);
        at_model(both, u, "other capabilities", "capabilities", |u, model| {
            model.capabilities = match model.capabilities.take() {
                Some(mut labels) if u.below(2) == 0 => {
                    respelled::change(&mut labels, u);
                    Some(labels)
                }
                Some(_) => None,
                None => Some(Value::empty()),
            };
        })
    }),
    (Reason::InvalidDeclaredProviderId, |u| {
        let both = eager(u, 0, 1, 1);
        at_provider(both, u, "a bad id", "id", |u, one| {
            one.id = bad_provider_id(u)
        })
    }),
    (Reason::InvalidDeclaredProviderDisplayName, |u| {
        let both = eager(u, 0, 1, 1);
        at_provider(both, u, "a blank display name", "display_name", |u, one| {
            one.display_name = blank(u)
        })
    }),
    (Reason::InvalidDeclaredProviderDescription, |u| {
        let both = eager(u, 0, 1, 1);
        at_provider(both, u, "a blank description", "description", |u, one| {
            one.description = blank(u)
        })
    }),
    (Reason::InvalidDeclaredProviderModelCount, |u| {
        let both = eager(u, 0, 1, 1);
        at_provider(both, u, "no model", "models", |_, one| one.models.clear())
    }),
    (Reason::InvalidDeclaredProviderModelId, |u| {
        let both = eager(u, 0, 1, 1);
        at_model(both, u, "a bad id", "id", |u, model| model.id = bad_id(u))
    }),
    (Reason::InvalidDeclaredProviderConfigSchema, |u| {
        let both = eager(u, 0, 1, 1);
        at_provider(
            both,
            u,
            "a config schema of another type",
            "config_schema",
            |u, one| {
                let other = no_object(u);
                one.config_schema = Some(if other == Value::Null {
                    Value::Bool(true)
                } else {
                    other
                });
            },
        )
    }),
    (Reason::RegisteredToolsRequireToolsRegisterPermission, |u| {
        let (mut manifest, runtime) = eager(u, 1, 0, 1);
        manifest.permissions.retain(|one| one != "tools.register");
        manifest.permissions.push("memory.read".into());
        let runtime = permitted(runtime, &manifest);
        runtime_side(manifest, runtime, "tools without permission", TOOLS.into())
    }),
    (
        Reason::RegisteredProvidersRequireProvidersRegisterPermission,
        |u| {
            let (mut manifest, runtime) = eager(u, 0, 1, 1);
            manifest
                .permissions
                .retain(|one| one != "providers.register");
            manifest.permissions.push("memory.read".into());
            let runtime = permitted(runtime, &manifest);
            runtime_side(
                manifest,
                runtime,
                "providers without permission",
                PROVIDERS.into(),
            )
        },
    ),
    (Reason::InvalidCapability, |u| {
        let (manifest, mut runtime) = declared(u, 0, 0, 1);
        let mut bad = generic(&manifest, u);
        let member = u.pick(&["kind", "name"]);
        if member == "kind" {
            bad.kind = blank(u);
        } else {
            bad.name = blank(u);
        }
        let place = u.below(runtime.capabilities.len() + 1);
        runtime.capabilities.insert(place, bad);
        runtime_side(
            manifest,
            runtime,
            "a blank kind or name",
            format!("{GENERIC}/{place}/{member}"),
        )
    }),
    (Reason::CapabilityPermissionMissing, |u| {
        let (manifest, mut runtime) = declared(u, 0, 0, 1);
        let mut bad = generic(&manifest, u);
        let unrequested = manifest::STANDALONE
            .into_iter()
            .find(|one| {
                manifest
                    .permissions
                    .iter()
                    .all(|requested| requested != one)
            })
            .unwrap_or("unknown");
        let permission = u.pick(&["tools.override", "", "all", unrequested, "memory.read "]);
        let number = u.below(bad.permissions.len() + 1);
        bad.permissions.insert(number, permission.into());
        let place = u.below(runtime.capabilities.len() + 1);
        runtime.capabilities.insert(place, bad);
        runtime_side(
            manifest,
            runtime,
            "a permission that is not requested",
            format!("{GENERIC}/{place}/permissions/{number}"),
        )
    }),
];

/// The result, its generic capabilities held to what the manifest still requests.
fn permitted(mut runtime: Runtime, manifest: &Manifest) -> Runtime {
    for capability in &mut runtime.capabilities {
        capability
            .permissions
            .retain(|one| manifest.permissions.contains(one));
    }
    runtime
}
