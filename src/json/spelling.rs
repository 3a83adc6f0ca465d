//! Whether two values are spelled alike, token by token: then they are the same value, and neither needs
//! a digest to tell.

use super::Json;
use super::fault::byte_at;
use super::scan::skip_space;
use super::tape::Kind;

impl Json<'_> {
    /// Whether the value stands in its document as `other`, which is the text of one JSON value, but for
    /// white space between tokens. Members in another order, and another spelling of a string or number,
    /// make it `false`.
    pub(crate) fn is_spelled_as(self, other: &str) -> bool {
        if self.source() == other {
            return true;
        }
        let document = self.document_text().as_bytes();
        let other = other.as_bytes();
        let (mut at, end) = self.span();
        let mut there = 0;
        for word in self.words() {
            let (start, len) = match word.kind() {
                Kind::Plain | Kind::Escaped => (word.start().saturating_sub(1), word.len() + 2),
                Kind::Array | Kind::Object => (word.start(), 1),
                _ => (word.start(), word.len()),
            };
            let Some(behind) = same_marks(document, (at, start), other, there) else {
                return false;
            };
            if document.get(start..start + len) != other.get(behind..behind + len) {
                return false;
            }
            (at, there) = (start + len, behind + len);
        }
        same_marks(document, (at, end), other, there) == Some(other.len())
    }
}

/// Between two tokens stand commas, colons and closing brackets: where these are the same in both texts,
/// the place of the other's next token.
#[inline(always)]
fn same_marks(
    document: &[u8],
    (at, end): (usize, usize),
    other: &[u8],
    mut there: usize,
) -> Option<usize> {
    for mark in document.get(at..end)? {
        // Nothing but white space and these marks stands here, and no mark is below a space.
        if *mark > b' ' {
            there = skip_space(other, there);
            if byte_at(other, there) != *mark {
                return None;
            }
            there += 1;
        }
    }
    Some(skip_space(other, there))
}

#[cfg(test)]
mod tests {
    use crate::JsonDocument;
    use alloc::string::String;

    fn alike(one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(|text| JsonDocument::new(text.as_bytes()).unwrap());
        let (one, other) = (one.root(), other.root());
        let alike = one.is_spelled_as(other.source());
        assert_eq!(alike, other.is_spelled_as(one.source()), "either way");
        assert!(!alike || one.digest() == other.digest());
        alike
    }

    #[test]
    fn white_space_between_tokens_does_not_matter() {
        for text in [
            "{}",
            "[]",
            "0",
            "\"\"",
            "null",
            r#"{"a":[1,{"b":[]},-2.50e3],"c d":"e  f\n","":true}"#,
            "[[],[[]],{},{\"a\":{}}]",
        ] {
            assert!(alike(text, text), "{text}");
            let mut wide = String::from(" ");
            let mut within = false;
            let mut before = ' ';
            for one in text.chars() {
                if one == '"' && before != '\\' {
                    within = !within;
                }
                wide.push(one);
                if !within && "[]{},:\"".contains(one) {
                    wide.push_str("\n \t  \r  \n         ");
                }
                before = one;
            }
            assert!(alike(text, &wide), "{wide}");
        }
    }

    #[test]
    fn any_other_spelling_matters() {
        let texts = [
            "1",
            "12",
            "1.0",
            "1e0",
            "-1",
            "true",
            "null",
            "\"\"",
            "\" \"",
            "\"  \"",
            "\"a b\"",
            "\"ab\"",
            "\"\\u0061b\"",
            "[]",
            "{}",
            "[[]]",
            "[{}]",
            "[1,2]",
            "[12]",
            "[1]",
            "[1,2,3]",
            "[[1],2]",
            "[[1,2]]",
            "[\"1\",2]",
            r#"["1,2"]"#,
            r#"["1","2"]"#,
            r#"{"a":1}"#,
            r#"{"a":[1]}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":1,"b":2}"#,
            r#"{"b":2,"a":1}"#,
            r#"{"a ":1,"b":2}"#,
            r#"{"a":{},"b":2}"#,
            r#"{"a":{"b":2}}"#,
        ];
        for (place, one) in texts.iter().enumerate() {
            for (other_place, other) in texts.iter().enumerate() {
                assert_eq!(alike(one, other), place == other_place, "{one} {other}");
            }
        }
    }
}
