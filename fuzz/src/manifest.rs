//! Valid manifests: what one holds, and its document with every choice that leaves it valid.

use crate::limit::{
    DECLARED_DESCRIPTION_MAX_BYTES, DECLARED_DISPLAY_MAX_BYTES, DECLARED_NAME_MAX_BYTES,
    DECLARED_SCHEMA_MAX_BYTES, MAX_ID_LENGTH,
};
use arbitrary::{Arbitrary, Unstructured};

use crate::build::{Builder, Kind, Members};
use crate::dice::Dice;
use crate::oracle;
use crate::spell::{Spelled, spell};
use crate::text;
use crate::value::Value;

/// A tool, declared or registered.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The schema of its parameters.
    pub input_schema: Value,
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its id.
    pub id: String,
    /// The name that people see.
    pub display_name: Option<String>,
    /// Labels to booleans.
    pub capabilities: Option<Value>,
    /// The size of its context window.
    pub context_window: Option<u64>,
}

/// A provider, declared or registered.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Its id.
    pub id: String,
    /// The name that people see.
    pub display_name: String,
    /// What it offers.
    pub description: String,
    /// Its models.
    pub models: Vec<Model>,
    /// The schema of its configuration.
    pub config_schema: Option<Value>,
}

/// A context provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextProvider {
    /// Its id.
    pub id: String,
    /// The label of what it contributes.
    pub capability: String,
    /// What context it gives.
    pub description: String,
    /// The version of its payload's schema.
    pub schema_version: u32,
}

/// A hook subscription.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    /// The hook's name.
    pub hook: String,
    /// The tool that it is limited to.
    pub tool: Option<String>,
    /// The `match`, if any.
    pub matcher: Option<HookMatch>,
}

/// The `match` of a hook subscription.
#[derive(Debug, Clone, PartialEq)]
pub struct HookMatch {
    /// Text that the input must contain.
    pub input_contains: Option<String>,
    /// What the input must equal.
    pub input_equals: Option<Value>,
}

/// A configuration entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Its key.
    pub key: String,
    /// The type of its value.
    pub kind: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// Its default.
    pub default: Option<Value>,
    /// The environment variable that holds it.
    pub secret_env: Option<String>,
    /// What the host fills in.
    pub host_context: Option<String>,
}

/// How a manifest spells its deferred block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// It has none.
    None,
    /// In `deferred`.
    Native,
    /// By the legacy alias: `tools`, and perhaps `activation`.
    Alias,
}

/// What a manifest says. Every part of it is valid, unless a fault was put into it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The document's `name`, where it is a string.
    pub name: Option<String>,
    /// The protocol version.
    pub protocol_version: u32,
    /// The program.
    pub command: String,
    /// The script that sets it up.
    pub setup: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The requested permissions.
    pub permissions: Vec<String>,
    /// The hook subscriptions.
    pub hooks: Vec<Hook>,
    /// The configuration entries.
    pub config: Vec<Config>,
    /// Host triple, URL and SHA-256 of the prebuilt assets.
    pub prebuilt: Vec<(String, String, String)>,
    /// Theme tokens and their colors.
    pub theme_tokens: Vec<(String, String)>,
    /// How the deferred block is spelled.
    pub block: Block,
    /// `activation`, where it is a string.
    pub activation: Option<String>,
    /// The declared tools, in the block or by the alias.
    pub tools: Vec<Tool>,
    /// Tools at the top of the extension block, beside a native block; empty but for a fault.
    pub alias_tools: Vec<Tool>,
    /// The declared providers.
    pub providers: Vec<Provider>,
    /// The declared context providers.
    pub context_providers: Vec<ContextProvider>,
    /// `hook` or `user`.
    pub lifecycle: Option<String>,
}

/// What a manifest must have at least, for a fault to be put into it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wants {
    pub(crate) tools: usize,
    pub(crate) providers: usize,
    pub(crate) models: usize,
    pub(crate) context_providers: usize,
    pub(crate) hooks: usize,
    pub(crate) native: bool,
    pub(crate) lifecycle: Option<&'static str>,
}

