//! One document that was read: its name for output, its bytes, and places in them.

use std::cell::OnceCell;

use extgate::{Location, Locator, Place, Rejection};

/// A document and where its places are.
pub(crate) struct Source<'b> {
    /// Its path as it was given, or what stands for standard input.
    pub(crate) name: String,
    pub(crate) bytes: &'b [u8],
    locator: OnceCell<Locator<'b>>,
}

impl<'b> Source<'b> {
    pub(crate) fn new(name: String, bytes: &'b [u8]) -> Self {
        Self {
            name,
            bytes,
            locator: OnceCell::new(),
        }
    }

    fn locator(&self) -> &Locator<'b> {
        self.locator.get_or_init(|| Locator::new(self.bytes))
    }

    pub(crate) fn locate(&self, rejection: &Rejection) -> Location {
        self.locator().locate(rejection)
    }

    pub(crate) fn place(&self, place: Place) -> Location {
        self.locator().place(place)
    }

    pub(crate) fn find(&self, pointer: &str) -> Option<Location> {
        self.locator().find(pointer)
    }

    /// The text of a place, as it stands in the document.
    pub(crate) fn raw(&self, location: &Location) -> &'b [u8] {
        let end = location.offset.saturating_add(location.length);
        self.bytes
            .get(location.offset..end.min(self.bytes.len()))
            .unwrap_or_default()
    }

    /// The decoded string of a place, where it is a string or a key.
    pub(crate) fn string(&self, location: &Location) -> Option<String> {
        serde_json::from_slice(self.raw(location)).ok()
    }
}
