//! Executes one program: its memory, its calls, and the resources it acquires.

use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::sync::Arc;

use abi::Function;

use crate::case::{Scope, Value};
use catalog::{Handle, LifeCycleProgram, PythonModule, ReleaseArgument, Resource, Rules};
use record::{Picture, Verdict};
use steps::branches::FreeBranch;
use steps::judgment::Judgment;
use steps::program::{Actor, Call, Expression, Program};
use steps::results::ResultType;
use steps::types::is_address;
use steps::{ActorId, StatementId, VariableId};

use super::begun::Begun;
use super::descriptors::Descriptors;
use super::fault::{Fault, Stop};
use super::lane::Lane;
use super::library::Loaded;
use super::link::Turns;
use super::memory::Memory;
use super::python::Entry;
use super::recorded::{now, recorded};
use super::selections::{Effect, Selections};
use super::threads::Threads;
use crate::case::{CaseReport, FailedCall, OpenQuestion, QuestionKind, Told, class_of, note, with_class};
use crate::wire::flight::{self, Flight, RELEASE};
use crate::wire::message::SeenCall;

/// A program prepared for a library: everything that does not change between cases.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub program: &'a Program,
    pub rules: &'a Rules,
    /// The life cycle that contains the program; `None` for a rule's program.
    pub life_cycle: Option<&'a LifeCycleProgram>,
    /// The places of the program's functions, in program order; `None` for a function that is not exported.
    pub entries: Vec<Option<Entry>>,
    /// The Python module through which calls are made, if any.
    pub module: Option<&'a PythonModule>,
    /// The type of the codes that each function returns.
    pub results: Vec<Option<&'a ResultType>>,
    /// The resource that each function acquires, with its position in the catalog's list.
    pub acquires: Vec<Option<(usize, &'a Resource)>>,
    /// The operations of histories that each function performs, if the program checks them.
    pub recorded: Vec<Vec<(usize, usize)>>,
    /// The sides of `if` statements on which the program judges nothing.
    pub free_branches: BTreeMap<StatementId, FreeBranch>,
    /// For each function, true if it releases a resource.
    pub releases: Vec<bool>,
    /// Each function's effect on the selected devices.
    effects: Vec<Option<Effect>>,
    selections: Arc<Selections>,
    /// The release functions by resource, in the order of the catalog's list; `None` for a function that is not
    /// exported or not needed.
    pub release_functions: Vec<Option<(&'static Function, Entry)>>,
    pub scope: &'a Scope,
    /// This process's device.
    pub device: u32,
    /// This process's position in the program.
    pub process: usize,
}

// SAFETY: the addresses belong to a library that stays loaded.
unsafe impl Send for Prepared<'_> {}
// SAFETY: as above; no content changes.
unsafe impl Sync for Prepared<'_> {}

/// A resource that the case must release.
#[derive(Debug)]
pub(super) struct Held<'a> {
    pub resource: &'a Resource,
    /// The resource's position in the catalog's list.
    pub index: usize,
    /// The handle, widened from its type.
    pub handle: u64,
    /// The acquiring call's arguments, if the release uses any of the arguments.
    pub arguments: Vec<u64>,
    /// For a handle that is a buffer: the buffer's bytes when it was acquired.
    pub bytes: Option<Vec<u8>>,
    /// The position in the order across all processes in the case.
    pub tick: u64,
    /// True if the release is judged. A release is judged only if the acquiring call is judged.
    pub judged: bool,
}

