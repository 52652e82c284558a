//! Numbers with their nouns, for use in messages.

use std::fmt::Display;

/// A number and its noun: `1 rule`, `2 rules`, `2 processes`, `2 copies`.
pub fn count<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let sibilant = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number == N::from(1), stem) {
        (true, _) => format!("{number} {noun}"),
        (false, Some(stem)) => format!("{number} {stem}ies"),
        (false, None) => format!("{number} {noun}{}", if sibilant { "es" } else { "s" }),
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn nouns_agree_with_their_numbers() {
        let texts =
            [count(1, "rule"), count(0, "rule"), count(2_usize, "process"), count(2_u64, "copy"), count(3, "key")];
        assert_eq!(texts, ["1 rule", "0 rules", "2 processes", "2 copies", "3 keys"]);
    }
}
