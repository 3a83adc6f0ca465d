//! The canonical digest of a JSON value, and the size of its compact text (section 7).

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

use sha2::{Digest, Sha256};

use crate::json::number::{FLOAT_TEXT_MAX_BYTES, float_text};
use crate::json::tape::{Kind, Word};
use crate::json::text::{decoded_bytes, decoded_len, load8};
use crate::json::{Json, Piece, pieces, widen};

/// The SHA-256 over a value's canonical preimage. White space, member order, escapes and the spelling
/// of numbers do not change it; any change of the value does, `1` to `1.0` included.
///
/// ```
/// # use extgate::{JsonDocument, SchemaDigest};
/// let one = JsonDocument::new(br#"{"b": 1, "a": [true]}"#)?.root().digest();
/// let other = JsonDocument::new(br#"{"\u0061":[true],"b":1}"#)?.root().digest();
/// assert_eq!(one, other);
/// let again: SchemaDigest = one.to_string().parse().expect("64 hexadecimal digits");
/// assert_eq!(again, one);
/// # Ok::<(), extgate::Rejection>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SchemaDigest([u8; 32]);

impl SchemaDigest {
    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A digest that was stored.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// 64 lower-case hexadecimal digits.
impl fmt::Display for SchemaDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for SchemaDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SchemaDigest({self})")
    }
}

/// That a text is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ParseDigestError;

impl fmt::Display for ParseDigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest is 64 lower-case hexadecimal digits")
    }
}

impl core::error::Error for ParseDigestError {}

impl FromStr for SchemaDigest {
    type Err = ParseDigestError;

    /// # Errors
    /// [`ParseDigestError`] for anything but 64 lower-case hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(ParseDigestError),
        };
        let mut digest = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != digest.len() || !rest.is_empty() {
            return Err(ParseDigestError);
        }
        for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Ok(Self(digest))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for SchemaDigest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for SchemaDigest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = alloc::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Json<'_> {
    /// The value's canonical digest.
    #[must_use]
    pub fn digest(self) -> SchemaDigest {
        Digester::new().digest(self)
    }

    /// The bytes of the value's compact text: no white space, the shortest escapes, numbers in
    /// canonical form.
    #[must_use]
    pub fn compact_size(self) -> usize {
        compact_size(self, |text| float_text(text.as_bytes()).as_bytes().len())
    }

    /// The compact size, where it is more than the bound.
    pub(crate) fn compact_size_above(self, bound: usize) -> Option<usize> {
        if self.compact_size_at_most() <= bound
            || compact_size(self, |_| FLOAT_TEXT_MAX_BYTES) <= bound
        {
            return None;
        }
        let size = self.compact_size();
        (size > bound).then_some(size)
    }
}

/// The sum over a value's words. Between the words of a container stands one byte each: a comma or a colon.
fn compact_size(value: Json<'_>, float_size: impl Fn(&str) -> usize) -> usize {
    let words = value.words();
    let text = value.document_text();
    let mut size = 0;
    let mut filled = 0;
    for word in words {
        let start = word.start();
        size += match word.kind() {
            Kind::Plain => word.len() + 2,
            Kind::Escaped => 2 + compact_escaped(text.get(start..start + word.len()).unwrap_or("")),
            Kind::Array | Kind::Object => {
                filled += usize::from(word.count() > 0);
                2
            }
            Kind::Float => float_size(text.get(start..start + word.len()).unwrap_or("")),
            _ => word.len(),
        };
    }
    size + words.len().saturating_sub(1) - filled
}

fn compact_escaped(raw: &str) -> usize {
    pieces(raw)
        .map(|piece| match piece {
            Piece::Raw(text) => text.len(),
            Piece::Char('"' | '\\' | '\u{8}' | '\u{C}' | '\n' | '\r' | '\t') => 2,
            Piece::Char(one) if one < ' ' => 6,
            Piece::Char(one) => one.len_utf8(),
        })
        .sum()
}

mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const BOOLEAN: u8 = 1;
    pub(super) const NUMBER: u8 = 2;
    pub(super) const STRING: u8 = 3;
    pub(super) const ARRAY: u8 = 4;
    pub(super) const OBJECT: u8 = 5;
    pub(super) const KEY: u8 = 6;
}

/// Bytes that are gathered before the hasher is called.
const STAGE_BYTES: usize = 4096;

/// A hasher behind a buffer, so that short tokens never reach it one by one.
struct Stage {
    hasher: Sha256,
    buffer: [u8; STAGE_BYTES],
    len: usize,
}

impl Stage {
    fn flush(&mut self) {
        self.hasher
            .update(self.buffer.get(..self.len).unwrap_or_default());
        self.len = 0;
    }

    /// Room for that many bytes behind `len`.
    #[inline(always)]
    fn reserve(&mut self, bytes: usize) {
        if self.len + bytes > STAGE_BYTES {
            self.flush();
        }
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        self.reserve(1);
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = byte;
            self.len += 1;
        }
    }

    /// A tag and a length.
    #[inline(always)]
    #[allow(
        clippy::as_conversions,
        reason = "usize to u64 widens on every target with alloc"
    )]
    fn header(&mut self, tag: u8, len: usize) {
        self.reserve(9);
        if let Some([first, rest @ ..]) = self.buffer.get_mut(self.len..)
            && let Some(chunk) = rest.first_chunk_mut()
        {
            *first = tag;
            *chunk = (len as u64).to_le_bytes();
            self.len += 9;
        }
    }

    /// `len` bytes of `source` from `start`.
    #[inline(always)]
    fn text(&mut self, source: &[u8], start: usize, len: usize) {
        const SHORT: usize = 16;
        // A short text is copied with what stands behind it, which the next write covers.
        if len <= SHORT
            && let Some(from) = source.get(start..).and_then(<[u8]>::first_chunk::<SHORT>)
        {
            self.reserve(SHORT);
            if let Some(to) = self
                .buffer
                .get_mut(self.len..)
                .and_then(<[u8]>::first_chunk_mut::<SHORT>)
            {
                *to = *from;
                self.len += len;
            }
            return;
        }
        self.bytes(source.get(start..start + len).unwrap_or_default());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if bytes.len() > STAGE_BYTES / 4 {
            self.flush();
            self.hasher.update(bytes);
            return;
        }
        self.reserve(bytes.len());
        if let Some(to) = self.buffer.get_mut(self.len..self.len + bytes.len()) {
            crate::bytes::copy(to, bytes);
            self.len += bytes.len();
        }
    }
}

/// A container whose children are being hashed.
#[derive(Clone, Copy)]
struct Open {
    /// The next child: a word's index, or a place in the order of members.
    next: u32,
    end: u32,
    /// Where its own members begin among those that were sorted.
    first: u32,
    order: Order,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Items,
    /// Members stand in order already.
    Members,
    /// Members in the order that was sorted.
    Sorted,
}

/// One member of an object that is put in order.
#[derive(Clone, Copy)]
struct Member {
    /// The first eight bytes of its key, first byte highest, padded with zeros.
    prefix: u64,
    /// The index of its key's word.
    key: u32,
}

/// Digests values one after the other, in the same memory.
pub(crate) struct Digester {
    stage: Stage,
    open: Vec<Open>,
    members: Vec<Member>,
}

impl Digester {
    pub(crate) fn new() -> Self {
        Self {
            stage: Stage {
                hasher: Sha256::new(),
                buffer: [0; STAGE_BYTES],
                len: 0,
            },
            open: Vec::new(),
            members: Vec::new(),
        }
    }

