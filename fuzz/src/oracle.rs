//! Second opinions, which share no code with the gate: `serde_json` with a visitor that keeps duplicate
//! keys, and naive renderings of the number text, the compact text and the digest.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use sha2::{Digest, Sha256};

use crate::value::Value;

/// A document as `serde_json` reads it; an object keeps every member, repeated keys too.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits i64 or u64.
    Integer(i128),
    /// Any other number, as nearly as `serde_json` reads it.
    Float(f64),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Parsed>),
    /// An object.
    Object(Vec<(String, Parsed)>),
}

/// Whether `serde_json` took a number for too large. It multiplies by rounded powers of ten, so it errs
/// at the edge of the range, and says nothing there.
#[must_use]
pub fn is_range(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("number out of range")
}

impl Parsed {
    /// Reads a document.
    ///
    /// # Errors
    /// What `serde_json` says.
    pub fn read(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }

    /// Whether an object here or below has a key twice.
    #[must_use]
    pub fn repeats(&self) -> bool {
        match self {
            Self::Array(items) => items.iter().any(Self::repeats),
            Self::Object(members) => {
                repeated(members) || members.iter().any(|(_, value)| value.repeats())
            }
            _ => false,
        }
    }

    /// Whether this very object has a key twice.
    fn repeated(&self, key: &str) -> bool {
        matches!(self, Self::Object(members) if members.iter().filter(|(name, _)| name == key).count() > 1)
    }

    /// Whether a plugin's document repeats a key where that is a fault: at its root `extension` or
    /// `name`, or anywhere in the extension block.
    #[must_use]
    pub fn repeats_as_plugin(&self) -> bool {
        self.repeated("extension")
            || self.repeated("name")
            || self.get("extension").is_some_and(Self::repeats)
    }

    /// The first member of that key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .find_map(|(name, value)| (name == key).then_some(value)),
            _ => None,
        }
    }

    /// The value that a JSON pointer names.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        crate::value::tokens(pointer).try_fold(self, |value, token| match value {
            Self::Array(items) => items.get(token.parse::<usize>().ok()?),
            _ => value.get(&token),
        })
    }
}

fn repeated(members: &[(String, Parsed)]) -> bool {
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParsedVisitor)
    }
}

struct ParsedVisitor;

