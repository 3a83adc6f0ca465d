//! Bytes: the one copy in the core, and their hexadecimal digits.

/// Copies `from` to `to`. Both have the same length, since callers slice `to` by the length of `from`.
#[inline(always)]
#[allow(
    clippy::disallowed_methods,
    reason = "the lengths are compared first, so it cannot panic"
)]
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    if to.len() == from.len() {
        to.copy_from_slice(from);
    }
}

/// The two lower-case hexadecimal digits of a byte.
pub(crate) const fn hex(byte: u8) -> [u8; 2] {
    const fn digit(nibble: u8) -> u8 {
        match nibble {
            0..=9 => b'0' + nibble,
            _ => b'a' + nibble - 10,
        }
    }
    [digit(byte >> 4), digit(byte & 0xF)]
}
