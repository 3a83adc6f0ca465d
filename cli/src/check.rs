//! `extgate check`

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};

use extgate::{Document, Rejection, ValidManifest};
use rayon::prelude::*;
use serde::Serialize;
use serde_sarif::sarif::Result as SarifResult;

use crate::args::{Check, Format, Judging};
use crate::diagnostic::{Diagnostic, FaultJson, Faults, FindingJson, Sides, as_json};
use crate::human::Human;
use crate::source::Source;
use crate::visible::{Visible, counted};
use crate::{ACCEPTED, REFUSED, UNREADABLE, input, json, sarif, unreadable};

/// Inputs that are judged before what is said of them is printed.
const BATCH: usize = 256;
/// Batches that the search may be ahead.
const BATCHES_AHEAD: usize = 4;

/// The line of JSON that the specification gives for one input.
#[derive(Debug, Serialize)]
struct VerdictJson<'v> {
    path: &'v str,
    plugin: &'v str,
    verdict: &'static str,
    class: Option<&'static str>,
    trigger: Option<&'static str>,
    tools: &'v [Tool],
    context_providers: &'v [String],
    rejections: Vec<FaultJson<'v>>,
    findings: Vec<FindingJson<'v>>,
    #[serde(skip_serializing_if = "is_zero")]
    more_rejections: usize,
    #[serde(skip_serializing_if = "is_zero")]
    more_findings: usize,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Debug, Serialize)]
struct Tool {
    identity: String,
    runtime_name: String,
    catalog_id: String,
    digest: String,
}

/// What is said of one manifest.
#[derive(Debug)]
struct Verdict {
    plugin: String,
    extension: bool,
    class: Option<&'static str>,
    trigger: Option<&'static str>,
    tools: Vec<Tool>,
    context_providers: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    more_rejections: usize,
    more_findings: usize,
}

/// What one input gave: text to print in its turn, and numbers.
struct Judged {
    read: Result<(), (PathBuf, io::Error)>,
    text: Vec<u8>,
    results: Vec<SarifResult>,
    tally: Tally,
}

/// The numbers of a run.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    none: usize,
    errors: usize,
    warnings: usize,
    unread: usize,
}

pub(crate) fn run(args: &Check, human: &Human, out: &mut dyn Write) -> io::Result<u8> {
    let judging = &args.judging;
    let mut tally = Tally::default();
    let mut log = sarif::Log::default();
    // Folders are searched while what was found is judged.
    std::thread::scope(|scope| -> io::Result<()> {
        let (send, receive) = sync_channel(BATCHES_AHEAD);
        scope.spawn(move || search(&args.paths, &send));
        for batch in receive {
            let judged: Vec<io::Result<Judged>> = batch
                .into_par_iter()
                .map(|found| judge(found, judging, human))
                .collect();
            for judged in judged {
                let judged = judged?;
                out.write_all(&judged.text)?;
                log.extend(judged.results);
                tally.add(judged.tally);
                if let Err((path, error)) = &judged.read {
                    // What was said before stands before it where both go to one terminal.
                    out.flush()?;
                    unreadable(path, error);
                    log.unreadable(path, error);
                }
            }
        }
        Ok(())
    })?;
    match judging.format {
        Format::Sarif => log.write(out)?,
        Format::Human if !judging.quiet && tally.inputs() > 1 => tally.print(out)?,
        Format::Human | Format::Json => {}
    }
    Ok(tally.status())
}

/// Sends what is found in batches, until nobody takes them any more.
fn search(paths: &[PathBuf], send: &SyncSender<Vec<input::Found>>) {
    let mut batch = Vec::new();
    let mut take = |found| {
        batch.push(found);
        if batch.len() == BATCH && send.send(std::mem::take(&mut batch)).is_err() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let flow = paths
        .iter()
        .try_for_each(|path| input::manifests(path, &mut take));
    if flow.is_continue() && !batch.is_empty() {
        // There is nothing left to stop.
        let _ = send.send(batch);
    }
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.none += other.none;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.unread += other.unread;
    }

    fn inputs(&self) -> usize {
        self.accepted + self.refused + self.none + self.unread
    }

    fn status(&self) -> u8 {
        if self.unread > 0 {
            UNREADABLE
        } else if self.refused > 0 {
            REFUSED
        } else {
            ACCEPTED
        }
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "{}: {} accepted, {} refused, {} no extension",
            counted(self.inputs(), "input"),
            self.accepted,
            self.refused,
            self.none
        )?;
        if self.unread > 0 {
            write!(out, ", {} not read", self.unread)?;
        }
        writeln!(
            out,
            "; {}, {}",
            counted(self.errors, "error"),
            counted(self.warnings, "warning")
        )
    }
}

fn judge(found: input::Found, judging: &Judging, human: &Human) -> io::Result<Judged> {
    let read =
        found.and_then(
            |path| match input::read(&path, extgate::limits::DOCUMENT_MAX_BYTES) {
                Ok(bytes) => Ok((path, bytes)),
                Err(error) => Err((path, error)),
            },
        );
    let (path, bytes) = match read {
        Ok(read) => read,
        Err(error) => {
            return Ok(Judged {
                read: Err(error),
                text: Vec::new(),
                results: Vec::new(),
                tally: Tally {
                    unread: 1,
                    ..Tally::default()
                },
            });
        }
    };
    judge_bytes(&path, &bytes, judging, human)
}

