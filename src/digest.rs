//! The canonical digest of a JSON value, and the size of its compact text (section 7).

use core::fmt;
use core::str::FromStr;

use sha2::{Digest, Sha256};

use crate::json::members::{Members, place_of};
use crate::json::number::{FLOAT_TEXT_MAX_BYTES, float_text};
use crate::json::tape::{Kind, Source, Word};
use crate::json::text::decoded_len;
use crate::json::{Json, Piece, narrow, pieces, widen};
use crate::limits::NESTING_MAX_LEVELS;

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
        let mut text = [0; 64];
        let (pairs, _) = text.as_chunks_mut::<2>();
        for (pair, byte) in pairs.iter_mut().zip(self.0) {
            *pair = crate::bytes::hex(byte);
        }
        f.write_str(core::str::from_utf8(&text).unwrap_or_default())
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
    #[cold]
    fn flush(&mut self) {
        self.hasher
            .update(self.buffer.get(..self.len).unwrap_or_default());
        self.len = 0;
    }

    /// The next `N` bytes of the buffer. The caller advances `len`.
    #[inline(always)]
    fn room<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        let mut at = self.len;
        if at > STAGE_BYTES - N {
            self.flush();
            at = 0;
        }
        self.buffer.get_mut(at..at + N)?.first_chunk_mut()
    }

    /// A value that has no length: null and booleans.
    #[inline(always)]
    fn short<const N: usize>(&mut self, bytes: [u8; N]) {
        if let Some(room) = self.room() {
            *room = bytes;
            self.len += N;
        }
    }

    /// A tag and a length.
    #[inline(always)]
    fn header(&mut self, tag: u8, len: usize) {
        if let Some(room) = self.room() {
            write_header(room, tag, len);
            self.len += HEADER_BYTES;
        }
    }

    /// A tag, a length, and so many bytes of `source` from `start`.
    #[inline(always)]
    fn text(&mut self, tag: u8, source: &[u8], start: usize, len: usize) {
        const SHORT: usize = 16;
        // A short text is copied with what stands behind it, which the next write covers.
        if len <= SHORT
            && let Some(from) = source.get(start..start + SHORT)
            && let Some(from) = from.first_chunk::<SHORT>()
            && let Some(room) = self.room::<{ HEADER_BYTES + SHORT }>()
            && let Some((header, rest)) = room.split_first_chunk_mut::<HEADER_BYTES>()
            && let Some(to) = rest.first_chunk_mut::<SHORT>()
        {
            write_header(header, tag, len);
            *to = *from;
            self.len += HEADER_BYTES + len;
            return;
        }
        self.header(tag, len);
        self.bytes(source.get(start..start + len).unwrap_or_default());
    }

    #[inline(always)]
    fn scalar(&mut self, source: &Source<'_>, word: Word) {
        match word.kind() {
            Kind::Plain => {
                let bytes = source.text.as_bytes();
                self.text(tag::STRING, bytes, word.start(), word.len());
            }
            Kind::Integer => {
                let bytes = source.text.as_bytes();
                self.text(tag::NUMBER, bytes, word.start(), word.len());
            }
            Kind::Float => self.float(source.raw(word)),
            Kind::Null => self.short([tag::NULL]),
            Kind::False => self.short([tag::BOOLEAN, 0]),
            Kind::True => self.short([tag::BOOLEAN, 1]),
            _ => self.escaped(tag::STRING, source.raw(word)),
        }
    }

    #[inline(always)]
    fn key(&mut self, source: &Source<'_>, word: Word) {
        if word.kind() == Kind::Escaped {
            self.escaped(tag::KEY, source.raw(word));
        } else {
            self.text(tag::KEY, source.text.as_bytes(), word.start(), word.len());
        }
    }

    #[inline(never)]
    fn float(&mut self, text: &str) {
        let canonical = float_text(text.as_bytes());
        let canonical = canonical.as_bytes();
        self.text(tag::NUMBER, canonical, 0, canonical.len());
    }

    #[inline(never)]
    fn escaped(&mut self, tag: u8, raw: &str) {
        self.header(tag, decoded_len(raw, true));
        for piece in pieces(raw) {
            match piece {
                Piece::Raw(text) => self.bytes(text.as_bytes()),
                Piece::Char(one) => self.bytes(one.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.len + bytes.len() > STAGE_BYTES {
            self.flush();
        }
        match self.buffer.get_mut(self.len..self.len + bytes.len()) {
            Some(to) => {
                crate::bytes::copy(to, bytes);
                self.len += bytes.len();
            }
            None => self.hasher.update(bytes),
        }
    }
}

/// A tag and a 64-bit length.
const HEADER_BYTES: usize = 9;

#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "usize to u64 widens on every target with alloc"
)]
fn write_header(room: &mut [u8; HEADER_BYTES], tag: u8, len: usize) {
    let [first, rest @ ..] = room;
    *first = tag;
    *rest = (len as u64).to_le_bytes();
}

