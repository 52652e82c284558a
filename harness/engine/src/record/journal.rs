//! The journal: `results.jsonl`, one JSON object per line, appended while the run goes on.
//!
//! A line is one `write` of one buffer, made under a lock on the file, so that threads and processes can share a
//! journal and a killed run loses at most the line that it was writing. A last line that is cut short is therefore
//! expected and dropped; a broken line anywhere else is an error.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{Line, RuleResult, RunEnd, RunHeader, RunResume};

mod error;

pub use error::JournalError;

/// A journal that is open for appending.
///
/// ```no_run
/// # use engine::record::{Journal, JournalError, RuleResult, RunEnd, RunHeader};
/// # fn run(header: RunHeader, result: RuleResult, end: RunEnd) -> Result<(), JournalError> {
/// let journal = Journal::create("reports/out/today".as_ref(), &header)?;
/// journal.begin(&result.id)?;
/// journal.append(&result)?;
/// journal.finish(end)
/// # }
/// ```
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    state: Mutex<State>,
}

/// What this handle knows of the file. Others may have written since; [`State::catch_up`] reads that.
#[derive(Debug)]
struct State {
    file: File,
    /// Bytes read or written so far: always the end of a line.
    known: u64,
    /// Lines in those bytes.
    lines: usize,
    /// Rules that have a result, with the number of its line.
    results: HashMap<String, usize>,
    /// Whether the run's end is written.
    ended: bool,
}

