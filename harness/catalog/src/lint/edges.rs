//! Checks which sizes the rules draw. For each unsigned 64-bit parameter, rules must draw values on both sides of 2^31
//! and 2^32 and near 2^64; for each documented limit, the limit itself and both sides. If no rule draws an edge, the
//! catalog must give a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use abi::Type;
use steps::evaluate::{Scope, Value};
use steps::types::plain;

use crate::{Level, Limit, Missing, Reason, Rule, Rules, left_out, offered};
use cases::some_cases;

use super::values::{Known, KnownCall};

/// The number of cases to examine: enough to combine each edge of an axis with several values of the others.
const CASES: u32 = 200;

/// A size at which implementations tend to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    /// Too large for a signed 32-bit number.
    Above31,
    /// Too large for 32 bits.
    Above32,
    /// Within 4 GiB of 2^64: rounding up may overflow.
    Near64,
    /// One below a limit.
    Below,
    /// The limit itself.
    Equal,
    /// One above a limit.
    Above,
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Edge::Above31 => "at or above 2^31",
            Edge::Above32 => "at or above 2^32",
            Edge::Near64 => "near 2^64",
            Edge::Below => "one below",
            Edge::Equal => "at equality",
            Edge::Above => "one above",
        })
    }
}

/// The edge that a value belongs to, if any.
fn edge(value: i128) -> Option<Edge> {
    match u64::try_from(value).ok()? {
        0xFFFF_FFFF_0000_0000.. => Some(Edge::Near64),
        0x1_0000_0000.. => Some(Edge::Above32),
        0x8000_0000.. => Some(Edge::Above31),
        _ => None,
    }
}

/// The edges of size parameters in a runtime's functions, and the edges that the rules draw.
#[derive(Debug, Default)]
pub struct Edges {
    /// The edges that at least one rule draws, by `function.parameter` or by the text of a limit.
    drawn: BTreeMap<String, BTreeSet<Edge>>,
    /// All edges that exist, by the same key.
    wanted: BTreeMap<String, BTreeSet<Edge>>,
    /// Sizes and limits of functions without an owning `must` rule.
    unowned: BTreeSet<String>,
}

impl Edges {
    /// The edges that the catalog draws. If the catalog does not say which edges it leaves out, no edge is required.
    pub fn of(rules: &Rules) -> Edges {
        let mut edges = Edges::default();
        if rules.undrawn.is_none() {
            return edges;
        }
        for function in rules.environment.declarations.bindings.functions {
            for parameter in function.parameters.iter().filter(|parameter| is_size(parameter.ty)) {
                let name = format!("{}.{}", function.name, parameter.name);
                edges.know(rules, function.name, name, [Edge::Above31, Edge::Above32, Edge::Near64]);
            }
        }
        for limit in &rules.limits {
            edges.know(rules, &limit.function, limit.text.clone(), [Edge::Below, Edge::Equal, Edge::Above]);
        }
        rules.rules.iter().for_each(|rule| edges.draw(rules, rule));
        edges
    }

    /// Adds a size or a limit. Its edges are required if a `must` rule owns the function.
    fn know(&mut self, rules: &Rules, function: &str, name: String, all: [Edge; 3]) {
        let owner = rules.owners.get(function).and_then(|id| rules.rule(id));
        if owner.is_some_and(|owner| owner.level == Level::Must) {
            self.wanted.insert(name, all.into());
        } else {
            self.unowned.insert(name);
        }
    }

    /// Adds the edges that a rule draws on each product to which it applies. Products between which the rule cannot tell
    /// have the same cases.
    fn draw(&mut self, rules: &Rules, rule: &Rule) {
        let read = rule.program.facts();
        let mut seen = Vec::new();
        for product in &rules.products {
            if offered(rule, &product.id, rules).is_err() {
                continue;
            }
            let left_out = left_out(rule, &product.id, &Missing::default(), rules);
            let facts = product.facts.iter().filter(|(name, _)| read.contains(name.as_str()));
            let facts: BTreeMap<String, i128> = facts.map(|(name, value)| (name.clone(), *value)).collect();
            let scope = Scope { left_out, ..Scope::new(facts, rule.devices()) };
            let seen_here = (scope.facts.clone(), scope.left_out.clone());
            if seen.contains(&seen_here) {
                continue;
            }
            seen.push(seen_here);
            for values in some_cases(&rule.program, &scope, CASES) {
                self.note(rules, rule, &scope, &values);
            }
        }
    }

