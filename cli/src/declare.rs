//! `extgate declare`

use std::collections::BTreeMap;
use std::io::{self, Write};

use extgate::limits::INITIALIZE_RESULT_MAX_BYTES;
use extgate::{
    DeclaredExtensionProvider, DeclaredExtensionTool, Document, InitializeResult, Json, JsonType,
    Permission, Rejection, RuntimeDocument, Side,
};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use crate::args::Declare;
use crate::diagnostic::{Diagnostic, Faults};
use crate::human::Human;
use crate::matching::read_runtime;
use crate::source::Source;
use crate::visible::Visible;
use crate::{ACCEPTED, REFUSED, UNREADABLE, complain, input, json, unreadable};

pub(crate) fn run(args: &Declare, human: &Human, out: &mut dyn Write) -> io::Result<u8> {
    let bytes = match input::read(&args.runtime, INITIALIZE_RESULT_MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            unreadable(&args.runtime, &error);
            return Ok(UNREADABLE);
        }
    };
    let capture = Source::new(input::shown(&args.runtime), &bytes);
    match declare(&capture, args) {
        Ok(declared) => {
            out.write_all(&declared)?;
            Ok(ACCEPTED)
        }
        Err(Refused::Empty) => {
            complain(&format!(
                "{}: it registers no tool and no provider, so there is nothing to declare",
                Visible(&capture.name)
            ));
            Ok(REFUSED)
        }
        Err(Refused::Faults(diagnostics, omitted)) => {
            let mut text = Vec::new();
            for diagnostic in &diagnostics {
                human.diagnostic(diagnostic, &capture, &mut text)?;
            }
            human.omitted(omitted, 0, false, &mut text)?;
            io::stderr().write_all(&text)?;
            complain(&format!(
                "{}: what it registers cannot be declared",
                Visible(&capture.name)
            ));
            Ok(REFUSED)
        }
    }
}

/// Why nothing is declared.
enum Refused {
    /// There is nothing to declare.
    Empty,
    /// What is registered would be refused; so many faults are not listed.
    Faults(Vec<Diagnostic>, usize),
}

/// A capture, as the initialize result that it stands for.
enum Captured<'b> {
    /// The capture is one.
    Initialize(RuntimeDocument<'b>),
    /// The text of one, made of the result of an MCP `tools/list`, and where its tools stand in the capture.
    Mcp(String, &'static str),
}

fn declare(capture: &Source<'_>, args: &Declare) -> Result<Vec<u8>, Refused> {
    let refused = |rejection: Rejection| {
        Refused::Faults(vec![Diagnostic::of_rejection(&rejection, capture)], 0)
    };
    match captured(capture.bytes).map_err(refused)? {
        Captured::Initialize(document) => {
            let prefix = match document.root().get("result") {
                Some(_) if document.root().get("protocol_version").is_none() => "/result",
                _ => "",
            };
            let place = Place {
                capture,
                result: capture,
                list: format!("{prefix}/capabilities"),
                mcp: false,
            };
            declared(&document, &place, args)
        }
        Captured::Mcp(text, prefix) => {
            let result = Source::new(capture.name.clone(), text.as_bytes());
            let document = RuntimeDocument::initialize_result(text.as_bytes()).map_err(refused)?;
            let place = Place {
                capture,
                result: &result,
                list: prefix.to_owned(),
                mcp: true,
            };
            declared(&document, &place, args)
        }
    }
}

fn captured(bytes: &[u8]) -> Result<Captured<'_>, Rejection> {
    let document = read_runtime(bytes)?;
    let root = document.root();
    let (body, prefix) = match root.get("result") {
        Some(result) if root.get("protocol_version").is_none() => (result, "/result"),
        _ => (root, ""),
    };
    let mcp = body
        .get("tools")
        .filter(|_| body.get("capabilities").is_none() && body.get("protocol_version").is_none());
    if let Some(tools) = mcp {
        let tools: Vec<_> = tools.items().map(mcp_tool).collect();
        let tools = serde_json::to_string(&tools).unwrap_or_default();
        let result = format!(r#"{{"protocol_version":1,"capabilities":{{"tools":{tools}}}}}"#);
        return Ok(Captured::Mcp(result, prefix));
    }
    Ok(Captured::Initialize(document))
}

/// An MCP tool, with the members that an initialize result has of it.
fn mcp_tool(tool: Json<'_>) -> BTreeMap<&'static str, Copied<'_>> {
    [
        ("name", "name"),
        ("description", "description"),
        ("input_schema", "input_schema"),
        ("inputSchema", "input_schema"),
    ]
    .into_iter()
    .filter_map(|(theirs, ours)| Some((ours, Copied(tool.get(theirs)?))))
    .collect()
}

/// Where faults of what was made stand in the capture.
struct Place<'s, 'c, 'r> {
    capture: &'s Source<'c>,
    result: &'s Source<'r>,
    /// The pointer to what holds the lists.
    list: String,
    mcp: bool,
}

