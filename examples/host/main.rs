//! A host that uses the gate: it lists the tools of every plugin in a folder without starting one,
//! then calls the first tool of each, which starts what owns it, and admits or kills it.
//!
//! `cargo run --example host [FOLDER]`, by default over `examples/plugins`.

mod child;
mod frame;
mod host;

use std::path::{Path, PathBuf};
use std::time::Duration;

use extgate::DeferredExtensionTool;
use host::{Host, Options, Session, Verdict};

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plugins"),
        PathBuf::from,
    );
    let host = Host::open(
        &folder,
        Options {
            start: Duration::from_secs(2),
            call: Duration::from_secs(2),
            shutdown: Duration::from_millis(500),
            state: None,
        },
    )?;

    println!("dormant, nothing started:");
    for tool in host.tools() {
        let (name, description) = (visible(tool.runtime_name()), visible(tool.description()));
        println!("  {name:<26} {description}");
    }
    for provider in host.context_providers() {
        let (address, description) = (
            visible(provider.runtime_address()),
            visible(provider.description()),
        );
        println!("  {address:<26} {description}");
    }

    println!(
        "\n{:<20} {:<17} {:<23} first call",
        "plugin", "class", "starts on"
    );
    let session = host.session();
    for plugin in host.plugins() {
        let (class, trigger, outcome) = match &plugin.verdict {
            Verdict::Dormant(dormant) => {
                let outcome = match dormant.tools.first() {
                    None => "no tool to call, not started".to_owned(),
                    Some(tool) => call(&session, tool, "{}"),
                };
                (dormant.class.as_str(), dormant.trigger.as_str(), outcome)
            }
            Verdict::NoExtension => ("-", "-", "no extension, not started".to_owned()),
            Verdict::Refused(rejection) => (
                "-",
                "-",
                format!("manifest refused: {}", rejection.reason()),
            ),
            Verdict::Unreadable(kind) => ("-", "-", format!("manifest unreadable: {kind}")),
        };
        let (id, outcome) = (visible(&plugin.id), visible(&outcome));
        println!("{id:<20} {class:<17} {trigger:<23} {outcome}");
    }

    println!("\nregistered:");
    for plugin in host.plugins() {
        let registered = session.registered(&plugin.id);
        if !registered.is_empty() {
            println!(
                "  {}: {}",
                visible(&plugin.id),
                visible(&registered.join(", "))
            );
        }
    }
    for (name, params) in [
        ("notes:add", r#"{"text": "buy milk"}"#),
        ("notes:list", "{}"),
    ] {
        if let Some(tool) = host.tool(name) {
            println!(
                "  {name} {params}: {}",
                visible(&call(&session, tool, params))
            );
        }
    }
    println!("\n{} processes; closing", session.processes().len());
    session.close();
    Ok(())
}

fn call(session: &Session<'_>, tool: &DeferredExtensionTool, params: &str) -> String {
    match tool.execute(Some(session), params) {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => format!("no: {error}"),
        Err(error) => format!("no: {error}"),
    }
}

/// What a plugin says, with its control and invisible characters spelled out.
fn visible(text: &str) -> String {
    text.chars()
        .map(|one| match one {
            '"' | '\'' | '\\' => one.to_string(),
            _ => one.escape_debug().to_string(),
        })
        .collect()
}
