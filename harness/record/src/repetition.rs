//! The repetition of a cycle: the levels of a device and of its processes, and what grew.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The resources of a device and of the processes that live as long as a repetition, at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Levels {
    /// The free memory of the device in bytes; `None` if the runtime does not report it.
    pub free: Option<u64>,
    /// The memory of the processes that the kernel counts as resident, in bytes.
    pub resident: Option<u64>,
    /// The bytes that the processes have allocated from the C library's heap.
    pub heap: Option<u64>,
    /// The open descriptors of the processes.
    pub descriptors: Option<u64>,
    /// The threads of the processes.
    pub threads: Option<u64>,
    /// The lines in the processes' lists of mappings.
    pub mappings: Option<u64>,
}

/// A quantity whose growth is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    DeviceMemory,
    Heap,
    ResidentMemory,
    Descriptors,
    Threads,
    Mappings,
    /// The time of the quickest cycle in a batch.
    Latency,
}

impl Quantity {
    /// All quantities.
    pub const ALL: [Quantity; 7] = [
        Quantity::DeviceMemory,
        Quantity::Heap,
        Quantity::ResidentMemory,
        Quantity::Descriptors,
        Quantity::Threads,
        Quantity::Mappings,
        Quantity::Latency,
    ];

    /// The quantity's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::DeviceMemory => "device memory",
            Quantity::Heap => "host heap",
            Quantity::ResidentMemory => "resident memory",
            Quantity::Descriptors => "descriptors",
            Quantity::Threads => "threads",
            Quantity::Mappings => "mappings",
            Quantity::Latency => "latency",
        }
    }

    /// The amount in use according to the levels, with the sign with which it grows; `None` for the latency and for
    /// unknown levels.
    pub fn of(self, levels: &Levels) -> Option<i64> {
        let number = |level: Option<u64>| level.and_then(|level| i64::try_from(level).ok());
        match self {
            // The total does not change, so less free memory is more memory in use.
            Quantity::DeviceMemory => number(levels.free).map(|free| -free),
            Quantity::Heap => number(levels.heap),
            Quantity::ResidentMemory => number(levels.resident),
            Quantity::Descriptors => number(levels.descriptors),
            Quantity::Threads => number(levels.threads),
            Quantity::Mappings => number(levels.mappings),
            Quantity::Latency => None,
        }
    }

    /// An amount with its unit.
    pub fn amount(self, number: f64) -> String {
        const UNITS: [(f64, &str); 3] = [(1024.0 * 1024.0 * 1024.0, "GiB"), (1024.0 * 1024.0, "MiB"), (1024.0, "KiB")];
        match self {
            Quantity::DeviceMemory | Quantity::Heap | Quantity::ResidentMemory => {
                match UNITS.iter().find(|(unit, _)| number.abs() >= 10.0 * unit) {
                    Some((unit, name)) => format!("{:.1} {name}", number / unit),
                    None => format!("{number:.0} bytes"),
                }
            }
            Quantity::Latency => format!("{:.1} µs", number / 1000.0),
            quantity => format!("{number:.0} {}", quantity.name()),
        }
    }

    /// An amount per cycle with its unit.
    fn per_cycle(self, number: f64) -> String {
        match self {
            Quantity::DeviceMemory | Quantity::Heap | Quantity::ResidentMemory => format!("{number:.2} bytes"),
            Quantity::Latency => format!("{number:.3} ns"),
            _ => format!("{number:.5}"),
        }
    }
}

/// A quantity that grew while a cycle was repeated.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Growth {
    pub quantity: Quantity,
    /// The growth in bytes, numbers or nanoseconds, over this many cycles.
    pub amount: f64,
    pub cycles: u64,
    /// The growth per cycle, with the interval that contains it with a confidence of 99.9 %; `None` for memory that
    /// was lost during the first cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_cycle: Option<PerCycle>,
    /// The growth when the cycle was repeated alone, with a look after each cycle; `None` if it did not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<GrowthAlone>,
}

/// A slope with its confidence interval.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct PerCycle {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

/// The growth of a quantity with the cycle alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthAlone {
    /// The number of cycles that ran.
    pub cycles: u64,
    /// The usual number of cycles from one growth to the next; `None` if the quantity did not grow twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
    /// The usual growth at once.
    pub amount: u64,
}

/// The repetition of a cycle.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Repetition {
    /// The cycles that passed, and the batches in which they ran.
    pub cycles: u64,
    pub batches: u64,
    /// The quantities that grew.
    pub grew: Vec<Growth>,
}

impl Growth {
    /// The growth in one line.
    pub fn line(&self) -> String {
        let (quantity, amount) = (self.quantity, self.quantity.amount(self.amount));
        let mut line = format!("{} grew by {amount} in {} cycles", quantity.name(), self.cycles);
        if let Some(slope) = &self.per_cycle {
            let per = |number| quantity.per_cycle(number);
            line += &format!(
                ", {} per cycle (99.9 % interval {} to {})",
                per(slope.estimate),
                per(slope.low),
                per(slope.high)
            );
        }
        if let Some(alone) = &self.alone {
            line += &format!("; {}", alone.line(quantity, self.per_cycle.map(|slope| slope.estimate)));
        }
        line
    }
}

impl GrowthAlone {
    /// The smallest repeating sequence. The look after each cycle may use the device too, so the slope over whole
    /// batches says more about how often the quantity grows.
    fn line(&self, quantity: Quantity, slope: Option<f64>) -> String {
        let amount = quantity.amount(self.amount as f64);
        let of_slope =
            slope.filter(|slope| *slope > 0.0).map(|slope| (self.amount as f64 / slope).round().max(1.0) as u64);
        match of_slope.or(self.every) {
            Some(1) => format!("alone, {amount} with each cycle"),
            Some(every) => format!("alone, {amount} with 1 in {every} cycles"),
            None => format!("alone, {amount} once in {} cycles", self.cycles),
        }
    }
}
