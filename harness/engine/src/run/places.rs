//! The locations of the project's files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use catalog::Specs;
use catalog::files::is_trusted_owner;
use record::{Journal, JournalError, Recorded, RunHeader, read_run};

/// True if ci/package.sh built this executable. Such an executable runs on machines that have neither a checkout nor
/// cargo.
const IN_BUNDLE: bool = option_env!("ATLAS_CTS_BUNDLE").is_some();

/// The folder of the cargo package from which this executable was built; `None` in a bundle, which records no folders
/// of the machine that built it.
const BUILT_FROM: Option<&str> = if IN_BUNDLE { None } else { Some(env!("CARGO_MANIFEST_DIR")) };

/// The checkout from which this executable was built, if cargo is running the executable there. The checkout can be
/// trusted, because a user who can write to it also controls the build. Other folders are read for known failures and
/// counterexamples only if the user names them: the current folder, or a path recorded at build time, may belong to
/// another user.
fn checkout() -> Option<PathBuf> {
    let root = Path::new(BUILT_FROM?).parent()?.parent()?;
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    package.starts_with(root).then(|| root.to_owned())
}

/// The name of the command.
const COMMAND: &str = "atlas-cts";

/// The command line with which the current front end runs a single rule.
pub(super) fn run_alone(rule: &str) -> String {
    let is_command = || std::env::current_exe().is_ok_and(|path| path.file_name().is_some_and(|name| name == COMMAND));
    if IN_BUNDLE || is_command() { format!("{COMMAND} run {rule}") } else { format!("cargo test -- --exact {rule}") }
}

/// The default parent folder for runs: in the current folder or, if cargo runs this executable, in the checkout.
pub fn runs_folder() -> PathBuf {
    checkout().or_else(|| std::env::current_dir().ok()).unwrap_or_default().join("reports/out")
}

/// Fails if another user created the default folder for runs in the current folder, because that other user would
/// control the files written there. The current folder itself is not checked, because the user chose it.
pub(super) fn expect_own_runs_folder() -> io::Result<()> {
    let out = runs_folder();
    let Some(reports) = out.parent() else { return Ok(()) };
    let chosen = reports.parent().and_then(|root| root.metadata().ok()).map(|root| root.uid());
    for folder in [reports, &out] {
        // A folder that does not exist yet is safe, because this user will create it.
        let Ok(found) = folder.symlink_metadata() else { continue };
        if !is_trusted_owner(found.uid()) && chosen != Some(found.uid()) {
            let text = format!("{} belongs to another user (uid {})", folder.display(), found.uid());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
    }
    Ok(())
}

/// The folder for kept counterexamples: the folder that the environment names or, under cargo, the checkout's folder.
/// `None` if there is no such folder.
pub(super) fn regressions_folder() -> Option<PathBuf> {
    let named = std::env::var_os("ATLAS_CTS_REGRESSIONS").map(PathBuf::from);
    named.or_else(|| checkout().map(|root| root.join("fixtures/regressions")))
}

/// The folder of known failures that is read by default. Under cargo, this is the checkout's folder, if the catalog
/// comes from the checkout.
pub(super) fn expectations_folder(specs: &Specs) -> Option<PathBuf> {
    let checkout = checkout().filter(|_| matches!(specs, Specs::Embedded(_)));
    checkout.map(|root| root.join("expectations")).filter(|folder| folder.is_dir())
}

/// A folder of known failures that is in the current folder or next to the catalog, but is not read by default.
pub(super) fn unread_expectations(specs: &Specs) -> Option<PathBuf> {
    let parent = match specs {
        Specs::Folder(folder) => folder.parent().map(Path::to_owned).unwrap_or_default(),
        Specs::Embedded(_) => PathBuf::new(),
    };
    Some(parent.join("expectations")).filter(|folder| folder.is_dir() && expectations_folder(specs).is_none())
}

/// The run folder that a text names, relative to the current folder: a path, a run's name, `latest`, or `latest~1` for
/// the run before `latest`. Links are resolved, because `latest` may change during the run.
pub fn run_folder(given: &Path) -> PathBuf {
    let runs = runs_folder();
    let folder = match given.to_str().and_then(before_latest) {
        Some(back) => nth_before_latest(&runs, back).unwrap_or_else(|| runs.join(given)),
        None => {
            let below = runs.join(given);
            let named = given.components().count() == 1 && !given.exists() && below.exists();
            if named { below } else { given.to_owned() }
        }
    };
    let folder = if folder.is_file() { folder.parent().unwrap_or(&folder).to_owned() } else { folder };
    folder.canonicalize().unwrap_or(folder)
}

/// Reads the run that a text names (see [`run_folder`]). Returns the run's folder and the run.
///
/// # Errors
/// Fails if the run does not exist, or if its journal cannot be read.
pub fn read_named(given: &Path) -> Result<(PathBuf, Recorded), JournalError> {
    let folder = run_folder(given);
    read_run(&folder).map(|run| (folder, run))
}

/// The number of runs to go back from the latest run: 0 for `latest`, and N for `latest~N`. `None` for any other text.
fn before_latest(text: &str) -> Option<usize> {
    match text.strip_prefix("latest")? {
        "" => Some(0),
        rest => rest.strip_prefix('~')?.parse().ok(),
    }
}

/// The folder of the run that is `back` runs before `latest`; `None` if there are fewer runs.
fn nth_before_latest(runs: &Path, back: usize) -> Option<PathBuf> {
    let latest = runs.join("latest");
    if back == 0 && latest.exists() {
        return Some(latest);
    }
    let mut all: Vec<(String, PathBuf)> = std::fs::read_dir(runs)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((started(&entry.path().join(Journal::FILE))?, entry.path())))
        .collect();
    all.sort();
    let named = latest.canonicalize().ok();
    let position = all.iter().position(|(_, path)| path.canonicalize().ok() == named);
    // On a file system without links, the newest run is the latest.
    let position = position.or(all.len().checked_sub(1))?;
    all.get(position.checked_sub(back)?).map(|(_, path)| path.clone())
}

