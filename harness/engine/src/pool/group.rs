//! Runs a case of a rule that needs several processes or fresh processes.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::case::{CaseFailure, CaseReport, LostIn, Trace, Trouble};
use crate::wire::flight::{CallRecord, LIFE_CYCLE};
use crate::wire::handing::Absent;
use crate::wire::message::{CaseEnd, Reply, Request, RunCase, Stepped};
use crate::wire::trace::{self, Texts};
use crate::wire::{Turn, wait};
use catalog::Rule;
use record::Verdict;

use super::child::{TICK, WorkerProcess};
use super::end::WorkerEnd;
use super::interrupt;

/// The processes for a case, in the rule's order.
pub(super) struct Group<'a> {
    pub texts: Texts<'a>,
    pub rule: &'a Rule,
    pub members: Vec<&'a mut WorkerProcess>,
    pub deadline: Duration,
}

/// The result of running a case in a group.
#[derive(Default)]
pub struct GroupEnd {
    pub report: CaseReport,
    pub trace: Trace,
    /// The members that are now unusable.
    pub lost: Vec<usize>,
    pub output: String,
    pub fatal: Option<Trouble>,
    /// True if a call did not return.
    pub hung: bool,
    /// The failure that a process reported before another process was lost.
    judged: Option<CaseFailure>,
}

