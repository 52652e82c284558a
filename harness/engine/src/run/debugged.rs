//! Runs with `--debugger`: which rules can be debugged, and the hints that the run prints first.

use catalog::Rules;

use crate::pool::{Debugger, Home};

use super::not_debugged::NotDebugged;
use super::selection::Planned;

/// The maximum number of a rule's functions to name.
const NAMED: usize = 8;

/// Checks that a run can be debugged. Returns the lines to print before the debugger starts.
///
/// # Errors
/// Fails unless exactly one rule with one process is selected, and its cases can run in one process.
pub(super) fn expect_debuggable(
    debugger: &Debugger,
    rules: &Rules,
    selected: &[Planned],
    given_cases: usize,
) -> Result<Vec<String>, NotDebugged> {
    let index = match selected {
        [Planned { rule: Some(index), .. }] => *index,
        [planned] => return Err(NotDebugged::NoCases { rule: planned.id.clone() }),
        several => return Err(NotDebugged::Several { rules: several.len() }),
    };
    let rule = &rules.rules[index];
    let id = || rule.id.clone();
    let processes = rule.program.processes.len();
    if processes > 1 {
        return Err(NotDebugged::Processes { rule: id(), processes });
    }
    if Home::of(rule) != Home::Worker && given_cases != 1 {
        return Err(NotDebugged::Cases { rule: id() });
    }
    debugger.expect_installed()?;
    let mut called: Vec<&str> = rule.function_names().collect();
    called.dedup();
    let owned = called.iter().find(|name| rule.owns.iter().any(|owned| owned == *name)).or(called.first());
    let stops = owned.and_then(|function| debugger.stops_at(function));
    let more = called.len().checked_sub(NAMED).filter(|more| *more > 0);
    called.truncate(NAMED);
    let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
    let mut lines = vec![format!("debugging {}, which calls {}{more}", rule.id, called.join(", "))];
    lines.extend(stops.map(|stops| format!("to stop there: {stops}; nothing has a deadline")));
    Ok(lines)
}