    fn note(&mut self, rules: &Rules, rule: &Rule, scope: &Scope, values: &[Value]) {
        for call in Known::calls(&rule.program, scope, values) {
            if rule.level == Level::Must {
                for (parameter, value) in call.values() {
                    if let Some(edge) = edge(value) {
                        self.drawn.entry(format!("{}.{parameter}", call.function)).or_default().insert(edge);
                    }
                }
            }
            for limit in rules.limits.iter().filter(|limit| limit.function == call.function) {
                // Values above a limit often have an undefined effect, so for such values a rule that only informs also
                // counts.
                let at = next_to(limit, &call).filter(|at| *at == Edge::Above || rule.level == Level::Must);
                self.drawn.entry(limit.text.clone()).or_default().extend(at);
            }
        }
    }

    /// Messages for edges that no rule draws although the catalog gives no reason, and for reasons that name an unknown
    /// edge or an edge that a rule draws.
    pub fn mistakes(&self, rules: &Rules) -> Vec<String> {
        let api = format!("specs/{}/api.yaml", rules.runtime);
        let reasons = rules.undrawn.iter().flatten();
        let excused: BTreeMap<&str, Reason> =
            reasons.flat_map(|(reason, names)| names.iter().map(move |name| (name.as_str(), *reason))).collect();
        let mut found = Vec::new();
        for (name, wanted) in &self.wanted {
            let missing = self.missing(name, wanted);
            if !missing.is_empty() && !excused.contains_key(name.as_str()) {
                let edges = missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                found.push(format!(
                    "{api}: no `must` rule tries {name} {edges}; draw these values, or give a reason under `undrawn`"
                ));
            }
        }
        for (name, reason) in excused {
            match self.wanted.get(name) {
                None if self.unowned.contains(name) => {}
                None => found.push(format!(
                    "{api}: `undrawn` names {name}, which is neither a size of a function nor a limit; remove it"
                )),
                Some(wanted) if self.missing(name, wanted).is_empty() => {
                    found.push(format!("{api}: every edge of {name} is tried; remove it from `undrawn`, {reason}"));
                }
                Some(_) => {}
            }
        }
        found
    }

    fn missing(&self, name: &str, wanted: &BTreeSet<Edge>) -> Vec<Edge> {
        let drawn = self.drawn.get(name);
        wanted.iter().filter(|edge| drawn.is_none_or(|drawn| !drawn.contains(edge))).copied().collect()
    }

    /// The number of edges tried, and the number of untried edges by reason; `None` if no edge is required.
    pub fn summary(&self, rules: &Rules) -> Option<String> {
        let left = |name: &str| self.wanted.get(name).map_or(0, |wanted| self.missing(name, wanted).len());
        let all: usize = self.wanted.values().map(BTreeSet::len).sum();
        let missing: usize = self.wanted.keys().map(|name| left(name)).sum();
        let reasons = rules.undrawn.as_ref()?.iter().map(|(reason, names)| {
            let edges: usize = names.iter().map(|name| left(name)).sum();
            format!("{edges} {reason}")
        });
        let reasons = reasons.collect::<Vec<_>>().join(", ");
        Some(format!("edges of sizes: {} of {all} tried; not tried: {reasons}", all - missing))
    }
}

/// True if a parameter is a 64-bit size.
fn is_size(ty: Type) -> bool {
    matches!(plain(ty), Type::Integer { bytes: 8, signed: false })
}

/// The position of a call relative to a limit, if the call is at the limit or next to it.
fn next_to(limit: &Limit, call: &KnownCall) -> Option<Edge> {
    match limit.bound.distance(|name| call.value(name))? {
        -1 => Some(Edge::Below),
        0 => Some(Edge::Equal),
        1 => Some(Edge::Above),
        _ => None,
    }
}
