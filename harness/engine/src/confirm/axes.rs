//! Varies each axis of a failing case alone.

use record::{Boundary, FailingValues, Untried};
use steps::evaluate::{Scope, Value};
use steps::program::{Domain, Program};
use steps::{AxisId, Id};

use crate::case::{CaseError, CaseTree, display_values};

use super::boundary::boundary;

/// The largest number of further cases for one failure in a pooled worker.
pub(super) const MOST_IN_WORKER: u32 = 60;
/// The same for a rule whose cases need fresh processes, which take longer.
pub(super) const MOST_IN_GROUP: u32 = 12;
/// The largest number of alternatives of which each is tried.
const MOST_ALTERNATIVES: u64 = 12;

/// The boundary on each axis with integers or alternatives; lists are not varied. `run` tries a case: `Some(true)` if
/// it fails, `None` if it cannot run.
pub(super) fn boundaries(
    program: &Program,
    scope: &Scope,
    values: &[Value],
    most: u32,
    run: &mut dyn FnMut(&[Value]) -> Option<bool>,
) -> Vec<Boundary> {
    let mut left = most;
    let varied = program.axes.ids().filter_map(|axis| {
        let before = left;
        let mut attempt = |values: &[Value]| {
            left = left.checked_sub(1)?;
            run(values)
        };
        let found = on_axis(program, scope, axis, values, &mut attempt)?;
        Some(Boundary { axis: program.axes[axis].name.clone(), tried: before - left, ..found })
    });
    let all: Vec<Boundary> = varied.collect();
    all.into_iter().filter(|boundary| boundary.tried > 0).collect()
}

fn on_axis(
    program: &Program,
    scope: &Scope,
    axis: AxisId,
    values: &[Value],
    run: &mut dyn FnMut(&[Value]) -> Option<bool>,
) -> Option<Boundary> {
    let bounds = scope.bounds(program, axis, &values[..axis.index()]).ok()?;
    let Value::Integer(at) = values[axis.index()] else { return None };
    let with = |value: Value| {
        let mut values = values.to_vec();
        values[axis.index()] = value;
        values
    };
    let accepts = |values: &[Value]| {
        CaseTree::of(program, scope, values).is_ok() && scope.accepts(program, values).unwrap_or(false)
    };
    let untried = |values: Vec<(String, Vec<Value>)>| -> Option<Untried> {
        let mut with: Vec<String> = values.iter().filter_map(|(_, case)| excluding(program, scope, case)).collect();
        with.sort();
        with.dedup();
        let values: Vec<String> = values.into_iter().map(|(shown, _)| shown).collect();
        (!values.is_empty()).then_some(Untried { values, with })
    };
    let found = match &program.axes[axis].domain {
        _ if bounds.count < 2 => return None,
        Domain::Bytes(_) | Domain::Integer(_) | Domain::EveryOf(_) | Domain::Offset { .. } | Domain::IndexOf(_) => {
            let case = |value| with(Value::Integer(value));
            let found = boundary(bounds, at, &|value| accepts(&case(value)), &mut |value| run(&case(value)));
            let passes = found.passes.map(|value| value.to_string());
            let below = found.lowest.map(|lowest| (format!("< {lowest}"), case(lowest - bounds.step)));
            let above = found.highest.map(|highest| (format!("> {highest}"), case(highest + bounds.step)));
            let untried = untried(below.into_iter().chain(above).collect());
            Boundary { axis: String::new(), fails: found.fails, passes, tried: 0, cut: found.cut, untried }
        }
        Domain::OneOf { .. } | Domain::Text(_) | Domain::Choice(_) | Domain::Device => {
            let shown = |value: &Value| display_values(program, &with(value.clone()))[axis.index()].1.clone();
            let (mut fails, mut passes, mut cut) = (Vec::new(), None, bounds.count > MOST_ALTERNATIVES);
            let mut others = Vec::new();
            for position in 0..bounds.count.min(MOST_ALTERNATIVES) {
                let value = scope.value(program, axis, bounds, position, &values[..axis.index()]).ok()?;
                let case = with(value.clone());
                if !accepts(&case) {
                    others.push((shown(&value), case));
                    continue;
                }
                let failed = if value == values[axis.index()] { Some(true) } else { run(&case) };
                match failed {
                    Some(true) => fails.push(shown(&value)),
                    Some(false) => passes = passes.or_else(|| Some(shown(&value))),
                    None => cut = true,
                }
            }
            let any = passes.is_none() && !cut && others.is_empty();
            let fails = if any { FailingValues::Any } else { FailingValues::Only(fails) };
            Boundary { axis: String::new(), fails, passes, tried: 0, cut, untried: untried(others) }
        }
        Domain::List { .. }
        | Domain::Permutation(_)
        | Domain::Sequence(_)
        | Domain::Column { .. }
        | Domain::LengthOf(_) => return None,
    };
    Some(found)
}

/// The axis whose value is not in its range in values that give no case, for example `cut = 65536`; `None` if a
/// condition excludes them.
fn excluding(program: &Program, scope: &Scope, values: &[Value]) -> Option<String> {
    let Err(CaseError::OutsideDomain { axis, .. }) = CaseTree::of(program, scope, values) else { return None };
    let (name, value) = display_values(program, values).into_iter().find(|(name, _)| *name == axis)?;
    Some(format!("{name} = {value}"))
}