/// The execution of a program in this process.
pub(super) struct Execution<'a> {
    pub prepared: &'a Prepared<'a>,
    pub memory: Memory,
    pub flight: &'a Flight,
    pub values: Vec<Value>,
    pub held: Vec<Held<'a>>,
    /// The calls that `defer` has scheduled.
    pub deferred: Vec<&'a Call>,
    /// The number of statements passed so far, which is the same in all processes in the case.
    pub tick: u64,
    /// The number of statements and loop iterations that this process has executed.
    pub steps: u64,
    pub report: CaseReport,
    pub turns: Option<Turns<'a>>,
    pub threads: Threads,
    /// True while the rule's set-up runs.
    pub setup: bool,
    pub control: bool,
    /// For proofs: a judgment to leave out. Checked only after a failure.
    pub ignored: Option<Judgment>,
    /// The ids of statements whose checks are only reported.
    pub observed: &'a [StatementId],
    /// A call that returned a code after which the process is unusable.
    pub fatal: Option<(usize, i128)>,
    /// The case's first failed call whose code the rule stores or did not expect.
    pub kept: Option<FailedCall>,
    /// The life cycle, for threads that select a device.
    pub life: Option<&'a Prepared<'a>>,
    /// The life cycles of threads that have selected a device, by actor.
    pub thread_lives: BTreeMap<ActorId, Execution<'a>>,
    /// The calls that have begun and not ended, by actor.
    pub begun: BTreeMap<ActorId, Begun<'a>>,
    /// The reason why the process cannot be used further.
    pub stuck: Option<String>,
    /// The lane that this execution performs; `None` outside `together`.
    pub lane: Option<Lane>,
    /// The recorder in whose memory the case's lanes meet; `None` if they are all in this process.
    pub meeting: Option<&'a Flight>,
    /// The places of the last call's out-variables, each with its length.
    pub outs: Vec<(*const u8, usize)>,
    /// The actor of the current statement.
    pub performer: ActorId,
    /// The calls of histories in the case, as far as this process knows them.
    pub seen: Vec<SeenCall>,
    /// Those that other processes of the case do not know yet.
    pub unsent: Vec<SeenCall>,
    /// The part for which the latest check found no order.
    pub inconsistent: Option<Box<Picture>>,
    /// The descriptors that the case opens.
    pub descriptors: Descriptors,
    /// The number of the descriptor that arrived for the current statement.
    pub arrived: Option<RawFd>,
}

impl<'a> Prepared<'a> {
    /// Looks up everything that a rule's program needs.
    pub(super) fn new(
        program: &'a Program,
        rules: &'a Rules,
        library: &mut Loaded<'_>,
        scope: &'a Scope,
        device: u32,
        process: usize,
    ) -> Prepared<'a> {
        let entries = program.functions.iter().map(|function| library.entry(function)).collect();
        let types = &rules.environment.results.0;
        let results = program.results.iter().map(|position| types.get((*position)?)).collect();
        let acquires = program
            .functions
            .iter()
            .map(|function| rules.resources.iter().enumerate().find(|(_, made)| made.acquire == function.name))
            .collect();
        let releases = program
            .functions
            .iter()
            .map(|function| rules.resources.iter().any(|resource| resource.released_by(function.name).is_some()))
            .collect();
        let effects = program.functions.iter().map(|function| library.selections.effect(function.name)).collect();
        let release_functions = rules
            .resources
            .iter()
            .map(|resource| {
                let needed = program.functions.iter().any(|function| function.name == resource.acquire);
                let function =
                    rules.environment.declarations.function(&resource.release.function).filter(|_| needed)?;
                library.entry(function).map(|entry| (function, entry))
            })
            .collect();
        Prepared {
            program,
            rules,
            life_cycle: None,
            module: rules.python.as_ref().filter(|_| library.python.is_some()),
            entries,
            recorded: recorded(program, rules),
            free_branches: program.free_branches(),
            results,
            acquires,
            releases,
            effects,
            selections: library.selections.clone(),
            release_functions,
            scope,
            device,
            process,
        }
    }

    /// Same as `new`, for a life cycle's program.
    pub(super) fn life_cycle(
        life: &'a LifeCycleProgram,
        rules: &'a Rules,
        library: &mut Loaded<'_>,
        scope: &'a Scope,
        device: u32,
    ) -> Prepared<'a> {
        Prepared { life_cycle: Some(life), ..Prepared::new(&life.program, rules, library, scope, device, 0) }
    }
}

impl<'a> Execution<'a> {
    pub(super) fn new(prepared: &'a Prepared<'a>, flight: &'a Flight) -> Execution<'a> {
        Execution {
            prepared,
            memory: Memory::new(prepared.program.frame),
            flight,
            values: Vec::new(),
            held: Vec::new(),
            deferred: Vec::new(),
            tick: 0,
            steps: 0,
            report: CaseReport::default(),
            turns: None,
            threads: Threads::default(),
            setup: false,
            control: false,
            ignored: None,
            observed: &[],
            fatal: None,
            kept: None,
            life: None,
            thread_lives: BTreeMap::new(),
            begun: BTreeMap::new(),
            stuck: None,
            lane: None,
            meeting: None,
            outs: Vec::new(),
            performer: ActorId::DEFAULT,
            seen: Vec::new(),
            unsent: Vec::new(),
            inconsistent: None,
            descriptors: Descriptors::default(),
            arrived: None,
        }
    }

    /// Discards the previous case and takes the next case's values.
    pub(super) fn begin(&mut self, values: Vec<Value>, salt: u64) {
        self.memory.reset(salt);
        self.values = values;
        self.held.clear();
        self.deferred.clear();
        self.tick = 0;
        self.steps = 0;
        self.report = CaseReport::default();
        self.kept = None;
        self.setup = false;
        self.control = false;
        self.seen.clear();
        self.unsent.clear();
        self.inconsistent = None;
        self.descriptors.begin(self.prepared.program.opens_descriptors);
        self.arrived = None;
    }

    pub(super) fn actor(&self, actor: ActorId) -> &'a Actor {
        &self.prepared.program.actors[actor]
    }