pub(crate) const STANDALONE: [&str; 10] = [
    "memory.read",
    "tools.register",
    "providers.register",
    "context_providers.register",
    "memory.write",
    "config.write",
    "config.subscribe",
    "audio.input",
    "audio.output",
    "session.drive",
];

/// Each hook, its permission, and whether it takes a tool filter.
pub(crate) const HOOKS: [(&str, &str, bool); 7] = [
    ("before_tool_call", "tools.intercept", true),
    ("after_tool_call", "tools.intercept", true),
    ("before_message", "privacy.llm_content", false),
    ("on_message_complete", "privacy.llm_content", false),
    ("on_compaction", "privacy.llm_content", false),
    ("on_session_start", "session.lifecycle", false),
    ("on_session_end", "session.lifecycle", false),
];

/// Makes the text differ from those of the others, within its bound.
fn distinct(text: &mut String, number: usize, taken: &[String], most: usize) {
    if !taken.contains(text) {
        return;
    }
    let suffix = format!("-{number}");
    while text.len() + suffix.len() > most {
        text.pop();
    }
    text.push_str(&suffix);
}

fn names(u: &mut Unstructured<'_>, count: usize, alphabet: &[char], most: usize) -> Vec<String> {
    let mut names = Vec::with_capacity(count);
    for number in 0..count {
        let mut name = if count > 20 {
            format!("n{number}")
        } else {
            text::bounded(u, alphabet, 1, most)
        };
        distinct(&mut name, number, &names, most);
        names.push(name);
    }
    names
}

/// As many as are wanted, mostly few, seldom as many as may be.
fn count(u: &mut Unstructured<'_>, least: usize, most: usize) -> usize {
    match u.below(32) {
        31 => most,
        30 => most - 1,
        few => least.max(few % 4),
    }
}

pub(crate) fn tool(u: &mut Unstructured<'_>, name: String) -> Tool {
    Tool {
        name,
        description: text::told(u, text::DESCRIPTION, DECLARED_DESCRIPTION_MAX_BYTES),
        input_schema: schema(u),
    }
}

/// A schema, seldom one at its bound.
fn schema(u: &mut Unstructured<'_>) -> Value {
    let schema = Value::object(u);
    if u.once_in(200) {
        padded(schema, DECLARED_SCHEMA_MAX_BYTES, u)
    } else {
        schema
    }
}

/// The object with one more member, so that its compact text takes exactly that many bytes.
pub(crate) fn padded(object: Value, bytes: usize, u: &mut Unstructured<'_>) -> Value {
    const KEY: &str = "padding to the bound";
    let Value::Object(mut members) = object else {
        unreachable!("only objects are padded")
    };
    members.retain(|(key, _)| key != KEY);
    members.push((KEY.into(), Value::String(String::new())));
    let used = oracle::compact_text(&Value::Object(members.clone())).len();
    assert!(
        used <= bytes,
        "an object of {used} bytes cannot be padded to {bytes}"
    );
    // What one character counts in compact text: a control six bytes, a line break two.
    let (one, size) = u.pick(&[
        ('x', 1),
        ('\u{e9}', 2),
        ('\u{1F600}', 4),
        ('\n', 2),
        ('\u{1}', 6),
        ('/', 1),
        ('\u{7f}', 1),
    ]);
    let room = bytes - used;
    let text = one.to_string().repeat(room / size) + &"x".repeat(room % size);
    members.last_mut().expect("the member").1 = Value::String(text);
    Value::Object(members)
}

fn model(u: &mut Unstructured<'_>, id: String) -> Model {
    let labels = count(u, 0, 20);
    Model {
        id,
        display_name: u
            .once_in(2)
            .then(|| text::bounded(u, text::LABEL, 0, DECLARED_DISPLAY_MAX_BYTES)),
        capabilities: u.once_in(2).then(|| {
            let labels = names(u, labels, text::LABEL, DECLARED_NAME_MAX_BYTES);
            Value::Object(
                labels
                    .into_iter()
                    .map(|label| (label, Value::Bool(u.below(2) == 1)))
                    .collect(),
            )
        }),
        context_window: u
            .once_in(2)
            .then(|| u.pick(&[0, 1, 200_000, u64::MAX, u64::MAX - 1, 1 << 63])),
    }
}

