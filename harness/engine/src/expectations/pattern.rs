//! Which rules an entry is about.

/// A rule's id, or a text in which `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(String);

impl Pattern {
    pub(super) fn new(text: &str) -> Pattern {
        Pattern(text.to_owned())
    }

    /// Whether a rule is meant.
    pub(super) fn matches(&self, id: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == id };
        let Some(mut id) = id.strip_prefix(first) else { return false };
        let mut parts = rest.split('*').collect::<Vec<_>>();
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            match id.find(part) {
                Some(at) => id = &id[at + part.len()..],
                None => return false,
            }
        }
        id.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("toy.copy.peer", "toy.copy.peer", true)]
    #[case("toy.copy", "toy.copy.peer", false)]
    #[case("toy.copy.*", "toy.copy.peer", true)]
    #[case("*.peer", "toy.copy.peer", true)]
    #[case("toy.*.peer", "toy.copy.peer", true)]
    #[case("toy.*.peer", "toy.peer", false)]
    #[case("toy.*copy*r", "toy.copy.peer", true)]
    #[case("*peer*peer*", "toy.copy.peer", false)]
    #[case("*", "toy.copy.peer", true)]
    fn a_star_stands_for_any_text(#[case] pattern: &str, #[case] id: &str, #[case] is: bool) {
        assert_eq!(Pattern::new(pattern).matches(id), is);
    }
}
