//! Suggestions for misspelled names: "Did you mean …?"

/// The candidate closest to a misspelled name, if one is close enough.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.len() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns `; did you mean `x`?`, or an empty text.
pub fn hint<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    closest(name, candidates).map_or_else(String::new, meant)
}

/// The text for a suggestion.
pub(crate) fn meant(found: &str) -> String {
    format!("; did you mean `{found}`?")
}

/// Levenshtein distance, ignoring case.
fn distance(left: &str, right: &str) -> usize {
    strsim::levenshtein(&left.to_ascii_lowercase(), &right.to_ascii_lowercase())
}
