//! The whole of a run, once, for whoever shows it: the test runner of `cargo test` and the command.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use crate::pool::interrupt;
use crate::runtime::Runtime;
use catalog::{CatalogPlace, Rules, Specs, load};
use record::books::Books;
use record::{Recorded, RuleResult, RunEnd, RunHeader};

use super::campaign::Campaign;
use super::devices::Turns;
use super::errors::{FolderError, RunError};
use super::estimate::Estimate;
use super::folder::{RunFolder, report};
use super::listener::{Listener, ToStandardError};
use super::options::{CatalogOptions, Options};
use super::places::{read_named, runs_folder};
use super::resume::Earlier;
use super::selection::{Filter, Planned};
use super::status::ExitStatus;

/// Who shows a run to a person while it goes on.
pub trait Observer {
    /// Who hears what happens at once, while rules run.
    fn listener(&self) -> Arc<dyn Listener> {
        Arc::new(ToStandardError)
    }

    /// Shows a line about the run.
    ///
    /// # Errors
    /// Nothing can be shown.
    fn line(&mut self, text: &str) -> Result<(), RunError>;

    /// Has everything that was selected performed, each once: with [`Agenda::perform_all`], or one by one with
    /// [`Agenda::perform`], in any order and from at most [`Agenda::threads`] threads.
    ///
    /// # Errors
    /// Nothing can be shown.
    fn perform(&mut self, agenda: &Arc<Agenda>) -> Result<(), RunError>;

    /// Shows how the run went.
    ///
    /// # Errors
    /// Nothing can be shown.
    fn summary(&mut self, run: &Recorded) -> Result<(), RunError>;
}

/// The work of a run: what was selected, and where results go.
#[derive(Debug)]
pub struct Agenda {
    pub campaign: Campaign,
    pub selected: Vec<Planned>,
    folder: RunFolder,
    jobs: Option<usize>,
    /// Why results cannot be written any more.
    lost: OnceLock<Arc<FolderError>>,
}

impl Agenda {
    /// How many rules run at the same time: as many as were asked for, else as many as there are devices that a rule can
    /// have for its own, or processors where each rule has a simulated machine.
    pub fn threads(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let most = self.campaign.devices.at_the_same_time();
        let wanted = self.jobs.unwrap_or_else(|| most.unwrap_or_else(processors));
        most.map_or(wanted, |most| wanted.min(most)).max(1)
    }

    /// The number of threads needed to run this number of rules at a time strictly in their order: some of them wait
    /// for their device.
    pub fn threads_in_order(&self) -> usize {
        let devices = self.campaign.devices.at_the_same_time().filter(|most| *most > 1 && *most == self.threads());
        devices.map_or(self.threads(), |devices| devices * 2)
    }

    /// What the last runs say about how long this one takes; `None`: too little. It reads files, and takes its time.
    pub fn estimate(&self) -> Option<Estimate> {
        let rules: Vec<String> = self.selected.iter().map(|planned| planned.id.clone()).collect();
        Estimate::of_last_runs(&self.folder.path, &self.campaign.header, &rules)
    }

    /// What was selected, in the order in which it begins.
    pub fn order(&self) -> Vec<&Planned> {
        self.campaign.order(&self.selected)
    }

    /// Why nothing is performed any more.
    pub fn over(&self) -> Option<String> {
        let lost = self.lost.get().map(|_| "results cannot be written".to_owned());
        lost.or_else(|| interrupt::requested().map(|signal| format!("{signal}: the run was asked to end")))
    }

    /// Performs one of the selected rules and writes its result down. Stops after the first result that cannot be
    /// written, and where the run was asked to end: `None`.
    pub fn perform(&self, planned: &Planned) -> Option<Result<RuleResult, Arc<FolderError>>> {
        if self.over().is_some() {
            return None;
        }
        let ran = self.folder.run(&self.campaign, planned).map_err(|error| {
            let error = Arc::new(error);
            // Another thread may have met it first.
            let _ = self.lost.set(error.clone());
            error
        });
        ran.transpose()
    }

    /// Performs everything that was selected, with as many threads as there may be; `show` is called once for each
    /// result, in the order in which rules end, by one thread at a time.
    ///
    /// # Errors
    /// The first one of `show`; nothing is begun after it.
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
                // Where there can be no more threads, those that there are do the work.
                if std::thread::Builder::new().spawn_scoped(scope, thread).is_err() {
                    break;
                }
            }
            thread();
        });
        std::mem::replace(&mut lock().1, Ok(()))
    }
}