/// A line that is about to be written.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outgoing<'a> {
    Run(&'a RunHeader),
    Begin { id: &'a str },
    Result(&'a RuleResult),
    Resume(&'a RunResume),
    End(&'a RunEnd),
}

impl Outgoing<'_> {
    /// The rule that the line is about.
    fn rule(&self) -> Option<&str> {
        match self {
            Outgoing::Begin { id } => Some(id),
            Outgoing::Result(result) => Some(&result.id),
            Outgoing::Run(_) | Outgoing::Resume(_) | Outgoing::End(_) => None,
        }
    }
}

/// As much of a line as an appending process must know.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Glimpse {
    Run(IgnoredAny),
    Begin(IgnoredAny),
    Result(Id),
    Resume(IgnoredAny),
    End(IgnoredAny),
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

impl Journal {
    /// The format that this version writes, and the newest that it reads. Format 1 did not say which rules had begun.
    pub const FORMAT: u32 = 2;

    /// The journal's name in a run's folder.
    pub const FILE: &str = "results.jsonl";

    /// Starts a journal in `dir`, which is created if it does not exist. An existing journal is never overwritten.
    pub fn create(dir: &Path, header: &RunHeader) -> Result<Journal, JournalError> {
        fs::create_dir_all(dir).map_err(|source| JournalError::io("create the folder", dir, source))?;
        let path = dir.join(Self::FILE);
        let file = match OpenOptions::new().read(true).append(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(JournalError::Exists { path }),
            Err(source) => return Err(JournalError::io("create", &path, source)),
        };
        let journal = Journal::new(path, file);
        journal.write(&Outgoing::Run(header))?;
        Ok(journal)
    }

    /// Opens the journal in `dir` to add results to it: another process of the same run, or a run that is resumed
    /// after it was killed (a line that was cut short is removed).
    pub fn append_to(dir: &Path) -> Result<Journal, JournalError> {
        let path = dir.join(Self::FILE);
        let file = OpenOptions::new().read(true).append(true).open(&path);
        let file = file.map_err(|source| JournalError::io("open", &path, source))?;
        let journal = Journal::new(path, file);
        // Between the creation of a journal and its first line another process may find it empty.
        for _ in 0..200 {
            let length = journal.exclusively(|_| Ok(()))?;
            if length > 0 {
                let mut first = Vec::new();
                let read =
                    File::open(&journal.path).and_then(|file| BufReader::new(file).read_until(b'\n', &mut first));
                read.map_err(|source| JournalError::io("read", &journal.path, source))?;
                check_first(&journal.path, &first)?;
                return Ok(journal);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(JournalError::NotAJournal { path: journal.path, found: "it is empty".into() })
    }

    /// Where the journal is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes that a rule begins. A rule that has a result is refused.
    pub fn begin(&self, id: &str) -> Result<(), JournalError> {
        self.write(&Outgoing::Begin { id })
    }

    /// Notes that a run goes on after it was killed.
    pub fn resume(&self, resume: &RunResume) -> Result<(), JournalError> {
        self.write(&Outgoing::Resume(resume))
    }

    /// Writes the result of one rule. A second result of a rule is refused, whichever process wrote the first.
    pub fn append(&self, result: &RuleResult) -> Result<(), JournalError> {
        self.write(&Outgoing::Result(result))
    }

    /// Writes the end of the run and waits until the file is on the disk. Nothing can be appended afterwards.
    pub fn finish(&self, end: RunEnd) -> Result<(), JournalError> {
        self.write(&Outgoing::End(&end))?;
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.sync_data().map_err(|source| JournalError::io("write", &self.path, source))
    }

    fn new(path: PathBuf, file: File) -> Journal {
        let state = State { file, known: 0, lines: 0, results: HashMap::new(), ended: false };
        Journal { path, state: Mutex::new(state) }
    }

    /// Runs `work` while no other thread or process writes, with everything read that others wrote. Returns the
    /// file's length before `work`.
    fn exclusively(&self, work: impl FnOnce(&mut State) -> Result<(), JournalError>) -> Result<u64, JournalError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.lock().map_err(|source| JournalError::io("lock", &self.path, source))?;
        let done = state.catch_up(&self.path).and_then(|()| {
            let length = state.known;
            work(&mut state).map(|()| length)
        });
        let unlocked = state.file.unlock().map_err(|source| JournalError::io("unlock", &self.path, source));
        done.and_then(|length| unlocked.map(|()| length))
    }

    fn write(&self, line: &Outgoing<'_>) -> Result<(), JournalError> {
        let mut bytes =
            serde_json::to_vec(line).map_err(|error| JournalError::io("write", &self.path, io::Error::other(error)))?;
        bytes.push(b'\n');
        let work = |state: &mut State| {
            if state.ended {
                return Err(JournalError::Ended { path: self.path.clone() });
            }
            if let Some((id, &first)) = line.rule().and_then(|id| Some((id, state.results.get(id)?))) {
                return Err(JournalError::Duplicate { path: self.path.clone(), id: id.into(), first, second: None });
            }
            if let Err(source) = state.file.write_all(&bytes) {
                // Whatever part of the line arrived must not stay; if this fails too, the next writer removes it.
                let _ = state.file.set_len(state.known);
                return Err(JournalError::io("write", &self.path, source));
            }
            state.known += bytes.len() as u64;
            state.lines += 1;
            state.ended = matches!(line, Outgoing::End(_));
            if let Outgoing::Result(result) = line {
                state.results.insert(result.id.clone(), state.lines);
            }
            Ok(())
        };
        self.exclusively(work).map(drop)
    }
}

impl State {
    /// Reads what others appended, and removes or completes a line that a killed process left unfinished.
    fn catch_up(&mut self, path: &Path) -> Result<(), JournalError> {
        let failed = |source| JournalError::io("read", path, source);
        let length = self.file.metadata().map_err(failed)?.len();
        if length == self.known {
            return Ok(());
        }
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.known)).map_err(failed)?;
        self.file.read_to_end(&mut bytes).map_err(failed)?;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let unfinished = !line.ends_with(b"\n");
            let glimpse = serde_json::from_slice::<Glimpse>(line.trim_ascii_end());
            if unfinished && glimpse.is_err() && self.lines == 0 {
                let found = "its first line is not complete".into();
                return Err(JournalError::NotAJournal { path: path.to_owned(), found });
            }
            if unfinished {
                let mended = if glimpse.is_ok() { self.file.write_all(b"\n") } else { self.file.set_len(self.known) };
                mended.map_err(|source| JournalError::io("mend", path, source))?;
            }
            match glimpse {
                Ok(Glimpse::Run(_) | Glimpse::Begin(_) | Glimpse::Resume(_)) => {}
                Ok(Glimpse::Result(Id { id })) => drop(self.results.insert(id, self.lines + 1)),
                Ok(Glimpse::End(_)) => self.ended = true,
                Err(_) if unfinished => break,
                // The first line gets its own, better messages from `check_first`.
                Err(_) if self.lines == 0 => {}
                Err(error) => return Err(JournalError::broken(path, self.lines + 1, &error)),
            }
            self.lines += 1;
            self.known += line.len() as u64 + u64::from(unfinished);
        }
        Ok(())
    }
}

/// What a journal says.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What was tested.
    pub header: RunHeader,
    /// In the order in which they were written.
    pub results: Vec<RuleResult>,
    /// Rules that began and have no result, with how often they began: the run ended while they ran.
    pub in_flight: BTreeMap<String, u32>,
    /// `None` if the run did not reach its end.
    pub end: Option<RunEnd>,
}

