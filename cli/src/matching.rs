//! `extgate match`

use std::io::{self, Write};

use extgate::limits::{DOCUMENT_MAX_BYTES, INITIALIZE_RESULT_MAX_BYTES};
use extgate::{Document, Locator, PinnedManifest, Rejection, RuntimeDocument, Side};
use serde::Serialize;

use crate::args::{Format, Match};
use crate::check::{faults_of, plugin_id};
use crate::report::{Fault, Faults, json_line, shown, unreadable};
use crate::visible::Visible;
use crate::{ACCEPTED, REFUSED, UNREADABLE, input};

#[derive(Debug, Serialize)]
struct Verdict {
    verdict: &'static str,
    plugin: String,
    mismatches: Vec<Fault>,
}

pub(crate) fn run(args: &Match, out: &mut dyn Write) -> io::Result<u8> {
    let mut unread = false;
    let mut read = |path, bound| {
        input::read(path, bound)
            .inspect_err(|error| {
                unreadable(path, error);
                unread = true;
            })
            .unwrap_or_default()
    };
    let manifest = read(&args.manifest, DOCUMENT_MAX_BYTES);
    let runtime = read(&args.runtime, INITIALIZE_RESULT_MAX_BYTES);
    if unread {
        return Ok(UNREADABLE);
    }
    let verdict = judge(&manifest, &runtime, args.plugin.plugin_id.as_deref());
    match args.output.format {
        Format::Json => json_line(&verdict, out)?,
        Format::Human => {
            let (manifest, runtime) = (shown(&args.manifest), shown(&args.runtime));
            if verdict.verdict == "reject" || !args.output.quiet {
                writeln!(
                    out,
                    "{}: {}",
                    Visible(&runtime),
                    match verdict.verdict {
                        "accept" => "admitted, it registers exactly what is declared",
                        "legacy" => "admitted, the manifest declares nothing to match",
                        "none" => "not matched, the manifest is no extension's",
                        _ => "refused",
                    }
                )?;
            }
            for fault in &verdict.mismatches {
                let path = match fault.side {
                    Some("manifest") => &manifest,
                    _ => &runtime,
                };
                fault.print(path, out)?;
            }
        }
    }
    Ok(if verdict.verdict == "reject" {
        REFUSED
    } else {
        ACCEPTED
    })
}

fn judge(manifest: &[u8], runtime: &[u8], given: Option<&str>) -> Verdict {
    let document = Document::plugin(manifest);
    let plugin = plugin_id(given, document.as_ref().ok());
    let mut faults = faults_of(&document);
    let mut verdict = "reject";
    if faults.listed.is_empty() {
        let valid = document
            .as_ref()
            .ok()
            .and_then(|document| document.extension().ok().flatten())
            .and_then(|manifest| manifest.validate().ok());
        match valid {
            None => verdict = "none",
            Some(valid) => {
                let pinned = valid.pin(&plugin);
                faults = mismatches(&pinned, runtime);
                if faults.listed.is_empty() {
                    verdict = if pinned.is_legacy() {
                        "legacy"
                    } else {
                        "accept"
                    };
                }
            }
        }
    }
    drop(document);
    let locate = |side: Side| {
        let bytes = match side {
            Side::Manifest => manifest,
            Side::Runtime => runtime,
        };
        let any = faults.listed.iter().any(|fault| fault.side() == side);
        any.then(|| Locator::new(bytes))
    };
    let (in_manifest, in_runtime) = (locate(Side::Manifest), locate(Side::Runtime));
    let mismatches = faults
        .listed
        .iter()
        .filter_map(|rejection| {
            let side = rejection.side();
            let locator = match side {
                Side::Manifest => in_manifest.as_ref(),
                Side::Runtime => in_runtime.as_ref(),
            };
            let mut fault = Fault::new(rejection, locator?);
            fault.side = Some(side.as_str());
            Some(fault)
        })
        .collect();
    Verdict {
        verdict,
        plugin,
        mismatches,
    }
}

/// Reads a runtime's bytes as a response where they are one, else as a bare result.
fn read_runtime(bytes: &[u8]) -> Result<RuntimeDocument<'_>, Rejection> {
    if let Ok(document) = RuntimeDocument::json_rpc_response(bytes) {
        let root = document.root();
        if root.get("result").is_some() && root.get("protocol_version").is_none() {
            return Ok(document);
        }
    }
    RuntimeDocument::initialize_result(bytes)
}

fn mismatches(pinned: &PinnedManifest, runtime: &[u8]) -> Faults {
    let mut faults = Faults::default();
    match read_runtime(runtime) {
        Err(rejection) => faults.listed.push(rejection),
        Ok(document) => {
            let _ = document.check(&mut faults.sink());
            if faults.listed.is_empty()
                && let Ok(result) = document.result()
            {
                let _ = pinned.check(&result, &mut faults.sink());
            }
        }
    }
    faults
}
