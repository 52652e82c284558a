//! Calls through a Python module: finds the interpreter and the module.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use steps::suggest::hint;
use thiserror::Error;

use crate::doctor::{ChildAnswer, End, ask};
use crate::pool::{PYTHON_PATH, PythonSetUp, interrupt, python_path};
use crate::runtime::Runtime;
use crate::wire::message::Through;
use catalog::Rules;

use super::options::ConditionOptions;
use super::status::{ExitStatus, is_missing};

/// Prints where the interpreter's parts are, as JSON.
const PROBE: &str = r#"
import json, os, sys, sysconfig
value = lambda name: sysconfig.get_config_var(name) or ""
folders = [value("LIBDIR"), os.path.join(value("LIBDIR"), value("MULTIARCH")), value("LIBPL")]
folders += [os.path.join(sys.base_prefix, folder) for folder in ("lib", "lib64")]
names = [value("INSTSONAME"), value("LDLIBRARY"), "libpython%d.%d.so.1.0" % sys.version_info[:2]]
names += ["libpython%d.%d.so" % sys.version_info[:2]]
files = [os.path.join(folder, name) for name in names if ".so" in name for folder in folders]
with open("/proc/self/maps") as maps:
    files += [line.split(None, 5)[5].strip() for line in maps if "/libpython" in line]
print(json.dumps({
    "version": "%d.%d.%d" % sys.version_info[:3],
    "recent": sys.version_info >= (3, 8),
    "home": ":".join(dict.fromkeys([sys.base_prefix, sys.base_exec_prefix])),
    "path": [folder for folder in sys.path if folder],
    "libraries": [file for file in dict.fromkeys(files) if os.path.exists(file)],
}))
"#;

/// The answer of [`PROBE`].
#[derive(Debug, Deserialize)]
struct Interpreter {
    version: String,
    /// True for version 3.8 and later.
    recent: bool,
    /// The value of PYTHONHOME with which the library finds the same modules.
    home: String,
    path: Vec<String>,
    /// The existing files that may be the interpreter's shared library.
    libraries: Vec<PathBuf>,
}

/// The reason why calls cannot be made through a Python module.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThroughError {
    #[error("--through {name}: unknown interface{hint}; {}", known_interface(.known.as_deref()))]
    Unknown { name: String, hint: String, known: Option<String> },
    #[error("ATLAS_CTS_PYTHON={path}: {source}; give the path of a Python interpreter, version 3.8 or later")]
    NotStarted { path: PathBuf, source: io::Error },
    #[error("ATLAS_CTS_PYTHON={path}: the interpreter does not answer ({said}); give one of version 3.8 or later")]
    NoAnswer { path: PathBuf, said: String },
    #[error("ATLAS_CTS_PYTHON={path} is version {version}; give one of version 3.8 or later")]
    Old { path: PathBuf, version: String },
    #[error(
        "ATLAS_CTS_PYTHON={path} (version {version}) has no shared library libpython, which a worker loads; install it \
         (Debian: libpython3-dev, others: python3-libs), or give an interpreter that was built with --enable-shared"
    )]
    Static { path: PathBuf, version: String },
    #[error("{signal}: stopped while the interpreter {path} was queried; no rule has run")]
    Interrupted { signal: &'static str, path: PathBuf },
    #[error("--defect {name} is a defect of the Python module; add --through {interface}")]
    NotThrough { name: String, interface: String },
}

