//! A run's output folder: journal, JUnit file, counterexamples, and the link `latest`.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::logs::Redactor;
use crate::pool::interrupt;
use catalog::files::{folders_below, remove_left_over};
use record::books::{Books, Expected};
use record::text::{clean, disarmed};
use record::{
    ExpectationFiles, Journal, JournalError, Recorded, RuleLogs, RuleResult, RunEnd, RunHeader, RunResume, RunStop,
    counts, exit_code, read_run,
};

use super::campaign::Campaign;
use super::errors::{FolderError, LONGEST_NAME, RunError};
use super::evidence::worth_it;
use super::known::write_case;
use super::log_files;
use super::options::Options;
use super::places::{expect_own_runs_folder, regressions_folder, run_alone, run_before, runs_folder};
use super::redacted;
use super::resume::Earlier;
use super::selection::{Planned, plan};
use super::status::ExitStatus;

/// If a rule was running during this many interruptions, the rule is not run again.
const TRIED: u32 = 2;

/// A run's output folder.
#[derive(Debug)]
pub struct RunFolder {
    pub path: PathBuf,
    journal: Journal,
    books: &'static dyn Books,
    keep: Option<PathBuf>,
    /// True if other processes in the same run append to the same journal.
    shared: bool,
    /// The results from before the run was resumed.
    results: HashMap<String, RuleResult>,
    /// The rules that were running when the run was interrupted, each with its number of interruptions.
    in_flight: BTreeMap<String, u32>,
    /// The number of log bytes that the run may still keep.
    room: AtomicU64,
    /// The folder's lock, held until the run ends, so that no other run writes to the folder.
    _lock: Option<File>,
}

impl RunFolder {
    /// Creates the folder and the journal, and writes the journal's first line. For a resumed run, opens the existing
    /// folder and journal, and replaces the header with the journal's first line.
    ///
    /// # Errors
    /// Fails if the folder is in use, cannot be written, or already has a journal.
    pub fn open(
        campaign: &mut Campaign,
        options: &Options,
        earlier: Option<Earlier>,
        books: &'static dyn Books,
    ) -> Result<RunFolder, RunError> {
        let keep = kept_cases(options.tune.keep)?;
        let mut folder = match earlier {
            Some(earlier) => RunFolder::resume(campaign, keep, earlier, books),
            None => RunFolder::create(
                &mut campaign.header,
                options.machine.report_dir.as_deref(),
                keep,
                campaign.evidence.redactor.as_deref(),
                books,
            ),
        }?;
        let kept = folder.results.values().flat_map(|result| &result.logs).flat_map(|logs| &logs.files);
        let kept = kept.map(|file| file.bytes).fold(0, u64::saturating_add);
        folder.room = AtomicU64::new(((options.tune.logs << 10) * log_files::RULES).saturating_sub(kept));
        folder.journal.waiting_at_most(Duration::from_secs(options.tune.lock_wait));
        Ok(folder)
    }

    /// Creates the folder and the journal. The journal's first line records the folder.
    ///
    /// # Errors
    /// Fails if the folder is in use, cannot be written, or already has a journal.
    pub(super) fn create(
        header: &mut RunHeader,
        given: Option<&Path>,
        keep: Option<PathBuf>,
        redactor: Option<&Redactor>,
        books: &'static dyn Books,
    ) -> Result<RunFolder, RunError> {
        // A test runner that starts one process per test sets the run's name in the environment.
        let shared = std::env::var("NEXTEST_RUN_ID").ok();
        if let Some(given) = shared.as_ref().filter(|name| !is_name(name)) {
            return Err(FolderError::Name { given: given.clone() }.into());
        }
        let out = runs_folder();
        let name = shared.clone().unwrap_or_else(|| run_name(&header.started, &header.product));
        let path = given.map_or_else(|| out.join(&name), Path::to_owned);
        let failed = |source| FolderError::Create { path: path.clone(), source };
        header.run = match given {
            Some(path) => std::path::absolute(path).map_err(failed)?.display().to_string(),
            None => name,
        };
        if let Some(redactor) = redactor {
            header.run = redactor.names(&header.run);
        }
        if given.is_none() {
            expect_own_runs_folder().map_err(failed)?;
        }
        std::fs::create_dir_all(&path).map_err(failed)?;
        let lock = lock(&path, shared.is_some())?;
        let journal = match Journal::create(&path, header) {
            Err(_) if shared.is_some() => Journal::append_to(&path)?,
            other => other?.alone(),
        };
        if given.is_none() {
            link_latest(&out, &path);
        }
        Ok(RunFolder {
            path,
            journal,
            books,
            keep,
            shared: shared.is_some(),
            results: HashMap::new(),
            in_flight: BTreeMap::new(),
            room: AtomicU64::new(0),
            _lock: lock,
        })
    }

