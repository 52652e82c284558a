//! The whole of a run, once, for whoever shows it: the test runner of `cargo test` and the command.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::catalog::{CatalogPlace, Rules, load};
use crate::record::{Recorded, RuleResult};
use crate::report::first_line;
use crate::runtime::Runtime;

use super::campaign::Campaign;
use super::exit::{ExitStatus, RunError};
use super::folder::{FolderError, RunFolder};
use super::options::Options;
use super::resume::Earlier;
use super::selection::{Filter, Planned};

/// Who shows a run to a person while it goes on.
pub trait Observer {
    /// Shows a line about the run.
    ///
    /// # Errors
    /// Nothing can be shown.
    fn line(&mut self, text: &str) -> Result<(), RunError>;

    /// Has everything that was selected performed, each once: with [`Work::perform_all`], or one by one with
    /// [`Work::perform`], in any order and from at most [`Work::threads`] threads.
    ///
    /// # Errors
    /// Nothing can be shown.
    fn perform(&mut self, work: &Arc<Work>) -> Result<(), RunError>;

    /// Shows how the run went.
    ///
    /// # Errors
    /// Nothing can be shown.
    fn summary(&mut self, run: &Recorded) -> Result<(), RunError>;
}

/// The work of a run: what was selected, and where results go.
#[derive(Debug)]
pub struct Work {
    pub campaign: Campaign,
    pub selected: Vec<Planned>,
    folder: RunFolder,
    jobs: Option<usize>,
    /// Why results cannot be written any more.
    lost: OnceLock<Arc<FolderError>>,
}

impl Work {
    /// How many rules run at the same time: as many as were asked for, else as many as there are processors. On real
    /// devices one: every thread would use the same devices.
    pub fn threads(&self) -> usize {
        if !self.campaign.header.library.simulated {
            return 1;
        }
        self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
    }

    /// Performs one of the selected rules and writes its result down. Stops after the first result that cannot be
    /// written: `None`.
    pub fn perform(&self, planned: &Planned) -> Option<Result<RuleResult, Arc<FolderError>>> {
        if self.lost.get().is_some() {
            return None;
        }
        Some(self.folder.run(&self.campaign, planned).map_err(|error| {
            let error = Arc::new(error);
            // Another thread may have met it first.
            let _ = self.lost.set(error.clone());
            error
        }))
    }

    /// Performs everything that was selected, with as many threads as there may be; `show` is called once for each
    /// result, in the order in which rules end, by one thread at a time.
    ///
    /// # Errors
    /// The first one of `show`; nothing is begun after it.
    pub fn perform_all(&self, show: impl FnMut(&RuleResult) -> Result<(), RunError> + Send) -> Result<(), RunError> {
        let next = AtomicUsize::new(0);
        let shown = std::sync::Mutex::new((show, Ok(())));
        let lock = || shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let thread = || {
            while let Some(planned) = self.selected.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Some(Ok(result)) = self.perform(planned) else { return };
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
    observer: &mut impl Observer,
) -> Result<ExitStatus, RunError> {
    let earlier = Earlier::open(&mut options)?;
    if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.run.end.is_some()) {
        earlier.report(options.keep)?;
        let folder = earlier.folder.display();
        observer.line(&format!("{folder}: this run has reached its end; its reports are written again"))?;
        observer.summary(&earlier.run)?;
        return Ok(status(&earlier.run));
    }
    let work = Arc::new(begin(&options, runtime, filter, earlier, observer)?);
    observer.perform(&work)?;
    let end = work.campaign.finish();
    if let Some(error) = work.lost.get() {
        return Err(RunError::Lost(error.clone()));
    }
    let run = work.folder.finish(&work.campaign, &end)?;
    observer.summary(&run)?;
    expect_each_once(&work.selected, &work.campaign.results())?;
    Ok(status(&run))
}

/// Opens target and folder of a run, and shows what is tested.
fn begin(
    options: &Options,
    runtime: &'static Runtime,
    filter: &Filter,
    earlier: Option<Earlier>,
    observer: &mut impl Observer,
) -> Result<Work, RunError> {
    let rules = Arc::new(load_rules(options, runtime)?);
    let mut selected = filter.select(&rules)?;
    if let Some(earlier) = &earlier {
        selected = earlier.selection(&rules, selected)?;
    }
    let mut campaign = Campaign::open(options, runtime, rules).map_err(|error| match &earlier {
        Some(earlier) => earlier.context(error),
        None => error,
    })?;
    if let Some(earlier) = &earlier {
        earlier.expect_same(&campaign.header)?;
    }
    let resumes = earlier.is_some();
    let folder = RunFolder::open(&mut campaign.header, options, &selected, earlier)?;
    observer.line(&first_line(&campaign.header))?;
    if resumes {
        observer.line(&folder.resumed(selected.len()))?;
    }
    Ok(Work { campaign, selected, folder, jobs: options.jobs, lost: OnceLock::new() })
}

/// The catalog of the options, checked.
///
/// # Errors
/// There is none in that folder, or it has mistakes.
pub fn load_rules(options: &Options, runtime: &'static Runtime) -> Result<Rules, RunError> {
    let place =
        CatalogPlace { specs: options.specs(runtime), bindings: runtime.bindings, defects: Some(runtime.defects()) };
    Ok(load(&place, None)?)
}

fn status(run: &Recorded) -> ExitStatus {
    run.end.as_ref().map_or(ExitStatus::Unknown, |end| ExitStatus::from_code(end.exit))
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
