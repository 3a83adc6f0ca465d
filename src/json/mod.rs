//! Section 1: from bytes to JSON, bounded, borrowed and without recursion.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::limits::{self, Limit, NESTING_MAX_LEVELS};
use crate::path::Path;
use crate::reason::{Detail, Reason, Rejection, Side};

mod decimal;
mod fault;
mod keys;
mod locate;
pub(crate) mod members;
mod nearest;
pub(crate) mod number;
pub(crate) mod order;
mod scan;
mod shortest;
mod spelling;
pub(crate) mod tape;
pub(crate) mod text;

pub use locate::{Location, Locator};

use fault::{Fault, byte_at};
pub(crate) use order::{narrow, widen};
use scan::{Scanner, mode, skip_space};
use tape::{Kind, Word};
pub(crate) use text::{Piece, pieces};

/// The words of a document, and the text that they point into.
pub(crate) struct Tape<'b> {
    text: &'b str,
    words: Vec<Word>,
    growth: usize,
}

impl<'b> Tape<'b> {
    fn of(scanner: Scanner<'b>) -> Self {
        Self {
            text: scanner.text,
            words: scanner.words,
            growth: scanner.growth,
        }
    }

    #[inline]
    fn word(&self, index: usize) -> Word {
        self.words.get(index).copied().unwrap_or(Word::NULL)
    }

    /// The index of the word behind the value at `index`.
    #[inline]
    fn behind(&self, index: usize) -> usize {
        let word = self.word(index);
        if word.is_container() {
            word.next()
        } else {
            index + 1
        }
    }
}

impl core::fmt::Debug for Tape<'_> {
    /// Shows sizes only: every document's `Debug` comes through here, and a document may hold secrets.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} bytes in {} words", self.text.len(), self.words.len())
    }
}

/// The text of a document within its bound.
fn text_of<'b>(bytes: &'b [u8], limit: &'static Limit) -> Result<&'b str, Rejection> {
    if bytes.len() > limit.value {
        return Err(Rejection::at_byte(
            Reason::DocumentTooLarge,
            u32::try_from(limit.value).unwrap_or(u32::MAX),
        )
        .with(Detail::Measured(bytes.len(), limit)));
    }
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return Err(Rejection::at_byte(Reason::ByteOrderMark, 0));
    }
    core::str::from_utf8(bytes)
        .map_err(|error| Fault::new(Reason::InvalidUtf8, error.valid_up_to()).into())
}

fn not_an_object() -> Rejection {
    Rejection::at(Reason::WrongType, Path::ROOT).with(Detail::Expected("an object"))
}

/// A `plugin.json`, read to its end: what the rest of the gate stands on.
///
/// Reading settles section 1 of the behaviour: the size, UTF-8, syntax, nesting, the range of numbers
/// and duplicate keys, in the whole document. Only the extension block and the name are kept.
#[derive(Debug)]
pub struct Document<'b> {
    tape: Tape<'b>,
    extension: Option<usize>,
    name: Option<usize>,
}

impl<'b> Document<'b> {
    /// Reads the bytes of a `plugin.json`: at most 8 MiB of UTF-8 JSON, an object at its root.
    ///
    /// ```
    /// let document = extgate::Document::plugin(br#"{"name": "demo"}"#)?;
    /// assert_eq!(document.name().as_deref(), Some("demo"));
    /// assert!(document.extension()?.is_none());
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    ///
    /// # Errors
    /// A rejection of category [`Bytes`](crate::Category::Bytes), the range of numbers included, for the
    /// first fault by position; `wrong_type` where the document is no object.
    pub fn plugin(bytes: &'b [u8]) -> Result<Self, Rejection> {
        let text = text_of(bytes, &limits::DOCUMENT)?;
        let mut scanner = Scanner::new(text);
        let (mut extension, mut name, mut named) = (None, None, false);
        let mut at = skip_space(bytes, 0);
        if byte_at(bytes, at) != b'{' {
            at = scanner.value::<{ mode::SKIP }>(at, NESTING_MAX_LEVELS)?;
            scanner.end_of_document(at)?;
            return Err(not_an_object());
        }
        at = skip_space(bytes, at + 1);
        if byte_at(bytes, at) == b'}' {
            at += 1;
        } else {
            loop {
                let key = at;
                at = scanner.key::<{ mode::SKIP }>(key, 0)?;
                let value = skip_space(bytes, at);
                let duplicate = Fault::new(Reason::DuplicateKey, key);
                let keep = match key_of(text, key) {
                    Some("extension") if extension.is_some() => return Err(duplicate.into()),
                    Some("name") if named => return Err(duplicate.into()),
                    Some("extension") => {
                        extension = Some(scanner.words.len());
                        true
                    }
                    Some("name") => {
                        named = true;
                        // Of a name only a string is of use; keys in what else stands there may repeat.
                        let string = byte_at(bytes, value) == b'"';
                        name = string.then_some(scanner.words.len());
                        string
                    }
                    _ => false,
                };
                at = if keep {
                    scanner.value::<{ mode::KEEP }>(value, NESTING_MAX_LEVELS - 1)?
                } else {
                    scanner.value::<{ mode::SKIP }>(value, NESTING_MAX_LEVELS - 1)?
                };
                at = skip_space(bytes, at);
                match byte_at(bytes, at) {
                    b',' => at = skip_space(bytes, at + 1),
                    b'}' => break at += 1,
                    _ => return Err(Fault::syntax(at).into()),
                }
            }
        }
        scanner.end_of_document(at)?;
        Ok(Self {
            tape: Tape::of(scanner),
            extension,
            name,
        })
    }

