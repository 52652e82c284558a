//! The worker's side of the protocol.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::fcntl_dupfd_cloexec;
use simulator_contract::symbol;

use crate::case::{CaseReport, Ran, Scope, Search, SearchResult, Trace, Trouble};
use crate::runtime::Runtime;
use crate::wire::flight::Flight;
use crate::wire::handing::{self, Handed};
use crate::wire::message::{CaseEnd, Reply, Request, RunCase, RunRule, Start, Started, Stepped};
use crate::wire::trace::{Texts, of_site, trace};
use crate::wire::{
    DEAF, FLIGHT, HANDING, OWN_TROUBLE, OWN_TROUBLE_MARK, PARENT_WATCH, REPLIES, REQUESTS, Turn, WORKER, wait,
};
use catalog::book::{decode, decode_rule};
use catalog::digest::unhex;
use catalog::{Alternative, LifeCycleProgram, RECENT_ERROR, Rule, Rules, Section};
use record::MemoryLimit;
use steps::program::{Readiness, Sharing};

use super::descriptors::{Descriptors, is_open};
use super::execution::{Execution, Prepared};
use super::fault::WorkerFault;
use super::lane::open_meeting;
use super::library::Loaded;
use super::link::{Link, Turns};
use super::memory_limit::limit_memory;
use super::process_state::Surroundings;
use super::python::Interpreter;
use super::selections::Selections;

