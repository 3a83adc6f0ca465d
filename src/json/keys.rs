//! Whether an object has a key twice, whatever the keys are: at most n log n comparisons of numbers.
//!
//! Each key of an object under check is one 64-bit entry: 39 bits of fingerprint, whether it has
//! escapes, and the 24-bit offset of its text. Up to [`FLAT`] keys are compared as they come, escaped ones
//! aside. A larger object, and one with an escaped key, is settled at its end: escaped keys are decoded,
//! each once; then a table of fingerprints with a budget of probes tells keys apart, and where that finds
//! two alike or runs out, those whose fingerprints are alike are put in order. So keys that collide by
//! design cost their bytes and a sort of numbers.

use alloc::vec::Vec;
use core::ops::Range;

use super::fault::{Fault, byte_at};
use super::order::{Key, Sorter, Texts, narrow, widen};
use super::text::{decode_key, end_of_string, load8};
use crate::reason::Reason;

/// Objects up to this size are checked key by key.
const FLAT: usize = 8;
/// Objects above this size are sorted at once, so that no table outgrows the processor's cache.
const TABLE_MAX: usize = 32 * 1024;
const OFFSET_BITS: u32 = 24;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// Set in the entry of a key that has escapes.
const ESCAPED: u64 = 1 << OFFSET_BITS;
const FINGERPRINT_SHIFT: u32 = OFFSET_BITS + 1;

/// The keys of all open objects, innermost last.
#[derive(Debug, Default)]
pub(super) struct Keys {
    entries: Vec<u64>,
    /// The table's memory, kept from object to object; 0 is an empty slot.
    table: Vec<u32>,
    /// Where the entries begin of the outermost open object of which a key has escapes.
    escapes: Option<usize>,
    settling: Settling,
}

impl Keys {
    /// Takes the next key of the innermost object, which has `before` keys already.
    ///
    /// # Errors
    /// `duplicate_key` where one of the first [`FLAT`] keys is met again.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        text: &str,
        start: usize,
        end: usize,
        escaped: bool,
        before: usize,
    ) -> Result<(), Fault> {
        let entry = if escaped {
            if self.escapes.is_none() {
                self.escapes = Some(self.entries.len().saturating_sub(before));
            }
            ESCAPED | offset_bits(start)
        } else {
            fingerprint(text.as_bytes(), start, end) & !(OFFSET_MASK | ESCAPED) | offset_bits(start)
        };
        if before != 0 && before < FLAT && !escaped {
            let base = self.entries.len().saturating_sub(before);
            let siblings = self.entries.get(base..).unwrap_or_default();
            if siblings.iter().any(|sibling| are_alike(*sibling, entry))
                && same_text_in(text.as_bytes(), siblings, entry, end - start)
            {
                return Err(Fault::new(Reason::DuplicateKey, quote(entry)));
            }
        }
        if self.entries.len() == self.entries.capacity() {
            self.grow(text.len());
        }
        self.entries.push(entry);
        Ok(())
    }

    /// In few steps while it is small, by half once it could weigh beside the document.
    #[cold]
    fn grow(&mut self, document: usize) {
        let more = match self.entries.capacity() {
            0 => (document / 16).clamp(16, 1024),
            small @ ..4096 => 3 * small,
            large => large / 2,
        };
        self.entries.reserve_exact(more);
    }

    /// Ends the innermost object, of `count` keys.
    ///
    /// # Errors
    /// `duplicate_key` at the earliest second occurrence.
    #[inline(always)]
    pub(super) fn end_of_object(&mut self, text: &str, count: usize) -> Result<(), Fault> {
        let base = self.entries.len().saturating_sub(count);
        if count > FLAT || self.escapes.is_some() {
            self.settle(text, base)?;
        }
        self.entries.truncate(base);
        Ok(())
    }

    /// Settles the innermost object, whose entries begin at `base`: one that is large or may have escapes.
    fn settle(&mut self, text: &str, base: usize) -> Result<(), Fault> {
        let entries = self.entries.get_mut(base..).unwrap_or_default();
        let escaped = self.escapes.is_some() && entries.iter().any(|entry| entry & ESCAPED != 0);
        if self.escapes == Some(base) {
            self.escapes = None;
        }
        if escaped {
            self.settling.decode(text, entries);
        } else if entries.len() <= FLAT {
            return Ok(());
        }
        if entries.len() < 2 || all_differ(entries, &mut self.table, text.len()) {
            return Ok(());
        }
        self.settling.earliest_duplicate(text, entries)
    }
}

/// Whether two keys have one fingerprint.
#[inline(always)]
const fn are_alike(one: u64, other: u64) -> bool {
    (one ^ other) >> FINGERPRINT_SHIFT == 0
}

