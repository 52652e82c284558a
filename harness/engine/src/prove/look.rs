//! What steps do on a faithful device, and which of its defects they could notice.

use std::collections::BTreeSet;

use simulator_contract::reach;

use crate::run::{Options, RunError, Target};
use catalog::Rule;

use super::experiment::{Bench, Experiment};
use super::lab::COUNTED;

/// What a rule did on a faithful simulated device.
#[derive(Debug)]
pub struct Look {
    /// Where it went wrong and how; `None`: it passed.
    pub stopped: Option<String>,
    /// The names of the defects that the device asked for meanwhile, without the start of processes; elsewhere a defect
    /// makes no difference.
    pub reached: BTreeSet<&'static str>,
}

/// Runs a rule on a faithful device that notes which of its defects it asks for.
///
/// # Errors
/// There is no simulated device, or what its processes share cannot be read.
pub fn look(target: &Target, seed: u64, options: &Options, rule: &Rule) -> Result<Look, RunError> {
    let mut bench = Bench::new(target, options, Vec::new())?;
    bench.notes_reach();
    // A worker that does not start is what the attempt ends with.
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
