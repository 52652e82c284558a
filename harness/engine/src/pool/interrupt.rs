//! A run that is asked to end. A scheduler that takes a machine back says so first (SIGTERM), a person does with Ctrl-C
//! (SIGINT), and so does a terminal that goes away (SIGHUP): the workers end, the journal is closed, and rules without
//! a result run when the run is resumed. A second signal ends the run without waiting.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// What was asked for.
#[derive(Debug, Default)]
struct EndRequest {
    /// The number of the signal; 0: nothing was asked.
    signal: Arc<AtomicUsize>,
    /// Whether the next signal ends the process.
    twice: Arc<AtomicBool>,
}

fn request() -> &'static EndRequest {
    static REQUEST: OnceLock<EndRequest> = OnceLock::new();
    REQUEST.get_or_init(EndRequest::default)
}

/// From now on the first of these signals is a request, and the second one the end of the process.
pub fn listen() {
    let EndRequest { signal, twice } = request();
    // A user who starts a run with `nohup` wants it to outlive the terminal.
    let hangup = Some(SIGHUP).filter(|number| !is_ignored(*number));
    for number in [SIGTERM, SIGINT].into_iter().chain(hangup) {
        // In this order: the first signal finds the flag unset, and sets it. Where no handler can be set, the signal ends
        // the run as it would end any other program.
        let _ = signal_hook::flag::register_conditional_default(number, twice.clone())
            .and_then(|_| signal_hook::flag::register(number, twice.clone()))
            .and_then(|_| signal_hook::flag::register_usize(number, signal.clone(), number as usize));
    }
}

/// Whether this process was started with a signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}

/// The name of the signal that asked this run to end, if one did.
pub fn requested() -> Option<&'static str> {
    match request().signal.load(Ordering::Relaxed) as i32 {
        0 => None,
        SIGINT => Some("SIGINT"),
        SIGHUP => Some("SIGHUP"),
        _ => Some("SIGTERM"),
    }
}
