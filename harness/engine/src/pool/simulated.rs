//! How the simulated device of a worker is configured, and the files through which its processes are watched.

use std::path::{Path, PathBuf};

use simulator_contract::{environment, glitch, reach};

/// The variable that names the folder shared by the processes of one simulated machine.
pub(super) use environment::MACHINE;

/// A machine with simulated devices.
#[derive(Debug, Clone, Default)]
pub struct SimulatedMachine {
    /// Product family that its devices imitate.
    pub product: String,
    /// The edition that it plays; empty: the newest.
    pub edition: String,
    pub devices: u32,
    /// Mebibytes of memory of each device; `None`: as many as the product has.
    pub memory: Option<u64>,
    /// Where programs run.
    pub run_mode: String,
    /// Names of defects, bad devices and variants that are switched on.
    pub defects: Vec<String>,
    /// Milliseconds that initialization takes.
    pub start_up_ms: u64,
    /// Nanoseconds that every call takes.
    pub call_ns: u64,
    /// The seed that decides in which order the streams of a process work; `None`: the processor does.
    pub schedule: Option<u64>,
    /// Whether the device notes in its machine's folder which defects the model asked for.
    pub notes_reach: bool,
    /// Whether one event can be made to go wrong, through a file in its machine's folder.
    pub glitches: bool,
}

impl SimulatedMachine {
    /// The environment of a worker; processes with the same machine folder share a machine.
    pub fn environment(&self, machine: &Path) -> Vec<(String, String)> {
        [
            (environment::PRODUCT, self.product.clone()),
            (environment::EDITION, self.edition.clone()),
            (environment::DEVICES, self.devices.to_string()),
            (environment::MEMORY, self.memory.map(|mebibytes| mebibytes.to_string()).unwrap_or_default()),
            (environment::RUN_MODE, self.run_mode.clone()),
            (environment::DEFECTS, self.defects.join(",")),
            (environment::STARTUP_MS, self.start_up_ms.to_string()),
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

/// The file in which the processes of a machine look which event goes wrong.
pub(crate) fn event_file(machine: &Path) -> PathBuf {
    machine.join(glitch::FILE)
}

/// The file in which the processes of a machine note which defects the model asked for.
pub(crate) fn reach_file(machine: &Path) -> PathBuf {
    machine.join(reach::FILE)
}
