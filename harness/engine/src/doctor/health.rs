//! What is wrong with the devices of a machine at one moment.

/// The devices that the machine's tools list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineHealth {
    /// Empty: the tools list none, or do not answer, which says nothing about a device.
    pub devices: Vec<DeviceHealth>,
    /// What could not be found out, and why.
    pub unknown: Vec<String>,
}

/// One device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceHealth {
    /// How the machine's tool names it: that stays when devices before it go.
    pub label: String,
    /// Its number, as the runtime counts; `None`: this process does not see it.
    pub device: Option<u32>,
    /// What is active now.
    pub faults: Vec<Fault>,
    /// Errors of its memory that could not be corrected, since it was started; `None`: not known.
    pub memory_errors: Option<u64>,
    /// Pages of its memory that wait for a reset because of such errors; `None`: not known.
    pub waiting_pages: Option<u64>,
}

/// Something that a device or its driver says is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A code or a word that tells it from others.
    pub name: String,
    /// What is so, for a report.
    pub words: String,
    /// It is known to leave results as they are.
    pub harmless: bool,
}
