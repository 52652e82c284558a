//! The size limit of a page. The most important block of every rule takes precedence over the second block of any rule.

use messages::{comma, message};

/// The largest page, in bytes: less than three megabytes.
pub(super) const MOST: usize = 2_800_000;
/// The approximate size, in bytes, of the line that names omitted blocks and of the markup that ends the entry.
pub(super) const OMITTED_LINE: usize = 240;

/// The details of a rule, in page order.
pub(super) struct Details {
    blocks: Vec<Block>,
}

/// A block of details. Blocks with a higher rank are omitted first.
struct Block {
    rank: u8,
    name: &'static str,
    markup: String,
    shown: bool,
}

impl Details {
    pub(super) fn new() -> Details {
        Details { blocks: Vec::new() }
    }

    /// Adds a block, unless it is empty.
    pub(super) fn add(&mut self, rank: u8, name: &'static str, markup: String) {
        if !markup.is_empty() {
            self.blocks.push(Block { rank, name, markup, shown: false });
        }
    }

    /// The shown blocks, and a line that names the omitted blocks.
    pub(super) fn markup(&self) -> String {
        let (shown, omitted): (Vec<&Block>, Vec<&Block>) = self.blocks.iter().partition(|block| block.shown);
        let mut markup: String = shown.into_iter().map(|block| block.markup.as_str()).collect();
        let mut names: Vec<&str> = omitted.into_iter().map(|block| block.name).collect();
        names.dedup();
        if !names.is_empty() {
            let omitted = message!("page-omitted", blocks = names.join(comma()));
            markup += &format!("<p class=\"faint\">{omitted}</p>\n");
        }
        markup
    }
}

/// Selects blocks from all rules, rank by rank, until `most` bytes are used.
pub(super) fn select(all: &mut [Details], most: usize) {
    let mut left = most;
    let last = all.iter().flat_map(|details| &details.blocks).map(|block| block.rank).max().unwrap_or(0);
    for rank in 0..=last {
        for block in all.iter_mut().flat_map(|details| &mut details.blocks).filter(|block| block.rank == rank) {
            if let Some(rest) = left.checked_sub(block.markup.len()) {
                (left, block.shown) = (rest, true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_of_every_rule_goes_before_the_second_of_any() {
        let mut all: Vec<Details> = (0..3)
            .map(|_| {
                let mut details = Details::new();
                details.add(1, "program", "p".repeat(40));
                details.add(0, "message", "s".repeat(10));
                details
            })
            .collect();
        select(&mut all, 75);
        let programs = all.iter().filter(|details| details.markup().contains("pppp")).count();
        assert!(all.iter().all(|details| details.markup().contains("ssss")), "each rule shows its message");
        assert_eq!(programs, 1, "one rule shows its program");
        assert!(all[1].markup().contains("Omitted to keep the page small: program."));
    }

    #[test]
    fn an_omitted_block_is_named_once() {
        let mut details = Details::new();
        (0..3).for_each(|_| details.add(0, "log excerpt", "l".repeat(10)));
        assert!(details.markup().contains("small: log excerpt."), "{}", details.markup());
        assert!(details.markup().len() < OMITTED_LINE);
    }
}
