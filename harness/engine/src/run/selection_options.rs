//! Options that select rules, in addition to the filters on the command line: a list in a file, exclusions, and a
//! shard.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use catalog::files;
use record::{Journal, Meaning};

use super::errors::SelectionError;
use super::headings::SELECTION;
use super::places::{read_named, run_folder};
use super::selection::{FailedRules, Filter};
use super::shard::{BalancedShard, Distribution};

/// The maximum size of a list of rules, in bytes.
const LONGEST_LIST: u64 = 16 << 20;

/// The options that select rules. Options that a whole test run can have are also read from the environment, because some
/// test runners pass no arguments.
#[derive(Debug, Clone, Default, Args)]
pub struct SelectionOptions {
    /// Run the rules that this file lists, one per line.
    ///
    /// Each line contains an id, part of one, or a pattern. Comments begin with #.
    #[arg(long, value_name = "FILE", help_heading = SELECTION, hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// Run only rules that call this function; may be repeated.
    #[arg(long, value_name = "FUNCTION", help_heading = SELECTION)]
    pub api: Vec<String>,
    /// Run only rules in this chapter or area; may be repeated.
    #[arg(long, value_name = "NAME", help_heading = SELECTION, hide_short_help = true)]
    pub chapter: Vec<String>,
    /// Run only rules that are broken or unknown in the latest run, or in RUN.
    ///
    /// Known failures are left out. Rules without a result are for `--resume`.
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, default_missing_value = "latest", conflicts_with = "resume", help_heading = SELECTION)]
    pub failed: Option<PathBuf>,
    /// Leave out rules whose id is, contains or matches this text.
    #[arg(long, value_name = "TEXT", value_delimiter = ',', help_heading = SELECTION)]
    pub exclude: Vec<String>,
    /// Run only shard K of N, for `atlas-cts merge`.
    ///
    /// K/N@RUN balances the shards by the times of this earlier run, the same for all.
    #[arg(long, value_name = "K/N", help_heading = SELECTION, hide_short_help = true)]
    pub shard: Option<BalancedShard>,
}

impl SelectionOptions {
    /// Combines these options, the texts that select rules and the texts that exclude rules into a filter.
    ///
    /// # Errors
    /// Fails if a named file cannot be read or lists nothing.
    pub fn filter(&self, wanted: Vec<String>, exact: bool, left_out: Vec<String>) -> Result<Filter, SelectionError> {
        let mut filter = Filter { wanted, exact, left_out, excluded: self.exclude.clone(), ..Filter::default() };
        (filter.functions, filter.chapters) = (self.api.clone(), self.chapter.clone());
        filter.failed = self.failed.as_deref().map(|run| failed_in(run, &filter.wanted)).transpose()?;
        if let Some(path) = &self.rules {
            let failed = |source| SelectionError::List { path: path.clone(), source };
            let bytes = files::read(path, LONGEST_LIST).map_err(failed)?;
            let text = String::from_utf8(bytes).map_err(|error| failed(io::Error::other(error)))?;
            for (index, line) in text.lines().enumerate() {
                let id = line.split('#').next().unwrap_or_default().trim();
                if !id.is_empty() {
                    filter.wanted.push(id.to_owned());
                    filter.places.insert(id.to_owned(), format!("{}:{}", path.display(), index + 1));
                }
            }
            if filter.places.is_empty() {
                return Err(SelectionError::EmptyList { path: path.clone() });
            }
        }
        if let Some(BalancedShard { shard, times }) = &self.shard {
            if std::env::var_os("NEXTEST_RUN_ID").is_some() {
                return Err(SelectionError::Nextest);
            }
            let distribution = match times {
                None => Distribution::by_id(shard.of),
                Some(run) => {
                    let (_, earlier) = read_named(run).map_err(|error| SelectionError::Times { error })?;
                    Distribution::by_times(shard.of, &earlier.results)
                }
            };
            filter.part = Some((*shard, distribution));
        }
        Ok(filter)
    }
}

/// The rules that an earlier run found broken or could not answer, without known failures.
fn failed_in(given: &Path, wanted: &[String]) -> Result<FailedRules, SelectionError> {
    // `--failed RUN` would select rules whose id contains RUN.
    let is_run = |text: &&String| run_folder(Path::new(text)).join(Journal::FILE).is_file();
    if let Some(run) = wanted.iter().find(is_run) {
        return Err(SelectionError::FailedRun { run: run.clone() });
    }
    let (_, run) = read_named(given).map_err(|error| SelectionError::Failed { error })?;
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let strict = run.header.settings.strict;
    let failed = run.results.iter().filter(|result| match result.meaning() {
        Meaning::Broken | Meaning::Unknown => true,
        Meaning::Finding => strict,
        Meaning::Good | Meaning::Skipped => false,
    });
    let counts = failed.filter(|result| !expected.is_some_and(|expected| expected.excuses(&result.id)));
    Ok(FailedRules { run: given.display().to_string(), ids: counts.map(|result| result.id.clone()).collect() })
}
