//! Logs from AscendCL and the driver that may explain a failure.
//!
//! ```text
//! process (files of the workers' pids) ┐
//! kernel  (its buffer, or the system's log) ┼→ excerpts
//! events  (reported by devices)        ┘
//! ```

mod events;
mod kernel;
mod process;

pub(crate) use process::folders as process_logs;

use engine::doctor::HostMachine;
use engine::logs::{Excerpt, Logs, Scene, Secret};
use jiff::tz::TimeZone;

/// The registry entry.
pub(super) const LOGS: Logs = Logs {
    cut_out,
    secrets: &[
        // Five words that identify the chip, as the tool prints them (hicann/driver npucli, board information).
        Secret { kind: "chip", pattern: r"\b((?:[0-9A-Fa-f]{8}[ -]){4}[0-9A-Fa-f]{8})\b" },
        Secret {
            kind: "chip",
            pattern: r"(?i)\b[vn]die[ _-]?(?:id)?(?:\s*[:=]\s*|\s+is\s+)(?:0x)?([0-9A-Fa-f]{8,})\b",
        },
    ],
};

fn cut_out(machine: &HostMachine, scene: &Scene) -> Vec<Excerpt> {
    let zone = TimeZone::system();
    let mut found = process::cut_out(&process::folders(machine), scene, &zone);
    found.push(kernel::cut_out(machine, scene, &zone));
    found.extend(events::cut_out(machine, scene, &zone));
    found
}
