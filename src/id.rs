//! What may be an id, a label or a name, and the catalog ids that are made of them.

use alloc::string::String;

use sha2::{Digest, Sha256};

use crate::limits::{
    DECLARED_DESCRIPTION_MAX_BYTES, DECLARED_DISPLAY_MAX_BYTES, DECLARED_NAME_MAX_BYTES,
    MAX_ID_LENGTH,
};

/// 1 to 64 bytes, no control character, no `:`, no white space (section 3).
pub(crate) fn is_capability_id(text: &str) -> bool {
    if text.is_empty() || text.len() > MAX_ID_LENGTH {
        return false;
    }
    if text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b':')
    {
        return true;
    }
    !text
        .chars()
        .any(|one| one.is_control() || one == ':' || one.is_whitespace())
}

/// 1 to 128 bytes, no control character (section 3).
pub(crate) fn is_label(text: &str) -> bool {
    !text.is_empty() && text.len() <= DECLARED_NAME_MAX_BYTES && !has_control(text)
}

/// 1 to 64 of `a-z 0-9 - _` (section 3).
pub(crate) fn is_provider_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID_LENGTH
        && text
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

/// 1 to 128 bytes of printable ASCII without space and `:` (section 3).
pub(crate) fn is_context_provider_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= DECLARED_NAME_MAX_BYTES
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b':')
}

/// Not blank, at most 1,024 bytes.
pub(crate) fn is_description(text: &str) -> bool {
    text.len() <= DECLARED_DESCRIPTION_MAX_BYTES && !is_blank(text)
}

/// At most 256 bytes, no control character; blank is for the rule to judge.
pub(crate) fn fits_display(text: &str) -> bool {
    text.len() <= DECLARED_DISPLAY_MAX_BYTES && !has_control(text)
}

/// Empty, or white space only.
pub(crate) fn is_blank(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'!'..=b'~') => false,
        _ => text.trim_start().is_empty(),
    }
}

pub(crate) fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

/// A plugin id from which identities can be made: not empty, no `:`, no control character (section 10).
pub(crate) fn is_plugin_id(text: &str) -> bool {
    !text.is_empty() && !text.contains(':') && !has_control(text)
}

/// The most bytes of a plugin's segment in a catalog id (section 10).
pub(crate) const PLUGIN_SEGMENT_MAX_BYTES: usize = 60;
/// The most bytes of a tool's segment in a catalog id (section 10).
pub(crate) const TOOL_SEGMENT_MAX_BYTES: usize = 128;

/// Whether a text stands in a catalog id as it is: `[a-z0-9][a-z0-9_.-]*`, short enough, not taken for
/// an encoded one.
pub(crate) fn is_plain_segment(text: &str, most: usize) -> bool {
    let mut bytes = text.bytes();
    text.len() <= most
        && !text.starts_with("enc-")
        && !text.starts_with("sha-")
        && bytes
            .next()
            .is_some_and(|first| matches!(first, b'a'..=b'z' | b'0'..=b'9'))
        && bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-'))
}

/// Appends `segment(text, most)` of section 10.
pub(crate) fn push_segment(to: &mut String, text: &str, most: usize) {
    const PREFIX: usize = 4;
    const DIGEST_BYTES_SHOWN: usize = 20;
    if is_plain_segment(text, most) {
        to.push_str(text);
    } else if PREFIX + 2 * text.len() <= most {
        to.push_str("enc-");
        push_hex(to, text.bytes());
    } else {
        to.push_str("sha-");
        push_hex(
            to,
            Sha256::digest(text.as_bytes())
                .into_iter()
                .take(DIGEST_BYTES_SHOWN),
        );
    }
}

pub(crate) fn push_hex(to: &mut String, bytes: impl IntoIterator<Item = u8>) {
    for byte in bytes {
        to.extend(crate::bytes::hex(byte).map(char::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(text: &str, most: usize) -> String {
        let mut to = String::new();
        push_segment(&mut to, text, most);
        to
    }

    #[test]
    fn segments_are_plain_hex_or_hashed() {
        assert_eq!(segment("demo", 60), "demo");
        assert_eq!(segment("a.b_c-d0", 60), "a.b_c-d0");
        assert_eq!(segment("-a", 60), "enc-2d61");
        assert_eq!(segment("A", 60), "enc-41");
        assert_eq!(segment("enc-a", 60), "enc-656e632d61");
        assert_eq!(segment("sha-a", 60), "enc-7368612d61");
        assert_eq!(segment(&"x".repeat(60), 60), "x".repeat(60));
        assert_eq!(segment(&"A".repeat(28), 60).len(), 60);
        let hashed = segment(&"A".repeat(29), 60);
        assert!(hashed.starts_with("sha-") && hashed.len() == 44, "{hashed}");
        assert_eq!(segment("", 60), "enc-");
    }

    #[test]
    fn bounds_are_bytes() {
        assert!(is_capability_id(&"\u{1F600}".repeat(16)));
        assert!(!is_capability_id(&"\u{1F600}".repeat(17)));
        assert!(is_label(&"a".repeat(128)) && !is_label(&"a".repeat(129)));
        assert!(is_provider_id(&"a".repeat(64)) && !is_provider_id(&"a".repeat(65)));
        assert!(is_description(&"a".repeat(1024)) && !is_description(&"a".repeat(1025)));
        assert!(fits_display(&"a".repeat(256)) && !fits_display(&"a".repeat(257)));
    }

    #[test]
    fn white_space_and_control_are_those_of_unicode() {
        for blank in ["", " ", "\u{3000}", "\u{85}", "\t\n\u{2003}"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for text in ["\u{200B}", "\u{FEFF}", "\u{1F}", "x", " x"] {
            assert!(!is_blank(text), "{text:?}");
        }
        for bad in [
            ":", "::", "a b", "a:b", "a\u{9F}", "a\u{A0}", "a\u{85}", "", "a\u{0}",
        ] {
            assert!(!is_capability_id(bad), "{bad:?}");
        }
        assert!(is_capability_id("\u{202E}x") && is_capability_id("\u{FEFF}"));
    }
}
