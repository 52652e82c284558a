//! What is to be said about the run as a whole: what libraries did where no rule ran.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Remarks with the number of processes that each was made of. They change no verdict.
#[derive(Debug, Default)]
pub struct Remarks {
    seen: Mutex<BTreeMap<String, Seen>>,
}

#[derive(Debug)]
struct Seen {
    processes: u64,
    /// The last line that the first of them printed.
    printed: Option<String>,
}

impl Remarks {
    /// Notes something that a process did; `output` is what its library had printed by then.
    pub fn note(&self, text: String, output: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = || output.lines().map(str::trim).rfind(|line| !line.is_empty()).map(beginning);
        seen.entry(text).or_insert_with(|| Seen { processes: 0, printed: printed() }).processes += 1;
    }

    /// All of them, each with its number of processes.
    pub fn all(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter()
            .map(|(text, Seen { processes, printed })| {
                let noun = if *processes == 1 { "process" } else { "processes" };
                let printed = printed.as_ref().map(|line| format!("; it had printed: {line}")).unwrap_or_default();
                format!("{text} ({processes} {noun}){printed}")
            })
            .collect()
    }
}

/// The first characters of a line, which a library may make arbitrarily long.
fn beginning(line: &str) -> String {
    const SHOWN: usize = 500;
    match line.char_indices().nth(SHOWN) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
