//! Executes statements: control flow, verdicts, and turns.

use catalog::{LifeCycleProgram, Section};
use record::Verdict;
use steps::Span;
use steps::judgment::Judgment;
use steps::program::{Call, Expect, Expression, Statement, StatementKind};
use steps::syntax::BinaryOperator;
use steps::{StatementId, VariableId};

use super::evaluate::c_text;
use super::execution::Execution;
use super::fault::{Fault, Stop};
use super::gates;
use crate::case::{CaseReport, FailedCall, OpenQuestion, QuestionKind, Told, Trouble, note};

impl<'a> Execution<'a> {
    /// Runs all statements in a case, up to the releases. The result is in the report.
    pub(super) fn run_steps(&mut self) {
        let program = self.prepared.program;
        let result = self.statements(&program.statements).and_then(|()| self.observe());
        gates::open_all();
        self.flight.note_closed_gates(0);
        self.finish_begun();
        if let Err(Stop::Fault(fault)) = &result {
            self.report.fail(Verdict::Error, Span::default(), fault.to_string());
        }
        self.descriptors.complete = result.is_ok();
        if let Err(Stop::Failed | Stop::Fault(_)) = result {
            self.tell_failure();
        }
        if self.report.failure.is_none()
            && let Some((at, bytes)) = self.memory.broken_guard()
        {
            let message = format!("byte {at} was written, outside the {bytes}-byte host buffer that the rule passed");
            self.report.fail(Verdict::Fail, Span::default(), message);
        }
        if self.report.failure.is_none()
            && let Some((at, bytes)) = self.memory.late_write()
        {
            // No sentence promises it, and the rule may have left a call at work: reported, not judged.
            let text = format!("byte {at} of a {bytes}-byte buffer was written, after the buffer's case had ended");
            self.report.findings.push(text);
        }
        if result.is_ok() && self.report.failure.is_none() {
            self.memory.complete();
        }
    }

    /// Runs deferred calls, releases all resources, and judges the releases if the case held.
    pub(super) fn clean_up(&mut self) {
        self.make_deferred_calls();
        self.release(0);
        self.report.judge_releases();
        self.end_threads();
    }

    pub(super) fn make_deferred_calls(&mut self) {
        while let Some(call) = self.deferred.pop() {
            // Deferred calls' answers are not judged: the steps may have already done the same work.
            let _ = self.call(call, true);
        }
    }

    /// Performs an actor's statement.
    pub(super) fn performed(&mut self, statement: &'a Statement) -> Result<(), Stop> {
        let actor = self.actor(statement.actor);
        self.performer = statement.actor;
        if self.lane.is_some() {
            self.setup = statement.setup;
            let result = self.perform(statement);
            self.note_changed(statement);
            return result;
        }
        if self.turns.is_some() && !self.take_turn(actor.process)? {
            return match &statement.kind {
                StatementKind::Begin { .. } if actor.thread.is_none() => self.pass_on(),
                kind => kind.handed().map_or(Ok(()), |load| self.hand_over(load)),
            };
        }
        self.setup = statement.setup;
        if self.turns.is_some()
            && let Some(load) = statement.kind.handed()
        {
            self.be_handed(load, statement)?;
        }
        let result = match (&statement.kind, actor.thread) {
            (StatementKind::Begin { call }, _) => self.begin_apart(statement, call),
            (StatementKind::End { function, call, expect }, _) => self.end_apart(statement, *function, *call, expect),
            (_, None) => self.perform(statement),
            (_, Some(state)) => self.on_thread(statement.actor, state, statement),
        };
        self.note_changed(statement);
        result
    }

    /// A query's answer, as text.
    pub(super) fn answer(&mut self, query: usize) -> Result<String, String> {
        let (_, expression, ty) = &self.prepared.program.observe[query];
        match self.evaluate(expression) {
            Ok(value) => Ok(self.class(*ty, value)),
            Err(Stop::Fault(fault)) => Err(fault.to_string()),
            Err(_) => {
                Err(self.report.failure.take().map_or_else(|| "it stopped".to_owned(), |failure| failure.message))
            }
        }
    }

    /// Runs a section of the life cycle.
    pub(super) fn run_section(&mut self, section: Section) -> Result<(), Trouble> {
        let block = self.prepared.life_cycle.and_then(|life_cycle| life_cycle.block(section));
        let Some(block) = block else { return Ok(()) };
        self.steps = 0;
        let sets_up = matches!(section, Section::InitUp | Section::DeviceUp);
        // The process may live for hours, and each section may allocate.
        if !sets_up {
            self.memory.free_since_kept();
        }
        let result = self.statement(&self.prepared.program.statements[block]);
        if sets_up {
            self.memory.keep();
        }
        self.held.clear();
        let failure = self.report.failure.take();
        match (result, failure) {
            (Ok(()), _) => Ok(()),
            (Err(Stop::Fault(fault)), _) => Err(fault.to_string().into()),
            (Err(_), None) => Err("it stopped".to_owned().into()),
            (Err(_), Some(failure)) => Err(Trouble { message: failure.message, call: failure.blocked_by }),
        }
    }

