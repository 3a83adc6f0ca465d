//! `extgate digest`

use std::io::{self, Write};

use extgate::limits::DOCUMENT_MAX_BYTES;
use extgate::{Document, JsonDocument, Rejection};
use serde::Serialize;

use crate::args::{Digest, PlainFormat};
use crate::diagnostic::{Diagnostic, FaultJson, Sides, as_json};
use crate::human::Human;
use crate::source::Source;
use crate::visible::Visible;
use crate::{ACCEPTED, REFUSED, UNREADABLE, input, json, unreadable};

#[derive(Debug, Serialize)]
struct Line<'l> {
    path: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejection: Option<FaultJson<'l>>,
}

pub(crate) fn run(args: &Digest, human: &Human, out: &mut dyn Write) -> io::Result<u8> {
    let mut status = ACCEPTED;
    for path in &args.files {
        let bytes = match input::read(path, DOCUMENT_MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                out.flush()?;
                unreadable(path, &error);
                status = UNREADABLE;
                continue;
            }
        };
        let source = Source::new(input::shown(path), &bytes);
        let mut lines = Vec::new();
        let done = digests(&bytes, &mut lines);
        for (tool, digest) in &lines {
            match args.format {
                PlainFormat::Json => json::line(
                    &Line {
                        path: &source.name,
                        tool: tool.as_deref(),
                        digest: Some(digest),
                        rejection: None,
                    },
                    out,
                )?,
                PlainFormat::Human => {
                    let name = tool.as_deref().unwrap_or(&source.name);
                    writeln!(out, "{digest}  {}", Visible(name))?;
                }
            }
        }
        if let Err(rejection) = done {
            status = status.max(REFUSED);
            let diagnostic = Diagnostic::of_rejection(&rejection, &source);
            match args.format {
                PlainFormat::Json => {
                    let (mut faults, _) = as_json(std::slice::from_ref(&diagnostic), Sides::One);
                    let line = Line {
                        path: &source.name,
                        tool: None,
                        digest: None,
                        rejection: faults.pop(),
                    };
                    json::line(&line, out)?;
                }
                PlainFormat::Human => human.diagnostic(&diagnostic, &source, out)?,
            }
        }
    }
    Ok(status)
}

/// The digests of a plugin.json's tools, or that of any other JSON.
fn digests(bytes: &[u8], lines: &mut Vec<(Option<String>, String)>) -> Result<(), Rejection> {
    let plugin = Document::plugin(bytes);
    let manifest = match &plugin {
        Ok(document) => document.extension()?,
        Err(_) => None,
    };
    match manifest {
        Some(manifest) => {
            let tools = manifest.deferred().map(|block| block.tools());
            for tool in tools.unwrap_or_default() {
                lines.push((
                    Some(tool.name().to_owned()),
                    tool.schema_digest().to_string(),
                ));
            }
        }
        None => {
            let document = JsonDocument::new(bytes)?;
            lines.push((None, document.root().digest().to_string()));
        }
    }
    Ok(())
}