pub(crate) fn provider(u: &mut Unstructured<'_>, id: String, models: usize) -> Provider {
    let ids = names(u, models.max(1), text::ID, MAX_ID_LENGTH);
    Provider {
        id,
        display_name: text::told(u, text::LABEL, DECLARED_DISPLAY_MAX_BYTES),
        description: text::told(u, text::DESCRIPTION, DECLARED_DESCRIPTION_MAX_BYTES),
        models: ids.into_iter().map(|id| model(u, id)).collect(),
        config_schema: u.once_in(2).then(|| schema(u)),
    }
}

pub(crate) fn tools(u: &mut Unstructured<'_>, count: usize) -> Vec<Tool> {
    let names = names(u, count, text::ID, MAX_ID_LENGTH);
    names.into_iter().map(|name| tool(u, name)).collect()
}

pub(crate) fn providers(u: &mut Unstructured<'_>, count: usize, models: usize) -> Vec<Provider> {
    let ids = names(u, count, text::PROVIDER_ID, MAX_ID_LENGTH);
    ids.into_iter()
        .map(|id| {
            let models = self::count(u, models.max(1), 64).max(1);
            provider(u, id, models)
        })
        .collect()
}

pub(crate) fn context_providers(u: &mut Unstructured<'_>, count: usize) -> Vec<ContextProvider> {
    let ids = names(u, count, text::CONTEXT_ID, DECLARED_NAME_MAX_BYTES);
    ids.into_iter().map(|id| context_provider(u, id)).collect()
}

fn context_provider(u: &mut Unstructured<'_>, id: String) -> ContextProvider {
    ContextProvider {
        id,
        capability: text::bounded(u, text::LABEL, 1, DECLARED_NAME_MAX_BYTES),
        // Not empty is all that is asked: white space is a description here.
        description: text::bounded(u, text::DESCRIPTION, 1, DECLARED_DESCRIPTION_MAX_BYTES),
        schema_version: u.pick(&[1, 2, u32::MAX]),
    }
}

pub(crate) fn hook(u: &mut Unstructured<'_>) -> Hook {
    let (hook, _, takes_tool) = u.pick(&HOOKS);
    let tool = takes_tool && u.once_in(2);
    Hook {
        hook: hook.into(),
        tool: tool.then(|| text::bounded(u, text::LABEL, 0, 40)),
        matcher: u.once_in(3).then(|| HookMatch {
            input_contains: u.once_in(2).then(|| text::any(u)),
            input_equals: u
                .once_in(2)
                .then(|| Value::arbitrary(u).unwrap_or(Value::Null)),
        }),
    }
}

fn config(u: &mut Unstructured<'_>) -> Config {
    Config {
        key: text::any(u),
        kind: u
            .once_in(2)
            .then(|| u.pick(&["string", "bool", "number"]).into()),
        description: u.once_in(3).then(|| text::any(u)),
        required: u.below(2) == 1,
        default: u
            .once_in(2)
            .then(|| Value::arbitrary(u).unwrap_or(Value::Null)),
        secret_env: u.once_in(3).then(|| text::any(u)),
        host_context: u.once_in(3).then(|| "project_root".into()),
    }
}

