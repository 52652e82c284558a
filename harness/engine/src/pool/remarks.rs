//! Remarks about the entire run: things that libraries did while no rule was running.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use catalog::count;

/// Remarks, each with the number of affected processes. Remarks change no verdict.
#[derive(Debug, Default)]
pub struct Remarks {
    seen: Mutex<BTreeMap<String, Seen>>,
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
