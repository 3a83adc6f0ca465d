//! Keys put in the order of their decoded bytes, whatever they are: by eight bytes at a time, and where
//! those are the same, by the first bytes in which the keys differ. No comparison reads a key from its
//! beginning again, so keys that share a long prefix by design cost no more than their bytes.

use alloc::vec::Vec;
use core::ops::Range;

use super::text::decode_key;

/// A key whose text stands in the document as it is, or was decoded behind others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// Eight bytes of its text, first byte highest, padded with zeros.
    pub(crate) prefix: u64,
    start: u32,
    len: u32,
    /// What the user of the order wants back: an index or an offset.
    pub(crate) place: u32,
    decoded: bool,
}

impl Key {
    /// A key whose `len` bytes stand in the document from `start`.
    #[inline(always)]
    pub(crate) fn plain(document: &[u8], start: usize, len: usize, place: u32) -> Self {
        Self {
            prefix: prefix_at(document, start, len),
            start: narrow(start),
            len: narrow(len),
            place,
            decoded: false,
        }
    }

    /// A key with escapes, decoded behind what `decoded` holds. Its text stands in the document from `start`.
    #[cold]
    pub(crate) fn escaped(
        document: &[u8],
        start: usize,
        decoded: &mut Vec<u8>,
        place: u32,
    ) -> Self {
        let first = decoded.len();
        decode_key(document, start, decoded);
        Self::decoded(decoded, first..decoded.len(), place)
    }

    /// A key with escapes that was decoded before.
    pub(crate) fn decoded(decoded: &[u8], within: Range<usize>, place: u32) -> Self {
        Self {
            prefix: prefix_at(decoded, within.start, within.len()),
            start: narrow(within.start),
            len: narrow(within.len()),
            place,
            decoded: true,
        }
    }
}

/// The texts that keys point into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Texts<'d> {
    pub(crate) document: &'d [u8],
    pub(crate) decoded: &'d [u8],
}

impl<'d> Texts<'d> {
    /// A key's decoded bytes.
    #[inline(always)]
    pub(crate) fn of(self, key: &Key) -> &'d [u8] {
        let text = if key.decoded {
            self.decoded
        } else {
            self.document
        };
        let start = widen(key.start);
        text.get(start..start + widen(key.len)).unwrap_or_default()
    }
}

/// Puts many keys in order, in memory that is kept from time to time.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    /// Runs of keys that are the same up to a byte: first, end, that byte.
    runs: Vec<(usize, usize, usize)>,
}

impl Sorter {
    /// Runs up to this length are put in order one by one.
    const SMALL: usize = 16;
    /// Room for as many runs as ordinary keys make.
    const RUNS: usize = 32;

    /// Puts keys in order. Equal ones end up side by side.
    pub(crate) fn sort(&mut self, texts: Texts<'_>, keys: &mut [Key]) {
        let mut next = Some((0, keys.len(), 0));
        while let Some((first, end, depth)) = next.take().or_else(|| self.runs.pop()) {
            let Some(run) = keys.get_mut(first..end) else {
                continue;
            };
            if depth > 0 {
                for key in run.iter_mut() {
                    key.prefix = prefix_at(texts.of(key), depth, usize::MAX);
                }
            }
            run.sort_unstable_by_key(|key| key.prefix);
            let mut at = first;
            for same in run.chunk_by_mut(|a, b| a.prefix == b.prefix) {
                let len = same.len();
                if len > Self::SMALL {
                    if let Some(common) = common_prefix(texts, same, depth) {
                        if self.runs.capacity() == 0 {
                            self.runs.reserve(Self::RUNS);
                        }
                        self.runs.push((at, at + len, common));
                    }
                } else if len > 1 {
                    same.sort_unstable_by(|a, b| {
                        let rest = |key| texts.of(key).get(depth..).unwrap_or_default();
                        rest(a).cmp(rest(b))
                    });
                }
                at += len;
            }
        }
    }
}