impl Manifest {
    /// A valid manifest that has at least what is wanted.
    pub(crate) fn with(u: &mut Unstructured<'_>, wants: Wants) -> Self {
        let lifecycle = wants
            .lifecycle
            .or_else(|| u.pick(&[None, None, Some("hook"), Some("user")]));
        let active = wants.tools + wants.providers > 0;
        let block = if wants.native
            || wants.providers + wants.context_providers > 0
            || wants.lifecycle.is_some()
        {
            Block::Native
        } else if wants.tools > 0 {
            u.pick(&[Block::Native, Block::Native, Block::Alias])
        } else {
            u.pick(&[Block::Native, Block::None, Block::Native, Block::Alias])
        };
        // User lifecycle goes with no tool and no provider, so it yields where they are wanted.
        let lifecycle = lifecycle
            .filter(|one| block == Block::Native && !(*one == "user" && active))
            .map(str::to_owned);
        let user = lifecycle.as_deref() == Some("user");
        let (mut tools_wanted, mut providers_wanted, mut contexts_wanted) = (0, 0, 0);
        match block {
            Block::None => {}
            Block::Alias => tools_wanted = count(u, wants.tools.max(1), 256).max(1),
            Block::Native => {
                if !user {
                    tools_wanted = count(u, wants.tools, 256);
                    providers_wanted = count(u, wants.providers, 16);
                }
                contexts_wanted = count(u, wants.context_providers, 8);
            }
        }
        let least_hooks = wants
            .hooks
            .max(usize::from(lifecycle.as_deref() == Some("hook")));
        let hooks: Vec<Hook> = (0..count(u, least_hooks, 30)).map(|_| hook(u)).collect();
        let mut manifest = Self {
            name: u.once_in(2).then(|| text::any(u)),
            protocol_version: 1,
            command: text::told(u, text::DESCRIPTION, 300),
            setup: u.once_in(4).then(|| text::any(u)),
            args: (0..count(u, 0, 40)).map(|_| text::any(u)).collect(),
            permissions: Vec::new(),
            hooks,
            config: (0..count(u, 0, 20)).map(|_| config(u)).collect(),
            prebuilt: {
                let count = count(u, 0, 20);
                let hosts = names(u, count, text::LABEL, 60);
                hosts
                    .into_iter()
                    .map(|host| (host, text::any(u), text::any(u)))
                    .collect()
            },
            theme_tokens: {
                let count = count(u, 0, 40);
                let names = names(u, count, text::TOKEN, 40);
                names.into_iter().map(|name| (name, color(u))).collect()
            },
            block,
            activation: None,
            tools: tools(u, tools_wanted),
            alias_tools: Vec::new(),
            providers: providers(u, providers_wanted, wants.models),
            context_providers: context_providers(u, contexts_wanted),
            lifecycle,
        };
        if block == Block::Alias && u.below(2) == 1 {
            manifest.activation = Some("deferred".into());
        }
        manifest.permissions = manifest.needed();
        for _ in 0..u.below(4) {
            let more = u.pick(&[
                "memory.read",
                "tools.intercept",
                "tools.transform_output",
                "privacy.llm_content",
                "session.lifecycle",
                "tools.register",
                "audio.input",
            ]);
            manifest.permissions.push(more.into());
        }
        if manifest.hooks.is_empty()
            && !manifest
                .permissions
                .iter()
                .any(|one| STANDALONE.contains(&one.as_str()))
        {
            manifest.permissions.push(u.pick(&STANDALONE).into());
        }
        u.shuffle(&mut manifest.permissions);
        manifest
    }

    /// A valid manifest of as little as may be.
    pub(crate) fn plain() -> Self {
        Self {
            name: None,
            protocol_version: 1,
            command: "x".into(),
            setup: None,
            args: Vec::new(),
            permissions: vec!["memory.read".into()],
            hooks: Vec::new(),
            config: Vec::new(),
            prebuilt: Vec::new(),
            theme_tokens: Vec::new(),
            block: Block::None,
            activation: None,
            tools: Vec::new(),
            alias_tools: Vec::new(),
            providers: Vec::new(),
            context_providers: Vec::new(),
            lifecycle: None,
        }
    }

    /// The permissions without which the manifest would be refused.
    pub(crate) fn needed(&self) -> Vec<String> {
        let mut needed: Vec<&str> = Vec::new();
        let registers = [
            (!self.tools.is_empty(), "tools.register"),
            (!self.providers.is_empty(), "providers.register"),
            (
                !self.context_providers.is_empty(),
                "context_providers.register",
            ),
        ];
        needed.extend(
            registers
                .iter()
                .filter(|(any, _)| *any)
                .map(|(_, name)| *name),
        );
        for hook in &self.hooks {
            let known = HOOKS.iter().find(|(name, _, _)| *name == hook.hook);
            needed.extend(known.map(|(_, permission, _)| *permission));
        }
        needed.sort_unstable();
        needed.dedup();
        needed.into_iter().map(str::to_owned).collect()
    }