    pub(crate) fn digest(&mut self, value: Json<'_>) -> SchemaDigest {
        let text = value.document_text();
        let words = value.words();
        let base = value.index();
        self.value(text, words, base, 0);
        while let Some(top) = self.open.last_mut() {
            if top.next == top.end {
                self.members.truncate(widen(top.first));
                self.open.pop();
                continue;
            }
            let at = match top.order {
                Order::Items => {
                    let at = widen(top.next);
                    top.next = narrow(behind(words, base, at));
                    at
                }
                Order::Members => {
                    let key = widen(top.next);
                    top.next = narrow(behind(words, base, key + 1));
                    self.key(text, words, key);
                    key + 1
                }
                Order::Sorted => {
                    let key = self
                        .members
                        .get(widen(top.next))
                        .map_or(0, |member| widen(member.key));
                    top.next += 1;
                    self.key(text, words, key);
                    key + 1
                }
            };
            self.value(text, words, base, at);
        }
        self.stage.flush();
        SchemaDigest(self.stage.hasher.finalize_reset().into())
    }

    fn key(&mut self, text: &str, words: &[Word], at: usize) {
        let word = word_at(words, at);
        self.string(tag::KEY, text, word);
    }

    #[inline(always)]
    fn string(&mut self, tag: u8, text: &str, word: Word) {
        let (start, len) = (word.start(), word.len());
        if word.kind() == Kind::Plain {
            self.stage.header(tag, len);
            self.stage.text(text.as_bytes(), start, len);
        } else {
            self.escaped(tag, text.get(start..start + len).unwrap_or_default());
        }
    }

