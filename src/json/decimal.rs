//! A number's text as digits and a power of ten.

/// 2^1024 - 2^970, half way from the largest double to the next power: the least number that rounds to infinity.
pub(super) const LEAST_INFINITE: &[u8; 309] = b"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792";

/// A number's text in parts: (-1)^negative * 0.d1d2d3... * 10^scale, where d1 is not 0 (unless all are).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal<'t> {
    pub(crate) negative: bool,
    integer: &'t [u8],
    fraction: &'t [u8],
    pub(crate) scale: i64,
}

impl<'t> Decimal<'t> {
    /// Of a number as JSON spells it.
    pub(crate) fn of(text: &'t [u8]) -> Self {
        let (negative, text) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mantissa = text
            .iter()
            .position(|byte| matches!(byte, b'e' | b'E'))
            .unwrap_or(text.len());
        let exponent = exponent(text.get(mantissa + 1..).unwrap_or_default());
        let text = text.get(..mantissa).unwrap_or_default();
        let point = text
            .iter()
            .position(|byte| *byte == b'.')
            .unwrap_or(text.len());
        let integer = strip_zeros(text.get(..point).unwrap_or_default());
        let fraction = text.get(point + 1..).unwrap_or_default();
        let (fraction, scale) = if integer.is_empty() {
            let stripped = strip_zeros(fraction);
            (stripped, -signed(fraction.len() - stripped.len()))
        } else {
            (fraction, signed(integer.len()))
        };
        Self {
            negative,
            integer,
            fraction,
            scale: scale.saturating_add(exponent),
        }
    }

    /// The digits, from the first that is not 0.
    pub(crate) fn digits(&self) -> impl Iterator<Item = u8> + 't {
        self.integer.iter().chain(self.fraction).copied()
    }

    /// Whether the nearest double is infinite.
    pub(crate) fn exceeds_double(&self) -> bool {
        match self.scale.cmp(&309) {
            core::cmp::Ordering::Less => false,
            core::cmp::Ordering::Greater => self.digits().next().is_some(),
            core::cmp::Ordering::Equal => {
                let padded = self.digits().chain(core::iter::repeat(b'0'));
                self.digits().next().is_some()
                    && padded
                        .take(LEAST_INFINITE.len())
                        .ge(LEAST_INFINITE.iter().copied())
            }
        }
    }
}

fn strip_zeros(mut digits: &[u8]) -> &[u8] {
    while let Some(rest) = digits.strip_prefix(b"0") {
        digits = rest;
    }
    digits
}

fn signed(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// An exponent's value, held below 10^15 in size: far beyond what any document can make up for with zeros.
fn exponent(text: &[u8]) -> i64 {
    const CEILING: i64 = 1_000_000_000_000_000;
    let (negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        Some((b'+', digits)) => (false, digits),
        _ => (false, text),
    };
    let size = digits.iter().fold(0_i64, |size, digit| {
        (size * 10 + i64::from(digit.wrapping_sub(b'0'))).min(CEILING)
    });
    if negative { -size } else { size }
}
