//! A worker process, as the supervisor sees it.

use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::case::CaseFailure;
use crate::leftovers;
use crate::stack::LostStack;
use crate::wire::flight::Flight;
use crate::wire::lines::{LONGEST_LINE, Lines};
use crate::wire::message::{Reply, Request};
use crate::wire::{FLIGHT, WORKER, wait};
use record::MemoryLimit;

use super::activity::Activity;
use super::end::{GONE, ProcessorTime, WorkerEnd, how};
use super::handing::spawn_with_socket;
use super::interrupt;
use super::remarks::Remarks;
use super::stacks::Stacks;
use super::tracer::Tracer;

/// The interval at which the worker's progress is checked.
pub(super) const TICK: Duration = Duration::from_millis(200);

/// For this long after an answer, a process counts as running. An exit within this time is noticed at the next request.
const JUST_NOW: Duration = Duration::from_millis(1);

/// A start of this length is announced, because nothing else is printed before the first worker has started.
const SLOW: Duration = Duration::from_secs(10);

/// The number of bytes to keep from the end of a library's output.
const TAIL: usize = 16 * 1024;

/// A worker's deadlines.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// The maximum time without progress while rules run.
    pub step: Duration,
    /// The maximum time from a worker's start until the runtime is ready.
    pub start: Duration,
}

/// A running worker.
#[derive(Debug)]
pub struct WorkerProcess {
    /// The number of the worker in the run, from 1.
    pub number: u64,
    child: Child,
    requests: Option<std::process::ChildStdin>,
    /// The socket through which descriptors pass.
    pub(super) handing: OwnedFd,
    replies: std::process::ChildStdout,
    lines: Lines,
    pub flight: Flight,
    /// Keeps the flight recorder's memory reachable for the worker.
    _memory: OwnedFd,
    output: Arc<Mutex<Vec<u8>>>,
    drain: Option<std::thread::JoinHandle<()>>,
    /// The pipe with the library's output, used to check that all output was read.
    printed: OwnedFd,
    ended: bool,
    /// True until the first reply, or until a slow start was announced.
    starting: bool,
    /// The processor time used by an exited process that had a limit.
    processor_time: Option<ProcessorTime>,
    /// The folder of the worker's machine.
    pub(super) machine: PathBuf,
    /// True if the process was killed but did not end. The supervisor does not wait for such a process again.
    given_up: bool,
    /// A mark in the environment of the worker and of each process that it starts.
    mark: String,
    remarks: Arc<Remarks>,
    /// The time of the last result from [`Self::reply`], or of the start.
    heard: Instant,
    /// The longest time without progress after which any worker in the run recovered, in milliseconds.
    pub longest: Arc<AtomicU64>,
    /// The activity on the worker's machine.
    pub activity: Arc<Activity>,
    /// The judgment of the case for which the library is being queried for an error text.
    judged: Option<Box<CaseFailure>>,
    /// True if a library in this run did not return from a query for an error text. No library is then queried again.
    pub mute: Arc<AtomicBool>,
    /// The rule of the last request; empty if the request belongs to no rule.
    pub(super) rule: String,
    /// The rule whose bytes the worker has.
    given: String,
    /// The stacks read in this run.
    pub stacks: Arc<Stacks>,
    /// The stack of the process, if the process is lost.
    pub(super) lost: Option<Arc<LostStack>>,
}

