//! From a decimal number to the nearest double, half to even, in time that is bounded by its text.
//!
//! The first 19 significant digits decide nearly always. Where they do not, since the text comes too
//! near to the middle between two doubles, text and middle are compared as big integers.

use core::cmp::Ordering;

use super::decimal::Decimal;
use super::order::widen;

/// Digits whose number a `u64` holds; texts of that length are converted without a big integer.
const HEAD: usize = 19;
/// The middle between two doubles has at most 767 significant digits, so digits behind this only
/// say "more than the digits before".
const MOST_DIGITS: usize = 800;

/// The nearest double to the size (the sign is left to the caller). In range, as was checked in reading.
pub(crate) fn nearest(decimal: &Decimal<'_>) -> f64 {
    let mut head = [b'0'; HEAD];
    let mut digits = decimal.digits();
    for slot in &mut head {
        match digits.next() {
            Some(digit) => *slot = digit,
            None => break,
        }
    }
    let more = digits.any(|digit| digit != b'0');
    let Ok(scale) = i32::try_from(decimal.scale) else {
        return if decimal.scale < 0 { 0.0 } else { f64::MAX };
    };
    // Below half of the least subnormal, 4.9e-324.
    if scale < -323 || head.iter().all(|digit| *digit == b'0') {
        return 0.0;
    }
    let low = convert(&head, scale);
    if !more {
        return low;
    }
    let high = match successor(&head) {
        Some(next) => convert(&next, scale),
        // 0.999... is followed by 1, which is 0.1 at the next scale.
        None => convert(b"1000000000000000000", scale + 1),
    };
    if low.to_bits() == high.to_bits() {
        return low;
    }
    let below_middle = match compare_with_middle(decimal, scale, low) {
        Ordering::Less => true,
        Ordering::Greater => false,
        Ordering::Equal => low.to_bits() & 1 == 0,
    };
    if below_middle { low } else { high }
}

/// 0.`head` * 10^`scale`. Up to 19 digits are the fast path of the conversion in `core`.
fn convert(head: &[u8; HEAD], scale: i32) -> f64 {
    let mut text = [0_u8; HEAD + 8];
    let exponent = scale - 19;
    let size = exponent.unsigned_abs();
    let sign = if exponent < 0 { b'-' } else { b'+' };
    let digit = |value: u32| b'0' + u8::try_from(value % 10).unwrap_or(0);
    let tail = [b'e', sign, digit(size / 100), digit(size / 10), digit(size)];
    let mut len = 0;
    for (slot, byte) in text.iter_mut().zip(head.iter().chain(&tail)) {
        *slot = *byte;
        len += 1;
    }
    text.get(..len)
        .and_then(|text| core::str::from_utf8(text).ok())
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0)
}

/// The next number of as many digits.
fn successor(head: &[u8; HEAD]) -> Option<[u8; HEAD]> {
    let mut next = *head;
    for digit in next.iter_mut().rev() {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return Some(next);
        }
    }
    None
}

/// The decimal against the middle between `low` and the next double.
fn compare_with_middle(decimal: &Decimal<'_>, scale: i32, low: f64) -> Ordering {
    let bits = low.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let biased = i32::try_from(bits >> 52 & 0x7FF).unwrap_or(0);
    let (mantissa, exponent) = if biased == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, biased - 1075)
    };
    // The middle is (2 mantissa + 1) * 2^(exponent - 1); the decimal is `left` * 10^power.
    let mut right = Big::from(2 * mantissa + 1);
    let mut right_twos = exponent - 1;
    let mut left = Big::from(0);
    let mut taken = 0_i32;
    let mut rest = false;
    let mut chunk = (0_u64, 1_u64);
    for (place, digit) in decimal.digits().enumerate() {
        if place >= MOST_DIGITS {
            rest |= digit != b'0';
            continue;
        }
        chunk = (
            chunk.0 * 10 + u64::from(digit.wrapping_sub(b'0')),
            chunk.1 * 10,
        );
        taken += 1;
        if chunk.1 == 10_000_000_000_000_000_000 {
            left.multiply_add(chunk.1, chunk.0);
            chunk = (0, 1);
        }
    }
    left.multiply_add(chunk.1, chunk.0);
    let power = scale - taken;
    let mut left_twos = 0;
    if power >= 0 {
        left.multiply_by_power_of_five(power.unsigned_abs());
        left_twos = power;
    } else {
        right.multiply_by_power_of_five(power.unsigned_abs());
        right_twos -= power;
    }
    if left_twos > right_twos {
        left.shift_left(left_twos.abs_diff(right_twos));
    } else {
        right.shift_left(right_twos.abs_diff(left_twos));
    }
    match left.compare(&right) {
        Ordering::Equal if rest => Ordering::Greater,
        order => order,
    }
}

/// Room for the largest of these integers: 800 digits (2,658 bits) or 5^1123 times a mantissa.
const LIMBS: usize = 48;

/// An unsigned integer, least limb first.
struct Big {
    limbs: [u64; LIMBS],
    len: usize,
}

impl From<u64> for Big {
    fn from(value: u64) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[0] = value;
        Self { limbs, len: 1 }
    }
}

impl Big {
    fn push(&mut self, limb: u64) {
        if limb != 0
            && let Some(slot) = self.limbs.get_mut(self.len)
        {
            *slot = limb;
            self.len += 1;
        }
    }

