//! One value in two spellings, and another value that differs from it in one place.

use arbitrary::{Arbitrary, Unstructured};

use crate::dice::Dice;
use crate::spell::{Spelled, spell};
use crate::text;
use crate::value::{self, Value, join};

/// A value, two spellings of it, and one change of its meaning.
#[derive(Debug, Clone)]
pub struct Respelling {
    /// The value.
    pub value: Value,
    /// One spelling.
    pub one: Spelled,
    /// Another: white space, member order, escapes and the spelling of floats differ.
    pub other: Spelled,
    /// The value with one change, which is another value.
    pub changed: Value,
    /// What was changed.
    pub change: &'static str,
    /// Where it was changed.
    pub pointer: String,
}

impl<'a> Arbitrary<'a> for Respelling {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let value = Value::arbitrary(u)?;
        let one = spell(&value, u);
        let other = spell(&value, u);
        let mut changed = value.clone();
        let (change, pointer) = change(&mut changed, u);
        Ok(Self {
            value,
            one,
            other,
            changed,
            change,
            pointer,
        })
    }
}

/// Changes a value in one place, so that it becomes another, and says what was done where.
pub fn change(value: &mut Value, u: &mut Unstructured<'_>) -> (&'static str, String) {
    let mut pointer = String::new();
    let mut here = value;
    // Go down as long as the bytes say so.
    loop {
        let below = match &*here {
            Value::Array(items) if !items.is_empty() => {
                let place = u.below(items.len());
                Some(place.to_string())
            }
            Value::Object(members) if !members.is_empty() => {
                let place = u.below(members.len());
                Some(members[place].0.clone())
            }
            _ => None,
        };
        match below {
            Some(token) if !u.once_in(4) => {
                pointer = join(&pointer, &token);
                here = here.at_mut(&join("", &token)).expect("a child");
            }
            _ => return (change_here(here, u), pointer),
        }
    }
}

fn change_here(value: &mut Value, u: &mut Unstructured<'_>) -> &'static str {
    let (changed, what) = match &*value {
        Value::Null => match u.below(3) {
            0 => (Value::empty(), "null to an object"),
            1 => (Value::Bool(false), "null to false"),
            _ => (Value::String("null".into()), "null to a string"),
        },
        Value::Bool(value) => match u.below(2) {
            0 => (Value::Bool(!value), "the other boolean"),
            _ => (Value::String(value.to_string()), "a boolean to a string"),
        },
        Value::Integer(number) => match u.below(3) {
            0 => {
                let next = if *number == i128::from(u64::MAX) {
                    number - 1
                } else {
                    number + 1
                };
                (Value::Integer(next), "the next integer")
            }
            1 => (Value::Float(*number as f64), "an integer to a float"),
            _ => (Value::String(number.to_string()), "a number to a string"),
        },
        Value::Float(number) => match u.below(4) {
            0 if number.next_up().is_finite() => {
                (Value::Float(number.next_up()), "the next double")
            }
            1 if number.next_down().is_finite() => {
                (Value::Float(number.next_down()), "the double before")
            }
            2 if number.fract() == 0.0 && number.abs() < 1e15 => {
                (Value::Integer(*number as i128), "a float to an integer")
            }
            _ => (Value::Float(-number), "another sign"),
        },
        Value::String(text) => match u.below(5) {
            0 => (
                Value::String(format!("{text}\u{301}")),
                "a combining character more",
            ),
            1 => (Value::String(format!("{text}\u{0}")), "a NUL more"),
            2 => (Value::String(format!(" {text}")), "a space more"),
            3 if !text.is_empty() => {
                let mut less = text.clone();
                less.pop();
                (Value::String(less), "a character less")
            }
            _ => (
                Value::Array(vec![Value::String(text.clone())]),
                "a string into an array",
            ),
        },
        Value::Array(items) => {
            let mut changed = items.clone();
            match u.below(4) {
                0 => {
                    changed.push(Value::Null);
                    (Value::Array(changed), "an item more")
                }
                1 if !items.is_empty() => {
                    changed.remove(u.below(items.len()));
                    (Value::Array(changed), "an item less")
                }
                2 if items.len() > 1 && !same(&items[0], &items[1]) => {
                    changed.swap(0, 1);
                    (Value::Array(changed), "items in another order")
                }
                _ => {
                    let members = items.iter().enumerate();
                    let members = members.map(|(place, item)| (place.to_string(), item.clone()));
                    (Value::Object(members.collect()), "an array to an object")
                }
            }
        }
        Value::Object(members) => {
            let mut changed = members.clone();
            match u.below(4) {
                1 if !members.is_empty() => {
                    changed.remove(u.below(members.len()));
                    (Value::Object(changed), "a member less")
                }
                2 if !members.is_empty() => {
                    let place = u.below(members.len());
                    let mut key = members[place].0.clone();
                    while members.iter().any(|(other, _)| *other == key) {
                        key.push(u.pick(text::DESCRIPTION));
                    }
                    changed[place].0 = key;
                    (Value::Object(changed), "another key")
                }
                3 if members.len() > 1 && !same(&members[0].1, &members[1].1) => {
                    let first = changed[0].1.clone();
                    changed[0].1 = core::mem::replace(&mut changed[1].1, first);
                    (Value::Object(changed), "two values exchanged")
                }
                _ => {
                    let mut key = String::from("more");
                    while members.iter().any(|(other, _)| *other == key) {
                        key.push('~');
                    }
                    changed.push((key, Value::Null));
                    (Value::Object(changed), "a member more")
                }
            }
        }
        Value::Raw(_) => (Value::Null, "raw bytes to null"),
    };
    *value = changed;
    what
}

/// Whether two values mean the same.
#[must_use]
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| {
                    b.iter()
                        .any(|(other, found)| key == other && same(value, found))
                })
        }
        _ => one == other,
    }
}

