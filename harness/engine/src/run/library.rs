//! Chooses the library under test.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::doctor::Advice;
use crate::runtime::Runtime;
use catalog::files;
use catalog::{Libraries, Rules, RuntimeLibrary};
use messages::{Language, in_language};

use super::status::{ExitStatus, is_missing};

/// The source of the library under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Backend {
    /// The toolkit's library or, if the toolkit is not installed, the simulated device.
    #[default]
    Auto,
    /// A real device. Without one, the run fails.
    Device,
    /// The simulated device.
    Simulator,
}

/// The chosen libraries, and the reason for the choice.
#[derive(Debug, Clone)]
pub(super) struct LibraryChoice {
    /// The library files in catalog order; `None` for an optional library that was not found.
    pub files: Vec<Option<PathBuf>>,
    pub chosen_by: String,
    /// True for the embedded simulated device, which is configured with environment variables.
    pub embedded: bool,
}

/// The reason why there is no library to test.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LibraryError {
    #[error("--library and --backend simulator exclude each other; give one of them")]
    Contradiction,
    #[error("{path}: {source}; give the path of the runtime's shared library")]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{path} is not a shared library (no ELF header); give the path of the runtime's .so")]
    NotElf { path: PathBuf },
    #[error(
        "{path} is for another architecture ({found}); this machine is 64-bit little-endian {ARCHITECTURE}; install \
         the {ARCHITECTURE} package"
    )]
    Architecture { path: PathBuf, found: String },
    #[error(
        "--backend device: none of {} was found (searched {}); {advice}, or give --library PATH",
        .names.join(", "),
        if .looked.is_empty() { "nowhere: no folder to search".to_owned() } else { .looked.join(", ") }
    )]
    NotFound { names: Vec<String>, looked: Vec<String>, advice: &'static str },
    #[error(
        "{path} is the library `{id}` of {runtime}; give the path of its library `{first}` ({}), next to which the others \
         are found",
        .names.join(", ")
    )]
    NotFirst { path: PathBuf, id: String, runtime: &'static str, first: String, names: Vec<String> },
    /// A further library that the runtime needs was found neither next to the first library nor elsewhere.
    #[error(
        "the runtime needs its library {id}, but none of {} was found (searched {}); install it there, or add its \
         folder to LD_LIBRARY_PATH",
        .names.join(", "),
        .looked.join(", ")
    )]
    Missing { id: String, names: Vec<String>, looked: Vec<String> },
    #[error(
        "the simulated device of {runtime} lacks the library {id}; give the runtime's libraries with --library PATH"
    )]
    NotSimulated { runtime: &'static str, id: String },
    #[error("{runtime} has no simulated device; give the runtime's library with --library PATH")]
    NoSimulator { runtime: &'static str },
    #[error("cannot write the simulated device: {source}{}", room_for_files(.source))]
    Simulator { source: io::Error },
}

/// Advice about a file that cannot be written. A limit on file size gets different advice, because the limit applies
/// in every folder.
pub(super) fn room_for_files(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::FileTooLarge => "; raise the limit on the size of files (ulimit -f)",
        _ => "; set TMPDIR to a writable folder",
    }
}

