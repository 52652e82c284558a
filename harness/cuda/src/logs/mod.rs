//! The driver's lines in the kernel log that may explain a failure. CUDA's libraries write no log files.

mod kernel;

use engine::doctor::HostMachine;
use engine::logs::{Excerpt, Logs, Scene, Secret};
use jiff::tz::TimeZone;

/// The registry entry.
pub(super) const LOGS: Logs = Logs {
    cut_out,
    // UUIDs and PCI ids are common secrets. The driver prints the board's number next to them.
    secrets: &[Secret { kind: "board", pattern: r"(?i)\bBoard Serial Number:\s*([0-9A-Za-z]{6,})" }],
};

fn cut_out(machine: &HostMachine, scene: &Scene) -> Vec<Excerpt> {
    vec![kernel::cut_out(machine, scene, &TimeZone::system())]
}
