//! The threads of a process that hangs, read before the process is killed.

use std::path::PathBuf;

use record::{Stack, StackThread};

use super::bounded::bound;
use super::crash::Crash;
use super::tool;

/// A process that hangs, and the permitted ways of reading its stack.
pub(crate) struct Hang<'a> {
    pub process: u32,
    /// The thread that made the call.
    pub caller: u32,
    /// The names of the suite's own threads, which are left out.
    pub own: &'a [&'a str],
    /// True if a debugger may be used.
    pub debugger: bool,
    pub interrupted: &'a dyn Fn() -> bool,
    /// Makes a thread leave its registers and its stack.
    pub probe: &'a mut dyn FnMut(u32) -> Option<Crash>,
    /// The files of the libraries under test.
    pub known: &'a [PathBuf],
}

/// The maximum number of threads examined.
const MOST_THREADS: usize = 64;
/// The maximum number of threads that copy their stacks.
const MOST_PROBED: usize = 16;
/// The maximum number of functions of the kernel that are named.
const MOST_KERNEL: usize = 3;

/// Reads the stack of a process that hangs. The process must not be expected to continue afterwards.
pub(crate) fn hang(mut hang: Hang<'_>) -> Stack {
    let mut stack = Stack { reason: "read before the process was killed".to_owned(), ..Stack::default() };
    let mut ids: Vec<u32> = std::fs::read_dir(format!("/proc/{}/task", hang.process))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    ids.sort_by_key(|id| (*id != hang.caller, *id));
    stack.left_out = ids.len().saturating_sub(MOST_THREADS) as u64;
    ids.truncate(MOST_THREADS);
    stack.threads = ids.iter().map(|id| thread(hang.process, *id)).collect();
    stack.threads.retain(|thread| !hang.own.contains(&thread.name.as_str()));
    let mut with_frames = false;
    if hang.debugger {
        match tool::read(hang.process, hang.interrupted) {
            Ok(mut frames) => {
                for thread in &mut stack.threads {
                    thread.frames = frames.remove(&thread.id).unwrap_or_default();
                    with_frames |= !thread.frames.is_empty();
                }
            }
            Err(why) => stack.remarks.push(why),
        }
    }
    if !with_frames {
        probe(&mut hang, &mut stack);
    }
    bound(&mut stack);
    stack
}

/// Asks threads for their stacks. A thread that blocks signals, or waits in a driver, does not answer.
fn probe(hang: &mut Hang<'_>, stack: &mut Stack) {
    let mut silent = 0;
    for thread in stack.threads.iter_mut().take(MOST_PROBED) {
        // Why a stack ends early matters only for the thread that made the call.
        let mut remarks = Vec::new();
        match (hang.probe)(thread.id) {
            Some(crash) => {
                let (found, files) = crash.thread(hang.known, &mut remarks);
                (thread.frames, thread.left_out) = (found.frames, found.left_out);
                if thread.id == hang.caller {
                    stack.remarks.append(&mut remarks);
                    stack.modules = files;
                }
            }
            None => silent += 1,
        }
    }
    if stack.threads.iter().all(|thread| thread.frames.is_empty()) && silent > 0 {
        stack.remarks.push("no thread answered the worker's signal: it is blocked, or waits in a driver".to_owned());
    }
}

/// A thread's name and state, from `/proc`.
fn thread(process: u32, id: u32) -> StackThread {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/task/{id}/{name}")).unwrap_or_default();
    let stat = read("stat");
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    let wait = wait(state, read("syscall").trim(), read("wchan").trim(), &read("stack"));
    StackThread { id, name: read("comm").trim().to_owned(), wait, ..StackThread::default() }
}