    /// The pointer of the declared tools' list.
    #[must_use]
    pub fn tools_pointer(&self) -> &'static str {
        match self.block {
            Block::Alias => "/extension/tools",
            _ => "/extension/deferred/tools",
        }
    }

    /// The pointer of the requested permissions.
    pub(crate) const PERMISSIONS: &'static str = "/extension/permissions";
    /// The pointer of the hook subscriptions.
    pub(crate) const HOOKS: &'static str = "/extension/hooks";
    /// The pointer of the declared providers.
    pub(crate) const PROVIDERS: &'static str = "/extension/deferred/providers";
    /// The pointer of the declared context providers.
    pub(crate) const CONTEXT_PROVIDERS: &'static str = "/extension/deferred/context_providers";

    /// The class and trigger by the parts, as words (section 6).
    #[must_use]
    pub fn class_and_trigger(&self) -> (&'static str, &'static str) {
        let is = |word: &str| self.lifecycle.as_deref() == Some(word);
        let mut parts = Vec::new();
        if self.block != Block::None {
            if !self.tools.is_empty() {
                parts.push(("tool_only", 3));
            }
            if !self.providers.is_empty() {
                parts.push(("provider", 2));
            }
            if !self.context_providers.is_empty() {
                parts.push(("context_provider", 4));
            }
            if !self.hooks.is_empty() || is("hook") {
                parts.push(("hook_lifecycle", 1));
            }
            if is("user") {
                parts.push(("ui_sidecar", 4));
            }
        }
        let class = match parts.as_slice() {
            [] => "legacy_eager",
            [(class, _)] => class,
            _ => "mixed",
        };
        let earliest = parts.iter().map(|(_, rank)| *rank).min().unwrap_or(0);
        let trigger = [
            "eager",
            "first_authorized_hook_event",
            "provider_selection",
            "exact_tool_activation",
            "user_action",
        ][earliest];
        (class, trigger)
    }
}

fn color(u: &mut Unstructured<'_>) -> String {
    let digits = u.pick(&["fff", "1E90ff", "000", "abcdef", "AbC", "012345"]);
    let (before, after) = u.pick(&[("", ""), (" ", ""), ("", "\n"), ("\u{3000}", "\t")]);
    format!("{before}#{digits}{after}")
}

/// Never fails; the same bytes give the same manifest.
impl<'a> Arbitrary<'a> for Manifest {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self::with(u, Wants::default()))
    }
}

