//! Where what was registered differs from what was declared.

use extgate::{Change, Difference, Differences, Json, differences};
use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;

use crate::visible::{Visible, cut, grouped};

/// Differences that are listed of one value.
const MOST_DIFFERENCES: usize = 10;
/// Columns of a value that are shown.
const MOST_COLUMNS: usize = 60;

/// The differences of one declared value and one registered.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Drift {
    differences: Vec<Listed>,
    /// Whether there are more than are listed.
    more_differences: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Listed {
    /// From the root of the value.
    pointer: String,
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registered: Option<String>,
}

/// Whether two texts that differ are one in two Unicode normal forms.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    one != other && one.nfc().eq(other.nfc())
}

impl Drift {
    pub(crate) fn between(declared: Json<'_>, registered: Json<'_>) -> Self {
        let Differences { listed, more, .. } =
            differences(declared, registered, MOST_DIFFERENCES, &same_text);
        Self {
            differences: listed.iter().map(Listed::of).collect(),
            more_differences: more,
        }
    }

    /// Of two values of which one is absent, or that are no JSON of a document.
    pub(crate) fn of_values(declared: Option<String>, registered: Option<String>) -> Self {
        let change = match (&declared, &registered) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        Self {
            differences: vec![Listed {
                pointer: String::new(),
                change,
                declared,
                registered,
            }],
            more_differences: false,
        }
    }

    /// Of two texts: what stands on each side from just before they part.
    pub(crate) fn of_texts(declared: &str, registered: &str) -> Self {
        const CONTEXT: usize = 16;
        let same = declared
            .chars()
            .zip(registered.chars())
            .take_while(|(one, other)| one == other)
            .count();
        let from = same.saturating_sub(CONTEXT);
        let change = if same_text(declared, registered) {
            Change::UnicodeNormalForm
        } else {
            Change::Changed
        };
        let part = |text: &str| {
            let dots = if from > 0 { "…" } else { "" };
            let rest: String = text.chars().skip(from).take(MOST_COLUMNS + 1).collect();
            format!(
                "\"{dots}{}\"",
                cut(&told_apart(&rest, change), MOST_COLUMNS)
            )
        };
        Self {
            differences: vec![Listed {
                pointer: String::new(),
                change: change.as_str(),
                declared: Some(part(declared)),
                registered: Some(part(registered)),
            }],
            more_differences: false,
        }
    }

    /// How many places differ, as a phrase.
    pub(crate) fn count(&self) -> String {
        match (self.differences.len(), self.more_differences) {
            (1, false) => "1 place".to_owned(),
            (count, false) => format!("{} places", grouped(count)),
            (count, true) => format!("more than {} places", grouped(count)),
        }
    }

    /// A line of text for each place.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let more = self
            .more_differences
            .then(|| "there are more differences".to_owned());
        self.differences.iter().map(Listed::line).chain(more)
    }
}

impl Listed {
    fn of(difference: &Difference<'_>) -> Self {
        let shown = |value: &Json<'_>| shown(*value, difference.change);
        Self {
            pointer: difference.pointer.clone(),
            change: difference.change.as_str(),
            declared: difference.declared.as_ref().map(shown),
            registered: difference.registered.as_ref().map(shown),
        }
    }

    fn line(&self) -> String {
        let place = match &*self.pointer {
            "" => String::new(),
            pointer => format!("{}: ", quoted_pointer(pointer)),
        };
        let what = self.change.replace('_', " ");
        match (&self.declared, &self.registered) {
            (Some(declared), Some(registered)) => {
                format!("{place}{what}, declared {declared}, registered {registered}")
            }
            (Some(one), None) | (None, Some(one)) => format!("{place}{what}, {one}"),
            (None, None) => format!("{place}{what}"),
        }
    }
}

/// A value on one line.
pub(crate) fn on_one_line(value: Json<'_>) -> String {
    // No more is ever shown, and a line's end stands between tokens only.
    let mut line = String::new();
    let mut between = false;
    for one in value.source().chars().take(8 * MOST_COLUMNS) {
        match one {
            '\n' | '\r' | '\t' => between = true,
            ' ' if between => {}
            one => {
                if between {
                    line.push(' ');
                }
                between = false;
                line.push(one);
            }
        }
    }
    cut(&line, MOST_COLUMNS)
}

fn shown(value: Json<'_>, change: Change) -> String {
    match (change, value.as_str()) {
        (Change::UnicodeNormalForm, Some(text)) => {
            let text: String = text.chars().take(MOST_COLUMNS + 1).collect();
            format!("\"{}\"", cut(&told_apart(&text, change), MOST_COLUMNS))
        }
        _ => on_one_line(value),
    }
}

/// A text that looks like another, with its characters beyond ASCII by number.
fn told_apart(text: &str, change: Change) -> String {
    if change != Change::UnicodeNormalForm {
        return text.to_owned();
    }
    text.chars()
        .map(|one| match one {
            one if one.is_ascii() => one.to_string(),
            one => format!("\\u{{{:x}}}", u32::from(one)),
        })
        .collect()
}

/// A pointer in visible form; the end of a long one tells more than its beginning.
fn quoted_pointer(pointer: &str) -> String {
    const MOST: usize = 60;
    let count = pointer.chars().count();
    if count <= MOST {
        return Visible(pointer).to_string();
    }
    let end: String = pointer.chars().skip(count - MOST).collect();
    format!("…{}", Visible(&end))
}