impl LibraryError {
    /// The command's exit status.
    pub fn exit(&self) -> ExitStatus {
        match self {
            LibraryError::Contradiction | LibraryError::NotFirst { .. } => ExitStatus::Usage,
            LibraryError::Unreadable { source, .. } if is_missing(source) => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

/// Chooses a runtime's libraries.
///
/// # Errors
/// Fails if no library was found, or if this process cannot load the library. The error lists the names and folders
/// that were searched.
pub(super) fn choose_library(
    given: Option<&Path>,
    backend: Backend,
    libraries: &Libraries,
    runtime: &Runtime,
) -> Result<LibraryChoice, LibraryError> {
    if let Some(path) = given {
        if backend == Backend::Simulator {
            return Err(LibraryError::Contradiction);
        }
        check_library_file(path)?;
        check_first_library(path, libraries, runtime)?;
        // Makes the path absolute: for a bare name, the loader would search its own folders.
        let path =
            std::path::absolute(path).map_err(|source| LibraryError::Unreadable { path: path.to_owned(), source })?;
        return installed(path, libraries, "--library");
    }
    let mut looked = Vec::new();
    if backend != Backend::Simulator {
        match find(libraries.first(), folders(libraries.first()))? {
            Ok(path) => return installed(path, libraries, "found in the toolkit's folders"),
            Err(folders) => looked = folders,
        }
    }
    if backend == Backend::Device {
        // Errors are English, also if the other output is not.
        let advice = in_language(Language::English, || runtime.advice(Advice::Installation));
        return Err(LibraryError::NotFound { names: libraries.first().names.clone(), looked, advice });
    }
    let files = simulated(libraries, runtime)?;
    let chosen_by = if backend == Backend::Simulator { "--backend simulator" } else { "no toolkit found" };
    Ok(LibraryChoice { files, chosen_by: chosen_by.to_owned(), embedded: true })
}

/// The runtime's library in its toolkit's folders; `None` if no such library can be loaded.
pub fn installed_library(rules: &Rules) -> Option<PathBuf> {
    let first = rules.libraries.first();
    find(first, folders(first)).ok()?.ok()
}

/// Chooses the other libraries to use with the first library. Each library is taken from the first library's folder
/// or, if missing there, from the folder where the toolkit installs the library.
fn installed(first: PathBuf, libraries: &Libraries, chosen_by: &str) -> Result<LibraryChoice, LibraryError> {
    let parent = first.parent().map(Path::to_owned);
    let mut files = vec![Some(first)];
    for library in &libraries.all()[1..] {
        let folders = parent.iter().cloned().chain(folders(library)).collect();
        files.push(match find(library, folders)? {
            Ok(path) => Some(path),
            Err(_) if library.optional => None,
            Err(looked) => {
                let (id, names) = (library.id.clone(), library.names.clone());
                return Err(LibraryError::Missing { id, names, looked });
            }
        });
    }
    Ok(LibraryChoice { files, chosen_by: chosen_by.to_owned(), embedded: false })
}

/// The simulated device's libraries.
fn simulated(libraries: &Libraries, runtime: &Runtime) -> Result<Vec<Option<PathBuf>>, LibraryError> {
    let device = runtime.simulated.as_ref().ok_or(LibraryError::NoSimulator { runtime: runtime.name() })?;
    let file = |library: &RuntimeLibrary| match device.libraries.iter().find(|known| known.id == library.id) {
        Some(found) => found.path().map(Some).map_err(|source| LibraryError::Simulator { source }),
        None if library.optional => Ok(None),
        None => Err(LibraryError::NotSimulated { runtime: runtime.name(), id: library.id.clone() }),
    };
    libraries.all().iter().map(file).collect()
}

/// A library's file in one of the folders. If no folder has the file, returns the folders that were searched.
fn find(library: &RuntimeLibrary, folders: Vec<PathBuf>) -> Result<Result<PathBuf, Vec<String>>, LibraryError> {
    for path in folders.iter().flat_map(|folder| library.names.iter().map(|name| folder.join(name))) {
        if path.exists() {
            check_library_file(&path)?;
            return Ok(Ok(path));
        }
    }
    Ok(Err(folders.iter().map(|folder| folder.display().to_string()).collect()))
}

fn folders(library: &RuntimeLibrary) -> Vec<PathBuf> {
    library.folders(|name| std::env::var_os(name))
}

/// Checks that a given file is not one of the runtime's further libraries, by its name.
///
/// # Errors
/// Fails if the name is that of a further library.
pub fn check_first_library(path: &Path, libraries: &Libraries, runtime: &Runtime) -> Result<(), LibraryError> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let is = |library: &&RuntimeLibrary| {
        // A name may be followed by further numbers of the version.
        library
            .names
            .iter()
            .any(|name| file.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    let first = libraries.first();
    match libraries.all()[1..].iter().find(is) {
        Some(further) if !is(&first) => Err(LibraryError::NotFirst {
            path: path.to_owned(),
            id: further.id.clone(),
            runtime: runtime.name(),
            first: first.id.clone(),
            names: first.names.clone(),
        }),
        _ => Ok(()),
    }
}

/// The architecture that this process runs on.
const ARCHITECTURE: &str = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86-64" };

/// Checks that a file is a shared library for this architecture, so that an unsuitable file is reported before a
/// process fails to load the file.
///
/// # Errors
/// Fails if the file cannot be read, is not a library, or is for another architecture.
pub fn check_library_file(path: &Path) -> Result<(), LibraryError> {
    use std::io::Read;
    let unreadable = |source| LibraryError::Unreadable { path: path.to_owned(), source };
    let mut file = files::open(path).map_err(unreadable)?;
    let mut head = [0u8; 20];
    let read = file.read(&mut head).map_err(unreadable)?;
    if read < 20 || &head[..4] != b"\x7fELF" {
        return Err(LibraryError::NotElf { path: path.to_owned() });
    }
    let big = head[5] == 2;
    let machine = [head[18], head[19]];
    let machine = if big { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
    let own = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let known = cfg!(any(target_arch = "aarch64", target_arch = "x86_64"));
    if known && (machine != own || head[4] != 2 || big) {
        let (bits, order) = (if head[4] == 2 { 64 } else { 32 }, if big { "big" } else { "little" });
        let found = format!("{bits}-bit {order}-endian, ELF machine {machine}");
        return Err(LibraryError::Architecture { path: path.to_owned(), found });
    }
    Ok(())
}