impl ThroughError {
    /// The command's exit status.
    pub fn exit(&self) -> ExitStatus {
        match self {
            ThroughError::NotStarted { source, .. } if is_missing(source) => ExitStatus::Usage,
            ThroughError::Unknown { .. } | ThroughError::NotThrough { .. } => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

fn known_interface(known: Option<&str>) -> String {
    known.map_or_else(|| "this runtime has none".to_owned(), |known| format!("this runtime has `{known}`"))
}

/// The variable that names the interpreter, and the interpreter without it.
const INTERPRETER: (&str, &str) = ("ATLAS_CTS_PYTHON", "python3");

/// The path of the interpreter, or its name in `PATH`.
pub fn interpreter() -> PathBuf {
    std::env::var_os(INTERPRETER.0).filter(|path| !path.is_empty()).unwrap_or(INTERPRETER.1.into()).into()
}

/// Finds the interpreter; `None` if calls are made in C. `embedded` is true on the embedded simulated device, which
/// brings its own module.
///
/// # Errors
/// Fails if the runtime has no such interface, or if the interpreter cannot be used.
pub fn set_up(
    options: &ConditionOptions,
    deadline: u64,
    rules: &Rules,
    runtime: &Runtime,
    embedded: bool,
) -> Result<Option<PythonSetUp>, ThroughError> {
    let Some(name) = &options.through else { return Ok(None) };
    if rules.python.as_ref().is_none_or(|module| module.name != *name) {
        let known = rules.python.as_ref().map(|module| module.name.clone());
        let hint = hint(name, known.as_deref());
        return Err(ThroughError::Unknown { name: name.clone(), hint, known });
    }
    let path = interpreter();
    let interpreter = probe(&path, Duration::from_secs(deadline))?;
    let own = runtime.simulated.as_ref().and_then(|device| device.module.as_ref()).filter(|_| embedded);
    let library = interpreter.libraries.first().cloned();
    let library = library.ok_or_else(|| ThroughError::Static { path, version: interpreter.version.clone() })?;
    let place = if own.is_some() { ", the module of the simulated device" } else { "" };
    let sources = own.map_or(&[][..], |own| own.sources);
    Ok(Some(PythonSetUp {
        through: Through {
            interpreter: library,
            path: interpreter.path,
            sources: sources.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        },
        home: interpreter.home,
        defects: Vec::new(),
        shown: format!("calls through {name} (Python {}{place})", interpreter.version),
    }))
}

/// A command of an interpreter that finds no module in the current folder unless PYTHONPATH names that folder.
pub fn python(path: &Path) -> Command {
    // A name without a folder is searched in PATH. The path is not resolved, because a virtual environment is a link.
    let is_name = path.parent() == Some(Path::new(""));
    let absolute = std::path::absolute(path).ok().filter(|_| !is_name);
    let mut command = Command::new(absolute.as_deref().unwrap_or(path));
    command.envs(python_path().map(|path| (PYTHON_PATH, path)));
    command
}

/// Asks an interpreter for its parts, for at most `limit`.
fn probe(path: &Path, limit: Duration) -> Result<Interpreter, ThroughError> {
    let answer = ask(python(path).arg("-c").arg(PROBE), limit, &|| interrupt::requested().is_some());
    if let Some(signal) = interrupt::requested() {
        return Err(ThroughError::Interrupted { signal, path: path.to_owned() });
    }
    let read = serde_json::from_str::<Interpreter>(&answer.output);
    let interpreter = read.map_err(|_| no_answer(path, answer))?;
    if !interpreter.recent {
        return Err(ThroughError::Old { path: path.to_owned(), version: interpreter.version });
    }
    Ok(interpreter)
}

fn no_answer(path: &Path, answer: ChildAnswer) -> ThroughError {
    let path = path.to_owned();
    let said = match answer.end {
        End::NotStarted(source) => return ThroughError::NotStarted { path, source },
        End::Status(status) => {
            let last = answer.errors.lines().last();
            last.map_or_else(|| format!("exit status {status}"), str::to_owned)
        }
        _ => answer.said(),
    };
    ThroughError::NoAnswer { path, said }
}

/// Separates the defects of the simulated device's Python module from those of the device.
///
/// # Errors
/// Fails if a defect of the module is given and calls are made in C.
pub(super) fn separate(
    defects: &[String],
    runtime: &Runtime,
    through: Option<&mut PythonSetUp>,
) -> Result<Vec<String>, ThroughError> {
    let module = runtime.simulated.as_ref().and_then(|device| device.module.as_ref());
    let known = |name: &String| module.is_some_and(|module| module.switches().any(|switch| switch.name == *name));
    let (of_module, of_device): (Vec<String>, Vec<String>) = defects.iter().cloned().partition(known);
    match (through, of_module.first(), module) {
        (Some(through), ..) => through.defects = of_module,
        (None, Some(name), Some(module)) => {
            return Err(ThroughError::NotThrough { name: name.clone(), interface: module.interface.to_owned() });
        }
        (None, ..) => {}
    }
    Ok(of_device)
}