impl Place<'_, '_, '_> {
    fn diagnostics(&self, faults: &Faults, made: &Source<'_>) -> Refused {
        let listed = faults.listed.iter().map(|rejection| {
            let mut diagnostic = match rejection.side() {
                Side::Manifest => Diagnostic::of_rejection(rejection, made),
                Side::Runtime => Diagnostic::of_rejection(rejection, self.result),
            };
            let pointer = self.in_capture(&diagnostic.location.pointer);
            if let Some(location) = self.nearest(&pointer) {
                diagnostic.location = location;
            }
            diagnostic
        });
        Refused::Faults(listed.collect(), faults.omitted)
    }

    /// The pointer in the capture for one in what was made.
    fn in_capture(&self, pointer: &str) -> String {
        let Some(rest) = ["/extension/deferred", "/capabilities"]
            .iter()
            .find_map(|made| pointer.strip_prefix(made))
        else {
            return pointer.to_owned();
        };
        let pointer = format!("{}{rest}", self.list);
        if self.mcp {
            pointer.replacen("/input_schema", "/inputSchema", 1)
        } else {
            pointer
        }
    }

    /// The place of a pointer, or of what is around it.
    fn nearest(&self, pointer: &str) -> Option<extgate::Location> {
        let mut pointer = pointer;
        loop {
            if let Some(location) = self.capture.find(pointer) {
                return Some(location);
            }
            pointer = pointer.rsplit_once('/')?.0;
        }
    }
}

/// What to declare, once it is known to pass and to match.
fn declared(
    document: &RuntimeDocument<'_>,
    place: &Place<'_, '_, '_>,
    args: &Declare,
) -> Result<Vec<u8>, Refused> {
    let mut faults = Faults::default();
    let _ = document.check(&mut faults.sink());
    let result = match document.result() {
        Ok(result) if faults.listed.is_empty() => result,
        _ => return Err(place.diagnostics(&faults, place.result)),
    };
    if result.tools().is_empty() && result.providers().is_empty() {
        return Err(Refused::Empty);
    }
    let declared = Members {
        permissions: permissions(&result),
        deferred: Block::of(&result),
    };
    let manifest = Manifest {
        name: args.plugin_id.as_deref().unwrap_or("plugin"),
        extension: Extension {
            protocol_version: 1,
            runtime: "process",
            command: args.command.as_deref().unwrap_or("program"),
            members: &declared,
        },
    };
    let whole = pretty(&manifest);
    prove(&whole, &result, place)?;
    Ok(match args.command {
        Some(_) => whole,
        None => pretty(&declared),
    })
}

fn pretty(value: &impl Serialize) -> Vec<u8> {
    let mut text = Vec::new();
    // Neither a vector nor what is written can fail.
    let _ = json::pretty(value, &mut text);
    text
}

/// Holds what was made to the gate, and the capture to what was made.
fn prove(
    manifest: &[u8],
    result: &InitializeResult<'_>,
    place: &Place<'_, '_, '_>,
) -> Result<(), Refused> {
    let made = Source::new(place.capture.name.clone(), manifest);
    let document = Document::plugin(manifest)
        .map_err(|rejection| place.diagnostics(&Faults::only(rejection), &made))?;
    let mut faults = Faults::default();
    let _ = document.check(&mut faults.sink());
    if faults.listed.is_empty()
        && let Ok(Some(block)) = document.extension()
        && let Ok(valid) = block.validate()
    {
        let _ = valid.pin("plugin").check(result, &mut faults.sink());
    }
    if faults.listed.is_empty() {
        Ok(())
    } else {
        Err(place.diagnostics(&faults, &made))
    }
}

