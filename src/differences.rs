//! Where two JSON values differ, for people who ask why two digests do.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::digest::{Digester, SchemaDigest};
use crate::json::number::float_text;
use crate::json::{Json, JsonType};
use crate::path::push_token;

/// What happened at a place between what was declared and what was registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// Registered, and not declared.
    Added,
    /// Declared, and not registered.
    Removed,
    /// Another value of the same type.
    Changed,
    /// A value of another type.
    OtherType,
    /// The same number, as an integer on one side and as a float on the other: `1` and `1.0`.
    IntegerOrFloat,
    /// The same items of an array in another order.
    Reordered,
    /// The same text in another Unicode normal form.
    UnicodeNormalForm,
}

impl Change {
    /// Every change.
    pub const ALL: [Self; 7] = [
        Self::Added,
        Self::Removed,
        Self::Changed,
        Self::OtherType,
        Self::IntegerOrFloat,
        Self::Reordered,
        Self::UnicodeNormalForm,
    ];

    /// The change as a snake_case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::OtherType => "other_type",
            Self::IntegerOrFloat => "integer_or_float",
            Self::Reordered => "reordered",
            Self::UnicodeNormalForm => "unicode_normal_form",
        }
    }
}

impl core::fmt::Display for Change {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One place at which two values differ.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Difference<'d> {
    /// The JSON pointer (RFC 6901) from the two values' own root. What was added is named as it stands
    /// in the registered value, all else as in the declared one.
    pub pointer: String,
    /// What happened there.
    pub change: Change,
    /// What was declared there, if anything.
    pub declared: Option<Json<'d>>,
    /// What was registered there, if anything.
    pub registered: Option<Json<'d>>,
}

/// The places at which two values differ, outermost first.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Differences<'d> {
    /// The first of them.
    pub listed: Vec<Difference<'d>>,
    /// Whether there are more.
    pub more: bool,
}

impl Differences<'_> {
    /// Whether the two values are the same but for the Unicode normal form of texts in them.
    pub(crate) fn are_of_normal_form(&self) -> bool {
        !self.more
            && !self.listed.is_empty()
            && self
                .listed
                .iter()
                .all(|one| one.change == Change::UnicodeNormalForm)
    }
}

/// Finds where two values differ, as their digests see it: member order, escapes and the spelling of
/// floats are no difference. Lists at most `most` places.
///
/// `same_text` says of two texts that differ whether they are one text in two Unicode normal forms,
/// for which this crate has no tables; `&|_, _| false` will do.
///
/// ```
/// use extgate::{Change, JsonDocument, differences};
/// let declared = JsonDocument::new(br#"{"minimum": 1.0, "required": ["a", "b"], "title": "x"}"#)?;
/// let registered = JsonDocument::new(br#"{"minimum": 1, "required": ["b", "a"]}"#)?;
/// let found = differences(declared.root(), registered.root(), 10, &|_, _| false);
/// let found: Vec<_> = found.listed.iter().map(|one| (&*one.pointer, one.change)).collect();
/// assert_eq!(found, [
///     ("/title", Change::Removed),
///     ("/minimum", Change::IntegerOrFloat),
///     ("/required", Change::Reordered),
/// ]);
/// # Ok::<(), extgate::Rejection>(())
/// ```
#[must_use]
pub fn differences<'d>(
    declared: Json<'d>,
    registered: Json<'d>,
    most: usize,
    same_text: &dyn Fn(&str, &str) -> bool,
) -> Differences<'d> {
    let mut search = Search {
        nodes: Vec::new(),
        open: alloc::vec![Pair {
            node: None,
            declared,
            registered
        }],
        digester: Digester::new(),
        same_text,
        most,
        found: Differences {
            listed: Vec::new(),
            more: false,
        },
    };
    while let Some(pair) = search.open.pop() {
        if search.found.more {
            break;
        }
        search.compare(pair);
    }
    search.found
}

/// One step from a value to one in it. Steps are kept as a tree, since pointers may be long and few are shown.
struct Node<'d> {
    parent: Option<usize>,
    token: Token<'d>,
}