/// If the environment requests a worker, becomes a worker and does not return. Every executable that runs rules calls
/// this function first in `main`.
pub fn run_if_asked(runtimes: &[&'static Runtime]) {
    let Ok(runtime) = std::env::var(WORKER) else { return };
    super::crash::let_signals_end_the_process();
    let work = || match runtimes.iter().find(|known| known.name() == runtime) {
        Some(runtime) => serve(runtime).map_err(|fault| fault.to_string()),
        None => Err(WorkerFault::UnknownRuntime(runtime.clone()).to_string()),
    };
    // Only the suite can panic here: a panic in a library does not reach its caller.
    let status = std::panic::catch_unwind(work).unwrap_or_else(|_| Err("a bug in the suite, see above".to_owned()));
    if let Err(fault) = status {
        eprintln!("{OWN_TROUBLE_MARK}{fault}");
        std::process::exit(OWN_TROUBLE);
    }
    std::process::exit(0);
}

/// The pipes to the supervisor.
struct Wire {
    requests: RefCell<BufReader<File>>,
    replies: File,
    /// The socket through which descriptors pass; `None` under a debugger.
    handing: Option<OwnedFd>,
    /// The files that the two descriptors referred to when the process started.
    pipes: [Option<(u64, u64)>; 2],
}

impl Wire {
    fn new(requests: File, replies: File) -> Wire {
        let pipes = [pipe(&requests), pipe(&replies)];
        Wire { requests: RefCell::new(BufReader::new(requests)), replies, handing: None, pipes }
    }

    fn handing(&self) -> Result<&OwnedFd, WorkerFault> {
        self.handing.as_ref().ok_or(WorkerFault::NotSet(HANDING))
    }

    fn next(&self) -> Result<Option<Request>, WorkerFault> {
        self.expect_open();
        let mut line = String::new();
        let mut requests = self.requests.borrow_mut();
        if requests.buffer().is_empty() {
            // Even if polling finds no request, the read blocks until there is a request.
            wait::ready(&mut [PollFd::new(requests.get_ref(), PollFlags::IN)], Duration::ZERO);
        }
        let read = requests.read_line(&mut line);
        if !matches!(read, Ok(1..)) && pipe(requests.get_ref()) != self.pipes[0] {
            std::process::exit(DEAF);
        }
        match read {
            Ok(0) => Ok(None),
            Ok(_) => {
                let understood = serde_json::from_str(&line).map(Some);
                understood.map_err(|source| WorkerFault::Message { what: "invalid request", source })
            }
            Err(error) => Err(WorkerFault::io("cannot read requests", error)),
        }
    }

    fn reply(&self, reply: &Reply) -> Result<(), WorkerFault> {
        let mut line = serde_json::to_vec(reply)
            .map_err(|source| WorkerFault::Message { what: "cannot encode a reply", source })?;
        line.push(b'\n');
        self.expect_open();
        (&self.replies).write_all(&line).map_err(|error| WorkerFault::io("cannot reply", error))
    }

    /// Ends this process if the library closed a descriptor that the library had not opened, even if the descriptor's
    /// number is in use again. The flight recorder still has the case.
    fn expect_open(&self) {
        let requests = self.requests.try_borrow().map_or(self.pipes[0], |requests| pipe(requests.get_ref()));
        if [requests, pipe(&self.replies)] != self.pipes {
            std::process::exit(DEAF);
        }
    }
}

/// Identifies a descriptor's file; `None` if the descriptor is closed.
fn pipe(file: &File) -> Option<(u64, u64)> {
    let found = rustix::fs::fstat(file).ok()?;
    Some((found.st_dev, found.st_ino))
}

impl Link for Wire {
    fn send(&self, turn: &Turn) -> Result<(), WorkerFault> {
        self.reply(&Reply::Turn(turn.clone()))
    }

    fn receive(&self) -> Result<Turn, WorkerFault> {
        match self.next()? {
            Some(Request::Turn(turn)) => Ok(turn),
            Some(other) => Err(WorkerFault::Unexpected { expected: "a turn", got: format!("{other:?}") }),
            None => std::process::exit(0),
        }
    }

    fn give(&self, handed: Handed<BorrowedFd<'_>>) -> Result<(), WorkerFault> {
        let sent = handing::send(self.handing()?, handed);
        sent.map_err(|error| WorkerFault::io("cannot hand a descriptor over", error))
    }

    fn take(&self) -> Result<Handed<OwnedFd>, WorkerFault> {
        match handing::receive(self.handing()?) {
            Ok(Some(handed)) => Ok(handed),
            Ok(None) => std::process::exit(0),
            Err(error) => Err(WorkerFault::io("cannot receive a descriptor", error)),
        }
    }
}

/// The protocol's connection: files if the process runs under a debugger, otherwise pipes.
fn connect() -> std::io::Result<Wire> {
    let (Some(requests), Some(replies)) = (std::env::var_os(REQUESTS), std::env::var_os(REPLIES)) else {
        return take_descriptors();
    };
    // A debugger may start the process again, which then runs the rule again.
    let requests = File::open(requests)?;
    let replies = File::create(replies)?;
    Ok(Wire::new(requests, replies))
}

/// Moves the protocol from descriptors 0 and 1 to other descriptors, because libraries print.
fn take_descriptors() -> std::io::Result<Wire> {
    use rustix::stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout};
    let requests: OwnedFd = away(stdin())?;
    let replies: OwnedFd = away(stdout())?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(stderr())?;
    Ok(Wire { handing: take_socket(), ..Wire::new(File::from(requests), File::from(replies)) })
}

/// A copy of a descriptor with a high number, which libraries do not close by mistake. A low limit on descriptors may
/// rule out high numbers.
fn away(from: BorrowedFd<'_>) -> rustix::io::Result<OwnedFd> {
    fcntl_dupfd_cloexec(from, 100).or_else(|_| fcntl_dupfd_cloexec(from, 3))
}

/// Moves the inherited socket for descriptors to a number that programs started by the library do not inherit.
fn take_socket() -> Option<OwnedFd> {
    let number: RawFd = std::env::var(HANDING).ok()?.parse().ok()?;
    if !is_open(number) {
        return None;
    }
    // SAFETY: the supervisor opened this number for this process, which takes it only here.
    let inherited = unsafe { OwnedFd::from_raw_fd(number) };
    away(inherited.as_fd()).ok()
}