    /// Makes a call and returns its typed result. An answer that no document settles is recorded.
    pub(super) fn call(&mut self, call: &'a Call, free: bool) -> Result<i128, Stop> {
        let function = self.prepared.program.functions[call.function];
        let Some(entry) = self.prepared.entries[call.function] else {
            let message = self.not_offered(function.name);
            let absent = FailedCall { function: function.name.to_owned(), code: None };
            self.report.fail_call(Verdict::Blocked, call.span, message, Some(absent));
            return Err(Stop::Failed);
        };
        let mut arguments = [0u64; flight::ARGUMENTS];
        self.outs.clear();
        let mut structure = [0u64; 8];
        for (index, argument) in call.arguments.iter().enumerate() {
            arguments[index] = self.argument(argument, &mut structure)?;
        }
        let arguments = &arguments[..call.arguments.len()];
        let site = call.site as u32 | if self.prepared.life_cycle.is_some() { flight::LIFE_CYCLE } else { 0 };
        let lane = self.lane.as_ref().map_or(0, |lane| lane.number);
        let slot = self.flight.begin_call(lane, site, self.tick, arguments);
        if let Some(lane) = &self.lane {
            lane.announce();
        }
        let recorded = self.records(call.function);
        let invoked = if recorded { now() } else { 0 };
        // SAFETY: the place is this function's. The pointers come from the rule's steps, which are under test: if
        // the library faults on them, this process ends and the supervisor reports that.
        let answer = unsafe { entry.call(function, arguments) };
        let returned = if recorded { now() } else { 0 };
        super::copies::end_copy(self.flight);
        self.flight.end_call(slot, *answer.as_ref().unwrap_or(&0));
        let raw = match answer {
            Ok(raw) => raw,
            Err(broken) => {
                let verdict = if self.setup { Verdict::Blocked } else { Verdict::Fail };
                let failed = FailedCall { function: function.name.to_owned(), code: None };
                self.report.fail_call(verdict, call.span, broken, Some(failed));
                return Err(Stop::Failed);
            }
        };
        let result = typed(function.returns, raw);
        if free && self.prepared.life_cycle.is_none() {
            self.note_answer(call, function, arguments, result);
        }
        if recorded {
            self.record(call.function, arguments, self.succeeded(call.function, result), [invoked, returned]);
        }
        if self.succeeded(call.function, result) {
            if let (Some(effect), [device]) = (self.prepared.effects[call.function], arguments) {
                self.prepared.selections.note(effect, *device);
            }
            if let Some((index, resource)) = self.prepared.acquires[call.function] {
                self.acquired(index, resource, arguments);
            }
            if self.prepared.releases[call.function] {
                self.released(function.name, arguments);
            }
            if !self.prepared.program.exports.is_empty() {
                self.note_exports(call, arguments);
            }
        } else if self.prepared.results[call.function].is_some_and(|codes| codes.fatal.contains(&result)) {
            self.fatal = Some((call.function, result));
        }
        Ok(result)
    }

    /// Records the answer from a call that is allowed to answer in different ways.
    fn note_answer(&mut self, call: &Call, function: &Function, arguments: &[u64], result: i128) {
        let told = match i64::try_from(result) {
            _ if is_address(function.returns) => Told::Address(result != 0),
            Ok(code) if self.prepared.results[call.function].is_some() => Told::Code(code),
            // If numbers matter, rules observe them explicitly.
            _ => return,
        };
        let parameters = function.parameters.iter().zip(arguments).enumerate();
        let classes = parameters.fold(0, |classes, (index, (parameter, raw))| {
            let class = match parameter.ty {
                abi::Type::Struct(_) => 1,
                ty if is_address(ty) => u64::from(*raw != 0),
                ty => class_of(typed(ty, *raw), matches!(ty, abi::Type::Enumeration { .. })),
            };
            with_class(classes, index, class)
        });
        let asked = QuestionKind::Call { function: call.function, classes };
        note(&mut self.report.answers, OpenQuestion::at(call.span, asked), told);
    }

