//! The repetition of cycles: rules of which each acquires, uses and releases something, repeated in processes that live
//! as long as the repetition. Between batches of cycles, the supervisor looks at the resources of the device and of the
//! processes, and judges what grows.

mod alone;
mod batches;
mod judge;
mod levels;
mod slope;

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

use catalog::Rule;
use record::{Growth, Quantity, Repetition, Verdict};

use crate::case::{Budget, SearchResult};
use crate::pool::{Assignment, Executor, Slot, StartError};

use batches::Ended;
pub(crate) use batches::{CYCLES_OF_A_START, starts_processes};
use levels::Look;

/// The length of a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// The time for all cycles together, or for one of them.
    Time(Duration),
    /// The number of cycles of each rule. A cycle that starts processes counts as fifty.
    Cycles(u64),
}

/// The verdict and the reason that follow from a search.
pub(crate) type VerdictOf<'a> = &'a dyn Fn(&SearchResult) -> (Verdict, String);

/// The longest time of a repetition, in seconds: a year.
const LONGEST: f64 = 366.0 * 24.0 * 3600.0;

impl Display for Length {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Length::Time(time) => write!(out, "{}s", time.as_secs_f64()),
            Length::Cycles(cycles) => write!(out, "{cycles}x"),
        }
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Length, String> {
        let units = [("h", 3600.0), ("m", 60.0), ("s", 1.0)];
        let time = units.iter().find_map(|(unit, seconds)| {
            let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
            (number > 0.0 && number * seconds <= LONGEST).then(|| Duration::from_secs_f64(number * seconds))
        });
        let cycles = || text.strip_suffix('x')?.parse().ok().filter(|cycles: &u64| (1..=1 << 40).contains(cycles));
        let length = time.map(Length::Time).or_else(|| cycles().map(Length::Cycles));
        length.ok_or("write a time such as 8h, 30m or 45s, or a number of cycles of each rule such as 6000x".to_owned())
    }
}

/// The end of a rule's repetition.
pub(crate) enum Repeated {
    /// The length was reached, with what grew.
    Measured(Repetition),
    /// A cycle failed after this many had passed.
    Failed { after: u64, search: Box<SearchResult> },
    /// The growth is unknown, for this reason.
    Unknown(String),
    /// A signal ended the run.
    Interrupted,
}

/// A rule whose cycle is repeated, and where.
pub(crate) struct RuleCycle<'a> {
    pub executor: &'a Executor,
    pub slot: &'a mut Slot,
    pub rule: &'a Rule,
    pub seed: u64,
    pub judge: VerdictOf<'a>,
}

impl RuleCycle<'_> {
    /// Repeats the cycle in new processes until the length is reached, judges what grew, and repeats the cycle alone
    /// for each quantity that did.
    pub(crate) fn repeat(mut self, length: Length) -> Repeated {
        let (batches, ended) = self.repeat_in_batches(length);
        match ended {
            Ended::Complete => {}
            Ended::Failed { after, search } => return Repeated::Failed { after, search },
            Ended::Unknown(reason) => return Repeated::Unknown(reason),
            Ended::Interrupted => return Repeated::Interrupted,
        }
        let Some(grew) = judge::growth(&batches) else {
            return Repeated::Unknown(format!(
                "{} batches of cycles are too few for a judgment; repeat longer",
                batches.len()
            ));
        };
        let with_alone = |growth: Growth| {
            let alone = (growth.quantity != Quantity::Latency && growth.per_cycle.is_some())
                .then(|| self.repeat_alone(growth.quantity));
            Growth { alone: alone.flatten(), ..growth }
        };
        let grew = grew.into_iter().map(with_alone).collect();
        let cycles = batches.iter().map(|batch| batch.cycles).sum();
        Repeated::Measured(Repetition { cycles, batches: batches.len() as u64, grew })
    }

    /// Runs exactly this many cycles, which are the same each time.
    fn run(&mut self, cycles: u64) -> Result<SearchResult, StartError> {
        let number = u32::try_from(cycles).unwrap_or(u32::MAX);
        let budget = Budget {
            cases: number,
            repeats: number,
            most: Some(number),
            sequences: number,
            calls: u64::MAX,
            sequence_calls: u64::MAX,
            limit_milliseconds: u64::MAX,
            ..Budget::default()
        };
        let assignment = Assignment { budget, ..self.executor.assignment(self.rule, self.seed) };
        self.executor.search(&assignment, self.slot, &mut String::new())
    }

    /// Looks at the resources. If less than `wanted` is free, waits briefly.
    fn look(&mut self, wanted: Option<u64>) -> Result<Look, String> {
        Look::at(self.slot, &self.executor.factory, wanted)
    }
}
