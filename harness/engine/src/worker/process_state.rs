//! The state of a library's process: signal mask, working directory, file mode mask, locale, environment variables
//! and resource limits.
//!
//! A library may change this state, and every later rule would then run in a changed process. The state is
//! therefore compared and restored after each rule, which takes about a microsecond. Variables are compared by the
//! addresses of their entries, so a string that was changed in place goes unnoticed. Each resource limit costs a
//! system call: limits that runtimes are known to change are compared after each rule, and all limits only after a
//! rule that did not pass. Signal handlers are ignored, because vendor libraries install their own.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsString, c_char};
use std::mem::MaybeUninit;
use std::ptr;

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

unsafe extern "C" {
    /// The process's environment variables, as stored by the C library.
    static environ: *const *const c_char;
}

/// A snapshot of the process's state.
pub(super) struct Surroundings {
    /// The signals that the calling thread blocks: bit n - 1 for signal n.
    signals: u64,
    folder: Option<CString>,
    file_mask: Mode,
    locale: Option<CString>,
    thread_locale: libc::locale_t,
    entries: Vec<*const c_char>,
    environment: BTreeMap<OsString, OsString>,
    limits: [Rlimit; LIMITED.len()],
}

/// The number of limits at the start of the list to compare after each rule.
const LIMITED_EACH_TIME: usize = 2;

/// The resources whose limits a library may have lowered.
const LIMITED: [(Resource, &str); 7] = [
    (Resource::Nofile, "open files"),
    (Resource::As, "address space"),
    (Resource::Cpu, "processor time"),
    (Resource::Fsize, "file size"),
    (Resource::Nproc, "processes"),
    (Resource::Data, "data"),
    (Resource::Stack, "stack"),
];

impl Surroundings {
    /// Takes a snapshot of this process.
    pub(super) fn now() -> Surroundings {
        let file_mask = umask(Mode::empty());
        umask(file_mask);
        Surroundings {
            signals: signals(),
            folder: folder(),
            file_mask,
            locale: locale(None),
            thread_locale: thread_locale(),
            entries: entries(),
            environment: std::env::vars_os().collect(),
            limits: limits(),
        }
    }

    /// A description of the differences in another snapshot; `None` if there are none.
    pub(super) fn differences(&self, other: &Surroundings) -> Option<String> {
        let shown = |text: &Option<CString>| {
            text.as_ref().map_or_else(|| "none".to_owned(), |text| text.to_string_lossy().into_owned())
        };
        let mut said = Vec::new();
        if self.signals != other.signals {
            let blocked = numbered("blocked", other.signals & !self.signals);
            let unblocked = numbered("unblocked", self.signals & !other.signals);
            let both: Vec<String> = blocked.into_iter().chain(unblocked).collect();
            said.push(format!("the signal mask ({})", both.join(", ")));
        }
        if self.folder != other.folder {
            said.push(format!("the working directory from {} to {}", shown(&self.folder), shown(&other.folder)));
        }
        if self.file_mask != other.file_mask {
            let (from, to) = (self.file_mask.bits(), other.file_mask.bits());
            said.push(format!("the file mode mask from {from:03o} to {to:03o}"));
        }
        if self.locale != other.locale {
            said.push(format!("the locale from {} to {}", shown(&self.locale), shown(&other.locale)));
        }
        if self.thread_locale != other.thread_locale {
            said.push("the locale of the calling thread".to_owned());
        }
        for ((_, name), (from, to)) in LIMITED.iter().zip(self.limits.iter().zip(&other.limits)) {
            if from != to {
                said.push(format!("the limit of {name} from {} to {}", limit(from), limit(to)));
            }
        }
        // Only the names: values may be secret, and differ between runs.
        let variables: Vec<String> = changed(&self.environment, &other.environment)
            .map(|(name, before, after)| match (before, after) {
                (None, _) => format!("{} set", name.display()),
                (_, None) => format!("{} removed", name.display()),
                _ => format!("{} changed", name.display()),
            })
            .collect();
        if !variables.is_empty() {
            said.push(format!("the environment ({})", variables.join(", ")));
        }
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Undoes changes and returns a description of them; `None` if there are none. Limits that are not compared each
    /// time are compared only if `closely` is true.
    pub(super) fn restore(&mut self, closely: bool) -> Option<String> {
        if self.unchanged(if closely { LIMITED.len() } else { LIMITED_EACH_TIME }) {
            return None;
        }
        let is = Surroundings::now();
        let mut said = self.differences(&is);
        set_signals(self.signals);
        umask(self.file_mask);
        if self.locale != is.locale {
            locale(self.locale.as_deref());
        }
        // SAFETY: this was the thread's locale before, and no other code has access to it.
        unsafe { libc::uselocale(self.thread_locale) };
        if self.folder != is.folder {
            let back = self.folder.as_ref().is_some_and(|folder| rustix::process::chdir(folder.as_c_str()).is_ok());
            said = said
                .map(|said| if back { said } else { format!("{said} (the working directory could not be restored)") });
        }
        let left = self.put_limits_back(&is);
        said = said.map(|said| if left { format!("{said} (a limit could not be restored)") } else { said });
        for (name, before, _) in changed(&self.environment, &is.environment) {
            // SAFETY: no other worker thread reads the environment. If a library's thread reads the environment while
            // the library changes it, the library is already broken.
            unsafe {
                match before {
                    Some(value) => std::env::set_var(name, value),
                    None => std::env::remove_var(name),
                }
            }
        }
        self.entries = entries();
        said
    }

    /// Restores resource limits where permitted. Returns true if a limit could not be restored.
    fn put_limits_back(&mut self, is: &Surroundings) -> bool {
        let mut left = false;
        for ((resource, _), (was, is)) in LIMITED.iter().zip(self.limits.iter_mut().zip(&is.limits)) {
            if *was != *is && setrlimit(*resource, *was).is_err() {
                *was = *is;
                left = true;
            }
        }
        left
    }

    /// Quickly checks this many limits. Also restores the file mode mask, which can be read only by setting it.
    fn unchanged(&self, limits: usize) -> bool {
        let file_mask = umask(self.file_mask);
        let same = file_mask == self.file_mask
            && signals() == self.signals
            && thread_locale() == self.thread_locale
            && has_entries(&self.entries)
            && locale(None) == self.locale
            && LIMITED.iter().zip(&self.limits).take(limits).all(|((resource, _), was)| getrlimit(*resource) == *was)
            && folder() == self.folder;
        if !same {
            umask(file_mask);
        }
        same
    }
}

fn limits() -> [Rlimit; LIMITED.len()] {
    LIMITED.map(|(resource, _)| getrlimit(resource))
}

fn limit(limit: &Rlimit) -> String {
    let shown = |value: Option<u64>| value.map_or_else(|| "unlimited".to_owned(), |value| value.to_string());
    match (limit.current, limit.maximum) {
        (current, maximum) if current == maximum => shown(current),
        (current, maximum) => format!("{} of {}", shown(current), shown(maximum)),
    }
}

/// The variables that differ: name, value before, and value after.
fn changed<'a>(
    before: &'a BTreeMap<OsString, OsString>,
    after: &'a BTreeMap<OsString, OsString>,
) -> impl Iterator<Item = (&'a OsString, Option<&'a OsString>, Option<&'a OsString>)> {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    after
        .keys()
        .chain(gone)
        .map(|name| (name, before.get(name), after.get(name)))
        .filter(|(_, before, after)| before != after)
}

