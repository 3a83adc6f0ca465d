//! Numbers: their grammar, their range, and their canonical text. Reading converts nothing to a double.

use super::decimal::Decimal;
use super::fault::{Fault, byte_at};
use super::nearest::nearest;
use super::shortest::shortest;
use super::tape::Kind;
use crate::reason::Reason;

/// The longest canonical text of a number that is no integer: `-1.7976931348623157e+308`.
pub(crate) const FLOAT_TEXT_MAX_BYTES: usize = 24;

/// A number as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) kind: Kind,
    pub(crate) end: usize,
    /// The bytes by which its canonical text can be longer than its own.
    pub(crate) growth: usize,
}

/// Reads the number that begins at `at` with `-` or a digit.
#[inline(always)]
pub(crate) fn end_of_number(bytes: &[u8], at: usize) -> Result<Number, Fault> {
    let negative = byte_at(bytes, at) == b'-';
    let first = at + usize::from(negative);
    let end = match byte_at(bytes, first) {
        b'0' => first + 1,
        b'1'..=b'9' => end_of_digits(bytes, first + 1),
        _ => return Err(Fault::syntax(first)),
    };
    let digits = end - first;
    let zero = digits == 1 && byte_at(bytes, first) == b'0';
    if matches!(byte_at(bytes, end), b'.' | b'e' | b'E') || digits > 18 || (negative && zero) {
        return end_of_hard_number(bytes, at, first, end);
    }
    Ok(Number {
        kind: Kind::Integer,
        end,
        growth: 0,
    })
}

#[inline(always)]
fn end_of_digits(bytes: &[u8], mut at: usize) -> usize {
    while byte_at(bytes, at).is_ascii_digit() {
        at += 1;
    }
    at
}

/// The rest of a number with a fraction, an exponent, many digits, or of `-0`.
fn end_of_hard_number(
    bytes: &[u8],
    at: usize,
    first: usize,
    end_of_integer: usize,
) -> Result<Number, Fault> {
    let mut end = end_of_integer;
    let mut exponent = false;
    if byte_at(bytes, end) == b'.' {
        let fraction = end + 1;
        end = end_of_digits(bytes, fraction);
        if end == fraction {
            return Err(Fault::syntax(end));
        }
    }
    if matches!(byte_at(bytes, end), b'e' | b'E') {
        exponent = true;
        let sign = end + 1;
        let digits = sign + usize::from(matches!(byte_at(bytes, sign), b'+' | b'-'));
        end = end_of_digits(bytes, digits);
        if end == digits {
            return Err(Fault::syntax(end));
        }
    }
    let text = bytes.get(at..end).unwrap_or_default();
    if end == end_of_integer && is_integer(text) {
        return Ok(Number {
            kind: Kind::Integer,
            end,
            growth: 0,
        });
    }
    // Without an exponent, fewer than 309 digits before the point are always in range.
    if (exponent || end_of_integer - first > 308) && Decimal::of(text).exceeds_double() {
        return Err(Fault::new(Reason::NumberOutOfRange, at));
    }
    let len = end - at;
    let plain = !exponent && end != end_of_integer && len <= 17;
    Ok(Number {
        kind: Kind::Float,
        end,
        growth: if plain {
            0
        } else {
            FLOAT_TEXT_MAX_BYTES.saturating_sub(len)
        },
    })
}

/// Whether an integer's text fits i64 or u64, and is not `-0`.
fn is_integer(text: &[u8]) -> bool {
    if text == b"-0" || text.len() > 20 {
        return false;
    }
    core::str::from_utf8(text)
        .is_ok_and(|text| text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok())
}

/// The largest number of significant digits that every double in the normal range keeps.
const EXACT_DIGITS: usize = 15;

/// The canonical text of a number that is no integer (section 7).
#[derive(Debug, Clone, Copy)]
pub(crate) struct FloatText {
    buffer: [u8; FLOAT_TEXT_MAX_BYTES],
    len: usize,
}

impl FloatText {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = byte;
            self.len += 1;
        }
    }

    fn extend(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.push(byte);
        }
    }

    /// 0.d1d2d3... * 10^scale in the form of section 7; the last digit is not 0.
    fn lay_out(negative: bool, digits: &[u8], scale: i64) -> Self {
        let mut text = Self {
            buffer: [0; FLOAT_TEXT_MAX_BYTES],
            len: 0,
        };
        if negative {
            text.push(b'-');
        }
        if digits.is_empty() {
            text.extend(*b"0.0");
        } else if (1..=16).contains(&scale) {
            let point = usize::try_from(scale).unwrap_or(0);
            let zeros = point.saturating_sub(digits.len());
            let (before, after) = digits.split_at_checked(point).unwrap_or((digits, b""));
            text.extend(before.iter().copied());
            text.extend(core::iter::repeat_n(b'0', zeros));
            text.push(b'.');
            text.extend(after.iter().copied());
            if after.is_empty() {
                text.push(b'0');
            }
        } else if (-4..=0).contains(&scale) {
            text.extend(*b"0.");
            text.extend(core::iter::repeat_n(
                b'0',
                usize::try_from(-scale).unwrap_or(0),
            ));
            text.extend(digits.iter().copied());
        } else {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, b""));
            text.extend(first.iter().copied());
            if !rest.is_empty() {
                text.push(b'.');
                text.extend(rest.iter().copied());
            }
            text.push(b'e');
            let exponent = scale - 1;
            text.push(if exponent < 0 { b'-' } else { b'+' });
            let size = u16::try_from(exponent.unsigned_abs()).unwrap_or(u16::MAX);
            if size >= 100 {
                text.push(digit(size / 100));
            }
            if size >= 10 {
                text.push(digit(size / 10 % 10));
            }
            text.push(digit(size % 10));
        }
        text
    }
}

