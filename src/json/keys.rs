//! Whether an object has a key twice, whatever the keys are: at most n log n comparisons.
//!
//! Each key of an object under check is one 64-bit entry: 40 bits of fingerprint above the 24-bit
//! offset of its text. Up to [`FLAT`] keys are compared as they come. A larger object is settled at its
//! end: by a table of fingerprints with a budget of probes, and where that finds two alike or runs out,
//! by a sort, in which keys that collide by design only cost the comparison of their texts.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::fault::{Fault, byte_at};
use super::text::{decoded_bytes, end_of_string, load8};
use crate::reason::Reason;

/// Objects up to this size are checked key by key.
const FLAT: usize = 16;
/// Runs of equal fingerprints up to this length are compared pair by pair.
const SHORT_RUN: usize = 4;
/// Objects above this size are sorted at once, so that no table outgrows the processor's cache.
const TABLE_MAX: usize = 32 * 1024;
const OFFSET_BITS: u32 = 24;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;

/// The keys of all open objects, innermost last.
#[derive(Debug, Default)]
pub(super) struct Keys {
    entries: Vec<u64>,
    /// The table's memory, kept from object to object; 0 is an empty slot.
    table: Vec<u32>,
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
        let mark = if escaped {
            fingerprint_of_escaped(text.get(start..end).unwrap_or_default())
        } else {
            fingerprint(text.as_bytes(), start, end)
        };
        let entry = mark & !OFFSET_MASK | offset_bits(start);
        if before != 0 && before < FLAT {
            let base = self.entries.len().saturating_sub(before);
            let siblings = self.entries.get(base..).unwrap_or_default();
            if siblings
                .iter()
                .any(|sibling| (sibling ^ entry) >> OFFSET_BITS == 0)
            {
                same_text_in(text, siblings, entry)?;
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
        if count > FLAT {
            let entries = self.entries.get_mut(base..).unwrap_or_default();
            if !all_differ(entries, &mut self.table) {
                settle(text, entries)?;
            }
        }
        self.entries.truncate(base);
        Ok(())
    }
}

#[cold]
fn same_text_in(text: &str, siblings: &[u64], entry: u64) -> Result<(), Fault> {
    let found = siblings.iter().any(|sibling| {
        (sibling ^ entry) >> OFFSET_BITS == 0 && compare(text, *sibling, entry).is_eq()
    });
    if found {
        return Err(Fault::new(Reason::DuplicateKey, quote(entry)));
    }
    Ok(())
}

/// Whether all fingerprints are different, as far as a table can tell in about two probes a key.
fn all_differ(entries: &[u64], table: &mut Vec<u32>) -> bool {
    if entries.len() > TABLE_MAX {
        return false;
    }
    let slots = (2 * entries.len()).next_power_of_two();
    table.clear();
    if table.capacity() < slots {
        // Room for the next larger objects too.
        table.reserve_exact(4 * slots);
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
    ((entry >> 32) as u32 | 1, (entry >> OFFSET_BITS) as usize)
}

fn settle(text: &str, entries: &mut [u64]) -> Result<(), Fault> {
    entries.sort_unstable();
    let mut earliest: Option<usize> = None;
    for run in entries.chunk_by_mut(|a, b| (*a ^ *b) >> OFFSET_BITS == 0) {
        if run.len() == 1 {
            continue;
        }
        if run.len() > SHORT_RUN {
            run.sort_unstable_by(|a, b| compare(text, *a, *b).then(a.cmp(b)));
        } else {
            // Pairs of a short run, so that no order is needed; offsets ascend within it.
            for (position, later) in run.iter().enumerate() {
                let before = run.get(..position).unwrap_or_default();
                if before.iter().any(|one| compare(text, *one, *later).is_eq()) {
                    keep_least(&mut earliest, quote(*later));
                }
            }
            continue;
        }
        for pair in run.windows(2) {
            if let [one, later] = pair
                && compare(text, *one, *later).is_eq()
            {
                keep_least(&mut earliest, quote(*later));
            }
        }
    }
    match earliest {
        Some(at) => Err(Fault::new(Reason::DuplicateKey, at)),
        None => Ok(()),
    }
}

/// The offset of the quote before a key's text.
fn quote(entry: u64) -> usize {
    offset(entry).saturating_sub(1)
}

fn keep_least(least: &mut Option<usize>, at: usize) {
    *least = Some(least.map_or(at, |before| before.min(at)));
}

/// Orders two keys by their decoded bytes; each ends at the first quote that is not escaped.
fn compare(text: &str, a: u64, b: u64) -> Ordering {
    let (a, a_escaped) = key_text(text, offset(a));
    let (b, b_escaped) = key_text(text, offset(b));
    if a_escaped || b_escaped {
        decoded_bytes(a).cmp(decoded_bytes(b))
    } else {
        a.cmp(b)
    }
}

fn key_text(text: &str, start: usize) -> (&str, bool) {
    let (end, escaped) = end_of_string(text.as_bytes(), start).unwrap_or((start, false));
    (text.get(start..end).unwrap_or_default(), escaped)
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

/// The same as [`fingerprint`], of the decoded text.
fn fingerprint_of_escaped(raw: &str) -> u64 {
    let (mut head, mut tail, mut len) = (0_u64, 0_u64, 0_u64);
    for byte in decoded_bytes(raw) {
        if len < 8 {
            head |= u64::from(byte) << (8 * len);
        }
        tail = tail >> 8 | u64::from(byte) << 56;
        len += 1;
    }
    mix(head, if len < 8 { 0 } else { tail }, len)
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
        }
        assert_eq!(duplicate(&["a\\u0000".into(), "a".into()]), None);
    }
}
