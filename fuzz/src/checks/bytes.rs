//! What holds for any bytes at all.

use std::borrow::Cow;

use crate::limit::{DOCUMENT_MAX_BYTES, INITIALIZE_RESULT_MAX_BYTES, NESTING_MAX_LEVELS};
use extgate::{
    Category, Document, Json, JsonDocument, JsonType, Place, Reason, Rejection, RuntimeDocument,
    gate,
};

use super::shown;
use crate::oracle::{self, Parsed};
use crate::value::Value;

/// Any bytes, as each kind of document: no panic, every bound holds, what is borrowed lies inside the
/// input and every position too, and the answer is the same twice.
///
/// Recurses nowhere, so that it can be run on a small stack.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_read_bytes(data: &[u8]) {
    let plugin = read(data, DOCUMENT_MAX_BYTES, || {
        Document::plugin(data).map(|document| {
            if let Some(Cow::Borrowed(name)) = document.name() {
                inside(data, name);
            }
            if let Some(block) = document.extension_value() {
                walk(data, block, 1);
            }
        })
    });
    let json = read(data, DOCUMENT_MAX_BYTES, || {
        JsonDocument::new(data).map(|document| walk(data, document.root(), 0))
    });
    let result = read(data, INITIALIZE_RESULT_MAX_BYTES, || {
        RuntimeDocument::initialize_result(data).map(|document| {
            walk(data, document.root(), 0);
            let _ = document.result();
        })
    });
    let response = read(data, INITIALIZE_RESULT_MAX_BYTES, || {
        RuntimeDocument::json_rpc_response(data).map(|document| {
            walk(data, document.root(), -1);
            let _ = document.result();
        })
    });
    // The strictest reader accepts nothing that a laxer one refuses.
    if json.is_ok() {
        let object = first_byte(data) == Some(b'{');
        assert_eq!(plugin.is_ok(), object, "{}", shown(data));
        assert_eq!(result.is_ok(), data.len() <= INITIALIZE_RESULT_MAX_BYTES);
        assert_eq!(response.is_ok(), result.is_ok() && object);
    } else {
        assert!(result.is_err(), "{}", shown(data));
    }

    let first = gate(data, "demo");
    let again = gate(data, "demo");
    match (&first, &again) {
        (Ok(None), Ok(None)) => {}
        (Ok(Some(one)), Ok(Some(other))) => {
            assert_eq!((one.class, one.trigger), (other.class, other.trigger));
            assert_eq!(one.pinned, other.pinned);
            assert_eq!(one.context_providers, other.context_providers);
            let digests = |gated: &extgate::Gated| -> Vec<_> {
                gated
                    .tools
                    .iter()
                    .map(|tool| *tool.expected_digest())
                    .collect()
            };
            assert_eq!(digests(one), digests(other));
        }
        (Err(one), Err(other)) => assert_eq!(one, other),
        _ => panic!("two answers for {}", shown(data)),
    }
}

/// Runs a reader twice and holds its refusal to what can be seen of the bytes.
fn read(
    data: &[u8],
    most: usize,
    reader: impl Fn() -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let answer = reader();
    assert_eq!(answer, reader(), "{}", shown(data));
    let reason = answer.map_err(|refused| refused.reason()).err();
    let utf8 = core::str::from_utf8(data);
    if data.len() > most {
        assert_eq!(reason, Some(Reason::DocumentTooLarge));
        return answer;
    }
    if data.starts_with(b"\xEF\xBB\xBF") {
        assert_eq!(reason, Some(Reason::ByteOrderMark));
        return answer;
    }
    match (answer, utf8) {
        (Ok(()), Ok(text)) => assert_eq!(levels(text.as_bytes()).1, None, "{}", shown(data)),
        (Ok(()), Err(_)) => panic!("accepted what is no UTF-8: {}", shown(data)),
        (Err(refused), utf8) => {
            let at = match refused.place() {
                Place::Byte(at) => Some(at as usize),
                _ => None,
            };
            assert!(
                at.is_none_or(|at| at <= data.len()),
                "{refused:?}: {}",
                shown(data)
            );
            assert_eq!(
                utf8.err().map(|error| error.valid_up_to()),
                at.filter(|_| refused.reason() == Reason::InvalidUtf8),
                "{}",
                shown(data)
            );
            let bytes = refused.reason().category() == Category::Bytes
                || refused.reason() == Reason::NumberOutOfRange;
            assert_eq!(bytes, at.is_some(), "{refused:?}: {}", shown(data));
            if refused.reason() == Reason::WrongType {
                assert_ne!(first_byte(data), Some(b'{'), "{}", shown(data));
            }
            if refused.reason() == Reason::NestingTooDeep {
                let at = at.expect("a byte");
                assert!(matches!(data[at], b'[' | b'{'));
                let deepest = levels(&data[..=at]).0;
                // One level more for a response around its result.
                let range = NESTING_MAX_LEVELS + 1..=NESTING_MAX_LEVELS + 2;
                assert!(
                    range.contains(&deepest),
                    "{deepest} levels: {}",
                    shown(data)
                );
            }
        }
    }
    answer
}