    /// Uses for the first time what the runtime loads only then. A call that fails is judged by the rules that use it.
    pub(super) fn warm_up(&mut self) {
        for text in 0..self.prepared.life_cycle.map_or(0, LifeCycleProgram::warm_ups) {
            let block = self.prepared.life_cycle.and_then(|life_cycle| life_cycle.block(Section::WarmUp(text)));
            let Some(block) = block else { continue };
            self.steps = 0;
            self.memory.free_since_kept();
            let _ = self.statement(&self.prepared.program.statements[block]);
            self.release(0);
            self.report = CaseReport::default();
        }
        self.fatal = None;
    }

    /// Executes a statement on this thread.
    pub(super) fn perform(&mut self, statement: &'a Statement) -> Result<(), Stop> {
        match &statement.kind {
            StatementKind::Call { call, expect } => self.judge_call(call, expect, statement.id),
            StatementKind::Effect(expression) => self.evaluate(expression).map(|_| ()),
            StatementKind::Check { condition, info } => self.check(condition, *info, statement),
            StatementKind::Declare { variable, length, values, filled } => {
                self.declare(*variable, length.as_ref(), values, *filled)
            }
            StatementKind::Assign { target, ty, value } => {
                let result = self.evaluate(value)?;
                if let Expression::Call(call, _) = value {
                    self.keep(call.function, result);
                }
                self.store(target, *ty, result)
            }
            StatementKind::Defer(call) => {
                self.deferred.push(call);
                Ok(())
            }
            StatementKind::Refuse { call, until, unless } => self.refuse(call, until.as_ref(), unless),
            StatementKind::For { .. }
            | StatementKind::If { .. }
            | StatementKind::Choose { .. }
            | StatementKind::Block { .. }
            | StatementKind::Together { .. }
            | StatementKind::Begin { .. }
            | StatementKind::End { .. }
            | StatementKind::Exit { .. }
            | StatementKind::Kill { .. } => Err(Fault::Flow.into()),
        }
    }

    fn judge_call(&mut self, call: &'a Call, expect: &'a Expect, id: StatementId) -> Result<(), Stop> {
        let held = self.held.len();
        let info = matches!(expect, Expect::Failure { info: true, .. });
        let observed = info || self.observes(id);
        let free = observed || matches!(expect, Expect::Failure { codes, usually, .. } if *usually || codes.len() != 1);
        let result = self.call(call, free)?;
        let unwritten = self.succeeded(call.function, result) && self.unwritten_out();
        self.judge_result((call.function, call.span), expect, id, (result, unwritten), held)
    }

    /// Judges the result of a call, and the writing of its out-variables. `held` is the number of resources before the
    /// call.
    pub(super) fn judge_result(
        &mut self,
        call: (usize, Span),
        expect: &'a Expect,
        id: StatementId,
        (result, unwritten): (i128, bool),
        held: usize,
    ) -> Result<(), Stop> {
        let info = matches!(expect, Expect::Failure { info: true, .. });
        let observed = info || self.observes(id);
        let (function, _) = call;
        let success = self.succeeded(function, result);
        if !self.setup && !info {
            self.report.checks += 1;
        }
        match expect {
            Expect::Success if !success => {
                let message =
                    format!("{} returned {}, expected success", self.name(function), self.code(function, result));
                self.call_failed(call, result, Verdict::Fail, Judgment::Success, observed, message)
            }
            Expect::Success if unwritten => {
                let message = format!("{} returned success and left an out-variable as it was", self.name(function));
                self.call_failed(call, result, Verdict::Fail, Judgment::Success, observed, message)
            }
            Expect::Success => Ok(()),
            Expect::Failure { .. } if success => {
                if observed || self.ignores(Judgment::Failure(id)) {
                    // The rule does not expect the resource, and therefore would not release it.
                    self.held.iter_mut().skip(held).for_each(|made| made.judged = false);
                }
                let message = format!("{} returned success, it must fail", self.name(function));
                self.call_failed(call, result, Verdict::Fail, Judgment::Failure(id), observed, message)
            }
            Expect::Failure { codes, usually, .. } => {
                let mut expected = Vec::new();
                for code in codes {
                    expected.push(self.evaluate(code)?);
                }
                if expected.is_empty() || expected.contains(&result) {
                    return Ok(());
                }
                let names: Vec<String> = expected.iter().map(|code| self.code(function, *code)).collect();
                // A usual code is the suite's expectation: no document names a code for this call.
                let said = if *usually { "the suite's own (undocumented) expectation is" } else { "documented is" };
                let message = format!(
                    "{} returned {}, {said} {}",
                    self.name(function),
                    self.code(function, result),
                    names.join(" or ")
                );
                if *usually {
                    self.keep(function, result);
                    self.report.findings.push(message);
                    return Ok(());
                }
                self.call_failed(call, result, Verdict::WrongCode, Judgment::Code(id), observed, message)
            }
        }
    }

