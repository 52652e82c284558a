//! The configuration of a worker's simulated device, and the files used to watch its processes.

use std::path::{Path, PathBuf};

use simulator_contract::{environment, glitch, reach};

/// The variable that names the folder shared by the processes on one simulated machine.
pub(super) use environment::MACHINE;

/// A machine with simulated devices.
#[derive(Debug, Clone, Default)]
pub struct SimulatedMachine {
    /// The simulated product family.
    pub product: String,
    /// The simulated edition; empty for the newest.
    pub edition: String,
    pub devices: u32,
    /// The amount of memory on each device, in MiB; `None` for the product's usual amount.
    pub memory: Option<u64>,
    /// The run mode: where programs run.
    pub run_mode: String,
    /// The names of active defects, bad devices and variants.
    pub defects: Vec<String>,
    /// The duration of each call, in nanoseconds.
    pub call_ns: u64,
    /// The seed for the order in which a process's streams work; `None` leaves the order to the processor.
    pub schedule: Option<u64>,
    /// True if the device records, in its machine's folder, which defects the model queried.
    pub notes_reach: bool,
    /// True if a single event can be made to fail, through a file in the machine's folder.
    pub glitches: bool,
}

impl SimulatedMachine {
    /// The environment for a worker. Processes with the same machine folder share a machine.
    pub fn environment(&self, machine: &Path) -> Vec<(String, String)> {
        [
            (environment::PRODUCT, self.product.clone()),
            (environment::EDITION, self.edition.clone()),
            (environment::DEVICES, self.devices.to_string()),
            (environment::MEMORY, self.memory.map(|mebibytes| mebibytes.to_string()).unwrap_or_default()),
            (environment::RUN_MODE, self.run_mode.clone()),
            (environment::DEFECTS, self.defects.join(",")),
            (environment::CALL_NS, self.call_ns.to_string()),
            (environment::SCHEDULE, self.schedule.map(|seed| seed.to_string()).unwrap_or_default()),
            (environment::REACH, if self.notes_reach { "1".to_owned() } else { String::new() }),
            (environment::GLITCH, if self.glitches { "1".to_owned() } else { String::new() }),
            (MACHINE, machine.display().to_string()),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}

/// The file that tells a machine's processes which event fails.
pub(crate) fn event_file(machine: &Path) -> PathBuf {
    machine.join(glitch::FILE)
}

/// The file in which a machine's processes record which defects the model queried.
pub(crate) fn reach_file(machine: &Path) -> PathBuf {
    machine.join(reach::FILE)
}
