//! The stack of a process that crashed or hung, made readable for the journal.
//!
//! ```text
//! crash: signal handler → Crash (registers, bytes of the stack, maps) → unwound → named → record::Stack
//! hang:  /proc, a debugger or the handler, before the kill → record::Stack
//! ```
//!
//! A worker only copies bytes. This process unwinds them and looks up names, because its memory is sound.

mod bounded;
mod crash;
mod elf;
mod hang;
mod maps;
mod names;
mod registers;
mod tool;
mod unwind;

use std::path::PathBuf;
use std::sync::Arc;

use record::Stack;

pub(crate) use crash::Crash;
pub(crate) use hang::{Hang, hang};
pub(crate) use registers::{REGISTERS, stack_pointer};

/// The stack of a lost process, as far as it is known when the process is lost.
#[derive(Debug)]
pub enum LostStack {
    /// The bytes that the signal handler left. They are unwound only if the journal gets this failure, because a
    /// failure is rerun many times.
    Crash(Box<Crash>),
    /// The stack of a hang.
    Hang(Arc<Stack>),
    /// The signal that ended the process, whose handler left nothing.
    Nothing(i32),
}

impl LostStack {
    /// The stack for the journal. `known` are the files of the libraries under test.
    pub(crate) fn recorded(&self, known: &[PathBuf]) -> Stack {
        match self {
            LostStack::Crash(crash) => crash.recorded(known),
            LostStack::Hang(stack) => (**stack).clone(),
            LostStack::Nothing(signal) => Stack {
                reason: format!("no stack was left at {}", crash::signal_name(*signal)),
                remarks: vec![
                    "the worker's signal handler did not run: the library has its own handler or blocks the signal, \
                     or the thread's stack had no room left"
                        .to_owned(),
                ],
                ..Stack::default()
            },
        }
    }
}
