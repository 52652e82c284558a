//! Tries what no document promises of a device, once before any rule runs. Also lists the rules that do not run on a
//! machine.

use std::collections::BTreeMap;

use steps::program::Readiness;

use crate::pool::{Factory, Pool, SetUp};
use crate::wire::message::{Reply, Request};
use catalog::{Conditions, Rules, Trial, applies};
use record::{LeftOut, StartReason, TrialAnswer};

use super::TargetError;

/// Makes each trial in a separate process: an unsupported operation may terminate the process.
pub(super) fn ask(
    rules: &Rules,
    factory: &Factory,
    pool: &Pool,
    conditions: &Conditions,
) -> Result<Vec<TrialAnswer>, TargetError> {
    let mut answers = Vec::new();
    for (position, trial) in rules.life_cycle.of(&factory.product).trials.iter().enumerate() {
        let Trial { id, means, devices } = trial;
        if *devices > conditions.devices {
            // The trial is left out on a machine with too few devices, because the rules that depend on it need as
            // many devices.
            continue;
        }
        let lacks = ask_one(factory, pool, position)?;
        answers.push(TrialAnswer { id: id.clone(), means: means.clone(), lacks });
    }
    Ok(answers)
}

/// The step of a trial that failed; `None` if all steps succeeded.
fn ask_one(factory: &Factory, pool: &Pool, position: usize) -> Result<Option<String>, TargetError> {
    let slot = pool.take().map_err(|source| TargetError::NoMachine { source })?;
    let set_up = SetUp::new(Readiness::Device, 0, StartReason::FirstUse);
    let lacks = match factory.start(&slot.machine, set_up) {
        Ok((mut worker, _)) => match worker.ask(&Request::Trial(position), factory.deadlines.step) {
            Ok(Reply::Gate(trouble)) => trouble.map(|trouble| trouble.message),
            Ok(other) => Some(format!("unexpected answer from the process: {other:?}")),
            Err(end) => Some(end.to_string()),
        },
        Err(error) => Some(error.to_string()),
    };
    pool.give_back(slot);
    Ok(lacks)
}

/// The rules that do not run because of the machine's kind or limits, grouped by reason, most frequent reason first.
pub(super) fn left_out(rules: &Rules, conditions: &Conditions) -> Vec<LeftOut> {
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for rule in &rules.rules {
        if let Some(skip) = applies(rule, conditions, rules).err().filter(|skip| skip.is_of_the_machine()) {
            *reasons.entry(skip.to_string()).or_default() += 1;
        }
    }
    let mut found: Vec<LeftOut> = reasons.into_iter().map(|(reason, rules)| LeftOut { reason, rules }).collect();
    found.sort_by_key(|left_out| std::cmp::Reverse(left_out.rules));
    found
}