impl Manifest {
    /// The document, with choices that change nothing: members left out or null, members that nobody knows.
    pub(crate) fn value(&self, b: &mut Builder<'_, '_>) -> Value {
        let mut root = Members::new(b, "");
        match &self.name {
            Some(name) => root.any("name", Value::String(name.clone())),
            None if b.u.once_in(4) => root.any("name", Value::Array(vec![Value::object(b.u)])),
            None => {}
        }
        if b.u.once_in(4) {
            root.any("version", Value::arbitrary(b.u).unwrap_or(Value::Null));
        }
        if b.u.once_in(8) {
            // Outside the extension block keys may repeat.
            root.any(
                "elsewhere",
                Value::Raw(br#"{"a":1,"a":[{"\u0061":2,"a":3}]}"#.to_vec()),
            );
        }
        let extension = self.extension(b, "/extension");
        root.required(b, "extension", Kind::Object, extension);
        root.done(b)
    }

    fn extension(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        let mut o = Members::new(b, at);
        if self.protocol_version != 1 || b.u.once_in(2) {
            o.optional(
                b,
                "protocol_version",
                Kind::U32,
                Value::Integer(self.protocol_version.into()),
            );
        }
        o.required(b, "runtime", Kind::Word, Value::String("process".into()));
        o.required(
            b,
            "command",
            Kind::Text,
            Value::String(self.command.clone()),
        );
        o.text_or_null(b, "setup", self.setup.as_ref());
        let args: Vec<_> = self
            .args
            .iter()
            .map(|one| Value::String(one.clone()))
            .collect();
        o.list(b, "args", Kind::Text, args);
        let permissions: Vec<_> = self
            .permissions
            .iter()
            .map(|one| Value::String(one.clone()))
            .collect();
        o.list(b, "permissions", Kind::Text, permissions);
        let hooks = b.items(&o.pointer("hooks"), &self.hooks, |b, at, hook| {
            hook.value(b, at)
        });
        o.list(b, "hooks", Kind::Object, hooks);
        let config = b.items(&o.pointer("config"), &self.config, |b, at, one| {
            one.value(b, at)
        });
        o.list(b, "config", Kind::Object, config);
        if !self.prebuilt.is_empty() || b.u.once_in(4) {
            let at = o.pointer("prebuilt");
            let mut map = Members::map(&at);
            for (host, url, sha256) in &self.prebuilt {
                let mut asset = Members::new(b, &map.pointer(host));
                asset.required(b, "url", Kind::Text, Value::String(url.clone()));
                asset.required(b, "sha256", Kind::Text, Value::String(sha256.clone()));
                let asset = asset.done(b);
                map.optional(b, host, Kind::Object, asset);
            }
            let map = map.done(b);
            o.optional(b, "prebuilt", Kind::Object, map);
        }
        if !self.theme_tokens.is_empty() || b.u.once_in(4) {
            let mut map = Members::map(&o.pointer("theme_tokens"));
            for (name, color) in &self.theme_tokens {
                map.optional(b, name, Kind::Text, Value::String(color.clone()));
            }
            let map = map.done(b);
            o.optional(b, "theme_tokens", Kind::Object, map);
        }
        o.text_or_null(b, "activation", self.activation.as_ref());
        match self.block {
            Block::Native => {
                let block = self.deferred(b, &o.pointer("deferred"));
                o.nullable(b, "deferred", Kind::Object, block);
            }
            _ if b.u.once_in(4) => o.nullable(b, "deferred", Kind::Object, Value::Null),
            _ => {}
        }
        let top = if self.block == Block::Alias {
            &self.tools
        } else {
            &self.alias_tools
        };
        if !top.is_empty() || b.u.once_in(8) {
            let tools = b.items(&o.pointer("tools"), top, |b, at, tool| tool.declared(b, at));
            o.given_list(b, "tools", Kind::Object, tools);
        }
        o.done(b)
    }

    fn deferred(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        let mut o = Members::new(b, at);
        let tools = b.items(&o.pointer("tools"), &self.tools, |b, at, tool| {
            tool.declared(b, at)
        });
        o.list(b, "tools", Kind::Object, tools);
        let providers = b.items(&o.pointer("providers"), &self.providers, |b, at, one| {
            one.value(b, at, false)
        });
        o.list(b, "providers", Kind::Object, providers);
        let contexts = b.items(
            &o.pointer("context_providers"),
            &self.context_providers,
            |b, at, one| one.value(b, at),
        );
        o.list(b, "context_providers", Kind::Object, contexts);
        match &self.lifecycle {
            Some(word) => o.nullable(b, "lifecycle", Kind::Word, Value::String(word.clone())),
            None if b.u.once_in(8) => o.nullable(b, "lifecycle", Kind::Word, Value::Null),
            None => {}
        }
        o.done(b)
    }
}

impl Tool {
    fn declared(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        self.value(b, at, false)
    }

