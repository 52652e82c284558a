//! Interruption of a run. A scheduler that reclaims a machine sends SIGTERM, a user who presses Ctrl-C sends
//! SIGINT, and a closing terminal sends SIGHUP. The workers end and the journal is closed. A resumed run executes
//! the rules that have no result. A second signal ends the run at once.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// A request to end the run.
#[derive(Debug, Default)]
struct EndRequest {
    /// The number of the signal; 0 if there was none.
    signal: Arc<AtomicUsize>,
    /// True if the next signal ends the process.
    twice: Arc<AtomicBool>,
}

fn request() -> &'static EndRequest {
    static REQUEST: OnceLock<EndRequest> = OnceLock::new();
    REQUEST.get_or_init(EndRequest::default)
}

/// Makes the first of these signals interrupt the run, and the second end the process. With a debugger, Ctrl-C stops
/// the debugger's process and does not interrupt the run.
pub fn listen(debugger: bool) {
    let EndRequest { signal, twice } = request();
    // With `nohup`, a run should survive its terminal.
    let hangup = Some(SIGHUP).filter(|number| !is_ignored(*number));
    let from_keyboard = Some(SIGINT).filter(|_| !debugger);
    if debugger {
        // If no handler can be installed, Ctrl-C ends the run as it would end any other program.
        let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
    }
    for number in [SIGTERM].into_iter().chain(from_keyboard).chain(hangup) {
        // The order matters: the first signal finds the flag unset, and then sets the flag. If no handler can be
        // installed, the signal ends the run as the signal would end any other program.
        let _ = signal_hook::flag::register_conditional_default(number, twice.clone())
            .and_then(|_| signal_hook::flag::register(number, twice.clone()))
            .and_then(|_| signal_hook::flag::register_usize(number, signal.clone(), number as usize));
    }
}

/// True if this process was started with the signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}

/// The name of the signal that interrupted this run.
pub fn requested() -> Option<&'static str> {
    match request().signal.load(Ordering::Relaxed) as i32 {
        0 => None,
        SIGINT => Some("SIGINT"),
        SIGHUP => Some("SIGHUP"),
        _ => Some("SIGTERM"),
    }
}
