//! Characters that show nothing, or change how what stands beside them is shown.

/// Whether a character shows nothing by itself, or changes how others are shown: control characters
/// (Cc), format characters (Cf), bidirectional controls, variation selectors, Unicode tags, separators
/// of lines and paragraphs, and fillers. Text that may hold such characters is not what it looks like.
///
/// ```
/// assert!(extgate::is_hidden('\u{202E}') && extgate::is_hidden('\u{E0041}') && extgate::is_hidden('\n'));
/// assert!(!extgate::is_hidden(' ') && !extgate::is_hidden('é') && !extgate::is_hidden('🎉'));
/// ```
#[must_use]
pub fn is_hidden(one: char) -> bool {
    one.is_control() || is_invisible(one)
}

/// Hidden, and no control character.
pub(crate) fn is_invisible(one: char) -> bool {
    matches!(one,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}'
        | '\u{890}' | '\u{891}' | '\u{8E2}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{110BD}' | '\u{110CD}'
        | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}
