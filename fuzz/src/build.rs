//! From what a document says to its JSON, with a list of the places at which a fault of shape can be put.

use arbitrary::{Arbitrary, Unstructured};

use crate::dice::Dice;
use crate::value::{Value, join};

/// What a place may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Word,
    Bool,
    U32,
    U64,
    List,
    Object,
    /// An object that allows no member but those it knows.
    Closed,
    Any,
}

/// A place that the format knows.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) pointer: String,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    pub(crate) nullable: bool,
}

pub(crate) struct Builder<'u, 'a> {
    pub(crate) u: &'u mut Unstructured<'a>,
    pub(crate) slots: Vec<Slot>,
    /// Every list is written down, empty ones too, and no member is added that nobody knows.
    pub(crate) full: bool,
}

impl<'u, 'a> Builder<'u, 'a> {
    pub(crate) fn new(u: &'u mut Unstructured<'a>) -> Self {
        Self {
            u,
            slots: Vec::new(),
            full: false,
        }
    }

    pub(crate) fn items<T>(
        &mut self,
        list: &str,
        items: &[T],
        value: impl Fn(&mut Self, &str, &T) -> Value,
    ) -> Vec<Value> {
        let numbered = items.iter().enumerate();
        numbered
            .map(|(place, item)| value(self, &format!("{list}/{place}"), item))
            .collect()
    }
}

/// The members of an object that is being built.
pub(crate) struct Members {
    at: String,
    members: Vec<(String, Value)>,
    /// Whether members that nobody knows may be added.
    open: bool,
}

/// Names that are a member's nowhere in the format, some of them nearly.
const UNKNOWN: [&str; 12] = [
    "x",
    "annotations",
    "Name",
    "tool_",
    "nam\u{e9}",
    "",
    "defered",
    "input_schema ",
    "$schema",
    "descriptio",
    "extension\u{0}",
    "model",
];

impl Members {
    pub(crate) fn new(b: &mut Builder<'_, '_>, at: &str) -> Self {
        Self {
            at: at.to_owned(),
            members: Vec::new(),
            open: !b.full && b.u.once_in(8),
        }
    }

    /// Of an object whose members are data, or which allows no unknown one.
    pub(crate) fn map(at: &str) -> Self {
        Self {
            at: at.to_owned(),
            members: Vec::new(),
            open: false,
        }
    }

    pub(crate) fn pointer(&self, key: &str) -> String {
        join(&self.at, key)
    }

    fn put(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        kind: Kind,
        required: bool,
        nullable: bool,
        value: Value,
    ) {
        b.slots.push(Slot {
            pointer: self.pointer(key),
            kind,
            required,
            nullable,
        });
        self.any(key, value);
    }

    pub(crate) fn any(&mut self, key: &str, value: Value) {
        self.members.push((key.to_owned(), value));
    }

    pub(crate) fn required(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        kind: Kind,
        value: Value,
    ) {
        self.put(b, key, kind, true, false, value);
    }

    pub(crate) fn optional(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        kind: Kind,
        value: Value,
    ) {
        self.put(b, key, kind, false, false, value);
    }

    pub(crate) fn nullable(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        kind: Kind,
        value: Value,
    ) {
        self.put(b, key, kind, false, true, value);
    }

    pub(crate) fn text_or_null(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        text: Option<&String>,
    ) {
        match text {
            Some(text) => self.nullable(b, key, Kind::Text, Value::String(text.clone())),
            None if b.u.once_in(8) => self.nullable(b, key, Kind::Text, Value::Null),
            None => {}
        }
    }

    pub(crate) fn any_or_null(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        value: Option<&Value>,
    ) {
        match value {
            Some(value) => self.any(key, value.clone()),
            None if b.u.once_in(4) => self.any(key, Value::Null),
            None => {}
        }
    }

    /// A description, which may be left out where it is empty, unless it must be given.
    pub(crate) fn described(&mut self, b: &mut Builder<'_, '_>, description: &str, required: bool) {
        if required || !description.is_empty() || b.u.below(2) == 0 {
            self.put(
                b,
                "description",
                Kind::Text,
                required,
                false,
                Value::String(description.into()),
            );
        }
    }

    /// A list, which may be left out where it is empty.
    pub(crate) fn list(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        item: Kind,
        items: Vec<Value>,
    ) {
        if !items.is_empty() || b.full || b.u.once_in(4) {
            self.given_list(b, key, item, items);
        }
    }

    pub(crate) fn given_list(
        &mut self,
        b: &mut Builder<'_, '_>,
        key: &str,
        item: Kind,
        items: Vec<Value>,
    ) {
        for place in 0..items.len() {
            b.slots.push(Slot {
                pointer: format!("{}/{place}", self.pointer(key)),
                kind: item,
                required: false,
                nullable: false,
            });
        }
        self.optional(b, key, Kind::List, Value::Array(items));
    }

    pub(crate) fn done(mut self, b: &mut Builder<'_, '_>) -> Value {
        if self.open {
            let key = b.u.pick(&UNKNOWN);
            if self.members.iter().all(|(other, _)| other != key) {
                let value = Value::arbitrary(b.u).unwrap_or(Value::Null);
                self.any(key, value);
            }
        }
        Value::Object(self.members)
    }
}