/// The first byte that is not white space.
fn first_byte(data: &[u8]) -> Option<u8> {
    data.iter()
        .copied()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// How many brackets stand open at most, outside of strings; and a bracket that closes none.
fn levels(data: &[u8]) -> (usize, Option<usize>) {
    let (mut open, mut most) = (0_usize, 0);
    let (mut string, mut escape) = (false, false);
    for (at, byte) in data.iter().enumerate() {
        match byte {
            _ if escape => escape = false,
            b'\\' if string => escape = true,
            b'"' => string = !string,
            _ if string => {}
            b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' => match open.checked_sub(1) {
                Some(less) => open = less,
                None => return (most, Some(at)),
            },
            _ => {}
        }
    }
    (most, (open > 0).then_some(data.len()))
}

/// What is borrowed lies inside of the input.
fn inside(data: &[u8], text: &str) {
    if !text.is_empty() {
        assert!(data.as_ptr_range().contains(&text.as_ptr()));
        assert!(text.as_bytes().as_ptr_range().end <= data.as_ptr_range().end);
    }
}

/// Every value below `root`, which stands below `depth` levels.
fn walk(data: &[u8], root: Json<'_>, depth: isize) {
    let mut rest = vec![(root, depth)];
    let most = NESTING_MAX_LEVELS as isize;
    while let Some((value, depth)) = rest.pop() {
        let source = value.source();
        inside(data, source);
        let first = source.as_bytes().first().copied();
        match value.kind() {
            JsonType::Array => {
                assert!(depth < most && first == Some(b'[') && source.ends_with(']'));
                assert_eq!(value.items().count(), value.count());
                rest.extend(value.items().map(|item| (item, depth + 1)));
            }
            JsonType::Object => {
                assert!(depth < most && first == Some(b'{') && source.ends_with('}'));
                assert_eq!(value.members().count(), value.count());
                for (key, inner) in value.members() {
                    if let Cow::Borrowed(key) = key {
                        inside(data, key);
                    }
                    rest.push((inner, depth + 1));
                }
                if let Some((key, inner)) = value.members().last() {
                    let found = value.get(&key).expect("the member");
                    assert_eq!(found.source(), inner.source());
                }
            }
            JsonType::String => {
                let text = value.as_str().expect("a string");
                if let Cow::Borrowed(text) = text {
                    inside(data, text);
                }
                assert!(first == Some(b'"') && source.len() >= text.len().min(2));
                let escaped = source.contains('\\');
                assert_eq!(matches!(text, Cow::Owned(_)), escaped, "{source}");
            }
            JsonType::Integer | JsonType::Float => {
                assert!(source.parse::<f64>().is_ok_and(f64::is_finite), "{source}");
                assert_eq!(
                    value.as_u64().is_some(),
                    value.kind() == JsonType::Integer && source.parse::<u64>().is_ok()
                );
            }
            JsonType::Boolean => assert_eq!(
                value.as_bool().map(|b| b.to_string()).as_deref(),
                Some(source)
            ),
            JsonType::Null => assert!(value.is_null() && source == "null"),
        }
    }
    let _ = (root.digest(), root.compact_size());
}