/// A thread's state as text: `asleep in futex (futex_do_wait)`.
fn wait(state: Option<char>, call: &str, channel: &str, kernel: &str) -> String {
    let state = match state {
        Some('R') => "running",
        Some('S') => "asleep",
        Some('D') => "asleep in the kernel and cannot be interrupted",
        Some('T' | 't') => "stopped",
        Some('Z' | 'X') => "ended",
        _ => "in an unknown state",
    };
    let number = call.split(' ').next().and_then(|number| number.parse::<i64>().ok());
    let call = match number {
        // -1: blocked outside a system call.
        Some(number @ 0..) => format!(" in {}", call_name(number)),
        _ => String::new(),
    };
    let functions: Vec<&str> =
        kernel.lines().filter_map(|line| line.split_once("] ")?.1.split('+').next()).take(MOST_KERNEL).collect();
    let place = match (functions.is_empty(), channel) {
        (false, _) => format!(" ({})", functions.join(", ")),
        (true, "" | "0") => String::new(),
        (true, channel) => format!(" ({channel})"),
    };
    format!("{state}{call}{place}")
}

/// The name of a system call in which threads wait.
fn call_name(number: i64) -> String {
    let name = match number {
        libc::SYS_read => "read",
        libc::SYS_write => "write",
        libc::SYS_ioctl => "ioctl",
        libc::SYS_futex => "futex",
        libc::SYS_nanosleep => "nanosleep",
        libc::SYS_clock_nanosleep => "clock_nanosleep",
        libc::SYS_ppoll => "ppoll",
        libc::SYS_pselect6 => "pselect6",
        libc::SYS_epoll_pwait => "epoll_pwait",
        libc::SYS_recvmsg => "recvmsg",
        libc::SYS_recvfrom => "recvfrom",
        libc::SYS_sendmsg => "sendmsg",
        libc::SYS_accept4 => "accept4",
        libc::SYS_connect => "connect",
        libc::SYS_wait4 => "wait4",
        libc::SYS_waitid => "waitid",
        libc::SYS_flock => "flock",
        libc::SYS_fcntl => "fcntl",
        libc::SYS_fsync => "fsync",
        libc::SYS_openat => "openat",
        libc::SYS_close => "close",
        libc::SYS_mmap => "mmap",
        libc::SYS_munmap => "munmap",
        libc::SYS_semtimedop => "semtimedop",
        libc::SYS_rt_sigtimedwait => "rt_sigtimedwait",
        libc::SYS_rt_sigsuspend => "rt_sigsuspend",
        libc::SYS_io_uring_enter => "io_uring_enter",
        libc::SYS_sched_yield => "sched_yield",
        libc::SYS_exit_group => "exit_group",
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => "poll",
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => "select",
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => "epoll_wait",
        #[cfg(target_arch = "x86_64")]
        libc::SYS_pause => "pause",
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => "open",
        other => return format!("system call {other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::asleep(Some('S'), "202 0x1 0x80", "futex_do_wait", "", "asleep in futex (futex_do_wait)")]
    #[case::with_the_kernels_stack(
        Some('D'),
        "16 0x1",
        "0",
        "[<0>] dev_wait+0x1/0x2 [npu]\n[<0>] dev_ioctl+0x1/0x2\n",
        "asleep in the kernel and cannot be interrupted in ioctl (dev_wait, dev_ioctl)"
    )]
    #[case::busy(Some('R'), "running", "0", "", "running")]
    #[case::a_rare_call(Some('S'), "9999 0x0", "", "", "asleep in system call 9999")]
    #[case::outside_a_call(Some('t'), "-1 0x0 0x0", "ptrace_stop", "", "stopped (ptrace_stop)")]
    #[case::unreadable(None, "", "", "", "in an unknown state")]
    #[cfg(target_arch = "x86_64")]
    fn a_state_is_told_in_words(
        #[case] state: Option<char>,
        #[case] call: &str,
        #[case] channel: &str,
        #[case] kernel: &str,
        #[case] told: &str,
    ) {
        assert_eq!(wait(state, call, channel, kernel), told);
    }
}
