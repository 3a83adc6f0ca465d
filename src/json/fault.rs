//! What a scan asks of a place in the bytes, and the fault that it finds there.

use crate::reason::{Reason, Rejection};

/// A fault of the bytes, at its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) reason: Reason,
    pub(crate) at: usize,
}

impl Fault {
    #[cold]
    pub(crate) const fn new(reason: Reason, at: usize) -> Self {
        Self { reason, at }
    }

    #[cold]
    pub(crate) const fn syntax(at: usize) -> Self {
        Self::new(Reason::Syntax, at)
    }
}

impl From<Fault> for Rejection {
    fn from(fault: Fault) -> Self {
        Self::at_byte(fault.reason, u32::try_from(fault.at).unwrap_or(u32::MAX))
    }
}

/// The byte there, or 0, which no place of JSON's grammar takes, behind the end.
#[inline(always)]
pub(crate) fn byte_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}
