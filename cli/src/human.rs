//! Diagnostics for people, in the manner of rustc: the line, the place underlined, what was found and how to mend it.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::renderer::{
    DEFAULT_EMPHASIS_STYLE, DEFAULT_ERROR_STYLE, DEFAULT_WARNING_STYLE, Renderer, Style,
};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use extgate::Location;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Source;
use crate::visible::{Visible, columns, counted};

/// Columns that output keeps to.
const WIDTH: usize = 80;
/// Before a message that has lines of its own.
const INDENT: &str = "  ";
/// Columns of a marked text that are shown.
const MOST_MARKED: usize = 48;
/// Columns behind a mark that are kept, if it takes cutting what is before it.
const BEHIND: usize = 8;
/// Bytes on each side of a place that are looked at.
const REACH: usize = 1_000;

/// How diagnostics are printed for people.
#[derive(Debug, Clone)]
pub(crate) struct Human {
    renderer: Renderer,
    color: bool,
}

impl Human {
    pub(crate) fn new(color: bool) -> Self {
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Self { renderer, color }
    }

    /// Prints one diagnostic, and an empty line.
    pub(crate) fn diagnostic(
        &self,
        diagnostic: &Diagnostic,
        source: &Source<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let level = match diagnostic.severity {
            Severity::Refusal | Severity::Denied => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        self.title(diagnostic, out)?;
        let excerpt = Excerpt::of(
            source.bytes,
            anchor(diagnostic, source),
            &diagnostic.location,
        );
        let gutter = excerpt.line.to_string().len();
        let wrapped = |text: &str| wrap(text, WIDTH - gutter - " = note: ".len());
        let name = Visible(&source.name).to_string();
        let mut group = Group::with_level(level)
            .element(
                Origin::path(name)
                    .line(excerpt.line)
                    .char_column(excerpt.column),
            )
            .element(
                Snippet::source(excerpt.text)
                    .line_start(excerpt.line)
                    .annotation(AnnotationKind::Primary.span(excerpt.mark)),
            );
        let mut notes = Vec::new();
        if !diagnostic.location.pointer.is_empty() {
            notes.push(format!("at {}", Visible(&diagnostic.location.pointer)));
        }
        notes.extend(diagnostic.notes.iter().cloned());
        notes.extend(diagnostic.drift.iter().flat_map(|drift| drift.lines()));
        if diagnostic.severity == Severity::Denied {
            notes.push("a finding, which is refused since it is denied".to_owned());
        }
        for note in &notes {
            group = group.element(Level::NOTE.message(wrapped(note)));
        }
        group = group.element(Level::HELP.message(wrapped(diagnostic.help)));
        let rendered = self.renderer.render(&[group]);
        // The place is given apart from the excerpt, which may be cut; the mark of a second file that
        // stands between the two says nothing.
        for line in rendered.lines() {
            if anstream::adapter::strip_str(line).to_string().trim() != ":::" {
                writeln!(out, "{line}")?;
            }
        }
        writeln!(out)
    }

    /// The code and the message, on one line where they fit.
    fn title(&self, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
        let (word, style) = match diagnostic.severity {
            Severity::Refusal | Severity::Denied => ("error", DEFAULT_ERROR_STYLE),
            Severity::Warning => ("warning", DEFAULT_WARNING_STYLE),
        };
        let (style, bold) = if self.color {
            (style, DEFAULT_EMPHASIS_STYLE)
        } else {
            (Style::new(), Style::new())
        };
        let code = diagnostic.code;
        let message = &diagnostic.message;
        let used = word.len() + code.len() + "[]: ".len();
        write!(out, "{style}{word}[{code}]{style:#}{bold}:")?;
        if used + columns(message) <= WIDTH {
            return writeln!(out, " {message}{bold:#}");
        }
        for line in wrap(message, WIDTH - INDENT.len()).lines() {
            write!(out, "\n{INDENT}{line}")?;
        }
        writeln!(out, "{bold:#}")
    }

    /// Says how many faults and findings were not listed.
    pub(crate) fn omitted(
        &self,
        faults: usize,
        findings: usize,
        quiet: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if faults > 0 {
            writeln!(out, "and {}\n", counted(faults, "more fault"))?;
        }
        if findings > 0 && !quiet {
            writeln!(out, "and {}\n", counted(findings, "more finding"))?;
        }
        Ok(())
    }
}

/// Breaks a text into lines of so many columns.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    let options = textwrap::Options::new(width)
        .break_words(true)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    textwrap::fill(text, options)
}

