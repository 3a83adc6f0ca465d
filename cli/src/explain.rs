//! `extgate explain`

use std::io::{self, Write};

use extgate::limits::Limit;
use extgate::{Category, FindingCode, Reason};
use serde::Serialize;

use crate::args::{Explain, PlainFormat};
use crate::human::wrap;
use crate::message::nearest;
use crate::visible::{grouped, quoted};
use crate::{ACCEPTED, UNREADABLE, complain, json};

/// What is known of a code.
#[derive(Debug, Clone, Serialize)]
struct Explained {
    code: &'static str,
    /// `reason` or `finding`.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    explanation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    mend: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct Bound {
    name: &'static str,
    value: usize,
    unit: &'static str,
    bounds: &'static str,
    origin: &'static str,
}

impl From<&'static Limit> for Bound {
    fn from(limit: &'static Limit) -> Self {
        Self {
            name: limit.name,
            value: limit.value,
            unit: limit.unit.as_str(),
            bounds: limit.bounds,
            origin: limit.origin,
        }
    }
}

fn all() -> impl Iterator<Item = Explained> {
    let reasons = Reason::ALL.iter().map(|reason| Explained {
        code: reason.as_str(),
        kind: "reason",
        category: Some(reason.category().as_str()),
        explanation: reason.explanation(),
        bound: reason.limit().map(Bound::from),
        mend: reason.mend(),
    });
    let findings = FindingCode::ALL.iter().map(|finding| Explained {
        code: finding.as_str(),
        kind: "finding",
        category: None,
        explanation: finding.explanation(),
        bound: finding.limit().map(Bound::from),
        mend: finding.mend(),
    });
    reasons.chain(findings)
}

pub(crate) fn run(args: &Explain, out: &mut dyn Write) -> io::Result<u8> {
    let mut status = ACCEPTED;
    let mut asked = Vec::new();
    for code in &args.codes {
        match all().find(|one| one.code == code) {
            Some(one) => asked.push(one),
            None => {
                let known: Vec<&str> = all().map(|one| one.code).collect();
                let near = nearest(code, known.into_iter());
                let near = near.map(|near| format!(", did you mean `{near}`?"));
                complain(&format!(
                    "{} is no reason and no finding{}",
                    quoted(code),
                    near.unwrap_or_else(|| "; `extgate explain` lists them".to_owned())
                ));
                status = UNREADABLE;
            }
        }
    }
    match (args.format, args.codes.is_empty()) {
        (PlainFormat::Json, true) => {
            for one in all() {
                json::line(&one, out)?;
            }
        }
        (PlainFormat::Json, false) => {
            for one in &asked {
                json::line(one, out)?;
            }
        }
        (PlainFormat::Human, true) => list(out)?,
        (PlainFormat::Human, false) => {
            for (place, one) in asked.iter().enumerate() {
                if place > 0 {
                    writeln!(out)?;
                }
                one.print(out)?;
            }
        }
    }
    Ok(status)
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    let mut heading = "";
    for one in all() {
        let group = one.category.map_or("", |_| one.kind);
        let title = match (one.category, group) {
            (Some(category), _) => about(category),
            (None, _) => "Findings: said, not refused, unless denied by --deny",
        };
        if title != heading {
            let space = if heading.is_empty() { "" } else { "\n" };
            writeln!(out, "{space}{title}\n")?;
            heading = title;
        }
        writeln!(out, "  {}", one.code)?;
        for line in wrap(one.explanation, 72).lines() {
            writeln!(out, "      {line}")?;
        }
    }
    Ok(())
}

/// What the reasons of a category are about.
fn about(category: &str) -> &'static str {
    let known = [
        (Category::Bytes, "Reasons: bytes to JSON"),
        (
            Category::Shape,
            "Reasons: the shape of the extension block and of an initialize result",
        ),
        (
            Category::LegacyAlias,
            "Reasons: the legacy alias of the deferred block",
        ),
        (Category::Deferred, "Reasons: the deferred block"),
        (Category::Manifest, "Reasons: the manifest as a whole"),
        (Category::Runtime, "Reasons: what a runtime registered"),
    ];
    known
        .iter()
        .find(|(known, _)| known.as_str() == category)
        .map_or("Reasons", |(_, title)| title)
}

impl Explained {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let of = match self.category {
            Some(category) => format!("a reason of category {category}: it refuses"),
            None => "a finding: it refuses nothing, unless it is denied".to_owned(),
        };
        writeln!(out, "{}\n  {of}\n", self.code)?;
        paragraph(self.explanation, out)?;
        if let Some(bound) = &self.bound {
            let text = format!(
                "The bound: {}, {} {} ({}; {}).",
                bound.name,
                grouped(bound.value),
                bound.unit,
                bound.bounds,
                bound.origin
            );
            writeln!(out)?;
            paragraph(&text, out)?;
        }
        writeln!(out)?;
        paragraph(&format!("To mend it: {}", self.mend), out)
    }
}

fn paragraph(text: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in wrap(text, 76).lines() {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}
