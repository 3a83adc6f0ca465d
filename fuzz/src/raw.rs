//! Faults of the bytes: what no JSON value is, put into one.

use crate::limit::NESTING_MAX_LEVELS;
use arbitrary::Unstructured;
use extgate::Reason;

use crate::dice::Dice;
use crate::value::{Value, join};

/// A fault in the text of one member.
pub(crate) struct RawFault {
    pub(crate) how: String,
    /// The member that holds the faulty text.
    pub(crate) member: String,
    /// Bytes of that text before the fault.
    pub(crate) offset: usize,
    pub(crate) length: Option<usize>,
    /// The innermost value that was being read.
    pub(crate) pointer: String,
}

/// The pointers of all objects.
pub(crate) fn objects(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = vec![(String::new(), value)];
    while let Some((pointer, value)) = rest.pop() {
        match value {
            Value::Object(members) => {
                rest.extend(
                    members
                        .iter()
                        .map(|(key, value)| (join(&pointer, key), value)),
                );
                found.push(pointer);
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                rest.extend(items.map(|(place, item)| (format!("{pointer}/{place}"), item)));
            }
            _ => {}
        }
    }
    found
}

/// Text, bytes of it before the fault, and the way from its value to the innermost one that was being read.
type Broken = (&'static str, usize, &'static str);

const SYNTAX: &[Broken] = &[
    ("nul", 3, ""),
    ("tru3", 3, ""),
    ("False", 0, ""),
    ("NaN", 0, ""),
    ("Infinity", 0, ""),
    ("-Infinity", 1, ""),
    ("undefined", 0, ""),
    ("01", 1, ""),
    ("-01", 2, ""),
    ("1.", 2, ""),
    ("1.e5", 2, ""),
    ("1e", 2, ""),
    ("1e+", 3, ""),
    ("1e+x", 3, ""),
    ("-", 1, ""),
    ("-a", 1, ""),
    ("+1", 0, ""),
    (".5", 0, ""),
    ("0x10", 1, ""),
    ("1_000", 1, ""),
    ("1.5.5", 3, ""),
    ("123456789012345678901234567890.", 31, ""),
    ("'a'", 0, ""),
    ("[1,]", 3, "/1"),
    ("[,1]", 1, "/0"),
    ("[1 2]", 3, "/0"),
    ("[1:2]", 2, "/0"),
    ("[}", 1, "/0"),
    ("{\"a\":1,}", 7, ""),
    ("{,}", 1, ""),
    ("{\"a\"}", 4, "/a"),
    ("{\"a\" 1}", 5, "/a"),
    ("{\"a\"::1}", 5, "/a"),
    ("{\"a\":}", 5, "/a"),
    ("{\"a\":1 \"b\":2}", 7, "/a"),
    ("{\"a\":1]", 6, "/a"),
    ("{a:1}", 1, ""),
    ("{1:2}", 1, ""),
    ("{null:2}", 1, ""),
    ("{]", 1, ""),
    ("/*c*/0", 0, ""),
    ("//c\n0", 0, ""),
    ("#c\n0", 0, ""),
    ("0/**/", 1, ""),
    ("\"\\x\"", 2, ""),
    ("\"\\'\"", 2, ""),
    ("\"\\u00g0\"", 5, ""),
    ("\"\\u12\"", 5, ""),
    ("\"\\U0041\"", 2, ""),
    ("\"a\tb\"", 2, ""),
    ("\"\n\"", 1, ""),
    ("\"\u{0}\"", 1, ""),
    ("\"eight by\u{1f}\"", 9, ""),
    ("\"a\"\"b\"", 3, ""),
    ("\u{a0}0", 0, ""),
    ("\u{feff}0", 0, ""),
    ("\u{c}0", 0, ""),
    ("\u{b}0", 0, ""),
    ("0\u{c}", 1, ""),
    ("0\u{85}", 1, ""),
];