    /// As it is declared, or as it is registered: then the description must be given.
    pub(crate) fn value(&self, b: &mut Builder<'_, '_>, at: &str, registered: bool) -> Value {
        let mut o = Members::new(b, at);
        o.required(b, "name", Kind::Text, Value::String(self.name.clone()));
        o.described(b, &self.description, registered);
        o.required(b, "input_schema", Kind::Any, self.input_schema.clone());
        o.done(b)
    }
}

impl Provider {
    /// As it is declared, or as it is registered: then the description must be given.
    pub(crate) fn value(&self, b: &mut Builder<'_, '_>, at: &str, registered: bool) -> Value {
        let mut o = Members::new(b, at);
        o.required(b, "id", Kind::Text, Value::String(self.id.clone()));
        o.required(
            b,
            "display_name",
            Kind::Text,
            Value::String(self.display_name.clone()),
        );
        o.described(b, &self.description, registered);
        let models = b.items(&o.pointer("models"), &self.models, |b, at, model| {
            model.value(b, at)
        });
        o.list(b, "models", Kind::Object, models);
        o.any_or_null(b, "config_schema", self.config_schema.as_ref());
        o.done(b)
    }
}

impl Model {
    fn value(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        let mut o = Members::new(b, at);
        o.required(b, "id", Kind::Text, Value::String(self.id.clone()));
        o.text_or_null(b, "display_name", self.display_name.as_ref());
        o.any_or_null(b, "capabilities", self.capabilities.as_ref());
        match self.context_window {
            Some(size) => o.nullable(b, "context_window", Kind::U64, Value::Integer(size.into())),
            None if b.u.once_in(4) => o.nullable(b, "context_window", Kind::U64, Value::Null),
            None => {}
        }
        o.done(b)
    }
}

impl ContextProvider {
    fn value(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        let mut o = Members::new(b, at);
        o.required(b, "id", Kind::Text, Value::String(self.id.clone()));
        o.required(
            b,
            "capability",
            Kind::Text,
            Value::String(self.capability.clone()),
        );
        o.described(b, &self.description, false);
        o.required(
            b,
            "schema_version",
            Kind::U32,
            Value::Integer(self.schema_version.into()),
        );
        o.done(b)
    }
}

impl Hook {
    fn value(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        let mut o = Members::new(b, at);
        o.required(b, "hook", Kind::Text, Value::String(self.hook.clone()));
        o.text_or_null(b, "tool", self.tool.as_ref());
        match &self.matcher {
            Some(matcher) => {
                let mut inner = Members::map(&o.pointer("match"));
                inner.text_or_null(b, "input_contains", matcher.input_contains.as_ref());
                if let Some(value) = &matcher.input_equals {
                    inner.any("input_equals", value.clone());
                }
                let inner = inner.done(b);
                o.nullable(b, "match", Kind::Closed, inner);
            }
            None if b.u.once_in(8) => o.nullable(b, "match", Kind::Closed, Value::Null),
            None => {}
        }
        o.done(b)
    }
}

impl Config {
    fn value(&self, b: &mut Builder<'_, '_>, at: &str) -> Value {
        let mut o = Members::new(b, at);
        o.required(b, "key", Kind::Text, Value::String(self.key.clone()));
        let word = |text: &Option<String>| text.clone().map_or(Value::Null, Value::String);
        if self.kind.is_some() || b.u.once_in(8) {
            o.nullable(b, "type", Kind::Word, word(&self.kind));
        }
        o.text_or_null(b, "description", self.description.as_ref());
        if self.required || b.u.once_in(2) {
            o.optional(b, "required", Kind::Bool, Value::Bool(self.required));
        }
        if let Some(value) = &self.default {
            o.any("default", value.clone());
        }
        o.text_or_null(b, "secret_env", self.secret_env.as_ref());
        if self.host_context.is_some() || b.u.once_in(8) {
            o.nullable(b, "host_context", Kind::Word, word(&self.host_context));
        }
        o.done(b)
    }
}

/// A valid manifest and its document: accepted, whatever the bytes that it was made from.
#[derive(Debug, Clone)]
pub struct ValidManifest {
    /// What it says.
    pub manifest: Manifest,
    /// The same as JSON.
    pub value: Value,
    /// The document, in one spelling.
    pub document: Spelled,
}

impl<'a> Arbitrary<'a> for ValidManifest {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let manifest = Manifest::arbitrary(u)?;
        let value = manifest.value(&mut Builder::new(u));
        let document = spell(&value, u);
        Ok(Self {
            manifest,
            value,
            document,
        })
    }
}
