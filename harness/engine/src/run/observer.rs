//! A run from start to end, for its two front ends: the `cargo test` runner and the command.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::pool::interrupt;
use crate::runtime::Runtime;
use catalog::{CatalogPlace, Rules, Specs, book, load};
use record::books::Books;
use record::text::{clean, disarmed};
use record::{Recorded, RuleResult, RunEnd, RunHeader};

use super::campaign::Campaign;
use super::devices::Turns;
use super::errors::{FolderError, RunError};
use super::estimate::Estimate;
use super::folder::{RunFolder, report};
use super::listener::{Listener, ToStandardError};
use super::options::{CatalogOptions, Options};
use super::places::{read_named, runs_folder};
use super::profile::Profile;
use super::resume::Earlier;
use super::selected;
use super::selection::{Filter, Planned, plan};
use super::status::ExitStatus;

/// A front end that shows a run's progress.
pub trait Observer {
    /// Returns the listener that receives events while rules run.
    fn listener(&self) -> Arc<dyn Listener> {
        Arc::new(ToStandardError)
    }

    /// Shows a line about the run.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    fn line(&mut self, text: &str) -> Result<(), RunError>;

    /// Performs every selected rule once: with [`Agenda::perform_all`], or individually with [`Agenda::perform`],
    /// in any order and from at most [`Agenda::threads`] threads.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    fn perform(&mut self, agenda: &Arc<Agenda>) -> Result<(), RunError>;

    /// Shows the summary of the run.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    fn summary(&mut self, run: &Recorded) -> Result<(), RunError>;
}

/// A run's agenda: the selected rules, and the folder for their results.
#[derive(Debug)]
pub struct Agenda {
    pub campaign: Campaign,
    pub selected: Vec<Planned>,
    folder: RunFolder,
    jobs: Option<usize>,
    /// The number of broken rules after which the run stops, if the user gave one.
    max_fail: Option<u64>,
    /// The number of broken rules since the run started or was resumed.
    broken: AtomicU64,
    /// The error that stopped the writing of results, if any.
    lost: OnceLock<Arc<FolderError>>,
}

impl Agenda {
    /// The number of rules that run at the same time. Default: the number of devices that rules can lease or, if each
    /// rule has a simulated machine, twice the number of processors, because rules with held streams mostly wait.
    pub fn threads(&self) -> usize {
        let processors = || 2 * std::thread::available_parallelism().map_or(1, usize::from);
        let most = self.campaign.devices.at_the_same_time();
        let wanted = self.jobs.unwrap_or_else(|| most.unwrap_or_else(processors));
        most.map_or(wanted, |most| wanted.min(most)).max(1)
    }

    /// The number of threads needed if rules start strictly in order. This may be more than [`Agenda::threads`],
    /// because some threads wait for a device.
    pub fn threads_in_order(&self) -> usize {
        let devices = self.campaign.devices.at_the_same_time().filter(|most| *most > 1 && *most == self.threads());
        devices.map_or(self.threads(), |devices| devices * 2)
    }

    /// Estimates this run's time from recent runs; `None` if these runs have times for too few rules. This is slow,
    /// because the runs' journals are read.
    pub fn estimate(&self) -> Option<Estimate> {
        let rules: Vec<String> = self.selected.iter().map(|planned| planned.id.clone()).collect();
        Estimate::of_last_runs(&self.folder.path, &self.campaign.header, &rules)
    }

    /// The selected rules, in the order in which they start.
    pub fn order(&self) -> Vec<&Planned> {
        self.campaign.order(&self.selected)
    }

    /// The reason why no more rules are performed; `None` if the run continues.
    pub fn over(&self) -> Option<String> {
        let lost = self.lost.get().map(|_| "cannot write results".to_owned());
        let asked = interrupt::requested().map(str::to_owned).or_else(|| self.enough());
        lost.or_else(|| asked.map(|why| format!("{why}: stopping the run")))
    }

    /// The option that stops the run because enough rules are broken; `None` if the run continues.
    fn enough(&self) -> Option<String> {
        let most = self.max_fail.filter(|most| self.broken.load(Ordering::Relaxed) >= *most)?;
        Some(format!("--max-fail {most}"))
    }

    /// Performs one selected rule and writes its result. Returns `None` if a result could not be written, or if the
    /// run was interrupted.
    pub fn perform(&self, planned: &Planned) -> Option<Result<RuleResult, Arc<FolderError>>> {
        if self.over().is_some() {
            return None;
        }
        let ran = self.folder.run(&self.campaign, planned).map_err(|error| {
            let error = Arc::new(error);
            // Another thread may have stored its error first.
            let _ = self.lost.set(error.clone());
            error
        });
        let new = !self.folder.has(&planned.id);
        if let Ok(Some(result)) = &ran
            && new
            && self.campaign.counts_as_broken(result)
        {
            self.broken.fetch_add(1, Ordering::Relaxed);
        }
        ran.transpose()
    }

