//! Colors, labels and anchors for results on the page.

use crate::report::names::verdict_text;
use crate::report::text::one_line;
use record::{Meaning, RuleResult};

use super::document::escaped;

/// The CSS class that colors a meaning. The color is always accompanied by a word.
pub(super) fn class(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "good",
        Meaning::Broken => "bad",
        Meaning::Finding | Meaning::Unknown => "open",
        Meaning::Skipped => "faint",
    }
}

/// The name of a meaning in attributes, which is the same in every language.
pub(super) fn name(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "hold",
        Meaning::Broken => "broken",
        Meaning::Finding => "finding",
        Meaning::Unknown => "unknown",
        Meaning::Skipped => "skipped",
    }
}

/// The attributes that the filter script reads.
pub(super) fn about(result: &RuleResult) -> String {
    format!(
        "data-rule=\"{}\" data-chapter=\"{}\" data-verdict=\"{}\" data-meaning=\"{}\"",
        escaped(&one_line(&result.id)),
        escaped(&one_line(&result.chapter)),
        result.verdict,
        name(result.meaning())
    )
}

/// An element's id for links. The id consists of letters, digits, dots and hyphens.
pub(super) fn anchor(kind: &str, name: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{kind}-{}", name.chars().take(100).map(fits).collect::<String>())
}

/// The verdict as a label.
pub(super) fn label(result: &RuleResult) -> String {
    format!("<span class=\"verdict {}\">{}</span>", class(result.meaning()), verdict_text(result.verdict))
}
