//! Runs a rule in a process under a debugger. The process reads its requests from a file and writes its replies to
//! another, so that the debugger and the process have the terminal, may stop for any time, and may start again.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::ExitStatus;

use crate::case::SearchResult;
use crate::leftovers;
use crate::wire::flight::Flight;
use crate::wire::lines::LONGEST_LINE;
use crate::wire::message::{Reply, Request, Start};
use crate::wire::{FLIGHT, REPLIES, REQUESTS, WORKER, advice};
use record::StartReason;
use steps::program::Readiness;

use super::debugger::Debugger;
use super::end::{WorkerEnd, how};
use super::executor::{Assignment, Executor, Home};
use super::factory::{SetUp, StartError};
use super::group::accident_failure;
use super::slots::Slot;

impl Executor {
    /// Runs a rule with one process under a debugger, and waits for the debugger to end. No other worker uses the
    /// device meanwhile, and nothing has a deadline.
    ///
    /// # Errors
    /// Fails if the debugger cannot be started, or if the runtime cannot be set up in its process.
    pub fn search_debugged(
        &self,
        assignment: &Assignment<'_>,
        slot: &mut Slot,
        debugger: &Debugger,
    ) -> Result<SearchResult, StartError> {
        let rule = assignment.rule;
        slot.retire(self.factory.deadlines);
        let process = &rule.program.processes[0];
        let state = if Home::of(rule) == Home::Worker { Readiness::Device } else { process.state };
        let set_up = SetUp::new(state, process.device, StartReason::Confirmation);
        let start = Start { memory: None, ..self.factory.start_request(set_up) };
        let run = self.run_request(assignment);
        let bytes = Request::Rule(run.bytes.to_string());
        let requests = [Request::Start(Box::new(start)), bytes, Request::Run(Box::new(run)), Request::Stop];
        let folder = &slot.machine.path;
        let session = Session::new(folder, &requests).map_err(environment)?;
        self.factory.libraries.expect_same().map_err(StartError::Changed)?;
        self.factory.starts.note(set_up.reason, set_up.runtime);
        let mut command = debugger.command(self.factory.executable.clone());
        if let Some(removed) = self.factory.removed(&process.sight) {
            command.env_remove(removed);
        }
        command.env(WORKER, &self.factory.runtime).envs(self.factory.environment(&slot.machine, &process.sight));
        let ended = session.run(&mut command).map_err(environment)?;
        match session.answer().map_err(environment)? {
            Answer::Searched(result) => Ok(*result),
            Answer::NotStarted(error) => Err(error),
            Answer::Nothing => {
                let text = format!(
                    "the debugger ended ({}) before the rule did, so the rule has no verdict; continue to the end of \
                     the process to get one",
                    how(ended)
                );
                let recorded = session.flight.calls();
                let failure = accident_failure(&self.texts(rule), &recorded.0, &WorkerEnd::Environment(text), false);
                let failed = self.lost_case(rule, &session.flight, recorded, failure);
                Ok(self.search_until(assignment, failed))
            }
        }
    }
}

fn environment(error: io::Error) -> StartError {
    StartError::Environment(format!("{error}{}", advice(&error)))
}

/// The files between this process and a process under a debugger.
struct Session<'a> {
    folder: &'a Path,
    flight: Flight,
    /// Keeps the flight recorder's memory reachable for the process.
    memory: std::os::fd::OwnedFd,
}

/// The last answer of a process under a debugger.
enum Answer {
    Searched(Box<SearchResult>),
    NotStarted(StartError),
    /// The process has not finished the rule.
    Nothing,
}

impl<'a> Session<'a> {
    /// Writes the requests to a file in a machine's folder.
    fn new(folder: &'a Path, requests: &[Request]) -> io::Result<Session<'a>> {
        let mut lines = Vec::new();
        for request in requests {
            serde_json::to_writer(&mut lines, request)?;
            lines.push(b'\n');
        }
        File::create(folder.join(REQUESTS))?.write_all(&lines)?;
        let memory = Flight::create()?;
        Ok(Session { folder, flight: Flight::map(&memory)?, memory })
    }

    /// Runs the debugger in the foreground.
    fn run(&self, command: &mut std::process::Command) -> io::Result<ExitStatus> {
        let flight = format!("/proc/{}/fd/{}", std::process::id(), self.memory.as_raw_fd());
        leftovers::adopt_orphans();
        command.env(REQUESTS, self.folder.join(REQUESTS)).env(REPLIES, self.folder.join(REPLIES)).env(FLIGHT, &flight);
        let mut child = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", command.get_program().to_string_lossy()))
        })?;
        let ended = child.wait();
        // A debugger may leave its process behind, for example after `detach`.
        leftovers::end(&format!("{FLIGHT}={flight}"), child.id());
        ended
    }

    /// Reads the last start's answer.
    fn answer(&self) -> io::Result<Answer> {
        let mut text = String::new();
        match File::open(self.folder.join(REPLIES)) {
            Ok(file) => file.take(LONGEST_LINE as u64).read_to_string(&mut text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Answer::Nothing),
            Err(error) => return Err(error),
        };
        let mut answer = Answer::Nothing;
        // The last line may be incomplete, because the process may have been killed.
        for reply in text.lines().map_while(|line| serde_json::from_str(line).ok()) {
            match reply {
                Reply::Searched(result) => answer = Answer::Searched(result),
                Reply::NotStarted(trouble) => answer = Answer::NotStarted(StartError::Refused(trouble)),
                Reply::Trouble(message) => answer = Answer::NotStarted(StartError::Changed(message)),
                _ => {}
            }
        }
        Ok(answer)
    }
}