/// Whether one of the keys without escapes is the same as a new one without, of `len` bytes.
#[cold]
fn same_text_in(bytes: &[u8], siblings: &[u64], entry: u64, len: usize) -> bool {
    // With its closing quote, a text is only the same as one of the same length.
    let text = |entry: u64| bytes.get(offset(entry)..offset(entry) + len + 1);
    siblings.iter().any(|sibling| {
        are_alike(*sibling, entry) && sibling & ESCAPED == 0 && text(*sibling) == text(entry)
    })
}

/// Whether all fingerprints are different, as far as a table can tell in about two probes a key.
fn all_differ(entries: &[u64], table: &mut Vec<u32>, document: usize) -> bool {
    if entries.len() > TABLE_MAX {
        return false;
    }
    let slots = (2 * entries.len()).next_power_of_two();
    table.clear();
    if table.capacity() < slots {
        // Room for the next larger objects too, where that does not weigh beside the document.
        table.reserve_exact(slots.max((4 * slots).min(document / 16)));
    }
    table.resize(slots, 0);
    let mut budget = 4 * entries.len();
    for entry in entries {
        let (tag, mut at) = tag_and_slot(*entry);
        loop {
            let Some(slot) = table.get_mut(at & (slots - 1)) else {
                return false;
            };
            if *slot == 0 {
                *slot = tag;
                break;
            }
            if *slot == tag || budget == 0 {
                return false;
            }
            budget -= 1;
            at += 1;
        }
    }
    true
}

/// The highest 31 bits of a fingerprint, never 0, and the place where its search begins, from its lowest.
#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "the bits that are cut off are not wanted"
)]
const fn tag_and_slot(entry: u64) -> (u32, usize) {
    (
        (entry >> 32) as u32 | 1,
        (entry >> FINGERPRINT_SHIFT) as usize,
    )
}

/// The memory in which keys with like fingerprints are told apart.
#[derive(Debug, Default)]
struct Settling {
    keys: Vec<Key>,
    /// The decoded texts of the object's escaped keys, one behind the other.
    decoded: Vec<u8>,
    /// The offset of each in the document, ascending, and where its decoded text begins.
    places: Vec<(u32, u32)>,
    sorter: Sorter,
}

impl Settling {
    /// Decodes the escaped keys of an object and completes their entries.
    #[cold]
    fn decode(&mut self, text: &str, entries: &mut [u64]) {
        self.decoded.clear();
        self.places.clear();
        for entry in entries.iter_mut().filter(|entry| **entry & ESCAPED != 0) {
            let start = offset(*entry);
            let from = self.decoded.len();
            decode_key(text.as_bytes(), start, &mut self.decoded);
            self.places.push((narrow(start), narrow(from)));
            let mark = fingerprint(&self.decoded, from, self.decoded.len());
            *entry = mark & !(OFFSET_MASK | ESCAPED) | ESCAPED | offset_bits(start);
        }
    }

    /// # Errors
    /// `duplicate_key` at the earliest second occurrence.
    #[cold]
    fn earliest_duplicate(&mut self, text: &str, entries: &mut [u64]) -> Result<(), Fault> {
        entries.sort_unstable_by_key(|entry| (entry >> FINGERPRINT_SHIFT, offset(*entry)));
        let mut earliest: Option<usize> = None;
        for run in entries.chunk_by(|a, b| are_alike(*a, *b)) {
            if run.len() > 1 {
                self.earliest_in(text, run, &mut earliest);
            }
        }
        match earliest {
            Some(at) => Err(Fault::new(Reason::DuplicateKey, at)),
            None => Ok(()),
        }
    }

    /// Where the text of an escaped key stands among the decoded ones.
    fn decoded(&self, start: u32) -> Range<usize> {
        let at = self.places.partition_point(|(offset, _)| *offset < start);
        let mut from = self.places.iter().skip(at).map(|(_, from)| widen(*from));
        let first = from.next().unwrap_or_default();
        first..from.next().unwrap_or(self.decoded.len())
    }

    fn earliest_in(&mut self, text: &str, run: &[u64], earliest: &mut Option<usize>) {
        self.keys.clear();
        self.keys.reserve_exact(run.len());
        for entry in run {
            let start = offset(*entry);
            let place = narrow(start);
            let key = if entry & ESCAPED == 0 {
                let (end, _) = end_of_string(text.as_bytes(), start).unwrap_or((start, false));
                Key::plain(text.as_bytes(), start, end - start, place)
            } else {
                Key::decoded(&self.decoded, self.decoded(place), place)
            };
            self.keys.push(key);
        }
        let texts = Texts {
            document: text.as_bytes(),
            decoded: &self.decoded,
        };
        self.sorter.sort(texts, &mut self.keys);
        for same in self.keys.chunk_by(|a, b| texts.of(a) == texts.of(b)) {
            let mut first = u32::MAX;
            let mut second = u32::MAX;
            for key in same {
                if key.place < first {
                    (first, second) = (key.place, first);
                } else {
                    second = second.min(key.place);
                }
            }
            if same.len() > 1 {
                let at = usize::try_from(second).unwrap_or(0).saturating_sub(1);
                *earliest = Some(earliest.map_or(at, |before| before.min(at)));
            }
        }
    }
}

