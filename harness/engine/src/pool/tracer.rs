//! Debuggers that are attached to workers. A worker may stop at a breakpoint for any time, so a worker with a debugger
//! has no deadline.

use std::fs;

/// The process that traces a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tracer {
    process: u32,
    /// The name of the tracer's program; empty if the system does not report the name.
    name: String,
}

impl Tracer {
    /// The tracer of a process; `None` if the process is not traced, or if the tracer descends from this process: a
    /// library under test that traces its worker does not escape the deadline.
    pub(super) fn of(process: u32) -> Option<Tracer> {
        let tracer = in_status(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)?;
        if ancestors(tracer).any(|ancestor| ancestor == std::process::id()) {
            return None;
        }
        let name = fs::read_to_string(format!("/proc/{tracer}/comm")).unwrap_or_default();
        Some(Tracer { process: tracer, name: name.trim().to_owned() })
    }

    /// The text of a remark about a process that this tracer traces.
    pub(super) fn remark(&self, traced: u32) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!("{}, ", self.name) };
        format!("process {traced} is being debugged ({name}process {}): its deadline is off", self.process)
    }
}

/// A process and its ancestors.
fn ancestors(process: u32) -> impl Iterator<Item = u32> {
    let parent = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        parent.trim().parse().ok().filter(|parent| *parent != 0)
    };
    // Processes may end and numbers be used again while the chain is read.
    std::iter::successors(Some(process), parent).take(64)
}

/// The tracer in a `status` file of the system.
fn in_status(status: &str) -> Option<u32> {
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    tracer.trim().parse().ok().filter(|tracer| *tracer != 0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::traced("Name:\tworker\nTracerPid:\t4711\nUid:\t0\n", Some(4711))]
    #[case::not_traced("Name:\tworker\nTracerPid:\t0\nUid:\t0\n", None)]
    #[case::a_name_that_lies("Name:\tTracerPid: 7\n", None)]
    #[case::nothing("", None)]
    fn the_system_names_the_tracer(#[case] status: &str, #[case] tracer: Option<u32>) {
        assert_eq!(in_status(status), tracer);
    }

    #[test]
    fn this_process_has_no_tracer_and_a_remark_names_both_processes() {
        assert_eq!(Tracer::of(u32::MAX), None);
        let tracer = Tracer { process: 12, name: "gdb".to_owned() };
        assert_eq!(tracer.remark(7), "process 7 is being debugged (gdb, process 12): its deadline is off");
    }
}
