//! Whether a name mixes scripts whose letters are taken for one another.

/// The scripts that are told apart. Letters of others, digits and marks belong to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Georgian,
    Cherokee,
    Coptic,
    Lisu,
    /// Han, Hiragana, Katakana, Bopomofo and Hangul: written together, and beside Latin, every day.
    EastAsian,
}

/// Ranges of letters, ascending. Within them stand letters of one script, or what is no letter.
const RANGES: &[(char, char, Script)] = &[
    ('A', 'Z', Script::Latin),
    ('a', 'z', Script::Latin),
    ('\u{AA}', '\u{AA}', Script::Latin),
    ('\u{BA}', '\u{BA}', Script::Latin),
    ('\u{C0}', '\u{D6}', Script::Latin),
    ('\u{D8}', '\u{F6}', Script::Latin),
    ('\u{F8}', '\u{2B8}', Script::Latin),
    ('\u{370}', '\u{373}', Script::Greek),
    ('\u{376}', '\u{377}', Script::Greek),
    ('\u{37B}', '\u{37D}', Script::Greek),
    ('\u{37F}', '\u{37F}', Script::Greek),
    ('\u{386}', '\u{386}', Script::Greek),
    ('\u{388}', '\u{3E1}', Script::Greek),
    ('\u{3E2}', '\u{3EF}', Script::Coptic),
    ('\u{3F0}', '\u{3FF}', Script::Greek),
    ('\u{400}', '\u{484}', Script::Cyrillic),
    ('\u{487}', '\u{52F}', Script::Cyrillic),
    ('\u{531}', '\u{588}', Script::Armenian),
    ('\u{5D0}', '\u{5F2}', Script::Hebrew),
    ('\u{620}', '\u{63F}', Script::Arabic),
    ('\u{641}', '\u{64A}', Script::Arabic),
    ('\u{671}', '\u{6D3}', Script::Arabic),
    ('\u{904}', '\u{939}', Script::Devanagari),
    ('\u{E01}', '\u{E30}', Script::Thai),
    ('\u{10A0}', '\u{10FA}', Script::Georgian),
    ('\u{10FC}', '\u{10FF}', Script::Georgian),
    ('\u{1100}', '\u{115E}', Script::EastAsian),
    ('\u{1161}', '\u{11FF}', Script::EastAsian),
    ('\u{13A0}', '\u{13FD}', Script::Cherokee),
    ('\u{1C80}', '\u{1C8A}', Script::Cyrillic),
    ('\u{1C90}', '\u{1CBF}', Script::Georgian),
    ('\u{1D00}', '\u{1D25}', Script::Latin),
    ('\u{1D26}', '\u{1D2A}', Script::Greek),
    ('\u{1D2B}', '\u{1D2B}', Script::Cyrillic),
    ('\u{1E00}', '\u{1EFF}', Script::Latin),
    ('\u{1F00}', '\u{1FFE}', Script::Greek),
    ('\u{212A}', '\u{212B}', Script::Latin),
    ('\u{2160}', '\u{2188}', Script::Latin),
    ('\u{2C60}', '\u{2C7F}', Script::Latin),
    ('\u{2C80}', '\u{2CF3}', Script::Coptic),
    ('\u{2D00}', '\u{2D2D}', Script::Georgian),
    ('\u{2DE0}', '\u{2DFF}', Script::Cyrillic),
    ('\u{3041}', '\u{3096}', Script::EastAsian),
    ('\u{30A1}', '\u{30FA}', Script::EastAsian),
    ('\u{3105}', '\u{312F}', Script::EastAsian),
    ('\u{3400}', '\u{4DBF}', Script::EastAsian),
    ('\u{4E00}', '\u{9FFF}', Script::EastAsian),
    ('\u{A4D0}', '\u{A4FF}', Script::Lisu),
    ('\u{A640}', '\u{A69F}', Script::Cyrillic),
    ('\u{A722}', '\u{A787}', Script::Latin),
    ('\u{A78B}', '\u{A7CD}', Script::Latin),
    ('\u{AB30}', '\u{AB5A}', Script::Latin),
    ('\u{AB70}', '\u{ABBF}', Script::Cherokee),
    ('\u{AC00}', '\u{D7A3}', Script::EastAsian),
    ('\u{FB00}', '\u{FB06}', Script::Latin),
    ('\u{FB13}', '\u{FB17}', Script::Armenian),
    ('\u{FF21}', '\u{FF3A}', Script::Latin),
    ('\u{FF41}', '\u{FF5A}', Script::Latin),
];

/// The script of a letter, as far as it is told apart.
pub(crate) fn script(one: char) -> Option<Script> {
    if one.is_ascii() {
        return one.is_ascii_alphabetic().then_some(Script::Latin);
    }
    let place = RANGES.partition_point(|(_, last, _)| *last < one);
    RANGES
        .get(place)
        .filter(|(first, _, _)| *first <= one && one.is_alphabetic())
        .map(|(_, _, script)| *script)
}

/// Whether letters of two scripts stand in a name that nobody writes together.
pub(crate) fn is_mixed(name: &str) -> bool {
    let mut found = None;
    name.chars().filter_map(script).any(|one| {
        let together = |a, b| matches!((a, b), (Script::Latin, Script::EastAsian));
        match found {
            None => {
                found = Some(one);
                false
            }
            Some(Script::Latin) if one == Script::EastAsian => {
                found = Some(one);
                false
            }
            Some(before) => before != one && !together(one, before),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_ascend() {
        for pair in RANGES.windows(2) {
            assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0, "{pair:?}");
        }
    }

    #[test]
    fn letters_are_of_the_scripts_that_unicode_says() {
        use unicode_script::{Script as Known, UnicodeScript as _};
        for one in '\0'..=char::MAX {
            let Some(script) = script(one) else { continue };
            let agrees = match one.script() {
                Known::Latin => script == Script::Latin,
                Known::Greek => script == Script::Greek,
                Known::Cyrillic => script == Script::Cyrillic,
                Known::Armenian => script == Script::Armenian,
                Known::Hebrew => script == Script::Hebrew,
                Known::Arabic => script == Script::Arabic,
                Known::Devanagari => script == Script::Devanagari,
                Known::Thai => script == Script::Thai,
                Known::Georgian => script == Script::Georgian,
                Known::Cherokee => script == Script::Cherokee,
                Known::Coptic => script == Script::Coptic,
                Known::Lisu => script == Script::Lisu,
                Known::Han
                | Known::Hiragana
                | Known::Katakana
                | Known::Bopomofo
                | Known::Hangul => script == Script::EastAsian,
                _ => false,
            };
            assert!(agrees, "U+{:04X} {script:?}", u32::from(one));
        }
    }

    #[test]
    fn letters_that_look_alike_are_told_apart() {
        for mixed in [
            "p\u{430}ypal",
            "\u{391}dd",
            "re\u{13AA}d",
            "\u{43F}\u{43E}a",
            "搜索\u{430}",
        ] {
            assert!(is_mixed(mixed), "{mixed}");
        }
        for plain in [
            "read_file",
            "naïve",
            "搜索_file",
            "file検索けんさくケンサク",
            "검색search",
            "\u{430}\u{431}",
            "42-_.",
            "",
        ] {
            assert!(!is_mixed(plain), "{plain}");
        }
    }
}
