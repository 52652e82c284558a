//! The descriptors that a case opens: those that calls and other processes give it, and those left open at its end.

use std::os::fd::{BorrowedFd, RawFd};
use std::sync::Arc;

/// The folder with this process's open descriptors.
const OPEN: &str = "/proc/self/fd";

/// The descriptors of a case.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    /// The descriptors that were open before the case, kept for the next one; `None` if no program so far opens descriptors.
    before: Option<Arc<Open>>,
    /// Those that the rule received.
    received: Vec<Received>,
    /// True if the program may open descriptors.
    watched: bool,
    /// True if the case performed all its steps.
    pub complete: bool,
    /// True if a watched case ended before. A library opens the files that it keeps when it is first used, so its
    /// descriptors tell a leak only in later cases.
    warm: bool,
}

/// A file, by device and number. It tells whether a descriptor's number is in use again.
type File = (u64, u64);

/// The open descriptors of this process.
#[derive(Debug)]
struct Open {
    /// The numbers in ascending order, each with its file.
    numbers: Vec<(RawFd, File)>,
    count: Option<u64>,
}

/// A descriptor that the rule received.
#[derive(Debug)]
struct Received {
    number: RawFd,
    file: File,
    /// The name of its variable.
    name: String,
}

impl Descriptors {
    /// Begins a case.
    pub(super) fn begin(&mut self, watched: bool) {
        (self.watched, self.complete) = (watched, false);
        self.received.clear();
        if watched && self.has_changed() {
            let numbers = open_numbers().into_iter().filter_map(|number| Some((number, file(number)?.0))).collect();
            self.before = Some(Arc::new(Open { numbers, count: count() }));
        }
    }

    /// True if other descriptors may be open than before the case. Listing them takes 2 µs for each one, and counting
    /// all of them 2 µs, so a case that opens as many as it closes is not examined further.
    fn has_changed(&self) -> bool {
        let before = self.before.as_ref().and_then(|before| before.count);
        before.is_none() || before != count()
    }

    /// The descriptors for a lane, which receives separate ones.
    pub(super) fn share(&self) -> Descriptors {
        Descriptors { before: self.before.clone(), watched: self.watched, warm: self.warm, ..Descriptors::default() }
    }

    /// Adds what a lane received.
    pub(super) fn join(&mut self, lane: &mut Descriptors) {
        self.received.append(&mut lane.received);
    }

    /// Records a descriptor that the rule received.
    pub(super) fn add(&mut self, number: RawFd, name: &str) {
        if let Some((file, _)) = file(number) {
            self.received.retain(|known| known.number != number);
            self.received.push(Received { number, file, name: name.to_owned() });
        }
    }

    /// True if a number was open before the case, which is then not the rule's.
    pub(super) fn were_open(&self, number: RawFd) -> bool {
        let Some(before) = self.before.as_ref().filter(|_| self.watched) else { return false };
        let known = before.numbers.binary_search_by_key(&number, |(number, _)| *number).ok();
        known.is_some_and(|at| file(number).is_some_and(|(file, _)| file == before.numbers[at].1))
    }

    /// Ends a case: closes what the rule received and left open. Returns remarks about a complete case. A descriptor
    /// of the library stays open, because the library may need it.
    pub(super) fn end(&mut self) -> Vec<String> {
        let mut remarks = Vec::new();
        for received in std::mem::take(&mut self.received) {
            if self.were_open(received.number) || file(received.number).map(|(file, _)| file) != Some(received.file) {
                continue;
            }
            let (name, kind) = (&received.name, kind(received.number));
            remarks.push(format!("descriptor leak: `{name}` ({kind}) was open at the end and was closed; use `shut`"));
            close(received.number);
        }
        let warm = std::mem::replace(&mut self.warm, self.watched);
        let kept = if warm && self.watched && self.has_changed() { open_numbers() } else { Vec::new() };
        for number in kept.into_iter().filter(|number| !self.were_open(*number)) {
            // Runtimes open the nodes of their devices when they first need them.
            if file(number).is_some_and(|(_, is_device)| !is_device) {
                remarks.push(format!(
                    "descriptor leak: the library opened {} during the case and keeps it open",
                    kind(number)
                ));
            }
        }
        if !self.complete {
            remarks.clear();
        }
        remarks
    }
}

/// The number of open descriptors; `None` if the kernel does not say (Linux before 6.2).
fn count() -> Option<u64> {
    let size = rustix::fs::stat(OPEN).ok()?.st_size;
    u64::try_from(size).ok().filter(|count| *count > 0)
}

/// The open descriptors of this process, in ascending order.
fn open_numbers() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir(OPEN) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<RawFd> = names.collect();
    // The list was read through a descriptor that is closed now.
    numbers.retain(|number| is_open(*number));
    numbers.sort_unstable();
    numbers
}

/// True if a number is a descriptor of this process.
pub(super) fn is_open(number: RawFd) -> bool {
    // SAFETY: the call only reads the flags of the descriptor, if it is open.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}

/// The file of a descriptor, by device and number, and true if it is a device node; `None` if the descriptor is not
/// open.
fn file(number: RawFd) -> Option<(File, bool)> {
    if number < 0 || !is_open(number) {
        return None;
    }
    // SAFETY: the descriptor is open. If another thread closes it now, the query fails.
    let found = rustix::fs::fstat(unsafe { BorrowedFd::borrow_raw(number) }).ok()?;
    let is_device = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::CharacterDevice;
    Some(((found.st_dev, found.st_ino), is_device))
}

/// The kind or the name of a descriptor's file, without folder and number, which differ from run to run.
fn kind(number: RawFd) -> String {
    let Ok(target) = std::fs::read_link(format!("{OPEN}/{number}")) else { return "unknown".to_owned() };
    let target = target.to_string_lossy();
    let name = target.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(" (deleted)");
    name.split(":[").next().unwrap_or_default().to_owned()
}

/// Closes a descriptor that the case has opened.
pub(super) fn close(number: RawFd) {
    // SAFETY: the case has opened the descriptor, and uses it no longer.
    unsafe { libc::close(number) };
}
