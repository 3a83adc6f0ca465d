//! The one copy of bytes in the core.

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
