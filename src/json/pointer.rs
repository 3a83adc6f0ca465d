//! JSON pointers, as RFC 6901 has them.

use alloc::string::String;

/// Appends a reference token.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for one in token.chars() {
        match one {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}
