//! Names and ids of a list: which is met twice, and where one stands.

use alloc::vec::Vec;

/// Which names of a bounded list stood before, found in place: no list that a rule keeps is longer
/// than [`RepeatedNames::MOST`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct RepeatedNames {
    /// A bit for each place.
    places: [u64; Self::MOST / 64],
}

impl RepeatedNames {
    /// The most names that are looked at.
    pub(crate) const MOST: usize = 256;
    /// The bits of a mark that hold a place; the others hold its name's fingerprint.
    const PLACE_BITS: u32 = 8;

    /// Of `count` names by their places; a name that could not be read repeats none.
    pub(crate) fn of<'n>(count: usize, name: impl Fn(usize) -> Option<&'n str>) -> Self {
        let mut repeated = Self { places: [0; 4] };
        if count < 2 {
            return repeated;
        }
        let mut marks = [0_u64; Self::MOST];
        let mut len = 0;
        let mut next = marks.iter_mut();
        for place in 0..count.min(Self::MOST) {
            if let Some(name) = name(place)
                && let Some(mark) = next.next()
            {
                *mark = fingerprint(name.as_bytes()) << Self::PLACE_BITS | low_bits(place);
                len += 1;
            }
        }
        let marks = marks.get_mut(..len).unwrap_or_default();
        marks.sort_unstable();
        let place = |mark: &u64| usize::try_from(mark & 0xFF).unwrap_or(0);
        for run in marks.chunk_by(|a, b| a >> Self::PLACE_BITS == b >> Self::PLACE_BITS) {
            // Places ascend within a run, so what stands before in it stands before in the list.
            for (position, later) in run.iter().enumerate().skip(1) {
                let before = run.get(..position).unwrap_or_default();
                let here = name(place(later));
                if before.iter().any(|earlier| name(place(earlier)) == here) {
                    repeated.set(place(later));
                }
            }
        }
        repeated
    }

    fn set(&mut self, place: usize) {
        if let Some(word) = self.places.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    /// Whether the name at that place stood before.
    pub(crate) fn has(&self, place: u32) -> bool {
        usize::try_from(place / 64)
            .ok()
            .and_then(|word| self.places.get(word))
            .is_some_and(|word| word >> (place % 64) & 1 != 0)
    }
}

fn fingerprint(name: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| {
        (hash ^ word)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    };
    let (words, rest) = name.as_chunks::<8>();
    let hash = words.iter().fold(low_bits(name.len()), |hash, word| {
        mix(hash, u64::from_le_bytes(*word))
    });
    let tail = rest
        .iter()
        .fold(0, |tail, byte| tail << 8 | u64::from(*byte));
    mix(hash, tail)
}

#[allow(
    clippy::as_conversions,
    reason = "usize to u64 widens on every target with alloc"
)]
const fn low_bits(size: usize) -> u64 {
    size as u64
}

/// The places of a list's names, in order of the names: at most n log n comparisons, whatever they are.
#[derive(Debug)]
pub(crate) struct NameIndex<N> {
    sorted: Vec<(N, u32)>,
}

impl<N: Ord + AsRef<str>> NameIndex<N> {
    /// Of names with their places; names that could not be read are left out.
    pub(crate) fn new(names: impl Iterator<Item = (u32, N)>) -> Self {
        let mut sorted = Vec::with_capacity(names.size_hint().1.unwrap_or(0));
        sorted.extend(names.map(|(place, name)| (name, place)));
        sorted.sort_unstable();
        Self { sorted }
    }

    /// The first place at which a name stands.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let first = self
            .sorted
            .partition_point(|(other, _)| other.as_ref() < name);
        self.sorted
            .get(first)
            .filter(|(other, _)| other.as_ref() == name)
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn both_ways_find_the_same_repeated_names() {
        for count in [0_usize, 1, 2, 3, 8, 64, 255, 256] {
            for every in [1_usize, 2, 7, 300] {
                let names: Vec<String> = (0..count)
                    .map(|n| format!("name-of-tool-{}", n % every))
                    .collect();
                let one = RepeatedNames::of(count, |place| names.get(place).map(|name| &**name));
                let other =
                    NameIndex::new((0_u32..).zip(names.iter().map(|name| &**name))).repeated();
                for place in 0..count {
                    let place = u32::try_from(place).unwrap();
                    assert_eq!(
                        one.has(place),
                        other.contains(&place),
                        "{count} {every} {place}"
                    );
                }
            }
        }
        assert!(
            !RepeatedNames::of(3, |place| (place != 1).then_some(["a", "", "b"][place])).has(2)
        );
        assert!(RepeatedNames::of(3, |place| (place != 1).then_some("a")).has(2));
    }
}
