//! Diagnostics as a SARIF 2.1.0 log, for code scanning.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::Path;

use extgate::{FindingCode, JsonDocument, Reason};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, Notification,
    PhysicalLocation, Region, ReportingConfiguration, ReportingDescriptor, Result as SarifResult,
    ResultLevel, Run, Sarif, Tool, ToolComponent,
};
use sha2::{Digest as _, Sha256};

use crate::diagnostic::{Diagnostic, Severity};
use crate::input;
use crate::json;
use crate::source::Source;
use crate::visible::Visible;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The folder that relative paths are counted from.
const BASE: &str = "%SRCROOT%";
/// The kind and version of the fingerprints: what they are made of does not change within a version.
const FINGERPRINT: &str = "extgate/v1";

/// What one log gathers over a run.
#[derive(Default)]
pub(crate) struct Log {
    results: Vec<SarifResult>,
    unread: Vec<Notification>,
}

impl Log {
    pub(crate) fn extend(&mut self, results: Vec<SarifResult>) {
        self.results.extend(results);
    }

    /// Notes a path that gave nothing, so that a log without results is not taken for a clean one.
    pub(crate) fn unreadable(&mut self, path: &Path, error: &io::Error) {
        let text = format!("{}: {error}", Visible(&input::shown(path)));
        self.unread.push(
            Notification::builder()
                .level(Value::from("error"))
                .message(message(text))
                .locations(vec![physical(&input::shown(path), None)])
                .build(),
        );
    }

    pub(crate) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let driver = ToolComponent::builder()
            .name("extgate")
            .semantic_version(env!("CARGO_PKG_VERSION"))
            .rules(rules())
            .build();
        let invocation = if self.unread.is_empty() {
            Invocation::builder().execution_successful(true).build()
        } else {
            Invocation::builder()
                .execution_successful(false)
                .tool_execution_notifications(self.unread)
                .build()
        };
        let run = Run::builder()
            .tool(Tool::builder().driver(driver).build())
            .invocations(vec![invocation])
            .column_kind(Value::from("unicodeCodePoints"))
            .results(self.results)
            .build();
        let log = Sarif::builder()
            .schema(SCHEMA)
            .version(Value::from("2.1.0"))
            .runs(vec![run])
            .build();
        json::pretty(&log, out)
    }
}

fn message(text: String) -> Message {
    Message::builder().text(text).build()
}

/// The rules, in the order of the library's tables: reasons, then findings.
fn rules() -> Vec<ReportingDescriptor> {
    let reasons = Reason::ALL
        .iter()
        .map(|one| rule(one.as_str(), one.explanation(), one.mend(), "error"));
    let findings = FindingCode::ALL
        .iter()
        .map(|one| rule(one.as_str(), one.explanation(), one.mend(), "warning"));
    reasons.chain(findings).collect()
}

fn rule(id: &str, explanation: &str, mend: &str, level: &str) -> ReportingDescriptor {
    let text = |text: &str| MultiformatMessageString::builder().text(text).build();
    ReportingDescriptor::builder()
        .id(id)
        .short_description(text(explanation))
        .full_description(text(explanation))
        .help(text(&format!("{explanation} {mend}")))
        .default_configuration(
            ReportingConfiguration::builder()
                .level(Value::from(level))
                .build(),
        )
        .build()
}

fn rule_index(code: &str) -> Option<i64> {
    let reasons = Reason::ALL.iter().map(|one| one.as_str());
    let findings = FindingCode::ALL.iter().map(|one| one.as_str());
    let place = reasons.chain(findings).position(|id| id == code)?;
    i64::try_from(place).ok()
}

/// The results of one document's diagnostics.
pub(crate) fn results<'s>(
    diagnostics: &[Diagnostic],
    source: impl Fn(&Diagnostic) -> &'s Source<'s>,
) -> Vec<SarifResult> {
    let mut seen = HashMap::new();
    diagnostics
        .iter()
        .map(|diagnostic| result(diagnostic, source(diagnostic), &mut seen))
        .collect()
}

fn result(
    diagnostic: &Diagnostic,
    source: &Source<'_>,
    seen: &mut HashMap<String, usize>,
) -> SarifResult {
    let level = match diagnostic.severity {
        Severity::Refusal | Severity::Denied => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
    };
    let mut text = diagnostic.message.clone();
    for line in diagnostic.drift.iter().flat_map(|drift| drift.lines()) {
        text.push('\n');
        text.push_str(&line);
    }
    let fingerprint = fingerprint(diagnostic, source);
    let count = seen.entry(fingerprint.clone()).or_default();
    *count += 1;
    let fingerprints = BTreeMap::from([(FINGERPRINT.to_owned(), format!("{fingerprint}:{count}"))]);
    let location = physical(&source.name, Some(region(diagnostic, source)));
    let result = SarifResult::builder()
        .rule_id(diagnostic.code)
        .level(level)
        .message(message(text))
        .locations(vec![location])
        .partial_fingerprints(fingerprints);
    match rule_index(diagnostic.code) {
        Some(index) => result.rule_index(index).build(),
        None => result.build(),
    }
}