    /// The message for a function that the library lacks or, if calls go through a Python module, the module.
    fn not_offered(&self, function: &str) -> String {
        let form = self.prepared.module.and_then(|module| module.functions.get(function).map(|form| (module, form)));
        match form {
            Some((module, form)) => {
                format!("{}.{}, or {function} of the library, does not exist", module.module, form.call)
            }
            None => format!("the library does not export {function}"),
        }
    }

    fn argument(&mut self, argument: &'a steps::program::Argument, structure: &mut [u64; 8]) -> Result<u64, Stop> {
        use abi::Type;
        use steps::program::Argument;
        match argument {
            Argument::Value { value: Expression::Load { place, ty: ty @ Type::Struct(_) }, .. } => {
                // A struct that is passed by value: its bytes or, if it is larger than a register, its address.
                let size = self.prepared.rules.environment.declarations.size(*ty);
                let pointer = self.address(place, size)?;
                if size > 8 {
                    return Ok(pointer as u64);
                }
                // SAFETY: the place has `size` bytes, which is at most 8.
                unsafe { structure.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(pointer, size) };
                Ok(structure[0])
            }
            Argument::Value { value, ty } => {
                let value = self.evaluate(value)?;
                let (low, high) = steps::types::range(*ty);
                if value < low || value > high {
                    return Err(Fault::DoesNotFitParameter { value, ty: *ty }.into());
                }
                Ok(value as u64)
            }
            Argument::Out { place, bytes } => {
                let pointer = self.address(place, *bytes)?;
                let poison = self.memory.poison_word().to_le_bytes();
                for at in 0..*bytes {
                    // SAFETY: the place has `bytes` bytes.
                    unsafe { pointer.add(at).write(poison[at % 8]) };
                }
                self.outs.push((pointer, *bytes));
                Ok(pointer as u64)
            }
        }
    }

    /// True if an out-variable of the previous call still holds poison.
    pub(super) fn unwritten_out(&self) -> bool {
        let poison = self.memory.poison_word().to_le_bytes();
        self.outs.iter().any(|(pointer, bytes)| {
            // SAFETY: this is the place of an out-variable in the call that was just made.
            (0..*bytes).all(|at| unsafe { *pointer.add(at) } == poison[at % 8])
        })
    }

    fn acquired(&mut self, index: usize, resource: &'a Resource, arguments: &[u64]) {
        let parameter = arguments[resource.parameter];
        let rules = self.prepared.rules;
        let mut bytes = None;
        let handle = match resource.handle {
            Handle::Argument(_) => parameter,
            // A broken library may accept a null address for the handle. The resource then has no known handle.
            Handle::Pointee(_) | Handle::Buffer(_) if parameter == 0 => return,
            Handle::Pointee(ty) => {
                let mask = resource.handle.mask(&rules.environment.declarations);
                let mut word = [0; 8];
                let size = rules.environment.declarations.size(ty).min(word.len());
                // SAFETY: the function succeeded, and its out-parameter points to a handle of this size, which is
                // at most 8.
                unsafe { word.as_mut_ptr().copy_from_nonoverlapping(parameter as *const u8, size) };
                let handle = u64::from_le_bytes(word);
                // The call did not change the variable, so there is nothing to release.
                if handle == self.memory.poison_word() & mask {
                    return;
                }
                typed(ty, handle) as u64
            }
            Handle::Buffer(length) => {
                // SAFETY: the buffer has the length that the catalog states for this handle.
                bytes = Some(unsafe { std::slice::from_raw_parts(parameter as *const u8, length) }.to_vec());
                parameter
            }
        };
        let arguments = if resource.kept().next().is_some() { arguments.to_vec() } else { Vec::new() };
        self.held.push(Held { resource, index, handle, arguments, bytes, tick: self.tick, judged: true });
    }

