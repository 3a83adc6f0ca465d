//! From a double to the shortest decimal digits that name it, nearest first, by Raffaello Giulietti's
//! Schubfach, in constant time. The digits are a mathematical fact, so they can be frozen here.

/// Powers of ten for which the table has an entry.
const LEAST_POWER: i32 = -292;
const MOST_POWER: i32 = 324;
#[allow(clippy::as_conversions, reason = "a positive constant")]
const POWERS: usize = (MOST_POWER - LEAST_POWER + 1) as usize;

/// 10^k as a 128-bit integer with its high bit set, rounded up, for each k of the table.
static POWERS_OF_TEN: [u128; POWERS] = powers_of_ten();

/// Limbs for 10^324 (1,077 bits), and for 2^1152 over 10^292.
const LIMBS: usize = 18;

#[allow(
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "runs in the compiler only, where a fault stops the build"
)]
const fn powers_of_ten() -> [u128; POWERS] {
    let mut table = [0; POWERS];
    let zero = -LEAST_POWER as usize;
    let mut big = [0_u64; LIMBS];
    big[0] = 1;
    let mut k = 0;
    while zero + k < POWERS {
        table[zero + k] = rounded_up(&big, true);
        let mut carry = 0_u128;
        let mut i = 0;
        while i < LIMBS {
            let wide = big[i] as u128 * 10 + carry;
            big[i] = wide as u64;
            carry = wide >> 64;
            i += 1;
        }
        k += 1;
    }
    // 2^1152 over 10^k, rounded down: dividing a quotient again gives the quotient of the product.
    let mut big = [0_u64; LIMBS];
    let mut carry = 1_u128;
    let mut k = 1;
    while k <= zero {
        let mut i = LIMBS;
        while i > 0 {
            i -= 1;
            let wide = carry << 64 | big[i] as u128;
            big[i] = (wide / 10) as u64;
            carry = wide % 10;
        }
        carry = 0;
        table[zero - k] = rounded_up(&big, false);
        k += 1;
    }
    table
}

/// The highest 128 bits, rounded up: of an exact integer where a lower bit is set, else always.
#[allow(
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "runs in the compiler only, where a fault stops the build"
)]
const fn rounded_up(big: &[u64; LIMBS], exact: bool) -> u128 {
    let mut top = LIMBS - 1;
    while big[top] == 0 {
        top -= 1;
    }
    let shift = big[top].leading_zeros();
    let mut high = big[top] as u128;
    let mut middle = 0_u128;
    let mut low = 0_u128;
    let mut dropped = false;
    if top >= 1 {
        middle = big[top - 1] as u128;
    }
    if top >= 2 {
        low = big[top - 2] as u128;
        let mut i = 0;
        while i + 2 < top {
            dropped |= big[i] != 0;
            i += 1;
        }
    }
    high = high << 64 | middle;
    if shift > 0 {
        high = high << shift | low >> (64 - shift);
        dropped |= low << (64 + shift) != 0;
    } else {
        dropped |= low != 0;
    }
    if dropped || !exact { high + 1 } else { high }
}

/// The digits of a positive double, and their scale: 0.d1d2d3... * 10^scale. Zero has no digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shortest {
    buffer: [u8; 20],
    first: usize,
    end: usize,
    scale: i64,
}

impl Shortest {
    /// ASCII digits; neither the first nor the last is `0`.
    pub(crate) fn digits(&self) -> &[u8] {
        self.buffer.get(self.first..self.end).unwrap_or_default()
    }

    pub(crate) const fn scale(&self) -> i64 {
        self.scale
    }

    /// Of `value` * 10^`exponent`.
    fn of(mut value: u64, exponent: i32) -> Self {
        let mut buffer = [0; 20];
        let mut first = buffer.len();
        let mut end = 0;
        while value != 0 {
            first -= 1;
            let digit = u8::try_from(value % 10).unwrap_or(0);
            if let Some(slot) = buffer.get_mut(first) {
                *slot = b'0' + digit;
            }
            if end == 0 && digit != 0 {
                end = first + 1;
            }
            value /= 10;
        }
        let places = i64::try_from(buffer.len() - first).unwrap_or(0);
        Self {
            buffer,
            first,
            end: end.max(first),
            scale: places + i64::from(exponent),
        }
    }
}

/// floor(e * log10(2)), for the `e` of doubles.
const fn floor_log10_pow2(e: i32) -> i32 {
    (e * 1_262_611) >> 22
}