    /// Performs every selected rule on all available threads. `show` is called by one thread at a time and gets
    /// each result in the order in which rules end.
    ///
    /// # Errors
    /// Returns the first error from `show`. No rule starts after an error.
    pub fn perform_all(&self, show: impl FnMut(&RuleResult) -> Result<(), RunError> + Send) -> Result<(), RunError> {
        let turns = Turns::of(self.order().into_iter().map(|planned| (planned, self.campaign.own_device(planned))));
        let shown = std::sync::Mutex::new((show, Ok(())));
        let lock = || shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let thread = || {
            while let Some(turn) = turns.next() {
                let Some(Ok(result)) = self.perform(turn.work) else { return };
                drop(turn);
                let (show, ended) = &mut *lock();
                if ended.is_ok() {
                    *ended = show(&result);
                }
                if ended.is_err() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads().min(self.selected.len()) {
                // If no more threads can start, the existing threads do the work.
                if std::thread::Builder::new().spawn_scoped(scope, thread).is_err() {
                    break;
                }
            }
            thread();
        });
        std::mem::replace(&mut lock().1, Ok(()))
    }
}

/// Runs a runtime's selected rules, or finishes the run that `--resume` names. Returns the command's exit status.
///
/// # Errors
/// Fails if the run cannot begin, or if its results cannot be written or shown.
pub fn run(
    mut options: Options,
    runtime: &'static Runtime,
    filter: &Filter,
    books: &'static dyn Books,
    observer: &mut impl Observer,
) -> Result<ExitStatus, RunError> {
    outlive_full_files();
    interrupt::listen(options.debugger.is_some());
    let earlier = Earlier::open(&mut options)?;
    let earlier = match earlier {
        Some(earlier) if earlier.run.end.is_some() => return report_again(earlier, options.tune.keep, books, observer),
        other => other,
    };
    let agenda = Arc::new(begin(&options, runtime, filter, earlier, books, observer)?);
    observer.perform(&agenda)?;
    let end = agenda.campaign.finish();
    if agenda.campaign.results().len() < agenda.selected.len() {
        if let Some(signal) = interrupt::requested() {
            return stopped(&agenda, signal, ExitStatus::Unknown, observer);
        }
        if let Some(option) = agenda.enough().filter(|_| agenda.lost.get().is_none()) {
            return stopped(&agenda, &option, ExitStatus::Broken, observer);
        }
    }
    let own = ExitStatus::from_code(end.exit);
    let (mut run, lost) =
        agenda.folder.finish(&agenda.campaign, end, agenda.lost.get().cloned(), agenda.selected.len());
    run.header.run = shown(&agenda.folder.path, &run.header);
    observer.summary(&run)?;
    if let Some(error) = lost {
        return Err(error);
    }
    expect_each_once(&agenda.selected, &agenda.campaign.results())?;
    // If several processes make up one run, the reports cover the entire run, but each process exits with its own
    // status.
    Ok(run.end.map_or(ExitStatus::Unknown, |_| own))
}

/// Closes the journal of a run that a signal or an option stopped, and prints the option that resumes the run.
fn stopped(
    agenda: &Agenda,
    why: &str,
    status: ExitStatus,
    observer: &mut impl Observer,
) -> Result<ExitStatus, RunError> {
    let mut run = agenda.folder.stop(&agenda.campaign, why)?;
    run.header.run = shown(&agenda.folder.path, &run.header);
    observer.summary(&run)?;
    let (done, all) = (run.results.len(), agenda.selected.len());
    let folder = agenda.folder.path.display();
    observer.line(&format!(
        "{why}: run stopped; {done} of {all} rules have a result; `--resume {folder}` runs the others"
    ))?;
    Ok(status)
}

/// Shows a finished run.
fn report_again(
    Earlier { folder, mut run }: Earlier,
    keep: bool,
    books: &dyn Books,
    observer: &mut impl Observer,
) -> Result<ExitStatus, RunError> {
    for remark in report(&folder, &run, None, keep, books)? {
        observer.line(&remark)?;
    }
    observer.line(&format!("{}: this run is complete; rewriting its reports", folder.display()))?;
    run.header.run = shown(&folder, &run.header);
    observer.summary(&run)?;
    Ok(status(run.end.as_ref()))
}

/// Rewrites a run's reports from its journal alone, whether or not the run is finished. Returns the run's folder,
/// and remarks about files that could not be written. `since` names the run with which the page compares.
///
/// # Errors
/// Fails if a run does not exist, if the run is still running, or if `junit.xml` cannot be written.
pub fn rewrite_reports(
    given: &Path,
    since: Option<&Path>,
    books: &dyn Books,
) -> Result<(PathBuf, Vec<String>), RunError> {
    let (folder, run) = read_named(given)?;
    let since = since.map(read_named).transpose()?.map(|(_, run)| run);
    let remarks = report(&folder, &run, since, false, books)?;
    Ok((folder, remarks))
}

