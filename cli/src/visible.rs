//! Untrusted text on its way to a terminal.

use std::fmt::{self, Write as _};

/// Shows a text with its control, format and otherwise invisible characters spelled as `\u{...}`.
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

/// Control characters, format characters (Cf), bidirectional controls, variation selectors, tags,
/// separators of lines and paragraphs, and fillers that show nothing.
pub(crate) fn is_hidden(one: char) -> bool {
    one.is_control()
        || matches!(one,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}'
            | '\u{890}' | '\u{891}' | '\u{8E2}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{110BD}' | '\u{110CD}'
            | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
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
}
