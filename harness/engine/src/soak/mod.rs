//! A soak: rules of which each is one cycle of acquiring and releasing, repeated in processes that live as long as the
//! soak. Between batches of cycles, the supervisor looks at the resources of the device and of the processes.
//!
//! Batches of different rules take turns, and each rule has separate processes. Everything that a soak finds is in its
//! file ([`record::SoakFile`]), so a soak that was killed continues with the next batch.

mod alone;
mod lane;
mod levels;

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{Rule, Rules};
use record::{RecordedSoak, SoakFile, SoakFileError, SoakHeader, SoakLine, SoakRule, SoakSkip};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::case::rule_seed;
use crate::pool::interrupt;
use crate::run::{Options, RunError, Target};
use crate::runtime::Runtime;

use lane::{COSTS, Ended, Lane, starts_processes};

pub use alone::alone;

/// The seed of a soak without `--seed`.
const DEFAULT_SEED: u64 = 20_260_101;

/// The length of a soak.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Length {
    /// The number of cycles for each rule. A cycle that starts processes counts as several.
    pub cycles: Option<u64>,
    /// The time.
    pub time: Option<Duration>,
}

/// The end of a soak's batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The length was reached, or no rule can continue.
    Done,
    /// A signal ended the soak, which can be resumed.
    Signal(&'static str),
}

/// The first cycle of a rule, for the header of a soak's file.
fn described(rule: &Rule) -> SoakRule {
    let mut calls: Vec<String> = Vec::new();
    for name in rule.program.function_names() {
        if !calls.iter().any(|known| known == name) {
            calls.push(name.to_owned());
        }
    }
    let place = rule.place(0);
    SoakRule { id: rule.id.clone(), title: rule.title.clone(), place, calls }
}

/// Opens the target of a soak: loads the library in a worker and measures the device's speed.
///
/// # Errors
/// Fails if an option names something unknown, or if the library, the runtime or a device cannot be used.
pub fn open(
    options: &Options,
    runtime: &'static Runtime,
    rules: Arc<Rules>,
) -> Result<(Target, Option<String>), RunError> {
    interrupt::listen(false);
    let mut target = Target::open(options, runtime, rules)?;
    let remark = target.set_patience(None, options);
    Ok((target, remark))
}

/// The header of a soak of these rules.
pub fn header(target: &Target, options: &Options, rules: &[&Rule], length: Length) -> SoakHeader {
    SoakHeader {
        format: SoakFile::FORMAT,
        suite: env!("CARGO_PKG_VERSION").to_owned(),
        runtime: target.rules.runtime.clone(),
        product: target.conditions.product.clone(),
        library: target.library.path.clone(),
        sha256: target.library.sha256.clone(),
        version: target.library.version.clone(),
        simulated: target.library.simulated,
        catalog: target.rules.digest.clone(),
        seed: options.effort.seed.unwrap_or(DEFAULT_SEED),
        defects: options.run.defects.clone(),
        cycles: length.cycles,
        seconds: length.time.map(|time| time.as_secs()),
        started: now(),
        rules: rules.iter().map(|rule| described(rule)).collect(),
    }
}

/// The present time as text.
pub fn now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default()
}

/// Repeats the cycles until the length is reached, and appends a line for each batch. `told` receives remarks, and is
/// called with an empty text after each round of all rules. Continues after the batches in `earlier`.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn soak(
    target: &Target,
    rules: &[&Rule],
    length: Length,
    earlier: &RecordedSoak,
    file: &mut SoakFile,
    told: &mut dyn FnMut(&str),
) -> Result<Stop, SoakFileError> {
    let (begun, before) = (Instant::now(), earlier.nanoseconds());
    let seed = earlier.header.seed;
    let mut lanes: Vec<Lane<'_>> = Vec::new();
    for (position, rule) in rules.iter().copied().enumerate() {
        if !earlier.skips.iter().any(|skip| skip.rule == position) {
            let counted = earlier.cycles(position);
            lanes.push(Lane::new(&target.executor, position, rule, rule_seed(seed, &rule.id), counted));
        }
    }
    let over = || length.time.is_some_and(|time| begun.elapsed() + Duration::from_nanos(before) >= time);
    let left = |lane: &Lane<'_>| {
        let most = length
            .cycles
            .map_or(u64::MAX, |cycles| if starts_processes(lane.rule) { cycles.div_ceil(COSTS) } else { cycles });
        if lane.out.is_some() { 0 } else { most.saturating_sub(lane.counted) }
    };
    let stop = 'rounds: loop {
        for lane in &mut lanes {
            let most = left(lane);
            if most == 0 {
                continue;
            }
            if over() {
                break;
            }
            match lane.batch(most, begun, before) {
                Ended::Batch(batch) => file.append(&SoakLine::Batch(batch))?,
                Ended::Broken(broken) => {
                    told(&format!("{}: a batch broke off: {}", lane.rule.id, broken.reason));
                    file.append(&SoakLine::Broken(broken))?;
                    if let Some((reason, blocked)) = lane.out.clone() {
                        file.append(&SoakLine::Skip(SoakSkip { rule: lane.position, reason, blocked }))?;
                    }
                }
                Ended::Interrupted => {}
            }
            if let Some(signal) = interrupt::requested() {
                break 'rounds Stop::Signal(signal);
            }
        }
        file.sync()?;
        told("");
        if over() || lanes.iter().all(|lane| left(lane) == 0) {
            break Stop::Done;
        }
    };
    lanes.iter_mut().for_each(Lane::end);
    file.sync()?;
    Ok(stop)
}
