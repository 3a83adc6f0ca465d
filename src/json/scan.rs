//! Section 1: one pass over the bytes, without recursion, into a flat tape.

use alloc::vec::Vec;

use super::fault::{Fault, byte_at};
use super::keys::Keys;
use super::number::end_of_number;
use super::order::widen;
use super::tape::{Kind, Word};
use super::text::{end_of_string, lane, load8};
use crate::limits::NESTING_MAX_LEVELS;
use crate::reason::Reason;

/// The place of the first byte from `at` that is not white space.
#[inline(always)]
pub(crate) fn skip_space(bytes: &[u8], at: usize) -> usize {
    next_byte(bytes, at).0
}

/// The first byte from `at` that is not white space, after its place.
#[inline(always)]
fn next_byte(bytes: &[u8], at: usize) -> (usize, u8) {
    let byte = byte_at(bytes, at);
    if byte > b' ' {
        (at, byte)
    } else {
        let at = skip_run_of_space(bytes, at);
        (at, byte_at(bytes, at))
    }
}

#[inline]
fn skip_run_of_space(bytes: &[u8], mut at: usize) -> usize {
    const SPACES: u64 = 0x2020_2020_2020_2020;
    loop {
        match byte_at(bytes, at) {
            b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            _ => return at,
        }
        while let Some(chunk) = load8(bytes, at) {
            let other = chunk ^ SPACES;
            if other != 0 {
                at += lane(other);
                break;
            }
            at += 8;
        }
        if byte_at(bytes, at) > b' ' {
            return at;
        }
    }
}

/// What becomes of the values that are read.
pub(super) mod mode {
    /// Syntax only: nothing is written, keys may repeat.
    pub(crate) const SKIP: u8 = 0;
    /// Written to the tape; keys must not repeat.
    pub(crate) const KEEP: u8 = 1;
    /// Written to the tape; keys may repeat. For finding places in what was refused or accepted before.
    pub(crate) const MAP: u8 = 2;
}

/// How many containers can be open at once: one level more than the bound, for a response around its result.
const MAX_OPEN: usize = NESTING_MAX_LEVELS + 1;

/// An open array or object: its word's index, its items so far, and whether it is an object.
#[derive(Clone, Copy)]
struct Open(u64);

impl Open {
    #[inline(always)]
    #[allow(
        clippy::as_conversions,
        reason = "a word's index has at most 24 bits, so 40 are left for the count and the flag"
    )]
    const fn new(word: usize, count: u32, object: bool) -> Self {
        Self((word as u64) << 40 | (count as u64) << 1 | object as u64)
    }

    #[inline(always)]
    #[allow(clippy::as_conversions, reason = "what `new` packed")]
    const fn parts(self) -> (usize, u32, bool) {
        (
            (self.0 >> 40) as usize,
            (self.0 >> 1) as u32,
            self.0 & 1 != 0,
        )
    }
}

pub(super) struct Scanner<'d> {
    pub(super) text: &'d str,
    pub(super) words: Vec<Word>,
    /// The bytes by which the canonical text of all numbers can be longer than their own.
    pub(super) growth: usize,
    keys: Keys,
    /// The containers around the innermost open one.
    enclosing: [Open; MAX_OPEN],
}

impl<'d> Scanner<'d> {
    pub(super) fn new(text: &'d str) -> Self {
        Self {
            text,
            words: Vec::new(),
            growth: 0,
            keys: Keys::default(),
            enclosing: [Open(0); MAX_OPEN],
        }
    }

