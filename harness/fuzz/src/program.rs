//! The laws for every accepted program, regardless of its source.

use std::collections::BTreeSet;

use engine::case::{Budget, Case, CaseTree, Plan, Scope};
use steps::pattern::counted;
use steps::program::{Domain, Expression, Program, Range, Statement, StatementKind};
use steps::{ActorId, Id};

/// The maximum number of values on an axis that enumerates them, all of which are run.
const MOST_VALUES: u64 = 512;
/// The maximum number of items in a list.
const LONGEST_LIST: i128 = 4096;
/// The maximum number of iterations of a loop, regardless of its bound.
const MOST_ROUNDS: u64 = 65_536;
/// The maximum number of iterations of nested loops with constant bounds.
const MOST_NESTED_ROUNDS: u64 = 1 << 24;
/// The number of cases to draw.
const DRAWN: usize = 16;

/// Checks all laws below on an accepted program.
pub(crate) fn holds(program: &Program, scope: &Scope) {
    multiples_are_of_a_positive_number(program);
    constant_lengths_can_be_drawn(program);
    nested_rounds_end(&program.statements, 1);
    lanes_are_apart(program, &program.statements, None);
    patterns_cost_little(program);
    drawn_cases_lie_in_their_domains(program, scope);
}

fn ranges(domain: &Domain) -> Vec<&Range> {
    match domain {
        Domain::Bytes(range) | Domain::Integer(range) | Domain::EveryOf(range) | Domain::Permutation(range) => {
            vec![range]
        }
        Domain::List { item, length, .. } => vec![item, length],
        _ => Vec::new(),
    }
}

fn multiples_are_of_a_positive_number(program: &Program) {
    for axis in &program.axes {
        let offset = match &axis.domain {
            Domain::Offset { multiple_of, .. } => multiple_of.as_ref(),
            _ => None,
        };
        let steps = ranges(&axis.domain).into_iter().filter_map(|range| range.multiple_of.as_ref());
        for step in steps.chain(offset) {
            if let Expression::Constant(step) = step {
                assert!(*step >= 1, "a multiple of less than 1 is accepted: {step} of `{}`", axis.name);
            }
        }
    }
}

fn constant_lengths_can_be_drawn(program: &Program) {
    for axis in &program.axes {
        let (Domain::List { length, .. } | Domain::Permutation(length)) = &axis.domain else { continue };
        // Without a constant bound, the list is not checked.
        let (Expression::Constant(low), Expression::Constant(high)) = (&length.low, &length.high) else { continue };
        for bound in [low, high] {
            assert!(
                (0..=LONGEST_LIST).contains(bound),
                "a list that cannot be drawn is accepted: {bound} items of `{}`",
                axis.name
            );
        }
    }
}

fn nested_rounds_end(statements: &[Statement], outer: u64) {
    for statement in statements {
        match &statement.kind {
            StatementKind::For { bound, body, .. } => {
                let rounds = match bound {
                    Expression::Constant(bound) => u64::try_from(*bound).unwrap_or(0).min(MOST_ROUNDS),
                    _ => 1,
                };
                let rounds = outer.saturating_mul(rounds);
                assert!(rounds <= MOST_NESTED_ROUNDS, "nested loops run too long: {rounds} iterations");
                nested_rounds_end(body, rounds);
            }
            kind => kind.blocks().into_iter().for_each(|body| nested_rounds_end(body, outer)),
        }
    }
}

/// Checks that lanes are of different actors, that a lane has only statements of its actor, and that jitter has a number
/// for each lane.
fn lanes_are_apart(program: &Program, statements: &[Statement], lane: Option<ActorId>) {
    for statement in statements {
        if let StatementKind::Together { jitter, lanes } = &statement.kind {
            assert!(lane.is_none() && lanes.len() > 1, "lanes inside a lane, or a single lane, are accepted");
            let actors: BTreeSet<ActorId> = lanes.iter().map(|lane| lane.actor).collect();
            assert_eq!(actors.len(), lanes.len(), "an actor with two lanes is accepted");
            let Domain::List { length, .. } = &program.axes[*jitter].domain else { panic!("jitter is not a list") };
            let wanted = lanes.len() as i128;
            assert!(matches!(length.high, Expression::Constant(high) if high == wanted), "jitter has another length");
            lanes.iter().for_each(|lane| lanes_are_apart(program, &lane.body, Some(lane.actor)));
            continue;
        }
        let is_leaf = !statement.kind.is_flow();
        assert!(!is_leaf || lane.is_none_or(|actor| actor == statement.actor), "a lane has another actor's statement");
        statement.kind.blocks().into_iter().for_each(|body| lanes_are_apart(program, body, lane));
    }
}

/// Tries every text in the program as a pattern, on each text and on long texts that nearly match.
fn patterns_cost_little(program: &Program) {
    let patterns: BTreeSet<&[u8]> = program.texts.iter().map(|text| &text[..text.len() - 1]).collect();
    for pattern in patterns.iter().filter(|pattern| pattern.contains(&b'*')) {
        let literal = pattern.iter().copied().find(|byte| !b"*?[]".contains(byte)).unwrap_or(b'a');
        let long = vec![literal; 256];
        for text in patterns.iter().copied().chain([&long[..]]) {
            let most = 4 * (pattern.len() as u64 + 1) * (text.len() as u64 + 1);
            let (_, work) = counted(pattern, text);
            assert!(
                work < most,
                "matching a pattern costs more than the product of both lengths: {} on {} bytes",
                String::from_utf8_lossy(pattern),
                text.len()
            );
        }
    }
}

fn drawn_cases_lie_in_their_domains(program: &Program, scope: &Scope) {
    let budget = Budget {
        cases: DRAWN as u32,
        repeats: 1,
        calls: u64::MAX,
        sequences: DRAWN as u32,
        sequence_calls: u64::MAX,
        ..Budget::default()
    };
    // If a case cannot be drawn, the error gives the reason.
    let Ok(mut plan) = Plan::new(program, scope, 1, &budget) else { return };
    let cases = std::iter::from_fn(|| plan.next_case()).take(DRAWN);
    for case in cases.flatten() {
        lies_in_its_domains(program, scope, &case, "a drawn value");
        axes_that_enumerate_are_small(program, scope, &case);
    }
}

/// Checks that each value in a case has a position in its axis's domain.
pub(crate) fn lies_in_its_domains(program: &Program, scope: &Scope, case: &Case, what: &str) {
    let tree = CaseTree::of(program, scope, &case.values);
    let tree = tree.unwrap_or_else(|error| panic!("{what} lies outside its domain: {error}, {:?}", case.values));
    let values = tree.values(program, scope);
    assert_eq!(values.as_ref(), Ok(&case.values), "{what} changed when it was looked up: see both");
}

fn axes_that_enumerate_are_small(program: &Program, scope: &Scope, case: &Case) {
    for (id, axis) in program.axes.entries() {
        let enumerates = matches!(
            axis.domain,
            Domain::EveryOf(_) | Domain::Text(_) | Domain::Choice(_) | Domain::OneOf { every: true, .. }
        );
        let Ok(bounds) = scope.bounds(program, id, &case.values[..id.index()]) else { continue };
        assert!(
            !enumerates || bounds.count <= MOST_VALUES,
            "an axis that must try all of its values has too many: {} of `{}`",
            bounds.count,
            axis.name
        );
    }
}
