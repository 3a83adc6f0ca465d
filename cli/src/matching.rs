//! `extgate match`

use std::io::{self, Write};

use extgate::limits::{DOCUMENT_MAX_BYTES, INITIALIZE_RESULT_MAX_BYTES};
use extgate::{
    Document, Field, Finding, InitializeResult, Json, Place, Reason, Rejection, RuntimeDocument,
    Side, Step, ValidManifest,
};
use serde::Serialize;

use crate::args::{Format, Judging, Match};
use crate::check::{faults_of, is_zero, plugin_id};
use crate::diagnostic::{Diagnostic, FaultJson, Faults, FindingJson, Sides, as_json};
use crate::drift::{Drift, on_one_line, same_text};
use crate::human::Human;
use crate::source::Source;
use crate::visible::{Visible, counted, quoted};
use crate::{ACCEPTED, REFUSED, UNREADABLE, input, json, sarif, unreadable};

#[derive(Debug, Serialize)]
struct VerdictJson<'v> {
    verdict: &'static str,
    plugin: &'v str,
    mismatches: Vec<FaultJson<'v>>,
    findings: Vec<FindingJson<'v>>,
    #[serde(skip_serializing_if = "is_zero")]
    more_mismatches: usize,
    #[serde(skip_serializing_if = "is_zero")]
    more_findings: usize,
}

/// What is said of a runtime beside its manifest.
#[derive(Debug)]
struct Verdict {
    /// What holds unless a diagnostic refuses.
    otherwise: &'static str,
    plugin: String,
    diagnostics: Vec<Diagnostic>,
    more_mismatches: usize,
    more_findings: usize,
}

pub(crate) fn run(args: &Match, human: &Human, out: &mut dyn Write) -> io::Result<u8> {
    let judging = &args.judging;
    let mut log = sarif::Log::default();
    let mut unread = false;
    let mut read = |path, bound| {
        input::read(path, bound)
            .inspect_err(|error| {
                unreadable(path, error);
                log.unreadable(path, error);
                unread = true;
            })
            .unwrap_or_default()
    };
    let manifest = read(&args.manifest, DOCUMENT_MAX_BYTES);
    let runtime = read(&args.runtime, INITIALIZE_RESULT_MAX_BYTES);
    if unread {
        if judging.format == Format::Sarif {
            log.write(out)?;
        }
        return Ok(UNREADABLE);
    }
    let sources = Sources {
        manifest: Source::new(input::shown(&args.manifest), &manifest),
        runtime: Source::new(input::shown(&args.runtime), &runtime),
    };
    let verdict = Verdict::of(&sources, judging);
    match judging.format {
        Format::Json => json::line(&verdict.as_json(), out)?,
        Format::Sarif => {
            log.extend(sarif::results(&verdict.diagnostics, |one| {
                sources.of(one.side)
            }));
            log.write(out)?;
        }
        Format::Human => verdict.print(&sources, human, judging.quiet, out)?,
    }
    Ok(if verdict.refuses() { REFUSED } else { ACCEPTED })
}

/// The two documents of a match.
struct Sources<'b> {
    manifest: Source<'b>,
    runtime: Source<'b>,
}

impl<'b> Sources<'b> {
    fn of(&self, side: Side) -> &Source<'b> {
        match side {
            Side::Manifest => &self.manifest,
            Side::Runtime => &self.runtime,
        }
    }

    fn diagnostic(&self, rejection: &Rejection) -> Diagnostic {
        Diagnostic::of_rejection(rejection, self.of(rejection.side()))
    }
}

impl Verdict {
    fn of(sources: &Sources<'_>, judging: &Judging) -> Self {
        let document = Document::plugin(sources.manifest.bytes);
        let mut verdict = Self {
            otherwise: "none",
            plugin: plugin_id(judging, document.as_ref().ok()),
            diagnostics: Vec::new(),
            more_mismatches: 0,
            more_findings: 0,
        };
        let faults = faults_of(&document);
        if !faults.listed.is_empty() {
            verdict.list(&faults, |rejection| sources.diagnostic(rejection));
            return verdict;
        }
        let valid = document
            .as_ref()
            .ok()
            .and_then(|document| document.extension().ok().flatten())
            .and_then(|manifest| manifest.validate().ok());
        if let Some(valid) = valid {
            verdict.hold(&valid, sources, judging);
        }
        verdict
    }

    fn list(&mut self, faults: &Faults, diagnose: impl Fn(&Rejection) -> Diagnostic) {
        self.diagnostics.extend(faults.listed.iter().map(diagnose));
        self.more_mismatches += faults.omitted;
    }

