//! Atomic replacement of files: a reader sees either the old or the new file, even if the writer is killed or the disk
//! is full.

use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use tempfile::NamedTempFile;

use super::{RANDOM, name_of};

/// The suffix of files that are being written. The writer of such a file keeps the file locked.
const PART: &str = ".atlas-cts-part";
/// The number of attempts to create a file. An attempt fails if another process removes the file as a leftover before
/// the file is locked.
const TRIES: usize = 10;

/// Writes a file under a temporary name and then renames it. If either step fails, the old file is unchanged. The new
/// file gets the same permissions as any new file of this process.
///
/// # Errors
/// Fails if the path exists and is not a regular file, if the folder is not writable, or if the disk is full.
pub fn replace(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => {
            let text =
                format!("is {}, not a file, and is left as it is; give another path", name_of(found.file_type()));
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        // If the path cannot be examined, the new file cannot be created either.
        _ => {}
    }
    let mut part = new_part(path)?;
    part.write_all(content.as_ref())?;
    part.persist(path)?;
    Ok(())
}

/// Creates and locks a file in the same folder as another file.
fn new_part(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // The new name does not contain the file's name, which may already have the maximum length.
    builder.prefix(".").suffix(PART).rand_bytes(RANDOM).permissions(Permissions::from_mode(0o666));
    for _ in 0..TRIES {
        let part = builder.tempfile_in(folder)?;
        match part.as_file().try_lock() {
            Err(TryLockError::WouldBlock) => continue,
            // Some network file systems do not support locks. There, other processes do not remove this file as a
            // leftover.
            Ok(()) | Err(TryLockError::Error(_)) if part.as_file().metadata()?.nlink() > 0 => return Ok(part),
            _ => continue,
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "another process locks or removes every new file in this folder"))
}

/// Removes partially written files that killed processes left in a folder. A file that is still being written is
/// locked, so it is kept.
pub fn remove_left_over(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().ends_with(PART.as_bytes()) {
            continue;
        }
        let path = entry.path();
        let opened = File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&path);
        let Ok(part) = opened else { continue };
        if part.metadata().is_ok_and(|found| found.is_file()) && part.try_lock().is_ok() {
            // No process reads this file, so failing to remove it is harmless.
            let _ = std::fs::remove_file(&path);
        }
    }
}