/// What is underlined: the place, or the key of a member whose value takes many lines.
fn anchor(diagnostic: &Diagnostic, source: &Source<'_>) -> Range<usize> {
    let location = &diagnostic.location;
    let whole = location.offset..location.offset + location.length;
    let one_line = !source.raw(location).contains(&b'\n');
    match &location.key {
        Some(key) if !one_line => key.clone(),
        _ if one_line => whole,
        // An item of a list, or the document: its first character.
        _ => location.offset..location.offset + 1,
    }
}

/// A part of one line, as it is shown, with what is marked in it.
struct Excerpt {
    line: usize,
    /// In characters of the document, from 1.
    column: usize,
    text: String,
    /// Bytes of `text`.
    mark: Range<usize>,
}

impl Excerpt {
    /// `place` begins at the location, or at the key before it.
    fn of(bytes: &[u8], place: Range<usize>, location: &Location) -> Self {
        let end = bytes.len();
        let place = place.start.min(end)..place.end.min(end);
        let between = &bytes[place.start..location.offset.clamp(place.start, end)];
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let behind_line = |from: usize, to: usize| {
            bytes[from..to]
                .iter()
                .position(is_end)
                .map_or(to, |at| from + at)
        };
        let reach = place.start.saturating_sub(REACH);
        let newline = bytes[reach..place.start]
            .iter()
            .rposition(|byte| *byte == b'\n');
        let start = newline.map_or_else(|| character_start(bytes, reach), |at| reach + at + 1);
        let is_cut = newline.is_none() && reach > 0;
        let mark_end = behind_line(place.start, place.end);
        let reach = character_start(bytes, mark_end.saturating_add(REACH).min(end));
        let stop = behind_line(mark_end, reach.max(mark_end));

        let lines = between.iter().filter(|byte| **byte == b'\n').count();
        let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
        let (line, column) = if lines == 0 {
            (location.line, location.column - characters(between))
        } else {
            (
                location.line - lines,
                1 + characters(&bytes[start..place.start]),
            )
        };
        let budget = WIDTH - line.to_string().len() - " | ".len();

        let marked = shown(&bytes[place.start..mark_end.min(place.start + REACH)]);
        let marked = head(&marked, MOST_MARKED);
        let mut left = shown(&bytes[start..place.start]);
        if is_cut {
            left.insert(0, '…');
        }
        let right = shown(&bytes[mark_end..stop]);
        // What is left of the mark is kept whole as long as some room remains behind it.
        if columns(&left) + columns(&marked) + BEHIND > budget {
            left = tail(&left, budget.saturating_sub(columns(&marked) + BEHIND));
        }
        let rest = budget.saturating_sub(columns(&left) + columns(&marked));
        let right = head(&right, rest);
        let mark = left.len()..left.len() + marked.len();
        Self {
            line,
            column,
            text: [left, marked, right].concat(),
            mark,
        }
    }
}

/// The start of the character that a byte belongs to, where the bytes are UTF-8 there.
fn character_start(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..3 {
        if bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
            at = at.saturating_sub(1);
        }
    }
    at
}

/// Bytes of a document in visible form; what is no UTF-8 as `\xff`, a tab as a space.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(&Visible(&chunk.valid().replace('\t', " ")).to_string());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The first columns of a text; where some are missing, the last of them says so.
fn head(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for one in text.chars() {
        if columns(&kept) + columns(one.encode_utf8(&mut [0; 4])) >= most {
            break;
        }
        kept.push(one);
    }
    if most > 0 {
        kept.push('…');
    }
    kept
}

/// The last columns of a text, likewise.
fn tail(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for one in text.chars().rev() {
        used += columns(one.encode_utf8(&mut [0; 4]));
        if used > most {
            break;
        }
        kept.push(one);
    }
    kept.push('…');
    kept.into_iter().rev().collect()
}
