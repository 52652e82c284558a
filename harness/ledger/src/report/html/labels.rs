//! The words, colors and names by which the parts of the page speak of results.

use crate::report::text::one_line;
use record::{Meaning, RuleResult};

use super::document::escaped;

/// What has a color, and the word for it: the color never stands alone.
pub(super) fn class(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "good",
        Meaning::Broken => "bad",
        Meaning::Finding | Meaning::Unknown => "open",
        Meaning::Skipped => "faint",
    }
}

/// The word for a meaning.
pub(super) fn word(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "hold",
        Meaning::Broken => "broken",
        Meaning::Finding => "finding",
        Meaning::Unknown => "unknown",
        Meaning::Skipped => "skipped",
    }
}

/// Meanings in the order of columns.
pub(super) const MEANINGS: [Meaning; 5] =
    [Meaning::Good, Meaning::Broken, Meaning::Finding, Meaning::Unknown, Meaning::Skipped];

/// The attributes by which the filter knows what an element is about.
pub(super) fn about(result: &RuleResult) -> String {
    format!(
        "data-rule=\"{}\" data-chapter=\"{}\" data-verdict=\"{}\" data-meaning=\"{}\"",
        escaped(&one_line(&result.id)),
        escaped(&one_line(&result.chapter)),
        result.verdict,
        word(result.meaning())
    )
}

/// The name of an element that others link to: letters, digits, dots and hyphens.
pub(super) fn anchor(kind: &str, name: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{kind}-{}", name.chars().take(100).map(fits).collect::<String>())
}

/// The verdict as a label.
pub(super) fn label(result: &RuleResult) -> String {
    format!("<span class=\"verdict {}\">{}</span>", class(result.meaning()), result.verdict)
}