    pub(super) fn released(&mut self, function: &'static str, arguments: &[u64]) {
        let declarations = &self.prepared.rules.environment.declarations;
        let same = |held: &Held<'_>| {
            let position = held.resource.released_by(function);
            let Some(given) = position.and_then(|position| arguments.get(position)) else { return false };
            match &held.bytes {
                Some(_) if *given == 0 => false,
                Some(bytes) => {
                    // SAFETY: the release function takes a buffer with the same length.
                    let given = unsafe { std::slice::from_raw_parts(*given as *const u8, bytes.len()) };
                    given == bytes.as_slice()
                }
                // Releasing a null pointer has no effect, but the number 0 is an ordinary handle.
                None if *given == 0 && is_address(held.resource.handle.ty()) => false,
                None => (held.handle ^ given) & held.resource.handle.mask(declarations) == 0,
            }
        };
        // If two resources have the same handle, the search selects the resource that the rule expects to exist.
        let found = self.held.iter().rposition(|held| held.judged && same(held));
        let found = found.or_else(|| self.held.iter().rposition(same));
        match (found, &mut self.lane) {
            (Some(found), _) => drop(self.held.remove(found)),
            // The resource may have been acquired before the lanes began.
            (None, Some(lane)) => lane.released.push((function, arguments.to_vec())),
            (None, None) => {}
        }
    }

    /// Releases the resources acquired at or after a tick, most recent first.
    pub(super) fn release(&mut self, floor: u64) {
        while let Some(mut held) = self.held.pop_if(|held| held.tick >= floor) {
            // After a fatal code, every later call of the process may answer the same.
            held.judged &= self.fatal.is_none();
            let release = &held.resource.release;
            let Some((function, entry)) = self.prepared.release_functions[held.index] else {
                let absent = FailedCall { function: release.function.clone(), code: None };
                let message = self.not_offered(&release.function);
                self.report.fail_release(message, absent);
                continue;
            };
            let handle = match &held.bytes {
                Some(bytes) => bytes.as_ptr() as u64,
                None => held.handle,
            };
            let pass = |argument: &ReleaseArgument| match argument {
                ReleaseArgument::Handle => handle,
                ReleaseArgument::Integer(value) => *value as u64,
                ReleaseArgument::Parameter(position) => held.arguments[*position],
            };
            let mut arguments = [0u64; flight::ARGUMENTS];
            let arguments = &mut arguments[..release.arguments.len()];
            for (place, argument) in arguments.iter_mut().zip(&release.arguments) {
                *place = pass(argument);
            }
            let slot = self.flight.begin_call(0, RELEASE + held.index as u32, self.tick, arguments);
            // SAFETY: the catalog pairs the functions, so this function releases what a call in this case acquired.
            let answer = unsafe { entry.call(function, arguments) };
            super::copies::end_copy(self.flight);
            self.flight.end_call(slot, *answer.as_ref().unwrap_or(&0));
            let raw = match answer {
                Ok(raw) => raw,
                Err(broken) => {
                    if held.judged {
                        let failed = FailedCall { function: function.name.to_owned(), code: None };
                        self.report.fail_release(format!("in a release, {broken}"), failed);
                    }
                    continue;
                }
            };
            let result = typed(function.returns, raw);
            let codes = self.prepared.rules.environment.results.of(function.returns);
            if held.judged
                && let Some(codes) = codes.filter(|codes| !codes.succeeded(result))
            {
                let code = codes.shown(result);
                let message = format!("releasing with {} returned {code}, expected success", function.name);
                let failed = FailedCall { function: function.name.to_owned(), code: i64::try_from(result).ok() };
                self.report.fail_release(message, failed);
            }
        }
    }

    /// True if this answer means that the function succeeded. A function whose answer does not indicate success
    /// cannot fail.
    pub(super) fn succeeded(&self, function: usize, result: i128) -> bool {
        self.prepared.results[function].is_none_or(|codes| codes.succeeded(result))
    }

    /// A function's answer, with the name of the code.
    pub(super) fn code(&self, function: usize, code: i128) -> String {
        self.prepared.results[function].map_or_else(|| code.to_string(), |codes| codes.shown(code))
    }

    /// The answer, if any, after which the process is unusable.
    pub(super) fn fatal_answer(&self) -> Option<String> {
        if let Some(stuck) = &self.stuck {
            return Some(stuck.clone());
        }
        let (function, code) = self.fatal?;
        Some(format!("{} returned {}", self.prepared.program.functions[function].name, self.code(function, code)))
    }

    /// The place of a variable in the frame.
    pub(super) fn slot(&mut self, variable: VariableId) -> *mut u8 {
        // SAFETY: the frame was created for this program, and the offset belongs to one of its variables.
        unsafe { self.memory.frame().add(self.prepared.program.variables[variable].offset) }
    }

    /// The address and length in bytes of an array; `None` before its declaration was executed.
    pub(super) fn array(&self, slot: *const u8) -> Option<(*mut u8, usize)> {
        // SAFETY: an array's slot holds an address and a length.
        let (array, bytes) = unsafe { (slot.cast::<u64>().read(), slot.cast::<u64>().add(1).read()) };
        (array != self.memory.poison_word()).then_some((array as *mut u8, bytes as usize))
    }
}

/// A widened result, converted to its type.
pub(super) fn typed(ty: abi::Type, raw: u64) -> i128 {
    steps::types::wrap(ty, i128::from(raw))
}
