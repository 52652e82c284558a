//! The lines of a soak's file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line of a soak's file. The first line is a soak. In a description, `None` means an absent key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(title = "A line of soak.jsonl")]
pub enum SoakLine {
    /// The header.
    Soak(Box<SoakHeader>),
    /// A finished batch of cycles.
    Batch(SoakBatch),
    /// A batch that broke off. Its cycles do not count.
    Broken(SoakBreak),
    /// A rule that takes part no longer, or never did.
    Skip(SoakSkip),
    /// The soak continues after it was killed or interrupted. All processes are new.
    Resume(SoakResume),
    /// The cycle alone, for a quantity that grows.
    Rate(SoakRate),
    /// The end.
    End(SoakEnd),
}

/// The settings of a soak and what it tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SoakHeader {
    /// The format of the file.
    pub format: u32,
    /// The suite's version.
    pub suite: String,
    pub runtime: String,
    pub product: String,
    /// The tested library, and the digest of its file.
    pub library: String,
    pub sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// True for the simulated device.
    pub simulated: bool,
    /// The digest of the catalog.
    pub catalog: String,
    pub seed: u64,
    /// The seeded defects of the simulated device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<String>,
    /// The number of cycles for each rule; `None` if the time decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// The time in seconds; `None` if the number of cycles decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
    /// The rules. Other lines name a rule by its position here.
    pub rules: Vec<SoakRule>,
}

/// A rule whose steps are repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoakRule {
    pub id: String,
    pub title: String,
    /// The place of the steps in the catalog.
    pub place: String,
    /// The functions that a cycle calls, in the order of their first call.
    pub calls: Vec<String>,
}

/// The resources of a device and of the processes that live as long as the soak, at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Levels {
    /// The free memory of the device in bytes; `None` if the runtime does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<u64>,
    /// The memory of the processes that the kernel counts as resident, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident: Option<u64>,
    /// The bytes that the processes have allocated from the C library's heap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptors: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// The lines in the processes' lists of mappings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
}

/// A finished batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoakBatch {
    /// The rule's position in the header.
    pub rule: usize,
    /// The number of times that the rule's processes were replaced before the batch.
    pub segment: u32,
    /// The number of cycles.
    pub cycles: u64,
    /// The levels before and after the batch.
    pub before: Levels,
    pub after: Levels,
    /// The time of the batch.
    pub nanoseconds: u64,
    /// The time for which the soak had run when the batch ended, without interruptions.
    pub at: u64,
    /// The time of the quickest cycle; `None` if cycles are not timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quickest: Option<u64>,
}

/// A batch that broke off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoakBreak {
    pub rule: usize,
    /// The number of cycles that the rule's processes had completed before the cycle that failed.
    pub after: u64,
    /// The verdict of the cycle, and its message.
    pub verdict: String,
    pub reason: String,
    /// True if the device is to blame, and not the machine or the suite.
    pub fails: bool,
}

/// A rule that takes part no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoakSkip {
    pub rule: usize,
    pub reason: String,
    /// True if the device refused what the cycle needs, so that nothing is to be judged.
    pub blocked: bool,
}

/// The continuation of a soak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoakResume {
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
}

/// The growth of a quantity when the cycle is repeated alone, with a look after each cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoakRate {
    pub rule: usize,
    pub quantity: Quantity,
    /// The number of cycles that ran.
    pub cycles: u64,
    /// The number of cycles after which the quantity had grown.
    pub grew: u64,
    /// The usual number of cycles from one growth to the next; `None` if the quantity did not grow twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
    /// The usual growth at once.
    pub amount: u64,
}

/// The end of a soak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoakEnd {
    #[schemars(extend("format" = "date-time"))]
    pub finished: String,
    /// The time for which the soak ran, without interruptions.
    pub nanoseconds: u64,
}
