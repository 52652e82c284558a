//! The files to read, and how much of each.

/// The files in which systems keep the kernel's messages.
pub(crate) const SYSTEM_LOGS: &[&str] = &["/var/log/messages", "/var/log/syslog", "/var/log/kern.log"];

/// The number of bytes to read from the end of a file.
pub(super) const MOST_OF_A_FILE: u64 = 4 << 20;