fn digit(value: u16) -> u8 {
    b'0' + u8::try_from(value).unwrap_or(0)
}

/// The canonical text of a number of kind [`Kind::Float`].
pub(crate) fn float_text(text: &[u8]) -> FloatText {
    let decimal = Decimal::of(text);
    let mut short = [0_u8; EXACT_DIGITS];
    let mut len = 0;
    let mut exact = true;
    for (place, digit) in decimal.digits().enumerate() {
        if let Some(slot) = short.get_mut(place) {
            *slot = digit;
        }
        if digit != b'0' {
            len = place + 1;
            if len > EXACT_DIGITS {
                exact = false;
                break;
            }
        }
    }
    // Subnormal doubles keep fewer digits, so they are always converted.
    if exact && (len == 0 || (-300..=308).contains(&decimal.scale)) {
        let digits = short.get(..len).unwrap_or_default();
        return FloatText::lay_out(decimal.negative, digits, decimal.scale);
    }
    let shortest = shortest(nearest(&decimal));
    FloatText::lay_out(decimal.negative, shortest.digits(), shortest.scale())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    fn kind(text: &str) -> Result<Kind, Reason> {
        match end_of_number(text.as_bytes(), 0) {
            Ok(number) if number.end == text.len() => Ok(number.kind),
            Ok(_) => Err(Reason::Syntax),
            Err(fault) => Err(fault.reason),
        }
    }

    #[test]
    fn integers_are_those_that_fit_64_bits() {
        for text in [
            "0",
            "1",
            "-1",
            "18446744073709551615",
            "-9223372036854775808",
            "9223372036854775808",
        ] {
            assert_eq!(kind(text), Ok(Kind::Integer), "{text}");
        }
        for text in [
            "-0",
            "18446744073709551616",
            "-9223372036854775809",
            "1.0",
            "1e0",
            "-0.0",
            "100000000000000000000",
        ] {
            assert_eq!(kind(text), Ok(Kind::Float), "{text}");
        }
    }

    #[test]
    fn grammar_is_rfc_8259() {
        for text in [
            "-", "01", "1.", ".5", "1e", "1e+", "-a", "1.e1", "+1", "00", "1.5.5",
        ] {
            assert_eq!(kind(text), Err(Reason::Syntax), "{text}");
        }
    }

    #[test]
    fn range_ends_half_way_to_infinity() {
        let least_infinite = core::str::from_utf8(crate::json::decimal::LEAST_INFINITE).unwrap();
        let mut below = String::from(least_infinite);
        below.replace_range(306.., "791");
        assert_eq!(kind(least_infinite), Err(Reason::NumberOutOfRange));
        assert_eq!(least_infinite.parse(), Ok(f64::INFINITY));
        assert_eq!(kind(&below), Ok(Kind::Float));
        assert_eq!(below.parse(), Ok(f64::MAX));
        let zeros = "0".repeat(400);
        for (text, out) in [
            ("1e309", true),
            ("1e308", false),
            ("1e400", true),
            ("-1e400", true),
            ("1.7976931348623157e308", false),
            ("1.7976931348623159e308", true),
            ("1e99999999999999999999999", true),
            ("1e-99999999999999999999999", false),
            ("0e99999999999999999999999", false),
            (&*format!("0.{zeros}1e700"), false),
            (&*format!("0.{zeros}1e709"), false),
            (&*format!("0.{zeros}1e710"), true),
            (&*format!("1{zeros}"), true),
            (&*format!("1{zeros}e-100"), false),
            (&*format!("1{zeros}.5e-91"), true),
        ] {
            let expected = if out {
                Err(Reason::NumberOutOfRange)
            } else {
                Ok(Kind::Float)
            };
            assert_eq!(kind(text), expected, "{text}");
            assert_eq!(text.parse::<f64>().unwrap().is_infinite(), out, "{text}");
        }
    }

    #[test]
    fn canonical_text_has_the_form_of_section_7() {
        for (text, expected) in [
            ("-0", "-0.0"),
            ("0.0", "0.0"),
            ("-0.0e5", "-0.0"),
            ("1.0", "1.0"),
            ("1e0", "1.0"),
            ("100.00", "100.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1e21", "1e+21"),
            ("1e-5", "0.00001"),
            ("0.0001", "0.0001"),
            ("1e-7", "1e-7"),
            ("0.000001", "1e-6"),
            ("5e-324", "5e-324"),
            ("3e-324", "5e-324"),
            ("2e-324", "0.0"),
            ("-1e-400", "-0.0"),
            ("18446744073709551616", "1.8446744073709552e+19"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("-1.7976931348623157e+308", "-1.7976931348623157e+308"),
            ("1234567890123456.7", "1234567890123456.8"),
            ("12345678901234567.0", "1.2345678901234568e+16"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("123.456e-2", "1.23456"),
            ("2.2250738585072011e-308", "2.225073858507201e-308"),
            ("0.10000000000000000000000000000", "0.1"),
        ] {
            assert_eq!(
                core::str::from_utf8(float_text(text.as_bytes()).as_bytes()),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn growth_bounds_what_canonical_text_adds() {
        for text in [
            "-0",
            "1e15",
            "-1e15",
            "9e15",
            "1.5e-4",
            "0.5",
            "100000000000000000000",
            "18446744073709551616",
            "12345678901234567.0",
            "1234567890123456.7",
            "-1e-300",
            "123456789012345.6",
            "0e0",
            "0.000001234567891",
            "1E5",
            "99999999999999999.5",
        ] {
            let number = end_of_number(text.as_bytes(), 0).unwrap();
            let canonical = float_text(text.as_bytes());
            assert!(
                canonical.as_bytes().len() <= text.len() + number.growth,
                "{text}"
            );
        }
    }
}
