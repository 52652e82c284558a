//! `atlas-cts mustpass`: the rules that a conformant device holds, and the changes since a release that weaken these
//! rules.

use std::path::PathBuf;

use atlas_cts::{CommandError, say, say_file, say_line};
use catalog::count;
use catalog::files::write_new;
use catalog::must_pass::{MustPass, hold};
use catalog::{Rules, Specs, product};
use clap::Args;
use engine::run::{CatalogOptions, ExitStatus};

/// The options of `mustpass`.
#[derive(Debug, Args)]
pub(crate) struct MustPassOptions {
    /// Compare the catalog with a release's must-pass list.
    ///
    /// The exit status is 1 if the catalog demands less and its changes.yaml gives no reason.
    #[arg(long, value_name = "FILE")]
    hold: Option<PathBuf>,
    /// Write this version's list to a new file.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// Shows, writes or compares the list. The exit status is 1 if the catalog became weaker without a reason.
pub(crate) fn must_pass(
    rules: &Rules,
    specs: &Specs,
    catalog: &CatalogOptions,
    wanted: &MustPassOptions,
) -> Result<ExitStatus, CommandError> {
    let list = MustPass::of(rules, env!("CARGO_PKG_VERSION"));
    let mut status = ExitStatus::Success;
    if let Some(path) = &wanted.hold {
        let mistakes = hold(path, specs, rules).map_err(|error| CommandError::MustPass(Box::new(error)))?;
        for mistake in &mistakes {
            say(&mistake.to_string())?;
            status = ExitStatus::Broken;
        }
        let number = count(list.rules.len(), "rule");
        match mistakes.len() {
            0 => say_line(format_args!("{number}, none weaker than in {} without a reason", path.display()))?,
            number => say_line(format_args!(
                "compared with {}: {} to fix or explain",
                path.display(),
                count(number, "difference")
            ))?,
        }
    }
    if let Some(path) = &wanted.write {
        write_new(path, list.to_string().as_bytes())
            .map_err(|source| CommandError::File { path: path.clone(), source })?;
        let number = count(list.rules.len(), "rule");
        say_line(format_args!("{}: {number} of version {}", path.display(), list.version))?;
    } else if wanted.hold.is_none() {
        let list = match catalog.named_product() {
            None => list,
            Some(id) => list.on(&product(rules, id)?.id),
        };
        say_file(&list.to_string())?;
    }
    Ok(status)
}
