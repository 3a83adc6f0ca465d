//! Texts: what ids, labels and descriptions may hold, at and near their bounds.

use arbitrary::Unstructured;

use crate::dice::Dice;

/// Words that make a schema look like one.
pub(crate) const SCHEMA_WORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "default",
    "description",
    "$ref",
    "oneOf",
    "minimum",
    "additionalProperties",
    "format",
];

/// Characters of one to four bytes; none is a control, white space or `:`.
pub(crate) const ID: &[char] = &[
    'a',
    'z',
    '0',
    '_',
    '-',
    '.',
    'B',
    '/',
    '~',
    '"',
    '\\',
    '\u{e9}',
    '\u{df}',
    '\u{65e5}',
    '\u{20ac}',
    '\u{1F600}',
    '\u{10FFFF}',
    '\u{202E}',
    '\u{FEFF}',
    '\u{200B}',
    '\u{301}',
    '\u{ad}',
];
/// The same, and white space and `:`.
pub(crate) const LABEL: &[char] = &[
    'a',
    ' ',
    ':',
    'Z',
    '9',
    '/',
    '~',
    '"',
    '\\',
    '\u{e9}',
    '\u{65e5}',
    '\u{1F600}',
    '\u{3000}',
    '\u{a0}',
    '\u{2003}',
    '\u{2028}',
];
/// The same, and control characters.
pub(crate) const DESCRIPTION: &[char] = &[
    'a',
    ' ',
    '\n',
    '\t',
    '.',
    '"',
    '\\',
    '/',
    '\u{0}',
    '\u{1}',
    '\u{8}',
    '\u{c}',
    '\r',
    '\u{1f}',
    '\u{7f}',
    '\u{85}',
    '\u{9f}',
    '\u{e9}',
    '\u{65e5}',
    '\u{1F600}',
    '\u{3000}',
    '\u{FFFF}',
];
/// What a provider id may hold.
pub(crate) const PROVIDER_ID: &[char] = &['a', 'z', '0', '9', '-', '_', 'm', '5'];
/// What a context-provider id may hold.
pub(crate) const CONTEXT_ID: &[char] = &[
    'a', 'Z', '0', '!', '~', '"', '\\', '/', '-', '_', '.', ';', '9', '{', '\'',
];
/// What a theme token's name may hold.
pub(crate) const TOKEN: &[char] = &[
    'a',
    'Z',
    '0',
    '-',
    '_',
    '~',
    ':',
    '"',
    '\u{e9}',
    '\u{1F600}',
    '\u{0}',
    '\u{7f}',
    '\u{200B}',
];

/// Text of exactly `bytes` bytes from an alphabet whose first character has one byte.
pub(crate) fn filled(u: &mut Unstructured<'_>, alphabet: &[char], bytes: usize) -> String {
    let mut text = String::with_capacity(bytes);
    for _ in 0..u.below(6).min(bytes) {
        let one = u.pick(alphabet);
        if text.len() + one.len_utf8() <= bytes {
            text.push(one);
        }
    }
    let filler = u.pick(alphabet);
    while text.len() + filler.len_utf8() <= bytes {
        text.push(filler);
    }
    while text.len() < bytes {
        text.push(alphabet[0]);
    }
    text
}

/// Text of `least` to `most` bytes, at the bounds more often than between.
pub(crate) fn bounded(
    u: &mut Unstructured<'_>,
    alphabet: &[char],
    least: usize,
    most: usize,
) -> String {
    let bytes = if u.once_in(8) {
        u.between(least, most)
    } else {
        least + u.below((most - least).min(12) + 1)
    };
    filled(u, alphabet, bytes)
}

/// The same, and not blank.
pub(crate) fn told(u: &mut Unstructured<'_>, alphabet: &[char], most: usize) -> String {
    let text = bounded(u, alphabet, 1, most);
    if text.trim().is_empty() {
        "A word.".into()
    } else {
        text
    }
}

/// Text of any kind, mostly short.
pub(crate) fn any(u: &mut Unstructured<'_>) -> String {
    match u.below(4) {
        0 => bounded(u, ID, 0, 40),
        1 => bounded(u, DESCRIPTION, 0, 60),
        2 => (0..u.below(12))
            .map(|_| u.arbitrary::<char>().unwrap_or('a'))
            .collect(),
        _ => u.pick(SCHEMA_WORDS).into(),
    }
}
