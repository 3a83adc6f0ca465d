//! JSON in which nothing can change a terminal or pass for a line's end.

use std::io::{self, Write};

use extgate::is_hidden;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Prints one JSON object as a line.
pub(crate) fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write(value, CompactFormatter, out)
}

/// Prints JSON for people to read.
pub(crate) fn pretty(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write(value, PrettyFormatter::new(), out)
}

fn write(value: &impl Serialize, form: impl Formatter, out: &mut dyn Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(
        &mut *out,
        VisibleJson(form),
    ))?;
    out.write_all(b"\n")
}

/// A form of JSON, with hidden characters as escapes.
struct VisibleJson<F>(F);

/// Hands what is not text on to the form behind.
macro_rules! forward {
    ($($name:ident($($argument:ident: $kind:ty),*);)+) => {
        $(
            fn $name<W: ?Sized + Write>(&mut self, writer: &mut W, $($argument: $kind),*) -> io::Result<()> {
                self.0.$name(writer, $($argument),*)
            }
        )+
    };
}

impl<F: Formatter> Formatter for VisibleJson<F> {
    forward! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, one)) = rest.char_indices().find(|(_, one)| is_hidden(*one)) {
            let (before, behind) = rest.split_at(at);
            writer.write_all(before.as_bytes())?;
            for unit in one.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &behind[one.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_nothing_is_lost() {
        let value = serde_json::json!({"a\u{85}": ["\u{E0041}x\u{202E}", "\u{7F}\n"], "n": 1.50});
        for form in [line, pretty] {
            let mut out = Vec::new();
            form(&value, &mut out).expect("written");
            let text = String::from_utf8(out).expect("UTF-8");
            let shown = text.replace('\n', "");
            assert!(!shown.chars().any(is_hidden), "{shown:?}");
            let again: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(again, value);
        }
    }
}