    #[cold]
    fn escaped(&mut self, tag: u8, raw: &str) {
        self.stage.header(tag, decoded_len(raw, true));
        for piece in pieces(raw) {
            match piece {
                Piece::Raw(text) => self.stage.bytes(text.as_bytes()),
                Piece::Char(one) => {
                    self.stage.bytes(one.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
    }

    #[inline(always)]
    fn value(&mut self, text: &str, words: &[Word], base: usize, at: usize) {
        let word = word_at(words, at);
        let (start, len) = (word.start(), word.len());
        match word.kind() {
            Kind::Plain | Kind::Escaped => self.string(tag::STRING, text, word),
            Kind::Null => self.stage.byte(tag::NULL),
            kind @ (Kind::False | Kind::True) => {
                self.stage.byte(tag::BOOLEAN);
                self.stage.byte(u8::from(kind == Kind::True));
            }
            Kind::Integer => {
                self.stage.header(tag::NUMBER, len);
                self.stage.text(text.as_bytes(), start, len);
            }
            Kind::Float => {
                let canonical =
                    float_text(text.as_bytes().get(start..start + len).unwrap_or_default());
                self.stage.header(tag::NUMBER, canonical.as_bytes().len());
                self.stage.bytes(canonical.as_bytes());
            }
            Kind::Array => {
                let end = word.next() - base;
                let count = if word.count() < Word::COUNT_CAP {
                    widen(word.count())
                } else {
                    count_items(words, base, at + 1, end)
                };
                self.stage.header(tag::ARRAY, count);
                self.open.push(Open {
                    next: narrow(at + 1),
                    end: narrow(end),
                    first: narrow(self.members.len()),
                    order: Order::Items,
                });
            }
            Kind::Object => self.object(text, words, base, at, word),
        }
    }

    fn object(&mut self, text: &str, words: &[Word], base: usize, at: usize, word: Word) {
        let end = word.next() - base;
        let first = self.members.len();
        let mut ascending = true;
        let mut previous: Option<Member> = None;
        let mut key = at + 1;
        while key < end {
            let member = Member {
                prefix: prefix(text, word_at(words, key)),
                key: narrow(key),
            };
            if let Some(previous) = previous
                && ascending
            {
                ascending = compare(text, words, &previous, &member).is_lt();
            }
            previous = Some(member);
            self.members.push(member);
            key = behind(words, base, key + 1);
        }
        let count = self.members.len() - first;
        self.stage.header(tag::OBJECT, count);
        if ascending {
            self.members.truncate(first);
            self.open.push(Open {
                next: narrow(at + 1),
                end: narrow(end),
                first: narrow(first),
                order: Order::Members,
            });
        } else {
            if let Some(members) = self.members.get_mut(first..) {
                members.sort_unstable_by(|a, b| compare(text, words, a, b));
            }
            self.open.push(Open {
                next: narrow(first),
                end: narrow(first + count),
                first: narrow(first),
                order: Order::Sorted,
            });
        }
    }
}

/// The word at an index that is counted from the digested value.
#[inline(always)]
fn word_at(words: &[Word], at: usize) -> Word {
    words.get(at).copied().unwrap_or(Word::NULL)
}

/// The index behind the value at an index, both counted from the digested value.
#[inline(always)]
fn behind(words: &[Word], base: usize, at: usize) -> usize {
    let word = word_at(words, at);
    if word.is_container() {
        word.next() - base
    } else {
        at + 1
    }
}

fn count_items(words: &[Word], base: usize, mut at: usize, end: usize) -> usize {
    let mut count = 0;
    while at < end {
        at = behind(words, base, at);
        count += 1;
    }
    count
}

#[inline(always)]
fn prefix(text: &str, key: Word) -> u64 {
    let (start, len) = (key.start(), key.len());
    if key.kind() == Kind::Plain
        && let Some(chunk) = load8(text.as_bytes(), start)
    {
        let unused = 64 - 8 * u32::try_from(len.min(8)).unwrap_or(8);
        // Shifting by the whole width is no shift at all, so an empty key is apart.
        return if len == 0 {
            0
        } else {
            chunk.swap_bytes() >> unused << unused
        };
    }
    let raw = text.get(start..start + len).unwrap_or_default();
    let mut bytes = decoded_bytes(raw);
    (0..8).fold(0, |prefix, _| {
        prefix << 8 | u64::from(bytes.next().unwrap_or(0))
    })
}

#[inline(always)]
fn compare(text: &str, words: &[Word], a: &Member, b: &Member) -> Ordering {
    match a.prefix.cmp(&b.prefix) {
        Ordering::Equal => compare_keys(
            text,
            word_at(words, widen(a.key)),
            word_at(words, widen(b.key)),
        ),
        order => order,
    }
}

/// By the bytes of the decoded keys.
fn compare_keys(text: &str, a: Word, b: Word) -> Ordering {
    let raw = |word: Word| {
        text.get(word.start()..word.start() + word.len())
            .unwrap_or_default()
    };
    if a.kind() == Kind::Plain && b.kind() == Kind::Plain {
        raw(a).cmp(raw(b))
    } else {
        decoded_bytes(raw(a)).cmp(decoded_bytes(raw(b)))
    }
}

#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "an index of words has at most 24 bits"
)]
const fn narrow(index: usize) -> u32 {
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JsonDocument;
    use alloc::format;
    use alloc::string::{String, ToString};

    fn digest(text: &str) -> String {
        JsonDocument::new(text.as_bytes())
            .unwrap()
            .root()
            .digest()
            .to_string()
    }

    #[test]
    fn the_table_of_section_7() {
        for (schema, expected) in [
            (
                r"{}",
                "6c449f91c1adbf3945ad078f5f875c0c1f133f246c4588668faffbe23a3c195f",
            ),
            (
                r#"{"type":"object"}"#,
                "27127ada64e3ff8775d11d4718c9c6793930a22567eab118d5d633b09ca6319e",
            ),
            (
                r#"{"b":1,"a":[true,null,"x"]}"#,
                "e4f23307e61fbe47e554c6ab0edda59f4854dc7ebd34b2d435e0b50978623436",
            ),
            (
                r#"{"n":[0,-0,1.0,1e0,100.00,1e15,1e16,1e21,1e-5,1e-7,5e-324,18446744073709551615,18446744073709551616,-9223372036854775808]}"#,
                "ffe400df373d1e7242a6fd8a50a58d4743c2a43808b65c8ecfbfab8929d0144e",
            ),
            (
                r#"{"\ud83d\ude00":"\u00e9","\uffff":"e\u0301","a\/b":"\b\f\n\r\t\u0001\""}"#,
                "a7b02e9981fb77d8b640dfe836b6b3cb5b3bc49c6efb27b29e97fa3275918904",
            ),
        ] {
            assert_eq!(digest(schema), expected, "{schema}");
        }
    }

    #[test]
    fn member_order_escapes_and_space_do_not_matter() {
        for (one, other) in [
            (r#"{"a":1,"b":2}"#, r#"{ "b" : 2, "\u0061" : 1 }"#),
            (r#"{"a":{},"ab":[]}"#, r#"{"ab":[],"a":{}}"#),
            (r#"{"":0,"\u0000":1}"#, r#"{"\u0000":1,"":0}"#),
            (r#"["1.50"]"#, r#"["\u0031.50"]"#),
            ("[1.50]", "[15e-1]"),
        ] {
            assert_eq!(digest(one), digest(other), "{one} {other}");
        }
        let keys: alloc::vec::Vec<String> = (0..100)
            .map(|n| format!("\"common-prefix-{n}\":{n}"))
            .collect();
        let reversed: alloc::vec::Vec<String> = keys.iter().rev().cloned().collect();
        assert_eq!(
            digest(&format!("{{{}}}", keys.join(","))),
            digest(&format!("{{{}}}", reversed.join(",")))
        );
    }

    #[test]
    fn any_change_of_the_value_matters() {
        let texts = [
            "1",
            "1.0",
            "-0",
            "0",
            "\"1\"",
            "true",
            "false",
            "null",
            "[]",
            "{}",
            "[null]",
            "[[]]",
            "[{}]",
            r#"{"a":null}"#,
            r#"{"a":{}}"#,
            r#"[["a"],"b"]"#,
            r#"["a",["b"]]"#,
            r#"{"a":1,"b":2}"#,
            r#"{"a":2,"b":1}"#,
            "\"e\u{301}\"",
            "\"\u{e9}\"",
        ];
        for (place, one) in texts.iter().enumerate() {
            for other in &texts[place + 1..] {
                assert_ne!(digest(one), digest(other), "{one} {other}");
            }
        }
    }

    #[test]
    fn more_items_than_a_word_counts() {
        for count in [4094_usize, 4095, 4096, 10_000] {
            let items = alloc::vec!["0"; count].join(",");
            let text = format!("[{items}]");
            let mut preimage = alloc::vec![4];
            preimage.extend(u64::try_from(count).unwrap().to_le_bytes());
            for _ in 0..count {
                preimage.push(2);
                preimage.extend(1_u64.to_le_bytes());
                preimage.push(b'0');
            }
            let expected = SchemaDigest(Sha256::digest(&preimage).into());
            assert_eq!(digest(&text), expected.to_string());
        }
    }

    #[test]
    fn compact_size_is_that_of_serde_json() {
        for text in [
            "{}",
            "[]",
            "[[],{}]",
            r#"{"a" : [1, 2.50, 1e15], "b": "x\ny\u0001\/\u00e9"}"#,
            "[1e20,-0,18446744073709551615]",
            r#"{"a":{"b":{"c":[true,false,null]}}}"#,
            "\"\\u007f\"",
        ] {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let document = JsonDocument::new(text.as_bytes()).unwrap();
            assert_eq!(
                document.root().compact_size(),
                serde_json::to_vec(&value).unwrap().len(),
                "{text}"
            );
            assert!(document.root().compact_size() <= document.root().compact_size_at_most());
        }
    }

    #[test]
    fn only_64_lower_case_digits_are_a_digest() {
        let good = digest("{}");
        assert_eq!(
            good.parse::<SchemaDigest>().map(|d| d.to_string()),
            Ok(good.clone())
        );
        for bad in [
            "",
            &good[1..],
            &format!("{good}0"),
            &good.to_uppercase(),
            &good.replace('6', "g"),
        ] {
            assert_eq!(bad.parse::<SchemaDigest>(), Err(ParseDigestError), "{bad}");
        }
    }
}