/// Runs what the filter selects of a runtime's rules, or finishes the run that `--resume` names; gives the status that
/// the command ends with.
///
/// # Errors
/// The run cannot begin, or its results cannot be written or shown.
pub fn run(
    mut options: Options,
    runtime: &'static Runtime,
    filter: &Filter,
    books: &'static dyn Books,
    observer: &mut impl Observer,
) -> Result<ExitStatus, RunError> {
    outlive_full_files();
    interrupt::listen();
    let earlier = Earlier::open(&mut options)?;
    let earlier = match earlier {
        Some(earlier) if earlier.run.end.is_some() => return report_again(earlier, options.run.keep, books, observer),
        other => other,
    };
    let agenda = Arc::new(begin(&options, runtime, filter, earlier, books, observer)?);
    observer.perform(&agenda)?;
    let end = agenda.campaign.finish();
    if let Some(signal) = interrupt::requested().filter(|_| agenda.campaign.results().len() < agenda.selected.len()) {
        return stopped(&agenda, signal, observer);
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
    // Of a run that several processes make, the reports tell of all of them.
    Ok(run.end.map_or(ExitStatus::Unknown, |_| own))
}

/// Closes the journal of a run that was asked to end, and says how it goes on.
fn stopped(agenda: &Agenda, signal: &'static str, observer: &mut impl Observer) -> Result<ExitStatus, RunError> {
    let mut run = agenda.folder.stop(&agenda.campaign, signal)?;
    run.header.run = shown(&agenda.folder.path, &run.header);
    observer.summary(&run)?;
    let (done, all) = (run.results.len(), agenda.selected.len());
    let folder = agenda.folder.path.display();
    observer.line(&format!(
        "{signal}: the run was asked to end; {done} of {all} rules have a result, `--resume {folder}` runs the others"
    ))?;
    Ok(ExitStatus::Unknown)
}

/// Shows a run that has reached its end.
fn report_again(
    Earlier { folder, mut run }: Earlier,
    keep: bool,
    books: &dyn Books,
    observer: &mut impl Observer,
) -> Result<ExitStatus, RunError> {
    for remark in report(&folder, &run, keep, books)? {
        observer.line(&remark)?;
    }
    observer.line(&format!("{}: this run has reached its end; its reports are written again", folder.display()))?;
    run.header.run = shown(&folder, &run.header);
    observer.summary(&run)?;
    Ok(status(run.end.as_ref()))
}

/// Writes the reports of a run again, from its journal alone, whether it has reached its end or not; gives its folder, and
/// remarks about what could not be written.
///
/// # Errors
/// There is no such run, it goes on, or `junit.xml` cannot be written.
pub fn rewrite_reports(given: &Path, books: &dyn Books) -> Result<(PathBuf, Vec<String>), RunError> {
    let (folder, run) = read_named(given)?;
    let remarks = report(&folder, &run, false, books)?;
    Ok((folder, remarks))
}

/// A limit on the size of files (`ulimit -f`) ends a process that handles no signal. With one, writing fails and says
/// why. Nothing hears the signal itself, and workers do not inherit the handler.
fn outlive_full_files() {
    // Where no handler can be set, the run ends as any other program would.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// The folder of a run as its reports name it; where it was moved since, where it is now.
pub(super) fn shown(folder: &Path, header: &RunHeader) -> String {
    let same = runs_folder().join(&header.run).canonicalize().ok() == folder.canonicalize().ok();
    if same { header.run.clone() } else { folder.display().to_string() }
}

/// Opens target and folder of a run, and shows what is tested.
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
    let (mut selected, part) = filter.part_of(filter.select(&rules)?, &rules);
    if let Some(earlier) = &earlier {
        selected = earlier.selection(&rules, selected)?;
    }
    // The replay of a case asks how this rule goes, whatever is known.
    let known = match options.run.case {
        Some(_) => None,
        None => options.known.read(&options.catalog.specs(runtime), &rules, books)?,
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
    campaign.expect_cases(options, &selected)?;
    let resumes = earlier.is_some();
    let expected = campaign.expect_failures(options, known);
    let folder = RunFolder::open(&mut campaign, options, &selected, earlier, books)?;
    observer.line(&books.first_line(&campaign.header))?;
    if resumes {
        observer.line(&folder.resumed(selected.len()))?;
    }
    let left_alone =
        options.run.case.is_none().then(|| options.known.left_alone(&options.catalog.specs(runtime))).flatten();
    if let Some(expected) = expected.or(left_alone) {
        observer.line(&expected)?;
    }
    Ok(Agenda { campaign, selected, folder, jobs: options.workers.jobs, lost: OnceLock::new() })
}

/// The catalog of the options, checked.
///
/// # Errors
/// There is none in that folder, or it has mistakes.
pub fn load_rules(options: &CatalogOptions, runtime: &'static Runtime) -> Result<Rules, RunError> {
    load_catalog(options.specs(runtime), runtime)
}

/// A runtime's catalog in a folder, or what the executable carries of it, checked.
pub(super) fn load_catalog(specs: Specs, runtime: &'static Runtime) -> Result<Rules, RunError> {
    let place = CatalogPlace { specs, bindings: runtime.bindings, defects: Some(runtime.defects()) };
    Ok(load(&place, None)?)
}

/// The status of an end that was computed, or that was read and follows from its results.
pub(super) fn status(end: Option<&RunEnd>) -> ExitStatus {
    end.map_or(ExitStatus::Unknown, |end| ExitStatus::from_code(end.exit))
}

/// Every selected rule has exactly one result.
fn expect_each_once(selected: &[Planned], results: &[RuleResult]) -> Result<(), RunError> {
    let reported: HashSet<&str> = results.iter().map(|result| result.id.as_str()).collect();
    let missing = selected.iter().map(|planned| planned.id.as_str()).filter(|id| !reported.contains(id));
    let missing: Vec<String> = missing.map(str::to_owned).collect();
    if missing.is_empty() && reported.len() == results.len() {
        return Ok(());
    }
    Err(RunError::Results { missing })
}