fn region(diagnostic: &Diagnostic, source: &Source<'_>) -> Region {
    let location = &diagnostic.location;
    let text = String::from_utf8_lossy(source.raw(location));
    let (lines, last) = match text.rsplit_once('\n') {
        Some((before, last)) => (1 + before.matches('\n').count(), last),
        None => (0, &*text),
    };
    let from = if lines == 0 { location.column } else { 1 };
    let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    Region::builder()
        .start_line(number(location.line))
        .start_column(number(location.column))
        .end_line(number(location.line + lines))
        .end_column(number(from + last.chars().count()))
        .byte_offset(number(location.offset))
        .byte_length(number(location.length))
        .build()
}

fn physical(name: &str, region: Option<Region>) -> Location {
    let uri = uri(name);
    let artifact = if uri.starts_with("file:") {
        ArtifactLocation::builder().uri(uri).build()
    } else {
        ArtifactLocation::builder()
            .uri(uri)
            .uri_base_id(BASE)
            .build()
    };
    let physical = PhysicalLocation::builder().artifact_location(artifact);
    let physical = match region {
        Some(region) => physical.region(region).build(),
        None => physical.build(),
    };
    Location::builder().physical_location(physical).build()
}

/// What stands in a path of a URI as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b'@')
    .remove(b'+')
    .remove(b',')
    .remove(b'=');

/// A path as a URI: relative to the current folder where it is below it, with forward slashes.
fn uri(name: &str) -> String {
    let path = Path::new(name);
    let here = std::env::current_dir().unwrap_or_default();
    let relative = path.strip_prefix(&here).unwrap_or(path);
    let slashed = relative
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/");
    let plain = slashed.strip_prefix("./").unwrap_or(&slashed);
    let encoded = utf8_percent_encode(plain, KEPT).to_string();
    if relative.is_absolute() {
        format!(
            "file://{}{encoded}",
            if encoded.starts_with('/') { "" } else { "/" }
        )
    } else {
        encoded
    }
}

/// From the code and the place by name, so that what is added before it, in lines or in items, changes nothing.
fn fingerprint(diagnostic: &Diagnostic, source: &Source<'_>) -> String {
    const SHOWN_BYTES: usize = 16;
    let mut hasher = Sha256::new();
    for part in [
        diagnostic.code,
        &uri(&source.name),
        &named_pointer(&diagnostic.location.pointer, source.bytes),
    ] {
        hasher.update(part);
        hasher.update([0]);
    }
    let digest = hasher.finalize();
    digest
        .iter()
        .take(SHOWN_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A pointer in which an item of a list is named by its name, as far as the document can be read.
fn named_pointer(pointer: &str, bytes: &[u8]) -> String {
    let Ok(document) = JsonDocument::new(bytes) else {
        return pointer.to_owned();
    };
    let mut value = Some(document.root());
    let mut named = String::new();
    for token in pointer.split('/').skip(1) {
        named.push('/');
        let inner = value.and_then(|value| {
            if value.is_object() {
                value.get(&token.replace("~1", "/").replace("~0", "~"))
            } else {
                value.items().nth(token.parse().ok()?)
            }
        });
        let name = inner
            .filter(|_| value.is_some_and(|value| !value.is_object()))
            .and_then(|item| {
                ["name", "id", "key", "hook"]
                    .into_iter()
                    .find_map(|member| item.get(member)?.as_str())
                    .or_else(|| item.as_str())
            });
        match name {
            Some(name) => named.push_str(&format!("[{name}]")),
            None => named.push_str(token),
        }
        value = inner;
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        let here = std::env::current_dir().expect("a folder");
        for (path, expected) in [
            ("a/plugin.json", "a/plugin.json"),
            ("./a/plugin.json", "a/plugin.json"),
            ("../a b/p%.json", "../a%20b/p%25.json"),
            ("naïve.json", "na%C3%AFve.json"),
            (&*here.join("x/y.json").to_string_lossy(), "x/y.json"),
            ("<stdin>", "%3Cstdin%3E"),
        ] {
            assert_eq!(uri(path), expected, "{path}");
        }
        if cfg!(unix) {
            assert_eq!(uri("/elsewhere/x.json"), "file:///elsewhere/x.json");
        }
    }

    #[test]
    fn fingerprints_name_items() {
        let bytes = br#"{"tools":[{"name":"a"},{"name":"b","x":[5,"y"]}]}"#;
        assert_eq!(named_pointer("/tools/1/x/1", bytes), "/tools/[b]/x/[y]");
        assert_eq!(named_pointer("/tools/1/x/0", bytes), "/tools/[b]/x/0");
        assert_eq!(named_pointer("/tools/7/x", bytes), "/tools/7/x");
        assert_eq!(named_pointer("/tools/0", b"{"), "/tools/0");
    }
}
