//! `extgate digest`

use std::io::{self, Write};

use extgate::limits::DOCUMENT_MAX_BYTES;
use extgate::{Document, JsonDocument, Locator, Rejection};
use serde::Serialize;

use crate::args::{Digest, Format};
use crate::report::{Fault, json_line, shown, unreadable};
use crate::visible::Visible;
use crate::{ACCEPTED, REFUSED, UNREADABLE, input};

#[derive(Debug, Serialize)]
struct Line<'l> {
    path: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejection: Option<Fault>,
}

pub(crate) fn run(args: &Digest, out: &mut dyn Write) -> io::Result<u8> {
    let mut status = ACCEPTED;
    for path in &args.files {
        let bytes = match input::read(path, DOCUMENT_MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                unreadable(path, &error);
                status = UNREADABLE;
                continue;
            }
        };
        let path = shown(path);
        let mut lines = Vec::new();
        let done = digests(&bytes, &mut lines);
        for (tool, digest) in &lines {
            match args.output.format {
                Format::Json => json_line(
                    &Line {
                        path: &path,
                        tool: tool.as_deref(),
                        digest: Some(digest.clone()),
                        rejection: None,
                    },
                    out,
                )?,
                Format::Human => match tool {
                    Some(tool) => writeln!(out, "{digest}  {}", Visible(tool))?,
                    None => writeln!(out, "{digest}  {}", Visible(&path))?,
                },
            }
        }
        if let Err(rejection) = done {
            status = status.max(REFUSED);
            let fault = Fault::new(&rejection, &Locator::new(&bytes));
            match args.output.format {
                Format::Json => json_line(
                    &Line {
                        path: &path,
                        tool: None,
                        digest: None,
                        rejection: Some(fault),
                    },
                    out,
                )?,
                Format::Human => {
                    writeln!(out, "{}: refused", Visible(&path))?;
                    fault.print(&path, out)?;
                }
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