/// The offset of the quote before a key's text.
fn quote(entry: u64) -> usize {
    offset(entry).saturating_sub(1)
}

/// From the first eight bytes, the last eight and the length.
#[inline(always)]
fn fingerprint(bytes: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    let (head, tail) = if len >= 8 {
        (
            load8(bytes, start).unwrap_or(0),
            load8(bytes, end - 8).unwrap_or(0),
        )
    } else {
        (short_head(bytes, start, len), 0)
    };
    mix(head, tail, offset_bits(len))
}

/// The bytes of a text shorter than eight, above zeros.
#[inline(always)]
fn short_head(bytes: &[u8], start: usize, len: usize) -> u64 {
    match load8(bytes, start) {
        Some(chunk) => chunk & !(u64::MAX << (8 * len)),
        None => (0..len).fold(0, |head, place| {
            head | u64::from(byte_at(bytes, start + place)) << (8 * place)
        }),
    }
}

#[inline(always)]
const fn mix(head: u64, tail: u64, len: u64) -> u64 {
    (head ^ tail.rotate_left(27) ^ len.rotate_right(9)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "usize to u64 widens on every target with alloc"
)]
const fn offset_bits(offset: usize) -> u64 {
    offset as u64
}

#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "masked to 24 bits, which every usize holds"
)]
const fn offset(entry: u64) -> usize {
    (entry & OFFSET_MASK) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    /// The duplicate that [`Keys`] reports for an object of these keys, as the position of the key.
    fn duplicate(keys: &[String]) -> Option<usize> {
        let mut text = String::new();
        let mut spans = Vec::new();
        for key in keys {
            text.push('"');
            let start = text.len();
            text.push_str(key);
            spans.push((start, text.len()));
            text.push_str("\":0,");
        }
        let mut set = Keys::default();
        let at = |fault: Fault| spans.iter().position(|(start, _)| *start == fault.at + 1);
        for (position, (start, end)) in spans.iter().enumerate() {
            let escaped = keys[position].contains('\\');
            if let Err(fault) = set.push(&text, *start, *end, escaped, position) {
                return at(fault);
            }
        }
        set.end_of_object(&text, keys.len()).err().and_then(at)
    }

    #[test]
    fn a_second_occurrence_is_found_at_every_size() {
        for size in [2_usize, 15, 16, 17, 18, 33, 200] {
            let distinct: Vec<String> = (0..size).map(|n| format!("key-{n}")).collect();
            assert_eq!(duplicate(&distinct), None);
            for (first, second) in [(0, size - 1), (0, 1), (size - 2, size - 1)] {
                let mut keys = distinct.clone();
                keys[second] = keys[first].clone();
                assert_eq!(duplicate(&keys), Some(second), "{size} {first} {second}");
            }
        }
    }

    #[test]
    fn colliding_keys_are_told_apart_by_their_text() {
        for size in [3_usize, 16, 20, 300] {
            let colliding: Vec<String> = (0..size)
                .map(|n| format!("aaaaaaaa{n:04}aaaaaaaa"))
                .collect();
            assert_eq!(duplicate(&colliding), None);
            let mut keys = colliding.clone();
            keys[size - 1] = keys[1].clone();
            assert_eq!(duplicate(&keys), Some(size - 1));
        }
    }

    #[test]
    fn the_earliest_of_several_duplicates_is_reported() {
        let mut keys: Vec<String> = (0..40).map(|n| format!("k{n}")).collect();
        keys[39] = "k2".into();
        keys[30] = "k9".into();
        assert_eq!(duplicate(&keys), Some(30));
    }

    #[test]
    fn escaped_and_plain_spellings_are_one_key() {
        for (plain, escaped) in [
            ("a", "\\u0061"),
            ("", ""),
            ("\u{1F600}", "\\ud83d\\ude00"),
            ("eight by", "eight\\u0020by"),
            ("more than eight bytes", "more than eight byte\\u0073"),
        ] {
            let keys = [plain.into(), "other".into(), escaped.into()];
            assert_eq!(duplicate(&keys), Some(2), "{plain}");
            for size in [8_usize, 9, 10, 17, 40, 300] {
                for first in 0..size {
                    let mut keys: Vec<String> = (0..size).map(|n| format!("key-{n}")).collect();
                    keys[first] = plain.into();
                    keys.push(escaped.into());
                    assert_eq!(duplicate(&keys), Some(size), "{plain} at {first} of {size}");
                    keys.swap(first, size);
                    assert_eq!(duplicate(&keys), Some(size), "{plain} behind {first}");
                }
            }
        }
        assert_eq!(duplicate(&["a\\u0000".into(), "a".into()]), None);
    }
}
