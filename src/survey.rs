//! One walk over what a table of [`shape`](crate::shape) describes, for findings: members that nobody
//! reads, and texts that are not what they look like. The walk follows the tables; what stands in *any*
//! values is gone through without recursion.

use crate::finding::{Finding, FindingCode, FindingDetail, Findings, Report};
use crate::hidden::is_invisible;
use crate::json::{Items, Json, Text, TextMembers};
use crate::path::{Field, Path, Place, Step, numbered};
use crate::reason::Side;
use crate::shape::{Object, Shape};
use crate::similar;

/// Surveys a value of that shape. A member that is not known is reported as `unknown`.
pub(crate) fn survey(
    value: Json<'_>,
    object: &'static Object,
    path: Path,
    side: Side,
    unknown: FindingCode,
    report: Report<'_>,
) {
    Survey {
        path,
        field: None,
        side,
        unknown,
        compared: 0,
        report,
    }
    .object(value, object);
}

/// The characters of a text that cannot be seen, control characters aside.
pub(crate) fn invisible(text: &str) -> Option<FindingDetail> {
    characters(text, is_invisible)
}

fn characters(text: &str, wanted: fn(char) -> bool) -> Option<FindingDetail> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let mut found = text.chars().filter(|one| wanted(*one));
    let first = found.next()?;
    let rest = u32::try_from(found.count()).unwrap_or(u32::MAX);
    Some(FindingDetail::Characters(first, rest.saturating_add(1)))
}

struct Survey<'r> {
    path: Path,
    /// The innermost member that is known by name.
    field: Option<Field>,
    side: Side,
    unknown: FindingCode,
    /// Unknown members that were held to known ones.
    compared: usize,
    report: Report<'r>,
}

impl Survey<'_> {
    fn say(&mut self, code: FindingCode, place: Place, detail: FindingDetail) {
        (self.report)(Finding::new(code, self.side, place).with(detail));
    }

    fn value(&mut self, value: Json<'_>, shape: &'static Shape) {
        match shape {
            Shape::String => {
                if let Some(text) = value.as_str() {
                    self.text(&text, Place::Value(self.path));
                }
            }
            Shape::Any => match self.field {
                Some(Field::InputSchema | Field::ConfigSchema) => self.schema(value),
                Some(Field::Capabilities) => self.labels(value),
                _ => {}
            },
            Shape::Boolean | Shape::U32 | Shape::U64 | Shape::Word(_) => {}
            Shape::Object(object) => self.object(value, object),
            Shape::List(item) => {
                for (index, inner) in numbered(value.items()) {
                    self.inside(Step::Index(index), |survey| survey.value(inner, item));
                }
            }
            Shape::Map(inner_shape) => {
                for (position, (key, inner)) in numbered(value.text_members()) {
                    self.inside(Step::Member(position), |survey| {
                        survey.text(&key.decoded(), Place::Key(survey.path));
                        survey.value(inner, inner_shape);
                    });
                }
            }
        }
    }

    fn inside(&mut self, step: Step, look: impl FnOnce(&mut Self)) {
        let field = self.field;
        if let Step::Field(inner) = step {
            self.field = Some(inner);
        }
        self.path.push(step);
        look(self);
        self.path.pop();
        self.field = field;
    }

    fn object(&mut self, value: Json<'_>, object: &'static Object) {
        for (position, (key, inner)) in numbered(value.text_members()) {
            let known = object
                .position(key)
                .and_then(|position| object.members.get(position));
            match known {
                Some(member) => self.inside(Step::Field(member.field), |survey| {
                    survey.value(inner, &member.shape);
                }),
                None => self.unknown(&key.decoded(), object, position),
            }
        }
    }

    fn unknown(&mut self, key: &str, object: &'static Object, position: u32) {
        let place = Place::Key(self.path.member(position));
        let in_block = self.path == Path::of(Field::Extension);
        if in_block && matches!(key, "providers" | "context_providers") {
            self.say(
                FindingCode::ProvidersOutsideDeferred,
                place,
                FindingDetail::None,
            );
            return;
        }
        // Beyond what is kept of findings, a comparison would be for nobody.
        self.compared += 1;
        let nearest = if self.compared <= Findings::MOST {
            let known = object.members.iter().map(|member| member.name);
            similar::nearest(key, known)
        } else {
            None
        };
        let detail = nearest.map_or(FindingDetail::None, FindingDetail::Nearest);
        self.say(self.unknown, place, detail);
    }

    /// A text that people or models read, or that is run.
    fn text(&mut self, text: &str, place: Place) {
        if let Some(detail) = invisible(text) {
            self.say(FindingCode::InvisibleOrBidiCharacters, place, detail);
        }
        if matches!(
            self.field,
            Some(Field::Description | Field::Command | Field::Args | Field::Setup)
        ) && let Some(detail) = characters(text, char::is_control)
        {
            self.say(FindingCode::ControlCharacter, place, detail);
        }
    }

    /// The keys of a model's capabilities.
    fn labels(&mut self, value: Json<'_>) {
        for (position, (key, _)) in numbered(value.text_members()) {
            let place = Place::Key(self.path.member(position));
            if let Some(detail) = invisible(&key.decoded()) {
                self.say(FindingCode::InvisibleOrBidiCharacters, place, detail);
            }
        }
    }

    /// Every key and string of a schema, since a model reads them all.
    fn schema(&mut self, schema: Json<'_>) {
        let mut open = alloc::vec![Open::of(schema)];
        while let Some(top) = open.last_mut() {
            let Some((key, value)) = top.next() else {
                open.pop();
                continue;
            };
            if let Some(key) = key {
                self.schema_text(&key.decoded(), Place::Byte(narrow(value.key_start())));
            }
            if let Some(text) = value.as_str() {
                let place = Place::Byte(narrow(value.start()));
                self.schema_text(&text, place);
                let refers = key.is_some_and(|key| key.is("$ref") || key.is("$dynamicRef"));
                if refers && !text.starts_with('#') {
                    self.say(
                        FindingCode::ExternalSchemaReference,
                        place,
                        FindingDetail::None,
                    );
                }
            } else {
                open.push(Open::of(value));
            }
        }
    }

    fn schema_text(&mut self, text: &str, place: Place) {
        if let Some(detail) = invisible(text) {
            self.say(FindingCode::InvisibleOrBidiCharacters, place, detail);
        }
    }
}

/// An offset in a document, which has at most 2^23 bytes.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// An array or object whose rest is still to be seen.
enum Open<'d> {
    Items(Items<'d>),
    Members(TextMembers<'d>),
}

impl<'d> Open<'d> {
    fn of(value: Json<'d>) -> Self {
        if value.is_object() {
            Self::Members(value.text_members())
        } else {
            Self::Items(value.items())
        }
    }

    fn next(&mut self) -> Option<(Option<Text<'d>>, Json<'d>)> {
        match self {
            Self::Items(items) => items.next().map(|value| (None, value)),
            Self::Members(members) => members.next().map(|(key, value)| (Some(key), value)),
        }
    }
}
