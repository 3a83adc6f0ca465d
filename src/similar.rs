//! Which known name a misspelled one is nearest to.

use alloc::vec::Vec;

/// Names longer than this are compared with nothing.
const MOST_BYTES: usize = 32;

/// A name as it is compared: letters in lower case, without `_` and `-`, so that `inputSchema` is `input_schema`.
fn folded(name: &str) -> Vec<u8> {
    name.bytes()
        .filter(|byte| !matches!(byte, b'_' | b'-'))
        .map(|byte| byte.to_ascii_lowercase())
        .collect()
}

/// Whether two names differ at most in case, or by one letter added, dropped, changed or swapped with its neighbor.
pub(crate) fn is_one_step(one: &str, other: &str) -> bool {
    if one.len() > MOST_BYTES {
        return false;
    }
    let (one, other) = (one.to_ascii_lowercase(), other.to_ascii_lowercase());
    let (mut a, mut b) = (one.as_bytes(), other.as_bytes());
    while let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first())
        && x == y
    {
        (a, b) = (rest_a, rest_b);
    }
    while let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_last(), b.split_last())
        && x == y
    {
        (a, b) = (rest_a, rest_b);
    }
    match (a, b) {
        ([], [] | [_]) | ([_], [] | [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

/// The known name that a name is nearest to, if it is near at all: at most a third of its letters differ, and at most two.
pub(crate) fn nearest(
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    if name.len() > MOST_BYTES {
        return None;
    }
    let name = folded(name);
    known
        .map(|known| (distance(&name, &folded(known)), known))
        .filter(|(distance, known)| *distance <= 2.min(known.len() / 3))
        .min()
        .map(|(_, known)| known)
}

/// Letters to add, drop or change.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (1..=b.len()).collect();
    for (before, x) in a.iter().enumerate() {
        let (mut diagonal, mut left) = (before, before + 1);
        for (cell, y) in row.iter_mut().zip(b) {
            let changed = diagonal + usize::from(x != y);
            diagonal = *cell;
            left = changed.min(left + 1).min(diagonal + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("defered", "deferred", 1),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }

    #[test]
    fn nearest_names() {
        let known = [
            "deferred",
            "args",
            "input_schema",
            "permissions",
            "hooks",
            "id",
        ];
        for (name, expected) in [
            ("defered", Some("deferred")),
            ("inputSchema", Some("input_schema")),
            ("Permissions", Some("permissions")),
            ("permisions", Some("permissions")),
            ("hook", Some("hooks")),
            ("arg", Some("args")),
            ("assets", None),
            ("ix", None),
            ("name", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        }
    }

    #[test]
    fn one_step() {
        for name in [
            "Extension",
            "EXTENSION",
            "extensions",
            "extnsion",
            "extention",
            "extensoin",
            "xtension",
        ] {
            assert!(is_one_step(name, "extension"), "{name}");
        }
        for name in ["ext", "extentoin", "contentions", "description", ""] {
            assert!(!is_one_step(name, "extension"), "{name}");
        }
    }
}
