//! What is printed, as it is specified for machines, and for people.

use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::Path;

use extgate::{Locator, Rejection};
use serde::Serialize;

use crate::visible::{Visible, is_hidden};

/// Faults of one document that are listed; the count of what lies beyond is said.
pub(crate) const MOST_FAULTS: usize = 1_000;

/// The faults of one document, as far as they are listed.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) listed: Vec<Rejection>,
}

impl Faults {
    /// A sink for [`extgate::Document::check`] and its like.
    pub(crate) fn sink(&mut self) -> impl FnMut(Rejection) -> ControlFlow<()> + '_ {
        |rejection| {
            if self.listed.len() == MOST_FAULTS {
                return Break(());
            }
            self.listed.push(rejection);
            Continue(())
        }
    }
}

/// A rejection with its place, in the words of the specification.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    pub(crate) reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) side: Option<&'static str>,
    pub(crate) pointer: String,
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(rejection: &Rejection, locator: &Locator<'_>) -> Self {
        let location = locator.locate(rejection);
        Self {
            reason: rejection.reason().as_str(),
            side: None,
            pointer: location.pointer,
            offset: location.offset,
            length: location.length,
            line: location.line,
            column: location.column,
            message: rejection.to_string(),
        }
    }

    /// One fault for people: where, what, how to mend it.
    pub(crate) fn print(&self, path: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "  {}:{}:{}: {} at {}",
            Visible(path),
            self.line,
            self.column,
            self.reason,
            if self.pointer.is_empty() {
                "the document".into()
            } else {
                Visible(&self.pointer).to_string()
            }
        )?;
        writeln!(out, "    {}", self.message)?;
        if let Ok(reason) = self.reason.parse::<extgate::Reason>() {
            writeln!(out, "    {}", reason.mend())?;
        }
        Ok(())
    }
}

/// A path for output: standard input by its own name.
pub(crate) fn shown(path: &Path) -> String {
    if crate::input::is_stdin(path) {
        "<stdin>".into()
    } else {
        path.to_string_lossy().into_owned()
    }
}

/// Prints one JSON object as a line, in which nothing can change a terminal or pass for a line's end.
pub(crate) fn json_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(
        &mut *out,
        VisibleJson,
    ))?;
    out.write_all(b"\n")
}

/// Compact JSON with hidden characters as escapes.
struct VisibleJson;

impl serde_json::ser::Formatter for VisibleJson {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, one)) = rest.char_indices().find(|(_, one)| is_hidden(*one)) {
            let (before, behind) = rest.split_at(at);
            writer.write_all(before.as_bytes())?;
            for unit in one.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &behind[one.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Says on standard error why a path gave nothing.
pub(crate) fn unreadable(path: &Path, error: &io::Error) {
    eprintln!("extgate: {}: {error}", Visible(&shown(path)));
}