/// Ends this process when the supervisor is gone, even while a library call hangs.
fn watch_parent() -> std::io::Result<()> {
    use rustix::process::{PidfdFlags, getppid, pidfd_open};
    let parent = getppid();
    let handle = parent.and_then(|parent| pidfd_open(parent, PidfdFlags::empty()).ok());
    let watch = move || {
        while getppid() == parent {
            // If the kernel reports the supervisor's end, this process ends at once, so that a resumed run does not
            // find this process still using its device.
            let told =
                handle.as_ref().is_some_and(|handle| poll(&mut [PollFd::new(handle, PollFlags::IN)], None).is_ok());
            std::thread::sleep(Duration::from_millis(if told { 1 } else { 500 }));
        }
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
    };
    std::thread::Builder::new().name(PARENT_WATCH.to_owned()).spawn(watch).map(drop)
}

/// Makes the system kill this worker first when memory is short, and never the supervisor.
fn offer_to_be_killed() {
    // Some systems lack this file, but every system that has the file permits an increase.
    let _ = File::options().write(true).open("/proc/self/oom_score_adj").and_then(|mut file| file.write_all(b"1000"));
}

fn serve(runtime: &'static Runtime) -> Result<(), WorkerFault> {
    watch_parent().map_err(|error| WorkerFault::io("cannot start a thread", error))?;
    offer_to_be_killed();
    // Without the mark, the only danger is a library that forks inside a call.
    let _ = super::copies::mark_worker();
    let wire = connect().map_err(|error| WorkerFault::io("cannot set up the protocol", error))?;
    super::memory::find_folder();
    let path = std::env::var(FLIGHT).map_err(|_| WorkerFault::NotSet(FLIGHT))?;
    let file = File::options().read(true).write(true).open(&path).map_err(|error| WorkerFault::io(&path, error))?;
    let flight = Flight::map(&file).map_err(|error| WorkerFault::io(&path, error))?;
    let for_crashes = Flight::map(&file).map_err(|error| WorkerFault::io(&path, error))?;
    super::crash::install(for_crashes).map_err(|error| WorkerFault::io("cannot handle signals", error))?;
    let Some(Request::Start(start)) = wire.next()? else {
        return Err(WorkerFault::Unexpected { expected: "`start` as the first request", got: "another".to_owned() });
    };
    if start.fenced_memory {
        super::arena::fence();
    }
    let limited = start.memory.map(|bytes| Ok((bytes, Flight::map(&file)?))).transpose();
    let limited = limited.map_err(|error| WorkerFault::io(&path, error))?;
    drop(file);
    let rules = match read_rules(&start, runtime) {
        Ok(rules) => rules,
        Err(fault) => return wire.reply(&Reply::Trouble(fault.to_string())),
    };
    let interpreter = match start.through.as_ref().map(|through| Interpreter::start(&through.interpreter)).transpose() {
        Ok(interpreter) => interpreter,
        Err(message) => return wire.reply(&Reply::NotStarted(message.into())),
    };
    let before = Surroundings::now();
    let begun = Instant::now();
    let mut library = match Loaded::open(&rules.libraries, &start.libraries) {
        Ok(library) => library,
        Err(message) => return wire.reply(&Reply::NotStarted(message.into())),
    };
    if let (Some(interpreter), Some(through), Some(module)) = (&interpreter, &start.through, &rules.python) {
        match interpreter.import(module, through, &rules) {
            Ok(imported) => library.python = Some(imported),
            Err(message) => return wire.reply(&Reply::NotStarted(message.into())),
        }
    }
    let scope = Scope::default();
    let own = rules.life_cycle.of(&start.product);
    library.selections = Selections::new(own, &rules, |function| library.entry(function));
    let life = Prepared::life_cycle(own, &rules, &mut library, &scope, start.device);
    let mut life_cycle = Execution::new(&life, &flight);
    life_cycle.begin(Vec::new(), 0);
    for (state, section) in [(Readiness::Init, Section::InitUp), (Readiness::Device, Section::DeviceUp)] {
        if start.state >= state
            && let Err(trouble) = life_cycle.run_section(section)
        {
            return wire.reply(&Reply::NotStarted(trouble));
        }
    }
    if start.state >= Readiness::Device {
        life_cycle.warm_up();
    }
    let simulated = library.has_symbol(symbol::SIMULATOR).then(|| "simulator".to_owned());
    let nanoseconds = begun.elapsed().as_nanos() as u64;
    // The library may need the changes that it has made so far, so the changes are kept.
    let mut surroundings = Surroundings::now();
    let changed = before.differences(&surroundings);
    // The limit is set only now, because a runtime may reserve any amount of memory during start-up.
    if let Some((bytes, flight)) = limited {
        limit_memory(bytes, flight).map_err(|error| WorkerFault::io("cannot limit the memory", error))?;
        surroundings = Surroundings::now();
    }
    let unloaded = library.unloaded.clone();
    wire.reply(&Reply::Started(Started { simulated, nanoseconds, changed, unloaded }))?;
    let mut worker = Worker {
        rules: &rules,
        rule: None,
        library,
        life: &life,
        life_cycle,
        flight: &flight,
        state: start.state,
        device: start.device,
        asks: !start.mute,
        surroundings,
        descriptors: Descriptors::default(),
    };
    worker.requests(&wire).or_else(|fault| wire.reply(&Reply::Trouble(fault.to_string())))
}