/// One spelling of a number that is no integer, and the double that it names.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberText {
    /// The text, as JSON has it.
    pub text: String,
    /// The nearest double, by the standard library.
    pub number: f64,
}

/// Texts at which conversion is hard: many digits, half way between doubles and next to it, at the ends of the range.
impl<'a> Arbitrary<'a> for NumberText {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let base = value::float(u).abs();
        let text = match u.below(5) {
            0 => digits_of(u),
            1 => middle(base, ""),
            2 => middle(base, "0000000000000000000000000000000000000001"),
            3 => {
                // One digit less at the end of the middle.
                let text = middle(base, "");
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let mut digits = mantissa.to_owned();
                let last = digits.pop().filter(|last| ('1'..='9').contains(last));
                match last.and_then(|last| char::from_digit(last.to_digit(10)? - 1, 10)) {
                    Some(less) => format!("{digits}{less}999999999999999999999e{exponent}"),
                    None => text.clone(),
                }
            }
            _ => format!("{:.*e}", u.below(60), base),
        };
        let sign = if u.once_in(4) { "-" } else { "" };
        let text = format!("{sign}{text}");
        let number: f64 = text.parse().unwrap_or(0.5);
        Ok(if number.is_finite() {
            Self { text, number }
        } else {
            Self {
                text: "0.5".into(),
                number: 0.5,
            }
        })
    }
}

fn digits_of(u: &mut Unstructured<'_>) -> String {
    let mut digits: String = (0..1 + u.below(40))
        .map(|_| char::from(b'0' + u.below(10) as u8))
        .collect();
    if u.once_in(8) {
        digits.push_str(&"0".repeat(u.below(900)));
        digits.push('1');
    }
    format!("{}.{digits}e{}", u.below(10), u.below(660) as i32 - 345)
}

/// The exact decimal text of the middle between a double and the next, with more digits behind.
fn middle(low: f64, more: &str) -> String {
    // Twice the middle is the sum of two neighbours: exact in 1,100 digits, as is its half.
    let sum = add(&format!("{low:.1100}"), &format!("{:.1100}", low.next_up()));
    let half = halved(&sum);
    let trimmed = half.trim_end_matches('0');
    format!("{trimmed}{more}e0").replace(".e", ".0e")
}

/// The sum of two decimal texts with as many decimals.
fn add(a: &str, b: &str) -> String {
    let width = a.len().max(b.len()) + 1;
    let (a, b) = (format!("{a:0>width$}"), format!("{b:0>width$}"));
    let mut carry = 0;
    let mut sum: Vec<u8> = a
        .bytes()
        .zip(b.bytes())
        .rev()
        .map(|(x, y)| {
            if x == b'.' {
                return x;
            }
            let total = x - b'0' + y - b'0' + carry;
            carry = total / 10;
            b'0' + total % 10
        })
        .collect();
    sum.reverse();
    String::from_utf8(sum).unwrap_or_default()
}

/// Half of a decimal text.
fn halved(text: &str) -> String {
    let mut rest = 0;
    let mut half: String = text
        .chars()
        .map(|one| match one.to_digit(10) {
            Some(digit) => {
                let value = rest * 10 + digit;
                rest = value % 2;
                char::from_digit(value / 2, 10).unwrap_or('0')
            }
            None => one,
        })
        .collect();
    if rest == 1 {
        half.push('5');
    }
    let trimmed = half.trim_start_matches('0');
    if trimmed.starts_with('.') {
        format!("0{trimmed}")
    } else {
        trimmed.to_owned()
    }
}
