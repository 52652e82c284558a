//! Performs lanes at once: each on its actor's thread, in its process, with its own share of the execution.

use std::collections::BTreeSet;

use record::Verdict;
use steps::program::{Lane as Statements, Readiness, Statement};
use steps::{ActorId, AxisId, Id};

use super::execution::Execution;
use super::fault::{Fault, Stop};
use super::lane::{Lane, TICKS};
use super::threads::Work;
use crate::case::{CaseReport, Value};
use crate::wire::Turn;

impl<'a> Execution<'a> {
    /// Performs the lanes of this process at once with those of other processes, and waits for all of them.
    pub(super) fn together(
        &mut self,
        statement: &'a Statement,
        jitter: AxisId,
        lanes: &'a [Statements],
    ) -> Result<(), Stop> {
        let program = self.prepared.program;
        if let Some(turns) = &self.turns
            && lanes.iter().any(|lane| turns.gone[program.actors[lane.actor].process])
        {
            return Err(Fault::Gone.into());
        }
        self.synchronize()?;
        let base = self.tick;
        let result = match self.perform_lanes(statement, jitter, lanes) {
            Err(Stop::Fault(fault)) => {
                self.report.fail(Verdict::Error, statement.span, fault.to_string());
                Err(Stop::Failed)
            }
            other => other,
        };
        self.tick = base + TICKS;
        if self.turns.is_some() { self.join_processes(lanes, result) } else { result }
    }

    fn perform_lanes(&mut self, statement: &'a Statement, jitter: AxisId, lanes: &'a [Statements]) -> Result<(), Stop> {
        let program = self.prepared.program;
        let own: Vec<(usize, &'a Statements)> = lanes
            .iter()
            .enumerate()
            .filter(|(_, lane)| program.actors[lane.actor].process == self.prepared.process)
            .collect();
        let meeting = self.meeting.unwrap_or(self.flight);
        let meet = |arriving: u32| meeting.meeting().meet(lanes.len() as u32, arriving);
        let prepared = own.iter().try_for_each(|(_, lane)| self.prepare_thread(lane.actor));
        if prepared.is_err() {
            meet(own.len() as u32);
            return prepared;
        }
        let mut parts: Vec<(&'a Statements, Execution<'a>, Result<(), Stop>)> = Vec::new();
        for (position, lane) in own {
            let level = match self.values.get(jitter.index()) {
                Some(Value::List(levels)) => levels.get(position).copied().unwrap_or(0),
                _ => 0,
            };
            let mut part = self.part(lane.actor, u32::try_from(level).unwrap_or(0));
            part.setup = statement.setup;
            parts.push((lane, part, Ok(())));
        }
        let mut works: Vec<Work<'_>> = Vec::new();
        for (lane, part, result) in &mut parts {
            let thread = program.actors[lane.actor].thread.map(|_| lane.actor);
            works.push((thread, Box::new(move || *result = part.perform_lane(&lane.body, meet))));
        }
        let done = self.threads.together(works);
        let mut first = Ok(());
        for (lane, part, result) in parts {
            self.join(lane.actor, part);
            if let (Ok(()), Err(stop)) = (&first, result) {
                first = Err(stop);
            }
        }
        done?;
        first
    }

    /// Starts the thread of an actor that has one.
    pub(super) fn prepare_thread(&mut self, actor: ActorId) -> Result<(), Stop> {
        match self.actor(actor).thread {
            Some(state) => self.run_on(actor, |execution, fresh| match state {
                Readiness::Device if fresh => execution.select_device(actor),
                _ => Ok(()),
            }),
            None => Ok(()),
        }
    }

    /// The share of a lane: the same variables and values, and separate records of what it does.
    pub(super) fn part(&mut self, actor: ActorId, jitter: u32) -> Execution<'a> {
        Execution {
            memory: self.memory.share(),
            values: self.values.clone(),
            tick: self.tick,
            control: self.control,
            ignored: self.ignored,
            observed: self.observed,
            life: self.life,
            performer: actor,
            descriptors: self.descriptors.share(),
            lane: Some(Lane {
                number: actor.index() as u32 + 1,
                base: self.tick,
                started: 0,
                seed: self.memory.salt ^ self.tick,
                jitter,
                pauses: 0,
                changed: Vec::new(),
                made: None,
                released: Vec::new(),
            }),
            ..Execution::new(self.prepared, self.flight)
        }
    }

