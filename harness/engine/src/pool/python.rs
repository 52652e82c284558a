//! The Python interpreter through which workers make calls.

use std::path::Path;

use simulator_contract::environment;

use crate::wire::message::Through;

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
        given.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