impl<'de> Visitor<'de> for ParsedVisitor {
    type Value = Parsed;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Parsed, E> {
        Ok(Parsed::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Parsed, E> {
        Ok(Parsed::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Parsed, E> {
        Ok(Parsed::Integer(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Parsed, E> {
        Ok(Parsed::Integer(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Parsed, E> {
        Ok(Parsed::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Parsed, E> {
        Ok(Parsed::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Parsed, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Parsed::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parsed, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Parsed::Object(members))
    }
}

/// The text of a double, by trial: the fewest digits that name it, of those the nearest, laid out as
/// the behaviour's section 7 has it.
#[must_use]
pub fn number_text(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let size = number.abs();
    if size == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, exponent) = (0..17)
        .find_map(|more| shortest(size, more))
        .expect("seventeen digits name every double");
    let digits = digits.trim_end_matches('0');
    // 0.d1d2d3… times ten to the k.
    let k = exponent + 1;
    let count = digits.len() as i32;
    let text = match k {
        1..=16 if count <= k => format!("{digits}{}.0", "0".repeat((k - count) as usize)),
        1..=16 => format!("{}.{}", &digits[..k as usize], &digits[k as usize..]),
        -4..=0 => format!("0.{}{digits}", "0".repeat(-k as usize)),
        _ => {
            let point = if count > 1 { "." } else { "" };
            format!("{}{point}{}e{exponent:+}", &digits[..1], &digits[1..])
        }
    };
    format!("{sign}{text}").replace("e+-", "e-")
}

/// The nearest number of `1 + more` digits that names this double, if there is one. Below a power of two
/// the doubles lie closer, so the digit above may name it where the nearest does not.
fn shortest(size: f64, more: usize) -> Option<(String, i32)> {
    let text = format!("{size:.more$e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let digits: i128 = mantissa.replace('.', "").parse().ok()?;
    [digits, digits + 1, digits - 1]
        .into_iter()
        .find(|digits| format!("{digits}e{}", exponent - more as i32).parse() == Ok(size))
        .map(|digits| {
            let text = digits.to_string();
            let carried = text.len() as i32 - (1 + more as i32);
            (text, exponent + carried)
        })
}

/// The compact text of a value, whose length bounds schemas.
#[must_use]
pub fn compact_text(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number_text(*number),
        Value::String(text) => compact_string(text),
        Value::Array(items) => format!("[{}]", list(items.iter().map(compact_text).collect())),
        Value::Object(members) => {
            let member = |(key, value): &(String, Value)| {
                format!("{}:{}", compact_string(key), compact_text(value))
            };
            format!("{{{}}}", list(members.iter().map(member).collect()))
        }
        Value::Raw(_) => unreachable!("raw bytes have no meaning"),
    }
}

fn compact_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for one in text.chars() {
        match one {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{0}'..='\u{1f}' => quoted.push_str(&format!("\\u{:04x}", u32::from(one))),
            _ => quoted.push(one),
        }
    }
    quoted + "\""
}

/// The digest of a value: the preimage written out, then hashed at once. 64 lower-case digits.
#[must_use]
pub fn digest(value: &Value) -> String {
    let mut preimage = Vec::new();
    write_preimage(value, &mut preimage);
    hex(&Sha256::digest(&preimage))
}

fn write_preimage(value: &Value, to: &mut Vec<u8>) {
    let sized = |tag: u8, size: usize, to: &mut Vec<u8>| {
        to.push(tag);
        to.extend((size as u64).to_le_bytes());
    };
    match value {
        Value::Null => to.push(0),
        Value::Bool(value) => to.extend([1, u8::from(*value)]),
        Value::Integer(_) | Value::Float(_) => {
            let text = compact_text(value);
            sized(2, text.len(), to);
            to.extend(text.bytes());
        }
        Value::String(text) => {
            sized(3, text.len(), to);
            to.extend(text.bytes());
        }
        Value::Array(items) => {
            sized(4, items.len(), to);
            for item in items {
                write_preimage(item, to);
            }
        }
        Value::Object(members) => {
            sized(5, members.len(), to);
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.as_bytes().cmp(b.as_bytes()));
            for (key, value) in members {
                sized(6, key.len(), to);
                to.extend(key.bytes());
                write_preimage(value, to);
            }
        }
        Value::Raw(_) => unreachable!("raw bytes have no meaning"),
    }
}

/// One segment of a catalog id (section 10).
#[must_use]
pub fn catalog_segment(text: &str, most: usize) -> String {
    let plain = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit();
    let stands = text.starts_with(plain)
        && text.chars().all(|one| plain(one) || "_.-".contains(one))
        && text.len() <= most
        && !["enc-", "sha-"]
            .iter()
            .any(|prefix| text.starts_with(prefix));
    let encoded = format!("enc-{}", hex(text.as_bytes()));
    if stands {
        text.to_owned()
    } else if encoded.len() <= most {
        encoded
    } else {
        format!("sha-{}", &hex(&Sha256::digest(text))[..40])
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_texts_are_those_of_the_behaviour() {
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1e21, "1e+21"),
            (0.0001, "0.0001"),
            (1e-5, "0.00001"),
            (1e-6, "1e-6"),
            (1.5e-6, "1.5e-6"),
            (1e-7, "1e-7"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (18446744073709551616.0, "1.8446744073709552e+19"),
            (0.1, "0.1"),
            (-1234.5, "-1234.5"),
            // Halfway between two shortest texts: the even digit.
            (1.0 / 33_554_432.0, "2.9802322387695312e-8"),
            // A power of two whose nearest sixteen digits name its neighbour.
            (5.684341886080802e-14, "5.684341886080802e-14"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn digests_are_those_of_the_behaviour() {
        let object = Value::Object(vec![
            ("b".into(), Value::Integer(1)),
            (
                "a".into(),
                Value::Array(vec![
                    Value::Bool(true),
                    Value::Null,
                    Value::String("x".into()),
                ]),
            ),
        ]);
        assert_eq!(
            digest(&object),
            "e4f23307e61fbe47e554c6ab0edda59f4854dc7ebd34b2d435e0b50978623436"
        );
        assert_eq!(
            digest(&Value::empty()),
            "6c449f91c1adbf3945ad078f5f875c0c1f133f246c4588668faffbe23a3c195f"
        );
    }

    #[test]
    fn repeated_keys_are_kept() {
        let parsed = Parsed::read(br#"{"extension":{"a":[{"b":1,"\u0062":2}]},"x":1}"#).unwrap();
        assert!(parsed.repeats() && parsed.repeats_as_plugin());
        let parsed = Parsed::read(br#"{"extension":{},"x":{"y":1,"y":2}}"#).unwrap();
        assert!(parsed.repeats() && !parsed.repeats_as_plugin());
    }
}
