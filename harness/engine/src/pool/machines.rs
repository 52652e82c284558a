//! The folders for simulated machines. A run has one parent folder for all its machines, and holds the lock on that
//! folder. A process that can take the lock knows that the run is over. A process ID would have no meaning in another
//! container.

use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, openat};
use tempfile::TempDir;

use catalog::files;

use super::activity::Activity;
use crate::leftovers::RUN_FOLDERS as PREFIX;

/// The name of the lock file in such a folder.
const LOCK: &str = "lock";
/// The age up to which a folder without a lock file is left alone, because the folder may just have been created.
const YOUNG: Duration = Duration::from_secs(600);
/// The number of times that the removal of a folder is tried while something is still created in it, and the pause
/// between two tries.
const REMOVALS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(10);
/// The number of times in a row that other runs may remove a new folder as a leftover before the creation fails.
const TRIES: usize = 10;

/// The folder that all processes on a machine share.
#[derive(Debug)]
pub struct MachineFolder {
    pub path: PathBuf,
    /// The value of the visibility variable in its processes; `None` for all devices.
    pub visible: Option<String>,
    /// The activity of the machine's processes.
    pub activity: Arc<Activity>,
    /// The folder is kept open, so that no other folder can get the same inode.
    folder: File,
}

impl MachineFolder {
    /// Returns a message if the folder is no longer the original folder. A rule's results on such a machine are
    /// invalid.
    pub fn vanished(&self) -> Option<String> {
        if files::is_at(&self.folder, &self.path) && self.path.with_file_name(LOCK).exists() {
            return None;
        }
        Some(format!(
            "the folder of the simulated machine, {}, vanished while the rule ran: another program removed it, so the \
             result says nothing about the device; exclude {PREFIX}* from clean-up there, and rerun the rule",
            self.path.display()
        ))
    }
}

/// The parent folder for a run's machines, with its lock. The folder is removed on drop.
#[derive(Debug)]
pub(super) struct MachineFolders {
    folder: TempDir,
    made: u64,
    _lock: File,
}

impl MachineFolders {
    /// Creates the folder. The first call in a process also removes the folders of killed runs.
    pub(super) fn new() -> io::Result<MachineFolders> {
        static CLEAN: Once = Once::new();
        let places = [PathBuf::from("/dev/shm"), std::path::absolute(std::env::temp_dir())?];
        CLEAN.call_once(|| places.iter().for_each(|place| remove_left_over(place)));
        let [memory, temporary] = &places;
        let roomy = rustix::fs::statvfs(memory).is_ok_and(|fs| fs.f_bavail.saturating_mul(fs.f_frsize) >= 1 << 30);
        let parent = if roomy { memory } else { temporary };
        for _ in 0..TRIES {
            let folder = files::private_folder(parent, PREFIX)?;
            if let Some(lock) = lock_new(&folder.path().join(LOCK))? {
                return Ok(MachineFolders { folder, made: 0, _lock: lock });
            }
        }
        Err(io::Error::other(format!("every new folder in {} is removed by another program", parent.display())))
    }

    /// Creates a machine.
    pub(super) fn machine(&mut self, visible: Option<&str>) -> io::Result<MachineFolder> {
        let path = self.folder.path().join(format!("machine-{}", self.made));
        DirBuilder::new().mode(0o700).create(&path)?;
        self.made += 1;
        let folder = File::open(&path)?;
        Ok(MachineFolder { path, visible: visible.map(str::to_owned), activity: Arc::default(), folder })
    }

    /// True if the folder was removed.
    pub(super) fn vanished(&self) -> bool {
        !self.folder.path().exists()
    }
}

/// Creates a lock file and takes the file's lock. `None` if another run removed the file as a leftover before the lock
/// was taken.
fn lock_new(path: &Path) -> io::Result<Option<File>> {
    let lock = match File::options().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        lock => lock?,
    };
    let taken = match lock.try_lock() {
        Err(TryLockError::WouldBlock) => true,
        // Some network file systems do not support locks. On such a system, other runs cannot treat this file as a
        // leftover either.
        Ok(()) | Err(TryLockError::Error(_)) => lock.metadata()?.nlink() == 0,
    };
    Ok((!taken).then_some(lock))
}

/// Removes the folders of this user's runs that have ended.
fn remove_left_over(place: &Path) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            // Another run may be removing the folder at the same time.
            let _ = remove_if_left_over(&entry.path());
        }
    }
}