/// The number of bytes to keep from the end of a runtime's error text.
const MOST_SAID: usize = 16 << 10;

/// Queries the runtime for its error texts after a failed case. At this point the case is already judged and the
/// supervisor knows the result, so a library that does not return a text cannot hide a failure. The query does not
/// remove the case's calls from the records.
fn recent_error(
    life_cycle: &mut Execution<'_>,
    state: Readiness,
    flight: &Flight,
    wire: &Wire,
    report: &mut CaseReport,
) {
    let Some(failure) = &mut report.failure else { return };
    let queries = life_cycle.prepared.life_cycle.map_or(&[][..], |life_cycle| &life_cycle.queries);
    let asked = queries.iter().position(|query| query.name == RECENT_ERROR && query.state <= state);
    let Some(asked) = asked else { return };
    // If the message cannot be sent now, the judgment is sent with the result.
    let _ = wire.reply(&Reply::Judged(Some(Box::new(failure.clone()))));
    let answered = life_cycle.run_section(Section::Query(asked)).is_ok();
    // If the library lacks the function, or has no text, nothing is added. If the call did not return, the call stays
    // recorded.
    flight.forget_last_call();
    let answer = answered.then(|| life_cycle.answer(asked));
    let _ = wire.reply(&Reply::Judged(None));
    if let Some(Ok(text)) = answer {
        let mut from = text.len().saturating_sub(MOST_SAID);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        failure.recent_error = Some(&text[from..]).filter(|text| *text != "null").unwrap_or_default().trim().to_owned();
    }
}

/// Returns a remark if the process has reached its memory limit since the previous query.
fn memory_limit(flight: &Flight, texts: &Texts<'_>) -> Option<MemoryLimit> {
    let (mebibytes, site) = flight.take_memory_limit()?;
    let named = |site| of_site(texts, site);
    Some(MemoryLimit { mebibytes, call: site.and_then(named) })
}

fn read_rules(start: &Start, runtime: &Runtime) -> Result<Rules, WorkerFault> {
    Ok(decode(&unhex(&start.head).ok_or(WorkerFault::NotHexadecimal)?, runtime.bindings)?)
}

struct Worker<'a> {
    rules: &'a Rules,
    /// The rule that the supervisor sent last.
    rule: Option<Arc<Rule>>,
    library: Loaded<'a>,
    life: &'a Prepared<'a>,
    life_cycle: Execution<'a>,
    flight: &'a Flight,
    state: Readiness,
    device: u32,
    /// True if the library may be queried for error texts.
    asks: bool,
    surroundings: Surroundings,
    /// The descriptors that are open between the cases of rules that need several or fresh processes.
    descriptors: Descriptors,
}

impl<'a> Worker<'a> {
    /// True if the library exports the function with this header name.
    fn exports(&mut self, name: &str) -> bool {
        let function = self.rules.environment.declarations.function(name);
        function.is_some_and(|function| self.library.exports(function))
    }