enum Token<'d> {
    Key(Cow<'d, str>),
    Index(usize),
}

/// Two values at one place.
#[derive(Clone, Copy)]
struct Pair<'d> {
    node: Option<usize>,
    declared: Json<'d>,
    registered: Json<'d>,
}

struct Search<'d, 's> {
    nodes: Vec<Node<'d>>,
    open: Vec<Pair<'d>>,
    digester: Digester,
    same_text: &'s dyn Fn(&str, &str) -> bool,
    most: usize,
    found: Differences<'d>,
}

/// Keys that are on one side only are held to each other up to this many on a side.
const MOST_KEYS_COMPARED: usize = 64;

impl<'d> Search<'d, '_> {
    fn node(&mut self, parent: Option<usize>, token: Token<'d>) -> Option<usize> {
        self.nodes.push(Node { parent, token });
        Some(self.nodes.len() - 1)
    }

    fn pointer(&self, node: Option<usize>) -> String {
        let mut way = Vec::new();
        let mut next = node;
        while let Some(node) = next.and_then(|index| self.nodes.get(index)) {
            way.push(&node.token);
            next = node.parent;
        }
        let mut pointer = String::new();
        for token in way.into_iter().rev() {
            match token {
                Token::Key(key) => push_token(&mut pointer, key),
                Token::Index(index) => push_token(&mut pointer, &format!("{index}")),
            }
        }
        pointer
    }

    fn report(
        &mut self,
        node: Option<usize>,
        change: Change,
        declared: Option<Json<'d>>,
        registered: Option<Json<'d>>,
    ) {
        if self.found.listed.len() >= self.most {
            self.found.more = true;
            return;
        }
        let pointer = self.pointer(node);
        self.found.listed.push(Difference {
            pointer,
            change,
            declared,
            registered,
        });
    }

    fn compare(&mut self, pair: Pair<'d>) {
        let (a, b) = (pair.declared, pair.registered);
        let change = match (a.kind(), b.kind()) {
            (JsonType::Object, JsonType::Object) => return self.objects(pair),
            (JsonType::Array, JsonType::Array) => return self.arrays(pair),
            (JsonType::Null, JsonType::Null) => return,
            (JsonType::Boolean, JsonType::Boolean) if a.as_bool() == b.as_bool() => return,
            (JsonType::String, JsonType::String) => {
                let (a, b) = (
                    a.as_str().unwrap_or_default(),
                    b.as_str().unwrap_or_default(),
                );
                if a == b {
                    return;
                }
                if (self.same_text)(&a, &b) {
                    Change::UnicodeNormalForm
                } else {
                    Change::Changed
                }
            }
            (JsonType::Integer, JsonType::Integer) if a.scalar_text() == b.scalar_text() => return,
            (JsonType::Float, JsonType::Float) if same_number(a, b) => return,
            (JsonType::Integer, JsonType::Float) | (JsonType::Float, JsonType::Integer) => {
                if same_number(a, b) {
                    Change::IntegerOrFloat
                } else {
                    Change::Changed
                }
            }
            (one, other) if one == other => Change::Changed,
            _ => Change::OtherType,
        };
        self.report(pair.node, change, Some(a), Some(b));
    }

    fn objects(&mut self, pair: Pair<'d>) {
        let sorted = |object: Json<'d>| {
            let mut members: Vec<_> = object.members().collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            members
        };
        let (declared, registered) = (sorted(pair.declared), sorted(pair.registered));
        let (mut removed, mut added, mut both) = (Vec::new(), Vec::new(), Vec::new());
        let mut registered = registered.into_iter().peekable();
        for (key, value) in declared {
            while let Some(earlier) = registered.next_if(|(other, _)| *other < key) {
                added.push(earlier);
            }
            match registered.next_if(|(other, _)| *other == key) {
                Some((_, other)) => both.push((key, value, other)),
                None => removed.push((key, value)),
            }
        }
        added.extend(registered);
        if removed.len() <= MOST_KEYS_COMPARED && added.len() <= MOST_KEYS_COMPARED {
            removed.retain(|(key, value)| {
                let same = added
                    .iter()
                    .position(|(other, _)| (self.same_text)(key, other));
                let Some(place) = same else { return true };
                let mut kept = Vec::new();
                for (at, (other_key, other)) in core::mem::take(&mut added).into_iter().enumerate()
                {
                    if at == place {
                        let node = self.nodes.len();
                        self.nodes.push(Node {
                            parent: pair.node,
                            token: Token::Key(key.clone()),
                        });
                        self.report(
                            Some(node),
                            Change::UnicodeNormalForm,
                            Some(*value),
                            Some(other),
                        );
                    } else {
                        kept.push((other_key, other));
                    }
                }
                added = kept;
                false
            });
        }
        for (key, value) in removed {
            let node = self.node(pair.node, Token::Key(key));
            self.report(node, Change::Removed, Some(value), None);
        }
        for (key, value) in added {
            let node = self.node(pair.node, Token::Key(key));
            self.report(node, Change::Added, None, Some(value));
        }
        // The last one pushed is the next one compared.
        for (key, declared, registered) in both.into_iter().rev() {
            let node = self.node(pair.node, Token::Key(key));
            self.open.push(Pair {
                node,
                declared,
                registered,
            });
        }
    }

    fn items(&mut self, array: Json<'d>) -> Vec<Item<'d>> {
        array
            .items()
            .enumerate()
            .map(|(index, value)| Item {
                digest: self.digester.digest(value),
                index,
                value,
            })
            .collect()
    }

    fn arrays(&mut self, pair: Pair<'d>) {
        let (declared, registered) = (self.items(pair.declared), self.items(pair.registered));
        if declared.len() == registered.len() {
            let apart: Vec<_> = declared
                .iter()
                .zip(&registered)
                .filter(|(one, other)| one.digest != other.digest)
                .collect();
            let digests = |side: fn(&(&Item<'d>, &Item<'d>)) -> SchemaDigest| {
                let mut digests: Vec<_> = apart.iter().map(side).collect();
                digests.sort_unstable();
                digests
            };
            if apart.is_empty() {
                return;
            }
            if digests(|(one, _)| one.digest) == digests(|(_, other)| other.digest) {
                self.report(
                    pair.node,
                    Change::Reordered,
                    Some(pair.declared),
                    Some(pair.registered),
                );
                return;
            }
            for (one, other) in apart.into_iter().rev() {
                let node = self.node(pair.node, Token::Index(one.index));
                self.open.push(Pair {
                    node,
                    declared: one.value,
                    registered: other.value,
                });
            }
            return;
        }
        let (removed, added) = on_one_side(declared, registered);
        for item in removed {
            let node = self.node(pair.node, Token::Index(item.index));
            self.report(node, Change::Removed, Some(item.value), None);
        }
        for item in added {
            let node = self.node(pair.node, Token::Index(item.index));
            self.report(node, Change::Added, None, Some(item.value));
        }
    }
}