fn remove_if_left_over(path: &Path) -> io::Result<()> {
    let folder = File::options().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(path)?;
    let about = folder.metadata()?;
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let held = match openat(&folder, LOCK, flags, Mode::empty()).map_err(io::Error::from) {
        // The lock is held until the folder is gone, so that a run that is just starting in the folder notices the
        // removal.
        Ok(lock) => Some(File::from(lock)).filter(|lock| lock.try_lock().is_ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            about.modified()?.elapsed().is_ok_and(|age| age > YOUNG).then_some(folder)
        }
        Err(error) => return Err(error),
    };
    if held.is_none() {
        return Ok(());
    }
    // A worker outlives its killed supervisor for a moment, and may create a file in the meantime.
    for _ in 1..REMOVALS {
        match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    std::fs::remove_dir_all(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::SystemTime;

    use super::*;

    fn folder(place: &Path, name: &str, locked: bool) -> (PathBuf, Option<File>) {
        let path = place.join(format!("{PREFIX}{name}"));
        fs::create_dir_all(path.join("machine-0/ipc")).unwrap();
        (path.clone(), locked.then(|| lock_new(&path.join(LOCK)).unwrap().expect("no other run is active")))
    }

    #[test]
    fn a_run_is_over_when_nobody_holds_its_lock() {
        let place = tempfile::tempdir().unwrap();
        let (live, _lock) = folder(place.path(), "live", true);
        let (dead, lock) = folder(place.path(), "dead", true);
        drop(lock);
        let (young, _) = folder(place.path(), "young", false);
        let (old, _) = folder(place.path(), "old", false);
        let long_ago = SystemTime::now() - 2 * YOUNG;
        File::open(&old).unwrap().set_modified(long_ago).unwrap();
        let other = place.path().join("atlas-cts-4711-0");
        fs::create_dir(&other).unwrap();
        remove_left_over(place.path());
        assert_eq!([&live, &dead, &young, &old, &other].map(|path| path.exists()), [true, false, true, false, true]);
    }

    #[test]
    fn a_folder_in_which_a_worker_still_creates_files_for_a_moment_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let (dead, lock) = folder(place.path(), "dead", true);
        drop(lock);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let begun = std::time::Instant::now();
                // It ends when the folder is gone, as a worker that lost its supervisor does after a moment.
                for number in 0.. {
                    let path = dead.join(format!("machine-0/ipc/file-{number}"));
                    if fs::write(path, "").is_err() || begun.elapsed() > 10 * PAUSE {
                        break;
                    }
                }
            });
            remove_left_over(place.path());
            writer.join().unwrap();
        });
        assert!(!dead.exists());
    }

    #[test]
    fn a_link_in_the_place_of_a_left_over_folder_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (target, lock) = folder(place.path(), "target", true);
        let elsewhere = place.path().join("elsewhere");
        fs::rename(&target, &elsewhere).unwrap();
        symlink(&elsewhere, &target).unwrap();
        drop(lock);
        remove_left_over(place.path());
        assert!(elsewhere.join("machine-0/ipc").is_dir());
    }

    #[test]
    fn a_lock_that_is_a_link_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (path, _) = folder(place.path(), "odd", false);
        fs::write(place.path().join("free"), "").unwrap();
        symlink(place.path().join("free"), path.join(LOCK)).unwrap();
        remove_left_over(place.path());
        assert!(path.exists());
    }

    #[test]
    fn machines_are_for_their_user_alone_and_go_with_the_run() {
        let mut machines = MachineFolders::new().unwrap();
        let machine = machines.machine(None).unwrap();
        let run = machine.path.parent().unwrap().to_owned();
        for path in [&run, &machine.path] {
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o700);
        }
        assert_eq!(run.join(LOCK).metadata().unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(machine.vanished(), None);
        drop(machines);
        assert!(!run.exists());
    }

    #[test]
    fn a_folder_that_was_made_anew_is_not_the_machine() {
        let mut machines = MachineFolders::new().unwrap();
        let machine = machines.machine(None).unwrap();
        fs::remove_dir(&machine.path).unwrap();
        fs::create_dir(&machine.path).unwrap();
        assert!(machine.vanished().unwrap().contains("vanished while the rule ran"));
    }
}
