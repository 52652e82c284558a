//! Which rules of a catalog a command line asks for, beside the texts that it names: a list in a file, exclusions, a
//! part of a run.

use std::io;
use std::path::PathBuf;

use clap::Args;

use catalog::files;

use super::errors::SelectionError;
use super::places::read_named;
use super::selection::Filter;
use super::shard::{Distribution, Shard};

/// Bytes of the longest list of rules.
const LONGEST_LIST: u64 = 16 << 20;

/// Which rules are asked for. Each option has an environment variable, for runners that pass no arguments on.
#[derive(Debug, Clone, Default, Args)]
pub struct SelectionOptions {
    /// Only rules that this file lists, or that are named otherwise: on each line an id, or a text that ids contain; what
    /// follows a # is a remark.
    #[arg(long, env = "ATLAS_CTS_RULES", value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Leave out rules whose id contains this; a whole id means that rule. May be repeated.
    #[arg(long, env = "ATLAS_CTS_EXCLUDE", value_name = "TEXT", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Only part K of N of what is selected, for `atlas-cts merge`. A rule's part does not change when rules are added.
    #[arg(long, env = "ATLAS_CTS_SHARD", value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Parts take about the same time, by what this earlier run took. All parts must be given the same.
    #[arg(long, env = "ATLAS_CTS_TIMES", value_name = "RUN", requires = "shard")]
    pub times: Option<PathBuf>,
}

impl SelectionOptions {
    /// The filter that these options, texts of the command line and texts to leave out make together.
    ///
    /// # Errors
    /// A file that is named cannot be read, or lists nothing.
    pub fn filter(&self, wanted: Vec<String>, exact: bool, left_out: Vec<String>) -> Result<Filter, SelectionError> {
        let mut filter = Filter { wanted, exact, left_out, excluded: self.exclude.clone(), ..Filter::default() };
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
        if let Some(shard) = self.shard {
            if std::env::var_os("NEXTEST_RUN_ID").is_some() {
                return Err(SelectionError::Nextest);
            }
            let distribution = match &self.times {
                None => Distribution::by_id(shard.of),
                Some(run) => {
                    let (_, earlier) = read_named(run).map_err(|error| SelectionError::Times { error })?;
                    Distribution::by_times(shard.of, &earlier.results)
                }
            };
            filter.part = Some((shard, distribution));
        }
        Ok(filter)
    }
}