fn judge_bytes(path: &Path, bytes: &[u8], judging: &Judging, human: &Human) -> io::Result<Judged> {
    let source = Source::new(input::shown(path), bytes);
    let verdict = Verdict::of(&source, judging);
    let mut text = Vec::new();
    let mut results = Vec::new();
    match judging.format {
        Format::Json => json::line(&verdict.as_json(&source.name), &mut text)?,
        Format::Sarif => results = sarif::results(&verdict.diagnostics, |_| &source),
        Format::Human => verdict.print(&source, human, judging.quiet, &mut text)?,
    }
    Ok(Judged {
        read: Ok(()),
        text,
        results,
        tally: verdict.tally(),
    })
}

/// The plugin's id: as given, else the document's name, else `plugin`.
pub(crate) fn plugin_id(judging: &Judging, document: Option<&Document<'_>>) -> String {
    judging
        .plugin_id
        .clone()
        .or_else(|| document?.name().map(|name| name.into_owned()))
        .unwrap_or_else(|| "plugin".to_owned())
}

/// Every fault of a document.
pub(crate) fn faults_of(document: &Result<Document<'_>, Rejection>) -> Faults {
    match document {
        Ok(document) => {
            let mut faults = Faults::default();
            let _ = document.check(&mut faults.sink());
            faults
        }
        Err(rejection) => Faults::only(*rejection),
    }
}

impl Verdict {
    fn of(source: &Source<'_>, judging: &Judging) -> Self {
        let document = Document::plugin(source.bytes);
        let mut verdict = Self {
            plugin: plugin_id(judging, document.as_ref().ok()),
            extension: false,
            class: None,
            trigger: None,
            tools: Vec::new(),
            context_providers: Vec::new(),
            diagnostics: Vec::new(),
            more_rejections: 0,
            more_findings: 0,
        };
        let faults = faults_of(&document);
        if !faults.listed.is_empty() {
            drop(document);
            verdict.diagnostics = faults
                .listed
                .iter()
                .map(|rejection| Diagnostic::of_rejection(rejection, source))
                .collect();
            verdict.more_rejections = faults.omitted;
            return verdict;
        }
        let Ok(document) = &document else {
            return verdict;
        };
        let findings = document.findings(&verdict.plugin);
        verdict.more_findings = findings.omitted();
        verdict.diagnostics = findings
            .map(|finding| {
                Diagnostic::of_finding(&finding, source, source, &verdict.plugin, judging)
            })
            .collect();
        let manifest = document.extension().ok().flatten();
        verdict.extension = manifest.is_some();
        if !verdict.refuses()
            && let Some(valid) = manifest.and_then(|manifest| manifest.validate().ok())
        {
            verdict.accept(&valid);
        }
        verdict
    }

    fn refuses(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::refuses)
    }

    fn word(&self) -> &'static str {
        if self.refuses() {
            "reject"
        } else if self.extension {
            "accept"
        } else {
            "none"
        }
    }

    fn accept(&mut self, valid: &ValidManifest<'_>) {
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

    fn as_json<'v>(&'v self, path: &'v str) -> VerdictJson<'v> {
        let (rejections, findings) = as_json(&self.diagnostics, Sides::One);
        VerdictJson {
            path,
            plugin: &self.plugin,
            verdict: self.word(),
            class: self.class,
            trigger: self.trigger,
            tools: &self.tools,
            context_providers: &self.context_providers,
            rejections,
            findings,
            more_rejections: self.more_rejections,
            more_findings: self.more_findings,
        }
    }

    fn errors(&self) -> usize {
        self.more_rejections + self.diagnostics.iter().filter(|one| one.refuses()).count()
    }

    fn warnings(&self) -> usize {
        self.more_findings + self.diagnostics.iter().filter(|one| !one.refuses()).count()
    }

    fn tally(&self) -> Tally {
        let count = |word: &str| usize::from(self.word() == word);
        Tally {
            accepted: count("accept"),
            refused: count("reject"),
            none: count("none"),
            errors: self.errors(),
            warnings: self.warnings(),
            unread: 0,
        }
    }

    fn print(
        &self,
        source: &Source<'_>,
        human: &Human,
        quiet: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for diagnostic in &self.diagnostics {
            if diagnostic.refuses() || !quiet {
                human.diagnostic(diagnostic, source, out)?;
            }
        }
        human.omitted(self.more_rejections, self.more_findings, quiet, out)?;
        if quiet && !self.refuses() {
            return Ok(());
        }
        write!(out, "{}: ", Visible(&source.name))?;
        match (self.class, self.trigger) {
            _ if self.refuses() => {
                write!(out, "refused, {}", counted(self.errors(), "error"))?;
            }
            (Some(class), Some(trigger)) => {
                write!(out, "accepted, {class}, {trigger}")?;
                if !self.tools.is_empty() {
                    write!(out, ", {}", counted(self.tools.len(), "tool"))?;
                }
            }
            _ => write!(out, "no extension")?,
        }
        if self.warnings() > 0 {
            write!(out, ", {}", counted(self.warnings(), "warning"))?;
        }
        writeln!(out)
    }
}