    /// Records the first failed call whose code the rule stores or did not expect, because checks may refer to that
    /// call.
    fn keep(&mut self, function: usize, result: i128) {
        if !self.succeeded(function, result) && self.kept.is_none() {
            self.kept = Some(FailedCall { function: self.name(function).to_owned(), code: i64::try_from(result).ok() });
        }
    }

    fn name(&self, function: usize) -> &'static str {
        self.prepared.program.functions[function].name
    }

    fn call_failed(
        &mut self,
        (function, span): (usize, Span),
        result: i128,
        verdict: Verdict,
        judgment: Judgment,
        observed: bool,
        message: String,
    ) -> Result<(), Stop> {
        if self.ignores(judgment) {
            return Ok(());
        }
        if observed {
            self.report.findings.push(message);
            if judgment != Judgment::Success {
                return Ok(());
            }
            // After a failed call, everything else is meaningless, including releases in the middle of the steps.
            self.held.iter_mut().for_each(|made| made.judged = false);
            return Err(Stop::Failed);
        }
        let message = if self.control { format!("in the positive control, {message}") } else { message };
        let failed = FailedCall { function: self.name(function).to_owned(), code: i64::try_from(result).ok() };
        let verdict = if self.setup { Verdict::Blocked } else { verdict };
        self.report.fail_call(verdict, span, message, Some(failed));
        Err(Stop::Failed)
    }

    /// True if a statement's judgments are only reported, because its clause does not apply to this edition.
    fn observes(&self, id: StatementId) -> bool {
        !self.observed.is_empty() && !self.setup && self.observed.contains(&id)
    }

    fn ignores(&self, judgment: Judgment) -> bool {
        self.ignored == Some(judgment) && !self.setup
    }

    fn check(&mut self, condition: &'a Expression, info: bool, statement: &'a Statement) -> Result<(), Stop> {
        let holds = self.weigh(condition, info || self.observes(statement.id), statement)?;
        if !info && !self.setup {
            self.report.checks += 1;
        }
        if holds || self.ignores(Judgment::Condition(statement.id)) {
            return Ok(());
        }
        let info = info || self.observes(statement.id);
        let span = statement.span;
        let operands = self.operands(condition);
        let text = self.prepared.program.text(span);
        let text = text.trim_end_matches(';');
        let colon = if operands.is_empty() { "" } else { ": " };
        let message = format!("`{text}` does not hold{colon}{operands}");
        if info {
            self.report.findings.push(message);
            return Ok(());
        }
        let message = if self.control { format!("in the positive control, {message}") } else { message };
        let verdict = if self.setup { Verdict::Blocked } else { Verdict::Fail };
        let kept = self.kept.clone();
        let difference = self.compared(condition);
        let history = self.inconsistent.take();
        let first = self.report.failure.is_none();
        self.report.fail_call(verdict, span, message, kept);
        if let Some(failure) = self.report.failure.as_mut().filter(|_| first) {
            failure.difference = difference;
            failure.history = history;
        }
        Err(Stop::Failed)
    }

    /// Evaluates a condition. Records the alternative or the result if several are allowed.
    fn weigh(&mut self, condition: &'a Expression, reported: bool, statement: &'a Statement) -> Result<bool, Stop> {
        let (holds, told) = match condition {
            Expression::Binary(BinaryOperator::Or, left, right) if !reported => {
                let first = self.evaluate(left)? != 0;
                let holds = first || self.evaluate(right)? != 0;
                (holds, Told::First(first))
            }
            Expression::In(of, set) if !reported => {
                let value = self.evaluate(of)?;
                let mut holds = false;
                for member in set {
                    holds |= self.evaluate(member)? == value;
                }
                (holds, i64::try_from(value).map_or(Told::Other, Told::Value))
            }
            _ if !reported => return Ok(self.evaluate(condition)? != 0),
            _ => {
                let holds = self.evaluate(condition)? != 0;
                (holds, Told::Holds(holds))
            }
        };
        if (holds || reported) && self.prepared.life_cycle.is_none() {
            note(&mut self.report.answers, OpenQuestion::at(statement.span, QuestionKind::Check), told);
        }
        Ok(holds)
    }

    fn declare(
        &mut self,
        variable: VariableId,
        length: Option<&'a Expression>,
        values: &'a [(usize, abi::Type, Expression)],
        filled: bool,
    ) -> Result<(), Stop> {
        let known = &self.prepared.program.variables[variable];
        let size = self.prepared.rules.environment.declarations.size(known.ty);
        let slot = self.slot(variable);
        if let Some(length) = length {
            let length = self.evaluate(length)?;
            let bytes = usize::try_from(length)
                .ok()
                .and_then(|length| length.checked_mul(size))
                .filter(|bytes| *bytes <= 1 << 28);
            let bytes = bytes.ok_or(Fault::Length(length))?;
            let array = self.memory.array(bytes, filled)?;
            self.set_array(slot, array, bytes);
            return Ok(());
        }
        // SAFETY: the variable has `size` bytes in the frame.
        unsafe {
            if filled {
                slot.write_bytes(0, size);
            } else {
                let poison = self.memory.poison_word().to_le_bytes();
                (0..size).for_each(|at| slot.add(at).write(poison[at % 8]));
            }
        }
        for (offset, ty, value) in values {
            let value = self.evaluate(value)?;
            // SAFETY: the offset belongs to a field in the variable.
            self.store_at(unsafe { slot.add(*offset) }, *ty, value)?;
        }
        Ok(())
    }

    /// Records an array's place.
    pub(super) fn set_array(&mut self, slot: *mut u8, array: *mut u8, bytes: usize) {
        // SAFETY: an array's slot has 16 bytes in the frame.
        unsafe {
            slot.cast::<u64>().write(array as u64);
            slot.cast::<u64>().add(1).write(bytes as u64);
        }
    }

    fn refuse(&mut self, call: &'a Call, until: Option<&'a Call>, unless: &'a [Statement]) -> Result<(), Stop> {
        self.report.checks += 1;
        for call in [call].into_iter().chain(until) {
            let result = self.call(call, true)?;
            if !self.succeeded(call.function, result) {
                return Ok(());
            }
        }
        let name = self.name(call.function);
        let held = self.report.clone();
        for statement in unless {
            if let Err(stop) = self.nested(statement) {
                if let (Stop::Failed, Some(failure)) = (&stop, &mut self.report.failure) {
                    failure.message = format!(
                        "{name} accepted what is documented as unsupported, and did not do it: {}",
                        failure.message
                    );
                }
                return Err(stop);
            }
        }
        self.report = held;
        self.report.exceeds = Some(format!("{name} did what is documented as unsupported"));
        Ok(())
    }

    fn observe(&mut self) -> Result<(), Stop> {
        self.synchronize()?;
        if self.prepared.process != 0 {
            return Ok(());
        }
        for (index, (_, expression, ty)) in self.prepared.program.observe.iter().enumerate() {
            let value = self.evaluate(expression)?;
            let class = self.class(*ty, value);
            self.report.observations.push((index, class));
        }
        Ok(())
    }

    /// A value's name in observations: texts unchanged, codes by their names.
    fn class(&self, ty: abi::Type, value: i128) -> String {
        match ty {
            abi::Type::Pointer { to: abi::Type::Char, .. } => {
                c_text(value).map_or_else(|| "null".to_owned(), |text| String::from_utf8_lossy(&text).into_owned())
            }
            // If results are plain integers, a small integer may have any meaning.
            _ => match self.prepared.rules.environment.results.of(ty) {
                Some(codes) if matches!(ty, abi::Type::Enumeration { .. }) || value > 0xFFFF => codes.shown(value),
                _ => value.to_string(),
            },
        }
    }

    /// A variable's bytes, to send to another process.
    pub(super) fn variable_bytes(&mut self, variable: VariableId) -> Vec<u8> {
        let known = &self.prepared.program.variables[variable];
        let slot = self.slot(variable);
        let (pointer, bytes) = if known.array {
            let Some(array) = self.array(slot) else { return Vec::new() };
            array
        } else {
            (slot, self.prepared.rules.environment.declarations.size(known.ty))
        };
        // SAFETY: this is the variable's memory, which has this many bytes.
        unsafe { std::slice::from_raw_parts(pointer, bytes) }.to_vec()
    }

    /// Stores the bytes of a variable that another process bound.
    pub(super) fn set_variable_bytes(&mut self, variable: VariableId, bytes: &[u8]) -> Result<(), Fault> {
        let Some(known) = self.prepared.program.variables.get(variable) else { return Ok(()) };
        let slot = self.slot(variable);
        let target = if known.array {
            let array = self.memory.array(bytes.len(), false)?;
            self.set_array(slot, array, bytes.len());
            array
        } else if bytes.len() == self.prepared.rules.environment.declarations.size(known.ty) {
            slot
        } else {
            return Ok(());
        };
        // SAFETY: the target has the same number of bytes.
        unsafe { target.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}
