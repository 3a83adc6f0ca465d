//! Section 2: the shape of the extension block and of an initialize result, as tables, and the one
//! walk that holds a value to its table.
//!
//! The tables are public, for who wants to describe the format elsewhere, such as in a JSON Schema. The
//! walk follows them, and their depth is fixed; what stands in *any* values is never entered.
//!
//! ```
//! use extgate::shape::{EXTENSION, Shape};
//! let command = EXTENSION.members.iter().find(|member| member.name == "command").expect("a member");
//! assert!(command.required && matches!(command.shape, Shape::String));
//! ```

use core::ops::ControlFlow::{self, Continue};

use crate::json::{Json, JsonType};
use crate::path::{Field, Path, Step, numbered};
use crate::reason::{Detail, Reason, Rejection, Side, Sink};

/// What a value may be.
#[derive(Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A string.
    String,
    /// An integer that fits u32.
    U32,
    /// An integer that fits u64.
    U64,
    /// `true` or `false`.
    Boolean,
    /// Any JSON, null included.
    Any,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// An object with known members.
    Object(&'static Object),
    /// An array whose items have this shape.
    List(&'static Shape),
    /// An object with any keys, whose values have this shape.
    Map(&'static Shape),
}

/// An object with known members.
#[derive(Debug)]
#[non_exhaustive]
pub struct Object {
    /// The members that are known.
    pub members: &'static [Member],
    /// Whether a member that is not known is a fault.
    pub closed: bool,
}

/// A known member.
#[derive(Debug)]
#[non_exhaustive]
pub struct Member {
    /// Which one.
    pub field: Field,
    /// Its name: that of the field.
    pub name: &'static str,
    /// What its value may be.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// Whether null stands for its absence.
    pub nullable: bool,
}

const fn required(field: Field, shape: Shape) -> Member {
    Member {
        field,
        name: field.as_str(),
        shape,
        required: true,
        nullable: false,
    }
}

const fn optional(field: Field, shape: Shape) -> Member {
    Member {
        field,
        name: field.as_str(),
        shape,
        required: false,
        nullable: false,
    }
}

const fn or_null(field: Field, shape: Shape) -> Member {
    Member {
        field,
        name: field.as_str(),
        shape,
        required: false,
        nullable: true,
    }
}

const fn open(members: &'static [Member]) -> Object {
    Object {
        members,
        closed: false,
    }
}

use Shape::{Any, Boolean, List, Map, String, U32, U64, Word};

/// The extension block.
pub static EXTENSION: Object = open(&[
    optional(Field::ProtocolVersion, U32),
    required(Field::Runtime, Word(&["process"])),
    required(Field::Command, String),
    or_null(Field::Setup, String),
    optional(Field::Prebuilt, Map(&Shape::Object(&PREBUILT_ASSET))),
    optional(Field::Args, List(&String)),
    optional(Field::Permissions, List(&String)),
    optional(Field::Hooks, List(&Shape::Object(&HOOK))),
    optional(Field::Config, List(&Shape::Object(&CONFIG_ENTRY))),
    optional(Field::ThemeTokens, Map(&String)),
    or_null(Field::Deferred, Shape::Object(&DEFERRED)),
    optional(Field::Tools, List(&Shape::Object(&DECLARED_TOOL))),
    or_null(Field::Activation, String),
]);

static PREBUILT_ASSET: Object = open(&[
    required(Field::Url, String),
    required(Field::Sha256, String),
]);

static HOOK: Object = open(&[
    required(Field::Hook, String),
    or_null(Field::Tool, String),
    or_null(Field::Match, Shape::Object(&HOOK_MATCH)),
]);

static HOOK_MATCH: Object = Object {
    members: &[
        or_null(Field::InputContains, String),
        optional(Field::InputEquals, Any),
    ],
    closed: true,
};

static CONFIG_ENTRY: Object = open(&[
    required(Field::Key, String),
    or_null(Field::Type, Word(&["string", "bool", "number"])),
    or_null(Field::Description, String),
    optional(Field::Required, Boolean),
    optional(Field::Default, Any),
    or_null(Field::SecretEnv, String),
    or_null(Field::HostContext, Word(&["project_root"])),
]);

static DEFERRED: Object = open(&[
    optional(Field::Tools, List(&Shape::Object(&DECLARED_TOOL))),
    optional(Field::Providers, List(&Shape::Object(&DECLARED_PROVIDER))),
    optional(
        Field::ContextProviders,
        List(&Shape::Object(&DECLARED_CONTEXT_PROVIDER)),
    ),
    or_null(Field::Lifecycle, Word(&["hook", "user"])),
]);

static DECLARED_TOOL: Object = open(&[
    required(Field::Name, String),
    optional(Field::Description, String),
    required(Field::InputSchema, Any),
]);

static DECLARED_PROVIDER: Object = open(&[
    required(Field::Id, String),
    required(Field::DisplayName, String),
    optional(Field::Description, String),
    optional(Field::Models, List(&Shape::Object(&MODEL))),
    optional(Field::ConfigSchema, Any),
]);

static MODEL: Object = open(&[
    required(Field::Id, String),
    or_null(Field::DisplayName, String),
    optional(Field::Capabilities, Any),
    or_null(Field::ContextWindow, U64),
]);

static DECLARED_CONTEXT_PROVIDER: Object = open(&[
    required(Field::Id, String),
    required(Field::Capability, String),
    optional(Field::Description, String),
    required(Field::SchemaVersion, U32),
]);

/// An initialize result.
pub static INITIALIZE_RESULT: Object = open(&[
    required(Field::ProtocolVersion, U32),
    optional(Field::Capabilities, Shape::Object(&CAPABILITIES)),
]);

static CAPABILITIES: Object = open(&[
    optional(Field::Tools, List(&Shape::Object(&REGISTERED_TOOL))),
    optional(Field::Providers, List(&Shape::Object(&REGISTERED_PROVIDER))),
    optional(
        Field::Capabilities,
        List(&Shape::Object(&GENERIC_CAPABILITY)),
    ),
]);

static REGISTERED_TOOL: Object = open(&[
    required(Field::Name, String),
    required(Field::Description, String),
    required(Field::InputSchema, Any),
]);

static REGISTERED_PROVIDER: Object = open(&[
    required(Field::Id, String),
    required(Field::DisplayName, String),
    required(Field::Description, String),
    optional(Field::Models, List(&Shape::Object(&MODEL))),
    optional(Field::ConfigSchema, Any),
]);

static GENERIC_CAPABILITY: Object = open(&[
    required(Field::Kind, String),
    required(Field::Name, String),
    optional(Field::Permissions, List(&String)),
    optional(Field::Params, Any),
]);

impl Object {
    /// The known member of that key, by its position in the table.
    #[inline]
    pub(crate) fn position(&self, key: crate::json::Text<'_>) -> Option<usize> {
        match key.plain() {
            Some(key) => self.members.iter().position(|member| member.name == key),
            None => self.members.iter().position(|member| key.is(member.name)),
        }
    }
}

impl Shape {
    /// The shape as a noun.
    const fn noun(&self, nullable: bool) -> &'static str {
        match (self, nullable) {
            (Self::String, false) => "a string",
            (Self::String, true) => "a string or null",
            (Self::U32, _) => "an integer from 0 to 4294967295",
            (Self::U64, false) => "an integer from 0 to 18446744073709551615",
            (Self::U64, true) => "an integer from 0 to 18446744073709551615, or null",
            (Self::Boolean, _) => "true or false",
            (Self::Any, _) => "any JSON",
            (Self::Word(_), false) => "a word as a string",
            (Self::Word(_), true) => "a word as a string, or null",
            (Self::Object(_) | Self::Map(_), false) => "an object",
            (Self::Object(_) | Self::Map(_), true) => "an object or null",
            (Self::List(_), _) => "an array",
        }
    }
}

/// Holds a value to the table of an object; faults come in the order of their places.
pub(crate) fn check<S: Sink>(
    value: Json<'_>,
    object: &'static Object,
    path: Path,
    side: Side,
    sink: &mut S,
) -> ControlFlow<S::Stop> {
    let mut walk = Walk { path, side, sink };
    walk.object(value, object, false)
}

struct Walk<'s, S> {
    path: Path,
    side: Side,
    sink: &'s mut S,
}

