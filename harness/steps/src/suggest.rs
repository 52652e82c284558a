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

/// Returns a hint for a misspelled part of ids: the closest id or, if that is closer, the beginning that several ids
/// share, as in `toy.copy.sync`.
pub fn hint_for_id<'a>(name: &str, ids: impl IntoIterator<Item = &'a str>) -> String {
    let ids: Vec<&str> = ids.into_iter().collect();
    let lengths = name.len().saturating_sub(1)..=name.len() + 1;
    let beginnings = ids.iter().flat_map(|id| lengths.clone().filter_map(|length| id.get(..length)));
    let beginning = closest(name, beginnings).map(|found| (distance(name, found), found));
    match (beginning, closest(name, ids.iter().copied())) {
        (Some((steps, found)), whole) if whole.is_none_or(|whole| steps < distance(name, whole)) => {
            let shared: Vec<&str> = ids.into_iter().filter(|id| id.starts_with(found)).collect();
            match shared[..] {
                [only] => meant(only),
                [first, ..] => format!("; did you mean `{found}…`, as in `{first}`?"),
                [] => String::new(),
            }
        }
        (_, whole) => whole.map_or_else(String::new, meant),
    }
}

/// The text for a suggestion.
pub(crate) fn meant(found: &str) -> String {
    format!("; did you mean `{found}`?")
}

/// Levenshtein distance, ignoring case.
fn distance(left: &str, right: &str) -> usize {
    strsim::levenshtein(&left.to_ascii_lowercase(), &right.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 4] = ["toy.copy.null", "toy.copy.sync-bounds", "toy.copy.sync-roundtrip", "toy.set.null"];

    #[test]
    fn a_hint_is_the_closest_id_or_the_beginning_of_several() {
        assert_eq!(hint_for_id("toy.copy.nul", IDS), "; did you mean `toy.copy.null`?");
        assert_eq!(hint_for_id("toy.copy.sync-roundtrp", IDS), "; did you mean `toy.copy.sync-roundtrip`?");
        let several = "; did you mean `toy.copy.sync…`, as in `toy.copy.sync-bounds`?";
        assert_eq!(hint_for_id("toy.copy.sinc", IDS), several);
        assert_eq!(hint_for_id("zebra", IDS), "");
    }
}
