//! The search for an order of the operations that a model allows: Wing and Gong's, with Lowe's memoization of the
//! operations that are already in order and the state after them.

use std::collections::HashSet;

use crate::event::{Event, Model, Of};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Consistent,
    Inconsistent,
    /// The search visited as many configurations as it may, without a result.
    Undecided,
}

/// Checks a history. `budget` is the largest number of configurations that the search visits in each part.
pub fn check<M: Model>(model: &M, history: &[Of<M>], budget: u64) -> Outcome {
    let mut all = Outcome::Consistent;
    for part in model.parts(history) {
        let events: Vec<&Of<M>> = part.iter().map(|position| &history[*position]).collect();
        match consistent(model, &[model.start()], &events, &mut { budget }) {
            Some(true) => {}
            Some(false) => return Outcome::Inconsistent,
            None => all = Outcome::Undecided,
        }
    }
    all
}

/// True if the operations are consistent from one of these states; `None` if the budget ends before that is decided.
/// Visited configurations are taken from the budget.
pub fn consistent<M: Model>(model: &M, from: &[M::State], events: &[&Of<M>], budget: &mut u64) -> Option<bool> {
    for part in model.glimpses(events) {
        let events: Vec<&Of<M>> = part.iter().map(|position| events[*position]).collect();
        if events.len() < 8 && !found(model, from, &events, budget)? {
            return Some(false);
        }
    }
    found(model, from, events, budget)
}

fn found<M: Model>(model: &M, from: &[M::State], events: &[&Of<M>], budget: &mut u64) -> Option<bool> {
    for state in from {
        if !Search::new(model, events, state.clone()).run(budget, None)?.is_empty() {
            return Some(true);
        }
    }
    Some(false)
}

/// All states in which the operations may end from one of these states; `None` if the budget ends earlier.
pub(crate) fn ends<M: Model>(
    model: &M,
    from: &[M::State],
    events: &[&Of<M>],
    budget: &mut u64,
) -> Option<Vec<M::State>> {
    let mut all = HashSet::new();
    for state in from {
        Search::new(model, events, state.clone()).run(budget, Some(&mut all))?;
    }
    Some(all.into_iter().collect())
}

/// The beginning or the return of an operation, in the order of time.
#[derive(Debug, Clone, Copy)]
struct Node {
    event: usize,
    returns: bool,
}

/// The first node, which is not an event.
const HEAD: usize = 0;

/// A choice that the search has made.
struct Choice<S> {
    node: usize,
    /// The state before the operation.
    before: S,
    /// The other states after the operation that have not been tried.
    others: Vec<S>,
}

struct Search<'a, M: Model> {
    model: &'a M,
    events: &'a [&'a Of<M>],
    nodes: Vec<Node>,
    /// The doubly linked list of the nodes that are not in order yet. The node after the last is `nodes.len()`.
    next: Vec<usize>,
    previous: Vec<usize>,
    /// The return of the event, if any.
    returns: Vec<Option<usize>>,
    ordered: Box<[u64]>,
    state: M::State,
    /// The number of operations that returned and are not in order yet.
    left: usize,
    seen: HashSet<(Box<[u64]>, M::State)>,
}

impl<'a, M: Model> Search<'a, M> {
    fn new(model: &'a M, events: &'a [&'a Of<M>], state: M::State) -> Self {
        let mut nodes: Vec<(u64, Node)> = Vec::with_capacity(2 * events.len());
        for (event, Event { invoked, returned, .. }) in events.iter().enumerate() {
            nodes.push((*invoked, Node { event, returns: false }));
            nodes.extend(returned.map(|returned| (returned.at, Node { event, returns: true })));
        }
        // At equal times, calls come first: operations that touch may have overlapped.
        nodes.sort_by_key(|(at, node)| (*at, node.returns));
        let head = Node { event: usize::MAX, returns: false };
        let nodes: Vec<Node> = std::iter::once(head).chain(nodes.into_iter().map(|(_, node)| node)).collect();
        let mut returns = vec![None; events.len()];
        for (position, node) in nodes.iter().enumerate().filter(|(_, node)| node.returns) {
            returns[node.event] = Some(position);
        }
        let left = events.iter().filter(|event| event.returned.is_some()).count();
        let next = (1..=nodes.len() + 1).collect();
        let previous = (0..=nodes.len()).map(|position| position.saturating_sub(1)).collect();
        let ordered = vec![0; events.len().div_ceil(64)].into_boxed_slice();
        Search { model, events, nodes, next, previous, returns, ordered, state, left, seen: HashSet::new() }
    }

    /// Searches for one order, or for all if there is a set for the states in which they end. Returns the order that
    /// was found first, as one state; nothing if there is none. `None` if the budget ends.
    fn run(mut self, budget: &mut u64, mut all: Option<&mut HashSet<M::State>>) -> Option<Vec<M::State>> {
        let mut path: Vec<Choice<M::State>> = Vec::new();
        let mut found = Vec::new();
        let mut node = self.next[HEAD];
        loop {
            if self.left == 0 {
                found.truncate(0);
                found.push(self.state.clone());
                match &mut all {
                    Some(states) => drop(states.insert(self.state.clone())),
                    None => return Some(found),
                }
            }
            let blocked = node == self.nodes.len() || self.nodes[node].returns;
            if !blocked {
                let event = self.events[self.nodes[node].event];
                let after = self.model.apply(&self.state, &event.call, event.answer());
                if self.advance(&mut path, node, after, budget)? {
                    node = self.next[HEAD];
                } else {
                    node = self.next[node];
                }
                continue;
            }
            // The operation that returns next cannot come later: another choice is needed.
            let Some(choice) = path.pop() else { return Some(found) };
            node = choice.node;
            self.unlift(node);
            self.state = choice.before;
            if self.advance(&mut path, node, choice.others, budget)? {
                node = self.next[HEAD];
            } else {
                node = self.next[node];
            }
        }
    }

    /// Puts an operation in order with the first of these states that is new. `None` if the budget ends.
    fn advance(
        &mut self,
        path: &mut Vec<Choice<M::State>>,
        node: usize,
        mut after: Vec<M::State>,
        budget: &mut u64,
    ) -> Option<bool> {
        self.toggle(self.nodes[node].event);
        while let Some(state) = after.pop() {
            if self.seen.insert((self.ordered.clone(), state.clone())) {
                *budget = budget.checked_sub(1)?;
                let before = std::mem::replace(&mut self.state, state);
                self.lift(node);
                path.push(Choice { node, before, others: after });
                return Some(true);
            }
        }
        self.toggle(self.nodes[node].event);
        Some(false)
    }

    fn toggle(&mut self, event: usize) {
        self.ordered[event / 64] ^= 1 << (event % 64);
    }

    fn lift(&mut self, call: usize) {
        self.unlink(call);
        if let Some(returns) = self.returns[self.nodes[call].event] {
            self.unlink(returns);
            self.left -= 1;
        }
    }

    fn unlift(&mut self, call: usize) {
        if let Some(returns) = self.returns[self.nodes[call].event] {
            self.link(returns);
            self.left += 1;
        }
        self.link(call);
        self.toggle(self.nodes[call].event);
    }

    fn unlink(&mut self, node: usize) {
        let (before, after) = (self.previous[node], self.next[node]);
        self.next[before] = after;
        self.previous[after] = before;
    }

    fn link(&mut self, node: usize) {
        let (before, after) = (self.previous[node], self.next[node]);
        self.next[before] = node;
        self.previous[after] = node;
    }
}
