//! Bursts: a few rules within a promised time, for the prolog and epilog of a scheduler. A ledger spreads all rules
//! over many bursts.
//!
//! Reading the whole catalog would take most of a short burst. So a burst reads one chapter, and so do its workers;
//! which rules there are, and which of them a burst may run, is in the ledger, which is prepared once for each version
//! of the suite.

mod gentle;
mod limit;

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{CatalogPlace, Rule, load};
use record::{BurstBook, BurstBookError, BurstLedger, BurstRule, StartReason, Verdict};
use thiserror::Error;

use crate::case::{Budget, rule_seed};
use crate::pool::{Assignment, Executor, Slot};
use crate::run::{ExitStatus, Options, RunError, Target, load_rules, verdict};
use crate::runtime::Runtime;

use super::now;
use gentle::unfit;
use limit::{Limit, since_start};

/// The largest number of cases of a rule in a burst.
const CASES: u32 = 8;
/// The expected time of a rule that never ran.
const UNKNOWN: Duration = Duration::from_millis(20);
/// The part of the promised time that is left for the end if a rule has to be stopped.
const RESERVE: u32 = 8;

/// The reason why a burst cannot begin or end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BurstError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("error: {0}")]
    Ledger(#[from] BurstBookError),
    #[error("error: the ledger was made for {made}, and this is {now}; prepare it again with `burst --prepare`")]
    Unprepared { made: String, now: String },
    #[error("error: cannot create a folder for a simulated machine: {0}; free some space in /dev/shm or set TMPDIR")]
    Machine(std::io::Error),
}

impl BurstError {
    /// The command's exit status.
    pub fn exit(&self) -> ExitStatus {
        match self {
            BurstError::Run(error) => error.exit(),
            BurstError::Unprepared { .. } => ExitStatus::Usage,
            BurstError::Ledger(_) | BurstError::Machine(_) => ExitStatus::Unknown,
        }
    }
}

/// The results of a burst.
#[derive(Debug, Default)]
pub struct Burst {
    /// The rules that ran to their end, with verdict and reason.
    pub ran: Vec<(String, Verdict, String)>,
    /// The rule that the end of the time stopped.
    pub stopped: Option<String>,
    /// The number of rules of the chapter that would have taken too long.
    pub left: usize,
}

/// A mark of the executable and the catalog, which changes with each of them.
///
/// # Errors
/// Fails if the executable cannot be found.
fn mark(options: &Options) -> Result<String, std::io::Error> {
    use std::os::unix::fs::MetadataExt;
    let of = |path: &std::path::Path| {
        path.metadata().map(|about| format!("{}.{}.{}", about.len(), about.mtime(), about.mtime_nsec()))
    };
    let executable = of(&std::env::current_exe()?)?;
    Ok(match &options.catalog.specs {
        Some(specs) => format!("{executable} {} {}", specs.display(), of(specs)?),
        None => executable,
    })
}

/// Writes which rules run in bursts on this target, and keeps what the ledger knows about them.
///
/// # Errors
/// Fails if the target cannot be opened, or if the ledger cannot be written.
pub fn prepare(options: &Options, runtime: &'static Runtime, ledger: &mut BurstLedger) -> Result<(), BurstError> {
    let rules = Arc::new(load_rules(&options.catalog, runtime)?);
    let target = Target::open(options, runtime, rules.clone())?;
    let mut found = BurstBook {
        format: BurstBook::FORMAT,
        suite: env!("CARGO_PKG_VERSION").to_owned(),
        runtime: rules.runtime.clone(),
        product: target.conditions.product.clone(),
        mark: mark(options).map_err(BurstError::Machine)?,
        bursts: ledger.book.bursts,
        overhead: ledger.book.overhead,
        ..BurstBook::default()
    };
    for rule in rules.rules.iter().filter(|rule| target.skip(rule).is_none()) {
        if let Some(reason) = unfit(rule, &rules, &target.conditions.product) {
            found.left_out.insert(rule.id.clone(), reason);
            continue;
        }
        let known = ledger.book.rules.get(&rule.id).cloned().unwrap_or_default();
        let chapter = rules.chapters[rule.chapter].file.clone();
        found.rules.insert(rule.id.clone(), BurstRule { chapter, ..known });
    }
    ledger.book = found;
    ledger.save()?;
    Ok(())
}

