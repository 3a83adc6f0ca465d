//! Writing a value down in one of its many spellings, and where each of its parts then stands.

use std::collections::BTreeMap;
use std::ops::Range;

use arbitrary::Unstructured;

use crate::dice::{Dice, Rolls};
use crate::oracle::number_text;
use crate::value::{Value, join};

/// Where a value stands in a document, and the key before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The bytes of the key, quotes included, where the value is a member.
    pub key: Option<Range<usize>>,
    /// The bytes of the value.
    pub value: Range<usize>,
}

/// A value as bytes.
#[derive(Debug, Clone)]
pub struct Spelled {
    /// The document.
    pub bytes: Vec<u8>,
    /// Each value of it by its JSON pointer. Of two members with one key, the later.
    pub spans: BTreeMap<String, Span>,
}

impl Spelled {
    /// Where the value stands that a pointer names.
    ///
    /// # Panics
    /// Where it names none.
    #[must_use]
    pub fn span(&self, pointer: &str) -> &Span {
        self.spans.get(pointer).unwrap_or_else(|| {
            panic!(
                "{pointer} names nothing in {}",
                String::from_utf8_lossy(&self.bytes)
            )
        })
    }
}

/// The choices that make up a spelling.
#[derive(Debug)]
struct Style {
    rolls: Rolls,
    /// White space between tokens: none, some, or line by line.
    space: usize,
    /// One character in so many is escaped without need; 0 for none.
    escapes: usize,
    /// Numbers are spelled in other ways than the canonical one.
    numbers: bool,
    shuffled: bool,
}

impl Style {
    fn from_bytes(u: &mut Unstructured<'_>) -> Self {
        let choice = u.below(64);
        Self {
            space: [0, 2, 1, 0][choice % 4],
            escapes: [0, 60, 9, 1][choice / 4 % 4],
            numbers: choice / 16 % 2 == 1,
            shuffled: choice / 32 == 1,
            rolls: Rolls::from_bytes(u),
        }
    }
}

/// Writes a value in a spelling that the bytes choose; without bytes, the plainest.
#[must_use]
pub fn spell(value: &Value, u: &mut Unstructured<'_>) -> Spelled {
    write(value, Style::from_bytes(u))
}

/// Writes a value without white space, escapes only where they must be.
#[must_use]
pub fn plain(value: &Value) -> Spelled {
    spell(value, &mut Unstructured::new(&[]))
}

