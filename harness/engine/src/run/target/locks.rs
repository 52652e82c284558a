//! One exclusive lock per device. A lock applies to all users and containers that share the lock folder.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::pool::interrupt;
use crate::pool::visible;
use crate::run::options::Options;
use crate::run::tuning::LOCK_FOLDER;
use catalog::files;

use super::TargetError;

/// The interval between attempts to lock a device that another process has locked.
const TICK: Duration = Duration::from_millis(50);
/// The number of times that a lock file may disappear before locking fails.
const TRIES: usize = 10;

/// Locks the first devices listed in the visibility variable, in ascending order. The options limit the total wait for
/// all locks. If the variable is unset, the runtime's numbers identify the devices.
///
/// # Errors
/// Fails if another run holds a device, or if the folder or a file in it cannot be used.
pub(super) fn lock_devices(options: &Options, variable: Option<&str>, devices: u32) -> Result<Vec<File>, TargetError> {
    let folder = &options.machine.variables.locks;
    make_folder(folder).map_err(|source| TargetError::LockFile { path: folder.clone(), source })?;
    let until = Instant::now() + Duration::from_secs(options.tune.lock_wait);
    let path = |device| folder.join(format!("device-{device}.lock"));
    let given = variable.map(visible::given).unwrap_or_default();
    numbers(&given, devices)
        .into_iter()
        .map(|device| lock(device, path(device), options.tune.lock_wait, until))
        .collect()
}

/// The machine's numbers for a process's devices, without duplicates. If a name in the variable is not a number, the
/// runtime's number is used instead, because such a name could contain any path.
fn numbers(given: &[String], devices: u32) -> BTreeSet<u32> {
    let number = |device: u32| given.get(device as usize).and_then(|name| name.parse().ok()).unwrap_or(device);
    (0..devices).map(number).collect()
}

fn lock(device: u32, path: PathBuf, seconds: u64, until: Instant) -> Result<File, TargetError> {
    let mut said = false;
    loop {
        let failed = |source| TargetError::LockFile { path: path.clone(), source };
        let file = open(&path).map_err(failed)?;
        match file.try_lock() {
            // If the file was removed in the meantime, its lock would exclude no other run.
            Ok(()) if files::is_at(&file, &path) => return Ok(file),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        if let Some(signal) = interrupt::requested() {
            return Err(TargetError::Interrupted { signal, device });
        }
        let holder = || holder(&file).unwrap_or_else(|| "a process that is not visible here".to_owned());
        if Instant::now() >= until {
            return Err(TargetError::Locked { device, holder: holder(), path, seconds });
        }
        if !said {
            // The message is printed in a single write, because other runs may print the same message.
            let place = path.display();
            let text =
                format!("device {device} is in use: waiting up to {seconds} s for {place}, held by {}\n", holder());
            eprint!("{text}");
            said = true;
        }
        std::thread::sleep(TICK);
    }
}

/// Creates the folder unless it exists. The folder's mode allows any user to add a file, but not to remove another
/// user's file.
fn make_folder(folder: &Path) -> io::Result<()> {
    // A link in a folder that the user names is followed, but a link in place of the shared folder is not.
    let ours = folder == Path::new(LOCK_FOLDER);
    let found = || if ours { folder.symlink_metadata() } else { folder.metadata() };
    match found() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Ok(found) if !found.is_dir() => return Err(io::Error::from(io::ErrorKind::NotADirectory)),
        other => return other.map(drop),
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    // The mode is set, regardless of the umask, before the folder gets its final name.
    let new = files::private_folder(parent, ".atlas-cts-locks-")?;
    fs::set_permissions(new.path(), Permissions::from_mode(0o1777))?;
    match fs::rename(new.path(), folder) {
        Ok(()) => {
            let _ = new.keep();
            Ok(())
        }
        // Another run created the folder first.
        Err(_) if found().is_ok_and(|found| found.is_dir()) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens a lock file for reading, which is enough for a lock. Creates the file only if it is missing, because the
/// kernel may refuse to open another user's existing file with `O_CREAT` (fs.protected_regular). A new file's mode is
/// set before the file gets its final name.
fn open(path: &Path) -> io::Result<File> {
    let existing = || File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    for _ in 0..TRIES {
        match existing() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(file) if !file.metadata()?.is_file() => return Err(io::Error::other("is not a file")),
            other => return other,
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let new = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
        new.as_file().set_permissions(Permissions::from_mode(0o666))?;
        match new.persist_noclobber(path) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return Ok(other?),
        }
    }
    existing()
}

/// The process that holds a lock, if /proc shows that process. A process in another container has no number here.
fn holder(file: &File) -> Option<String> {
    let about = file.metadata().ok()?;
    let (major, minor) = (rustix::fs::major(about.dev()), rustix::fs::minor(about.dev()));
    let place = format!("{major:02x}:{minor:02x}:{}", about.ino());
    let locks = files::read_to_string(Path::new("/proc/locks"), 1 << 24).ok()?;
    let process = locks.lines().find_map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [_, "FLOCK", _, _, process, at, ..] if at == place => process.parse::<u32>().ok().filter(|id| *id > 0),
        _ => None,
    })?;
    let command = files::read(&PathBuf::from(format!("/proc/{process}/cmdline")), 1 << 21).unwrap_or_default();
    let words = command.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let line: String = words.collect::<Vec<_>>().join(" ").trim_end().chars().take(200).collect();
    Some(format!("process {process} ({})", line.escape_debug()))
}
