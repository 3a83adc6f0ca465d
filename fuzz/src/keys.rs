//! Objects of many keys that are told apart with effort: alike at both ends, few or all of their
//! characters escaped, and sometimes one of them twice.

use arbitrary::{Arbitrary, Unstructured};

use crate::dice::{Dice, Rolls};
use crate::value::Value;

/// One object, and where each of its keys stands.
#[derive(Debug, Clone)]
pub struct ManyKeys {
    /// The object as JSON.
    pub document: Vec<u8>,
    /// Its keys in order, decoded.
    pub keys: Vec<String>,
    /// The offset of each key's opening quote.
    pub offsets: Vec<usize>,
}

/// Sizes about which a reader of keys may change its way.
const SIZES: [usize; 12] = [1, 2, 7, 8, 9, 12, 15, 16, 17, 33, 70, 300];
/// One character in so many is escaped; 0 for none.
const ESCAPES: [usize; 6] = [0, 1, 3, 12, 50, 300];

impl ManyKeys {
    /// The places of the keys that stood before, in order.
    #[must_use]
    pub fn repeated(&self) -> Vec<usize> {
        let mut seen = std::collections::BTreeSet::new();
        let places = self.keys.iter().zip(&self.offsets);
        places
            .filter(|(key, _)| !seen.insert(*key))
            .map(|(_, offset)| *offset)
            .collect()
    }

    /// The object, where no key stands twice.
    #[must_use]
    pub fn value(&self) -> Value {
        let members = self.keys.iter().zip(0..);
        Value::Object(
            members
                .map(|(key, number)| (key.clone(), Value::Integer(number)))
                .collect(),
        )
    }
}

/// As many keys as a choice says, all from one seed, so that few bytes make a large object.
impl<'a> Arbitrary<'a> for ManyKeys {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let count = u.pick(&SIZES) + u.below(2);
        let shape = u.below(6);
        let escapes = u.pick(&ESCAPES);
        // Of few names some come twice, of many names none or one.
        let names = u.pick(&[usize::MAX / 2, 40 * count * count, 3 * count]);
        let mut rolls = Rolls::from_bytes(u);
        let mut made = Self {
            document: b"{".to_vec(),
            keys: Vec::new(),
            offsets: Vec::new(),
        };
        for number in 0..count {
            let name = rolls.below(names);
            let key = match shape {
                0 => format!("{name}"),
                1 => format!("aaaaaaaa{name:020}aaaaaaaa"),
                2 => format!("é{name}\u{1F600}"),
                3 => format!("{}{name}", "\"\\\n\u{1}".repeat(name % 4)),
                4 => format!("{name:0width$}", width = name % 24),
                // A key, and the same with a character behind it that pads nothing.
                _ => format!("{}{}", name / 2, ["", "\0"][name % 2]),
            };
            if number > 0 {
                made.document.push(b',');
            }
            made.offsets.push(made.document.len());
            spell_key(&key, escapes, &mut rolls, &mut made.document);
            made.document.extend(format!(":{number}").bytes());
            made.keys.push(key);
        }
        made.document.push(b'}');
        Ok(made)
    }
}

fn spell_key(key: &str, escapes: usize, rolls: &mut Rolls, document: &mut Vec<u8>) {
    document.push(b'"');
    for one in key.chars() {
        let must = matches!(one, '"' | '\\' | '\0'..='\u{1F}');
        if must || escapes > 0 && rolls.once_in(escapes) {
            let short = match one {
                '"' => Some("\\\""),
                '\\' => Some("\\\\"),
                '\n' => Some("\\n"),
                _ => None,
            };
            match short {
                Some(short) if rolls.below(2) == 0 => document.extend(short.bytes()),
                _ => {
                    for unit in one.encode_utf16(&mut [0; 2]) {
                        document.extend(format!("\\u{unit:04x}").bytes());
                    }
                }
            }
        } else {
            document.extend(one.encode_utf8(&mut [0; 4]).bytes());
        }
    }
    document.push(b'"');
}