/// A limit on file size (`ulimit -f`) ends any process that does not handle the signal. With a handler, writing
/// fails with an error instead. The signal itself is ignored, and workers do not inherit the handler.
fn outlive_full_files() {
    // If no handler can be installed, a full file ends the run, as it would end any other program.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// A run's folder as the reports name it or, if the folder was moved, the folder's current path.
pub(super) fn shown(folder: &Path, header: &RunHeader) -> String {
    let same = runs_folder().join(&header.run).canonicalize().ok() == folder.canonicalize().ok();
    if same { header.run.clone() } else { folder.display().to_string() }
}

/// Opens a run's target and folder, and shows the target.
fn begin(
    options: &Options,
    runtime: &'static Runtime,
    filter: &Filter,
    earlier: Option<Earlier>,
    books: &'static dyn Books,
    observer: &mut impl Observer,
) -> Result<Agenda, RunError> {
    let rules = Arc::new(load_rules(&options.catalog, runtime)?);
    if let Some(earlier) = &earlier {
        earlier.expect_same_files(options, runtime, &rules)?;
    }
    let mut whole = filter.select(&rules)?;
    if options.effort.length.is_some() {
        if options.profile() != Profile::Soak {
            return Err(RunError::Length);
        }
        if earlier.is_none() && filter.selects_all() {
            whole.retain(|planned| planned.rule.is_some_and(|index| rules.rules[index].cycle));
        }
    }
    let (mut own, part) = filter.part_of(whole.clone());
    if let Some(earlier) = &earlier {
        own = earlier.selection(&rules, own)?;
    }
    // A replay ignores known failures, because the replay needs this rule's result.
    let known = match (&options.run.case, &options.debugger) {
        (Some(_), _) | (_, Some(_)) => None,
        _ => options.known.read(&options.catalog.specs(runtime), &rules, books)?,
    };
    let mut campaign =
        Campaign::open_heard(options, runtime, rules, observer.listener()).map_err(|error| match &earlier {
            Some(earlier) => earlier.context(error),
            None => error,
        })?;
    if let Some(earlier) = &earlier {
        earlier.expect_same(&campaign.header)?;
        earlier.elsewhere(&campaign.header).into_iter().for_each(|text| campaign.remark(text));
    }
    campaign.header.settings.part = part;
    // Each process of a test runner that starts one for each test adds its own rules to the same journal.
    let recorded = if std::env::var_os("NEXTEST_RUN_ID").is_some() { plan(&campaign.target.rules) } else { whole };
    let Campaign { header, target, .. } = &mut campaign;
    selected::record(header, &recorded, &target.rules, &target.conditions.editions);
    campaign.expect_cases(options, &own)?;
    let hints = campaign.expect_debuggable(&own)?;
    let resumes = earlier.is_some();
    let expected = campaign.expect_failures(options, known);
    let folder = RunFolder::open(&mut campaign, options, earlier, books)?;
    observer.line(&books.first_line(&campaign.header))?;
    if resumes {
        observer.line(&folder.resumed(own.len()))?;
    }
    let left_alone =
        options.run.case.is_none().then(|| options.known.left_alone(&options.catalog.specs(runtime))).flatten();
    if let Some(expected) = expected.or(left_alone) {
        observer.line(&expected)?;
    }
    for hint in hints {
        observer.line(&hint)?;
    }
    let mut agenda = Agenda {
        campaign,
        selected: own,
        folder,
        jobs: options.workers.jobs,
        max_fail: options.run.max_fail,
        broken: AtomicU64::new(0),
        lost: OnceLock::new(),
    };
    let repeated = agenda.selected.iter().filter(|planned| agenda.campaign.runs(planned)).count();
    let at_once = agenda.threads();
    agenda.campaign.share_time(repeated, at_once);
    Ok(agenda)
}

/// Loads and checks the catalog that the options select.
///
/// # Errors
/// Fails if the folder has no catalog, or if the catalog has errors.
pub fn load_rules(options: &CatalogOptions, runtime: &'static Runtime) -> Result<Rules, RunError> {
    load_catalog(options.specs(runtime), runtime)
}

/// Loads and checks a runtime's catalog from a folder or from the executable.
pub(super) fn load_catalog(specs: Specs, runtime: &'static Runtime) -> Result<Rules, RunError> {
    let embedded = matches!(specs, Specs::Embedded(_));
    let place = CatalogPlace { specs, bindings: runtime.bindings };
    if !embedded {
        return Ok(load(&place)?);
    }
    let book = book::open(&place, runtime.fingerprint)?;
    if let Some(remark) = book.remark {
        eprintln!("note: {}", disarmed(&clean(&remark)));
    }
    Ok(book.rules)
}

/// The exit status for a run's end. The status for a recorded end follows from the recorded results.
pub(super) fn status(end: Option<&RunEnd>) -> ExitStatus {
    end.map_or(ExitStatus::Unknown, |end| ExitStatus::from_code(end.exit))
}

/// Checks that every selected rule has exactly one result.
fn expect_each_once(selected: &[Planned], results: &[RuleResult]) -> Result<(), RunError> {
    let reported: HashSet<&str> = results.iter().map(|result| result.id.as_str()).collect();
    let missing = selected.iter().map(|planned| planned.id.as_str()).filter(|id| !reported.contains(id));
    let missing: Vec<String> = missing.map(str::to_owned).collect();
    if missing.is_empty() && reported.len() == results.len() {
        return Ok(());
    }
    Err(RunError::Results { missing })
}