    /// The document's `name`, where it is a string.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'_, str>> {
        self.name.and_then(|index| self.at(index).as_str())
    }

    /// The positions of the document's members whose keys are wanted. Reads the document once more.
    pub(crate) fn positions_of(&self, wanted: impl Fn(&str) -> bool) -> Vec<u32> {
        let Some(tape) = mapped(self.tape.text.as_bytes()) else {
            return Vec::new();
        };
        let root = Json {
            tape: &tape,
            index: 0,
        };
        crate::path::numbered(root.text_members())
            .filter(|(_, (key, _))| wanted(&key.decoded()))
            .map(|(position, _)| position)
            .collect()
    }

    /// The value of the extension block, of whatever type, before any rule but section 1.
    #[must_use]
    pub fn extension_value(&self) -> Option<Json<'_>> {
        self.extension.map(|index| self.at(index))
    }

    fn at(&self, index: usize) -> Json<'_> {
        Json {
            tape: &self.tape,
            index,
        }
    }
}

/// The key whose quote is at `at`, where it is one of the two that the document's root is asked for.
fn key_of(text: &str, at: usize) -> Option<&'static str> {
    let (end, escaped) = text::end_of_string(text.as_bytes(), at + 1).ok()?;
    let key = Text {
        raw: text.get(at + 1..end)?,
        escaped,
    };
    ["extension", "name"].into_iter().find(|name| key.is(name))
}

/// What a running extension sent in answer to `initialize`, read to its end.
#[derive(Debug)]
pub struct RuntimeDocument<'b> {
    tape: Tape<'b>,
    response: bool,
}

impl<'b> RuntimeDocument<'b> {
    /// Reads an initialize result: at most 4 MiB of UTF-8 JSON, without a duplicate key anywhere.
    ///
    /// # Errors
    /// A rejection of category [`Bytes`](crate::Category::Bytes), the range of numbers included.
    pub fn initialize_result(bytes: &'b [u8]) -> Result<Self, Rejection> {
        let tape = kept(bytes, &limits::INITIALIZE_RESULT)
            .map_err(|rejection| rejection.on(Side::Runtime))?;
        Ok(Self {
            tape,
            response: false,
        })
    }

    /// Reads a JSON-RPC response around an initialize result, in the same bound. Nesting is counted
    /// from the `result`; all else holds for the whole response.
    ///
    /// # Errors
    /// A rejection of category [`Bytes`](crate::Category::Bytes), the range of numbers included;
    /// `wrong_type` where the response is no object.
    pub fn json_rpc_response(bytes: &'b [u8]) -> Result<Self, Rejection> {
        let tape = response(bytes).map_err(|rejection| rejection.on(Side::Runtime))?;
        Ok(Self {
            tape,
            response: true,
        })
    }

    /// The root value: the result, or the response around it.
    #[must_use]
    pub fn root(&self) -> Json<'_> {
        Json {
            tape: &self.tape,
            index: 0,
        }
    }

    pub(crate) fn is_response(&self) -> bool {
        self.response
    }
}