impl<S: Sink> Walk<'_, S> {
    #[cold]
    fn report(&mut self, rejection: Rejection) -> ControlFlow<S::Stop> {
        self.sink.report(rejection.on(self.side))
    }

    #[cold]
    fn wrong_type(&mut self, shape: &Shape, nullable: bool) -> ControlFlow<S::Stop> {
        self.report(
            Rejection::at(Reason::WrongType, self.path)
                .with(Detail::Expected(shape.noun(nullable))),
        )
    }

    fn value(
        &mut self,
        value: Json<'_>,
        shape: &'static Shape,
        nullable: bool,
    ) -> ControlFlow<S::Stop> {
        if nullable && value.is_null() {
            return Continue(());
        }
        match shape {
            Shape::Any => Continue(()),
            Shape::String => match value.as_text() {
                Some(_) => Continue(()),
                None => self.wrong_type(shape, nullable),
            },
            Shape::Boolean => match value.as_bool() {
                Some(_) => Continue(()),
                None => self.wrong_type(shape, nullable),
            },
            Shape::U32 => self.integer(value, shape, nullable, u64::from(u32::MAX)),
            Shape::U64 => self.integer(value, shape, nullable, u64::MAX),
            Shape::Word(words) => match value.as_text() {
                Some(text) if words.iter().any(|word| text.is(word)) => Continue(()),
                Some(_) => self.report(
                    Rejection::at(Reason::UnknownValue, self.path).with(Detail::OneOf(words)),
                ),
                None => self.wrong_type(shape, nullable),
            },
            Shape::Object(object) => self.object(value, object, nullable),
            Shape::List(item) => {
                if value.kind() != JsonType::Array {
                    return self.wrong_type(shape, nullable);
                }
                for (index, inner) in numbered(value.items()) {
                    self.inside(Step::Index(index), inner, item, false)?;
                }
                Continue(())
            }
            Shape::Map(inner_shape) => {
                if !value.is_object() {
                    return self.wrong_type(shape, nullable);
                }
                for (position, (_, inner)) in numbered(value.text_members()) {
                    self.inside(Step::Member(position), inner, inner_shape, false)?;
                }
                Continue(())
            }
        }
    }

    #[inline]
    fn inside(
        &mut self,
        step: Step,
        value: Json<'_>,
        shape: &'static Shape,
        nullable: bool,
    ) -> ControlFlow<S::Stop> {
        self.path.push(step);
        let flow = self.value(value, shape, nullable);
        self.path.pop();
        flow
    }

    fn object(
        &mut self,
        value: Json<'_>,
        object: &'static Object,
        nullable: bool,
    ) -> ControlFlow<S::Stop> {
        if !value.is_object() {
            let noun = if nullable {
                "an object or null"
            } else {
                "an object"
            };
            return self
                .report(Rejection::at(Reason::WrongType, self.path).with(Detail::Expected(noun)));
        }
        let mut seen = 0_u32;
        for (place, (key, inner)) in numbered(value.text_members()) {
            match object.position(key) {
                Some(position) => {
                    seen |= 1 << position;
                    if let Some(member) = object.members.get(position) {
                        self.inside(
                            Step::Field(member.field),
                            inner,
                            &member.shape,
                            member.nullable,
                        )?;
                    }
                }
                None if object.closed => {
                    let path = self.path.member(place);
                    self.report(Rejection::at_key(Reason::UnknownField, path))?;
                }
                None => {}
            }
        }
        for (position, member) in object.members.iter().enumerate() {
            if member.required && seen & 1 << position == 0 {
                let path = self.path;
                self.report(
                    Rejection::at(Reason::MissingField, path).with(Detail::Missing(member.field)),
                )?;
            }
        }
        Continue(())
    }

    fn integer(
        &mut self,
        value: Json<'_>,
        shape: &'static Shape,
        nullable: bool,
        most: u64,
    ) -> ControlFlow<S::Stop> {
        if value.kind() != JsonType::Integer {
            return self.wrong_type(shape, nullable);
        }
        match value.as_u64() {
            Some(number) if number <= most => Continue(()),
            _ => self.report(
                Rejection::at(Reason::NumberOutOfRange, self.path)
                    .with(Detail::Expected(shape.noun(nullable))),
            ),
        }
    }
}
