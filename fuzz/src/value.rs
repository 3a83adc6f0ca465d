//! JSON values as the generators know them, and arbitrary ones.

use arbitrary::{Arbitrary, Unstructured};

use crate::dice::Dice;
use crate::text;

/// A JSON value. Generators give each object distinct keys, unless a fault is that it has not.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that fits i64 or u64, written without fraction and exponent.
    Integer(i128),
    /// Any other number: finite, and written in a form that is no integer's. Compare bits: -0 is not 0.
    Float(f64),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object, its members in the order in which they are written unless they are shuffled.
    Object(Vec<(String, Value)>),
    /// Bytes that are written as they stand, JSON or not. Has no meaning, so it has no digest.
    Raw(Vec<u8>),
}

impl Value {
    /// The empty object.
    #[must_use]
    pub const fn empty() -> Self {
        Self::Object(Vec::new())
    }

    /// A member or item.
    #[must_use]
    pub fn child(&self, token: &str) -> Option<&Self> {
        match self {
            Self::Array(items) => items.get(token.parse::<usize>().ok()?),
            Self::Object(members) => members
                .iter()
                .find_map(|(key, value)| (key == token).then_some(value)),
            _ => None,
        }
    }

    /// The value that a JSON pointer names.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        tokens(pointer).try_fold(self, |value, token| value.child(&token))
    }

    /// The value that a JSON pointer names, to be changed.
    #[must_use]
    pub fn at_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        tokens(pointer).try_fold(self, |value, token| match value {
            Self::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
            Self::Object(members) => members
                .iter_mut()
                .find_map(|(key, value)| (*key == token).then_some(value)),
            _ => None,
        })
    }

    /// The members of the object that a JSON pointer names.
    ///
    /// # Panics
    /// Where there is no object.
    pub fn members_mut(&mut self, pointer: &str) -> &mut Vec<(String, Self)> {
        match self.at_mut(pointer) {
            Some(Self::Object(members)) => members,
            other => panic!("{pointer} names no object: {other:?}"),
        }
    }

    /// An arbitrary object, such as a schema.
    pub fn object(u: &mut Unstructured<'_>) -> Self {
        Self::Object(members(u, 3))
    }

    fn nested(u: &mut Unstructured<'_>, levels: usize) -> Self {
        match u.below(if levels == 0 { 8 } else { 12 }) {
            0 => Self::Null,
            1 => Self::Bool(u.below(2) == 1),
            2 | 3 => integer(u),
            4 | 5 => Self::Float(float(u)),
            6 | 7 => Self::String(text::any(u)),
            8 | 9 => Self::Array(
                (0..u.between(0, 6))
                    .map(|_| Self::nested(u, levels - 1))
                    .collect(),
            ),
            _ => Self::Object(members(u, levels - 1)),
        }
    }
}

/// Anything but [`Value::Raw`], at most four levels deep.
impl<'a> Arbitrary<'a> for Value {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self::nested(u, 4))
    }
}

fn members(u: &mut Unstructured<'_>, levels: usize) -> Vec<(String, Value)> {
    // Beyond sixteen members the gate keeps and sorts keys in another way.
    let count = if u.once_in(16) {
        15 + u.below(8)
    } else {
        u.between(0, 5)
    };
    let prefix = if u.once_in(8) {
        "the same beginning "
    } else {
        ""
    };
    let mut members: Vec<(String, Value)> = Vec::with_capacity(count);
    for number in 0..count {
        let mut key = if levels.is_multiple_of(2) && u.below(2) == 0 {
            u.pick(text::SCHEMA_WORDS).to_owned()
        } else {
            text::any(u)
        };
        key.insert_str(0, prefix);
        if members.iter().any(|(other, _)| *other == key) {
            key.push_str(&number.to_string());
        }
        if members.iter().all(|(other, _)| *other != key) {
            members.push((key, Value::nested(u, levels)));
        }
    }
    members
}

fn integer(u: &mut Unstructured<'_>) -> Value {
    const EDGES: [i128; 12] = [
        0,
        1,
        -1,
        i64::MAX as i128,
        i64::MIN as i128,
        u64::MAX as i128,
        i64::MAX as i128 + 1,
        u32::MAX as i128,
        u32::MAX as i128 + 1,
        999_999_999_999_999_999,
        1_000_000_000_000_000_000,
        -999_999_999_999_999_999,
    ];
    Value::Integer(match u.below(4) {
        0 => i128::from(u.arbitrary::<i16>().unwrap_or(0)),
        1 => i128::from(u.arbitrary::<i64>().unwrap_or(0)),
        2 => i128::from(u.arbitrary::<u64>().unwrap_or(0)),
        _ => u.pick(&EDGES),
    })
}

/// A finite double, those at which printing or parsing turns among them.
pub(crate) fn float(u: &mut Unstructured<'_>) -> f64 {
    const EDGES: [f64; 24] = [
        0.0,
        -0.0,
        1.0,
        0.1,
        100.0,
        1e15,
        1e16,
        1e17,
        1e21,
        1e-4,
        1e-5,
        1e-6,
        1e-7,
        5e-324,
        1.7976931348623157e308,
        2.2250738585072014e-308,
        2.225073858507201e-308,
        9007199254740992.0,
        9007199254740993.0,
        18446744073709551616.0,
        -9223372036854775808.0,
        1e22,
        1e23,
        123456789012345680.0,
    ];
    let found = match u.below(7) {
        0 => f64::from(u.arbitrary::<i16>().unwrap_or(0)) / 100.0,
        1 => f64::from_bits(u.arbitrary().unwrap_or(0)),
        // A power of two, or a neighbour: the double below is half as far away as the one above.
        2 => {
            let power = f64::from_bits((u.below(2046) as u64) << 52);
            f64::from_bits(
                power
                    .to_bits()
                    .saturating_add(u.below(3) as u64)
                    .saturating_sub(1),
            )
        }
        3 => f64::from_bits(u.arbitrary::<u32>().unwrap_or(0).into()),
        4 => {
            let digits = u.arbitrary::<u64>().unwrap_or(0) % 1_000_000_000_000_000_000;
            let exponent = u.below(60) as i32 - 40;
            format!("{digits}e{exponent}").parse().unwrap_or(0.0)
        }
        5 => ((1_u64 << 53) + u.arbitrary::<u64>().unwrap_or(0) % (1 << 53)) as f64,
        _ => u.pick(&EDGES),
    };
    let signed = if u.once_in(4) { -found } else { found };
    if signed.is_finite() { signed } else { 0.5 }
}

/// The reference tokens of a JSON pointer.
pub(crate) fn tokens(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer
        .split('/')
        .skip(1)
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
}

/// A pointer, one token longer.
#[must_use]
pub(crate) fn join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}