    fn perform_lane(&mut self, body: &'a [Statement], meet: impl Fn(u32) -> u64) -> Result<(), Stop> {
        let number = self.lane.as_ref().map_or(0, |lane| lane.number);
        self.flight.enter_lane(number);
        let started = meet(1);
        if let Some(lane) = &mut self.lane {
            lane.started = started;
        }
        let result = self.statements(body);
        self.flight.leave_lane(number);
        result
    }

    /// Adds what a lane did to the case.
    pub(super) fn join(&mut self, actor: ActorId, mut part: Execution<'a>) {
        self.steps = self.steps.saturating_add(part.steps);
        self.memory.join(&mut part.memory);
        if let Some(lane) = part.lane.take() {
            // The order of releases must not depend on which lane was faster, also across processes.
            let tick = if lane.made.is_some() { self.tick } else { lane.base + u64::from(lane.number) };
            part.held.iter_mut().for_each(|held| held.tick = tick);
            for (function, arguments) in &lane.released {
                self.released(function, arguments);
            }
            if let Some(turns) = &mut self.turns {
                turns.changed.extend(lane.changed);
            }
        }
        part.seen.drain(..).for_each(|call| self.note_seen(call));
        // In the order of lanes, so that releases have the same order each time.
        self.held.append(&mut part.held);
        self.deferred.append(&mut part.deferred);
        self.descriptors.join(&mut part.descriptors);
        self.fatal = self.fatal.take().or(part.fatal.take());
        self.kept = self.kept.take().or(part.kept.take());
        let report = std::mem::take(&mut part.report);
        self.add(report, &self.prepared.program.actors[actor].name);
    }

    fn add(&mut self, report: CaseReport, actor: &str) {
        let all = &mut self.report;
        all.checks = all.checks.saturating_add(report.checks);
        all.free_branch = all.free_branch.or(report.free_branch);
        all.findings.extend(report.findings);
        all.answers.extend(report.answers);
        all.exceeds = all.exceeds.take().or(report.exceeds);
        match (&all.failure, report.failure) {
            (None, failure) => all.failure = failure,
            (Some(_), Some(failure)) => {
                all.findings.push(format!("at the same time, in the lane of {actor}: {}", failure.message));
            }
            (Some(_), None) => {}
        }
    }

    /// Waits for the lanes of all processes, and makes the variables the same in all of them. If several processes
    /// failed, the failure of the first lane counts.
    fn join_processes(&mut self, lanes: &'a [Statements], result: Result<(), Stop>) -> Result<(), Stop> {
        let mut processes = BTreeSet::new();
        let mut failed_before = false;
        let mut elsewhere = false;
        for lane in lanes {
            let process = self.actor(lane.actor).process;
            if !processes.insert(process) {
                continue;
            }
            let Some(turns) = &mut self.turns else { break };
            (turns.holder, turns.passed) = (process, false);
            let mine = turns.me == process;
            if mine {
                failed_before = elsewhere;
            }
            match self.exchange(Turn { failed: mine && result.is_err(), ..Turn::default() }) {
                Err(Stop::Elsewhere) => elsewhere = true,
                other => other?,
            }
        }
        if result.is_err() && failed_before {
            if let Some(failure) = self.report.failure.take() {
                self.report.findings.push(format!("at the same time: {}", failure.message));
            }
            return Err(Stop::Elsewhere);
        }
        if result.is_ok() && elsewhere { Err(Stop::Elsewhere) } else { result }
    }
}
