//! The stacks of lost workers: taken over from the signal handler after a crash, and read before a hanging worker is
//! killed.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::stack::{Crash, Hang, LostStack, hang};
use crate::wire::{OWN_THREADS, crash};
use record::Stack;

use super::child::WorkerProcess;
use super::interrupt;

/// The maximum time for a thread to leave its stack.
const ANSWER: Duration = Duration::from_millis(200);

/// The signals whose handler leaves a stack.
const HANDLED: [Signal; 7] =
    [Signal::SEGV, Signal::BUS, Signal::ILL, Signal::FPE, Signal::ABORT, Signal::TRAP, Signal::SYS];

/// A hang: the rule, the call site, and the folder of the worker's machine.
type HangKey = (String, Option<u32>, PathBuf);

/// The stacks read in a run. A rule's hang is read once and not again when the case is confirmed, because a debugger
/// may take many seconds.
#[derive(Debug, Default)]
pub struct Stacks {
    /// The files of the libraries under test.
    pub known: Vec<PathBuf>,
    examines: AtomicBool,
    /// The rules for which a debugger was used.
    examined: Mutex<BTreeSet<String>>,
    hangs: Mutex<BTreeMap<HangKey, Arc<Stack>>>,
}

impl Stacks {
    /// Creates stacks for libraries with these files.
    pub fn of(known: Vec<PathBuf>) -> Stacks {
        Stacks { known, ..Stacks::default() }
    }

    /// Makes workers examine hangs from now on. In proofs, hangs have no readers.
    pub fn examine_hangs(&self) {
        self.examines.store(true, Ordering::Relaxed);
    }
}

impl WorkerProcess {
    /// Keeps the stack that the handler of an ended process left.
    pub(super) fn note_crash(&mut self, status: ExitStatus) {
        let signal = status.signal().and_then(Signal::from_named_raw).filter(|signal| HANDLED.contains(signal));
        self.lost = signal.map(|signal| {
            let nothing = || LostStack::Nothing(signal.as_raw());
            Arc::new(self.flight.crash().map_or_else(nothing, |crash| LostStack::Crash(Box::new(crash))))
        });
    }

    /// Reads the stack of a process that hangs, before the process is killed.
    pub(super) fn examine_hang(&mut self) {
        let stacks = self.stacks.clone();
        if !stacks.examines.load(Ordering::Relaxed) || self.rule.is_empty() || self.status().is_some() {
            return;
        }
        let locked = |hangs: &Mutex<BTreeMap<HangKey, Arc<Stack>>>, key: &HangKey| {
            hangs.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
        };
        let key = (self.rule.clone(), self.flight.open_site(), self.machine.clone());
        let stack = locked(&stacks.hangs, &key).unwrap_or_else(|| {
            let first = stacks.examined.lock().unwrap_or_else(PoisonError::into_inner).insert(self.rule.clone());
            let stack = Arc::new(self.read_hang(&stacks.known, first));
            stacks.hangs.lock().unwrap_or_else(PoisonError::into_inner).insert(key, stack.clone());
            stack
        });
        self.lost = Some(Arc::new(LostStack::Hang(stack)));
    }

    fn read_hang(&self, known: &[PathBuf], debugger: bool) -> Stack {
        let (process, flight) = (self.id(), &self.flight);
        let mut probe = |thread: u32| -> Option<Crash> {
            flight.clear_crash();
            if !crash::probe(process, thread) {
                return None;
            }
            let begun = Instant::now();
            loop {
                let left = flight.whole_crash().filter(|crash| crash.thread == thread);
                if left.is_some() || begun.elapsed() >= ANSWER {
                    return left;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        hang(Hang {
            process,
            caller: flight.performer().unwrap_or(process),
            own: &OWN_THREADS,
            debugger,
            interrupted: &|| interrupt::requested().is_some(),
            probe: &mut probe,
            known,
        })
    }
}
