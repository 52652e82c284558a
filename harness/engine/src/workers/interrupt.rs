//! A run that is asked to end. A scheduler that takes a machine back says so first (SIGTERM), a person does with Ctrl-C
//! (SIGINT): the workers end, the journal is closed, and what has no result runs when the run is resumed. Whoever asks a
//! second time does not wait.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

/// What was asked for.
#[derive(Debug, Default)]
struct Asked {
    /// The number of the signal; 0: nothing was asked.
    signal: Arc<AtomicUsize>,
    /// Whether the next signal ends the process.
    twice: Arc<AtomicBool>,
}

fn asked() -> &'static Asked {
    static ASKED: OnceLock<Asked> = OnceLock::new();
    ASKED.get_or_init(Asked::default)
}

/// From now on the first of these signals is a request, and the second one the end of the process.
pub(crate) fn listen() {
    let Asked { signal, twice } = asked();
    for number in [SIGTERM, SIGINT] {
        // In this order: the first signal finds the flag unset, and sets it. Where no handler can be set, the signal ends
        // the run as it would end any other program.
        let _ = signal_hook::flag::register_conditional_default(number, twice.clone())
            .and_then(|_| signal_hook::flag::register(number, twice.clone()))
            .and_then(|_| signal_hook::flag::register_usize(number, signal.clone(), number as usize));
    }
}

/// The name of the signal that asked this run to end, if one did.
pub(crate) fn requested() -> Option<&'static str> {
    match asked().signal.load(Ordering::Relaxed) as i32 {
        0 => None,
        SIGINT => Some("SIGINT"),
        _ => Some("SIGTERM"),
    }
}