impl Group<'_> {
    /// Runs a case.
    pub(super) fn run(&mut self, case: &RunCase) -> GroupEnd {
        let mut gone = vec![false; self.members.len()];
        let mut end = GroupEnd::default();
        if let Err((member, accident)) = self.steps_and_releases(case, &mut gone, &mut end) {
            self.accident(member, &accident, &mut end);
            end.lost = (0..self.members.len()).collect();
        } else {
            end.lost.extend((0..gone.len()).filter(|member| gone[*member]));
        }
        if end.report.failure.is_some() && end.trace.calls.is_empty() {
            end.trace = self.trace();
        }
        end
    }

    fn steps_and_releases(
        &mut self,
        case: &RunCase,
        gone: &mut [bool],
        end: &mut GroupEnd,
    ) -> Result<(), (usize, WorkerEnd)> {
        let meets = self.members.len() > 1 && self.rule.program.has_lanes();
        let meeting = self.members.first().filter(|_| meets).map(|member| member.recorder());
        if let (Some(first), true) = (self.members.first(), meets) {
            first.flight.meeting().clear();
        }
        for (process, member) in self.members.iter_mut().enumerate() {
            let case = RunCase { process, meeting: meeting.clone(), ..case.clone() };
            member.send(&Request::Case(Box::new(case))).map_err(|accident| (process, accident))?;
        }
        let mut stepped: Vec<Option<Stepped>> = self.members.iter().map(|_| None).collect();
        while let Some(member) = self.next_speaker(&stepped, gone)? {
            let reply = match self.members[member].buffered() {
                Ok(Some(reply)) => reply,
                Ok(None) => continue,
                Err(accident) => return Err((member, accident)),
            };
            match reply {
                Reply::Turn(turn) => self.relay(member, turn, gone)?,
                Reply::Stepped(result) => {
                    end.judged = end.judged.take().or_else(|| result.report.failure.clone());
                    stepped[member] = Some(*result);
                }
                other => return Err((member, WorkerEnd::Confused(format!("{other:?}")))),
            }
        }
        let mut held: Vec<(u64, usize)> = Vec::new();
        for (member, stepped) in stepped.into_iter().enumerate() {
            let Some(stepped) = stepped else { continue };
            held.extend(stepped.held.iter().map(|tick| (*tick, member)));
            merge(&mut end.report, stepped.report);
            end.fatal = end.fatal.take().or(stepped.fatal.map(Trouble::from));
        }
        if end.report.failure.is_some() {
            end.trace = self.trace();
        }
        held.sort_unstable();
        while let Some((tick, member)) = held.pop() {
            match self.members[member].ask(&Request::Release(tick), self.deadline) {
                Ok(Reply::Released(failed, call)) => {
                    end.report.releases.extend(failed);
                    end.report.unreleased = end.report.unreleased.take().or(call);
                }
                Ok(other) => return Err((member, WorkerEnd::Confused(format!("{other:?}")))),
                Err(accident) => return Err((member, accident)),
            }
        }
        for (member, gone) in gone.iter().enumerate() {
            if *gone {
                continue;
            }
            match self.members[member].ask(&Request::EndCase, self.deadline) {
                Ok(Reply::Ready(CaseEnd { trouble, manners, memory_limit })) => {
                    let several = self.members.len() > 1;
                    let name = &self.rule.program.processes[member].name;
                    let named = |text| if several { format!("in process {name}: {text}") } else { text };
                    let limit = memory_limit.iter().map(ToString::to_string);
                    end.report.findings.extend(manners.into_iter().chain(limit).map(named));
                    end.report.memory_limit = end.report.memory_limit.take().or(memory_limit);
                    let trouble = trouble.map(|trouble| {
                        let message = format!("could not restore the process: {}", trouble.message);
                        Trouble { message, ..trouble }
                    });
                    end.fatal = trouble.or(end.fatal.take());
                }
                Ok(other) => return Err((member, WorkerEnd::Confused(format!("{other:?}")))),
                Err(accident) => return Err((member, accident)),
            }
        }
        end.report.judge_releases();
        Ok(())
    }

    /// Waits for a complete reply from a running member. `None` if all are done.
    fn next_speaker(
        &mut self,
        stepped: &[Option<Stepped>],
        gone: &[bool],
    ) -> Result<Option<usize>, (usize, WorkerEnd)> {
        let open: Vec<usize> =
            (0..self.members.len()).filter(|member| stepped[*member].is_none() && !gone[*member]).collect();
        if open.is_empty() { Ok(None) } else { speaker(&mut self.members, &open, self.deadline).map(Some) }
    }

    /// Passes a turn to the other processes. If a process leaves, the process ends before the turn is passed.
    fn relay(&mut self, from: usize, turn: Turn, gone: &mut [bool]) -> Result<(), (usize, WorkerEnd)> {
        if let Some(leaver) = turn.leaves.filter(|leaver| *leaver < gone.len()) {
            if turn.kill.is_some() {
                self.members[leaver].kill();
            } else if !self.members[leaver].wait_for_end(self.deadline) {
                let hung = WorkerEnd::Hung(self.deadline);
                return Err((leaver, interrupt::requested().map_or(hung, WorkerEnd::Interrupted)));
            }
            gone[leaver] = true;
        }
        for (member, gone) in gone.iter().enumerate() {
            let answer_to_killer = member == from && turn.kill.is_some();
            if *gone || (member == from && !answer_to_killer) {
                continue;
            }
            self.members[member].send(&Request::Turn(turn.clone())).map_err(|accident| (member, accident))?;
        }
        match turn.hands {
            Some(owner) => self.hand_over(owner, from, gone),
            None => Ok(()),
        }
    }

    /// Passes a descriptor on to the process that waits for it.
    fn hand_over(&mut self, owner: usize, to: usize, gone: &[bool]) -> Result<(), (usize, WorkerEnd)> {
        let handed = match gone.get(owner) {
            Some(false) if owner != to => {
                self.members[owner].take_descriptor(self.deadline).map_err(|accident| (owner, accident))?
            }
            _ => Err(Absent::NotOpen),
        };
        self.members[to].give_descriptor(&handed).map_err(|accident| (to, accident))
    }

    /// Records the loss of a process, using the flight recorders.
    fn accident(&mut self, member: usize, accident: &WorkerEnd, end: &mut GroupEnd) {
        end.trace = self.trace();
        if matches!(accident, WorkerEnd::Hung(_)) {
            self.members[member].examine_hang();
        }
        end.output = self.members[member].output();
        end.hung = matches!(accident, WorkerEnd::Hung(_));
        let holds = self.members.iter().any(|member| member.flight.has_closed_gates());
        let process = &self.members[member];
        let mut failure =
            process.failure(accident, || accident_failure(&self.texts, &process.flight.calls().0, accident, holds));
        if self.members.len() > 1 {
            let name = &self.rule.program.processes[member].name;
            failure.message = format!("in process {name}: {}", failure.message);
        }
        // A process that waits for another one is lost because the other one failed.
        match end.judged.take() {
            Some(judged) => {
                end.report.findings.push(failure.message);
                end.report.failure = Some(judged);
            }
            None => end.report.failure = Some(failure),
        }
        for member in &mut self.members {
            member.kill();
        }
    }

    /// The calls from all processes, in the order in which they were made.
    fn trace(&self) -> Trace {
        let mut records: Vec<(CallRecord, usize)> = Vec::new();
        let mut dropped = 0;
        for (process, member) in self.members.iter().enumerate() {
            let (calls, before) = member.flight.calls();
            dropped = before.saturating_add(dropped);
            records.extend(calls.into_iter().map(|call| (call, process)));
        }
        records.sort_by_key(|(record, process)| (record.tick, *process));
        let sites = self.rule.program.sites();
        let several = self.members.len() > 1;
        let places = self.rule.program.places_of_calls();
        let mut lines = trace::begin(dropped);
        for (record, process) in &records {
            let line = trace::line(&self.texts, &sites, record);
            let line = match several {
                _ if record.lane != 0 => match trace::actor(&self.texts, record) {
                    Some(actor) => format!("{actor}: {line}"),
                    None => line,
                },
                true => format!("{}: {line}", self.rule.program.processes[*process].name),
                false => line,
            };
            lines.add(line, trace::place(&places, record));
        }
        lines
    }
}

