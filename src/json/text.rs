//! Strings: their end, their escapes, their decoded text.
//!
//! Text is searched eight bytes at a time in plain arithmetic. Vector instructions can be reached by unsafe
//! code only, sixteen bytes as one `u128` are no faster, and lanes left to the compiler are slower.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::fault::{Fault, byte_at};
use crate::reason::Reason;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Eight bytes at once, or nothing where fewer are left.
#[inline(always)]
pub(crate) fn load8(bytes: &[u8], at: usize) -> Option<u64> {
    bytes
        .get(at..)
        .and_then(<[u8]>::first_chunk)
        .map(|chunk| u64::from_le_bytes(*chunk))
}

/// A set high bit in the lane of the first `"`, `\` or control byte; lanes behind it mean nothing.
#[inline(always)]
const fn special(chunk: u64) -> u64 {
    // Flipping 0x02 puts the quote next to the control bytes: all of them, and no other, are below 0x21.
    let quote_or_control = (chunk ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (chunk ^ (ONES * 0x5C)).wrapping_sub(ONES);
    (quote_or_control | backslash) & !chunk & HIGHS
}

/// The lane of the lowest set high bit, in bytes.
#[inline(always)]
#[allow(clippy::as_conversions, reason = "at most 7; const fn knows no `from`")]
pub(crate) const fn lane(mask: u64) -> usize {
    (mask.trailing_zeros() / 8) as usize
}

/// From behind the opening quote to the closing one: its offset, and whether the text has escapes.
#[inline(always)]
pub(crate) fn end_of_string(bytes: &[u8], start: usize) -> Result<(usize, bool), Fault> {
    let mut at = start;
    while let Some(chunk) = load8(bytes, at) {
        let found = special(chunk);
        if found != 0 {
            at += lane(found);
            if byte_at(bytes, at) == b'"' {
                return Ok((at, false));
            }
            break;
        }
        at += 8;
    }
    end_of_hard_string(bytes, at)
}

/// The rest of a string that has an escape or a fault, or ends near the end of the document.
fn end_of_hard_string(bytes: &[u8], mut at: usize) -> Result<(usize, bool), Fault> {
    let mut escaped = false;
    loop {
        match byte_at(bytes, at) {
            b'"' => return Ok((at, escaped)),
            b'\\' => {
                escaped = true;
                at = end_of_escape(bytes, at)?;
                continue;
            }
            0..=0x1F => return Err(Fault::syntax(at)),
            _ => at += 1,
        }
        at = skip_plain(bytes, at);
    }
}

/// From `at`, the first `"`, `\` or control byte, or the last place where fewer than eight bytes are left.
#[inline(always)]
fn skip_plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = load8(bytes, at) {
        let found = special(chunk);
        if found != 0 {
            return at + lane(found);
        }
        at += 8;
    }
    at
}

/// `at` is the backslash; the result is the byte behind the escape, both halves of a pair included.
fn end_of_escape(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match byte_at(bytes, at + 1) {
        b'u' => match hex4(bytes, at + 2)? {
            0xD800..=0xDBFF => {
                let low = at + 6;
                if byte_at(bytes, low) != b'\\' || byte_at(bytes, low + 1) != b'u' {
                    return Err(Fault::new(Reason::LoneSurrogate, at));
                }
                match hex4(bytes, low + 2)? {
                    0xDC00..=0xDFFF => Ok(low + 6),
                    _ => Err(Fault::new(Reason::LoneSurrogate, at)),
                }
            }
            0xDC00..=0xDFFF => Err(Fault::new(Reason::LoneSurrogate, at)),
            _ => Ok(at + 6),
        },
        other if byte_at(&SHORT, usize::from(other)) != 0 => Ok(at + 2),
        _ => Err(Fault::syntax(at + 1)),
    }
}

/// The value of each hexadecimal digit; of other bytes 0xFF.
static HEX: [u8; 256] = hex_values();

#[allow(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "runs in the compiler only, where a fault stops the build"
)]
const fn hex_values() -> [u8; 256] {
    let mut values = [0xFF; 256];
    let mut value = 0;
    while value < 16 {
        let [_, digit] = crate::bytes::hex(value);
        values[digit as usize] = value;
        values[digit.to_ascii_uppercase() as usize] = value;
        value += 1;
    }
    values
}

/// The number of four hexadecimal digits.
#[inline]
fn hex4(bytes: &[u8], at: usize) -> Result<u32, Fault> {
    let value = |byte: u8| HEX.get(usize::from(byte)).copied().unwrap_or(0xFF);
    let digits = bytes.get(at..).and_then(<[u8]>::first_chunk::<4>);
    if let Some(digits) = digits {
        let [a, b, c, d] = digits.map(value);
        if a | b | c | d < 16 {
            return Ok(u32::from(u16::from_be_bytes([a << 4 | b, c << 4 | d])));
        }
    }
    let other = (at..at + 4).find(|place| value(byte_at(bytes, *place)) == 0xFF);
    Err(Fault::syntax(other.unwrap_or(at)))
}

/// A piece of a string: text that stands as it is, or the character that an escape names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'d> {
    Raw(&'d str),
    Char(char),
}

/// The pieces of a string's text between its quotes, which has been read before.
#[derive(Debug, Clone)]
pub(crate) struct Pieces<'d> {
    rest: &'d str,
}

pub(crate) const fn pieces(raw: &str) -> Pieces<'_> {
    Pieces { rest: raw }
}

impl<'d> Iterator for Pieces<'d> {
    type Item = Piece<'d>;

