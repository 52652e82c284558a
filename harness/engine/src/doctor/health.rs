//! The faults of a machine's devices at one point in time.

/// The devices that the machine's tools list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineHealth {
    /// The devices. The list is empty if the tools list no device or do not answer; an empty list says nothing about
    /// any device.
    pub devices: Vec<DeviceHealth>,
    /// The queries that failed, each with the reason.
    pub unknown: Vec<String>,
}

/// One device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceHealth {
    /// The name that the machine's tool gives the device. The name does not change when other devices disappear.
    pub label: String,
    /// The device's number in the runtime; `None` if this process does not see the device.
    pub device: Option<u32>,
    /// The active faults.
    pub faults: Vec<Fault>,
    /// The number of uncorrectable memory errors since the device started; `None` if unknown.
    pub memory_errors: Option<u64>,
    /// The number of memory pages that wait for a reset because of memory errors; `None` if unknown.
    pub waiting_pages: Option<u64>,
}

/// A fault that a device or its driver reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A code or a word that identifies the fault.
    pub name: String,
    /// The fault in words, for reports.
    pub words: String,
    /// True if the fault is known not to affect results.
    pub harmless: bool,
}
