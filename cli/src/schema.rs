//! `extgate schema`: a JSON Schema of plugin.json, from the library's tables of shapes, bounds and words.
//!
//! It refuses nothing that the gate accepts. Lengths are bounded in characters, which are never more
//! than the bytes that the gate counts.

use std::io::{self, Write};

use extgate::limits::{
    DECLARED_DESCRIPTION_MAX_BYTES, DECLARED_DISPLAY_MAX_BYTES, DECLARED_MAX_CONTEXT_PROVIDERS,
    DECLARED_MAX_PROVIDER_MODELS, DECLARED_MAX_PROVIDERS, DECLARED_MAX_TOOLS,
    DECLARED_NAME_MAX_BYTES, MAX_ID_LENGTH,
};
use extgate::shape::{EXTENSION, Object, Shape};
use extgate::{HookKind, Permission};
use serde::ser::{Serialize, Serializer};

use crate::{ACCEPTED, json};

pub(crate) fn run(out: &mut dyn Write) -> io::Result<u8> {
    json::pretty(&document(), out)?;
    Ok(ACCEPTED)
}

/// JSON whose members keep their order.
#[derive(Clone)]
enum Node {
    Null,
    Boolean(bool),
    Number(u64),
    Text(String),
    List(Vec<Node>),
    Object(Members),
}

type Members = Vec<(String, Node)>;

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Number(value) => serializer.serialize_u64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<usize> for Node {
    fn from(value: usize) -> Self {
        Self::Number(u64::try_from(value).unwrap_or(u64::MAX))
    }
}