    /// Holds what a runtime sent to a manifest that is accepted.
    fn hold(&mut self, valid: &ValidManifest<'_>, sources: &Sources<'_>, judging: &Judging) {
        let pinned = valid.pin(&self.plugin);
        self.otherwise = if pinned.is_legacy() {
            "legacy"
        } else {
            "accept"
        };
        let document = match read_runtime(sources.runtime.bytes) {
            Ok(document) => document,
            Err(rejection) => {
                self.diagnostics.push(sources.diagnostic(&rejection));
                return;
            }
        };
        let mut faults = Faults::default();
        let _ = document.check(&mut faults.sink());
        let result = match document.result() {
            Ok(result) if faults.listed.is_empty() => result,
            _ => {
                self.list(&faults, |rejection| sources.diagnostic(rejection));
                return;
            }
        };
        let _ = pinned.check(&result, &mut faults.sink());
        let both = Both {
            valid,
            result: &result,
        };
        self.list(&faults, |rejection| {
            both.explained(rejection, sources.diagnostic(rejection))
        });
        let findings = document.findings(valid, &same_text);
        self.more_findings = findings.omitted();
        let found = findings.map(|finding: Finding| {
            let source = sources.of(finding.side());
            Diagnostic::of_finding(&finding, source, &sources.manifest, &self.plugin, judging)
        });
        let found: Vec<Diagnostic> = found.collect();
        self.diagnostics.extend(found);
    }

    fn refuses(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::refuses)
    }

    fn as_json(&self) -> VerdictJson<'_> {
        let (mismatches, findings) = as_json(&self.diagnostics, Sides::Two);
        VerdictJson {
            verdict: if self.refuses() {
                "reject"
            } else {
                self.otherwise
            },
            plugin: &self.plugin,
            mismatches,
            findings,
            more_mismatches: self.more_mismatches,
            more_findings: self.more_findings,
        }
    }

    fn print(
        &self,
        sources: &Sources<'_>,
        human: &Human,
        quiet: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for diagnostic in &self.diagnostics {
            if diagnostic.refuses() || !quiet {
                human.diagnostic(diagnostic, sources.of(diagnostic.side), out)?;
            }
        }
        human.omitted(self.more_mismatches, self.more_findings, quiet, out)?;
        if quiet && !self.refuses() {
            return Ok(());
        }
        let (refusing, warning): (Vec<_>, Vec<_>) =
            self.diagnostics.iter().partition(|one| one.refuses());
        write!(out, "{}: ", Visible(&sources.runtime.name))?;
        match self.otherwise {
            _ if self.refuses() => write!(
                out,
                "refused, {}",
                counted(self.more_mismatches + refusing.len(), "error")
            )?,
            "accept" => write!(out, "admitted, it registers exactly what is declared")?,
            "legacy" => write!(out, "admitted, the manifest declares nothing to match")?,
            _ => write!(out, "not matched, the manifest is no extension's")?,
        }
        let warnings = self.more_findings + warning.len();
        if warnings > 0 {
            write!(out, ", {}", counted(warnings, "warning"))?;
        }
        writeln!(out)
    }
}

/// Reads a runtime's bytes as a response where they are one, else as a bare result.
pub(crate) fn read_runtime(bytes: &[u8]) -> Result<RuntimeDocument<'_>, Rejection> {
    if let Ok(document) = RuntimeDocument::json_rpc_response(bytes) {
        let root = document.root();
        if root.get("result").is_some() && root.get("protocol_version").is_none() {
            return Ok(document);
        }
    }
    RuntimeDocument::initialize_result(bytes)
}

/// What was declared and what was registered, to explain a mismatch by.
struct Both<'a, 'd> {
    valid: &'a ValidManifest<'d>,
    result: &'a InitializeResult<'a>,
}

impl Both<'_, '_> {
    /// Says of a mismatch what differs.
    fn explained(&self, rejection: &Rejection, mut diagnostic: Diagnostic) -> Diagnostic {
        let Place::Value(path) = rejection.place() else {
            return diagnostic;
        };
        if let Some(message) = self.counts(rejection.reason(), path.steps()) {
            diagnostic.message = message;
        }
        if let Some((name, drift)) = self.drift(rejection.reason(), path.steps()) {
            let field = path.steps().last().map(|step| match step {
                Step::Field(field) => field.as_str(),
                _ => "",
            });
            diagnostic.message = format!(
                "`{}` of {} differs from what is declared, in {}",
                field.unwrap_or_default(),
                quoted(&name),
                drift.count()
            );
            diagnostic.drift = Some(drift);
        }
        diagnostic
    }

