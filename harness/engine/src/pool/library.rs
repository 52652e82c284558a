//! A library's file, and the check that the file still matches the header.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use catalog::digest;

/// A file under test.
#[derive(Debug)]
pub struct LibraryFile {
    pub path: PathBuf,
    /// The SHA-256 digest at the start of the run, in lower-case hex.
    pub sha256: String,
    /// The file's metadata when it had this digest.
    seen: Mutex<Looks>,
}

/// The files of a runtime's libraries, in catalog order.
#[derive(Debug)]
pub struct LibraryFiles {
    /// `None` for a missing optional library. The first library is never missing.
    files: Vec<Option<LibraryFile>>,
}

impl LibraryFiles {
    /// Computes the files' digests. The error names the file that cannot be read.
    pub fn new(paths: &[Option<PathBuf>]) -> Result<LibraryFiles, (PathBuf, std::io::Error)> {
        let file = |path: &PathBuf| LibraryFile::new(path).map_err(|error| (path.clone(), error));
        let files = paths.iter().map(|path| path.as_ref().map(file).transpose()).collect::<Result<_, _>>()?;
        Ok(LibraryFiles { files })
    }

    /// The library that is never missing.
    pub fn first(&self) -> &LibraryFile {
        self.files.first().and_then(Option::as_ref).expect("a run has found the first library")
    }

    /// The available libraries, with their positions.
    pub fn there(&self) -> impl Iterator<Item = (usize, &LibraryFile)> {
        self.files.iter().enumerate().filter_map(|(position, file)| Some((position, file.as_ref()?)))
    }

    /// The positions of the missing libraries.
    pub fn absent(&self) -> Vec<usize> {
        (0..self.files.len()).filter(|position| self.files[*position].is_none()).collect()
    }

    /// The paths from which a worker loads the libraries.
    pub fn paths(&self) -> Vec<Option<PathBuf>> {
        self.files.iter().map(|file| file.as_ref().map(|file| file.path.clone())).collect()
    }

    /// Checks that no file has changed since the start of the run. The error says what happened and what to do.
    pub fn expect_same(&self) -> Result<(), String> {
        self.there().try_for_each(|(_, file)| file.expect_same())
    }
}

/// Metadata that reveals a replaced file without reading the file: device, inode, size, and the time of the last change
/// of any kind.
type Looks = (u64, u64, u64, i64, i64);

impl LibraryFile {
    /// Computes the file's digest.
    pub fn new(path: &Path) -> std::io::Result<LibraryFile> {
        // The order matters: if the file is replaced in between, the next check finds different metadata.
        let seen = looks(path)?;
        Ok(LibraryFile { path: path.to_owned(), sha256: digest::of_file(path)?, seen: Mutex::new(seen) })
    }

    /// Checks that the file is unchanged or has the same content. The error says what happened and what to do.
    pub fn expect_same(&self) -> Result<(), String> {
        let path = self.path.display();
        let gone = |error: std::io::Error| {
            format!("{path} was removed during the run ({error}); restore it, then start the run again")
        };
        let looks = looks(&self.path).map_err(gone)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == looks {
            return Ok(());
        }
        let digest = digest::of_file(&self.path).map_err(gone)?;
        if digest != self.sha256 {
            return Err(format!(
                "{path} was replaced during the run: its sha256 was {} and is now {}; start the run again, and do \
                 not install libraries during a run",
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
        assert_eq!(*library.seen.lock().unwrap(), looks(&library.path).unwrap(), "the digest is computed once");
    }

    #[test]
    fn other_content_of_the_same_size_is_another_library() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path());
        std::fs::write(folder.path().join("new"), "other").unwrap();
        std::fs::rename(folder.path().join("new"), &library.path).unwrap();
        let message = library.expect_same().unwrap_err();
        assert!(message.contains("was replaced during the run"), "{message}");
        assert!(message.contains("start the run again"), "{message}");
    }

    #[test]
    fn a_library_that_is_gone_is_said_to_be_gone() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path());
        std::fs::remove_file(&library.path).unwrap();
        assert!(library.expect_same().unwrap_err().contains("was removed during the run"));
    }
}