    fn resume(
        campaign: &mut Campaign,
        keep: Option<PathBuf>,
        earlier: Earlier,
        books: &'static dyn Books,
    ) -> Result<RunFolder, RunError> {
        let path = earlier.folder;
        let lock = lock(&path, false)?;
        // Reads the journal again under the lock, because the interrupted run may have written lines after the first
        // read.
        let run = read_run(&path)?;
        tidy(&path, &run.results, keep.as_deref()).into_iter().for_each(|remark| campaign.remark(remark));
        let journal = Journal::append_to(&path)?.alone();
        let started = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
        campaign.header = run.header;
        other_expectations(campaign).into_iter().for_each(|remark| campaign.remark(remark));
        campaign.header.resumed.push(started.clone());
        journal.resume(&RunResume { started })?;
        let results = run.results.into_iter().map(|result| (result.id.clone(), result)).collect();
        Ok(RunFolder {
            path,
            journal,
            books,
            keep,
            shared: false,
            results,
            in_flight: run.in_flight,
            room: AtomicU64::new(0),
            _lock: lock,
        })
    }

    /// A line that reports the results from before the run was resumed.
    pub fn resumed(&self, rules: usize) -> String {
        let ran: Vec<&str> = self.in_flight.keys().map(String::as_str).collect();
        let ran = match &ran[..] {
            [] => "no rule was running".to_owned(),
            [one] => format!("{one} was running"),
            several => format!("{} were running", several.join(", ")),
        };
        format!(
            "resuming {}: {} of {rules} rules have a result; when the run stopped, {ran}",
            self.path.display(),
            self.results.len()
        )
    }

    /// Runs a planned rule and writes its result before anything else starts. A rule that has a result from before
    /// the run was resumed is not run again. Returns `None` if the run was interrupted and the rule therefore has
    /// no result.
    ///
    /// # Errors
    /// Fails if the result cannot be written, which ends the run.
    pub fn run(&self, campaign: &Campaign, planned: &Planned) -> Result<Option<RuleResult>, FolderError> {
        if let Some(result) = self.results.get(&planned.id) {
            campaign.count(result.clone());
            return Ok(Some(result.clone()));
        }
        let interrupted = self.in_flight.get(&planned.id).copied().unwrap_or(0);
        let mut result = if interrupted >= TRIED {
            let reason = format!(
                "this rule was running at {interrupted} interruptions of the run, so it is not run again; run it \
                 alone: {}",
                run_alone(&planned.id)
            );
            campaign.unanswered(planned, reason)
        } else {
            if campaign.runs(planned) {
                self.journal.begin(&planned.id).map_err(|error| self.lost(error))?;
            }
            campaign.perform(planned)
        };
        if interrupt::requested().is_some() {
            // The result is discarded, because the interruption may have killed the rule's workers.
            return Ok(None);
        }
        result.interrupted = interrupted;
        result.logs = self.keep_logs(campaign, &result);
        if let Some(redactor) = &campaign.evidence.redactor {
            redacted::result(&mut result, redactor);
        }
        let mut written = self.journal.append(&result);
        if matches!(written, Err(JournalError::Io { .. }))
            && let Some(logs) = result.logs.take()
        {
            // Removes the logs, which may have used up the remaining disk space, because the result matters more.
            log_files::remove(&self.path, &logs);
            written = self.journal.append(&result);
        }
        // A result that cannot be written still counts.
        campaign.count(result.clone());
        written.map_err(|error| self.lost(error))?;
        write_cases(&self.path, &result, self.keep.as_deref()).into_iter().for_each(|remark| campaign.remark(remark));
        Ok(Some(result))
    }