    fn multiply_add(&mut self, factor: u64, summand: u64) {
        let mut carry = summand;
        for limb in self.limbs.iter_mut().take(self.len) {
            let wide = u128::from(*limb) * u128::from(factor) + u128::from(carry);
            (*limb, carry) = halves(wide);
        }
        self.push(carry);
    }

    fn multiply_by_power_of_five(&mut self, mut power: u32) {
        /// The largest power of five that a limb holds.
        const STEP: u32 = 27;
        while power >= STEP {
            self.multiply_add(const { 5_u64.pow(STEP) }, 0);
            power -= STEP;
        }
        self.multiply_add(5_u64.pow(power), 0);
    }

    fn shift_left(&mut self, bits: u32) {
        // A factor within a limb does the rest of a whole limb, in two halves.
        let rest = bits % 64;
        self.multiply_add(1 << (rest / 2), 0);
        self.multiply_add(1 << rest.div_ceil(2), 0);
        let whole = widen(bits / 64);
        let moved = self.len + whole;
        if let Some(limbs) = self.limbs.get_mut(..moved) {
            // Behind the last limb stand zeros, which come to the front.
            limbs.rotate_right(whole);
            self.len = moved;
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.limbs.iter().rev().cmp(other.limbs.iter().rev())
    }
}

#[allow(clippy::as_conversions, reason = "the two halves are what is wanted")]
const fn halves(wide: u128) -> (u64, u64) {
    (wide as u64, (wide >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};

    fn agrees(text: &str) {
        let expected: f64 = text.parse().unwrap();
        let got = nearest(&Decimal::of(text.as_bytes()));
        assert_eq!(got.to_bits(), expected.abs().to_bits(), "{text}");
    }

    /// A small generator: the same numbers on every run.
    fn numbers(count: usize) -> impl Iterator<Item = u64> {
        let mut state = 0x0123_4567_89AB_CDEF_u64;
        core::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        })
        .take(count)
    }

    #[test]
    fn known_hard_texts() {
        for text in [
            "9007199254740993",
            "9007199254740993.0000000000000000000000000000001",
            "9007199254740992.99999999999999999999999999999",
            "1.7976931348623158079e308",
            "2.2250738585072011e-308",
            "2.47032822920623272088284396434110686182e-324",
            "2.47032822920623272088284396434110686183e-324",
            "0.99999999999999999999999",
            "99999999999999999999999999999999999999e-38",
            "1e-324",
            "4.9406564584124654417656879286822137236505980e-324",
            "0.000000000000000000000000000000000000000000000000",
            "6.02214076000000000000000000000000000001e23",
        ] {
            agrees(text);
        }
    }

    #[test]
    fn middles_between_doubles_go_to_even() {
        for bits in numbers(3_000) {
            let low = f64::from_bits(bits & (u64::MAX >> 1));
            let high = f64::from_bits(low.to_bits() + 1);
            if !high.is_finite() {
                continue;
            }
            // Exact decimal expansions of both, whose mean is exact too.
            let (low, high) = (format!("{low:.1100}"), format!("{high:.1100}"));
            let middle = mean(&low, &high);
            agrees(&middle);
            agrees(&format!("{middle}0000000001"));
            let place = middle.rfind(|c| c != '0' && c != '.').unwrap();
            let digit = middle.as_bytes()[place] - b'0' - 1;
            agrees(&format!(
                "{}{digit}99{}",
                &middle[..place],
                if middle[place..].contains('.') {
                    &middle[place + 1..]
                } else {
                    ""
                }
            ));
        }
    }

    /// Half the sum of two decimal texts of the same number of decimals.
    fn mean(a: &str, b: &str) -> String {
        let width = a.len().max(b.len());
        let (a, b) = (format!("{a:0>width$}"), format!("{b:0>width$}"));
        let mut carry = 0;
        let mut sum = String::new();
        for (x, y) in a.bytes().rev().zip(b.bytes().rev()) {
            if x == b'.' {
                sum.insert(0, '.');
                continue;
            }
            let total = x - b'0' + y - b'0' + carry;
            sum.insert(0, char::from(b'0' + total % 10));
            carry = total / 10;
        }
        let mut rest = carry;
        let mut half = String::new();
        for digit in sum.bytes() {
            if digit == b'.' {
                half.push('.');
                continue;
            }
            let value = rest * 10 + digit - b'0';
            half.push(char::from(b'0' + value / 2));
            rest = value % 2;
        }
        if rest == 1 {
            half.push('5');
        }
        let trimmed = half.trim_start_matches('0');
        if trimmed.starts_with('.') {
            format!("0{trimmed}")
        } else {
            trimmed.to_string()
        }
    }

    #[test]
    fn long_texts_agree_with_core() {
        for (n, bits) in numbers(20_000).enumerate() {
            let digits = format!("{bits}{}", bits.rotate_left(17));
            let cut = 16 + n % 24;
            let exponent = i64::try_from(bits % 640).unwrap() - 340;
            let text = format!(
                "{}.{}e{exponent}",
                &digits[..1],
                &digits[1..cut.min(digits.len())]
            );
            if text.parse::<f64>().unwrap().is_finite() {
                agrees(&text);
            }
        }
    }
}
