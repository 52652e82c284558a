//! The workers of the runs of these tests: the test executable itself, just as the command is its own worker.
//!
//! The `main` of Rust's test harness knows nothing of workers, so they begin before it. The alternatives cost more:
//! with our own `main` (libtest-mimic), every test would be listed by hand, and a table of rstest would not run at all;
//! a separate executable for workers would have to be linked; a test that becomes the worker would start after the
//! harness has printed into the protocol. The costs of this way: `unsafe`, and a worker without Rust's set-up before
//! `main`. That is little: SIGPIPE is ignored below, and a stack overflow ends with SIGSEGV instead of SIGABRT.

use crate::depot::device::WITHOUT_DEVICE;
use crate::toy::runs::TOY;

// SAFETY: the loader calls each function of this section once, after the C library and the standard library's arguments
// are initialized, and such a function has no argument that it must read.
#[unsafe(link_section = ".init_array")]
#[used]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    // SAFETY: no handler runs, and there is no other thread yet that could start a process or read the environment.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // Locks for fake devices are kept apart from those of real ones.
        std::env::set_var("ATLAS_CTS_LOCKS", concat!(env!("CARGO_TARGET_TMPDIR"), "/locks"));
    }
    engine::worker::run_if_asked(&[&TOY, &WITHOUT_DEVICE]);
}
