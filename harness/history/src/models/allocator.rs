//! Allocators: blocks that are disjoint while they live.

use std::collections::BTreeMap;
use std::fmt;

use crate::event::{Answer, Model, Of, number};

/// An allocator. It may refuse any allocation and choose any address, but a block shares nothing with a live one.
#[derive(Debug, Clone, Default)]
pub struct Allocator {
    /// The ends of the blocks that live before the first operation, by address.
    pub live: BTreeMap<u64, u64>,
}

impl Allocator {
    /// An allocator that was used before the history began: a block is live at first if it is released although no
    /// operation before the release allocated it. Its size is not known.
    pub fn in_use(history: &[Of<Allocator>]) -> Allocator {
        let live = (0..history.len())
            .filter_map(|position| match history[position].call {
                AllocatorCall::Release { address } if owner(history, position).is_none() => Some(range(address, 1)),
                _ => None,
            })
            .collect();
        Allocator { live }
    }
}

/// An operation on an allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocatorCall {
    /// The answer is the address.
    Allocate { size: u64 },
    /// Releases the live block at an address.
    Release { address: u64 },
}

/// A block as a range of addresses. An empty block has one address.
fn range(address: u64, size: u64) -> (u64, u64) {
    (address, address.saturating_add(size.max(1)))
}

/// The block of an allocation that returned one.
fn block(event: &Of<Allocator>) -> Option<(u64, u64)> {
    match (event.call, event.answer()) {
        (AllocatorCall::Allocate { size }, Some(Answer::Value(address))) => Some(range(address, size)),
        _ => None,
    }
}

/// The allocation to which a release belongs. A caller releases a block after it knows the address: the allocation is
/// the latest of the address that returned before the release.
fn owner(history: &[Of<Allocator>], release: usize) -> Option<usize> {
    let AllocatorCall::Release { address } = history[release].call else { return None };
    let known = |event: &Of<Allocator>| {
        block(event).is_some_and(|(start, _)| start == address) && event.precedes(&history[release])
    };
    (0..history.len())
        .filter(|other| known(&history[*other]))
        .max_by_key(|other| history[*other].returned.map(|returned| returned.at))
}

impl Model for Allocator {
    /// The ends of the live blocks by address.
    type State = BTreeMap<u64, u64>;
    type Call = AllocatorCall;

    fn start(&self) -> BTreeMap<u64, u64> {
        self.live.clone()
    }

    fn apply(
        &self,
        state: &BTreeMap<u64, u64>,
        call: &AllocatorCall,
        answer: Option<Answer>,
    ) -> Vec<BTreeMap<u64, u64>> {
        let mut after = state.clone();
        match (*call, answer) {
            (AllocatorCall::Allocate { size }, Some(Answer::Value(address))) => {
                let (start, end) = range(address, size);
                let below = state.range(..end).next_back();
                if below.is_some_and(|(_, end)| *end > start) {
                    return Vec::new();
                }
                after.insert(start, end);
            }
            (AllocatorCall::Release { address }, Some(Answer::Done) | None) => {
                if after.remove(&address).is_none() {
                    return Vec::new();
                }
            }
            (AllocatorCall::Release { address }, Some(Answer::Refused)) if state.contains_key(&address) => {
                return Vec::new();
            }
            // A refused allocation changes nothing. The block of a call that never returned has no known address.
            (_, Some(Answer::Refused)) | (AllocatorCall::Allocate { .. }, None) => {}
            _ => return Vec::new(),
        }
        vec![after]
    }

    fn show(&self, state: &BTreeMap<u64, u64>) -> String {
        if state.is_empty() {
            return "no live block".to_owned();
        }
        let blocks: Vec<String> =
            state.iter().map(|(start, end)| format!("{} to {}", number(*start), number(end - 1))).collect();
        format!("live: {}", blocks.join(", "))
    }

    /// Blocks that overlap, at whatever times they live, belong together.
    fn parts(&self, history: &[Of<Self>]) -> Vec<Vec<usize>> {
        let mut blocks: Vec<(u64, u64, usize)> = history
            .iter()
            .enumerate()
            .filter_map(|(position, event)| block(event).map(|(start, end)| (start, end, position)))
            .collect();
        blocks.sort_unstable();
        let mut areas: Vec<(u64, u64, Vec<usize>)> = Vec::new();
        for (start, end, position) in blocks {
            match areas.last_mut().filter(|area| start < area.1) {
                Some(area) => {
                    area.1 = area.1.max(end);
                    area.2.push(position);
                }
                None => areas.push((start, end, vec![position])),
            }
        }
        let mut strangers: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (position, event) in history.iter().enumerate() {
            let AllocatorCall::Release { address } = event.call else { continue };
            let at = areas.partition_point(|area| area.0 <= address);
            match areas[..at].last_mut().filter(|area| address < area.1) {
                Some(area) => area.2.push(position),
                None => strangers.entry(address).or_default().push(position),
            }
        }
        let mut parts: Vec<Vec<usize>> = areas.into_iter().map(|area| area.2).chain(strangers.into_values()).collect();
        parts.iter_mut().for_each(|part| part.sort_unstable());
        parts
    }

    /// An allocation leaves with its releases.
    fn unit(&self, history: &[Of<Self>], position: usize) -> Option<Vec<usize>> {
        let allocation = match history[position].call {
            AllocatorCall::Allocate { .. } => position,
            AllocatorCall::Release { .. } => match owner(history, position) {
                Some(allocation) => allocation,
                None => return (history[position].answer() == Some(Answer::Refused)).then(|| vec![position]),
            },
        };
        let releases = (0..history.len()).filter(|other| owner(history, *other) == Some(allocation));
        Some(std::iter::once(allocation).chain(releases).collect())
    }

    /// A live block is explained by its allocation.
    fn may_begin(&self, state: &BTreeMap<u64, u64>) -> bool {
        *state == self.live
    }
}

impl fmt::Display for AllocatorCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocatorCall::Allocate { size } => write!(f, "allocate({})", number(*size)),
            AllocatorCall::Release { address } => write!(f, "release({})", number(*address)),
        }
    }
}