const SURROGATES: &[Broken] = &[
    (r#""\ud800""#, 1, ""),
    (r#""\uDBFF""#, 1, ""),
    (r#""\udc00""#, 1, ""),
    (r#""\uDFFF""#, 1, ""),
    (r#""\ud800\ud800""#, 1, ""),
    (r#""\udc00\ud800""#, 1, ""),
    (r#""\ud83d\ude00\ud83d""#, 13, ""),
    (r#""x\ud800y""#, 2, ""),
    (r#""eight by\ud800\n""#, 9, ""),
    (r#""\ud800\u0041""#, 1, ""),
    (r#""\ud800\\udc00""#, 1, ""),
    (r#"["a","\udead"]"#, 6, "/1"),
    (r#"{"a":"\udead"}"#, 6, "/a"),
    (r#"{"\udead":0}"#, 2, ""),
];

const NO_UTF8: &[(&[u8], usize, &str)] = &[
    (b"\"\xFF\"", 1, ""),
    (b"\"\x80\"", 1, ""),
    (b"\"\xC0\xAF\"", 1, ""),
    (b"\"\xC1\xBF\"", 1, ""),
    (b"\"a\xE0\x80\xAF\"", 2, ""),
    (b"\"\xED\xA0\x80\"", 1, ""),
    (b"\"\xED\xBF\xBF\"", 1, ""),
    (b"\"\xF0\x80\x80\x80\"", 1, ""),
    (b"\"\xF4\x90\x80\x80\"", 1, ""),
    (b"\"\xF8\x88\x80\x80\x80\"", 1, ""),
    (b"\"\xC3\"", 1, ""),
    (b"\"\xE2\x82\"", 1, ""),
    (b"\"\xC3\xA9\xF0\x9F\x98\"", 3, ""),
    (b"\xFF", 0, ""),
    (b"[0,\xFE]", 3, "/1"),
    (b"{\"a\":\"\xFE\"}", 6, "/a"),
];

const OUT_OF_RANGE: &[&str] = &[
    "1e309",
    "-1e309",
    "1e400",
    "1E+400",
    "1.7976931348623159e308",
    "17976931348623159e292",
    "0.1e310",
    "1e99999999999999999999999",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792.0e0",
];

/// Puts a member with a fault of that reason into an object. `free`: levels that do not count.
pub(crate) fn insert(
    value: &mut Value,
    object: &str,
    reason: Reason,
    u: &mut Unstructured<'_>,
    free: usize,
) -> RawFault {
    let member = join(object, "fault");
    let fault = |text: &[u8], offset: usize, length: Option<usize>, way: &str| {
        let fault = RawFault {
            how: String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned(),
            member: member.clone(),
            offset,
            length,
            pointer: format!("{member}{way}"),
        };
        (text.to_vec(), fault)
    };
    let (text, fault) = match reason {
        Reason::Syntax => {
            let (text, offset, way) = u.pick(SYNTAX);
            fault(text.as_bytes(), offset, None, way)
        }
        Reason::LoneSurrogate => {
            let (text, offset, way) = u.pick(SURROGATES);
            fault(text.as_bytes(), offset, Some(6), way)
        }
        Reason::InvalidUtf8 => {
            let (text, offset, way) = u.pick(NO_UTF8);
            fault(text, offset, Some(1), way)
        }
        Reason::NumberOutOfRange => {
            let text = u.pick(OUT_OF_RANGE);
            let list = u.below(2) == 1;
            let whole = if list {
                format!("[0,{text}]")
            } else {
                text.into()
            };
            let (offset, way) = if list { (3, "/1") } else { (0, "") };
            fault(whole.as_bytes(), offset, Some(text.len()), way)
        }
        Reason::NestingTooDeep => {
            let around = 1 + object.matches('/').count() - free;
            let allowed = NESTING_MAX_LEVELS - around;
            let (open, close, token) = u.pick(&[
                ("[", "]", "/0"),
                ("{\"a\":", "}", "/a"),
                ("[0, [", "]]", ""),
            ]);
            if token.is_empty() {
                // Two levels at once: the second bracket passes the bound, or the first of the next pair.
                let pairs = allowed / 2 + 1;
                let text = format!("{}{}", open.repeat(pairs), close.repeat(pairs));
                let whole = allowed / 2;
                let odd = allowed % 2;
                let offset = whole * open.len() + odd * 4;
                let way = format!("{}{}", "/1/0".repeat(whole), "/1".repeat(odd));
                fault(text.as_bytes(), offset, Some(1), &way)
            } else {
                let levels = allowed + 1 + u.pick(&[0, 1, 1000]);
                let text = format!("{}0{}", open.repeat(levels), close.repeat(levels));
                let way = token.repeat(allowed);
                fault(text.as_bytes(), allowed * open.len(), Some(1), &way)
            }
        }
        other => unreachable!("{other} is no fault of one member's text"),
    };
    let members = value.members_mut(object);
    members.retain(|(key, _)| key != "fault");
    let place = u.below(members.len() + 1);
    members.insert(place, ("fault".into(), Value::Raw(text)));
    fault
}

/// Repeats a key of an object at or below `root`, or `root` itself, and returns its pointer.
pub(crate) fn repeat_key(value: &mut Value, root: &str, u: &mut Unstructured<'_>) -> String {
    let mut within: Vec<String> = Vec::new();
    let mut rest = vec![root.to_owned()];
    while let Some(pointer) = rest.pop() {
        match value.at(&pointer) {
            Some(Value::Object(members)) => {
                rest.extend(members.iter().map(|(key, _)| join(&pointer, key)));
                within.push(pointer);
            }
            Some(Value::Array(items)) => {
                rest.extend((0..items.len()).map(|place| format!("{pointer}/{place}")));
            }
            _ => {}
        }
    }
    if !root.is_empty() && u.once_in(8) {
        // The two keys of a plugin's document that may not be repeated.
        let members = value.members_mut("");
        let key = u.pick(&["extension", "name"]);
        let first = members.iter().position(|(one, _)| one == key);
        match first {
            Some(first) => {
                let again = members[first].clone();
                members.push(again);
            }
            None => members.extend([(key.to_owned(), Value::Null), (key.to_owned(), Value::Null)]),
        }
        return join("", key);
    }
    let at = within[u.below(within.len())].clone();
    let members = value.members_mut(&at);
    if u.once_in(4) {
        // Beyond sixteen members keys are told apart in another way.
        for number in 0..30 {
            let key = format!("another member {number}");
            if members.iter().all(|(other, _)| *other != key) {
                members.push((key, Value::Integer(number)));
            }
        }
    }
    if members.is_empty() {
        members.push(("twice".into(), Value::Null));
    }
    let key = members[u.below(members.len())].0.clone();
    let place = u.below(members.len() + 1);
    members.insert(place, (key.clone(), Value::Bool(true)));
    join(&at, &key)
}
