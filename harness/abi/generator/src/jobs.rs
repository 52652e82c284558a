//! The jobs: each header, with the file to generate from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A file to write or check.
#[derive(Debug)]
pub(crate) struct Job {
    /// The generated file.
    pub output: PathBuf,
    /// The runtime's name.
    pub runtime: String,
    /// The runtime's header.
    pub header: PathBuf,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    root.canonicalize().unwrap_or(root)
}

/// A path for messages and generated files. It is relative to the repository, or only the file's name, so that it is
/// the same on every machine.
pub(crate) fn shown(path: &Path) -> String {
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match full.strip_prefix(root()) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => full.file_name().unwrap_or_default().display().to_string(),
    }
}

/// The job for the only runtime in a folder.
pub(crate) fn single(specs: &Path, output: &Path) -> Result<Job, Error> {
    let mut headers = headers(specs)?.into_iter();
    match (headers.next(), headers.next()) {
        (Some((runtime, header)), None) => Ok(Job { output: output.to_owned(), runtime, header }),
        (None, _) => Err(Error::NoHeader { folder: specs.to_owned() }),
        (Some(_), Some(_)) => Err(Error::SeveralRuntimes { folder: specs.to_owned() }),
    }
}

/// The header of a runtime in a folder; without a name, of the only one.
pub(crate) fn header_of(specs: &Path, runtime: Option<&str>) -> Result<PathBuf, Error> {
    let headers = headers(specs)?;
    let known: Vec<String> = headers.keys().cloned().collect();
    let mut named = headers.into_iter().filter(|(name, _)| runtime.is_none_or(|runtime| runtime == name));
    match (named.next(), named.next()) {
        (Some((_, header)), None) => Ok(header),
        _ if known.is_empty() => Err(Error::NoHeader { folder: specs.to_owned() }),
        _ => Err(Error::WhichRuntime { folder: specs.to_owned(), known }),
    }
}

/// The jobs for all headers in the repository. A header in the top-level `specs` becomes `bindings.rs` in its vendor's
/// crate; a test runtime's header becomes `bindings.rs` next to the `specs` of its tests.
pub(crate) fn all(root: &Path) -> Result<Vec<Job>, Error> {
    let own = root.join("specs");
    let runtimes = headers(&own)?;
    if runtimes.is_empty() {
        return Err(Error::NoHeader { folder: own });
    }
    let output = |runtime: &str| root.join("harness").join(runtime).join("src/bindings.rs");
    let mut jobs: Vec<Job> =
        runtimes.into_iter().map(|(runtime, header)| Job { output: output(&runtime), runtime, header }).collect();
    for specs in folders_of_specs(root)? {
        if specs != own && !headers(&specs)?.is_empty() {
            jobs.push(single(&specs, &specs.with_file_name("bindings.rs"))?);
        }
    }
    Ok(jobs)
}

/// The headers `<runtime>/abi.h` in a folder, by runtime.
fn headers(specs: &Path) -> Result<BTreeMap<String, PathBuf>, Error> {
    let mut headers = BTreeMap::new();
    for entry in fs::read_dir(specs).map_err(Error::file(specs))? {
        let folder = entry.map_err(Error::file(specs))?.path();
        let header = folder.join("abi.h");
        if let Some(runtime) = folder.file_name().and_then(|name| name.to_str())
            && header.is_file()
        {
            headers.insert(runtime.to_owned(), header);
        }
    }
    Ok(headers)
}

/// The folders named `specs` in the repository, sorted. Leftovers from builds and runs are ignored.
fn folders_of_specs(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let (mut folders, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(Error::file(&folder))? {
            let entry = entry.map_err(Error::file(&folder))?;
            let path = entry.path();
            let name = entry.file_name();
            let left_by_tools = name == "target" || name.as_encoded_bytes().starts_with(b".");
            if entry.file_type().map_err(Error::file(&path))?.is_dir() && !left_by_tools {
                if name == "specs" { &mut found } else { &mut folders }.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
