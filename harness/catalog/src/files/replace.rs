//! Files that are replaced as a whole: a reader sees the old one or the new one, whoever is killed, however full the disk.

use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use tempfile::NamedTempFile;

use super::RANDOM;

/// End of the names of files that are being written. Whoever writes one holds its lock.
const PART: &str = ".atlas-cts-part";
/// So many files in a row may be taken for left over by another process, between their creation and their lock.
const TRIES: usize = 10;

/// Writes a file under a new name and renames it; when that fails, an older file stays as it was. The permissions are
/// those of any new file of this process.
///
/// # Errors
/// The folder cannot be written, or the disk is full.
pub fn replace(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut part = new_part(path)?;
    part.write_all(content.as_ref())?;
    part.persist(path)?;
    Ok(())
}

/// A new file beside another, with its lock.
fn new_part(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // The name of the file does not take part: it may be as long as a name can be.
    builder.prefix(".").suffix(PART).rand_bytes(RANDOM).permissions(Permissions::from_mode(0o666));
    for _ in 0..TRIES {
        let part = builder.tempfile_in(folder)?;
        match part.as_file().try_lock() {
            Err(TryLockError::WouldBlock) => continue,
            // Some network file systems have no locks: nobody else can take this one for left over either.
            Ok(()) | Err(TryLockError::Error(_)) if part.as_file().metadata()?.nlink() > 0 => return Ok(part),
            _ => continue,
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "another process locks or removes every new file of this folder"))
}

/// Removes what killed processes left half written in a folder: the files whose lock nobody holds.
pub fn remove_left_over(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().ends_with(PART.as_bytes()) {
            continue;
        }
        let path = entry.path();
        let opened = File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&path);
        let Ok(part) = opened else { continue };
        if part.metadata().is_ok_and(|found| found.is_file()) && part.try_lock().is_ok() {
            // Nobody reads it; where it cannot be removed, it is in nobody's way.
            let _ = std::fs::remove_file(&path);
        }
    }
}
