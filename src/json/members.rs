//! The members of objects in the order of their decoded keys, in which the digest takes them.
//!
//! A member is one number: the first five bytes of its key above the index of its word. Few members are
//! put in place as they come, many are sorted as numbers; only keys that agree in those bytes, or have
//! escapes, are looked at again.

use alloc::vec::Vec;
use core::ops::Range;

use super::order::{Key, Sorter, Texts, narrow, widen};
use super::tape::{Kind, Source, Word};
use super::text::decode_key;

const PLACE_BITS: u32 = 24;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;
/// How many first bytes of a key its number has.
const PREFIX_BYTES: usize = 5;
/// Up to so many members are put in place one by one.
const FEW: usize = 16;

/// The members of all open objects, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Members {
    entries: Vec<u64>,
    settling: Settling,
}

/// The memory in which members are told apart whose numbers do not.
#[derive(Debug, Default)]
struct Settling {
    keys: Vec<Key>,
    decoded: Vec<u8>,
    sorter: Sorter,
}

/// The index of a member's key.
#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "masked to 24 bits, which every usize holds"
)]
pub(crate) const fn place_of(entry: u64) -> usize {
    (entry & PLACE_MASK) as usize
}

impl Members {
    /// Room for a value of so many words: half of them can be keys. A larger object takes its own room.
    pub(crate) fn reserve_for(&mut self, words: usize) {
        let members = (words / 2).min(widen(Word::COUNT_CAP));
        if members > self.entries.capacity() {
            self.entries
                .reserve_exact(members.saturating_sub(self.entries.len()));
        }
    }

    /// Members of open objects.
    #[inline(always)]
    pub(crate) fn get(&self, range: Range<usize>) -> &[u64] {
        self.entries.get(range).unwrap_or_default()
    }

    /// Forgets the innermost object, whose members begin at `first`.
    #[inline(always)]
    pub(crate) fn leave(&mut self, first: usize) {
        self.entries.truncate(first);
    }

    /// Puts the members of an object in order, whose keys and values stand `within` these indices.
    #[inline(never)]
    pub(crate) fn enter(
        &mut self,
        source: &Source<'_>,
        object: Word,
        within: Range<usize>,
    ) -> Range<usize> {
        let first = self.entries.len();
        let count = source.count(object, within.start, within.end);
        // Growing step by step would take twice the room.
        if count > self.entries.capacity() - first {
            self.entries.reserve_exact(count);
        }
        self.entries.resize(first + count, 0);
        let members = self.entries.get_mut(first..).unwrap_or_default();
        let bytes = source.text.as_bytes();
        let mut escaped = false;
        let mut at = within.start;
        let mut words = source.words.get(within).unwrap_or_default();
        let mut so_far = 0;
        while let [name, value, behind @ ..] = words
            && let Some([before @ .., last]) = members.get_mut(..=so_far)
        {
            escaped |= name.kind() == Kind::Escaped;
            *last = entry(bytes, name.start(), name.len(), at);
            if so_far < FEW {
                sink(source, last, before);
            }
            so_far += 1;
            (at, words) = if value.is_container() {
                let next = source.behind(*value, at + 1);
                (next, words.get(next - at..).unwrap_or_default())
            } else {
                (at + 2, behind)
            };
        }
        if escaped || count > FEW {
            self.sort(source, first, escaped);
        }
        first..first + count
    }

    #[cold]
    fn sort(&mut self, source: &Source<'_>, first: usize, escaped: bool) {
        let members = self.entries.get_mut(first..).unwrap_or_default();
        if escaped && self.settling.decode(source, members) {
            return;
        }
        members.sort_unstable();
        for run in members.chunk_by_mut(|one, other| are_alike(*one, *other)) {
            if run.len() > 1 {
                self.settling.settle(source, run);
            }
        }
    }
}

impl Settling {
    /// Gives members with escapes the numbers of their decoded keys. Where these are many, decoding each
    /// once is worth the memory of whole keys: then all members are in order behind this, and it says so.
    fn decode(&mut self, source: &Source<'_>, members: &mut [u64]) -> bool {
        let is_escaped = |place| source.word(place).kind() == Kind::Escaped;
        let escaped = members.iter().filter(|one| is_escaped(place_of(**one)));
        if escaped.count() > members.len() / 8 {
            self.settle(source, members);
            return true;
        }
        for member in members {
            let at = place_of(*member);
            if is_escaped(at) {
                self.decoded.clear();
                let start = source.word(at).start();
                decode_key(source.text.as_bytes(), start, &mut self.decoded);
                *member = entry(&self.decoded, 0, self.decoded.len(), at);
            }
        }
        false
    }

    /// Puts members in order by their whole keys.
    fn settle(&mut self, source: &Source<'_>, members: &mut [u64]) {
        self.keys.clear();
        self.decoded.clear();
        self.keys.reserve_exact(members.len());
        let document = source.text.as_bytes();
        for member in &*members {
            let at = place_of(*member);
            let (name, place) = (source.word(at), narrow(at));
            self.keys.push(if name.kind() == Kind::Escaped {
                Key::escaped(document, name.start(), &mut self.decoded, place)
            } else {
                Key::plain(document, name.start(), name.len(), place)
            });
        }
        let texts = Texts {
            document,
            decoded: &self.decoded,
        };
        self.sorter.sort(texts, &mut self.keys);
        for (member, key) in members.iter_mut().zip(&self.keys) {
            *member = u64::from(key.place);
        }
    }
}

/// A member as a number, of its key's decoded text and the index of its word.
#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "an index of a word has at most 24 bits"
)]
fn entry(bytes: &[u8], start: usize, len: usize, at: usize) -> u64 {
    let kept = 8 * len.min(PREFIX_BYTES);
    let head = match bytes.get(start..start + 8).and_then(<[u8]>::first_chunk) {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => head_at_the_end(bytes, start),
    };
    head & !(u64::MAX >> kept) | at as u64
}

/// Of a key whose eighth byte would be behind the document.
#[cold]
fn head_at_the_end(bytes: &[u8], start: usize) -> u64 {
    let mut padded = [0; 8];
    let text = bytes.get(start..).unwrap_or_default();
    for (to, from) in padded.iter_mut().zip(text) {
        *to = *from;
    }
    u64::from_be_bytes(padded)
}

/// Whether two members' keys agree in their first bytes.
#[inline(always)]
const fn are_alike(one: u64, other: u64) -> bool {
    (one ^ other) >> PLACE_BITS == 0
}

/// Moves the last member to its place among those before, which are in order.
#[inline(always)]
fn sink<'m>(source: &Source<'_>, mut last: &'m mut u64, mut before: &'m mut [u64]) {
    let new = *last;
    while let Some((neighbour, rest)) = before.split_last_mut()
        && if are_alike(new, *neighbour) {
            is_before(source, new, *neighbour)
        } else {
            new < *neighbour
        }
    {
        *last = *neighbour;
        (last, before) = (neighbour, rest);
    }
    *last = new;
}

/// Whether one member's key stands before another's, by all their bytes.
#[inline(never)]
fn is_before(source: &Source<'_>, one: u64, other: u64) -> bool {
    let key = |entry| source.raw(source.word(place_of(entry)));
    key(one) < key(other)
}