/// Waits until one of these members has a complete reply.
fn speaker(
    members: &mut [&mut WorkerProcess],
    open: &[usize],
    deadline: Duration,
) -> Result<usize, (usize, WorkerEnd)> {
    let progress = |members: &[&mut WorkerProcess]| {
        members.iter().fold(0u64, |sum, member| sum.wrapping_add(member.flight.progress()))
    };
    let (mut seen, mut since) = (progress(members), Instant::now());
    let mut ended = None;
    loop {
        if let Some(member) = open.iter().copied().find(|member| members[*member].has_line()) {
            members[member].went_on(since.elapsed());
            return Ok(member);
        }
        let tick = deadline.min(TICK);
        let mut watched: Vec<PollFd<'_>> =
            open.iter().map(|member| PollFd::new(members[*member].replies(), PollFlags::IN)).collect();
        let ready = wait::ready(&mut watched, tick);
        let speaking: Vec<usize> = open
            .iter()
            .zip(&watched)
            .filter(|(_, watched)| !watched.revents().is_empty())
            .map(|(member, _)| *member)
            .collect();
        for member in speaking {
            members[member].read().map_err(|accident| (member, accident))?;
        }
        if ready == 0 {
            // A process that the library started may keep the pipe open after a member ends.
            if let Some(member) = ended {
                return Err((member, members[member].crashed()));
            }
            ended = open.iter().copied().find(|member| members[*member].status().is_some());
        }
        if let Some(signal) = interrupt::requested() {
            return Err((open[0], WorkerEnd::Interrupted(signal)));
        }
        if ready > 0 || progress(members) != seen {
            members[open[0]].went_on(since.elapsed());
            seen = progress(members);
            since = Instant::now();
        } else if members.iter().any(|member| member.is_traced()) {
            since = Instant::now();
        } else if since.elapsed() >= deadline {
            let busy = open.iter().copied().find(|member| !members[*member].flight.between_calls());
            return Err(match busy {
                Some(member) => (member, WorkerEnd::Hung(deadline)),
                None => (open[0], WorkerEnd::Overran(deadline)),
            });
        }
    }
}

/// Describes an accident as a case's failure: verdict, place, call and message. `holds` says whether the rule may hold a
/// stream.
pub(super) fn accident_failure(
    texts: &Texts<'_>,
    calls: &[CallRecord],
    accident: &WorkerEnd,
    holds: bool,
) -> CaseFailure {
    let sites = texts.program.sites();
    let last = calls.last();
    let call = last.and_then(|record| sites.get(record.site as usize).copied().flatten());
    let span = call.map(|call| call.span).unwrap_or_default();
    let place = match last.and_then(|record| Some((trace::named(texts, &sites, record)?, record))) {
        Some((name, record)) if record.state == CallRecord::OPEN => match trace::actor(texts, record) {
            Some(actor) => format!("{name}, called by {actor}, did not return: "),
            None => format!("{name} did not return: "),
        },
        Some((name, _)) => format!("after {name} had returned: "),
        None => String::new(),
    };
    let failure = CaseFailure::of(accident.verdict(), span, format!("{place}{accident}"));
    let open = last.filter(|record| record.state == CallRecord::OPEN);
    let called = open.and_then(|record| trace::function(texts, &sites, record));
    if let (true, WorkerEnd::Hung(_), Some(function), Some(free)) = (holds, accident, called, &texts.rules.may_block)
        && !free.except.contains(function.name)
    {
        let (name, clause) = (function.name, &free.clause);
        let message = format!(
            "{place}{accident}; the rule holds a stream, and the documents let {name} wait for it ({clause}), so nothing \
             is judged"
        );
        return CaseFailure {
            lost_at: last.map(|record| record.site),
            ..CaseFailure::of(Verdict::Blocked, span, message)
        };
    }
    let lost_in = open.and_then(|record| {
        let function = trace::function(texts, &sites, record)?.name.to_owned();
        Some(LostIn { function, life_cycle: record.site & LIFE_CYCLE != 0 })
    });
    CaseFailure { lost_at: last.map(|record| record.site), lost_in, ..failure }
}

fn merge(into: &mut CaseReport, from: CaseReport) {
    into.checks = into.checks.saturating_add(from.checks);
    into.free_branch = into.free_branch.or(from.free_branch);
    into.findings.extend(from.findings);
    into.releases.extend(from.releases);
    into.unreleased = into.unreleased.take().or(from.unreleased);
    into.observations.extend(from.observations);
    into.answers.extend(from.answers);
    into.exceeds = into.exceeds.take().or(from.exceeds);
    match (&into.failure, from.failure) {
        (None, failure) => into.failure = failure,
        (Some(_), Some(failure)) => into.findings.push(format!("at the same time: {}", failure.message)),
        (Some(_), None) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::super::child::tests::worker;
    use super::*;

    #[test]
    fn how_long_a_member_was_waited_for_that_went_on_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let mut member = worker(folder.path(), "sleep 0.1; echo '\"stopped\"'; read further");
        member.send(&Request::Query).unwrap();
        let spoke = speaker(&mut [&mut member], &[0], Duration::from_secs(60));
        assert_eq!(spoke.unwrap(), 0);
        assert!(member.longest.load(Ordering::Relaxed) > 0, "the time of calls is recorded");
    }
}
