//! Patterns that match names, such as `audit_*`.

use std::collections::BTreeSet;

use super::suggest;

/// True if a name matches a pattern in which `*` stands for any text, including none.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

/// True if a text matches a pattern made of `*` (any text), `?` (any byte) and `[0-9]` or `[abc]` (one of these bytes).
/// An unclosed `[` matches nothing. The cost is at most the product of the two lengths.
pub fn glob(pattern: &[u8], text: &[u8]) -> bool {
    counted(pattern, text).0
}

/// Matches as [`glob`] does, and counts how many times a byte is compared with a pattern element.
pub fn counted(pattern: &[u8], text: &[u8]) -> (bool, u64) {
    let (mut at, mut read, mut work) = (0, 0, 0);
    // The position after the last star, and the end of the text that the star matches so far. All text before the star
    // stays matched.
    let mut star: Option<(usize, usize)> = None;
    while read < text.len() {
        work += 1;
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            star = Some((at, read));
        } else if let Some(length) = one(&pattern[at..], text[read]) {
            at += length;
            read += 1;
        } else if let Some((behind, taken)) = &mut star {
            *taken += 1;
            (at, read) = (*behind, *taken);
        } else {
            return (false, work);
        }
    }
    (pattern[at..].iter().all(|byte| *byte == b'*'), work)
}

/// The length of the pattern's first element if that element matches this byte; otherwise `None`.
fn one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [] => None,
        [b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == b']')?;
            let inside = match &rest[..end] {
                [low, b'-', high] => (low..=high).contains(&&byte),
                set => set.contains(&byte),
            };
            inside.then_some(end + 2)
        }
        [first, ..] => (*first == b'?' || *first == byte).then_some(1),
    }
}

/// A suggestion for a pattern that matches nothing: a name, or a pattern with the beginning of a name.
pub fn hint<'a>(pattern: &str, names: impl Iterator<Item = &'a str>) -> String {
    let Some(length) = pattern.find('*') else { return suggest::hint(pattern, names) };
    let patterns: BTreeSet<String> = names.filter_map(|name| Some(format!("{}*", name.get(..length)?))).collect();
    suggest::hint(pattern, patterns.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::{glob, matches};

    #[test]
    fn a_star_stands_for_any_text_and_everything_else_for_itself() {
        assert!(matches("audit_*", "audit_open") && matches("audit_*", "audit_") && !matches("audit_*", "audit"));
        assert!(matches("*_ERROR_*", "X_ERROR_Y") && matches("*", "") && matches("a*b*c", "abbc"));
        assert!(matches("audit_open", "audit_open") && !matches("audit_open", "audit_opened"));
        assert!(!matches("ab*ba", "aba") && !matches("*_v2", "audit_v1"));
    }

    /// Defines matching, element by element.
    fn meaning(pattern: &[u8], text: &[u8]) -> bool {
        match pattern {
            [] => text.is_empty(),
            [b'*', rest @ ..] => (0..=text.len()).any(|skip| meaning(rest, &text[skip..])),
            _ => text.split_first().is_some_and(|(first, text)| {
                super::one(pattern, *first).is_some_and(|length| meaning(&pattern[length..], text))
            }),
        }
    }

    /// All texts of these bytes, up to a maximum length.
    fn texts(bytes: &[u8], longest: u32) -> impl Iterator<Item = Vec<u8>> {
        let digit = |number: usize, place| bytes[number / bytes.len().pow(place) % bytes.len()];
        (0..=longest).flat_map(move |length| {
            (0..bytes.len().pow(length)).map(move |number| (0..length).map(|place| digit(number, place)).collect())
        })
    }

    #[test]
    fn a_pattern_means_what_its_elements_mean() {
        for pattern in texts(b"ab*?[]-", 4) {
            for text in texts(b"ab-", 4) {
                assert_eq!(glob(&pattern, &text), meaning(&pattern, &text), "{pattern:?} and {text:?}");
            }
        }
    }

    #[test]
    fn sets_and_ranges_stand_for_one_byte() {
        assert!(glob(b"v[0-9].[ab]?", b"v7.bc") && !glob(b"v[0-9]", b"vx") && !glob(b"v[0-9", b"v7") && glob(b"", b""));
    }

    /// There are too many ways to divide a text among the stars to try each of them.
    #[test]
    fn many_stars_cost_no_more_than_few() {
        assert!(!glob(&b"*a".repeat(40), &b"a".repeat(39)) && glob(&b"*a".repeat(40), &b"a".repeat(60)));
        assert!(!glob(&[&b"*a".repeat(40)[..], b"b"].concat(), &b"a".repeat(2000)));
    }
}
