//! Where things are that belong to the project.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::catalog::Specs;

/// Whether ci/package.sh built this executable: for machines without a checkout and without cargo.
const IN_BUNDLE: bool = option_env!("ATLAS_CTS_BUNDLE").is_some();

/// The folder of the package that this executable was built from. A bundle does not carry the builder's folders.
const BUILT_FROM: Option<&str> = if IN_BUNDLE { None } else { Some(env!("CARGO_MANIFEST_DIR")) };

/// The folder of the project that this executable was built from; where there is none, or it is gone or belongs to
/// somebody else by now, the current folder.
fn project_root() -> PathBuf {
    let built = BUILT_FROM.and_then(|package| Path::new(package).join("../..").canonicalize().ok());
    built.filter(|root| is_ours(root)).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// The command that runs one rule alone, without further options.
pub(super) fn run_alone(rule: &str) -> String {
    if IN_BUNDLE { format!("atlas-cts run {rule}") } else { format!("cargo test -- --exact {rule}") }
}

/// Whether cargo runs this executable from there, or the folder belongs to this user.
fn is_ours(root: &Path) -> bool {
    let by_cargo = std::env::var_os("CARGO_MANIFEST_DIR").is_some_and(|package| Path::new(&package).starts_with(root));
    let owner = || root.symlink_metadata().map(|metadata| metadata.uid());
    by_cargo || owner().is_ok_and(|owner| owner == rustix::process::geteuid().as_raw())
}

/// The folder below which runs write.
pub fn runs_folder() -> PathBuf {
    project_root().join("reports/out")
}

/// The folder of known counterexamples.
pub(super) fn regressions_folder() -> PathBuf {
    std::env::var_os("ATLAS_CTS_REGRESSIONS").map_or_else(|| project_root().join("fixtures/regressions"), PathBuf::from)
}

/// The folder of known failures beside a catalog.
pub(super) fn expectations_folder(specs: &Specs) -> PathBuf {
    let beside = match specs {
        Specs::Folder(folder) => folder.parent().map(Path::to_owned).unwrap_or_default(),
        Specs::Embedded(_) => project_root(),
    };
    beside.join("expectations")
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
