//! The coverage of rules by bursts.

use catalog::count;
use record::BurstBook;

use crate::report::{duration, one_line};

/// The rules that ran in bursts, and those that did not, as text.
pub fn covered(book: &BurstBook) -> String {
    let (all, uncovered) = (book.rules.len(), book.uncovered().count());
    let mut text = format!("bursts    {}; {} of {} covered\n", book.bursts, all - uncovered, count(all, "rule"));
    let oldest = book.order().into_iter().find_map(|id| Some((id, book.rules[id].last.as_deref()?)));
    if let Some((id, last)) = oldest.filter(|_| uncovered == 0) {
        text += &format!("oldest    {id}, which last ran at {}\n", one_line(last));
    }
    if book.overhead > 0 {
        text += &format!("overhead  {} of a burst, at most\n", duration(book.overhead));
    }
    for (id, rule) in book.uncovered() {
        let why = match rule.stopped {
            0 => String::new(),
            times => format!(" (stopped {} in a row: give longer bursts)", count(times as usize, "time")),
        };
        text += &format!("open      {id}{why}\n");
    }
    for (id, rule) in &book.rules {
        if let Some(broken) = &rule.broken {
            text += &format!("broken    {id}: {}\n", one_line(broken));
        }
    }
    let left_out = count(book.left_out.len(), "rule");
    text += &format!("left out  {left_out}, which touch more than the memory that they allocate\n");
    text
}
