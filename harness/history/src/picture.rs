//! An inconsistent part of a history as lanes and bars.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{Event, Model, Of};
use crate::smallest::Smallest;

/// The most bars in a picture, unless the inconsistent part has more.
const BARS: usize = 12;

/// An inconsistent part of a history of concurrent calls, with some calls around it: lanes are actors, bars are calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    /// The name of the history.
    pub name: String,
    /// The name of the model that allows no order of the calls.
    pub model: String,
    /// The number of calls in the whole history.
    pub calls: u64,
    /// The actors' names.
    pub lanes: Vec<String>,
    /// The state before the inconsistent part, in words. If there are several, no order is allowed from any of them.
    pub before: Vec<String>,
    /// The calls in the order of their beginnings.
    pub bars: Vec<Bar>,
}

/// A call in a picture. Times are in nanoseconds from the beginning of the first bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bar {
    /// The position of the lane, from 0.
    pub lane: u32,
    /// The call with its arguments, in the terms of the model.
    pub call: String,
    /// The answer; absent if the call had not returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub from: u64,
    /// The time of the return; absent if the call had not returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// True if the call belongs to the smallest inconsistent part.
    pub inconsistent: bool,
}

impl Picture {
    /// The picture of an inconsistent part: its operations, and others of the same independent part that were open
    /// meanwhile.
    pub fn of<M: Model>(model: &M, history: &[Of<M>], smallest: &Smallest<M>, lanes: &[String]) -> Picture {
        let own =
            |position: usize| smallest.events.iter().find(|(known, _)| *known == position).map(|(_, event)| event);
        let begins = smallest.events.iter().map(|(_, event)| event.invoked).min().unwrap_or(0);
        let ends = smallest.events.iter().filter_map(|(_, event)| event.returned).map(|end| end.at).max();
        let meanwhile = |event: &Of<M>| {
            ends.is_none_or(|ends| event.invoked <= ends) && event.returned.is_none_or(|end| end.at >= begins)
        };
        let room = BARS.saturating_sub(smallest.events.len());
        let others = smallest.part.iter().copied().filter(|position| own(*position).is_none());
        let mut others: Vec<usize> = others.filter(|position| meanwhile(&history[*position])).collect();
        others.sort_by_key(|position| history[*position].invoked.abs_diff(begins));
        others.truncate(room);
        let core = smallest.events.iter().map(|(_, event)| (event, true));
        let mut all: Vec<(&Of<M>, bool)> = core.chain(others.iter().map(|other| (&history[*other], false))).collect();
        all.sort_by_key(|(event, _)| (event.invoked, event.actor));
        let first = all.first().map_or(0, |(event, _)| event.invoked);
        Picture {
            name: String::new(),
            model: String::new(),
            calls: history.len() as u64,
            lanes: lanes.to_vec(),
            before: smallest.from.iter().map(|state| model.show(state)).collect(),
            bars: all.into_iter().map(|(event, inconsistent)| Bar::of(event, first, inconsistent)).collect(),
        }
    }
}

impl Bar {
    fn of<C: std::fmt::Display>(event: &Event<C>, first: u64, inconsistent: bool) -> Bar {
        Bar {
            lane: event.actor as u32,
            call: event.call.to_string(),
            answer: event.answer().map(|answer| answer.to_string()),
            from: event.invoked - first,
            to: event.returned.map(|returned| returned.at - first),
            inconsistent,
        }
    }
}