/// The permissions without which the runtime would be refused.
fn permissions(result: &InitializeResult<'_>) -> Vec<&'static str> {
    let asked: Vec<Permission> = result
        .capabilities()
        .flat_map(|capability| {
            let names: Vec<_> = capability.permissions().collect();
            names
        })
        .filter_map(|name| Permission::from_name(&name))
        .collect();
    Permission::ALL
        .iter()
        .filter(|permission| match permission {
            Permission::ToolsRegister if !result.tools().is_empty() => true,
            Permission::ProvidersRegister if !result.providers().is_empty() => true,
            other => asked.contains(other),
        })
        .map(|permission| permission.as_str())
        .collect()
}

/// A whole plugin.json.
#[derive(Serialize)]
struct Manifest<'d> {
    name: &'d str,
    extension: Extension<'d>,
}

#[derive(Serialize)]
struct Extension<'d> {
    protocol_version: u32,
    runtime: &'static str,
    command: &'d str,
    #[serde(flatten)]
    members: &'d Members<'d>,
}

/// The members of an extension block that are declared.
#[derive(Serialize)]
struct Members<'d> {
    permissions: Vec<&'static str>,
    deferred: Block<'d>,
}

#[derive(Serialize)]
struct Block<'d> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    providers: Vec<Provider<'d>>,
}

#[derive(Serialize)]
struct Tool<'d> {
    name: &'d str,
    description: &'d str,
    input_schema: Copied<'d>,
}

#[derive(Serialize)]
struct Provider<'d> {
    id: &'d str,
    display_name: &'d str,
    description: &'d str,
    models: Vec<Model<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config_schema: Option<Copied<'d>>,
}

#[derive(Serialize)]
struct Model<'d> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Copied<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_window: Option<u64>,
}

impl<'d> Block<'d> {
    fn of(result: &'d InitializeResult<'d>) -> Self {
        Self {
            tools: result.tools().iter().map(Tool::of).collect(),
            providers: result.providers().iter().map(Provider::of).collect(),
        }
    }
}

impl<'d> Tool<'d> {
    fn of(tool: &'d DeclaredExtensionTool<'d>) -> Self {
        Self {
            name: tool.name(),
            description: tool.description(),
            input_schema: Copied(tool.input_schema()),
        }
    }
}

impl<'d> Provider<'d> {
    fn of(provider: &'d DeclaredExtensionProvider<'d>) -> Self {
        let models = provider.models().map(|model| Model {
            id: model.id().to_owned(),
            display_name: model.display_name().map(str::to_owned),
            capabilities: model.capabilities().map(Copied),
            context_window: model.context_window(),
        });
        Self {
            id: provider.id(),
            display_name: provider.display_name(),
            description: provider.description(),
            models: models.collect(),
            config_schema: provider.config_schema().map(Copied),
        }
    }
}

/// A value of the capture, of the same digest: members in their order, integers and floats as what they are.
struct Copied<'d>(Json<'d>);

impl Serialize for Copied<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        let number = |what: &str| S::Error::custom(format!("{} is no {what}", value.source()));
        match value.kind() {
            JsonType::Null => serializer.serialize_unit(),
            JsonType::Boolean => serializer.serialize_bool(value.as_bool().unwrap_or_default()),
            JsonType::Integer => match (value.source().parse(), value.source().parse()) {
                (Ok(number), _) => serializer.serialize_u64(number),
                (_, Ok(number)) => serializer.serialize_i64(number),
                _ => Err(number("integer")),
            },
            JsonType::Float => match value.source().parse() {
                Ok(number) => serializer.serialize_f64(number),
                Err(_) => Err(number("float")),
            },
            JsonType::String => serializer.serialize_str(&value.as_str().unwrap_or_default()),
            JsonType::Array => serializer.collect_seq(value.items().map(Copied)),
            JsonType::Object => {
                serializer.collect_map(value.members().map(|(key, value)| (key, Copied(value))))
            }
        }
    }
}
