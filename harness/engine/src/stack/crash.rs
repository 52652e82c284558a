//! The state that a worker's signal handler left at a crash, as a stack for the journal.

use std::path::PathBuf;

use record::{Stack, StackThread};

use super::bounded::{MOST_FRAMES, clipped};
use super::maps::{Module, modules};
use super::names::Named;
use super::registers::{Registers, program_counter, shown};
use super::unwind::{Unwound, unwind};

/// The state of a thread at a crash, copied by its worker. All of it may be damaged.
#[derive(Debug)]
pub struct Crash {
    pub signal: i32,
    /// The cause of the signal, as in `siginfo_t`.
    pub code: i32,
    /// The address that could not be accessed.
    pub address: u64,
    pub thread: u32,
    pub name: String,
    pub registers: Registers,
    /// The bytes of the stack from the stack pointer on.
    pub stack: Vec<u8>,
    /// The process's mappings, as `/proc` lists them.
    pub maps: String,
}

impl Crash {
    /// The stack for the journal.
    pub(super) fn recorded(&self, known: &[PathBuf]) -> Stack {
        let mut remarks = Vec::new();
        if self.maps.is_empty() {
            remarks.push("the process's mappings could not be read, so addresses have no names".to_owned());
        }
        let (thread, modules) = self.thread(known, &mut remarks);
        Stack {
            reason: self.reason(),
            threads: vec![thread],
            registers: shown(&self.registers),
            modules,
            remarks,
            ..Stack::default()
        }
    }

    /// The thread with its frames, and the files of the frames.
    pub(super) fn thread(&self, known: &[PathBuf], remarks: &mut Vec<String>) -> (StackThread, Vec<String>) {
        let modules = modules(&self.maps, known);
        let Unwound { addresses, why } = unwind(&self.registers, &self.stack, &modules);
        remarks.extend(why);
        // The frames of the suite's interpreter are the same for every call, so only the innermost one is kept. If no
        // library is on the stack, or if the library is part of the executable, all frames are kept.
        let own = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        let is_foreign = |address: &u64| {
            Module::at(&modules, *address).is_some_and(|module| module.file != own && !module.is_base())
        };
        let foreign = addresses.iter().rposition(is_foreign);
        let kept = foreign.map_or(addresses.len(), |last| addresses.len().min(last + 2));
        let shown = &addresses[..kept.min(MOST_FRAMES)];
        let named = Named::of(shown, &modules, foreign.map(|_| own.as_path()));
        let frames = named.frames.iter().enumerate().map(|(number, frame)| clipped(&format!("#{number} {frame}")));
        let thread = StackThread {
            id: self.thread,
            name: self.name.clone(),
            wait: String::new(),
            frames: frames.collect(),
            left_out: (kept - shown.len()) as u64,
        };
        (thread, named.files)
    }

    fn reason(&self) -> String {
        let name = signal_name(self.signal);
        let at = format!("{:#x}", self.address);
        let pc = program_counter(&self.registers);
        match (self.signal, self.code) {
            // A signal that a process sent.
            (_, ..=0) => name,
            (libc::SIGSEGV, 1) if pc == self.address => {
                format!("{name}: a call or jump to {at}, where no memory is mapped")
            }
            (libc::SIGSEGV, 1) => format!("{name}: no memory is mapped at {at}"),
            (libc::SIGSEGV, 2) if pc == self.address => format!("{name}: a call or jump to {at}, which is not code"),
            (libc::SIGSEGV, 2) => format!("{name}: the memory at {at} does not permit this access"),
            (libc::SIGSEGV, _) => format!("{name}: an access that the processor does not permit (code {})", self.code),
            (libc::SIGBUS, 1) => format!("{name}: the access to {at} is not aligned"),
            (libc::SIGBUS, 2) => {
                format!("{name}: nothing is behind the mapping at {at}, for example after a file shrank")
            }
            (libc::SIGFPE, 1) => format!("{name}: an integer was divided by 0 at {at}"),
            (libc::SIGILL, _) => format!("{name}: an instruction that the processor does not have at {at}"),
            (libc::SIGTRAP, _) => name,
            (_, code) => format!("{name}: code {code} at {at}"),
        }
    }
}

/// A signal's name.
pub(super) fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGABRT => "SIGABRT",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGSYS => "SIGSYS",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}
