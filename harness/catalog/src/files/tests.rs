use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rstest::rstest;
use tempfile::TempDir;

use super::{private_folder, read, read_to_string, remove_left_over, replace, write_new};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn fifo(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("a FIFO");
}

fn names(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn a_file_of_the_greatest_size_is_read() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "four").unwrap();
    assert_eq!(read_to_string(&path, 4).unwrap(), "four");
    assert_eq!(read(&path, 3).unwrap_err().to_string(), "has more than 3 bytes");
}

#[rstest]
#[case::fifo(None, "is a FIFO, not a file")]
#[case::folder(Some("/"), "is a folder, not a file")]
#[case::endless(Some("/dev/zero"), "is a device, not a file")]
fn what_is_not_a_file_is_not_read(#[case] path: Option<&str>, #[case] says: &str) {
    let folder = folder();
    let path = path.map_or_else(|| folder.path().join("fifo"), PathBuf::from);
    if !path.exists() {
        fifo(&path);
    }
    assert_eq!(read(&path, 1 << 20).unwrap_err().to_string(), says);
}

#[test]
fn text_that_is_not_utf_8_is_refused() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, [0xff]).unwrap();
    assert!(read_to_string(&path, 10).is_err());
}

#[test]
fn a_private_folder_is_for_its_user_alone_and_goes_with_its_content() {
    let parent = folder();
    let private = private_folder(parent.path(), "cts-").unwrap();
    assert_eq!(private.path().metadata().unwrap().mode() & 0o7777, 0o700);
    fs::write(private.path().join("file"), "").unwrap();
    drop(private);
    assert_eq!(names(parent.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_replaced_file_is_new_and_the_target_of_a_link_stays() {
    let folder = folder();
    let [path, other, plain] = ["file", "other", "plain"].map(|name| folder.path().join(name));
    fs::write(&other, "theirs").unwrap();
    symlink(&other, &path).unwrap();
    replace(&path, "ours").unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "theirs");
    assert!(path.symlink_metadata().unwrap().is_file());
    fs::write(&plain, "").unwrap();
    assert_eq!(path.metadata().unwrap().mode(), plain.metadata().unwrap().mode(), "permissions follow the umask");
    assert_eq!(names(folder.path()).len(), 3);
}

#[test]
fn a_new_file_takes_the_place_of_none() {
    let folder = folder();
    let path = folder.path().join("new");
    write_new(&path, b"whole").unwrap();
    assert_eq!(write_new(&path, b"other").unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"whole");
}

#[test]
fn a_file_that_cannot_be_replaced_stays_as_it_was() {
    let folder = folder();
    let path = folder.path().join("a-folder");
    fs::create_dir_all(path.join("inside")).unwrap();
    assert!(replace(&path, "new").is_err());
    assert!(path.join("inside").is_dir());
    assert_eq!(names(folder.path()), [path]);
}

#[test]
fn a_part_without_a_lock_is_left_over() {
    let folder = folder();
    let [live, dead, link, other] =
        [".1.atlas-cts-part", ".2.atlas-cts-part", ".3.atlas-cts-part", "results.jsonl.4711.part"]
            .map(|name| folder.path().join(name));
    let held = File::create(&live).unwrap();
    held.lock().unwrap();
    fs::write(&dead, "half").unwrap();
    fs::set_permissions(&dead, Permissions::from_mode(0o600)).unwrap();
    fs::write(&other, "").unwrap();
    symlink(&other, &link).unwrap();
    remove_left_over(folder.path());
    assert_eq!([&live, &dead, &link, &other].map(|path| path.symlink_metadata().is_ok()), [true, false, true, true]);
}

/// Every file is written even if another process removes left-over files all the time.
#[test]
fn a_cleaner_removes_nothing_that_a_writer_is_writing() {
    let folder = folder();
    let path = folder.path().join("file");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                remove_left_over(folder.path());
            }
        });
        let written: Result<Vec<()>, _> = (0..500).map(|number: u32| replace(&path, number.to_string())).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        written.unwrap();
    });
    assert_eq!(fs::read_to_string(&path).unwrap(), "499");
}