impl From<u64> for Node {
    fn from(value: u64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Node {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Node {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Members> for Node {
    fn from(members: Members) -> Self {
        Self::Object(members)
    }
}

/// An object of these members.
macro_rules! object {
    ($($key:expr => $value:expr),* $(,)?) => {
        Node::Object(vec![$(($key.to_owned(), Node::from($value))),*])
    };
}

/// The members alone, to be added to others.
macro_rules! members {
    ($($key:expr => $value:expr),* $(,)?) => {
        vec![$(($key.to_owned(), Node::from($value))),*]
    };
}

fn list(items: impl IntoIterator<Item = impl Into<Node>>) -> Node {
    Node::List(items.into_iter().map(Into::into).collect())
}

/// Unicode White_Space, as a part of a character class. `\s` is another set.
const WHITE: &str =
    r"\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
/// Unicode category Cc, likewise.
const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";

fn document() -> Node {
    object! {
        "$schema" => "https://json-schema.org/draft/2020-12/schema",
        "title" => "plugin.json",
        "description" => "The manifest of a plugin, whose member `extension` makes it an extension. \
            Made by extgate; what it cannot say, `extgate check` does.",
        "type" => "object",
        "properties" => object! { "extension" => extension() },
    }
}

fn extension() -> Node {
    let mut members = of_object(&EXTENSION, "extension");
    members.push(("allOf".to_owned(), list(rules())));
    Node::Object(members)
}

/// The schema of an object with known members, whose path is given in their names.
fn of_object(object: &Object, path: &str) -> Members {
    let mut properties = Members::new();
    let mut required = Vec::new();
    for member in object.members {
        let inner = format!("{path}.{}", member.name);
        let mut schema = of_shape(&member.shape, &inner);
        if let Some(told) = description(&inner) {
            schema.insert(0, ("description".to_owned(), told.into()));
        }
        if member.nullable {
            or_null(&mut schema);
        }
        for (key, value) in refined(&inner) {
            replace(&mut schema, key, value);
        }
        properties.push((member.name.to_owned(), schema.into()));
        if member.required || is_needed(&inner) {
            required.push(member.name);
        }
    }
    let mut schema = members! { "type" => "object", "properties" => properties };
    if !required.is_empty() {
        schema.push(("required".to_owned(), list(required)));
    }
    if object.closed {
        schema.push(("additionalProperties".to_owned(), false.into()));
    }
    for (key, value) in refined(path) {
        replace(&mut schema, key, value);
    }
    schema
}

fn of_shape(shape: &Shape, path: &str) -> Members {
    match shape {
        Shape::String => members! { "type" => "string" },
        Shape::Boolean => members! { "type" => "boolean" },
        Shape::U32 => {
            members! { "type" => "integer", "minimum" => 0_u64, "maximum" => u64::from(u32::MAX) }
        }
        Shape::U64 => {
            members! { "type" => "integer", "minimum" => 0_u64, "maximum" => u64::MAX }
        }
        Shape::Word(words) => members! { "enum" => list(words.iter().copied()) },
        Shape::Object(object) => of_object(object, path),
        Shape::List(item) => {
            let inner = format!("{path}[]");
            let mut items = of_shape(item, &inner);
            if !matches!(item, Shape::Object(_)) {
                for (key, value) in refined(&inner) {
                    replace(&mut items, key, value);
                }
            }
            members! { "type" => "array", "items" => items }
        }
        Shape::Map(value) => {
            let inner = format!("{path}{{}}");
            let mut values = of_shape(value, &inner);
            for (key, value) in refined(&inner) {
                replace(&mut values, key, value);
            }
            members! { "type" => "object", "additionalProperties" => values }
        }
        // Any JSON, or what this version does not know.
        _ => Members::new(),
    }
}

/// Lets null stand for the absence of a value.
fn or_null(schema: &mut Members) {
    for (key, value) in schema {
        match (&**key, &mut *value) {
            ("type", Node::Text(one)) => *value = list([&**one, "null"]),
            ("enum", Node::List(words)) => words.push(Node::Null),
            _ => {}
        }
    }
}

fn replace(schema: &mut Members, key: String, value: Node) {
    match schema.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => schema.push((key, value)),
    }
}

/// Where a path is that of a member or item of a declared tool, be it native or by the legacy alias.
fn in_tool<'p>(path: &'p str, member: &str) -> bool {
    ["extension.deferred.tools", "extension.tools"]
        .iter()
        .any(|list| {
            path.strip_prefix(list)
                .is_some_and(|rest: &'p str| rest == member)
        })
}

/// Members that the tables of shapes leave out at will, but whose default is refused.
fn is_needed(path: &str) -> bool {
    in_tool(path, "[].description")
        || matches!(
            path,
            "extension.deferred.providers[].description"
                | "extension.deferred.providers[].models"
                | "extension.deferred.context_providers[].description"
        )
}

fn not_blank(most: Option<usize>) -> Members {
    let mut schema = members! { "pattern" => format!("[^{WHITE}]") };
    if let Some(most) = most {
        schema.push(("maxLength".to_owned(), most.into()));
    }
    schema
}

fn label() -> Members {
    members! {
        "pattern" => format!("^[^{CONTROL}]+$"),
        "maxLength" => DECLARED_NAME_MAX_BYTES,
    }
}

fn capability_id() -> Members {
    members! {
        "pattern" => format!("^[^{CONTROL}{WHITE}:]+$"),
        "maxLength" => MAX_ID_LENGTH,
    }
}

/// What the rules of sections 3 to 5 ask of the value at a path, beside its shape.
fn refined(path: &str) -> Members {
    if in_tool(path, "") {
        return members! { "maxItems" => DECLARED_MAX_TOOLS };
    }
    if in_tool(path, "[].name") {
        return capability_id();
    }
    if in_tool(path, "[].description") {
        return not_blank(Some(DECLARED_DESCRIPTION_MAX_BYTES));
    }
    if in_tool(path, "[].input_schema") {
        return members! { "type" => "object" };
    }
    match path {
        "extension.protocol_version" => members! { "const" => 1_u64, "default" => 1_u64 },
        "extension.command" => not_blank(None),
        "extension.permissions[]" => {
            let requested = Permission::ALL.iter().filter(|one| !one.is_reserved());
            members! { "enum" => list(requested.map(|one| one.as_str())) }
        }
        "extension.hooks[]" => {
            let others = HookKind::ALL.iter().filter(|one| !one.takes_tool_filter());
            let others = list(others.map(|one| one.as_str()));
            members! {
                "if" => object! { "properties" => object! { "hook" => object! { "enum" => others } } },
                "then" => object! { "properties" => object! { "tool" => object! { "type" => "null" } } },
            }
        }
        "extension.hooks[].hook" => members! { "enum" => list(HookKind::NAMES.iter().copied()) },
        "extension.theme_tokens" => members! {
            "propertyNames" => object! { "pattern" => format!(r"^[^./\\{WHITE}]+$") },
        },
        "extension.theme_tokens{}" => members! {
            "pattern" => format!("^[{WHITE}]*#([0-9a-fA-F]{{3}}|[0-9a-fA-F]{{6}})[{WHITE}]*$"),
        },
        "extension.activation" => {
            members! { "enum" => Node::List(vec!["deferred".into(), Node::Null]) }
        }
        "extension.deferred.providers" => members! { "maxItems" => DECLARED_MAX_PROVIDERS },
        "extension.deferred.providers[].id" => {
            members! { "pattern" => "^[a-z0-9_-]+$", "maxLength" => MAX_ID_LENGTH }
        }
        "extension.deferred.providers[].display_name" => members! {
            "pattern" => format!("^[^{CONTROL}]*[^{CONTROL}{WHITE}][^{CONTROL}]*$"),
            "maxLength" => DECLARED_DISPLAY_MAX_BYTES,
        },
        "extension.deferred.providers[].description" => {
            not_blank(Some(DECLARED_DESCRIPTION_MAX_BYTES))
        }
        "extension.deferred.providers[].models" => {
            members! { "minItems" => 1_u64, "maxItems" => DECLARED_MAX_PROVIDER_MODELS }
        }
        "extension.deferred.providers[].config_schema" => {
            members! { "type" => list(["object", "null"]) }
        }
        "extension.deferred.providers[].models[].id" => capability_id(),
        "extension.deferred.providers[].models[].display_name" => members! {
            "pattern" => format!("^[^{CONTROL}]*$"),
            "maxLength" => DECLARED_DISPLAY_MAX_BYTES,
        },
        "extension.deferred.providers[].models[].capabilities" => members! {
            "type" => list(["object", "null"]),
            "propertyNames" => label(),
            "additionalProperties" => object! { "type" => "boolean" },
        },
        "extension.deferred.context_providers" => {
            members! { "maxItems" => DECLARED_MAX_CONTEXT_PROVIDERS }
        }
        "extension.deferred.context_providers[].id" => members! {
            "pattern" => r"^[\u0021-\u0039\u003b-\u007e]+$",
            "maxLength" => DECLARED_NAME_MAX_BYTES,
        },
        "extension.deferred.context_providers[].capability" => label(),
        "extension.deferred.context_providers[].description" => members! {
            "minLength" => 1_u64,
            "maxLength" => DECLARED_DESCRIPTION_MAX_BYTES,
        },
        "extension.deferred.context_providers[].schema_version" => {
            members! { "minimum" => 1_u64 }
        }
        _ => Members::new(),
    }
}

/// An object that has a member of that schema.
fn has(member: &str, schema: Node) -> Node {
    object! {
        "properties" => Node::Object(vec![(member.to_owned(), schema)]),
        "required" => list([member]),
    }
}

fn requests(permissions: impl IntoIterator<Item = Permission>) -> Node {
    let names = permissions.into_iter().map(|one| one.as_str());
    has(
        "permissions",
        object! { "contains" => object! { "enum" => list(names) } },
    )
}

fn filled() -> Node {
    object! { "type" => "array", "minItems" => 1_u64 }
}

/// A deferred block that has a member of that schema.
fn declares(member: &str, schema: Node) -> Node {
    let Node::Object(mut block) = has(member, schema) else {
        return Node::Null;
    };
    block.insert(0, ("type".to_owned(), "object".into()));
    has("deferred", Node::Object(block))
}

fn when(condition: Node, then: Node) -> Node {
    object! { "if" => condition, "then" => then }
}

/// What one member asks of another: sections 3 to 5.
fn rules() -> Vec<Node> {
    let mut rules = vec![
        when(
            declares("tools", filled()),
            requests([Permission::ToolsRegister]),
        ),
        when(
            has("tools", filled()),
            requests([Permission::ToolsRegister]),
        ),
        when(
            declares("providers", filled()),
            requests([Permission::ProvidersRegister]),
        ),
        when(
            declares("context_providers", filled()),
            requests([Permission::ContextProvidersRegister]),
        ),
        when(
            declares("lifecycle", object! { "const" => "hook" }),
            has("hooks", filled()),
        ),
        when(
            declares("lifecycle", object! { "const" => "user" }),
            object! { "properties" => object! { "deferred" => object! { "properties" => object! {
                "tools" => object! { "maxItems" => 0_u64 },
                "providers" => object! { "maxItems" => 0_u64 },
            } } } },
        ),
        when(
            has("activation", object! { "const" => "deferred" }),
            has("tools", filled()),
        ),
        when(
            has("deferred", object! { "type" => "object" }),
            object! { "properties" => object! {
                "activation" => object! { "type" => "null" },
                "tools" => object! { "maxItems" => 0_u64 },
            } },
        ),
        object! { "anyOf" => list([
            has("hooks", filled()),
            requests(Permission::ALL.iter().copied().filter(|one| one.stands_alone())),
        ]) },
    ];
    for permission in Permission::ALL {
        let hooks = HookKind::ALL
            .iter()
            .filter(|one| one.permission() == *permission);
        let hooks: Vec<&str> = hooks.map(|one| one.as_str()).collect();
        if !hooks.is_empty() {
            let subscribed = has("hook", object! { "enum" => list(hooks) });
            rules.push(when(
                has("hooks", object! { "contains" => subscribed }),
                requests([*permission]),
            ));
        }
    }
    rules
}

/// What an editor says of a member.
fn description(path: &str) -> Option<&'static str> {
    if in_tool(path, "[].name") {
        return Some(
            "The tool's name: at most 64 bytes, no control character, white space or `:`.",
        );
    }
    if in_tool(path, "[].description") {
        return Some("What the tool does, in at most 1,024 bytes.");
    }
    if in_tool(path, "[].input_schema") {
        return Some("The JSON Schema of its parameters, at most 65,536 bytes as compact JSON.");
    }
    Some(match path {
        "extension.protocol_version" => "The version of the extension protocol.",
        "extension.runtime" => "How the extension runs: as a child process.",
        "extension.command" => "The program that starts the extension.",
        "extension.setup" => "The script that sets the extension up.",
        "extension.prebuilt" => "Prebuilt assets, by host triple.",
        "extension.prebuilt{}.url" => "Where the asset is fetched from.",
        "extension.prebuilt{}.sha256" => "Its SHA-256, as 64 hexadecimal digits.",
        "extension.args" => "The program's arguments.",
        "extension.permissions" => "What the extension asks to be allowed.",
        "extension.hooks" => "The events that the extension is told of.",
        "extension.hooks[].hook" => "The hook's name.",
        "extension.hooks[].tool" => "The tool that the subscription is limited to.",
        "extension.hooks[].match" => "What a tool's input must be like.",
        "extension.hooks[].match.input_contains" => "A text that the input must contain.",
        "extension.hooks[].match.input_equals" => "A value that the input must equal.",
        "extension.config" => "What can be configured.",
        "extension.config[].key" => "The entry's key.",
        "extension.config[].type" => "The type of its value.",
        "extension.config[].description" => "What it is for.",
        "extension.config[].required" => "Whether a value must be given.",
        "extension.config[].default" => "The value where none is given.",
        "extension.config[].secret_env" => "The environment variable that holds a secret.",
        "extension.config[].host_context" => "What the host fills in.",
        "extension.theme_tokens" => "Colors of a theme, such as `#1e90ff`, by token.",
        "extension.deferred" => "What the extension registers once it runs.",
        "extension.deferred.tools" => "The tools that it registers.",
        "extension.deferred.providers" => "The model providers that it registers.",
        "extension.deferred.providers[].id" => "The provider's id: at most 64 of `a-z 0-9 - _`.",
        "extension.deferred.providers[].display_name" => "The name that people see.",
        "extension.deferred.providers[].description" => "What the provider offers.",
        "extension.deferred.providers[].models" => "Its models, 1 to 64.",
        "extension.deferred.providers[].config_schema" => "The JSON Schema of its configuration.",
        "extension.deferred.providers[].models[].capabilities" => "What the model can do.",
        "extension.deferred.providers[].models[].context_window" => {
            "The size of its context window."
        }
        "extension.deferred.context_providers" => "The context providers that it registers.",
        "extension.deferred.context_providers[].capability" => "The label of what it contributes.",
        "extension.deferred.context_providers[].schema_version" => {
            "The version of its payload's schema, from 1."
        }
        "extension.deferred.lifecycle" => {
            "What starts an extension that has no tools and no providers."
        }
        "extension.tools" => "The old spelling of `deferred.tools`.",
        "extension.activation" => "The old way to say that `tools` are deferred.",
        _ => return None,
    })
}