    fn requests(&mut self, wire: &Wire) -> Result<(), WorkerFault> {
        while let Some(request) = wire.next()? {
            match request {
                Request::Query => {
                    let answers = self.answers();
                    wire.reply(&Reply::Answers(answers))?;
                }
                Request::Gate => {
                    let trouble = self.life_cycle.run_section(Section::Gate).err();
                    wire.reply(&Reply::Gate(trouble))?;
                }
                Request::Pace => {
                    let longest = self.pace();
                    wire.reply(&Reply::Pace(longest))?;
                }
                Request::Capability(asked) => {
                    let answer = self.capability(asked);
                    wire.reply(&Reply::Capability(answer))?;
                }
                Request::Trial(asked) => {
                    let trouble = self.life_cycle.run_section(Section::Trial(asked)).err();
                    wire.reply(&Reply::Gate(trouble))?;
                }
                Request::Heap => {
                    // Memory that waits for later cases must not count as the library's.
                    super::arena::trim();
                    wire.reply(&Reply::Heap(super::heap::allocated()))?;
                }
                Request::Exports(names) => {
                    let exported = names.iter().map(|name| self.exports(name)).collect();
                    wire.reply(&Reply::Exported(exported))?;
                }
                Request::Rule(bytes) => {
                    let bytes = unhex(&bytes).ok_or(WorkerFault::NotHexadecimal)?;
                    self.rule = Some(Arc::new(decode_rule(&bytes, self.rules)?));
                }
                Request::Run(run) => {
                    let result = self.run(&run, wire)?;
                    wire.reply(&Reply::Searched(Box::new(result)))?;
                }
                Request::Case(case) => self.case(&case, wire)?,
                Request::Stop => {
                    self.tear_down();
                    return wire.reply(&Reply::Stopped);
                }
                other => {
                    return Err(WorkerFault::Unexpected { expected: "a request", got: format!("{other:?}") });
                }
            }
        }
        Ok(())
    }

    /// The longest of several runs of the measured steps, in nanoseconds.
    fn pace(&mut self) -> Result<u64, Trouble> {
        const TIMES: usize = 9;
        let mut longest = Duration::ZERO;
        for _ in 0..TIMES {
            let begun = Instant::now();
            self.life_cycle.run_section(Section::Pace)?;
            longest = longest.max(begun.elapsed());
        }
        Ok(longest.as_nanos() as u64)
    }

    /// Releases selections that rules left behind, because a runtime may wait for such selections when the process
    /// ends.
    fn settle(&self) {
        self.library.selections.settle(self.own_device());
    }

    /// The device that the life cycle has selected, by the number used in calls.
    fn own_device(&self) -> Option<u64> {
        (self.state == Readiness::Device).then_some(u64::from(self.device))
    }

    fn tear_down(&mut self) {
        self.settle();
        for (state, section) in [(Readiness::Device, Section::DeviceDown), (Readiness::Init, Section::InitDown)] {
            if self.state >= state {
                // The process ends next, regardless of the result of the tear-down.
                let _ = self.life_cycle.run_section(section);
            }
        }
    }

    fn answers(&mut self) -> Vec<(String, Result<String, String>)> {
        let mut answers = Vec::new();
        for (index, query) in self.life.life_cycle.into_iter().flat_map(LifeCycleProgram::facts) {
            // If several queries ask for the same fact, the first answer counts.
            let is_answered = |(name, answer): &(String, Result<String, String>)| {
                *name == query.name && answer.as_ref().is_ok_and(|answer| !answer.is_empty())
            };
            if query.name == RECENT_ERROR || self.state < query.state || answers.iter().any(is_answered) {
                continue;
            }
            let answer = self.answer(index);
            answers.push((query.name.clone(), answer));
        }
        answers
    }

    /// The answer to a query, by the query's position.
    fn answer(&mut self, query: usize) -> Result<String, String> {
        self.life_cycle.run_section(Section::Query(query)).map_err(|trouble| trouble.message)?;
        self.life_cycle.answer(query)
    }