    /// Writes the logs around a result, as long as the run's log limit allows. If the logs cannot be written, the
    /// result is still kept.
    fn keep_logs(&self, campaign: &Campaign, result: &RuleResult) -> Option<RuleLogs> {
        let found = campaign.evidence.take(&result.id)?;
        if !worth_it(result) {
            return None;
        }
        let wanted: u64 = found.texts.iter().map(|text| text.text.len() as u64).sum();
        let taken = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(wanted));
        if taken.is_err() {
            let full = "the run's log limit was reached; see --tune logs".to_owned();
            return Some(RuleLogs { files: Vec::new(), nothing: vec![full] });
        }
        match log_files::write(&self.path, &result.id, &found) {
            Ok(logs) => Some(logs),
            Err(error) => {
                // Writing later logs would fail too, and one remark is enough.
                self.room.store(0, Ordering::Relaxed);
                campaign.remark(format!("cannot write the logs of {}: {error}; keeping no more logs", result.id));
                None
            }
        }
    }

    /// True if a rule has a result from before the run was resumed.
    pub(super) fn has(&self, rule: &str) -> bool {
        self.results.contains_key(rule)
    }

    /// Closes an interrupted run's journal, and reports the results so far.
    ///
    /// # Errors
    /// Fails if the journal or the report cannot be written.
    pub(super) fn stop(&self, campaign: &Campaign, why: &str) -> Result<Recorded, RunError> {
        let at = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
        self.journal.stop(&RunStop { at, signal: why.to_owned() })?;
        let (header, results) = (campaign.header.clone(), campaign.results());
        let run = Recorded { header, results, in_flight: BTreeMap::new(), end: None };
        self.reports(&run)?.into_iter().for_each(|remark| campaign.remark(remark));
        Ok(run)
    }

    /// Writes the journal, reports and counterexamples for a run whose results are known. Returns remarks about other
    /// files that could not be written.
    ///
    /// # Errors
    /// Fails if the journal or the report cannot be written.
    pub(super) fn write(&self, run: &Recorded, end: RunEnd) -> Result<Vec<String>, RunError> {
        for result in &run.results {
            self.journal.append(result)?;
        }
        self.journal.finish(end)?;
        write_all(&self.path, run, run_before(&self.path, &run.header).as_ref(), self.keep.as_deref(), self.books)
    }

    fn reports(&self, run: &Recorded) -> Result<Vec<String>, RunError> {
        let previous = run_before(&self.path, &run.header);
        self.books.write_reports(&self.path, run, previous.as_ref()).map_err(RunError::Report)
    }

    fn lost(&self, reason: JournalError) -> FolderError {
        match reason {
            JournalError::Io { .. } | JournalError::Locked { .. } => {
                FolderError::Lost { path: self.path.clone(), reason }
            }
            _ => FolderError::Changed { reason },
        }
    }

    /// Writes the end of the run to the journal, and writes the reports. Returns the run as reported, and an error if
    /// parts of the run are not on disk. If only this process executed the run, the results come from memory.
    pub fn finish(
        &self,
        campaign: &Campaign,
        mut end: RunEnd,
        lost: Option<Arc<FolderError>>,
        selected: usize,
    ) -> (Recorded, Option<RunError>) {
        let mut lost = lost.map(RunError::Lost);
        let mut run = Recorded {
            header: campaign.header.clone(),
            results: campaign.results(),
            in_flight: BTreeMap::new(),
            end: None,
        };
        if lost.is_none() {
            let written = if self.shared {
                read_run(&self.path).map(|shared| {
                    run = shared;
                    of_all(&mut end, &run, campaign.expecting());
                })
            } else {
                self.journal.finish(end.clone())
            };
            lost = written.err().map(|error| self.lost(error).into());
        }
        if let Some(error) = &lost {
            end.remarks.push(error.to_string());
            end.exit = ExitStatus::Unknown as u8;
        }
        run.end = (run.results.len() >= selected).then_some(end);
        // The results are sorted, because threads and interruptions change the order in which rules end.
        let all = plan(&campaign.target.rules).into_iter();
        let order: HashMap<String, usize> = all.enumerate().map(|(position, planned)| (planned.id, position)).collect();
        run.results.sort_by_key(|result| order.get(&result.id).copied());
        let folder = std::fs::create_dir_all(&self.path);
        let written = folder
            .map_err(|source| FolderError::Create { path: self.path.clone(), source }.into())
            .and_then(|()| self.reports(&run));
        match (written, &lost) {
            (Ok(remarks), _) => remarks.into_iter().for_each(|remark| campaign.remark(remark)),
            (Err(error), None) => lost = Some(error),
            (Err(error), Some(_)) => eprintln!("{}", disarmed(&clean(&error.to_string()))),
        }
        (run, lost)
    }
}

/// Replaces the end that one process computed with the end of the entire run, which includes results from other
/// processes.
fn of_all(end: &mut RunEnd, run: &Recorded, expecting: Option<&dyn Expected>) {
    let Recorded { header, results, .. } = run;
    end.counts = counts(results);
    end.expectations = expecting.map(|expecting| expecting.applied(results, header.settings.strict));
    end.exit = exit_code(&header.settings, results, end.unusable_cases, end.expectations.as_ref());
}

/// Rewrites a finished run's reports. Returns remarks about other files that could not be written. `since` is the run
/// with which the reports compare; by default, it is the run before.
///
/// # Errors
/// Fails if the folder is in use, or if the report cannot be written.
pub(super) fn report(
    folder: &Path,
    run: &Recorded,
    since: Option<Recorded>,
    keep: bool,
    books: &dyn Books,
) -> Result<Vec<String>, RunError> {
    let _lock = lock(folder, false)?;
    let previous = since.or_else(|| run_before(folder, &run.header));
    write_all(folder, run, previous.as_ref(), kept_cases(keep)?.as_deref(), books)
}