/// A container whose children are being hashed.
#[derive(Clone, Copy)]
struct Open {
    /// The next child: of an array the index of its word, of an object its place among the members.
    next: u32,
    end: u32,
    /// Of an object: where its members begin, which are in order of their keys.
    members: Option<u32>,
}

impl Open {
    const NONE: Self = Self {
        next: 0,
        end: 0,
        members: None,
    };
}

/// Digests values one after the other, in the same memory.
pub(crate) struct Digester {
    stage: Stage,
    /// The containers around the innermost open one, outermost first. Within a response nesting is bounded
    /// one level further down, and the innermost container is not among them.
    enclosing: [Open; NESTING_MAX_LEVELS],
    members: Members,
}

impl Digester {
    pub(crate) fn new() -> Self {
        Self {
            stage: Stage {
                hasher: Sha256::new(),
                buffer: [0; STAGE_BYTES],
                len: 0,
            },
            enclosing: [Open::NONE; NESTING_MAX_LEVELS],
            members: Members::default(),
        }
    }

    /// For several values, so that memory is taken once, for the largest of them.
    pub(crate) fn for_values<'d>(values: impl Iterator<Item = Json<'d>>) -> Self {
        let mut digester = Self::new();
        let words = values.map(|value| value.words().len()).max();
        digester.members.reserve_for(words.unwrap_or_default());
        digester
    }

    pub(crate) fn digest(&mut self, value: Json<'_>) -> SchemaDigest {
        let source = Source {
            text: value.document_text(),
            words: value.words(),
            base: value.index(),
        };
        self.members.reserve_for(source.words.len());
        let root = source.word(0);
        if root.is_container() {
            self.containers(&source, root);
        } else {
            self.stage.scalar(&source, root);
        }
        self.stage.flush();
        SchemaDigest(self.stage.hasher.finalize_reset().into())
    }

    /// A container and all that is within it.
    fn containers(&mut self, source: &Source<'_>, root: Word) {
        let mut depth = 0_usize;
        let mut top = self.enter(source, root, 0);
        loop {
            let child = if top.members.is_none() {
                self.items(source, &mut top)
            } else {
                self.members(source, &mut top)
            };
            if let Some((word, at)) = child {
                // Reading has refused what is nested more deeply than there is room.
                if let Some(slot) = self.enclosing.get_mut(depth) {
                    *slot = top;
                    depth += 1;
                }
                top = self.enter(source, word, at);
                continue;
            }
            if let Some(first) = top.members {
                self.members.leave(widen(first));
            }
            let Some(outer) = depth
                .checked_sub(1)
                .and_then(|outer| self.enclosing.get(outer))
            else {
                return;
            };
            top = *outer;
            depth -= 1;
        }
    }

    /// The next items of an array, up to one that is a container.
    #[inline(always)]
    fn items(&mut self, source: &Source<'_>, top: &mut Open) -> Option<(Word, usize)> {
        let at = widen(top.next);
        let words = source.words.get(at..widen(top.end))?;
        for (word, at) in words.iter().zip(at..) {
            if word.is_container() {
                top.next = narrow(source.behind(*word, at));
                return Some((*word, at));
            }
            self.stage.scalar(source, *word);
        }
        None
    }

    /// The next members of an object, up to one whose value is a container.
    #[inline(always)]
    fn members(&mut self, source: &Source<'_>, top: &mut Open) -> Option<(Word, usize)> {
        let members = self.members.get(widen(top.next)..widen(top.end));
        for (next, entry) in (top.next + 1..).zip(members) {
            let key = place_of(*entry);
            let [name, value] = source.member(key);
            self.stage.key(source, name);
            if value.is_container() {
                top.next = next;
                return Some((value, key + 1));
            }
            self.stage.scalar(source, value);
        }
        None
    }

    /// Begins a container: its count is hashed, and its members are put in order.
    #[inline(always)]
    fn enter(&mut self, source: &Source<'_>, word: Word, at: usize) -> Open {
        let end = source.behind(word, at);
        if word.kind() == Kind::Array {
            let count = source.count(word, at + 1, end);
            self.stage.header(tag::ARRAY, count);
            return Open {
                next: narrow(at + 1),
                end: narrow(end),
                members: None,
            };
        }
        let members = self.members.enter(source, word, at + 1..end);
        self.stage.header(tag::OBJECT, members.len());
        let first = narrow(members.start);
        Open {
            next: first,
            end: narrow(members.end),
            members: Some(first),
        }
    }
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
    fn the_deepest_value_that_is_read() {
        // Behind each nested array stands an item, which is lost where its array is.
        let nested = |levels: usize| {
            let mut preimage = alloc::vec::Vec::new();
            for _ in 1..levels {
                preimage.push(4);
                preimage.extend(2_u64.to_le_bytes());
            }
            preimage.push(4);
            preimage.extend(0_u64.to_le_bytes());
            preimage.resize(preimage.len() + levels - 1, 0);
            preimage
        };
        let text = |levels: usize| "[".repeat(levels) + "]" + &",null]".repeat(levels - 1);
        let deepest = NESTING_MAX_LEVELS;
        let expected = SchemaDigest(Sha256::digest(nested(deepest)).into());
        assert_eq!(digest(&text(deepest)), expected.to_string());

        let response = format!("{{\"result\":{}}}", text(deepest));
        let response = crate::RuntimeDocument::json_rpc_response(response.as_bytes()).unwrap();
        let mut preimage = alloc::vec![5];
        preimage.extend(1_u64.to_le_bytes());
        preimage.push(6);
        preimage.extend(6_u64.to_le_bytes());
        preimage.extend(b"result");
        preimage.extend(nested(deepest));
        let expected = SchemaDigest(Sha256::digest(&preimage).into());
        assert_eq!(response.root().digest(), expected);
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
    fn more_members_than_a_word_counts() {
        for count in [4094_usize, 4095, 4096, 10_000] {
            // Keys of one length ascend as their numbers do.
            let keys: alloc::vec::Vec<String> = (0..count).map(|n| format!("{n:05}")).collect();
            let mut preimage = alloc::vec![5];
            preimage.extend(u64::try_from(count).unwrap().to_le_bytes());
            for key in &keys {
                preimage.push(6);
                preimage.extend(5_u64.to_le_bytes());
                preimage.extend(key.bytes());
                preimage.push(4);
                preimage.extend(0_u64.to_le_bytes());
            }
            let expected = SchemaDigest(Sha256::digest(&preimage).into()).to_string();
            let members = |keys: &mut dyn Iterator<Item = &String>| {
                let members: alloc::vec::Vec<String> =
                    keys.map(|key| format!("\"{key}\":[]")).collect();
                format!("{{{}}}", members.join(","))
            };
            assert_eq!(digest(&members(&mut keys.iter())), expected, "{count}");
            let reversed = members(&mut keys.iter().rev());
            assert_eq!(digest(&reversed), expected, "{count}, reversed");
            let escaped = reversed.replacen("0", "\\u0030", 1);
            assert_eq!(digest(&escaped), expected, "{count}, one key escaped");
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
