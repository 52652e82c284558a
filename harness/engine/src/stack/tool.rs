//! The stacks of a hanging process's threads, read by a debugger if the machine has one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::doctor::{End, ask};

use super::bounded::clipped;

/// The maximum time for a debugger. Most of it is spent on debug information.
const LONGEST: Duration = Duration::from_secs(15);

/// The debuggers, in order of preference, with their arguments before the process's number.
const DEBUGGERS: [(&str, &[&str]); 3] = [
    (
        "gdb",
        &[
            "-nx",
            "-batch",
            "-iex",
            "set debuginfod enabled off",
            "-iex",
            "set auto-load no",
            "-ex",
            "set print frame-arguments scalars",
            "-ex",
            "thread apply all backtrace 64",
            "-p",
        ],
    ),
    ("eu-stack", &["-m", "-n", "64", "-p"]),
    ("gstack", &[]),
];

/// The frames by thread, or the reason why there are none.
pub(super) type Frames = Result<BTreeMap<u32, Vec<String>>, String>;

/// Reads the stacks of a process with the first debugger in `PATH`. The process is stopped meanwhile.
pub(super) fn read(process: u32, interrupted: &dyn Fn() -> bool) -> Frames {
    let Some((name, path, arguments)) = find() else {
        return Err("no debugger is in PATH; gdb, eu-stack or gstack would show the frames of each thread".to_owned());
    };
    let mut command = Command::new(path);
    // A debugger that asks servers for debug information would wait for the network.
    command.args(arguments).arg(process.to_string()).env_remove("DEBUGINFOD_URLS").env("LC_ALL", "C");
    let answer = ask(&mut command, LONGEST, interrupted);
    let text = answer.text();
    let frames = frames(&text);
    match answer.end {
        _ if !frames.is_empty() => Ok(frames),
        End::NotStarted(error) => Err(format!("{name} could not be started: {error}")),
        End::TimedOut | End::LeftBehind | End::Abandoned => {
            Err(format!("{name} did not end within {LONGEST:?} and was killed"))
        }
        End::Status(_) | End::Signal(_) if is_forbidden(&text) => Err(format!(
            "{name} may not trace the process: ptrace is forbidden here (kernel.yama.ptrace_scope, or a container \
             without SYS_PTRACE)"
        )),
        End::Status(_) | End::Signal(_) => {
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
            Err(format!("{name} read no stack; it printed: {}", clipped(last.trim())))
        }
    }
}

fn find() -> Option<(&'static str, PathBuf, &'static [&'static str])> {
    let path = std::env::var_os("PATH")?;
    DEBUGGERS.iter().find_map(|(name, arguments)| {
        // A relative folder depends on the current folder, in which the debugger does not start.
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file())?;
        Some((*name, found, *arguments))
    })
}

fn is_forbidden(text: &str) -> bool {
    text.contains("peration not permitted") || text.contains("Could not attach")
}

/// The frames in a debugger's output: lines with a thread's number, each followed by numbered lines.
fn frames(text: &str) -> BTreeMap<u32, Vec<String>> {
    let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut thread = None;
    for line in text.lines() {
        let number = ["(LWP ", "TID "].iter().find_map(|mark| {
            let (_, rest) = line.split_once(mark)?;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()
        });
        let is_header = line.starts_with("Thread ") || line.starts_with("TID ");
        if is_header {
            thread = number;
        } else if let (Some(thread), Some(frame)) = (thread, frame(line)) {
            found.entry(thread).or_default().push(frame);
        }
    }
    found.retain(|_, frames| !frames.is_empty());
    found
}

/// A frame without its address: `#1 copy (size=3) at copy.c:12`.
fn frame(line: &str) -> Option<String> {
    let (number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let rest = rest.trim();
    let without = rest.strip_prefix("0x").and_then(|rest| rest.split_once(' ')).map_or(rest, |(_, rest)| rest);
    let without = without.trim_start().trim_start_matches("in ");
    Some(clipped(&format!("#{number} {without}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GDB: &str = "\
[New LWP 12]
Thread 2 (Thread 0x7ffff7bff6c0 (LWP 12) \"atlas-cts\"):
#0  0x00007ffff7e98d61 in __futex_abstimed_wait_common64 (private=0) at ./nptl/futex-internal.c:57
#1  start_thread () from /lib/libc.so.6

Thread 1 (Thread 0x7ffff7c00740 (LWP 11) \"atlas-cts\"):
#0  0x00007ffff7f1c5a7 in copy () from /opt/lib/libtested.so
[Inferior 1 (process 11) detached]
";

    #[test]
    fn frames_are_read_from_what_debuggers_print() {
        let found = frames(GDB);
        let first = [
            "#0 __futex_abstimed_wait_common64 (private=0) at ./nptl/futex-internal.c:57",
            "#1 start_thread () from /lib/libc.so.6",
        ];
        assert_eq!(found[&12], first);
        assert_eq!(found[&11], ["#0 copy () from /opt/lib/libtested.so"]);
        let found = frames("PID 7 - process\nTID 7:\n#0  0x00007f0000000001 poll - /lib/libc.so.6\n#1  0x1 main\n");
        assert_eq!(found[&7], ["#0 poll - /lib/libc.so.6", "#1 main"]);
        assert_eq!(frames("#0 main\nptrace: Operation not permitted.\n"), BTreeMap::new());
    }
}
