//! The site's command that tries to recover a device.

use std::process::Command;
use std::time::Duration;

use crate::doctor::{End, ask};
use crate::pool::interrupt;

/// The most recovery attempts for one device in a run.
pub(super) const MOST: u32 = 2;

/// The site's recovery command.
#[derive(Debug, Clone)]
pub(in crate::run) struct Recovery {
    /// A shell command. ATLAS_CTS_DEVICE names the device, ATLAS_CTS_REASON says why it was lost.
    pub command: String,
    /// Its time limit.
    pub limit: Duration,
}

impl Recovery {
    /// Runs the command for a device that was lost for this reason.
    ///
    /// # Errors
    /// The failure of the command.
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
