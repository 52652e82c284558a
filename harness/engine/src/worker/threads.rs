//! Threads of a process that perform statements: one at a time, each with its own thread-local state in the library.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use catalog::Section;
use record::Verdict;
use steps::ActorId;
use steps::Span;
use steps::program::{State, Statement};

use super::execution::{Execution, Stop};
use super::fault::Fault;

/// The threads of a case.
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

/// Work on memory of the thread that waits for it.
struct Job(*mut (dyn FnMut() + 'static));

// SAFETY: the sender waits until the job is done and touches nothing meanwhile.
unsafe impl Send for Job {}

impl Thread {
    fn start() -> std::io::Result<Thread> {
        let (jobs, work) = channel::<Job>();
        let (finished, done) = channel();
        let handle = Builder::new().spawn(move || {
            for job in work {
                // SAFETY: the sender keeps the closure alive and untouched until `finished` is received.
                unsafe { (*job.0)() };
                if finished.send(()).is_err() {
                    break;
                }
            }
        })?;
        Ok(Thread { jobs, done, handle })
    }
}

impl Threads {
    /// The thread of an actor, and whether it was started now.
    fn get(&mut self, actor: ActorId) -> std::io::Result<(&Thread, bool)> {
        let (thread, fresh) = match self.running.entry(actor) {
            Entry::Occupied(entry) => (entry.into_mut(), false),
            Entry::Vacant(entry) => (entry.insert(Thread::start()?), true),
        };
        Ok((thread, fresh))
    }

    /// Ends all threads of the case.
    pub(super) fn end(&mut self) {
        for (_, thread) in std::mem::take(&mut self.running) {
            drop(thread.jobs);
            // A thread that panicked has reported through its job already.
            let _ = thread.handle.join();
        }
    }
}

impl<'a> Execution<'a> {
    /// Performs a statement on an actor's thread and waits for it.
    pub(super) fn on_thread(&mut self, actor: ActorId, state: State, statement: &'a Statement) -> Result<(), Stop> {
        self.run_on(actor, |execution, fresh| {
            if fresh && state == State::Device {
                execution.select_device(actor)?;
            }
            execution.perform(statement)
        })
    }

    /// Ends all threads of the case, each after it gave its device back.
    pub(super) fn end_threads(&mut self) {
        let mut lives = std::mem::take(&mut self.thread_lives);
        for (actor, life) in &mut lives {
            // What the tear-down of a thread answers says nothing about the rule.
            let _ = self.run_on(*actor, |_, _| {
                life.run_section(Section::DeviceDown).map_err(|trouble| Fault::LifeCycle(trouble.message).into())
            });
        }
        self.threads.end();
    }

    fn run_on(
        &mut self,
        actor: ActorId,
        mut action: impl FnMut(&mut Self, bool) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut threads = std::mem::take(&mut self.threads);
        let (thread, fresh) = match threads.get(actor) {
            Ok(found) => found,
            Err(source) => {
                self.threads = threads;
                return Err(Fault::NoThread { source }.into());
            }
        };
        let mut result = Ok(());
        let done = {
            let mut work = || result = action(self, fresh);
            let job: *mut (dyn FnMut() + '_) = &raw mut work;
            // SAFETY: only the lifetime changes; `done` is awaited below, before `work` goes out of scope.
            let job = Job(unsafe { std::mem::transmute::<*mut (dyn FnMut() + '_), *mut (dyn FnMut() + 'static)>(job) });
            thread.jobs.send(job).is_ok() && thread.done.recv().is_ok()
        };
        self.threads = threads;
        if done { result } else { Err(Fault::ThreadEnded.into()) }
    }

    /// Selects the process's device on a fresh thread, with the steps that api.yaml gives for it.
    fn select_device(&mut self, actor: ActorId) -> Result<(), Stop> {
        let Some(life) = self.life else { return Ok(()) };
        let mut execution = Execution::new(life, self.flight);
        execution.begin(Vec::new(), self.memory.salt);
        if let Err(trouble) = execution.run_section(Section::DeviceUp) {
            let message = format!("a thread could not select its device: {}", trouble.message);
            self.report.fail_call(Verdict::Blocked, Span::default(), message, trouble.call);
            return Err(Stop::Failed);
        }
        self.thread_lives.insert(actor, execution);
        Ok(())
    }
}