/// A response's words, with its root counted apart from its result.
fn response(bytes: &[u8]) -> Result<Tape<'_>, Rejection> {
    let text = text_of(bytes, &limits::INITIALIZE_RESULT)?;
    let mut scanner = Scanner::new(text);
    let root = skip_space(bytes, 0);
    if byte_at(bytes, root) != b'{' {
        let at = scanner.value::<{ mode::KEEP }>(root, NESTING_MAX_LEVELS)?;
        scanner.end_of_document(at)?;
        return Err(not_an_object());
    }
    scanner
        .words
        .push(Word::container(Kind::Object, root, 0, 0));
    let mut count = 0_u32;
    let mut at = skip_space(bytes, root + 1);
    if byte_at(bytes, at) == b'}' {
        at += 1;
    } else {
        loop {
            let word = scanner.words.len();
            at = scanner.key::<{ mode::KEEP }>(at, widen(count))?;
            count += 1;
            let key = Text::of(text, scanner.words.get(word).copied().unwrap_or(Word::NULL));
            let limit = NESTING_MAX_LEVELS - usize::from(!key.is("result"));
            at = scanner.value::<{ mode::KEEP }>(at, limit)?;
            at = skip_space(bytes, at);
            match byte_at(bytes, at) {
                b',' => at = skip_space(bytes, at + 1),
                b'}' => break at += 1,
                _ => return Err(Fault::syntax(at).into()),
            }
        }
    }
    scanner.end_of_keys(widen(count))?;
    scanner.end_of_document(at)?;
    let next = scanner.words.len();
    if let Some(first) = scanner.words.first_mut() {
        *first = Word::container(Kind::Object, root, next, count);
    }
    Ok(Tape::of(scanner))
}

/// Any JSON document, read to its end in the bounds of a manifest. For digests of schema files.
#[derive(Debug)]
pub struct JsonDocument<'b> {
    tape: Tape<'b>,
}

impl<'b> JsonDocument<'b> {
    /// Reads at most 8 MiB of UTF-8 JSON, without a duplicate key anywhere.
    ///
    /// ```
    /// let schema = extgate::JsonDocument::new(br#"{ "type": "object" }"#)?;
    /// assert_eq!(
    ///     schema.root().digest().to_string(),
    ///     "27127ada64e3ff8775d11d4718c9c6793930a22567eab118d5d633b09ca6319e"
    /// );
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    ///
    /// # Errors
    /// A rejection of category [`Bytes`](crate::Category::Bytes), the range of numbers included.
    pub fn new(bytes: &'b [u8]) -> Result<Self, Rejection> {
        Ok(Self {
            tape: kept(bytes, &limits::DOCUMENT)?,
        })
    }

    /// The root value.
    #[must_use]
    pub fn root(&self) -> Json<'_> {
        Json {
            tape: &self.tape,
            index: 0,
        }
    }
}

fn kept<'b>(bytes: &'b [u8], limit: &'static Limit) -> Result<Tape<'b>, Rejection> {
    let mut scanner = Scanner::new(text_of(bytes, limit)?);
    let at = scanner.value::<{ mode::KEEP }>(0, NESTING_MAX_LEVELS)?;
    scanner.end_of_document(at)?;
    Ok(Tape::of(scanner))
}

/// The whole document, duplicate keys and all, for finding places; `None` where it is no JSON.
fn mapped(bytes: &[u8]) -> Option<Tape<'_>> {
    let mut scanner = Scanner::new(core::str::from_utf8(bytes).ok()?);
    scanner
        .value::<{ mode::MAP }>(0, NESTING_MAX_LEVELS + 1)
        .ok()?;
    Some(Tape::of(scanner))
}

/// A string of a document, as it stands there between its quotes.
#[derive(Clone, Copy)]
pub(crate) struct Text<'d> {
    raw: &'d str,
    escaped: bool,
}

impl core::fmt::Debug for Text<'_> {
    /// Shows the size only: a text may be long, or secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "a string of {} bytes", self.raw.len())
    }
}

impl<'d> Text<'d> {
    fn of(text: &'d str, word: Word) -> Self {
        let start = word.start();
        Self {
            raw: text.get(start..start + word.len()).unwrap_or_default(),
            escaped: word.kind() == Kind::Escaped,
        }
    }

    #[inline]
    pub(crate) fn is(self, other: &str) -> bool {
        if self.escaped {
            text::decoded_bytes(self.raw).eq(other.bytes())
        } else {
            self.raw == other
        }
    }