impl WorkerProcess {
    /// Starts a worker for a runtime. The worker waits for its first request. Problems at the worker's end are recorded
    /// in `remarks`.
    pub fn spawn(
        runtime: &str,
        executable: &Path,
        (environment, removed): (Vec<(String, String)>, Option<&str>),
        machine: &Path,
        remarks: Arc<Remarks>,
    ) -> std::io::Result<WorkerProcess> {
        let memory = Flight::create()?;
        let flight = Flight::map(&memory)?;
        let path = format!("/proc/{}/fd/{}", std::process::id(), memory.as_raw_fd());
        leftovers::adopt_orphans();
        let mark = format!("{FLIGHT}={path}");
        let mut command = Command::new(executable);
        if let Some(removed) = removed {
            command.env_remove(removed);
        }
        command
            .env(WORKER, runtime)
            .env(FLIGHT, &path)
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // The worker gets a separate group, so that all processes that the library starts end together with the
            // worker.
            .process_group(0);
        let (mut child, handing) = spawn_with_socket(&mut command)?;
        let requests = child.stdin.take();
        let replies = child.stdout.take().expect("the output was piped");
        let errors = child.stderr.take().expect("the error output was piped");
        let printed = errors.as_fd().try_clone_to_owned()?;
        let output = Arc::new(Mutex::new(Vec::new()));
        let tail = output.clone();
        let drain = std::thread::Builder::new().spawn(move || drain(errors, &tail)).inspect_err(|_| {
            // The process has not begun its work, and ends anyway when its pipes close.
            let _ = child.kill().and_then(|()| child.wait());
        })?;
        Ok(WorkerProcess {
            number: 0,
            child,
            requests,
            handing,
            replies,
            lines: Lines::new(LONGEST_LINE),
            flight,
            _memory: memory,
            output,
            drain: Some(drain),
            printed,
            ended: false,
            starting: true,
            processor_time: None,
            machine: machine.to_owned(),
            given_up: false,
            mark,
            remarks,
            heard: Instant::now(),
            longest: Arc::default(),
            activity: Arc::default(),
            judged: None,
            mute: Arc::default(),
            rule: String::new(),
            given: String::new(),
            stacks: Arc::default(),
            lost: None,
        })
    }

    /// The process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The path of the flight recorder's memory.
    pub(super) fn recorder(&self) -> String {
        self.mark.split_once('=').map_or_else(String::new, |(_, path)| path.to_owned())
    }

