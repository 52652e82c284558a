//! Runs statements for actors on threads.

use catalog::Section;
use record::Verdict;
use steps::program::{Readiness, Statement};
use steps::{ActorId, Span};

use super::execution::Execution;
use super::fault::{Fault, Stop};

impl<'a> Execution<'a> {
    /// Performs a statement on an actor's thread and waits for the result.
    pub(super) fn on_thread(&mut self, actor: ActorId, state: Readiness, statement: &'a Statement) -> Result<(), Stop> {
        self.run_on(actor, |execution, fresh| {
            if fresh && state == Readiness::Device {
                execution.select_device(actor)?;
            }
            execution.perform(statement)
        })
    }

    /// Ends all threads in the case. Each thread first releases its device.
    pub(super) fn end_threads(&mut self) {
        let mut lives = std::mem::take(&mut self.thread_lives);
        for (actor, life) in &mut lives {
            // Failures during a thread's tear-down prove nothing about the rule.
            let _ = self.run_on(*actor, |_, _| {
                life.run_section(Section::DeviceDown).map_err(|trouble| Fault::LifeCycle(trouble.message).into())
            });
        }
        self.threads.end();
    }

    pub(super) fn run_on(
        &mut self,
        actor: ActorId,
        mut action: impl FnMut(&mut Self, bool) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut threads = std::mem::take(&mut self.threads);
        let mut result = Ok(());
        let done = threads.perform(actor, |fresh| result = action(self, fresh));
        self.threads = threads;
        done?;
        result
    }

    /// Selects the process's device on a fresh thread, using the steps in api.yaml.
    pub(super) fn select_device(&mut self, actor: ActorId) -> Result<(), Stop> {
        let Some(life) = self.life else { return Ok(()) };
        let mut execution = Execution::new(life, self.flight);
        execution.begin(Vec::new(), self.memory.salt);
        if let Err(trouble) = execution.run_section(Section::DeviceUp) {
            let message = format!("cannot select the device on a thread: {}", trouble.message);
            self.report.fail_call(Verdict::Blocked, Span::default(), message, trouble.call);
            return Err(Stop::Failed);
        }
        self.thread_lives.insert(actor, execution);
        Ok(())
    }
}