    /// The text, where no escape stands in it.
    #[inline]
    pub(crate) fn plain(self) -> Option<&'d str> {
        if self.escaped { None } else { Some(self.raw) }
    }

    pub(crate) fn decoded(self) -> Cow<'d, str> {
        text::decode(self.raw, self.escaped)
    }
}

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonType {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number without fraction and exponent that fits i64 or u64, and is not `-0`.
    Integer,
    /// Any other number.
    Float,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonType {
    /// The type with its article: `an object`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Float => "a float",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// One value of a document that was read. Copying it copies two words.
#[derive(Clone, Copy)]
pub struct Json<'d> {
    tape: &'d Tape<'d>,
    index: usize,
}

/// The document of [`Json::NULL`].
static NULL: Tape<'static> = Tape {
    text: "null",
    words: Vec::new(),
    growth: 0,
};

impl<'d> Json<'d> {
    /// A null that stands in no document.
    pub(crate) const NULL: Json<'static> = Json {
        tape: &NULL,
        index: 0,
    };

    #[inline]
    pub(crate) fn word(self) -> Word {
        self.tape.word(self.index)
    }

    /// The words of this value and all below it.
    pub(crate) fn words(self) -> &'d [Word] {
        let end = self.tape.behind(self.index);
        self.tape.words.get(self.index..end).unwrap_or_default()
    }

    /// The whole document's text, which the words point into.
    pub(crate) const fn document_text(self) -> &'d str {
        self.tape.text
    }

    /// The value's own index among the document's words.
    pub(crate) const fn index(self) -> usize {
        self.index
    }

    /// The value's type.
    #[must_use]
    pub fn kind(self) -> JsonType {
        match self.word().kind() {
            Kind::Null => JsonType::Null,
            Kind::False | Kind::True => JsonType::Boolean,
            Kind::Integer => JsonType::Integer,
            Kind::Float => JsonType::Float,
            Kind::Plain | Kind::Escaped => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    /// Whether the value is `null`.
    #[must_use]
    #[inline]
    pub fn is_null(self) -> bool {
        self.word().kind() == Kind::Null
    }

    /// Whether the value is an object.
    #[must_use]
    #[inline]
    pub fn is_object(self) -> bool {
        self.word().kind() == Kind::Object
    }

    pub(crate) fn is_array(self) -> bool {
        self.word().kind() == Kind::Array
    }

    /// The boolean.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.word().kind() {
            Kind::False => Some(false),
            Kind::True => Some(true),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn as_text(self) -> Option<Text<'d>> {
        let word = self.word();
        matches!(word.kind(), Kind::Plain | Kind::Escaped).then(|| Text::of(self.tape.text, word))
    }

    /// The decoded string, borrowed unless it has escapes.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        self.as_text().map(Text::decoded)
    }

    /// The integer, where it is one and is not negative. A number with a fraction or an exponent is none.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.word().kind() {
            Kind::Integer => self.scalar_text().parse().ok(),
            _ => None,
        }
    }

    /// The text of a number or literal; of a string, what stands between its quotes.
    pub(crate) fn scalar_text(self) -> &'d str {
        let word = self.word();
        let start = word.start();
        self.tape
            .text
            .get(start..start + word.len())
            .unwrap_or_default()
    }

    /// The items of an array, in order; nothing for other types.
    #[must_use]
    pub fn items(self) -> Items<'d> {
        let end = if self.is_array() {
            self.word().next()
        } else {
            0
        };
        Items {
            tape: self.tape,
            next: self.index + 1,
            end,
        }
    }

    /// The members of an object, in the document's order; nothing for other types.
    #[must_use]
    pub fn members(self) -> Members<'d> {
        Members {
            inner: self.text_members(),
        }
    }

    pub(crate) fn text_members(self) -> TextMembers<'d> {
        let end = if self.is_object() {
            self.word().next()
        } else {
            0
        };
        TextMembers {
            tape: self.tape,
            next: self.index + 1,
            end,
        }
    }

    /// The value of an object's member, found by walking its members; nothing for other types.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Json<'d>> {
        self.text_members()
            .find_map(|(name, value)| name.is(key).then_some(value))
    }

    /// The number of an array's items or an object's members; 0 for other types.
    #[must_use]
    pub fn count(self) -> usize {
        let word = self.word();
        if !word.is_container() {
            return 0;
        }
        if word.count() < Word::COUNT_CAP {
            return widen(word.count());
        }
        if self.is_array() {
            self.items().count()
        } else {
            self.text_members().count()
        }
    }

    /// The value as it stands in the document, white space within it included.
    #[must_use]
    pub fn source(self) -> &'d str {
        let (start, end) = self.span();
        self.tape.text.get(start..end).unwrap_or_default()
    }

    /// The value's first byte.
    pub(crate) fn start(self) -> usize {
        let word = self.word();
        let quote = usize::from(matches!(word.kind(), Kind::Plain | Kind::Escaped));
        word.start().saturating_sub(quote)
    }

    /// Of a member's value: the byte of its key's opening quote.
    pub(crate) fn key_start(self) -> usize {
        let key = self.tape.word(self.index.saturating_sub(1));
        key.start().saturating_sub(1)
    }

    /// The bytes from the value's first to behind its last.
    pub(crate) fn span(self) -> (usize, usize) {
        let word = self.word();
        match word.kind() {
            Kind::Plain | Kind::Escaped => (word.start() - 1, word.start() + word.len() + 1),
            Kind::Array | Kind::Object => (word.start(), self.end_of_container()),
            _ => (word.start(), word.start() + word.len()),
        }
    }

    /// A container's word knows no end, so its last descendant is asked: behind it stand only white
    /// space and as many closing brackets as there are containers that end with it.
    fn end_of_container(self) -> usize {
        let mut container = self.index;
        let mut open = 1_usize;
        let mut at = loop {
            let word = self.tape.word(container);
            let end = word.next();
            if end == container + 1 {
                break word.start() + 1;
            }
            let step = usize::from(word.kind() == Kind::Object);
            let mut last = container + 1 + step;
            while self.tape.behind(last) < end {
                last = self.tape.behind(last) + step;
            }
            let last_word = self.tape.word(last);
            if last_word.is_container() {
                container = last;
                open += 1;
                continue;
            }
            let quote = usize::from(matches!(last_word.kind(), Kind::Plain | Kind::Escaped));
            break last_word.start() + last_word.len() + quote;
        };
        let bytes = self.tape.text.as_bytes();
        while open > 0 {
            at = skip_space(bytes, at) + 1;
            open -= 1;
        }
        at
    }

    /// A bound on the bytes of the value's compact text that costs nothing to find.
    pub(crate) fn compact_size_at_most(self) -> usize {
        let end = self.tape.behind(self.index);
        let start = self.word().start();
        let next = if end < self.tape.words.len() {
            self.tape.word(end).start()
        } else {
            self.tape.text.len()
        };
        // Strings never grow; numbers may.
        next.saturating_sub(start) + self.tape.growth
    }
}

