//! The workers of the runs of these tests: the test executable itself, as the command is that of its own runs.
//!
//! The `main` of Rust's test harness knows nothing of workers, so they begin before it. The other ways cost more: with a
//! `main` of ours (libtest-mimic) every test would be listed by hand, and a table of rstest would not run at all; an
//! executable for workers alone would be linked besides; a test that becomes the worker would come after the harness
//! has printed into the protocol. What this way costs: `unsafe`, and a worker without what Rust does on the way to
//! `main`. That is little: SIGPIPE is ignored below, and a stack that overflows ends with SIGSEGV in place of SIGABRT.

use crate::depot::device::WITHOUT_DEVICE;
use crate::toy::runs::TOY;

// SAFETY: the loader calls each function of this section once, when the C library and the standard library's arguments
// are there, and such a function takes no argument that it has to read.
#[unsafe(link_section = ".init_array")]
#[used]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    // SAFETY: no handler runs, and there is no other thread yet that could start a process or read the environment.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // Locks of devices that are none need not stand where those of real ones do.
        std::env::set_var("ATLAS_CTS_LOCKS", concat!(env!("CARGO_TARGET_TMPDIR"), "/locks"));
    }
    engine::worker::run_if_asked(&[&TOY, &WITHOUT_DEVICE]);
}
