//! `extgate check`

use std::io::{self, Write};

use extgate::{Document, Locator, Rejection, ValidManifest};
use serde::Serialize;

use crate::args::{Check, Format};
use crate::report::{Fault, Faults, json_line, shown, unreadable};
use crate::visible::Visible;
use crate::{ACCEPTED, REFUSED, UNREADABLE, input};

/// The line of JSON that the specification gives for one input.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    path: String,
    plugin: String,
    verdict: &'static str,
    class: Option<&'static str>,
    trigger: Option<&'static str>,
    tools: Vec<Tool>,
    context_providers: Vec<String>,
    rejections: Vec<Fault>,
    findings: Vec<serde_json::Value>,
}

#[derive(Debug, Serialize)]
struct Tool {
    identity: String,
    runtime_name: String,
    catalog_id: String,
    digest: String,
}

pub(crate) fn run(args: &Check, out: &mut dyn Write) -> io::Result<u8> {
    let mut status = ACCEPTED;
    for path in &args.paths {
        for found in input::manifests(path) {
            let read = found.and_then(|path| {
                match input::read(&path, extgate::limits::DOCUMENT_MAX_BYTES) {
                    Ok(bytes) => Ok((path, bytes)),
                    Err(error) => Err((path, error)),
                }
            });
            match read {
                Ok((path, bytes)) => {
                    let verdict = judge(shown(&path), &bytes, args.plugin.plugin_id.as_deref());
                    if verdict.verdict == "reject" {
                        status = status.max(REFUSED);
                    }
                    match args.output.format {
                        Format::Json => json_line(&verdict, out)?,
                        Format::Human => verdict.print(args.output.quiet, out)?,
                    }
                }
                Err((path, error)) => {
                    unreadable(&path, &error);
                    status = UNREADABLE;
                }
            }
        }
    }
    Ok(status)
}

/// The plugin's id: as given, else the document's name, else `plugin`.
pub(crate) fn plugin_id(given: Option<&str>, document: Option<&Document<'_>>) -> String {
    given
        .map(str::to_owned)
        .or_else(|| document?.name().map(|name| name.into_owned()))
        .unwrap_or_else(|| "plugin".to_owned())
}

/// Every fault of a document.
pub(crate) fn faults_of(document: &Result<Document<'_>, Rejection>) -> Faults {
    let mut faults = Faults::default();
    match document {
        Ok(document) => {
            let _ = document.check(&mut faults.sink());
        }
        Err(rejection) => faults.listed.push(*rejection),
    }
    faults
}

fn judge(path: String, bytes: &[u8], given: Option<&str>) -> Verdict {
    let document = Document::plugin(bytes);
    let plugin = plugin_id(given, document.as_ref().ok());
    let faults = faults_of(&document);
    let mut verdict = Verdict {
        path,
        plugin,
        verdict: "none",
        class: None,
        trigger: None,
        tools: Vec::new(),
        context_providers: Vec::new(),
        rejections: Vec::new(),
        findings: Vec::new(),
    };
    if !faults.listed.is_empty() {
        drop(document);
        let locator = Locator::new(bytes);
        verdict.verdict = "reject";
        verdict.rejections = faults
            .listed
            .iter()
            .map(|rejection| Fault::new(rejection, &locator))
            .collect();
        return verdict;
    }
    let valid = document
        .as_ref()
        .ok()
        .and_then(|document| document.extension().ok().flatten())
        .and_then(|manifest| manifest.validate().ok());
    if let Some(valid) = valid {
        verdict.accept(&valid);
    }
    verdict
}

impl Verdict {
    fn accept(&mut self, valid: &ValidManifest<'_>) {
        self.verdict = "accept";
        self.class = Some(valid.class().as_str());
        self.trigger = Some(valid.earliest_trigger().as_str());
        self.tools = valid
            .dormant_extension_tools(&self.plugin)
            .iter()
            .map(|tool| Tool {
                identity: tool.identity().to_owned(),
                runtime_name: tool.runtime_name().to_owned(),
                catalog_id: tool.catalog_id().to_owned(),
                digest: tool.expected_digest().to_string(),
            })
            .collect();
        self.context_providers = valid
            .context_providers(&self.plugin)
            .iter()
            .map(|one| one.runtime_address().to_owned())
            .collect();
    }

    fn print(&self, quiet: bool, out: &mut dyn Write) -> io::Result<()> {
        let path = Visible(&self.path);
        match (self.class, self.trigger) {
            (Some(_), Some(_)) | (None, None) if quiet && self.rejections.is_empty() => Ok(()),
            (Some(class), Some(trigger)) => {
                writeln!(
                    out,
                    "{path}: accepted, {class}, {trigger}, {} tools",
                    self.tools.len()
                )
            }
            _ if self.rejections.is_empty() => writeln!(out, "{path}: no extension"),
            _ => {
                writeln!(out, "{path}: refused")?;
                self.rejections
                    .iter()
                    .try_for_each(|fault| fault.print(&self.path, out))
            }
        }
    }
}
