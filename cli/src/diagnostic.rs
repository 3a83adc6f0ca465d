//! One thing that is said of a document: a fault that refuses it, or a finding. Every format prints these.

use std::ops::ControlFlow::{self, Continue};

use extgate::{Finding, Location, Rejection, Side};
use serde::Serialize;

use crate::args::Judging;
use crate::drift::Drift;
use crate::message::{self, Told};
use crate::source::Source;

/// Faults of one document that are listed; the rest is counted.
pub(crate) const MOST_FAULTS: usize = 1_000;

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    /// A fault: the document is refused for it.
    Refusal,
    /// A finding that the caller denied: the document is refused for it too.
    Denied,
    /// A finding.
    Warning,
}

#[derive(Debug, Clone)]
pub(crate) struct Diagnostic {
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    pub(crate) side: Side,
    pub(crate) location: Location,
    /// What exactly was found, on one line, without hidden characters.
    pub(crate) message: String,
    /// More for people.
    pub(crate) notes: Vec<String>,
    /// How to mend it.
    pub(crate) help: &'static str,
    /// Where two values differ, if that is what is wrong.
    pub(crate) drift: Option<Drift>,
}

impl Diagnostic {
    pub(crate) fn of_rejection(rejection: &Rejection, source: &Source<'_>) -> Self {
        let location = source.locate(rejection);
        let Told { message, notes } = message::of_rejection(rejection, &location, source);
        Self {
            code: rejection.reason().as_str(),
            severity: Severity::Refusal,
            side: rejection.side(),
            location,
            message,
            notes,
            help: rejection.reason().mend(),
            drift: None,
        }
    }

    /// `manifest` is the document of the other place that a finding may name.
    pub(crate) fn of_finding(
        finding: &Finding,
        source: &Source<'_>,
        manifest: &Source<'_>,
        plugin: &str,
        judging: &Judging,
    ) -> Self {
        let location = source.place(finding.place());
        let other = |place| {
            let location = manifest.place(place);
            let text = manifest.string(&location).unwrap_or_default();
            crate::visible::quoted(&text)
        };
        let Told { message, notes } =
            message::of_finding(finding, &location, source, plugin, other);
        Self {
            code: finding.code().as_str(),
            severity: if judging.denies(finding.code()) {
                Severity::Denied
            } else {
                Severity::Warning
            },
            side: finding.side(),
            location,
            message,
            notes,
            help: finding.code().mend(),
            drift: None,
        }
    }

    pub(crate) fn refuses(&self) -> bool {
        self.severity != Severity::Warning
    }
}

/// The faults of one document, as far as they are listed.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) listed: Vec<Rejection>,
    /// How many there are beyond.
    pub(crate) omitted: usize,
}

impl Faults {
    /// A sink for [`extgate::Document::check`] and its like.
    pub(crate) fn sink(&mut self) -> impl FnMut(Rejection) -> ControlFlow<()> + '_ {
        |rejection| {
            if self.listed.len() < MOST_FAULTS {
                self.listed.push(rejection);
            } else {
                self.omitted += 1;
            }
            Continue(())
        }
    }

    /// The faults of a document whose reading ended at one.
    pub(crate) fn only(rejection: Rejection) -> Self {
        Self {
            listed: vec![rejection],
            omitted: 0,
        }
    }
}

/// A fault, in the words of the specification.
#[derive(Debug, Serialize)]
pub(crate) struct FaultJson<'d> {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    #[serde(flatten)]
    place: PlaceJson<'d>,
    message: &'d str,
    #[serde(flatten)]
    drift: Option<&'d Drift>,
}

/// A finding, in the words of the specification.
#[derive(Debug, Serialize)]
pub(crate) struct FindingJson<'d> {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    #[serde(flatten)]
    place: PlaceJson<'d>,
    message: &'d str,
    denied: bool,
}

#[derive(Debug, Serialize)]
struct PlaceJson<'d> {
    pointer: &'d str,
    offset: usize,
    length: usize,
    line: usize,
    column: usize,
}

impl<'d> PlaceJson<'d> {
    fn of(location: &'d Location) -> Self {
        Self {
            pointer: &location.pointer,
            offset: location.offset,
            length: location.length,
            line: location.line,
            column: location.column,
        }
    }
}

/// Whether a command judges one document, or holds one to another and says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sides {
    One,
    Two,
}

impl Sides {
    fn of(self, diagnostic: &Diagnostic) -> Option<&'static str> {
        (self == Self::Two).then(|| diagnostic.side.as_str())
    }
}

/// What refuses a document, and what was found in it.
pub(crate) fn as_json(
    diagnostics: &[Diagnostic],
    sides: Sides,
) -> (Vec<FaultJson<'_>>, Vec<FindingJson<'_>>) {
    let faults = diagnostics
        .iter()
        .filter(|one| one.refuses())
        .map(|one| FaultJson {
            reason: one.code,
            side: sides.of(one),
            place: PlaceJson::of(&one.location),
            message: &one.message,
            drift: one.drift.as_ref(),
        })
        .collect();
    let findings = diagnostics
        .iter()
        .filter(|one| one.severity != Severity::Refusal)
        .map(|one| FindingJson {
            code: one.code,
            side: sides.of(one),
            place: PlaceJson::of(&one.location),
            message: &one.message,
            denied: one.severity == Severity::Denied,
        })
        .collect();
    (faults, findings)
}
