//! `extgate declare`

use std::io::{self, Write};

use extgate::limits::INITIALIZE_RESULT_MAX_BYTES;
use extgate::{
    DeclaredExtensionProvider, DeclaredExtensionProviderModel, DeclaredExtensionTool, Document,
    InitializeResult, Json, Permission, Rejection, RuntimeDocument, Side,
};
use serde_json::{Map, Value, json};

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
            json::pretty(&declared, out)?;
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

fn declare(capture: &Source<'_>, args: &Declare) -> Result<Value, Refused> {
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
        let tools: Vec<Value> = tools.items().map(mcp_tool).collect();
        let result = json!({"protocol_version": 1, "capabilities": {"tools": tools}});
        return Ok(Captured::Mcp(result.to_string(), prefix));
    }
    Ok(Captured::Initialize(document))
}

/// An MCP tool, with the members that an initialize result has of it.
fn mcp_tool(tool: Json<'_>) -> Value {
    let mut members = Map::new();
    for (theirs, ours) in [
        ("name", "name"),
        ("description", "description"),
        ("inputSchema", "input_schema"),
        ("input_schema", "input_schema"),
    ] {
        if let Some(value) = tool.get(theirs) {
            members.insert(ours.to_owned(), copied(value));
        }
    }
    Value::Object(members)
}

/// A value as it stands, numbers in their own spelling.
fn copied(value: Json<'_>) -> Value {
    serde_json::from_str(value.source()).unwrap_or_default()
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
) -> Result<Value, Refused> {
    let mut faults = Faults::default();
    let _ = document.check(&mut faults.sink());
    let result = match document.result() {
        Ok(result) if faults.listed.is_empty() => result,
        _ => return Err(place.diagnostics(&faults, place.result)),
    };
    if result.tools().is_empty() && result.providers().is_empty() {
        return Err(Refused::Empty);
    }
    let (permissions, block) = (permissions(&result), block(&result));
    let name = args.plugin_id.as_deref().unwrap_or("plugin");
    let manifest = json!({
        "name": name,
        "extension": {
            "protocol_version": 1,
            "runtime": "process",
            "command": args.command.as_deref().unwrap_or("program"),
            "permissions": permissions,
            "deferred": block,
        },
    });
    prove(&manifest.to_string(), &result, place)?;
    Ok(match args.command {
        Some(_) => manifest,
        None => json!({"permissions": permissions, "deferred": block}),
    })
}

/// Holds what was made to the gate, and the capture to what was made.
fn prove(
    manifest: &str,
    result: &InitializeResult<'_>,
    place: &Place<'_, '_, '_>,
) -> Result<(), Refused> {
    let made = Source::new(place.capture.name.clone(), manifest.as_bytes());
    let document = Document::plugin(manifest.as_bytes())
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

fn block(result: &InitializeResult<'_>) -> Value {
    let mut block = Map::new();
    if !result.tools().is_empty() {
        let tools: Vec<Value> = result.tools().iter().map(tool).collect();
        block.insert("tools".to_owned(), Value::from(tools));
    }
    if !result.providers().is_empty() {
        let providers: Vec<Value> = result.providers().iter().map(provider).collect();
        block.insert("providers".to_owned(), Value::from(providers));
    }
    Value::Object(block)
}

fn tool(tool: &DeclaredExtensionTool<'_>) -> Value {
    json!({
        "name": tool.name(),
        "description": tool.description(),
        "input_schema": copied(tool.input_schema()),
    })
}

fn provider(provider: &DeclaredExtensionProvider<'_>) -> Value {
    let models: Vec<Value> = provider.models().map(|one| model(&one)).collect();
    let mut value = json!({
        "id": provider.id(),
        "display_name": provider.display_name(),
        "description": provider.description(),
        "models": models,
    });
    if let Some(schema) = provider.config_schema() {
        value["config_schema"] = copied(schema);
    }
    value
}

fn model(model: &DeclaredExtensionProviderModel<'_>) -> Value {
    let mut value = json!({"id": model.id()});
    if let Some(name) = model.display_name() {
        value["display_name"] = Value::from(name);
    }
    if let Some(capabilities) = model.capabilities() {
        value["capabilities"] = copied(capabilities);
    }
    if let Some(window) = model.context_window() {
        value["context_window"] = Value::from(window);
    }
    value
}
