//! The faults of a machine's devices at one moment.

/// The devices that the machine's tools list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineHealth {
    /// Empty: the tools list no device, or do not answer, which says nothing about a device.
    pub devices: Vec<DeviceHealth>,
    /// The queries that failed, with reasons.
    pub unknown: Vec<String>,
}

/// One device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceHealth {
    /// The name that the machine's tool gives it, which does not change when devices before it disappear.
    pub label: String,
    /// The runtime's number; `None`: this process does not see it.
    pub device: Option<u32>,
    /// The faults that are active now.
    pub faults: Vec<Fault>,
    /// Uncorrectable memory errors since its start; `None`: unknown.
    pub memory_errors: Option<u64>,
    /// Pages of its memory that wait for a reset because of such errors; `None`: unknown.
    pub waiting_pages: Option<u64>,
}

/// A fault that a device or its driver reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A code or a word that identifies it.
    pub name: String,
    /// The fact, for a report.
    pub words: String,
    /// It is known not to change results.
    pub harmless: bool,
}