/// Blocked signals as text: `blocked 10 12`, or the number of blocked signals if there are many.
fn numbered(what: &str, signals: u64) -> Option<String> {
    let numbers: Vec<String> =
        (0..64).filter(|bit| signals >> bit & 1 == 1).map(|bit: u32| (bit + 1).to_string()).collect();
    match numbers.len() {
        0 => None,
        1..=8 => Some(format!("{what} {}", numbers.join(" "))),
        many => Some(format!("{what} {many} signals")),
    }
}

/// The signals that the calling thread blocks.
fn signals() -> u64 {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: with a null set, the call only queries, and fills the old set. Signals 1 to 64 are the first 64 bits
    // of a Linux set, which has at least that many.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), set.as_mut_ptr());
        set.as_ptr().cast::<u64>().read_unaligned()
    }
}

fn set_signals(signals: u64) {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the set is initialized as empty before signals are added.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for bit in (0..64).filter(|bit| signals >> bit & 1 == 1) {
            libc::sigaddset(set.as_mut_ptr(), bit + 1);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), ptr::null_mut());
    }
}

fn thread_locale() -> libc::locale_t {
    // SAFETY: a null locale only queries.
    unsafe { libc::uselocale(ptr::null_mut()) }
}

fn folder() -> Option<CString> {
    let mut path = MaybeUninit::<[c_char; 4096]>::uninit();
    // SAFETY: the buffer has the given length, and contains a complete string on return.
    unsafe {
        let known = libc::getcwd(path.as_mut_ptr().cast(), size_of_val(&path));
        (!known.is_null()).then(|| CStr::from_ptr(known).to_owned())
    }
}

/// Sets the process's locale, or only queries it.
fn locale(set: Option<&CStr>) -> Option<CString> {
    // SAFETY: the name is a complete string, or null, which only queries. The answer is copied before the next
    // call.
    unsafe {
        let name = libc::setlocale(libc::LC_ALL, set.map_or(ptr::null(), CStr::as_ptr));
        (!name.is_null()).then(|| CStr::from_ptr(name).to_owned())
    }
}

/// The addresses of the environment entries.
fn entries() -> Vec<*const c_char> {
    let mut entries = Vec::new();
    // SAFETY: the list ends with a null pointer. A library's thread that changes the list at this moment breaks the
    // C library's rules.
    unsafe {
        let mut entry = environ;
        while !entry.is_null() && !(*entry).is_null() {
            entries.push(*entry);
            entry = entry.add(1);
        }
    }
    entries
}

/// True if the environment consists of exactly these entries.
fn has_entries(entries: &[*const c_char]) -> bool {
    // SAFETY: as above. The list is read to its end or to the first difference.
    unsafe {
        if environ.is_null() {
            return entries.is_empty();
        }
        entries.iter().enumerate().all(|(index, entry)| *environ.add(index) == *entry)
            && (*environ.add(entries.len())).is_null()
    }
}