impl core::fmt::Debug for Json<'_> {
    /// Shows the type and place only: a schema or a default may be long, or secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} at byte {}", self.kind().as_str(), self.span().0)
    }
}

/// The items of an array. Made by [`Json::items`].
#[derive(Debug, Clone)]
pub struct Items<'d> {
    tape: &'d Tape<'d>,
    next: usize,
    end: usize,
}

impl<'d> Iterator for Items<'d> {
    type Item = Json<'d>;

    #[inline]
    fn next(&mut self) -> Option<Json<'d>> {
        if self.next >= self.end {
            return None;
        }
        let item = Json {
            tape: self.tape,
            index: self.next,
        };
        self.next = self.tape.behind(self.next);
        Some(item)
    }
}

impl core::iter::FusedIterator for Items<'_> {}

/// The members of an object, keys undecoded.
#[derive(Debug, Clone)]
pub(crate) struct TextMembers<'d> {
    tape: &'d Tape<'d>,
    next: usize,
    end: usize,
}

impl<'d> Iterator for TextMembers<'d> {
    type Item = (Text<'d>, Json<'d>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let key = Text::of(self.tape.text, self.tape.word(self.next));
        let value = Json {
            tape: self.tape,
            index: self.next + 1,
        };
        self.next = self.tape.behind(value.index);
        Some((key, value))
    }
}

/// The members of an object. Made by [`Json::members`].
#[derive(Debug, Clone)]
pub struct Members<'d> {
    inner: TextMembers<'d>,
}

impl<'d> Iterator for Members<'d> {
    type Item = (Cow<'d, str>, Json<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        self.inner.next().map(|(key, value)| (key.decoded(), value))
    }
}

impl core::iter::FusedIterator for Members<'_> {}
