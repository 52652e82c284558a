//! Remarks about the entire run: things that libraries did while no rule was running.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use catalog::count;

/// Remarks, each with the number of affected processes. Remarks change no verdict.
#[derive(Debug, Default)]
pub struct Remarks {
    seen: Mutex<BTreeMap<String, Seen>>,
    announcer: OnceLock<Announcer>,
}

/// Shows a text to the user at once.
struct Announcer(Box<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for Announcer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Announcer")
    }
}

#[derive(Debug)]
struct Seen {
    processes: u64,
    /// The last line of the first process's output.
    printed: Option<String>,
}

impl Remarks {
    /// Records an action of a process. `output` is its library's output so far.
    pub fn note(&self, text: String, output: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = || output.lines().map(str::trim).rfind(|line| !line.is_empty()).map(beginning);
        seen.entry(text).or_insert_with(|| Seen { processes: 0, printed: printed() }).processes += 1;
    }

    /// Sets the function that shows announcements. Only the first call has an effect.
    pub fn announce_with(&self, show: impl Fn(&str) + Send + Sync + 'static) {
        // A run sets its function once.
        let _ = self.announcer.set(Announcer(Box::new(show)));
    }

    /// Shows a text at once. The text is not kept. Before the run has a listener, it goes to standard error.
    pub fn announce(&self, text: &str) {
        match self.announcer.get() {
            Some(Announcer(show)) => show(text),
            None => eprintln!("{text}"),
        }
    }

    /// All remarks, each with its number of processes.
    pub fn all(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter()
            .map(|(text, Seen { processes, printed })| {
                let printed = printed.as_ref().map(|line| format!("; it had printed: {line}")).unwrap_or_default();
                format!("{text} ({}){printed}", count(*processes, "process"))
            })
            .collect()
    }
}

/// The beginning of a line, since a library may print arbitrarily long lines.
fn beginning(line: &str) -> String {
    const SHOWN: usize = 500;
    match line.char_indices().nth(SHOWN) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
