use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

use rstest::rstest;
use tempfile::TempDir;

use super::{
    folder_for_private_ones, make_own_folder, private_folder, read, read_to_string, remove_left_over, replace,
    write_new,
};

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
fn a_replaced_file_is_new() {
    let folder = folder();
    let [path, other, plain] = ["file", "other", "plain"].map(|name| folder.path().join(name));
    fs::write(&path, "first").unwrap();
    fs::hard_link(&path, &other).unwrap();
    replace(&path, "second").unwrap();
    assert_eq!([&path, &other].map(|path| fs::read_to_string(path).unwrap()), ["second", "first"]);
    fs::write(&plain, "").unwrap();
    assert_eq!(path.metadata().unwrap().mode(), plain.metadata().unwrap().mode(), "permissions follow the umask");
    assert_eq!(names(folder.path()).len(), 3);
}

#[rstest]
#[case::link("a link")]
#[case::fifo("a FIFO")]
#[case::folder("a folder")]
fn what_is_not_a_file_is_not_replaced(#[case] kind: &str, #[values(true, false)] exists: bool) {
    let folder = folder();
    let [path, other] = ["file", "other"].map(|name| folder.path().join(name));
    if exists {
        fs::write(&other, "theirs").unwrap();
    }
    match kind {
        "a link" => symlink(&other, &path).unwrap(),
        "a FIFO" => fifo(&path),
        _ => fs::create_dir(&path).unwrap(),
    }
    let before = names(folder.path());
    let said = replace(&path, "ours").unwrap_err().to_string();
    assert_eq!(said, format!("is {kind}, not a file, and is left as it is; give another path"));
    assert_eq!(names(folder.path()), before);
    assert_eq!(fs::read_to_string(&other).ok().as_deref(), exists.then_some("theirs"));
}

/// A folder for each element of a path, with its mode.
fn below(folder: &TempDir, elements: &[(&str, u32)]) -> PathBuf {
    elements.iter().fold(folder.path().to_owned(), |parent, (name, mode)| {
        let path = parent.join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(*mode)).unwrap();
        path
    })
}

#[rstest]
#[case::private(&[("a", 0o700), ("b", 0o755)], "")]
#[case::below_a_sticky_one(&[("a", 0o1777), ("b", 0o700)], "")]
#[case::open(&[("a", 0o755), ("b", 0o777)], "b other users may write to it (mode 0777; chmod go-w)")]
#[case::open_to_the_group(&[("a", 0o755), ("b", 0o770)], "b other users may write to it (mode 0770; chmod go-w)")]
#[case::below_an_open_one(&[("a", 0o777), ("b", 0o700)], "a other users may write to it (mode 0777; chmod go-w)")]
#[case::sticky(&[("a", 0o1777)], "a is shared with other users; give a folder below it")]
fn a_folder_is_ones_own_if_no_other_user_controls_it(#[case] elements: &[(&str, u32)], #[case] refused: &str) {
    let folder = folder();
    let path = below(&folder, elements);
    match make_own_folder(&path, 0o700) {
        Ok(found) => assert_eq!((found, refused), (path.canonicalize().unwrap(), "")),
        Err(error) => {
            let said = error.to_string();
            assert!(!refused.is_empty() && said.ends_with(refused), "{said}");
        }
    }
}

#[rstest]
#[case::of_the_folder("a/b")]
#[case::above_it("a")]
#[case::of_a_link("link")]
fn a_folder_of_another_user_is_not_ones_own(#[case] given_away: &str) {
    let parent = folder();
    below(&parent, &[("a", 0o755), ("b", 0o755)]);
    symlink("a/b", parent.path().join("link")).unwrap();
    let path = parent.path().join("link");
    assert_eq!(make_own_folder(&path, 0o700).unwrap(), parent.path().canonicalize().unwrap().join("a/b"));
    if let Err(error) = lchown(parent.path().join(given_away), Some(65_534), None) {
        eprintln!("DID NOT RUN: only root may give a folder away ({error})");
        return;
    }
    let said = make_own_folder(&path, 0o700).unwrap_err().to_string();
    assert!(said.contains(&format!("{given_away} belongs to another user (uid 65534)")), "{said}");
}

#[test]
fn missing_folders_are_made_and_links_have_an_end() {
    let parent = folder();
    let path = parent.path().join("a/../b/./c");
    let made = make_own_folder(&path, 0o700).unwrap();
    assert_eq!(made, parent.path().canonicalize().unwrap().join("b/c"));
    assert_eq!(made.metadata().unwrap().mode() & 0o7777, 0o700);
    symlink("circle", made.join("circle")).unwrap();
    assert!(make_own_folder(&made.join("circle"), 0o700).unwrap_err().to_string().contains("Too many levels"));
    fs::write(made.join("file"), "").unwrap();
    assert!(
        make_own_folder(&made.join("file"), 0o700).unwrap_err().to_string().ends_with("file is a file, not a folder")
    );
    assert_eq!(folder_for_private_ones(Path::new("/tmp")).unwrap(), Path::new("/tmp").canonicalize().unwrap());
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