    pub fn send(&mut self, request: &Request) -> Result<(), WorkerEnd> {
        let mut lines = Vec::new();
        // A worker keeps one rule.
        let named = match request {
            Request::Run(run) => Some((&run.rule, &run.bytes)),
            Request::Case(case) => Some((&case.rule, &case.bytes)),
            _ => None,
        };
        if let Some((rule, bytes)) = named.filter(|(rule, _)| **rule != self.given) {
            self.given.clone_from(rule);
            add(&Request::Rule(bytes.to_string()), &mut lines)?;
        }
        add(request, &mut lines)?;
        self.activity.note(self.id());
        match request {
            Request::Run(run) => self.rule.clone_from(&run.rule),
            Request::Case(case) => {
                self.rule.clone_from(&case.rule);
                self.activity.note_case(case.number);
            }
            Request::Turn(_) | Request::Release(_) | Request::EndCase => {}
            _ => self.rule.clear(),
        }
        match self.requests.as_mut().map(|requests| requests.write_all(&lines)) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.crashed()),
        }
    }

    /// Waits for the next reply. The deadline restarts whenever the flight recorder shows progress. If the run is
    /// interrupted during the wait, the worker is killed.
    pub fn reply(&mut self, deadline: Duration) -> Result<Reply, WorkerEnd> {
        self.reply_unless(deadline, interrupt::requested)
    }

    fn reply_unless(
        &mut self,
        deadline: Duration,
        interrupted: impl Fn() -> Option<&'static str>,
    ) -> Result<Reply, WorkerEnd> {
        let mut progress = self.flight.progress();
        let mut since = Instant::now();
        let mut gone = false;
        loop {
            if let Some(reply) = self.buffered()? {
                self.heard = Instant::now();
                self.starting = false;
                self.went_on(self.heard - since);
                return Ok(reply);
            }
            let tick = if gone { Duration::ZERO } else { deadline.min(TICK) };
            let ready = wait::ready(&mut [PollFd::new(&self.replies, PollFlags::IN)], tick);
            if ready > 0 {
                self.read()?;
                continue;
            }
            if gone {
                return Err(self.crashed());
            }
            if let Some(signal) = interrupted() {
                self.kill();
                return Err(WorkerEnd::Interrupted(signal));
            }
            self.activity.note_case(self.flight.case_number());
            if self.starting && since.elapsed() >= SLOW {
                self.starting = false;
                self.remarks.announce(&format!(
                    "the runtime has been starting for {} s; it may take {} s before the start counts as hung",
                    SLOW.as_secs(),
                    deadline.as_secs()
                ));
            }
            // A process that the library started may keep the pipe open after the worker ends.
            gone = self.status().is_some();
            if self.flight.progress() != progress {
                progress = self.flight.progress();
                self.went_on(since.elapsed());
                since = Instant::now();
            } else if self.is_traced() {
                since = Instant::now();
            } else if since.elapsed() >= deadline {
                let overran = self.flight.between_calls();
                if !overran {
                    self.examine_hang();
                }
                return Err(match self.kill() {
                    _ if overran => WorkerEnd::Overran(deadline),
                    true => WorkerEnd::Hung(deadline),
                    false => WorkerEnd::Stuck(deadline),
                });
            }
        }
    }

    /// True if a debugger is attached to the process, which then has no deadline. The first time for each rule, this is
    /// reported.
    pub(super) fn is_traced(&self) -> bool {
        let Some(tracer) = Tracer::of(self.id()) else { return false };
        let remark = tracer.remark(self.id());
        if self.activity.note_traced(remark.clone()) {
            self.remarks.announce(&remark);
        }
        true
    }

    /// Records a time without progress after which the worker recovered.
    pub(super) fn went_on(&self, after: Duration) {
        self.longest.fetch_max(after.as_millis() as u64, Ordering::Relaxed);
    }

    /// Sends a request and waits for its reply.
    pub fn ask(&mut self, request: &Request, deadline: Duration) -> Result<Reply, WorkerEnd> {
        self.send(request)?;
        self.reply(deadline)
    }

    /// The stream of replies, for watching several workers at once.
    pub fn replies(&self) -> &std::process::ChildStdout {
        &self.replies
    }

    /// Reads the available bytes. The end of the stream means that the worker has ended.
    pub fn read(&mut self) -> Result<(), WorkerEnd> {
        match self.lines.read(&mut self.replies) {
            Ok(0) | Err(_) => Err(self.crashed()),
            Ok(_) => Ok(()),
        }
    }

    /// True if a complete line, or input that is not a reply, was read.
    pub fn has_line(&mut self) -> bool {
        self.lines.is_ready()
    }

    /// Returns the next complete reply.
    pub fn buffered(&mut self) -> Result<Option<Reply>, WorkerEnd> {
        loop {
            match self.lines.reply() {
                Ok(Some(Reply::Judged(failure))) => self.judged = failure,
                Ok(reply) => return Ok(reply),
                Err(error) => {
                    self.kill();
                    return Err(WorkerEnd::Confused(error.to_string()));
                }
            }
        }
    }

    /// The failure of a case whose process was lost. If the library was only being queried for an error text, the
    /// failure is the earlier judgment; otherwise, it is the accident.
    pub(super) fn failure(&self, accident: &WorkerEnd, lost: impl FnOnce() -> CaseFailure) -> CaseFailure {
        let Some(judged) = &self.judged else { return CaseFailure { stack: self.lost.clone(), ..lost() } };
        self.mute.store(true, Ordering::Relaxed);
        let text =
            format!("the query for the library's last error text failed ({accident}); it is not repeated in this run");
        self.remarks.note(text.clone(), "");
        CaseFailure { message: format!("{}; {text}", judged.message), ..(**judged).clone() }
    }

    /// Determines how the process ended, or is ending.
    pub fn crashed(&mut self) -> WorkerEnd {
        let status = self.wait(GONE);
        if status.is_none() {
            self.kill();
        }
        self.finish_output();
        if let Some(status) = status {
            self.note_crash(status);
        }
        let end = status.map(|status| WorkerEnd::of(status, &self.output(), self.processor_time, &self.machine));
        match end {
            Some(WorkerEnd::Crashed(how)) => WorkerEnd::Crashed(match self.flight.take_memory_limit() {
                Some((mebibytes, _)) => format!("{how}; {}", MemoryLimit { mebibytes, call: None }),
                None => how,
            }),
            Some(end) => end,
            None => WorkerEnd::Crashed("it closed its end of the protocol".to_owned()),
        }
    }

    /// The exit status of an idle process; `None` if the process is running or has just answered. This check takes an
    /// eighth of the engine's time per rule (docs/engine/parts.md).
    pub fn status_if_idle(&mut self) -> Option<std::process::ExitStatus> {
        if self.heard.elapsed() < JUST_NOW { None } else { self.status() }
    }

    /// The exit status of the process; `None` if the process is running. All processes that the library started end
    /// together with the process.
    pub fn status(&mut self) -> Option<std::process::ExitStatus> {
        if !self.ended {
            let group = Pid::from_raw(self.child.id() as i32)?;
            // The check comes before the process is reaped: until then, no other group can get the process's number.
            waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT)
                .ok()??;
            self.processor_time = ProcessorTime::of(self.child.id());
            leftovers::kill_group(self.child.id());
        }
        let status = self.child.try_wait().ok()?;
        if status.is_some() && !self.ended {
            self.ended = true;
            if leftovers::end(&self.mark, self.child.id()) {
                let text = "a process started by the library outlived its worker and was killed";
                self.remarks.note(text.to_owned(), "");
            }
        }
        status
    }

    fn wait(&mut self, at_most: Duration) -> Option<std::process::ExitStatus> {
        self.wait_unless(at_most, || None)
    }

    fn wait_unless(
        &mut self,
        at_most: Duration,
        interrupted: impl Fn() -> Option<&'static str>,
    ) -> Option<std::process::ExitStatus> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.status() {
                return Some(status);
            }
            if start.elapsed() >= at_most || interrupted().is_some() {
                return None;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Kills the worker and its entire group. Returns true if the worker is gone.
    pub fn kill(&mut self) -> bool {
        if self.ended || self.given_up {
            return self.status().is_some();
        }
        leftovers::kill_group(self.child.id());
        // The library may have moved the worker to another group.
        let _ = self.child.kill();
        let gone = self.wait(GONE).is_some();
        if !gone {
            self.given_up = true;
            let process = self.child.id();
            let text = format!(
                "process {process} was killed but did not end within {GONE:?}; it is left behind with its device"
            );
            self.remarks.note(text, &self.output());
        }
        self.finish_output();
        gone
    }

    /// Waits until the process exits on its own, the time is up, or the run is interrupted.
    pub fn wait_for_end(&mut self, at_most: Duration) -> bool {
        let ended = loop {
            let ended = self.wait_unless(at_most, interrupt::requested).is_some();
            if ended || interrupt::requested().is_some() || !self.is_traced() {
                break ended;
            }
        };
        if !ended {
            if interrupt::requested().is_none() {
                self.examine_hang();
            }
            self.kill();
        }
        self.finish_output();
        ended
    }

    /// Shuts the worker down. A problem during the shutdown breaks no rule and becomes a remark about the run.
    pub fn stop(mut self, deadline: Duration) {
        // Even an interrupted run shuts its workers down, so that the device is left in a clean state if the shutdown
        // does not take long.
        let begun = Instant::now();
        let late = || interrupt::requested().filter(|_| begun.elapsed() >= GONE);
        let asked = self.send(&Request::Stop).and_then(|()| self.reply_unless(deadline, late));
        let trouble = match asked {
            Ok(_) => {
                self.requests = None;
                match self.wait(GONE) {
                    Some(status) if status.success() => None,
                    Some(status) => {
                        Some(format!("after the tear-down, the library ended its process ({})", how(status)))
                    }
                    None => {
                        Some(format!("after the tear-down, the process did not end within {GONE:?} and was killed"))
                    }
                }
            }
            Err(end) => Some(format!("during the tear-down, {end}")),
        };
        self.kill();
        self.finish_output();
        if let Some(trouble) = trouble {
            let text = format!("a worker did not shut down cleanly: {trouble}");
            self.remarks.note(text, &self.output());
        }
    }

    fn finish_output(&mut self) {
        // A process that the library started may keep the pipe open. In that case, the output so far is enough.
        if let Some(drain) = self.drain.take() {
            let start = Instant::now();
            while !drain.is_finished() && start.elapsed() < Duration::from_millis(200) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// The last part of the library's output.
    pub fn output(&self) -> String {
        let begun = Instant::now();
        loop {
            let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            // Output written before a reply must not be missing because the other pipe was read first.
            let unread = rustix::io::ioctl_fionread(&self.printed).unwrap_or(0);
            if unread == 0 || begun.elapsed() > TICK {
                return String::from_utf8_lossy(&output).into_owned();
            }
            drop(output);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Appends a request's line.
fn add(request: &Request, lines: &mut Vec<u8>) -> Result<(), WorkerEnd> {
    serde_json::to_writer(&mut *lines, request).map_err(|error| WorkerEnd::Confused(error.to_string()))?;
    lines.push(b'\n');
    Ok(())
}

/// Reads the library's output, so that the library never blocks, and keeps the last part.
fn drain(mut errors: ChildStderr, tail: &Mutex<Vec<u8>>) {
    let mut chunk = [0u8; 65536];
    loop {
        // Do not block while holding the lock.
        while poll(&mut [PollFd::new(&errors, PollFlags::IN)], None) == Err(Errno::INTR) {}
        // Once the lock is free, all bytes taken from the pipe are in the tail.
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(count @ 1..) = errors.read(&mut chunk) else { return };
        tail.extend_from_slice(&chunk[..count]);
        if tail.len() > TAIL {
            let surplus = tail.len() - TAIL;
            tail.drain(..surplus);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Starts a worker that runs this script at its first request.
    pub(in crate::pool) fn worker(folder: &Path, script: &str) -> WorkerProcess {
        let path = folder.join("worker");
        std::fs::write(&path, format!("#!/bin/sh\nread request\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        loop {
            match WorkerProcess::spawn("toy", &path, (Vec::new(), None), folder, Arc::default()) {
                // Another thread may have started a process while the script was open for writing.
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
                worker => return worker.unwrap(),
            }
        }
    }

    /// Runs this script in a worker at the first request, and returns how the worker ended.
    fn end_of(script: &str) -> WorkerEnd {
        let folder = tempfile::tempdir().unwrap();
        worker(folder.path(), script).ask(&Request::Query, Duration::from_secs(60)).unwrap_err()
    }

    #[test]
    fn any_reply_is_understood_or_given_up() {
        for reply in [
            "",
            "null",
            "nothing",
            "{\"searched\":{\"cases\":1e99}}",
            "{\"released\":[[],{\"function\":\"f\",\"code\":-9223372036854775809}]}",
            "{\"searched\":{\"cases\":-1}}",
            "{\"turn\":{\"values\":[[18446744073709551616,\"\"]]}}",
            "{\"stepped\":{\"report\":null}}",
            "\\377\\376",
        ] {
            let end = end_of(&format!("printf '{reply}\\n'; read further"));
            assert!(matches!(end, WorkerEnd::Confused(_)), "{reply}: {end}");
        }
        let nested = end_of("head -c 1000000 /dev/zero | tr '\\0' '['; echo; read further");
        assert!(matches!(nested, WorkerEnd::Confused(_)), "{nested}");
        let endless = end_of("exec cat /dev/zero");
        assert!(endless.to_string().contains("the line exceeds 67108864 bytes"), "{endless}");
    }

    #[test]
    fn who_ended_a_process_is_told_by_how_it_ended() {
        let own = end_of("echo 'it printed'; echo 'worker: no thread can be started' >&2; exit 70");
        assert!(matches!(own, WorkerEnd::Confused(_)), "earlier output is read first: {own}");
        let own = end_of("echo 'worker: no thread can be started' >&2; exit 70");
        assert_eq!(own, WorkerEnd::Environment("the worker's own code failed: no thread can be started".to_owned()));
        assert_eq!(end_of("exit 70"), WorkerEnd::Crashed("exit status 70".to_owned()), "a library may do this too");
        assert_eq!(end_of("kill -SEGV $$"), WorkerEnd::Crashed("signal 11 (SIGSEGV)".to_owned()));
        assert_eq!(end_of("kill -XCPU $$"), WorkerEnd::Crashed("signal 24 (SIGXCPU)".to_owned()));
        assert_eq!(
            end_of("kill -BUS $$"),
            WorkerEnd::Crashed("signal 7 (SIGBUS)".to_owned()),
            "the file system has space"
        );
    }
}
