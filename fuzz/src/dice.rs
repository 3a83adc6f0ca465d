//! Choices read from bytes. Where the bytes run out, every choice is its first: the smallest, the plainest.

use arbitrary::Unstructured;

/// What generators ask for, over [`Unstructured`].
pub(crate) trait Dice {
    /// A number below `sides`; 0 at the end of the bytes.
    fn below(&mut self, sides: usize) -> usize;

    /// A number of `least..=most`, its ends more often than the rest.
    fn between(&mut self, least: usize, most: usize) -> usize {
        match self.below(8) {
            0..=3 => least + self.below((most - least).min(3) + 1),
            4 => most,
            5 => most.saturating_sub(1).max(least),
            _ => least + self.below(most - least + 1),
        }
    }

    /// True once in `sides` times; false at the end of the bytes.
    fn once_in(&mut self, sides: usize) -> bool {
        self.below(sides) + 1 == sides
    }

    /// One of these; the first at the end of the bytes.
    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Puts a list in another order.
    fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = last - self.below(last + 1);
            list.swap(other, last);
        }
    }
}

impl Dice for Unstructured<'_> {
    fn below(&mut self, sides: usize) -> usize {
        self.int_in_range(0..=sides.saturating_sub(1)).unwrap_or(0)
    }
}

/// Many cheap choices from one seed. Seed 0 makes every choice the first.
#[derive(Debug, Clone)]
pub(crate) struct Rolls(u64);

impl Rolls {
    pub(crate) fn from_bytes(u: &mut Unstructured<'_>) -> Self {
        Self(u.arbitrary::<u32>().unwrap_or(0).into())
    }
}

impl Dice for Rolls {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        self.0 ^= self.0 >> 27;
        (self.0 % sides.max(1) as u64) as usize
    }
}