/// Writes a value plainly, the members of each object in the opposite order.
#[must_use]
pub fn reversed(value: &Value) -> Spelled {
    fn turn(value: &Value) -> Value {
        match value {
            Value::Array(items) => Value::Array(items.iter().map(turn).collect()),
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .rev()
                    .map(|(key, value)| (key.clone(), turn(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }
    plain(&turn(value))
}

fn write(value: &Value, style: Style) -> Spelled {
    let mut writer = Writer {
        spelled: Spelled {
            bytes: Vec::new(),
            spans: BTreeMap::new(),
        },
        style,
    };
    writer.space(0);
    writer.value(value, "", None, 0);
    writer.space(0);
    writer.spelled
}

struct Writer {
    spelled: Spelled,
    style: Style,
}

impl Writer {
    fn here(&self) -> usize {
        self.spelled.bytes.len()
    }

    fn push(&mut self, text: &str) {
        self.spelled.bytes.extend_from_slice(text.as_bytes());
    }

    fn space(&mut self, depth: usize) {
        match self.style.space {
            0 => {}
            1 => {
                for _ in 0..self.style.rolls.below(4) {
                    let one = self
                        .style
                        .rolls
                        .pick(&[" ", "\n", "\t", "\r", "        ", "\r\n"]);
                    self.push(one);
                }
            }
            _ => {
                self.push("\n");
                self.push(&"  ".repeat(depth));
            }
        }
    }

    fn value(&mut self, value: &Value, pointer: &str, key: Option<Range<usize>>, depth: usize) {
        let start = self.here();
        match value {
            Value::Null => self.push("null"),
            Value::Bool(true) => self.push("true"),
            Value::Bool(false) => self.push("false"),
            Value::Integer(number) => self.push(&number.to_string()),
            Value::Float(number) => {
                let text = if self.style.numbers {
                    other_spelling(*number, &mut self.style.rolls)
                } else {
                    number_text(*number)
                };
                self.push(&text);
            }
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.push("[");
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        self.push(",");
                    }
                    self.space(depth + 1);
                    self.value(item, &join(pointer, &place.to_string()), None, depth + 1);
                    self.space(depth);
                }
                self.push("]");
            }
            Value::Object(members) => {
                let mut order: Vec<usize> = (0..members.len()).collect();
                if self.style.shuffled {
                    self.style.rolls.shuffle(&mut order);
                }
                self.push("{");
                for (place, member) in order.into_iter().enumerate() {
                    let (key, value) = &members[member];
                    if place > 0 {
                        self.push(",");
                    }
                    self.space(depth + 1);
                    let from = self.here();
                    self.string(key);
                    let span = from..self.here();
                    self.space(depth + 1);
                    self.push(":");
                    self.space(depth + 1);
                    self.value(value, &join(pointer, key), Some(span), depth + 1);
                    self.space(depth);
                }
                if members.is_empty() {
                    self.space(depth);
                }
                self.push("}");
            }
            Value::Raw(bytes) => self.spelled.bytes.extend_from_slice(bytes),
        }
        let span = Span {
            key,
            value: start..self.here(),
        };
        self.spelled.spans.insert(pointer.to_owned(), span);
    }

    fn string(&mut self, text: &str) {
        self.push("\"");
        for one in text.chars() {
            let free = self.style.escapes > 0 && self.style.rolls.below(self.style.escapes) == 0;
            let short = match one {
                '"' => Some("\\\""),
                '\\' => Some("\\\\"),
                '\u{8}' => Some("\\b"),
                '\u{c}' => Some("\\f"),
                '\n' => Some("\\n"),
                '\r' => Some("\\r"),
                '\t' => Some("\\t"),
                '/' if free => Some("\\/"),
                _ => None,
            };
            match short {
                Some(escape) if self.style.rolls.below(3) < 2 => self.push(escape),
                None if !free && one >= ' ' => self.push(one.encode_utf8(&mut [0; 4])),
                _ => {
                    for unit in one.encode_utf16(&mut [0; 2]) {
                        let upper = self.style.rolls.below(2) == 1;
                        let escape = if upper {
                            format!("\\u{unit:04X}")
                        } else {
                            format!("\\u{unit:04x}")
                        };
                        self.push(&escape);
                    }
                }
            }
        }
        self.push("\"");
    }
}

/// Another text that names the same double and is no integer's.
fn other_spelling(number: f64, rolls: &mut Rolls) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let zeros = "0".repeat(rolls.below(3));
    if number == 0.0 {
        let text = rolls.pick(&[
            "0.0",
            "0.000",
            "0e0",
            "0E+7",
            "0.0e-99",
            "1e-400",
            "0.00e999999999999",
        ]);
        return if number.is_sign_negative() && rolls.below(3) == 0 {
            "-0".into()
        } else {
            format!("{sign}{text}")
        };
    }
    // Sixteen digits behind the first name every double; the shortest and all of them do too.
    let shortest = format!("{:e}", number.abs());
    let (digits, exponent) = match rolls.below(5) {
        0 | 1 => shortest,
        2 => format!("{:.16e}", number.abs()),
        3 => format!("{:.25e}", number.abs()),
        _ => format!("{:.800e}", number.abs()),
    }
    .split_once('e')
    .map(|(digits, exponent)| {
        (
            digits.replace('.', ""),
            exponent.parse::<i64>().unwrap_or(0),
        )
    })
    .unwrap_or_default();
    let e = rolls.pick(&["e", "E"]);
    let plus = |exponent: i64, rolls: &mut Rolls| {
        let plus = if exponent >= 0 && rolls.below(2) == 1 {
            "+"
        } else {
            ""
        };
        let zeros = "0".repeat(rolls.below(3));
        let minus = if exponent < 0 { "-" } else { "" };
        format!("{plus}{minus}{zeros}{}", exponent.abs())
    };
    let text = match rolls.below(4) {
        // 15e-1
        0 => {
            let exponent = exponent + 1 - digits.len() as i64;
            format!("{sign}{digits}{e}{}", plus(exponent, rolls))
        }
        // 1.500e0
        1 => {
            let fraction = if digits.len() > 1 { &digits[1..] } else { "0" };
            format!(
                "{sign}{}.{fraction}{zeros}{e}{}",
                &digits[..1],
                plus(exponent, rolls)
            )
        }
        // 0.0015e3
        2 => {
            let exponent = exponent + 1 + zeros.len() as i64;
            format!("{sign}0.{zeros}{digits}{e}{}", plus(exponent, rolls))
        }
        // 1.500, where that is not too long
        _ => match exponent {
            -8..0 => format!(
                "{sign}0.{}{digits}{zeros}",
                "0".repeat((-exponent - 1) as usize)
            ),
            0..25 => {
                let point = exponent as usize + 1;
                let padded = format!("{digits:0<point$}");
                let fraction = if padded.len() > point {
                    &padded[point..]
                } else {
                    "0"
                };
                format!("{sign}{}.{fraction}{zeros}", &padded[..point])
            }
            _ => number_text(number),
        },
    };
    debug_assert_eq!(
        text.parse::<f64>().map(f64::to_bits),
        Ok(number.to_bits()),
        "{text}"
    );
    text
}
