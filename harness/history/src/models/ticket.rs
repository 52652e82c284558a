//! Tickets that one caller wins.

use std::fmt;

use crate::event::{Answer, Model, Of, by_key, number};

/// Tickets, each of which exactly one claim wins: the first. Later claims are refused.
#[derive(Debug, Clone, Copy)]
pub struct Ticket;

/// A claim on a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub ticket: u64,
}

impl Model for Ticket {
    /// True if the ticket has a winner.
    type State = bool;
    type Call = Claim;

    fn start(&self) -> bool {
        false
    }

    fn apply(&self, taken: &bool, _: &Claim, answer: Option<Answer>) -> Vec<bool> {
        let allowed = match answer {
            Some(Answer::Done | Answer::Value(_)) => !taken,
            Some(Answer::Refused) => *taken,
            Some(Answer::Nothing) => false,
            None => true,
        };
        if allowed { vec![true] } else { Vec::new() }
    }

    fn show(&self, taken: &bool) -> String {
        if *taken { "the ticket has a winner" } else { "the ticket has no winner" }.to_owned()
    }

    fn parts(&self, history: &[Of<Self>]) -> Vec<Vec<usize>> {
        by_key(history, |claim| claim.ticket)
    }

    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>> {
        if history[position].answer() == Some(Answer::Refused) {
            return Some(vec![position]);
        }
        // A claim that may have won explains the losers.
        let ticket = history[position].call.ticket;
        let loses = |event: &Of<Self>| event.call.ticket == ticket && event.answer() == Some(Answer::Refused);
        Some((0..history.len()).filter(|other| *other == position || loses(&history[*other])).collect())
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "claim({})", number(self.ticket))
    }
}