    /// Room for one more word, estimated from how dense the text was so far, so that the tape of an
    /// evenly dense document is moved once, and never takes more than half its bytes in words.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, at: usize) {
        let bytes = self.text.len();
        let most = bytes / 2 + 2;
        let used = self.words.len();
        let wanted = if used == 0 {
            // Denser than most text, so that most tapes are allocated once.
            bytes / 8 + 16
        } else {
            // The tape is full at byte `at`; the rest is taken to be as dense, and a ninth denser.
            let dense = used.saturating_mul(bytes) / at.max(1);
            (dense + dense / 9).max(used + used / 4 + 8)
        };
        let more = wanted.min(most).max(used + 1) - used;
        self.words.reserve_exact(more);
    }

    #[inline(always)]
    fn push(&mut self, word: Word, at: usize) {
        if self.words.len() == self.words.capacity() {
            self.grow(at);
        }
        self.words.push(word);
    }

    /// Reads a key, its colon, and writes its word. `before`: the keys of its object so far.
    #[inline(always)]
    pub(super) fn key<const MODE: u8>(&mut self, at: usize, before: usize) -> Result<usize, Fault> {
        let bytes = self.text.as_bytes();
        if byte_at(bytes, at) != b'"' {
            return Err(Fault::syntax(at));
        }
        let start = at + 1;
        let (end, escaped) = end_of_string(bytes, start)?;
        if MODE != mode::SKIP {
            if MODE == mode::KEEP {
                self.keys.push(self.text, start, end, escaped, before)?;
            }
            self.push(Word::scalar(string_kind(escaped), start, end - start), at);
        }
        match next_byte(bytes, end + 1) {
            (colon, b':') => Ok(colon + 1),
            (other, _) => Err(Fault::syntax(other)),
        }
    }

    pub(super) fn end_of_keys(&mut self, count: usize) -> Result<(), Fault> {
        self.keys.end_of_object(self.text, count)
    }

    /// Reads one value and returns the offset behind it. At most `limit` containers may be open at once.
    pub(super) fn value<const MODE: u8>(
        &mut self,
        mut at: usize,
        limit: usize,
    ) -> Result<usize, Fault> {
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        let (mut word, mut count, mut object) = (0_usize, 0_u32, false);
        'value: loop {
            let first;
            (at, first) = next_byte(bytes, at);
            match first {
                b'"' => {
                    let start = at + 1;
                    let (end, escaped) = end_of_string(bytes, start)?;
                    if MODE != mode::SKIP {
                        self.push(Word::scalar(string_kind(escaped), start, end - start), at);
                    }
                    at = end + 1;
                }
                b'{' | b'[' => {
                    let Some(slot) = self.enclosing.get_mut(depth) else {
                        return Err(Fault::new(Reason::NestingTooDeep, at));
                    };
                    if depth == limit {
                        return Err(Fault::new(Reason::NestingTooDeep, at));
                    }
                    *slot = Open::new(word, count, object);
                    depth += 1;
                    (word, count, object) = (self.words.len(), 0, first == b'{');
                    if MODE != mode::SKIP {
                        let kind = if object { Kind::Object } else { Kind::Array };
                        self.push(Word::container(kind, at, 0, 0), at);
                    }
                    let next;
                    (at, next) = next_byte(bytes, at + 1);
                    let close = if object { b'}' } else { b']' };
                    if next != close {
                        if object {
                            at = self.key::<MODE>(at, 0)?;
                        }
                        continue 'value;
                    }
                    // The empty container is ended like any other, by the loop below.
                    count = u32::MAX;
                }
                b'-' | b'0'..=b'9' => {
                    let number = end_of_number(bytes, at)?;
                    if MODE != mode::SKIP {
                        self.growth += number.growth;
                        self.push(Word::scalar(number.kind, at, number.end - at), at);
                    }
                    at = number.end;
                }
                b't' => at = self.literal::<MODE>(at, "true", Kind::True)?,
                b'f' => at = self.literal::<MODE>(at, "false", Kind::False)?,
                b'n' => at = self.literal::<MODE>(at, "null", Kind::Null)?,
                _ => return Err(Fault::syntax(at)),
            }
            loop {
                if depth == 0 {
                    return Ok(at);
                }
                count = count.wrapping_add(1);
                let next;
                (at, next) = next_byte(bytes, at);
                match next {
                    b',' => {
                        at += 1;
                        if object {
                            at = skip_space(bytes, at);
                            at = self.key::<MODE>(at, widen(count))?;
                        }
                        continue 'value;
                    }
                    b'}' if object => {
                        if MODE == mode::KEEP {
                            self.keys.end_of_object(self.text, widen(count))?;
                        }
                    }
                    b']' if !object => {}
                    _ => return Err(Fault::syntax(at)),
                }
                if MODE != mode::SKIP {
                    let next = self.words.len();
                    if let Some(open) = self.words.get_mut(word) {
                        *open = Word::container(open.kind(), open.start(), next, count);
                    }
                }
                at += 1;
                depth -= 1;
                let Some(outer) = self.enclosing.get(depth) else {
                    return Ok(at);
                };
                (word, count, object) = outer.parts();
            }
        }
    }

    #[inline(always)]
    fn literal<const MODE: u8>(
        &mut self,
        at: usize,
        word: &str,
        kind: Kind,
    ) -> Result<usize, Fault> {
        let found = self.text.as_bytes().get(at..).unwrap_or_default();
        if !found.starts_with(word.as_bytes()) {
            let same = found
                .iter()
                .zip(word.bytes())
                .take_while(|(a, b)| **a == *b)
                .count();
            return Err(Fault::syntax(at + same));
        }
        if MODE != mode::SKIP {
            self.push(Word::scalar(kind, at, word.len()), at);
        }
        Ok(at + word.len())
    }

    /// Only white space may follow the document's value.
    pub(super) fn end_of_document(&self, at: usize) -> Result<(), Fault> {
        let end = skip_space(self.text.as_bytes(), at);
        if end == self.text.len() {
            Ok(())
        } else {
            Err(Fault::syntax(end))
        }
    }
}

#[inline(always)]
const fn string_kind(escaped: bool) -> Kind {
    if escaped { Kind::Escaped } else { Kind::Plain }
}