    fn counts(&self, reason: Reason, steps: &[Step]) -> Option<String> {
        let block = self.valid.manifest().deferred()?;
        let (declared, registered, noun) = match reason {
            Reason::DeclaredAndRegisteredToolCountsDiffer => {
                (block.tools().len(), self.result.tools().len(), "tool")
            }
            Reason::DeclaredAndRegisteredProviderCountsDiffer => (
                block.providers().len(),
                self.result.providers().len(),
                "provider",
            ),
            Reason::RegisteredProviderModelCountsDiffer => {
                let [.., Step::Index(index), Step::Field(Field::Models)] = steps else {
                    return None;
                };
                let live = at(self.result.providers(), *index)?;
                let promised = block.providers().iter().find(|one| one.id() == live.id())?;
                (promised.models().count(), live.models().count(), "model")
            }
            _ => return None,
        };
        Some(format!(
            "{} registered, {declared} declared",
            counted(registered, noun)
        ))
    }

    /// The name of the item that drifted, and how.
    fn drift(&self, reason: Reason, steps: &[Step]) -> Option<(String, Drift)> {
        let block = self.valid.manifest().deferred()?;
        match (reason, steps) {
            (
                Reason::RegisteredToolSchemaDigestMismatch
                | Reason::RegisteredToolDescriptionMismatch,
                [.., Step::Index(index), Step::Field(_)],
            ) => {
                let live = at(self.result.tools(), *index)?;
                let promised = block.tools().iter().find(|one| one.name() == live.name())?;
                let drift = if reason == Reason::RegisteredToolDescriptionMismatch {
                    Drift::of_texts(promised.description(), live.description())
                } else {
                    Drift::between(promised.input_schema(), live.input_schema())
                };
                Some((live.name().to_owned(), drift))
            }
            (
                Reason::RegisteredProviderDisplayNameMismatch
                | Reason::RegisteredProviderDescriptionMismatch
                | Reason::RegisteredProviderConfigSchemaMismatch,
                [.., Step::Index(index), Step::Field(_)],
            ) => {
                let live = at(self.result.providers(), *index)?;
                let promised = block.providers().iter().find(|one| one.id() == live.id())?;
                let drift = match reason {
                    Reason::RegisteredProviderDisplayNameMismatch => {
                        Drift::of_texts(promised.display_name(), live.display_name())
                    }
                    Reason::RegisteredProviderDescriptionMismatch => {
                        Drift::of_texts(promised.description(), live.description())
                    }
                    _ => between(promised.config_schema(), live.config_schema()),
                };
                Some((live.id().to_owned(), drift))
            }
            (
                Reason::RegisteredProviderModelDisplayNameMismatch
                | Reason::RegisteredProviderModelContextWindowMismatch
                | Reason::RegisteredProviderModelCapabilitiesMismatch,
                [
                    ..,
                    Step::Index(provider),
                    Step::Field(Field::Models),
                    Step::Index(index),
                    Step::Field(_),
                ],
            ) => {
                let live = at(self.result.providers(), *provider)?;
                let promised = block.providers().iter().find(|one| one.id() == live.id())?;
                let live = live.models().nth(usize::try_from(*index).ok()?)?;
                let promised = promised.models().find(|one| one.id() == live.id())?;
                let drift = match reason {
                    Reason::RegisteredProviderModelCapabilitiesMismatch => {
                        between(promised.capabilities(), live.capabilities())
                    }
                    Reason::RegisteredProviderModelContextWindowMismatch => Drift::of_values(
                        promised.context_window().map(|number| number.to_string()),
                        live.context_window().map(|number| number.to_string()),
                    ),
                    _ => match (promised.display_name(), live.display_name()) {
                        (Some(promised), Some(live)) => Drift::of_texts(promised, live),
                        (promised, live) => {
                            Drift::of_values(promised.map(quoted), live.map(quoted))
                        }
                    },
                };
                Some((live.id().to_owned(), drift))
            }
            _ => None,
        }
    }
}

fn at<T>(items: &[T], index: u32) -> Option<&T> {
    items.get(usize::try_from(index).ok()?)
}

fn between(declared: Option<Json<'_>>, registered: Option<Json<'_>>) -> Drift {
    match (declared, registered) {
        (Some(declared), Some(registered)) => Drift::between(declared, registered),
        (declared, registered) => {
            Drift::of_values(declared.map(on_one_line), registered.map(on_one_line))
        }
    }
}
