//! Safe file access: bounded reads from regular files, private writes, and folders that no other user controls.

mod ownership;
mod replace;
#[cfg(test)]
mod tests;

pub use ownership::{folder_for_private_ones, is_trusted_owner, make_own_folder};
pub use replace::{remove_left_over, replace};

use std::fs::{self, File, FileType, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use tempfile::TempDir;

/// Opens a regular file for reading.
///
/// # Errors
/// Fails if the file cannot be opened or is not a regular file. The call never blocks on a FIFO or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() {
        let text = format!("is {}, not a file", name_of(kind));
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    Ok(file)
}

/// Reads the bytes of a regular file.
///
/// # Errors
/// Fails if [`open`] fails, if the file cannot be read, or if the file has more than `at_most` bytes.
pub fn read(path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    // A file that is already too long is not read. If a file grows while it is read, reading stops at the limit.
    let too_long = file.metadata()?.len() > at_most;
    if !too_long {
        file.take(at_most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if too_long || bytes.len() as u64 > at_most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("has more than {at_most} bytes")));
    }
    Ok(bytes)
}

/// Reads the text of a regular file.
///
/// # Errors
/// Fails if [`read`] fails, or if the file is not UTF-8.
pub fn read_to_string(path: &Path, at_most: u64) -> io::Result<String> {
    String::from_utf8(read(path, at_most)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Writes a new file completely or not at all, because a partial file would block the next attempt.
///
/// # Errors
/// Fails if the file exists or cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = File::create_new(path)?.write_all(bytes);
    written.inspect_err(|_| {
        // The write error is reported even if the file cannot be removed.
        let _ = fs::remove_file(path);
    })
}

/// Creates a folder with an unpredictable name that only this user can enter. The folder is removed on drop.
///
/// # Errors
/// Fails if the parent is not writable.
pub fn private_folder(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(prefix)
        .rand_bytes(RANDOM)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent)
}

/// Creates an unnamed file in memory whose size and content can be sealed. `executable` specifies whether the file may
/// be executed; Linux before 6.3 ignores the flag and makes all such files executable.
///
/// # Errors
/// Fails if the system does not support such files or forbids them.
pub fn in_memory(name: &str, executable: MemfdFlags) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let made = memfd_create(name, flags | executable);
    Ok(made.or_else(|error| if error == Errno::INVAL { memfd_create(name, flags) } else { Err(error) })?)
}

/// Creates the missing folders on a relative path below a folder. If a link is found where a folder is expected, the
/// link is never followed, because another user may have created the link.
///
/// # Errors
/// Fails if part of the path exists and is not a folder, or if a folder cannot be created.
pub fn folders_below(folder: &Path, relative: impl AsRef<Path>) -> io::Result<PathBuf> {
    let mut path = folder.to_owned();
    for name in relative.as_ref() {
        path.push(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let kind = path.symlink_metadata()?.file_type();
        if !kind.is_dir() {
            let text = format!("{} is {}, not a folder", path.display(), name_of(kind));
            return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
        }
    }
    Ok(path)
}

/// True if a path still names this file or folder, that is, if the file or folder was neither removed nor replaced.
pub fn is_at(file: &File, path: &Path) -> bool {
    let place = |about: &std::fs::Metadata| (about.dev(), about.ino());
    matches!((file.metadata(), path.symlink_metadata()), (Ok(file), Ok(path)) if place(&file) == place(&path))
}

/// The number of random characters in a generated name.
const RANDOM: usize = 12;

fn name_of(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a link"
    } else if kind.is_file() {
        "a file"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "something else"
    }
}
