//! A site's own command that may bring a device back.

use std::process::Command;
use std::time::Duration;

use crate::doctor::{End, ask};
use crate::pool::interrupt;

/// So often it is tried to bring one device back in a run.
pub(super) const MOST: u32 = 2;

/// How a site brings a device back.
#[derive(Debug, Clone)]
pub(in crate::run) struct Recovery {
    /// A command of the shell. It finds the device in ATLAS_CTS_DEVICE, and why it is out in ATLAS_CTS_REASON.
    pub command: String,
    /// How long it may take.
    pub limit: Duration,
}

impl Recovery {
    /// Runs the command for a device that is out for this reason.
    ///
    /// # Errors
    /// What became of the command.
    pub(super) fn run(&self, device: &str, reason: &str) -> Result<(), String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.command]).env("ATLAS_CTS_REASON", reason).env("ATLAS_CTS_DEVICE", device);
        let answer = ask(&mut shell, self.limit, &|| interrupt::requested().is_some());
        match answer.end {
            End::Status(0) => Ok(()),
            _ => Err(format!("the command {}", answer.said())),
        }
    }
}
