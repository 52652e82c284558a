//! Runs a rule's steps on a faithful device, and finds the defects that the rule could notice.

use std::collections::BTreeSet;

use simulator_contract::reach;

use crate::run::{Options, RunError, Target};
use catalog::Rule;

use super::experiment::{Bench, Experiment};
use super::lab::COUNTED;

/// A rule's behavior on a faithful simulated device.
#[derive(Debug)]
pub struct Look {
    /// The place and reason of the failure; `None` if the rule passed.
    pub stopped: Option<String>,
    /// The names of the defects that the device's model queried, except defects queried when processes start. No other
    /// defect can affect the rule.
    pub reached: BTreeSet<&'static str>,
}

/// Runs a rule on a faithful device that records which defects the device's model queries.
///
/// # Errors
/// Fails if the runtime has no simulated device, or if the file that the simulated processes share cannot be read.
pub fn look(target: &Target, seed: u64, options: &Options, rule: &Rule) -> Result<Look, RunError> {
    let mut bench = Bench::new(target, options, Vec::new())?;
    bench.notes_reach();
    // If a worker does not start, the attempt below reports the reason.
    let _ = bench.start(rule);
    let reached = || bench.reached().map_err(|source| RunError::Reach { source });
    reached()?;
    let attempt = bench.attempt(rule, seed, &Experiment { cases: Some(COUNTED), ..Experiment::default() });
    let bits = reached()?;
    let defects = target.runtime.defects().iter();
    let place = rule.program.text(attempt.place);
    Ok(Look {
        stopped: (!attempt.passes()).then(|| match place.as_str() {
            "" => format!("{}: {}", attempt.verdict, attempt.reason),
            _ => format!("`{place}`: {}", attempt.reason),
        }),
        reached: defects.filter(|defect| reach::contains(&bits, defect.index)).map(|defect| defect.name).collect(),
    })
}