/// The folder for counterexamples that later runs try; `None` unless counterexamples are kept.
fn kept_cases(keep: bool) -> Result<Option<PathBuf>, FolderError> {
    if keep { regressions_folder().map(Some).ok_or(FolderError::Keep) } else { Ok(None) }
}

/// Writes the files in a run's folder other than the journal. Returns remarks about files that could not be
/// written.
fn write_all(
    folder: &Path,
    run: &Recorded,
    previous: Option<&Recorded>,
    keep: Option<&Path>,
    books: &dyn Books,
) -> Result<Vec<String>, RunError> {
    let mut remarks = tidy(folder, &run.results, keep);
    remarks.extend(books.write_reports(folder, run, previous).map_err(RunError::Report)?);
    Ok(remarks)
}

/// Removes partial files that a killed run left behind, and writes the results' counterexamples again.
fn tidy(path: &Path, results: &[RuleResult], keep: Option<&Path>) -> Vec<String> {
    remove_left_over(path);
    let cases = path.join(CASES);
    // If a link has replaced the folder, the link's target must not be changed.
    if cases.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        remove_left_over(&cases);
    }
    results.iter().flat_map(|result| write_cases(path, result, keep)).collect()
}

/// Returns a remark if a resumed run has different known failures than before.
fn other_expectations(campaign: &Campaign) -> Option<String> {
    let then = campaign.header.settings.expectations.as_ref();
    let now = campaign.expecting().map(Expected::files);
    let shown = |files: Option<&ExpectationFiles>| match files {
        None => "none".to_owned(),
        Some(files) => format!("{} (sha256 {})", files.path, files.digest),
    };
    (then.map(|files| &files.digest) != now.map(|files| &files.digest)).then(|| {
        format!(
            "the known failures changed since the run began: {} then, {} now; all results are classified by the \
             current ones, and dangerous rules that were skipped stay skipped",
            shown(then),
            shown(now)
        )
    })
}

/// Locks a folder for one run, or for one run's processes.
fn lock(path: &Path, shared: bool) -> Result<Option<File>, FolderError> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    let locked = if shared { folder.try_lock_shared() } else { folder.try_lock() };
    match locked {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse { path: path.to_owned() }),
        // Some network file systems cannot lock folders. Even without this lock, the journal refuses a second result
        // for a rule.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// True if a text is a plain folder name, as used in `reports/out`, and not a path.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=LONGEST_NAME).contains(&text.len()) && !text.starts_with('.') && text.bytes().all(fits)
}

/// A run's name, for example `2026-11-20T13-52-01Z-a2-4711`.
fn run_name(started: &str, product: &str) -> String {
    let seconds = started.split('.').next().unwrap_or(started).trim_end_matches('Z');
    format!("{}Z-{product}-{}", seconds.replace(':', "-"), std::process::id())
}

/// Points `latest` to a run, if the file system supports links. The new link is first created in the run's folder,
/// because no other run writes there.
fn link_latest(out: &Path, run: &Path) {
    let Some(name) = run.file_name() else { return };
    let new = run.join(".latest");
    if std::os::unix::fs::symlink(name, &new).is_ok() && std::fs::rename(&new, out.join("latest")).is_err() {
        // No code depends on `latest`, but a leftover new link would confuse the user.
        let _ = std::fs::remove_file(&new);
    }
}

/// The name of the counterexamples folder in a run's folder.
const CASES: &str = "counterexamples";

/// Writes a result's counterexample, if any, to the run's folder and to the folder for kept counterexamples. An error
/// is only a remark, because the journal has the result.
fn write_cases(path: &Path, result: &RuleResult, keep: Option<&Path>) -> Vec<String> {
    if result.failure.as_ref().is_none_or(|failure| failure.replay_values.is_null()) {
        return Vec::new();
    }
    let of_run = (path.join(CASES), folders_below(path, CASES).and_then(|folder| write_case(&folder, result, false)));
    let kept =
        keep.map(|keep| (keep.to_owned(), std::fs::create_dir_all(keep).and_then(|()| write_case(keep, result, true))));
    let failed = |(folder, written): (PathBuf, io::Result<()>)| {
        let error = written.err()?;
        let (id, folder) = (&result.id, folder.display());
        Some(format!("cannot write the counterexample of {id} to {folder}: {error}; it is in the journal"))
    };
    [Some(of_run), kept].into_iter().flatten().filter_map(failed).collect()
}