/// floor(log10(3/4 * 2^e)), for the `e` of doubles.
const fn floor_log10_three_quarters_pow2(e: i32) -> i32 {
    (e * 1_262_611 - 524_031) >> 22
}

/// floor(e * log2(10)), for the powers of the table.
const fn floor_log2_pow10(e: i32) -> i32 {
    (e * 1_741_647) >> 19
}

/// The shortest digits that name this finite double, which is not negative.
pub(crate) fn shortest(value: f64) -> Shortest {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let biased = i32::try_from(bits >> 52 & 0x7FF).unwrap_or(0);
    if bits == 0 {
        return Shortest::of(0, 0);
    }
    let (mantissa, exponent) = if biased == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, biased - 1075)
    };
    let closer_below = fraction == 0 && biased > 1;
    let odd = mantissa & 1;

    let below = 4 * mantissa - 2 + u64::from(closer_below);
    let itself = 4 * mantissa;
    let above = 4 * mantissa + 2;

    let k = if closer_below {
        floor_log10_three_quarters_pow2(exponent)
    } else {
        floor_log10_pow2(exponent)
    };
    let shift = u32::try_from(exponent + floor_log2_pow10(-k) + 1).unwrap_or(0);
    let power = usize::try_from(-k - LEAST_POWER)
        .ok()
        .and_then(|index| POWERS_OF_TEN.get(index))
        .copied()
        .unwrap_or(0);
    let lower = round_to_odd(power, below << shift) + odd;
    let middle = round_to_odd(power, itself << shift);
    let upper = round_to_odd(power, above << shift) - odd;

    let s = middle / 4;
    if s >= 10 {
        let tens = s / 10;
        let down = lower <= 40 * tens;
        let up = 40 * tens + 40 <= upper;
        if down != up {
            return Shortest::of(tens + u64::from(up), k + 1);
        }
    }
    let down = lower <= 4 * s;
    let up = 4 * s + 4 <= upper;
    if down != up {
        return Shortest::of(s + u64::from(up), k);
    }
    let half = 4 * s + 2;
    let round_up = middle > half || (middle == half && s & 1 != 0);
    Shortest::of(s + u64::from(round_up), k)
}

/// The high 64 bits of the 192-bit product, its lowest bit set where a lower one is.
#[allow(clippy::as_conversions, reason = "the halves are what is wanted")]
const fn round_to_odd(power: u128, factor: u64) -> u64 {
    let low = (power as u64 as u128) * factor as u128;
    let high = (power >> 64) * factor as u128 + (low >> 64);
    (high >> 64) as u64 | (high as u64 > 1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the printer of `serde_json`, an independent one. The printer of `core` rounds an
    /// exact tie up (2^-25), where this and most others go to the even digit.
    fn agrees(value: f64) {
        let text = serde_json::to_string(&value).unwrap();
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = std::format!("{integer}{fraction}");
        let stripped = digits.trim_start_matches('0');
        let zeros = i64::try_from(digits.len() - stripped.len()).unwrap();
        let point = i64::try_from(integer.len()).unwrap();
        let got = shortest(value);
        assert_eq!(
            core::str::from_utf8(got.digits()),
            Ok(stripped.trim_end_matches('0')),
            "{text}"
        );
        let exponent: i64 = exponent.parse().unwrap();
        assert_eq!(got.scale(), exponent + point - zeros, "{text}");
    }

    #[test]
    fn every_power_of_two_and_its_neighbours() {
        for exponent in 0..2047_u64 {
            for fraction in [0, 1, 2, (1 << 52) - 1, 1 << 51, 0x000F_0F0F_0F0F_0F0F] {
                let value = f64::from_bits(exponent << 52 | fraction);
                if value != 0.0 {
                    agrees(value);
                }
            }
        }
    }

    #[test]
    fn many_doubles() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..200_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let value = f64::from_bits(state & (u64::MAX >> 1));
            if value.is_finite() && value != 0.0 {
                agrees(value);
            }
        }
    }

    #[test]
    fn decimal_numbers() {
        for n in 1..20_000_u32 {
            agrees(f64::from(n) / 1000.0);
            agrees(f64::from(n) * 1e300);
            agrees(f64::from(n) * 5e-324);
        }
        assert_eq!(shortest(f64::from_bits(0)).digits(), b"");
    }
}
