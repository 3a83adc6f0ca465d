//! A fault's place in the bytes: offset, length, line, column and JSON pointer, found by walking the
//! bytes again, so that errors cost nothing until somebody asks.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::fault::byte_at;
use super::scan::skip_space;
use super::text::{decode, end_of_string};
use super::{Json, Tape, Text, mapped};
use crate::path::{Path, Place, Step, push_token};
use crate::reason::{Reason, Rejection};

/// Where a fault is in the bytes of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Location {
    /// Bytes before the place.
    pub offset: usize,
    /// Bytes of the place; 0 at the end of the document.
    pub length: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The JSON pointer (RFC 6901) from the document's root.
    pub pointer: String,
    /// Where the place is the value of a member: the bytes of its key, quotes included.
    pub key: Option<Range<usize>>,
}

/// Bytes between two places whose line and column are remembered.
const STRIDE: usize = 16 * 1024;

/// Finds places in one document. Make it once for all rejections of a document.
pub struct Locator<'b> {
    bytes: &'b [u8],
    tape: Option<Tape<'b>>,
    /// Line and column at each multiple of [`STRIDE`].
    marks: Vec<(usize, usize)>,
}

impl core::fmt::Debug for Locator<'_> {
    /// Shows the size only: a document may hold secrets.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Locator({} bytes)", self.bytes.len())
    }
}

impl<'b> Locator<'b> {
    /// For the bytes that were given to the constructor of the document.
    #[must_use]
    pub fn new(bytes: &'b [u8]) -> Self {
        let mut marks = Vec::with_capacity(bytes.len() / STRIDE + 1);
        let mut mark = (1, 1);
        for block in bytes.chunks(STRIDE) {
            marks.push(mark);
            mark = advance(mark, block);
        }
        Self {
            bytes,
            tape: mapped(bytes),
            marks,
        }
    }

    /// The place of a rejection of this document.
    ///
    /// ```
    /// let bytes = b"{\n  \"extension\": []\n}";
    /// let document = extgate::Document::plugin(bytes)?;
    /// let refused = document.extension().unwrap_err();
    /// let location = extgate::Locator::new(bytes).locate(&refused);
    /// assert_eq!((location.line, location.column), (2, 16));
    /// assert_eq!(location.pointer, "/extension");
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    #[must_use]
    pub fn locate(&self, rejection: &Rejection) -> Location {
        match rejection.place() {
            Place::Byte(at) => {
                self.byte_place(rejection.reason(), usize::try_from(at).unwrap_or(0))
            }
            place => self.place(place),
        }
    }

    /// Any place that a rule or a finding named; a byte is taken for the string or key that begins
    /// there, else for one character.
    #[must_use]
    pub fn place(&self, place: Place) -> Location {
        match place {
            Place::Byte(at) => self.token_place(usize::try_from(at).unwrap_or(0)),
            Place::Value(path) => self.path_place(&path, false),
            Place::Key(path) => self.path_place(&path, true),
        }
    }

    /// The place of a value of this document.
    pub(crate) fn span(&self, start: usize, end: usize, pointer: String) -> Location {
        let (line, column) = self.line_and_column(start);
        Location {
            offset: start,
            length: end.saturating_sub(start),
            line,
            column,
            pointer,
            key: None,
        }
    }

    fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let block = offset.min(self.bytes.len()) / STRIDE;
        let (mark, from) = match self.marks.get(block) {
            Some(mark) => (*mark, block * STRIDE),
            None => match self.marks.last() {
                Some(mark) => (*mark, (self.marks.len() - 1) * STRIDE),
                None => ((1, 1), 0),
            },
        };
        let to = offset.min(self.bytes.len());
        advance(mark, self.bytes.get(from..to).unwrap_or_default())
    }

    fn path_place(&self, path: &Path, on_key: bool) -> Location {
        let Some(tape) = &self.tape else {
            return self.span(0, 0, String::new());
        };
        let mut value = Json { tape, index: 0 };
        let mut keyed = false;
        let mut pointer = String::new();
        for step in path.steps() {
            let found = match step {
                Step::Field(field) => value
                    .text_members()
                    .find(|(name, _)| name.is(field.as_str()))
                    .map(|(name, value)| (Some(name), value)),
                Step::Index(index) => nth(value.items(), *index).map(|value| (None, value)),
                Step::Member(position) => {
                    nth(value.text_members(), *position).map(|(name, value)| (Some(name), value))
                }
            };
            let Some((name, inner)) = found else {
                break;
            };
            match (name, step) {
                (Some(name), _) => push_token(&mut pointer, &name.decoded()),
                (None, Step::Index(index)) => {
                    push_token(&mut pointer, &alloc::format!("{index}"));
                }
                (None, _) => {}
            }
            (keyed, value) = (name.is_some(), inner);
        }
        self.value_place(value, keyed, on_key, pointer)
    }

    /// The place of a value, or of its key where it is a member's.
    fn value_place(&self, value: Json<'_>, keyed: bool, on_key: bool, pointer: String) -> Location {
        let (start, end) = value.span();
        if !keyed {
            return self.span(start, end, pointer);
        }
        // A member's key is the word before its value.
        let word = value.tape.word(value.index.saturating_sub(1));
        let key = word.start().saturating_sub(1)..word.start() + word.len() + 1;
        if on_key {
            return self.span(key.start, key.end, pointer);
        }
        Location {
            key: Some(key),
            ..self.span(start, end, pointer)
        }
    }

    /// The place of the value that a JSON pointer (RFC 6901) names; the first of members of one name.
    /// `None` where there is none.
    ///
    /// ```
    /// let bytes = br#"{"a/b": [true, {"c": 1}]}"#;
    /// let location = extgate::Locator::new(bytes).find("/a~1b/1/c").expect("it is there");
    /// assert_eq!((location.offset, location.length), (21, 1));
    /// assert!(extgate::Locator::new(bytes).find("/a~1b/2").is_none());
    /// ```
    #[must_use]
    pub fn find(&self, pointer: &str) -> Option<Location> {
        let mut value = Json {
            tape: self.tape.as_ref()?,
            index: 0,
        };
        let mut keyed = false;
        let tokens = match pointer {
            "" => None,
            pointer => Some(pointer.strip_prefix('/')?.split('/')),
        };
        for token in tokens.into_iter().flatten() {
            keyed = value.is_object();
            value = if keyed {
                value.get(&token.replace("~1", "/").replace("~0", "~"))?
            } else {
                nth(value.items(), token.parse().ok()?)?
            };
        }
        Some(self.value_place(value, keyed, false, pointer.into()))
    }

    /// The pointer to a byte at which reading stopped, through bytes that may be anything, and whether a
    /// key is expected there.
    fn pointer_to(&self, at: usize) -> (String, bool) {
        let mut open: Vec<Open> = Vec::new();
        let mut here = skip_space(self.bytes, 0);
        while here < at {
            let behind = match byte_at(self.bytes, here) {
                byte @ (b'{' | b'[') => {
                    open.push(Open {
                        object: byte == b'{',
                        index: 0,
                        key: None,
                        in_value: false,
                    });
                    here + 1
                }
                b'}' | b']' => {
                    open.pop();
                    here + 1
                }
                b',' => {
                    if let Some(inner) = open.last_mut() {
                        inner.index += 1;
                        inner.key = None;
                        inner.in_value = false;
                    }
                    here + 1
                }
                b':' => {
                    if let Some(inner) = open.last_mut() {
                        inner.in_value = true;
                    }
                    here + 1
                }
                b'"' => {
                    let Ok((end, _)) = end_of_string(self.bytes, here + 1) else {
                        break;
                    };
                    if at <= end {
                        break;
                    }
                    if let Some(inner) = open.last_mut()
                        && inner.object
                        && !inner.in_value
                    {
                        inner.key = Some((here + 1, end));
                    }
                    end + 1
                }
                _ => here + 1,
            };
            here = skip_space(self.bytes, behind);
        }
        let mut pointer = String::new();
        for level in &open {
            match level.key {
                Some((start, end)) => push_token(&mut pointer, &self.key_text(start, end)),
                None if level.object => break,
                None => push_token(&mut pointer, &alloc::format!("{}", level.index)),
            }
        }
        let key = open
            .last()
            .is_some_and(|inner| inner.object && !inner.in_value);
        (pointer, key)
    }

    /// The place of a fault of the bytes.
    fn byte_place(&self, reason: Reason, at: usize) -> Location {
        let length = match reason {
            Reason::DuplicateKey => return self.token_place(at),
            Reason::ByteOrderMark => 3,
            Reason::LoneSurrogate => 6,
            Reason::NumberOutOfRange => self
                .bytes
                .get(at..)
                .unwrap_or_default()
                .iter()
                .take_while(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
                })
                .count(),
            _ => character_len(self.bytes, at),
        };
        let rest = self.bytes.len().saturating_sub(at);
        self.span(at, at + length.min(rest), self.pointer_to(at).0)
    }

    /// The place of the string or key that begins at a byte, found by the tape.
    fn token_in_tape(&self, at: usize) -> Option<Location> {
        let mut value = Json {
            tape: self.tape.as_ref()?,
            index: 0,
        };
        let mut keyed = false;
        let mut pointer = String::new();
        loop {
            if value.as_text().is_some() && value.start() == at {
                return Some(self.value_place(value, keyed, false, pointer));
            }
            // The last child that begins at the byte or before it.
            let mut inside: Option<(Child<'_>, Json<'_>)> = None;
            keyed = value.is_object();
            if keyed {
                for (key, inner) in value.text_members() {
                    if inner.key_start() > at {
                        break;
                    }
                    inside = Some((Child::Member(key), inner));
                }
            } else {
                for (index, inner) in value.items().enumerate() {
                    if inner.start() > at {
                        break;
                    }
                    inside = Some((Child::Item(index), inner));
                }
            }
            let (child, inner) = inside?;
            match child {
                Child::Member(key) => push_token(&mut pointer, &key.decoded()),
                Child::Item(index) => push_token(&mut pointer, &alloc::format!("{index}")),
            }
            if keyed && inner.key_start() == at {
                return Some(self.value_place(inner, true, true, pointer));
            }
            value = inner;
        }
    }

    /// The place of the string or key that begins at a byte; of one character where there is neither.
    fn token_place(&self, at: usize) -> Location {
        if let Some(location) = self.token_in_tape(at) {
            return location;
        }
        let (mut pointer, key) = self.pointer_to(at);
        match end_of_string(self.bytes, at + 1) {
            Ok((end, _)) if byte_at(self.bytes, at) == b'"' => {
                if key {
                    push_token(&mut pointer, &self.key_text(at + 1, end));
                }
                self.span(at, end + 1, pointer)
            }
            _ => {
                let length = character_len(self.bytes, at);
                let end = (at + length).min(self.bytes.len()).max(at);
                self.span(at, end, pointer)
            }
        }
    }

    fn key_text(&self, start: usize, end: usize) -> Cow<'b, str> {
        let raw = self.bytes.get(start..end).unwrap_or_default();
        match core::str::from_utf8(raw) {
            Ok(raw) => decode(raw, raw.contains('\\')),
            Err(_) => String::from_utf8_lossy(raw),
        }
    }
}

