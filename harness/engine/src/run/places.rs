//! Where things are that belong to the project.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::catalog::Specs;

/// Whether ci/package.sh built this executable: for machines without a checkout and without cargo.
const IN_BUNDLE: bool = option_env!("ATLAS_CTS_BUNDLE").is_some();

/// The folder of the package that this executable was built from. A bundle does not carry the builder's folders.
const BUILT_FROM: Option<&str> = if IN_BUNDLE { None } else { Some(env!("CARGO_MANIFEST_DIR")) };

/// The checkout that this executable was built from, while cargo runs it there: whoever may write there decides what is
/// built, too. Known failures and counterexamples are read from no other place that the user has not named: the current
/// folder, or a path that was known when this was built, may be another user's.
fn checkout() -> Option<PathBuf> {
    let root = Path::new(BUILT_FROM?).parent()?.parent()?;
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    package.starts_with(root).then(|| root.to_owned())
}

/// The name of the command, as its package builds it.
const COMMAND: &str = "atlas-cts";

/// The command that runs one rule alone, without further options: that of the front end that runs now.
pub(super) fn run_alone(rule: &str) -> String {
    let is_command = || std::env::current_exe().is_ok_and(|path| path.file_name().is_some_and(|name| name == COMMAND));
    if IN_BUNDLE || is_command() { format!("{COMMAND} run {rule}") } else { format!("cargo test -- --exact {rule}") }
}

/// The folder below which runs write, unless the user names another one: below the current folder, or in the checkout
/// that cargo runs this executable in.
pub fn runs_folder() -> PathBuf {
    checkout().or_else(|| std::env::current_dir().ok()).unwrap_or_default().join("reports/out")
}

/// Refuses a default folder of runs that another user has put into the current folder: what is written there is his.
/// Whose folder the current one is, the user knows.
pub(super) fn expect_own_runs_folder() -> io::Result<()> {
    let out = runs_folder();
    let Some(reports) = out.parent() else { return Ok(()) };
    let mut trusted = vec![0, rustix::process::geteuid().as_raw()];
    trusted.extend(reports.parent().and_then(|root| root.metadata().ok()).map(|root| root.uid()));
    for folder in [reports, &out] {
        // What is not there yet is made by this user.
        let Ok(found) = folder.symlink_metadata() else { continue };
        if !trusted.contains(&found.uid()) {
            let text = format!("{} belongs to another user (uid {})", folder.display(), found.uid());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
    }
    Ok(())
}

/// The folder of known counterexamples: that of the environment, or of the checkout under cargo; `None`: there is none.
pub(super) fn regressions_folder() -> Option<PathBuf> {
    let named = std::env::var_os("ATLAS_CTS_REGRESSIONS").map(PathBuf::from);
    named.or_else(|| checkout().map(|root| root.join("fixtures/regressions")))
}

/// The folder of known failures that is read by itself: that of the checkout under cargo, with the catalog built from it.
pub(super) fn expectations_folder(specs: &Specs) -> Option<PathBuf> {
    let checkout = checkout().filter(|_| matches!(specs, Specs::Embedded(_)));
    checkout.map(|root| root.join("expectations")).filter(|folder| folder.is_dir())
}

/// A folder of known failures that lies in the current folder or beside the catalog, and is not read by itself.
pub(super) fn unread_expectations(specs: &Specs) -> Option<PathBuf> {
    let beside = match specs {
        Specs::Folder(folder) => folder.parent().map(Path::to_owned).unwrap_or_default(),
        Specs::Embedded(_) => PathBuf::new(),
    };
    Some(beside.join("expectations")).filter(|folder| folder.is_dir() && expectations_folder(specs).is_none())
}

/// The folder that is meant: a run's name will do, and `latest` must not move while the run goes on.
pub fn run_folder(given: &Path) -> PathBuf {
    let out = runs_folder().join(given);
    let latest = given.as_os_str() == "latest";
    let named = given.components().count() == 1 && !given.exists() && out.exists();
    let folder = if latest || named { &out } else { given };
    let folder = if folder.is_file() { folder.parent().unwrap_or(folder) } else { folder };
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}
