//! Checks that no other user controls a file or a folder, for everything from which programs or state are read.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use super::name_of;

/// The number of links on a path, as in the kernel.
const MOST_LINKS: usize = 40;
/// The mode bits with which the group or other users may write.
const OTHERS_WRITE: u32 = 0o022;
/// The mode bit of a folder in which users may rename and remove only their own entries.
const STICKY: u32 = 0o1000;

/// True if a file of this user can be trusted like a file of the current user: it is the current user, or root.
pub fn is_trusted_owner(user: u32) -> bool {
    [0, rustix::process::geteuid().as_raw()].contains(&user)
}

/// The path, without links, of a folder that no other user controls: this user or root owns it and every folder above
/// it, and no other user may write to it. Folders above it may be open to others if they are sticky, as `/tmp` is.
/// Creates missing folders with this mode.
///
/// # Errors
/// Fails if it is not such a folder, or cannot be created.
pub fn make_own_folder(path: &Path, mode: u32) -> io::Result<PathBuf> {
    exclusive(resolve(path, Some(mode))?)
}

/// The path, without links, of a folder in which no other user can replace what this user creates. Unlike an
/// [own folder](make_own_folder), the folder itself may be open to others if it is sticky.
///
/// # Errors
/// Fails if it is not such a folder, or does not exist.
pub fn folder_for_private_ones(path: &Path) -> io::Result<PathBuf> {
    resolve(path, None)
}

/// The path, if it is not a folder that is open to others because it is sticky.
fn exclusive(path: PathBuf) -> io::Result<PathBuf> {
    match other_writers(&path.symlink_metadata()?) {
        None => Ok(path),
        Some(_) => refused(format!("{} is shared with other users; give a folder below it", path.display())),
    }
}

/// Follows a path from the root, as the kernel does, and checks at each step that no other user can change where the
/// step leads.
fn resolve(path: &Path, create: Option<u32>) -> io::Result<PathBuf> {
    let mut at = PathBuf::from("/");
    // In a user namespace without the system's root, the owner of `/` is shown as an unknown user.
    let owner_of_all = fs::metadata(&at)?.uid();
    let mut names = reversed_names(&std::path::absolute(path)?);
    let mut links = 0;
    while let Some(name) = names.pop() {
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        let about = found_or_created(&next, create)?;
        let is_link = about.is_symlink();
        let is_trusted = is_trusted_owner(about.uid()) || about.uid() == owner_of_all;
        // A link has no mode.
        let writers = || other_writers(&about).filter(|_| !is_link && about.mode() & STICKY == 0);
        if let Some(found) = foreign_owner(&about, is_trusted).or_else(writers) {
            return refused(format!("{} {found}", next.display()));
        }
        if is_link {
            links += 1;
            if links > MOST_LINKS {
                return Err(io::Error::from_raw_os_error(libc::ELOOP));
            }
            names.extend(reversed_names(&fs::read_link(&next)?));
        } else {
            at = next;
        }
    }
    let kind = at.symlink_metadata()?.file_type();
    if !kind.is_dir() {
        let text = format!("{} is {}, not a folder", at.display(), name_of(kind));
        return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
    }
    Ok(at)
}

/// The names of a path, last first. If a path is absolute, its last name here is `/`, which leads to the root.
fn reversed_names(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter(|component| *component != Component::CurDir);
    names.map(|component| component.as_os_str().to_owned()).collect()
}

fn found_or_created(path: &Path, create: Option<u32>) -> io::Result<Metadata> {
    match (path.symlink_metadata(), create) {
        (Err(error), Some(mode)) if error.kind() == io::ErrorKind::NotFound => {
            match DirBuilder::new().mode(mode).create(path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                // Another process may have created anything.
                _ => path.symlink_metadata(),
            }
        }
        (found, _) => found,
    }
}

fn foreign_owner(about: &Metadata, is_trusted: bool) -> Option<String> {
    let user = about.uid();
    (!is_trusted).then(|| format!("belongs to another user (uid {user}), who could change it (chown it)"))
}

fn other_writers(about: &Metadata) -> Option<String> {
    let mode = about.mode() & 0o777;
    (mode & OTHERS_WRITE != 0).then(|| format!("other users may write to it (mode {mode:04o}; chmod go-w)"))
}

fn refused<T>(text: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}
