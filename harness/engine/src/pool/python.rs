//! The Python interpreter through which workers make calls.

use std::ffi::OsString;
use std::path::Path;

use simulator_contract::environment;

use crate::wire::message::Through;

/// The variable with the folders that an interpreter searches first.
pub(crate) const PYTHON_PATH: &str = "PYTHONPATH";

/// The value of [`PYTHON_PATH`] with which an interpreter searches the same folders from any current folder; `None` if
/// it is not set. An empty entry, as in `/folder:`, means the current folder, which the user did not name. It is left
/// out.
pub(crate) fn python_path() -> Option<OsString> {
    let given = std::env::var_os(PYTHON_PATH)?;
    let named = std::env::split_paths(&given).filter(|folder| !folder.as_os_str().is_empty());
    let absolute = named.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
    // A current folder that contains the separator cannot be in such a list.
    Some(std::env::join_paths(absolute).unwrap_or_default())
}

/// The Python interpreter and the module through which calls are made.
#[derive(Debug, Clone)]
pub struct PythonSetUp {
    /// The parts that a worker needs.
    pub through: Through,
    /// The interpreter's home, for PYTHONHOME.
    pub home: String,
    /// The active defects and variants of the simulated device's module.
    pub defects: Vec<String>,
    /// The interface, the interpreter's version and the module's place, for reports.
    pub shown: String,
}

impl PythonSetUp {
    /// The environment of a worker. `library` is the first library under test.
    pub(super) fn environment(&self, library: &Path) -> Vec<(String, String)> {
        let variables = [
            ("PYTHONHOME", self.home.clone()),
            ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
            (environment::LIBRARY, library.display().to_string()),
            (environment::MODULE_DEFECTS, self.defects.join(",")),
        ];
        let given = variables.into_iter().filter(|(_, value)| !value.is_empty());
        let given = given.chain(python_path().map(|path| (PYTHON_PATH, path.to_string_lossy().into_owned())));
        given.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
