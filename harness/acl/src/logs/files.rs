//! Which files are read, and how much of them.

/// Where systems keep the kernel's messages, if they do.
pub(crate) const SYSTEM_LOGS: &[&str] = &["/var/log/messages", "/var/log/syslog", "/var/log/kern.log"];

/// Bytes that are read of a file, from its end.
pub(super) const MOST_OF_A_FILE: u64 = 4 << 20;
