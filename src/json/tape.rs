//! The flat form of a read document: one 64-bit word for each value and each key, in document order.
//!
//! | bits | scalar or key | array or object |
//! | --- | --- | --- |
//! | 0-3 | kind | kind |
//! | 4-27 | byte at which its text begins (behind the quote of a string) | byte of its bracket |
//! | 28-51 | bytes of its text | index of the word behind its last one |
//! | 52-63 | | number of items or members, capped at [`Word::COUNT_CAP`] |
//!
//! An object's words are key, value, key, value. A document has at most 2^23 bytes, so 24 bits hold
//! every offset, and every token but the first costs two bytes, so they hold every index too.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Null = 0,
    False = 1,
    True = 2,
    /// An integer that fits i64 or u64, and is not `-0`.
    Integer = 3,
    /// Any other number.
    Float = 4,
    /// A string whose text stands in the document as it is.
    Plain = 5,
    /// A string with escapes.
    Escaped = 6,
    Array = 7,
    Object = 8,
}

#[derive(Clone, Copy)]
pub(crate) struct Word(u64);

const KIND_BITS: u32 = 4;
const OFFSET_BITS: u32 = 24;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;

impl Word {
    /// A count that is stored as this number means "at least this many: count again".
    pub(crate) const COUNT_CAP: u32 = 0xFFF;
    pub(crate) const NULL: Self = Self::scalar(Kind::Null, 0, 4);

    #[inline]
    pub(crate) const fn scalar(kind: Kind, start: usize, len: usize) -> Self {
        Self::pack(kind, start, len, 0)
    }

    /// `next` and `count` are filled in when the container ends.
    #[inline]
    pub(crate) const fn container(kind: Kind, start: usize, next: usize, count: u32) -> Self {
        let capped = if count > Self::COUNT_CAP {
            Self::COUNT_CAP
        } else {
            count
        };
        Self::pack(kind, start, next, capped)
    }

    #[inline]
    #[allow(
        clippy::as_conversions,
        reason = "widening on every target; offsets are below 2^24 by the bound on documents"
    )]
    const fn pack(kind: Kind, start: usize, second: usize, third: u32) -> Self {
        Self(
            kind as u64
                | (start as u64) << KIND_BITS
                | (second as u64) << (KIND_BITS + OFFSET_BITS)
                | (third as u64) << (KIND_BITS + 2 * OFFSET_BITS),
        )
    }

    #[inline]
    pub(crate) const fn kind(self) -> Kind {
        match self.0 & 0xF {
            0 => Kind::Null,
            1 => Kind::False,
            2 => Kind::True,
            3 => Kind::Integer,
            4 => Kind::Float,
            5 => Kind::Plain,
            6 => Kind::Escaped,
            7 => Kind::Array,
            _ => Kind::Object,
        }
    }

    #[inline]
    pub(crate) const fn is_container(self) -> bool {
        self.0 & 0xF >= 7
    }

    #[inline]
    #[allow(
        clippy::as_conversions,
        reason = "masked to 24 bits, which every usize holds"
    )]
    pub(crate) const fn start(self) -> usize {
        (self.0 >> KIND_BITS & OFFSET_MASK) as usize
    }

    /// Of a scalar or key: the bytes of its text.
    #[inline]
    #[allow(
        clippy::as_conversions,
        reason = "masked to 24 bits, which every usize holds"
    )]
    pub(crate) const fn len(self) -> usize {
        (self.0 >> (KIND_BITS + OFFSET_BITS) & OFFSET_MASK) as usize
    }

    /// Of an array or object: the index of the word behind its last one.
    #[inline]
    pub(crate) const fn next(self) -> usize {
        self.len()
    }

    /// Of an array or object: its items or members, at most [`Word::COUNT_CAP`].
    #[inline]
    #[allow(clippy::as_conversions, reason = "12 bits are left")]
    pub(crate) const fn count(self) -> u32 {
        (self.0 >> (KIND_BITS + 2 * OFFSET_BITS)) as u32
    }
}

impl core::fmt::Debug for Word {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?}@{}+{}", self.kind(), self.start(), self.len())
    }
}

/// One value's words, whose indices are counted from it, and the text that they point into.
#[derive(Clone, Copy)]
pub(crate) struct Source<'d> {
    pub(crate) text: &'d str,
    pub(crate) words: &'d [Word],
    /// The value's own index among the document's words.
    pub(crate) base: usize,
}

impl<'d> Source<'d> {
    #[inline(always)]
    pub(crate) fn word(&self, at: usize) -> Word {
        self.words.get(at).copied().unwrap_or(Word::NULL)
    }

    /// A key's word and the word of its value.
    #[inline(always)]
    pub(crate) fn member(&self, key: usize) -> [Word; 2] {
        let words = self.words.get(key..key + 2);
        let words = words.and_then(<[Word]>::first_chunk);
        words.copied().unwrap_or([Word::NULL; 2])
    }

    /// The index behind a value.
    #[inline(always)]
    pub(crate) const fn behind(&self, word: Word, at: usize) -> usize {
        if word.is_container() {
            word.next() - self.base
        } else {
            at + 1
        }
    }

    /// What stands in the document for a scalar or key, between the quotes of a string.
    pub(crate) fn raw(&self, word: Word) -> &'d str {
        let start = word.start();
        self.text.get(start..start + word.len()).unwrap_or_default()
    }

    /// The items of an array or members of an object, whose words stand from one index to another.
    #[inline(always)]
    pub(crate) fn count(&self, container: Word, first: usize, end: usize) -> usize {
        if container.count() < Word::COUNT_CAP {
            return super::order::widen(container.count());
        }
        let (mut at, mut count) = (first, 0);
        while at < end {
            at = self.behind(self.word(at), at);
            count += 1;
        }
        // Of a member both the key and the value were counted.
        count / (1 + usize::from(container.kind() == Kind::Object))
    }
}