/// Runs rules of one chapter until the time is up. The time counts from the start of this process.
///
/// # Errors
/// Fails if the ledger does not fit the executable, or if the target cannot be opened.
pub fn burst(
    options: &Options,
    runtime: &'static Runtime,
    promised: Duration,
    ledger: &mut BurstLedger,
) -> Result<Burst, BurstError> {
    let limit = Limit::new(promised, promised / RESERVE);
    note_interrupted(&mut ledger.book);
    let now_mark = mark(options).map_err(BurstError::Machine)?;
    if ledger.book.mark != now_mark {
        let made = if ledger.book.mark.is_empty() { "nothing".to_owned() } else { ledger.book.mark.clone() };
        return Err(BurstError::Unprepared { made, now: now_mark });
    }
    ledger.book.bursts += 1;
    let Some(first) = ledger.book.order().first().map(|id| (*id).to_owned()) else { return Ok(Burst::default()) };
    let chapter = ledger.book.rules[&first].chapter.clone();
    // If setting up the runtime takes all the time, the next burst begins with another rule.
    ledger.book.running = Some(first.clone());
    ledger.save()?;
    let mut options = options.clone();
    options.catalog.product.clone_from(&ledger.book.product);
    options.only_chapter = Some(chapter.clone());
    let place = CatalogPlace { specs: options.catalog.specs(runtime), bindings: runtime.bindings, defects: None };
    let rules = Arc::new(load(&place, Some(&chapter)).map_err(RunError::from)?);
    let target = match Target::open(&options, runtime, rules.clone()) {
        Err(_) if limit.is_over() => return Ok(stopped(ledger, Burst::default(), first)?),
        opened => opened?,
    };
    let started = since_start();
    let mut slot = target.executor.pool.take().map_err(BurstError::Machine)?;
    let done = run(&target.executor, &mut slot, &limit, ledger, &chapter);
    let ended = Instant::now();
    if limit.is_over() {
        slot.clear(StartReason::AfterFailure);
    }
    target.executor.pool.give_back(slot);
    drop(target);
    let overhead = started.saturating_add(ended.elapsed());
    ledger.book.overhead = ledger.book.overhead.max(u64::try_from(overhead.as_nanos()).unwrap_or(u64::MAX));
    ledger.book.running = None;
    ledger.save()?;
    done
}

/// Counts a rule that was running when a burst ended without a word as stopped.
fn note_interrupted(book: &mut BurstBook) {
    let bursts = book.bursts;
    if let Some(rule) = book.running.take().and_then(|id| book.rules.get_mut(&id)) {
        rule.tried = Some(bursts);
        rule.stopped += 1;
    }
}

fn stopped(ledger: &mut BurstLedger, mut done: Burst, id: String) -> Result<Burst, BurstBookError> {
    note_interrupted(&mut ledger.book);
    ledger.save()?;
    done.stopped = Some(id);
    Ok(done)
}

/// Runs the rules of a chapter that fit into the remaining time.
fn run(
    executor: &Executor,
    slot: &mut Slot,
    limit: &Limit,
    ledger: &mut BurstLedger,
    chapter: &str,
) -> Result<Burst, BurstError> {
    let mut done = Burst::default();
    let ids: Vec<String> = ledger.book.order().into_iter().map(str::to_owned).collect();
    for id in ids {
        let Some(rule) = executor.rules.rule(&id).filter(|_| ledger.book.rules[&id].chapter == chapter) else {
            continue;
        };
        let expected = ledger.book.rules[&id].nanoseconds.map_or(UNKNOWN, Duration::from_nanos);
        if limit.left() < expected {
            done.left += 1;
            let bursts = ledger.book.bursts;
            ledger.book.rules.entry(id).and_modify(|rule| rule.tried = Some(bursts));
            continue;
        }
        ledger.book.running = Some(id.clone());
        ledger.save()?;
        let begun = Instant::now();
        let (verdict, reason) = attempt(executor, rule, slot, ledger.book.bursts);
        if limit.is_over() {
            return Ok(stopped(ledger, done, id)?);
        }
        note(&mut ledger.book, &id, begun.elapsed(), verdict, &reason);
        done.ran.push((id, verdict, reason));
    }
    Ok(done)
}

/// Runs a few cases of a rule.
fn attempt(executor: &Executor, rule: &Rule, slot: &mut Slot, burst: u64) -> (Verdict, String) {
    let whole = executor.assignment(rule, rule_seed(burst, &rule.id));
    let budget = Budget { cases: CASES, repeats: 1, most: Some(CASES), shrinks: 0, ..whole.budget };
    let assignment = Assignment { budget, ..whole };
    match executor.search(&assignment, slot, &mut String::new()) {
        Ok(found) => verdict(&executor.rules, &found, None),
        Err(error) => (error.verdict(), error.to_string()),
    }
}

/// Notes that a rule ran to its end.
fn note(book: &mut BurstBook, id: &str, took: Duration, verdict: Verdict, reason: &str) {
    book.running = None;
    let bursts = book.bursts;
    let Some(rule) = book.rules.get_mut(id) else { return };
    let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    rule.covered += 1;
    rule.stopped = 0;
    (rule.burst, rule.tried, rule.last) = (Some(bursts), Some(bursts), Some(now()));
    rule.nanoseconds = Some(rule.nanoseconds.map_or(took, |longest| longest.max(took)));
    rule.broken = (!verdict.passes()).then(|| format!("{verdict}: {reason}"));
}