    /// The answer for a capability, by the capability's position.
    fn capability(&mut self, asked: usize) -> Result<String, String> {
        let known = self.life.life_cycle.and_then(|life_cycle| life_cycle.capabilities.get(asked));
        self.answer(known.ok_or_else(|| format!("there is no capability {asked}"))?.query)
    }

    fn rule(&self, id: &str) -> Result<Arc<Rule>, WorkerFault> {
        let present = self.rule.clone().filter(|rule| rule.id == id);
        present.ok_or_else(|| WorkerFault::Unknown { what: "rule", name: id.to_owned() })
    }

    fn scope(
        &self,
        product: &str,
        (devices, patience): (u32, u32),
        left_out: &[Alternative],
    ) -> Result<Scope, WorkerFault> {
        let product = self
            .rules
            .product(product)
            .ok_or_else(|| WorkerFault::Unknown { what: "product", name: product.to_owned() })?;
        let scope = Scope::new(product.facts.clone(), devices).with_patience(patience);
        Ok(Scope { left_out: left_out.to_vec(), ..scope })
    }

    fn run(&mut self, run: &RunRule, wire: &Wire) -> Result<SearchResult, WorkerFault> {
        let rule = self.rule(&run.rule)?;
        let scope = self.scope(&run.product, (run.devices, run.patience), &run.left_out)?;
        let rules = self.rules;
        let prepared = Prepared::new(&rule.program, rules, &mut self.library, &scope, self.device, 0);
        let flight = self.flight;
        let mut execution = Execution::new(&prepared, flight);
        execution.life = Some(self.life);
        execution.ignored = run.ignored;
        execution.observed = &run.observed;
        let (selections, own) = (self.library.selections.clone(), self.own_device());
        let life_cycle = &mut self.life_cycle;
        let (state, asks) = (self.state, self.asks);
        let search = Search {
            program: &rule.program,
            scope: &scope,
            seed: run.seed,
            budget: run.budget,
            known: &run.known,
            only: &run.only,
            counts: run.counts,
        };
        let texts = Texts { rules, program: &rule.program, life_cycle: rules.life_cycle.of(&run.product) };
        let mut fatal = None;
        let mut stopped_by = None;
        let mut unreleased = None;
        let mut result = search.run(&mut |number, values, salt| {
            execution.begin(values.to_vec(), salt);
            flight.begin_case(number, salt, values);
            execution.run_steps();
            if asks {
                recent_error(life_cycle, state, flight, wire, &mut execution.report);
            }
            execution.clean_up();
            let leaks = execution.descriptors.end();
            execution.report.findings.extend(leaks);
            wire.expect_open();
            let report = std::mem::take(&mut execution.report);
            unreleased = unreleased.take().or(report.releases.first().cloned());
            let trace = match report.failure {
                Some(_) => {
                    let (records, dropped) = flight.calls();
                    trace(&texts, &records, dropped)
                }
                None => Trace::default(),
            };
            if state == Readiness::Device
                && let Err(trouble) = life_cycle.run_section(Section::Restore)
            {
                fatal = Some(format!("could not restore the process after the case: {}", trouble.message));
                stopped_by = trouble.call;
            }
            fatal = execution.fatal_answer().or(fatal.take());
            Ran { report, trace, last: fatal.is_some() }
        });
        flight.end_case();
        selections.settle(own);
        result.fatal = fatal;
        if state == Readiness::Device
            && let Err(trouble) = life_cycle.run_section(Section::Health)
        {
            result.unhealthy = Some(trouble.message);
            stopped_by = stopped_by.or(trouble.call);
        }
        // The rule has already failed, and unreleased resources must not affect the next rule.
        result.unhealthy = result.unhealthy.take().or(unreleased);
        result.stopped_by = stopped_by;
        result.memory_limit = memory_limit(flight, &texts);
        match (&result.memory_limit, &mut result.failure) {
            (Some(limit), Some(failed)) => failed.failure.message.push_str(&format!("; {limit}")),
            (limit, _) => result.findings.extend(limit.as_ref().map(ToString::to_string)),
        }
        let passed = result.failure.is_none() && result.fatal.is_none() && result.unhealthy.is_none();
        result.findings.extend(self.manners(!passed));
        Ok(result)
    }

