//! Asks the device for its capabilities, once before any rule runs.

use crate::pool::{Factory, Pool, Seat};
use crate::wire::message::{Reply, Request};
use catalog::{Capability, CapabilityAnswer, CapabilityAnswers, Conditions, Rules, Span};
use record::StartReason;

use super::TargetError;

/// The device's answers, by the names of the capabilities.
pub(super) fn ask(
    rules: &Rules,
    factory: &Factory,
    pool: &Pool,
    conditions: &Conditions,
) -> Result<CapabilityAnswers, TargetError> {
    let mut answers = CapabilityAnswers::new();
    for (position, capability) in rules.life_cycle.of(&conditions.product).capabilities.iter().enumerate() {
        let there = |function: &str, span: Span| {
            let edition = conditions.editions.of(rules.libraries.home(function));
            edition.is_none_or(|edition| span.contains(edition)) && !conditions.lacking.contains(function)
        };
        let answer = match capability.unoffered(&conditions.product, &rules.support, there) {
            Some(function) => CapabilityAnswer::Unasked(function.to_owned()),
            None => ask_one(factory, pool, position, capability)?,
        };
        answers.insert(capability.name.clone(), answer);
    }
    Ok(answers)
}

/// The answer of the device. The process may end in the query, or not answer at all.
fn ask_one(
    factory: &Factory,
    pool: &Pool,
    position: usize,
    capability: &Capability,
) -> Result<CapabilityAnswer, TargetError> {
    let mut slot = pool.take().map_err(|source| TargetError::NoMachine { source })?;
    let worker = slot.worker(factory, Seat::pooled(0, 0)).map_err(|error| error.to_string());
    let reply = worker.and_then(|worker| {
        let reply = worker.ask(&Request::Capability(position), factory.deadlines.step);
        reply.map_err(|end| format!("the query for {} ended its process: {end}", capability.name))
    });
    let answer = match reply {
        Ok(Reply::Capability(Ok(number))) => CapabilityAnswer::Gave(number),
        Ok(Reply::Capability(Err(why))) => CapabilityAnswer::Failed(why),
        Ok(other) => CapabilityAnswer::Failed(format!("unexpected answer from the process: {other:?}")),
        Err(why) => {
            slot.clear(StartReason::AfterFailure);
            CapabilityAnswer::Failed(why)
        }
    };
    pool.give_back(slot);
    Ok(answer)
}