/// The bytes in which all keys agree, of keys that agree up to `known`; nothing where all are equal.
fn common_prefix(texts: Texts<'_>, keys: &[Key], known: usize) -> Option<usize> {
    let rest = |key: &Key| texts.of(key).get(known..).unwrap_or_default();
    let first = rest(keys.first()?);
    let mut common = first.len();
    let mut longest = first.len();
    for key in keys {
        let other = rest(key);
        longest = longest.max(other.len());
        let head = first.get(..common).unwrap_or_default();
        common = same_bytes(head, other);
    }
    (common < longest).then_some(known + common)
}

/// How many first bytes of two texts agree.
fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    let (words, _) = one.as_chunks::<8>();
    let (others, _) = other.as_chunks::<8>();
    let same = words.iter().zip(others).take_while(|(a, b)| a == b).count();
    let from = 8 * same;
    let rest = |text: &'_ [u8]| text.get(from..).map_or(0, <[u8]>::len);
    let tail = one
        .iter()
        .skip(from)
        .zip(other.iter().skip(from))
        .take(rest(one).min(rest(other)))
        .take_while(|(a, b)| a == b)
        .count();
    from + tail
}

/// Eight bytes of the `len` from `start`, first byte highest, padded with zeros.
#[inline(always)]
fn prefix_at(text: &[u8], start: usize, len: usize) -> u64 {
    let text = text.get(start..).unwrap_or_default();
    if let Some(chunk) = text.first_chunk::<8>() {
        let chunk = u64::from_be_bytes(*chunk);
        return match len {
            0 => 0,
            1..8 => chunk & !(u64::MAX >> (8 * len)),
            _ => chunk,
        };
    }
    text.iter()
        .take(len)
        .enumerate()
        .fold(0, |prefix, (place, byte)| {
            prefix | u64::from(*byte) << (56 - 8 * place)
        })
}

#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "offsets, lengths and indices of words are below 2^24 by the bound on documents"
)]
pub(crate) const fn narrow(size: usize) -> u32 {
    size as u32
}

#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "u32 to usize widens: the core needs 32-bit addresses"
)]
pub(crate) const fn widen(count: u32) -> usize {
    count as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;

    /// Sorts texts by [`Sorter`], escaped ones decoded, and holds the order to that of plain strings.
    fn holds(raws: &[String]) {
        let document = raws.join("\"") + "\"";
        let mut decoded = Vec::new();
        let mut keys = Vec::new();
        let mut at = 0;
        for (place, raw) in raws.iter().enumerate() {
            let place = u32::try_from(place).unwrap();
            keys.push(if raw.contains('\\') {
                Key::escaped(document.as_bytes(), at, &mut decoded, place)
            } else {
                Key::plain(document.as_bytes(), at, raw.len(), place)
            });
            at += raw.len() + 1;
        }
        let texts = Texts {
            document: document.as_bytes(),
            decoded: &decoded,
        };
        let mut expected: Vec<Vec<u8>> = keys.iter().map(|key| texts.of(key).to_vec()).collect();
        expected.sort();
        Sorter::default().sort(texts, &mut keys);
        let got: Vec<Vec<u8>> = keys.iter().map(|key| texts.of(key).to_vec()).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn keys_of_every_kind_come_in_order() {
        holds(&[]);
        holds(&["".into(), "a".into(), "".into()]);
        for count in [2_usize, 16, 17, 40, 300] {
            let numbered = |make: &dyn Fn(usize) -> String| -> Vec<String> {
                (0..count).map(|n| make(n * 7919 % count)).collect()
            };
            holds(&numbered(&|n| format!("{n}")));
            holds(&numbered(&|n| format!("{n:04}")));
            holds(&numbered(&|n| format!("a long common prefix {n}")));
            holds(&numbered(&|n| "a".repeat(n)));
            holds(&numbered(&|n| {
                format!("a long common prefix {} and {n}", n % 3)
            }));
            holds(&numbered(&|n| {
                format!("\\u0061 long \\u0063ommon prefix {n}")
            }));
            holds(&numbered(&|n| {
                if n % 2 == 0 {
                    "a\\u0000".repeat(n)
                } else {
                    "a".repeat(n)
                }
            }));
            holds(&numbered(&|n| {
                format!("{}\u{1F600}{n}", "é".repeat(n % 20))
            }));
            holds(&vec!["the same key, many times".into(); count]);
        }
    }
}