/// An item of an array.
struct Item<'d> {
    digest: SchemaDigest,
    index: usize,
    value: Json<'d>,
}

/// The items that either side has more often than the other, in their order.
fn on_one_side<'d>(
    mut declared: Vec<Item<'d>>,
    mut registered: Vec<Item<'d>>,
) -> (Vec<Item<'d>>, Vec<Item<'d>>) {
    for side in [&mut declared, &mut registered] {
        side.sort_unstable_by_key(|item| (item.digest, item.index));
    }
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let mut registered = registered.into_iter().peekable();
    for item in declared {
        while let Some(earlier) = registered.next_if(|other| other.digest < item.digest) {
            added.push(earlier);
        }
        if registered
            .next_if(|other| other.digest == item.digest)
            .is_none()
        {
            removed.push(item);
        }
    }
    added.extend(registered);
    for side in [&mut removed, &mut added] {
        side.sort_unstable_by_key(|item| item.index);
    }
    (removed, added)
}

/// Whether two numbers are one double, however they are spelled.
fn same_number(a: Json<'_>, b: Json<'_>) -> bool {
    let text = |number: Json<'_>| float_text(number.scalar_text().as_bytes());
    text(a).as_bytes() == text(b).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JsonDocument;
    use alloc::string::ToString;

    fn found(a: &str, b: &str) -> Vec<(String, &'static str)> {
        let (a, b) = (
            JsonDocument::new(a.as_bytes()).unwrap(),
            JsonDocument::new(b.as_bytes()).unwrap(),
        );
        let same_text =
            |a: &str, b: &str| a.replace("e\u{301}", "\u{e9}") == b.replace("e\u{301}", "\u{e9}");
        let found = differences(a.root(), b.root(), 10, &same_text);
        assert_eq!(
            found.listed.is_empty(),
            a.root().digest() == b.root().digest()
        );
        found
            .listed
            .into_iter()
            .map(|one| (one.pointer, one.change.as_str()))
            .collect()
    }

    #[test]
    fn every_change() {
        for (a, b, expected) in [
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, &[("/b", "added")][..]),
            (r#"{"a/~":1}"#, "{}", &[("/a~1~0", "removed")]),
            (r#"{"a":"x"}"#, r#"{"a":"y"}"#, &[("/a", "changed")]),
            (r#"{"a":"1"}"#, r#"{"a":1}"#, &[("/a", "other_type")]),
            ("[1]", "[1.0]", &[("/0", "integer_or_float")]),
            (
                "[10000000000000000]",
                "[1e16]",
                &[("/0", "integer_or_float")],
            ),
            ("[0]", "[-0]", &[("/0", "changed")]),
            ("[1]", "[2.0]", &[("/0", "changed")]),
            ("[1.50,1e2]", "[15e-1,100.0]", &[]),
            ("[1,2,3]", "[3,2,1]", &[("", "reordered")]),
            ("[1,2,3]", "[1,2,4]", &[("/2", "changed")]),
            ("[1,2,3]", "[0,1,2,3]", &[("/0", "added")]),
            ("[1,1,2]", "[1,2]", &[("/1", "removed")]),
            (
                "[\"caf\u{e9}\"]",
                "[\"cafe\u{301}\"]",
                &[("/0", "unicode_normal_form")],
            ),
            (
                "{\"\u{e9}\":1,\"a\":2}",
                "{\"e\u{301}\":1,\"b\":2}",
                &[
                    ("/\u{e9}", "unicode_normal_form"),
                    ("/a", "removed"),
                    ("/b", "added"),
                ],
            ),
            (
                r#"{"a":{"b":[{"c":null}]}}"#,
                r#"{"a":{"b":[{"c":false}]}}"#,
                &[("/a/b/0/c", "other_type")],
            ),
            ("true", "false", &[("", "changed")]),
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(at, what)| (at.to_string(), *what))
                .collect();
            assert_eq!(found(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn no_more_than_asked_for() {
        let (a, b) = ("[0,0,0,0]", "[1,2,3,4]");
        let (a, b) = (
            JsonDocument::new(a.as_bytes()).unwrap(),
            JsonDocument::new(b.as_bytes()).unwrap(),
        );
        for (most, listed, more) in [(0, 0, true), (3, 3, true), (4, 4, false), (9, 4, false)] {
            let found = differences(a.root(), b.root(), most, &|_, _| false);
            assert_eq!((found.listed.len(), found.more), (listed, more));
        }
    }

    #[test]
    fn long_ways_cost_their_length_once() {
        let key = "k".repeat(10_000);
        let nested = |leaf: &str| {
            let open: String = (0..100).map(|_| format!("{{\"{key}\":")).collect();
            format!("{open}[{leaf}]{}", "}".repeat(100))
        };
        let zeros = alloc::vec!["0"; 100_000].join(",");
        let ones = alloc::vec!["1"; 100_000].join(",");
        let (a, b) = (nested(&zeros), nested(&ones));
        let (a, b) = (
            JsonDocument::new(a.as_bytes()).unwrap(),
            JsonDocument::new(b.as_bytes()).unwrap(),
        );
        let found = differences(a.root(), b.root(), 2, &|_, _| false);
        assert!(found.more && found.listed.len() == 2);
    }
}
