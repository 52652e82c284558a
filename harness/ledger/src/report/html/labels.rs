//! Colors, labels and anchors for results on the page.

use crate::names::verdict_text;
use maud::{Markup, html};
use messages::message;
use record::{Meaning, RuleResult};

/// The CSS class that colors a meaning. The color is always accompanied by a word.
pub(crate) fn class(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "good",
        Meaning::Broken => "bad",
        Meaning::Finding => "note",
        Meaning::Unknown => "open",
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

/// An element's id for links. The id consists of letters, digits, dots and hyphens.
pub(crate) fn anchor(kind: &str, name: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{kind}-{}", name.chars().take(100).map(fits).collect::<String>())
}

/// The verdict of a known failure as a label, which does not look like that of a new failure.
pub(super) fn known_label(result: &RuleResult) -> Markup {
    html! { span.verdict.open { (message!("known-verdict", verdict = verdict_text(result.verdict))) } }
}

/// The verdict as a label.
pub(super) fn label(result: &RuleResult) -> Markup {
    html! { span.verdict.(class(result.meaning())) { (verdict_text(result.verdict)) } }
}