    fn next(&mut self) -> Option<Piece<'d>> {
        let bytes = self.rest.as_bytes();
        if *bytes.first()? != b'\\' {
            let (raw, rest) = self.rest.split_at_checked(end_of_run(bytes, 0))?;
            self.rest = rest;
            return Some(Piece::Raw(raw));
        }
        let (decoded, len) = escape(bytes, 0);
        self.rest = self.rest.get(len..)?;
        Some(Piece::Char(decoded))
    }
}

/// What a backslash and this byte stand for, where it is one byte, and else 0.
static SHORT: [u8; 256] = short_escapes();

#[allow(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "runs in the compiler only, where a fault stops the build"
)]
const fn short_escapes() -> [u8; 256] {
    let mut decoded = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0Cn\nr\rt\t";
    let mut at = 0;
    while at < pairs.len() {
        decoded[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    decoded
}

/// The character that the escape at `at` names, and the escape's bytes. It has been read before.
#[inline(always)]
fn escape(bytes: &[u8], at: usize) -> (char, usize) {
    match byte_at(&SHORT, usize::from(byte_at(bytes, at + 1))) {
        0 => unicode_escape(bytes, at),
        short => (char::from(short), 2),
    }
}

fn unicode_escape(bytes: &[u8], at: usize) -> (char, usize) {
    let unit = hex4(bytes, at + 2).unwrap_or_default();
    let (code, len) = if (0xD800..0xDC00).contains(&unit) {
        let low = hex4(bytes, at + 8).unwrap_or_default();
        (0x1_0000 + ((unit & 0x3FF) << 10) + (low & 0x3FF), 12)
    } else {
        (unit, 6)
    };
    (char::from_u32(code).unwrap_or_default(), len)
}

/// From `at`, the first `"`, `\` or control byte, or the end.
fn end_of_run(bytes: &[u8], at: usize) -> usize {
    let mut at = skip_plain(bytes, at);
    while at < bytes.len() && !matches!(byte_at(bytes, at), b'"' | b'\\' | 0..=0x1F) {
        at += 1;
    }
    at
}

/// The decoded text of what stands between the quotes.
pub(crate) fn decode(raw: &str, escaped: bool) -> Cow<'_, str> {
    if escaped {
        let mut decoded = String::with_capacity(raw.len());
        decode_into(raw, &mut decoded);
        Cow::Owned(decoded)
    } else {
        Cow::Borrowed(raw)
    }
}

/// Appends the decoded text of what stands between the quotes.
pub(crate) fn decode_into(raw: &str, decoded: &mut String) {
    for piece in pieces(raw) {
        match piece {
            Piece::Raw(text) => decoded.push_str(text),
            Piece::Char(one) => decoded.push(one),
        }
    }
}

/// Appends the decoded text of a string from behind its opening quote to its closing one, both read
/// before. In one pass, since keys are decoded by the megabyte where they are made to cost.
pub(crate) fn decode_key(bytes: &[u8], mut at: usize, decoded: &mut Vec<u8>) {
    loop {
        if byte_at(bytes, at) == b'\\' {
            let (one, len) = escape(bytes, at);
            match u8::try_from(one) {
                Ok(byte) if byte.is_ascii() => decoded.push(byte),
                _ => decoded.extend_from_slice(one.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            at += len;
        } else {
            let end = end_of_run(bytes, at);
            if end == at {
                return;
            }
            decoded.extend_from_slice(bytes.get(at..end).unwrap_or_default());
            at = end;
        }
    }
}

/// The decoded bytes of what stands between the quotes, one by one.
pub(crate) fn decoded_bytes(raw: &str) -> impl Iterator<Item = u8> + '_ {
    pieces(raw).flat_map(|piece| {
        let mut buffer = [0; 4];
        let (text, encoded) = match piece {
            Piece::Raw(text) => (text, 0),
            Piece::Char(one) => ("", one.encode_utf8(&mut buffer).len()),
        };
        text.bytes().chain(buffer.into_iter().take(encoded))
    })
}

/// Bytes of the decoded text.
pub(crate) fn decoded_len(raw: &str, escaped: bool) -> usize {
    if !escaped {
        return raw.len();
    }
    pieces(raw)
        .map(|piece| match piece {
            Piece::Raw(text) => text.len(),
            Piece::Char(one) => one.len_utf8(),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape_decodes() {
        let raw = r#"a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00z"#;
        let expected = "a\"\\/\u{8}\u{C}\n\r\tA\u{e9}\u{1F600}z";
        assert_eq!(decode(raw, true), expected);
        assert!(decoded_bytes(raw).eq(expected.bytes()));
        assert_eq!(decoded_len(raw, true), expected.len());
        let quoted = alloc::format!("{raw}\"");
        assert_eq!(
            end_of_string(quoted.as_bytes(), 0).ok(),
            Some((raw.len(), true))
        );
    }

    #[test]
    fn each_byte_that_ends_a_run_is_found_in_each_lane() {
        for stop in [b'"', b'\\', 0x00, 0x1F] {
            for lane_of_stop in 0..24_usize {
                for filler in [
                    0xC3, b' ', b'!', b'#', b'[', b']', 0x7F, 0x80, 0xA2, 0xDC, 0xFF,
                ] {
                    let mut bytes = alloc::vec![filler; 40];
                    bytes[lane_of_stop] = stop;
                    bytes[39] = b'"';
                    let got = end_of_string(&bytes, 0);
                    match stop {
                        b'"' => assert_eq!(got.ok(), Some((lane_of_stop, false))),
                        b'\\' => assert_eq!(got.err().map(|f| f.at), Some(lane_of_stop + 1)),
                        _ => assert_eq!(got.err().map(|f| f.at), Some(lane_of_stop)),
                    }
                }
            }
        }
    }
}
