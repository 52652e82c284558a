//! Patience: the time limit for waits that should succeed, a multiple of the time that the device took before the run.

use std::time::Duration;

use crate::case::{FailedCall, LEAST_PATIENCE, Trouble};
use crate::pool::Seat;
use crate::wire::message::{Reply, Request};
use catalog::Section;
use record::StartReason;

use super::options::Options;
use super::target::Target;
use super::tuning::Waiting;

/// The patience is this multiple of the longest time measured before the run. The factor is large because several
/// rules run at the same time during the run, and other users may load the machine.
const TIMES: u32 = 100;
/// The maximum time to wait for the device during the measurement.
const LONGEST: Duration = Duration::from_secs(10);

impl Target {
    /// Sets the rules' patience: the given value, or a value measured now in a process that sees these devices.
    /// Returns a remark about the patience.
    pub fn set_patience(&mut self, visible: Option<&str>, options: &Options) -> Option<String> {
        let (patience, said) = choose(self, visible, options);
        self.executor.scope.patience = patience;
        said
    }
}

/// A run's patience in milliseconds, and a remark about the patience.
fn choose(target: &Target, visible: Option<&str>, options: &Options) -> (u32, Option<String>) {
    let longest = match options.tune.patience {
        Waiting::Given(given) => return (given, None),
        // With ATLAS_CTS_SKIP_GATE, the suite uses no device before the run.
        Waiting::Measured if options.machine.variables.skip_gate => return (LEAST_PATIENCE, None),
        Waiting::Measured => measure(target, visible),
    };
    match longest {
        Ok(None) => (LEAST_PATIENCE, None),
        Ok(Some(longest)) => (patience(longest, target.executor.factory.deadlines.step), None),
        Err(why) => (
            LEAST_PATIENCE,
            Some(format!(
                "cannot measure the device's speed, so rules wait the minimum of {LEAST_PATIENCE} ms: {why}; \
                 use --tune patience=MS to set a different time"
            )),
        ),
    }
}

/// The patience in milliseconds, given the longest time that the device took. The patience is rounded up to tenths of
/// a second, and limited to a third of a call's deadline or, if that is larger, to the minimum patience.
fn patience(longest: Duration, deadline: Duration) -> u32 {
    const STEP: u128 = 100;
    let wanted = (longest * TIMES).as_millis().div_ceil(STEP) * STEP;
    let most = (deadline / 3).as_millis().max(u128::from(LEAST_PATIENCE));
    u32::try_from(wanted.min(most)).unwrap_or(u32::MAX).max(LEAST_PATIENCE)
}

/// The longest time that a device took; `None` if the catalog has no steps to measure, or if the library does not
/// support these steps.
fn measure(target: &Target, visible: Option<&str>) -> Result<Option<Duration>, String> {
    let executor = &target.executor;
    if target.rules.life_cycle.of(&target.conditions.product).block(Section::Pace).is_none() {
        return Ok(None);
    }
    let mut slot = executor.pool.take_seeing(visible).map_err(|error| error.to_string())?;
    let found = slot.worker(&executor.factory, Seat::pooled(0, 0)).map_err(|error| error.to_string());
    let found =
        found.and_then(|worker| match worker.ask(&Request::Pace, executor.factory.deadlines.step.min(LONGEST)) {
            Ok(Reply::Pace(Ok(nanoseconds))) => Ok(Some(Duration::from_nanos(nanoseconds))),
            Ok(Reply::Pace(Err(Trouble { call: Some(FailedCall { code: None, .. }), .. }))) => Ok(None),
            Ok(Reply::Pace(Err(trouble))) => Err(trouble.message),
            Ok(other) => Err(format!("unexpected answer from the process: {other:?}")),
            Err(end) => Err(end.to_string()),
        });
    if found.is_err() {
        slot.clear(StartReason::AfterFailure);
    }
    executor.pool.give_back(slot);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_grows_with_what_the_device_takes_and_stays_below_a_hang() {
        let of = |longest: u64, deadline| patience(Duration::from_millis(longest), Duration::from_secs(deadline));
        assert_eq!([of(0, 30), of(1, 30), of(20, 30)], [LEAST_PATIENCE; 3]);
        assert_eq!(of(31, 30), 3_100);
        assert_eq!(of(1_000, 30), 10_000, "a third of what counts as a hang");
        assert_eq!(of(1_000, 1), LEAST_PATIENCE);
    }
}