/// The largest number of earlier runs that are read to find the run before a run.
const NEAR: usize = 8;

/// The run before a run in the default folder for runs: the newest finished run that started earlier and tested the same
/// product, both or neither simulated. `None` for a run elsewhere, whose neighbors may be anything, and for a shard.
pub(super) fn run_before(folder: &Path, header: &RunHeader) -> Option<Recorded> {
    let runs = runs_folder().canonicalize().ok()?;
    if header.settings.part.is_some() || folder.canonicalize().ok()?.parent()? != runs {
        return None;
    }
    let mut earlier: Vec<(String, PathBuf)> = std::fs::read_dir(&runs)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((started(&entry.path().join(Journal::FILE))?, entry.path())))
        .filter(|(started, _)| *started < header.started)
        .collect();
    earlier.sort();
    let tested = |header: &RunHeader| (header.runtime.clone(), header.product.clone(), header.library.simulated);
    let runs = earlier.iter().rev().take(NEAR).filter_map(|(_, path)| read_run(path).ok());
    runs.into_iter()
        .find(|run| run.end.is_some() && run.header.settings.part.is_none() && tested(&run.header) == tested(header))
}

/// A run's start time, from the journal's first line; `None` if the file is not a journal.
fn started(journal: &Path) -> Option<String> {
    const LONGEST: u64 = 16 << 20;
    if !journal.symlink_metadata().is_ok_and(|journal| journal.is_file()) {
        return None;
    }
    let mut line = Vec::new();
    BufReader::new(File::open(journal).ok()?.take(LONGEST)).read_until(b'\n', &mut line).ok()?;
    let line: serde_json::Value = serde_json::from_slice(&line).ok()?;
    Some(line.get("run")?.get("started")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("latest", Some(0))]
    #[case("latest~1", Some(1))]
    #[case("latest~12", Some(12))]
    #[case("latest~", None)]
    #[case("latest-night", None)]
    #[case("night", None)]
    fn the_latest_run_and_those_before_it_have_names(#[case] text: &str, #[case] back: Option<usize>) {
        assert_eq!(before_latest(text), back);
    }

    #[test]
    fn runs_before_the_latest_are_counted_by_when_they_began() {
        let runs = tempfile::tempdir().unwrap();
        for (name, started) in
            [("c", "2027-01-01T00:00:00Z"), ("a", "2027-01-02T00:00:00Z"), ("b", "2027-01-03T00:00:00Z")]
        {
            std::fs::create_dir(runs.path().join(name)).unwrap();
            let line = format!("{{\"run\":{{\"started\":\"{started}\"}}}}\n");
            std::fs::write(runs.path().join(name).join(Journal::FILE), line).unwrap();
        }
        std::fs::create_dir(runs.path().join("no-run")).unwrap();
        let named = |back| nth_before_latest(runs.path(), back).map(|path| path.file_name().unwrap().to_owned());
        assert_eq!(named(1).unwrap(), "a", "without a link the newest is the latest");
        std::os::unix::fs::symlink("a", runs.path().join("latest")).unwrap();
        assert_eq!(named(1).unwrap(), "c");
        assert_eq!(named(2), None);
    }
}
