//! The source of catalog files: a folder, or files embedded in an executable.

use std::io;
use std::path::{Path, PathBuf};

use crate::files;

/// The maximum size of a catalog file in bytes. These files are written by hand.
pub(crate) const LARGEST_FILE: u64 = 8 << 20;

/// An embedded file: its path below `specs/`, and its text.
pub type SpecFile = (&'static str, &'static str);

/// The files of catalogs.
#[derive(Debug, Clone)]
pub enum Specs {
    /// A folder with a subfolder for each runtime.
    Folder(PathBuf),
    /// The files of one runtime, embedded at build time.
    Embedded(&'static [SpecFile]),
}

impl Specs {
    /// The given folder; if no folder is given, the embedded files.
    pub fn choose(folder: Option<&Path>, embedded: &'static [SpecFile]) -> Specs {
        folder.map_or(Specs::Embedded(embedded), |folder| Specs::Folder(folder.to_owned()))
    }

    /// The folder that contains the files. Embedded files have the same paths as in the repository.
    pub fn root(&self) -> &Path {
        match self {
            Specs::Folder(folder) => folder,
            Specs::Embedded(_) => Path::new("specs"),
        }
    }

    /// True if a file exists; the path begins with [`Specs::root`].
    pub fn exists(&self, path: &Path) -> bool {
        match self {
            Specs::Folder(_) => path.exists(),
            Specs::Embedded(_) => self.embedded(path).is_some(),
        }
    }

    /// Reads a regular file of at most `at_most` bytes.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is not a regular file, or is too large.
    pub fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
        match self {
            Specs::Folder(_) => files::read(path, at_most),
            Specs::Embedded(_) => {
                self.embedded(path).map(|text| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
            }
        }
    }

    /// All files in a folder, and each folder that cannot be read, with the error.
    pub fn files(&self, folder: &str) -> (Vec<PathBuf>, Vec<(PathBuf, io::Error)>) {
        let folder = self.root().join(folder);
        let (mut paths, mut unreadable) = (Vec::new(), Vec::new());
        match self {
            Specs::Folder(_) => walk(folder, &mut paths, &mut unreadable),
            Specs::Embedded(files) => {
                let all = files.iter().map(|(path, _)| self.root().join(path));
                paths.extend(all.filter(|path| path.starts_with(&folder)));
            }
        }
        paths.sort();
        (paths, unreadable)
    }

    fn embedded(&self, path: &Path) -> Option<&'static str> {
        let Specs::Embedded(files) = self else { return None };
        let below = path.strip_prefix(self.root()).ok()?;
        files.iter().find(|(name, _)| Path::new(name) == below).map(|(_, text)| *text)
    }
}

impl From<PathBuf> for Specs {
    fn from(folder: PathBuf) -> Specs {
        Specs::Folder(folder)
    }
}

fn walk(folder: PathBuf, paths: &mut Vec<PathBuf>, unreadable: &mut Vec<(PathBuf, io::Error)>) {
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => return unreadable.push((folder, error)),
    };
    for entry in entries.flatten() {
        // Links to folders are not followed: they may form a cycle.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(entry.path(), paths, unreadable);
        } else {
            paths.push(entry.path());
        }
    }
}

/// The part of a path that starts at `specs/`, the same on every machine.
pub fn short(path: &Path) -> String {
    let text = path.to_string_lossy();
    text[text.rfind("specs/").unwrap_or(0)..].to_owned()
}
