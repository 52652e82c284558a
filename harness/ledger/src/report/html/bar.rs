//! Bars: numbers as a picture. The words are always next to the bar, so screen readers skip it.

use maud::{Markup, html};
use record::{Meaning, RuleResult};

use crate::report::summary::MEANINGS;

/// The length of a bar, in its own units.
const LENGTH: usize = 1000;
/// The least length of a part that is not empty, so that one rule in a thousand is visible.
const LEAST: usize = 8;

/// A bar in which each part is as long as its number. Each part has a number and the CSS class of its color.
pub(crate) fn bar(parts: &[(usize, &'static str)]) -> Markup {
    html! {
        svg.stack viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (left, length, class) in places(parts) {
                rect class=(class) x=(left) width=(length) height="10" {}
            }
        }
    }
}

/// The bar of the results' meanings.
pub(crate) fn of_results(results: &[&RuleResult]) -> Markup {
    let number = |meaning: Meaning| results.iter().filter(|result| result.meaning() == meaning).count();
    bar(&MEANINGS.map(|meaning| (number(meaning), fill(meaning))))
}

/// The CSS class of a meaning's color in a picture.
pub(super) fn fill(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "fill-good",
        Meaning::Broken => "fill-bad",
        Meaning::Finding => "fill-note",
        Meaning::Unknown => "fill-open",
        Meaning::Skipped => "fill-faint",
    }
}

/// The start, the length and the class of each part that is not empty.
fn places(parts: &[(usize, &'static str)]) -> Vec<(usize, usize, &'static str)> {
    let parts: Vec<&(usize, &'static str)> = parts.iter().filter(|(number, _)| *number > 0).collect();
    let all = parts.iter().map(|(number, _)| number).sum::<usize>().max(1);
    let spread = LENGTH - LEAST * parts.len();
    let mut left = 0;
    let mut places = Vec::new();
    for (index, (number, class)) in parts.iter().enumerate() {
        // The last part ends where the bar ends.
        let length = if index + 1 == parts.len() { LENGTH - left } else { LEAST + spread * number / all };
        places.push((left, length, *class));
        left += length;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_a_thousand_is_visible_and_the_bar_is_full() {
        let places = places(&[(999, "good"), (1, "bad"), (0, "open")]);
        assert_eq!(places.iter().map(|(_, length, _)| length).sum::<usize>(), LENGTH);
        assert!(matches!(places[..], [(0, _, "good"), (_, LEAST.., "bad")]), "{places:?}");
    }
}
