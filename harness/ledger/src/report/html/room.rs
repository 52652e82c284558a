//! How large a page may become: what matters most of every rule comes before the rest of any.

/// The bytes that a page may have. It stays below three megabytes.
pub(super) const MOST: usize = 2_800_000;
/// About the bytes of a line that names what was left out, with the end of its entry.
pub(super) const LEFT_OUT: usize = 240;

/// What can be said about a rule, in the order in which it is shown.
pub(super) struct Details {
    parts: Vec<Part>,
}

/// One thing among the details. The lower its rank, the later it is left out.
struct Part {
    rank: u8,
    what: &'static str,
    markup: String,
    shown: bool,
}

impl Details {
    pub(super) fn new() -> Details {
        Details { parts: Vec::new() }
    }

    /// Adds markup; nothing if there is none.
    pub(super) fn add(&mut self, rank: u8, what: &'static str, markup: String) {
        if !markup.is_empty() {
            self.parts.push(Part { rank, what, markup, shown: false });
        }
    }

    /// What is shown, and a line that names what is not.
    pub(super) fn markup(&self) -> String {
        let mut markup: String = self.parts.iter().filter(|part| part.shown).map(|part| part.markup.as_str()).collect();
        let mut hidden: Vec<&str> = self.parts.iter().filter(|part| !part.shown).map(|part| part.what).collect();
        hidden.dedup();
        if !hidden.is_empty() {
            let hidden = hidden.join(", ");
            markup += &format!(
                "<p class=\"faint\">Left out, so that the page stays small: {hidden}. The journal has all.</p>\n"
            );
        }
        markup
    }
}

/// Gives room to the details of all rules, rank by rank.
pub(super) fn share(all: &mut [Details], most: usize) {
    let mut left = most;
    let last = all.iter().flat_map(|details| &details.parts).map(|part| part.rank).max().unwrap_or(0);
    for rank in 0..=last {
        for part in all.iter_mut().flat_map(|details| &mut details.parts).filter(|part| part.rank == rank) {
            if let Some(rest) = left.checked_sub(part.markup.len()) {
                (left, part.shown) = (rest, true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_most_of_all_rules_comes_before_the_rest_of_any() {
        let mut all: Vec<Details> = (0..3)
            .map(|_| {
                let mut details = Details::new();
                details.add(1, "the program", "p".repeat(40));
                details.add(0, "what was seen", "s".repeat(10));
                details
            })
            .collect();
        share(&mut all, 75);
        let programs = all.iter().filter(|details| details.markup().contains("pppp")).count();
        assert!(all.iter().all(|details| details.markup().contains("ssss")), "each shows what was seen");
        assert_eq!(programs, 1, "and one its program");
        assert!(all[1].markup().contains("Left out, so that the page stays small: the program."));
    }

    #[test]
    fn what_was_left_out_is_named_once() {
        let mut details = Details::new();
        (0..3).for_each(|_| details.add(0, "an excerpt of a log", "l".repeat(10)));
        assert!(details.markup().contains("small: an excerpt of a log. The"), "{}", details.markup());
        assert!(details.markup().len() < LEFT_OUT);
    }
}
