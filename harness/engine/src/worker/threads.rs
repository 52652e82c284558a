//! Threads that perform a process's statements, one at a time. Each thread has separate thread-local state in the
//! library.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use steps::ActorId;

use super::crash::{AlternateStack, perform};
use super::fault::Fault;

/// A case's threads.
#[derive(Debug, Default)]
pub(super) struct Threads {
    running: BTreeMap<ActorId, Thread>,
}

#[derive(Debug)]
struct Thread {
    jobs: Sender<Job>,
    done: Receiver<()>,
    handle: JoinHandle<()>,
}

/// Work for an actor's thread, or for the process's main thread if no actor is named.
pub(super) type Work<'w> = (Option<ActorId>, Box<dyn FnMut() + 'w>);

/// A job, which lives in the memory of the thread that waits for it.
struct Job(*mut (dyn FnMut() + 'static));

// SAFETY: the sender waits until the job is done and touches nothing while waiting.
unsafe impl Send for Job {}

impl Thread {
    fn start() -> std::io::Result<Thread> {
        let (jobs, work) = channel::<Job>();
        let (finished, done) = channel();
        let handle = Builder::new().spawn(move || {
            // Without an alternate stack, only a stack overflow leaves no stack.
            let _alternate = AlternateStack::new();
            for job in work {
                let performs = perform();
                // SAFETY: the sender keeps the closure alive and untouched until `finished` is received.
                unsafe { (*job.0)() };
                drop(performs);
                if finished.send(()).is_err() {
                    break;
                }
            }
        })?;
        Ok(Thread { jobs, done, handle })
    }
}

impl Threads {
    /// An actor's thread, and true if the thread was just started.
    fn get(&mut self, actor: ActorId) -> std::io::Result<(&Thread, bool)> {
        let (thread, fresh) = match self.running.entry(actor) {
            Entry::Occupied(entry) => (entry.into_mut(), false),
            Entry::Vacant(entry) => (entry.insert(Thread::start()?), true),
        };
        Ok((thread, fresh))
    }

    /// Performs work on an actor's thread and waits for the work. Passes `true` to the work if the thread was just
    /// started.
    pub(super) fn perform(&mut self, actor: ActorId, mut work: impl FnMut(bool)) -> Result<(), Fault> {
        let (thread, fresh) = self.get(actor).map_err(|source| Fault::NoThread { source })?;
        let mut work = || work(fresh);
        let job: *mut (dyn FnMut() + '_) = &raw mut work;
        // SAFETY: only the lifetime changes; `done` is awaited below, before `work` goes out of scope.
        let job = Job(unsafe { std::mem::transmute::<*mut (dyn FnMut() + '_), *mut (dyn FnMut() + 'static)>(job) });
        let done = thread.jobs.send(job).is_ok() && thread.done.recv().is_ok();
        done.then_some(()).ok_or(Fault::ThreadEnded)
    }

    /// Performs each work on its actor's thread, or on this thread if it names no actor, and waits for all of them. The
    /// threads run already.
    pub(super) fn together(&mut self, works: Vec<Work<'_>>) -> Result<(), Fault> {
        let mut works = works;
        let mut begun: Vec<&Thread> = Vec::new();
        let mut ended = false;
        for (actor, work) in &mut works {
            let Some(actor) = actor else { continue };
            let Some(thread) = self.running.get(actor) else {
                ended = true;
                continue;
            };
            let job: *mut (dyn FnMut() + '_) = &raw mut **work;
            // SAFETY: only the lifetime changes; `done` is awaited below, before `works` goes out of scope.
            let job = Job(unsafe { std::mem::transmute::<*mut (dyn FnMut() + '_), *mut (dyn FnMut() + 'static)>(job) });
            match thread.jobs.send(job) {
                Ok(()) => begun.push(thread),
                Err(_) => ended = true,
            }
        }
        // A panic must not free what the other threads use.
        let own = catch_unwind(AssertUnwindSafe(|| {
            works.iter_mut().filter(|(actor, _)| actor.is_none()).for_each(|(_, work)| work());
        }));
        for thread in begun {
            ended |= thread.done.recv().is_err();
        }
        match own {
            Err(panic) => resume_unwind(panic),
            Ok(()) if ended => Err(Fault::ThreadEnded),
            Ok(()) => Ok(()),
        }
    }

    /// Begins work on an actor's thread, which runs already. The work must stay in its place until it is finished.
    pub(super) fn begin(&mut self, actor: ActorId, work: *mut (dyn FnMut() + '_)) -> Result<(), Fault> {
        let thread = self.running.get(&actor).ok_or(Fault::ThreadEnded)?;
        // SAFETY: only the lifetime changes; the caller keeps the work until `finish` returns true.
        let job = Job(unsafe { std::mem::transmute::<*mut (dyn FnMut() + '_), *mut (dyn FnMut() + 'static)>(work) });
        thread.jobs.send(job).map_err(|_| Fault::ThreadEnded)
    }

    /// Waits for begun work, at most for a time if one is given. Returns true if the work is finished.
    pub(super) fn finish(&mut self, actor: ActorId, most: Option<Duration>) -> Result<bool, Fault> {
        let thread = self.running.get(&actor).ok_or(Fault::ThreadEnded)?;
        match most {
            None => thread.done.recv().map(|()| true).map_err(|_| Fault::ThreadEnded),
            Some(most) => match thread.done.recv_timeout(most) {
                Ok(()) => Ok(true),
                Err(RecvTimeoutError::Timeout) => Ok(false),
                Err(RecvTimeoutError::Disconnected) => Err(Fault::ThreadEnded),
            },
        }
    }

    /// Leaves a thread that does not finish its work behind.
    pub(super) fn abandon(&mut self, actor: ActorId) {
        drop(self.running.remove(&actor));
    }

    /// Ends all threads in the case.
    pub(super) fn end(&mut self) {
        for (_, thread) in std::mem::take(&mut self.running) {
            drop(thread.jobs);
            // If a thread panicked, the thread's job has already reported the panic.
            let _ = thread.handle.join();
        }
    }
}
