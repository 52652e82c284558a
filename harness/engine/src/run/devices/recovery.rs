//! The site's command for recovering a device.

use std::process::Command;
use std::time::Duration;

use crate::doctor::{End, ask};
use crate::pool::interrupt;

/// The maximum number of recovery attempts for one device in a run.
pub(super) const MOST: u32 = 2;

/// The site's recovery command.
#[derive(Debug, Clone)]
pub(in crate::run) struct Recovery {
    /// A shell command. ATLAS_CTS_DEVICE names the device, and ATLAS_CTS_REASON gives the reason why the device was
    /// lost.
    pub command: String,
    /// The command's time limit.
    pub limit: Duration,
}

impl Recovery {
    /// Runs the command for a device that was lost for the given reason.
    ///
    /// # Errors
    /// Fails if the command fails.
    pub(super) fn run(&self, device: &str, reason: &str) -> Result<(), String> {
        let mut shell = Command::new("sh");
        // Relative paths in the site's command are relative to the current folder, as for any shell command.
        shell
            .current_dir(".")
            .args(["-c", &self.command])
            .env("ATLAS_CTS_REASON", reason)
            .env("ATLAS_CTS_DEVICE", device);
        let answer = ask(&mut shell, self.limit, &|| interrupt::requested().is_some());
        match answer.end {
            End::Status(0) => Ok(()),
            _ => Err(format!("the command {}", answer.said())),
        }
    }
}