/// Reads a journal: `path` is the file or the run's folder. The end is `None` if the run did not reach it; a last
/// line that was cut short, as a killed run leaves it, is ignored.
pub fn read_journal(path: &Path) -> Result<(RunHeader, Vec<RuleResult>, Option<RunEnd>), JournalError> {
    read_run(path).map(|run| (run.header, run.results, run.end))
}

/// Reads a journal, as [`read_journal`] does, with the rules that were in flight when the run ended.
pub fn read_run(path: &Path) -> Result<Recorded, JournalError> {
    let path = if path.is_dir() { path.join(Journal::FILE) } else { path.to_owned() };
    let bytes = fs::read(&path).map_err(|source| JournalError::io("read", &path, source))?;
    let (first, rest) = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(newline) => (&bytes[..newline], &bytes[newline + 1..]),
        None => (&bytes[..], &[][..]),
    };
    check_first(&path, first)?;
    let header = match serde_json::from_slice(first) {
        Ok(Line::Run(header)) => *header,
        Ok(_) => return Err(JournalError::NotAJournal { path, found: "its first line describes no run".into() }),
        Err(error) => return Err(JournalError::broken(&path, 1, &error)),
    };
    let mut run = Recorded { header, results: Vec::new(), in_flight: BTreeMap::new(), end: None };
    let mut lines = HashMap::new();
    for (index, bytes) in rest.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let number = index + 2;
        let misplaced =
            |reason: &str| Err(JournalError::Broken { path: path.clone(), line: number, reason: reason.into() });
        match serde_json::from_slice(bytes.trim_ascii_end()) {
            Err(_) if !bytes.ends_with(b"\n") => {}
            Err(error) => return Err(JournalError::broken(&path, number, &error)),
            Ok(_) if run.end.is_some() => return misplaced("a line after the end of the run"),
            Ok(Line::Run(_)) => return misplaced("a second run"),
            Ok(Line::End(line)) => run.end = Some(line),
            Ok(Line::Resume(resume)) => run.header.resumed.push(resume.started),
            Ok(Line::Begin(begin)) => *run.in_flight.entry(begin.id).or_default() += 1,
            Ok(Line::Result(result)) => {
                if let Some(first) = lines.insert(result.id.clone(), number) {
                    return Err(JournalError::Duplicate { path, id: result.id, first, second: Some(number) });
                }
                run.in_flight.remove(&result.id);
                run.results.push(*result);
            }
        }
    }
    Ok(run)
}

/// Finds out whether a file is a journal and whether this version can read it, before anything else is parsed.
fn check_first(path: &Path, line: &[u8]) -> Result<(), JournalError> {
    let not = |found: &str| Err(JournalError::NotAJournal { path: path.to_owned(), found: found.into() });
    if line.is_empty() {
        return not("it is empty");
    }
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else {
        return not("its first line is not a JSON object");
    };
    match value.get("run").and_then(|run| run.get("format")).and_then(serde_json::Value::as_u64) {
        None => not("its first line describes no run"),
        Some(format) if format > u64::from(Journal::FORMAT) => {
            Err(JournalError::Newer { path: path.to_owned(), format })
        }
        Some(_) => Ok(()),
    }
}