impl Rejection {
    /// The place of this rejection in the bytes of its document. For many, make one [`Locator`].
    #[must_use]
    pub fn locate(&self, bytes: &[u8]) -> Location {
        Locator::new(bytes).locate(self)
    }
}

/// How a value is reached from the one around it.
enum Child<'d> {
    Member(Text<'d>),
    Item(usize),
}

/// An array or object that is open where the walk is.
struct Open {
    object: bool,
    index: usize,
    key: Option<(usize, usize)>,
    in_value: bool,
}

/// `Iterator::nth` for a position from a path.
fn nth<T>(mut items: impl Iterator<Item = T>, position: u32) -> Option<T> {
    items.nth(usize::try_from(position).ok()?)
}

/// The line and column behind a block that begins at the given ones. Columns count characters.
fn advance((line, column): (usize, usize), block: &[u8]) -> (usize, usize) {
    let lines = block.iter().filter(|byte| **byte == b'\n').count();
    let (column, tail) = match block.iter().rposition(|byte| *byte == b'\n') {
        Some(last) => (1, block.get(last + 1..).unwrap_or_default()),
        None => (column, block),
    };
    let characters = tail.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    (line + lines, column + characters)
}

/// Bytes of the character there; 1 within what is no UTF-8.
fn character_len(bytes: &[u8], at: usize) -> usize {
    (1..=4)
        .find(|len| {
            bytes
                .get(at..at + len)
                .is_some_and(|one| core::str::from_utf8(one).is_ok())
        })
        .unwrap_or(1)
}
