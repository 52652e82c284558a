//! Calls that run while other actors act.
//!
//! The call of a thread runs on that thread, and the process goes through the steps meanwhile. The call of a main
//! thread occupies its process, which passes the turn before it makes the call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use steps::program::{Call, Expect, Statement};
use steps::{ActorId, Id};

use super::execution::Execution;
use super::fault::{Fault, Stop};
use super::lane::Lane;
use crate::wire::Turn;

/// The longest wait for a call that is not judged, because the case has already failed.
const BRIEF: Duration = Duration::from_secs(2);

/// A call that has begun.
pub(super) enum Begun<'a> {
    /// The call of a main thread, which has returned: the result, and true if an out-variable was left as it was.
    Returned(i128, bool),
    /// The call of a thread.
    Runs(Running<'a>),
}

/// A call that runs on a thread. The thread uses the share until it has finished the work.
pub(super) struct Running<'a> {
    share: *mut Share<'a>,
    /// The work, which the thread uses too.
    _work: Box<dyn FnMut() + 'a>,
}

struct Share<'a> {
    part: Execution<'a>,
    call: &'a Call,
    result: Result<i128, Stop>,
    unwritten: bool,
}

impl<'a> Execution<'a> {
    /// Starts a call. In the process of a main thread, returns when the call has returned.
    pub(super) fn begin_apart(&mut self, statement: &'a Statement, call: &'a Call) -> Result<(), Stop> {
        let actor = statement.actor;
        self.setup = statement.setup;
        if self.actor(actor).thread.is_some() {
            return self.begin_on_thread(actor, call);
        }
        self.pass_on()?;
        let result = self.call(call, false)?;
        let unwritten = self.succeeded(call.function, result) && self.unwritten_out();
        self.begun.insert(actor, Begun::Returned(result, unwritten));
        Ok(())
    }

    /// Passes the turn, so that other processes act while this one waits for its call.
    pub(super) fn pass_on(&mut self) -> Result<(), Stop> {
        if self.turns.is_some() {
            self.exchange(Turn::default())?;
        }
        if let Some(turns) = &mut self.turns {
            turns.passed = true;
        }
        Ok(())
    }

    fn begin_on_thread(&mut self, actor: ActorId, call: &'a Call) -> Result<(), Stop> {
        self.prepare_thread(actor)?;
        let made = Arc::new(AtomicBool::new(false));
        let mut part = self.part(actor, 0);
        part.setup = self.setup;
        if let Some(Lane { made: announced, .. }) = &mut part.lane {
            *announced = Some(made.clone());
        }
        let number = actor.index() as u32 + 1;
        let share = Box::into_raw(Box::new(Share { part, call, result: Ok(0), unwritten: false }));
        let announced = made.clone();
        let mut work: Box<dyn FnMut() + 'a> = Box::new(move || {
            // SAFETY: the share lives until the thread has finished this work, and only the thread uses it.
            let share = unsafe { &mut *share };
            share.part.flight.enter_lane(number);
            share.result = share.part.call(share.call, false);
            let success = |result: &i128| share.part.succeeded(share.call.function, *result);
            share.unwritten = share.result.as_ref().is_ok_and(success) && share.part.unwritten_out();
            share.part.flight.leave_lane(number);
            announced.store(true, Ordering::Release);
        });
        let job = &raw mut *work;
        let begun = self.threads.begin(actor, job);
        self.begun.insert(actor, Begun::Runs(Running { share, _work: work }));
        begun?;
        // The next statement comes after the arguments were evaluated.
        while !made.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Waits for the call that an actor began, and judges its result.
    pub(super) fn end_apart(
        &mut self,
        statement: &'a Statement,
        function: usize,
        call: steps::Span,
        expect: &'a Expect,
    ) -> Result<(), Stop> {
        self.setup = statement.setup;
        let held = self.held.len();
        let begun = self.begun.remove(&statement.actor).ok_or(Fault::NotBegun)?;
        let (result, unwritten) = match begun {
            Begun::Returned(result, unwritten) => (result, unwritten),
            Begun::Runs(running) => {
                self.threads.finish(statement.actor, None)?;
                self.take(statement.actor, running)?
            }
        };
        self.judge_result((function, call), expect, statement.id, (result, unwritten), held)
    }

    fn take(&mut self, actor: ActorId, running: Running<'a>) -> Result<(i128, bool), Stop> {
        // SAFETY: the thread has finished its work, and the share was made by `Box::into_raw`.
        let Share { part, result, unwritten, .. } = *unsafe { Box::from_raw(running.share) };
        self.join(actor, part);
        Ok((result?, unwritten))
    }

    /// Waits for calls that were not ended, because the case has failed. If one does not return, the process cannot be
    /// used further.
    pub(super) fn finish_begun(&mut self) {
        for (actor, begun) in std::mem::take(&mut self.begun) {
            let Begun::Runs(running) = begun else { continue };
            if matches!(self.threads.finish(actor, Some(BRIEF)), Ok(true)) {
                // The case has failed already.
                let _ = self.take(actor, running);
                continue;
            }
            // The call may still write to the case's memory.
            std::mem::forget(running);
            self.threads.abandon(actor);
            self.memory.abandon();
            self.thread_lives.remove(&actor);
            // Their variables are gone.
            self.deferred.clear();
            self.stuck = Some("a call that the rule began did not return after the case had failed".to_owned());
        }
    }
}
