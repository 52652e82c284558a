//! The log files to read, and the amount to read from each.

/// The files in which systems keep kernel messages.
pub(crate) const SYSTEM_LOGS: &[&str] = &["/var/log/messages", "/var/log/syslog", "/var/log/kern.log"];

/// The number of bytes read from the end of a file.
pub(super) const MOST_OF_A_FILE: u64 = 4 << 20;
