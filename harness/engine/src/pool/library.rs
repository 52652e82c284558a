//! The library's file: whether it is still the one that the header names.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use catalog::digest;

/// A file that is tested.
#[derive(Debug)]
pub struct LibraryFile {
    pub path: PathBuf,
    /// SHA-256 when the run began, lower-case hex.
    pub sha256: String,
    /// What the file looked like when it had that digest.
    seen: Mutex<Looks>,
}

/// The files of a runtime's libraries, in the order of the catalog.
#[derive(Debug)]
pub struct LibraryFiles {
    /// `None`: an optional one that is not there. The first one always is.
    files: Vec<Option<LibraryFile>>,
}

impl LibraryFiles {
    /// Takes the files' digests; the error says which file cannot be read.
    pub fn new(paths: &[Option<PathBuf>]) -> Result<LibraryFiles, (PathBuf, std::io::Error)> {
        let file = |path: &PathBuf| LibraryFile::new(path).map_err(|error| (path.clone(), error));
        let files = paths.iter().map(|path| path.as_ref().map(file).transpose()).collect::<Result<_, _>>()?;
        Ok(LibraryFiles { files })
    }

    /// The library that is always there.
    pub fn first(&self) -> &LibraryFile {
        self.files.first().and_then(Option::as_ref).expect("a run has found the first library")
    }

    /// Those that are there, with their positions.
    pub fn there(&self) -> impl Iterator<Item = (usize, &LibraryFile)> {
        self.files.iter().enumerate().filter_map(|(position, file)| Some((position, file.as_ref()?)))
    }

    /// The positions of those that are not there.
    pub fn absent(&self) -> Vec<usize> {
        (0..self.files.len()).filter(|position| self.files[*position].is_none()).collect()
    }

    /// The paths, as a worker loads them.
    pub fn paths(&self) -> Vec<Option<PathBuf>> {
        self.files.iter().map(|file| file.as_ref().map(|file| file.path.clone())).collect()
    }

    /// All of them are as they were when the run began: otherwise says what happened, and what to do.
    pub fn expect_same(&self) -> Result<(), String> {
        self.there().try_for_each(|(_, file)| file.expect_same())
    }
}

/// What tells a replaced file without reading it: device, inode, size, and the time of its last change of any kind.
type Looks = (u64, u64, u64, i64, i64);

impl LibraryFile {
    /// Takes the file's digest.
    pub fn new(path: &Path) -> std::io::Result<LibraryFile> {
        // In this order: a file that is replaced in between looks different the next time.
        let seen = looks(path)?;
        Ok(LibraryFile { path: path.to_owned(), sha256: digest::of_file(path)?, seen: Mutex::new(seen) })
    }

    /// The file is still the same, or has the same content: otherwise says what happened, and what to do.
    pub fn expect_same(&self) -> Result<(), String> {
        let path = self.path.display();
        let gone = |error: std::io::Error| {
            format!("{path} was removed while the run was going on ({error}); put it back, then start the run again")
        };
        let looks = looks(&self.path).map_err(gone)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == looks {
            return Ok(());
        }
        let digest = digest::of_file(&self.path).map_err(gone)?;
        if digest != self.sha256 {
            return Err(format!(
                "{path} was replaced while the run was going on: its sha256 was {}, and is {} now; \
                 what follows would test another library, so start the run again, and install nothing meanwhile",
                &self.sha256[..12],
                &digest[..12]
            ));
        }
        *seen = looks;
        Ok(())
    }
}

fn looks(path: &Path) -> std::io::Result<Looks> {
    let metadata = std::fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(folder: &Path) -> LibraryFile {
        std::fs::write(folder.join("lib.so"), "first").unwrap();
        LibraryFile::new(&folder.join("lib.so")).unwrap()
    }

    #[test]
    fn the_same_content_in_another_file_is_the_same_library() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path());
        std::fs::write(folder.path().join("new"), "first").unwrap();
        std::fs::rename(folder.path().join("new"), &library.path).unwrap();
        library.expect_same().unwrap();
        assert_eq!(*library.seen.lock().unwrap(), looks(&library.path).unwrap(), "the digest is taken once");
    }

    #[test]
    fn other_content_of_the_same_size_is_another_library() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path());
        std::fs::write(folder.path().join("new"), "other").unwrap();
        std::fs::rename(folder.path().join("new"), &library.path).unwrap();
        let message = library.expect_same().unwrap_err();
        assert!(message.contains("was replaced while the run was going on"), "{message}");
        assert!(message.contains("start the run again"), "{message}");
    }

    #[test]
    fn a_library_that_is_gone_is_said_to_be_gone() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path());
        std::fs::remove_file(&library.path).unwrap();
        assert!(library.expect_same().unwrap_err().contains("was removed while the run was going on"));
    }
}