/// Any bytes, against `serde_json`: what is accepted, it accepts, and the values are equal, with the
/// digest and compact size of the naive renderings; what is refused, it refuses too, or the reason is
/// a stricter rule, which is then held to be broken.
///
/// # Panics
/// Where the two differ otherwise.
pub fn check_against_serde(data: &[u8]) {
    let parsed = Parsed::read(data);
    let plugin = Document::plugin(data);
    agree(
        data,
        plugin.as_ref().err(),
        &parsed,
        Parsed::repeats_as_plugin,
        DOCUMENT_MAX_BYTES,
    );
    let json = JsonDocument::new(data);
    agree(
        data,
        json.as_ref().err(),
        &parsed,
        Parsed::repeats,
        DOCUMENT_MAX_BYTES,
    );
    let result = RuntimeDocument::initialize_result(data);
    agree(
        data,
        result.as_ref().err(),
        &parsed,
        Parsed::repeats,
        INITIALIZE_RESULT_MAX_BYTES,
    );

    let Ok(parsed) = parsed else { return };
    if let Ok(document) = &json {
        equal(document.root(), &parsed, data);
    }
    if let Ok(document) = &plugin {
        let name = match parsed.get("name") {
            Some(Parsed::String(name)) => Some(name.as_str()),
            _ => None,
        };
        assert_eq!(document.name().as_deref(), name, "{}", shown(data));
        let block = parsed.get("extension");
        assert_eq!(
            document.extension_value().is_some(),
            block.is_some(),
            "{}",
            shown(data)
        );
        if let (Some(got), Some(block)) = (document.extension_value(), block) {
            equal(got, block, data);
        }
    }
}

fn agree(
    data: &[u8],
    refused: Option<&Rejection>,
    parsed: &serde_json::Result<Parsed>,
    repeats: fn(&Parsed) -> bool,
    most: usize,
) {
    match (refused, parsed) {
        (None, Ok(parsed)) => assert!(!repeats(parsed), "a key twice: {}", shown(data)),
        (None, Err(error)) => {
            assert!(oracle::is_range(error), "{error}: {}", shown(data));
        }
        (Some(_), Err(_)) => {}
        (Some(refused), Ok(parsed)) => match refused.reason() {
            Reason::DocumentTooLarge => assert!(data.len() > most),
            Reason::DuplicateKey => assert!(repeats(parsed), "no key twice: {}", shown(data)),
            Reason::WrongType => assert!(!matches!(parsed, Parsed::Object(_))),
            Reason::NumberOutOfRange => {
                let Place::Byte(at) = refused.place() else {
                    panic!("no byte")
                };
                let number: String = data[at as usize..]
                    .iter()
                    .map(|byte| char::from(*byte))
                    .take_while(|one| one.is_ascii_digit() || "+-.eE".contains(*one))
                    .collect();
                let value: f64 = number.parse().expect("a number");
                assert!(value.is_infinite(), "{number} is in range");
            }
            other => panic!("{other}, yet serde_json reads {}", shown(data)),
        },
    }
}

fn equal(json: Json<'_>, parsed: &Parsed, data: &[u8]) {
    let value = rebuilt(json);
    assert!(same(&value, parsed), "{value:?} is not {parsed:?}");
    assert_eq!(
        json.digest().to_string(),
        oracle::digest(&value),
        "{}",
        shown(data)
    );
    assert_eq!(
        json.compact_size(),
        oracle::compact_text(&value).len(),
        "{}",
        shown(data)
    );
}

/// The value that the gate read, numbers by the standard library.
pub(crate) fn rebuilt(json: Json<'_>) -> Value {
    match json.kind() {
        JsonType::Null => Value::Null,
        JsonType::Boolean => Value::Bool(json.as_bool().expect("a boolean")),
        JsonType::Integer => Value::Integer(json.source().parse().expect("an integer")),
        JsonType::Float => Value::Float(json.source().parse().expect("a number")),
        JsonType::String => Value::String(json.as_str().expect("a string").into_owned()),
        JsonType::Array => Value::Array(json.items().map(rebuilt).collect()),
        JsonType::Object => Value::Object(
            json.members()
                .map(|(key, value)| (key.into_owned(), rebuilt(value)))
                .collect(),
        ),
    }
}

fn same(value: &Value, parsed: &Parsed) -> bool {
    match (value, parsed) {
        (Value::Null, Parsed::Null) => true,
        (Value::Bool(a), Parsed::Bool(b)) => a == b,
        (Value::Integer(a), Parsed::Integer(b)) => a == b,
        (Value::Float(a), Parsed::Float(b)) => nearly(*a, *b),
        (Value::String(a), Parsed::String(b)) => a == b,
        (Value::Array(a), Parsed::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Parsed::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
        }
        _ => false,
    }
}

/// Doubles at most a few steps apart: without its feature `float_roundtrip`, `serde_json` does not
/// promise the nearest.
fn nearly(a: f64, b: f64) -> bool {
    a.is_sign_negative() == b.is_sign_negative() && a.to_bits().abs_diff(b.to_bits()) <= 8
}