    /// Runs a case for a rule that has several processes or needs fresh processes.
    fn case(&mut self, case: &RunCase, wire: &Wire) -> Result<(), WorkerFault> {
        let rule = self.rule(&case.rule)?;
        let scope = self.scope(&case.product, (case.devices, case.patience), &case.left_out)?;
        let prepared = Prepared::new(&rule.program, self.rules, &mut self.library, &scope, self.device, case.process);
        let meeting = case.meeting.as_deref().map(|path| {
            open_meeting(path).map_err(|error| WorkerFault::io(format!("cannot open the barrier {path}"), error))
        });
        let meeting = meeting.transpose()?;
        let mut execution = Execution::new(&prepared, self.flight);
        execution.meeting = meeting.as_ref();
        execution.life = Some(self.life);
        execution.ignored = case.ignored;
        execution.observed = &case.observed;
        execution.descriptors = std::mem::take(&mut self.descriptors);
        execution.begin(case.values.clone(), case.salt);
        self.flight.begin_case(case.number, case.salt, &case.values);
        if rule.program.several_processes() {
            execution.turns = Some(Turns::new(case.process, rule.program.processes.len(), wire));
        }
        execution.run_steps();
        if self.asks {
            recent_error(&mut self.life_cycle, self.state, self.flight, wire, &mut execution.report);
        }
        wire.expect_open();
        execution.turns = None;
        execution.make_deferred_calls();
        let fatal = execution.fatal_answer();
        let stepped = Stepped {
            report: std::mem::take(&mut execution.report),
            held: execution.held.iter().map(|held| held.tick).collect(),
            fatal,
        };
        wire.reply(&Reply::Stepped(Box::new(stepped)))?;
        loop {
            match wire.next()? {
                Some(Request::Release(floor)) => {
                    execution.release(floor);
                    let failed = std::mem::take(&mut execution.report.releases);
                    wire.reply(&Reply::Released(failed, execution.report.unreleased.take()))?;
                }
                // This turn was in transit when the case ended here.
                Some(Request::Turn(_)) => {}
                Some(Request::EndCase) => break,
                None => std::process::exit(0),
                Some(other) => {
                    let got = format!("{other:?}");
                    return Err(WorkerFault::Unexpected { expected: "the end of the case", got });
                }
            }
        }
        execution.end_threads();
        let mut manners = execution.descriptors.end();
        self.descriptors = std::mem::take(&mut execution.descriptors);
        drop(execution);
        self.settle();
        let mut restored = Ok(());
        if self.state == Readiness::Device {
            restored = self.life_cycle.run_section(Section::Restore);
            // Other rules will use this process after a rule that may have spoiled it.
            let sharing = rule.program.processes.get(case.process).map(|process| process.sharing);
            if restored.is_ok() && matches!(sharing, Some(Sharing::Apart | Sharing::Own)) {
                restored = self.life_cycle.run_section(Section::Health);
            }
        }
        self.flight.end_case();
        let texts =
            Texts { rules: self.rules, program: &rule.program, life_cycle: self.rules.life_cycle.of(&case.product) };
        let memory_limit = memory_limit(self.flight, &texts);
        manners.extend(self.manners(true));
        wire.reply(&Reply::Ready(CaseEnd { trouble: restored.err(), manners, memory_limit }))
    }

    /// Returns the changes that the library has made to its process since the previous query, and undoes them for
    /// later rules.
    fn manners(&mut self, closely: bool) -> Vec<String> {
        let changed = self.surroundings.restore(closely);
        let changed = changed.map(|what| format!("the library changed its process, which was restored: {what}"));
        let copies = match self.flight.take_copies() {
            0 => None,
            number => Some(format!(
                "the library forked inside a call and the child returned from it too ({number} times); \
                 the copies of the process were ended"
            )),
        };
        changed.into_iter().chain(copies).collect()
    }
}
