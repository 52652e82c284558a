//! `atlas-cts mustpass`: what a conformant device has to hold, and whether a catalog demands less than a release did.

use std::path::PathBuf;

use atlas_cts::{CommandError, say, say_line};
use catalog::files::write_new;
use catalog::must_pass::{MustPass, hold};
use catalog::{Rules, Specs, product};
use clap::Args;
use engine::run::{CatalogOptions, ExitStatus};

/// What is done with the list.
#[derive(Debug, Args)]
pub(crate) struct MustPassOptions {
    /// Hold the catalog against the list of a release; exit status 1 where it demands less and its changes.yaml does not
    /// say why.
    #[arg(long, value_name = "FILE")]
    hold: Option<PathBuf>,
    /// Write the list of this version to a file, which must not be there.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// Shows, writes or holds the list; 1 where the catalog became weaker and nobody said why.
pub(crate) fn must_pass(
    rules: &Rules,
    specs: &Specs,
    catalog: &CatalogOptions,
    wanted: &MustPassOptions,
) -> Result<ExitStatus, CommandError> {
    let list = MustPass::of(rules, env!("CARGO_PKG_VERSION"));
    let mut status = ExitStatus::Conformant;
    if let Some(path) = &wanted.hold {
        let mistakes = hold(path, specs, rules).map_err(|error| CommandError::MustPass(Box::new(error)))?;
        for mistake in &mistakes {
            say(&mistake.to_string())?;
            status = ExitStatus::Broken;
        }
        let number = list.rules.len();
        match mistakes.len() {
            0 => say_line(format_args!("{number} rules, and nothing weaker than {} without a reason", path.display()))?,
            count => say_line(format_args!("against {}: {count} to mend or to explain", path.display()))?,
        }
    }
    if let Some(path) = &wanted.write {
        write_new(path, list.to_string().as_bytes())
            .map_err(|source| CommandError::File { path: path.clone(), source })?;
        say_line(format_args!("{}: {} rules of version {}", path.display(), list.rules.len(), list.version))?;
    } else if wanted.hold.is_none() {
        let list = match catalog.named_product() {
            None => list,
            Some(id) => list.on(&product(rules, id)?.id),
        };
        say(&list.to_string())?;
    }
    Ok(status)
}
