//! Tickets that one caller wins.

use std::fmt;

use crate::event::{Answer, Model, Of, by_key, number};

/// Tickets, each of which exactly one claim wins: the first. Later claims are refused until the ticket is renewed.
#[derive(Debug, Clone, Copy)]
pub struct Ticket;

/// An operation on a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TicketCall {
    Claim(u64),
    /// Makes the ticket a new one, whether it had a winner or not.
    Renew(u64),
}

impl TicketCall {
    fn ticket(&self) -> u64 {
        match self {
            TicketCall::Claim(ticket) | TicketCall::Renew(ticket) => *ticket,
        }
    }
}

impl Model for Ticket {
    /// True if the ticket has a winner.
    type State = bool;
    type Call = TicketCall;

    fn start(&self) -> bool {
        false
    }

    fn apply(&self, taken: &bool, call: &TicketCall, answer: Option<Answer>) -> Vec<bool> {
        let (allowed, after) = match (call, answer) {
            (_, Some(Answer::Nothing)) => (false, *taken),
            (TicketCall::Claim(_), Some(Answer::Done | Answer::Value(_))) => (!taken, true),
            (TicketCall::Claim(_), Some(Answer::Refused)) => (*taken, true),
            (TicketCall::Claim(_), None) => (true, true),
            (TicketCall::Renew(_), Some(Answer::Refused)) => (true, *taken),
            (TicketCall::Renew(_), _) => (true, false),
        };
        if allowed { vec![after] } else { Vec::new() }
    }

    fn show(&self, taken: &bool) -> String {
        if *taken { "the ticket has a winner" } else { "the ticket has no winner" }.to_owned()
    }

    fn parts(&self, history: &[Of<Self>]) -> Vec<Vec<usize>> {
        by_key(history, TicketCall::ticket)
    }

    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>> {
        let of = &history[position];
        match of.call {
            _ if of.answer() == Some(Answer::Refused) => return Some(vec![position]),
            // Without a renewal, later winners would not be explained.
            TicketCall::Renew(_) => return None,
            TicketCall::Claim(_) => {}
        }
        // A claim that may have won explains the losers.
        let loses = |event: &Of<Self>| {
            event.call == TicketCall::Claim(of.call.ticket()) && event.answer() == Some(Answer::Refused)
        };
        Some((0..history.len()).filter(|other| *other == position || loses(&history[*other])).collect())
    }
}

impl fmt::Display for TicketCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TicketCall::Claim(ticket) => write!(f, "claim({})", number(*ticket)),
            TicketCall::Renew(ticket) => write!(f, "renew({})", number(*ticket)),
        }
    }
}
