//! Names and ids of a list: which is met twice, and where one stands. At most n log n comparisons.

use alloc::vec::Vec;

/// The places of a list's names, in order of the names.
#[derive(Debug)]
pub(crate) struct NameIndex<'n> {
    sorted: Vec<(&'n str, u32)>,
}

impl<'n> NameIndex<'n> {
    /// Of names with their places; names that could not be read are left out.
    pub(crate) fn new(names: impl Iterator<Item = (u32, &'n str)>) -> Self {
        let mut sorted: Vec<_> = names.map(|(place, name)| (name, place)).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// The first place at which a name stands.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let first = self.sorted.partition_point(|(other, _)| *other < name);
        self.sorted
            .get(first)
            .filter(|(other, _)| *other == name)
            .map(|(_, place)| *place)
    }

    /// The places at which a name stands that stood before, ascending.
    pub(crate) fn repeated(&self) -> Vec<u32> {
        let mut places = Vec::new();
        for pair in self.sorted.windows(2) {
            if let [(one, _), (other, place)] = pair
                && one == other
            {
                places.push(*place);
            }
        }
        places.sort_unstable();
        places
    }
}
