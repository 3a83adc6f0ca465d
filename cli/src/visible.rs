//! Untrusted text on its way to a terminal.

use std::fmt::{self, Write as _};

use extgate::is_hidden;
use unicode_width::UnicodeWidthChar as _;

/// Shows a text with its hidden characters spelled as `\u{...}`.
pub(crate) struct Visible<'t>(pub(crate) &'t str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for one in self.0.chars() {
            if is_hidden(one) {
                write!(f, "\\u{{{:x}}}", u32::from(one))?;
            } else {
                f.write_char(one)?;
            }
        }
        Ok(())
    }
}

/// The columns that a text takes, once it is visible.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|one| one.width().unwrap_or(1)).sum()
}

/// A text in visible form and in backquotes, cut to a length that leaves room for a sentence.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", cut(text, 40))
}

/// A text in visible form, cut to so many columns.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let mut cut = String::new();
    let mut used = 0;
    for one in text.chars() {
        let shown = Visible(one.encode_utf8(&mut [0; 4])).to_string();
        let width = columns(&shown);
        if used + width > most {
            cut.push('…');
            break;
        }
        used += width;
        cut.push_str(&shown);
    }
    cut
}

/// A number as people read it: `1,024`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with its noun: `1 tool`, `2 tools`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_reaches_the_terminal() {
        let text = "a\u{1B}[2J\u{202E}\u{E0041}\u{200B}\n\u{7F}\u{9B}z";
        let shown = Visible(text).to_string();
        assert!(!shown.chars().any(is_hidden), "{shown:?}");
        assert_eq!(
            shown,
            "a\\u{1b}[2J\\u{202e}\\u{e0041}\\u{200b}\\u{a}\\u{7f}\\u{9b}z"
        );
        assert_eq!(Visible("naïve 日本 🎉").to_string(), "naïve 日本 🎉");
    }

    #[test]
    fn texts_are_cut_by_their_columns() {
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("abcde", 4), "abcd…");
        assert_eq!(cut("日本語", 4), "日本…");
        assert_eq!(cut("a\u{1B}b", 4), "a…");
    }

    #[test]
    fn numbers_have_groups() {
        for (number, shown) in [
            (0, "0"),
            (999, "999"),
            (1_024, "1,024"),
            (8_388_608, "8,388,608"),
        ] {
            assert_eq!(grouped(number), shown);
        }
        assert_eq!(
            (counted(1, "tool"), counted(0, "tool")),
            ("1 tool".into(), "0 tools".into())
        );
    }
}
