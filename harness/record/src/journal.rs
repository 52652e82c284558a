//! The journal: `results.jsonl`, one JSON object per line, appended during the run.
//!
//! Each line is written by one `write` call under a file lock, so threads and processes can share a journal, and a
//! killed run loses at most the line that it was writing. Readers therefore drop a truncated last line; a broken line
//! anywhere else is an error.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::end::RunEnd;
use crate::header::RunHeader;
use crate::line::{RunResume, RunStop};
use crate::result::RuleResult;

mod error;
mod read;

pub use error::JournalError;
pub use read::{Recorded, read_journal, read_run};

use read::check_first;

/// The largest journal, in bytes. Journals are read into memory as a whole. The result of a broken rule takes a few
/// KiB, so this limit is enough for tens of thousands of broken rules.
const LARGEST: u64 = 256 << 20;

/// The longest wait for the lock. Writing a line takes microseconds, so a process that holds the lock longer will
/// probably never release it.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);

/// A journal open for appending.
///
/// ```no_run
/// # use record::{Journal, JournalError, RuleResult, RunEnd, RunHeader};
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
    file: Mutex<JournalFile>,
}

/// The file's content as this handle knows it. [`JournalFile::catch_up`] reads the lines that other writers have added
/// since.
#[derive(Debug)]
struct JournalFile {
    file: File,
    /// The number of bytes read or written so far, always in whole lines.
    known: u64,
    /// The number of lines in the `known` bytes.
    lines: usize,
    /// Rules with a result, and the line number of each result.
    results: HashMap<String, usize>,
    /// True once the end of the run is written.
    ended: bool,
    /// True if no other process may write; see [`Journal::alone`].
    alone: bool,
    /// True once a wait for the lock has timed out. Other threads then do not wait again.
    given_up: bool,
    /// The longest wait for the lock.
    patience: Duration,
}

/// A line to be written.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outgoing<'a> {
    Run(&'a RunHeader),
    Begin { id: &'a str },
    Result(&'a RuleResult),
    Resume(&'a RunResume),
    Stop(&'a RunStop),
    End(&'a RunEnd),
}

impl Outgoing<'_> {
    /// The rule that the line names.
    fn rule(&self) -> Option<&str> {
        match self {
            Outgoing::Begin { id } => Some(id),
            Outgoing::Result(result) => Some(&result.id),
            Outgoing::Run(_) | Outgoing::Resume(_) | Outgoing::Stop(_) | Outgoing::End(_) => None,
        }
    }
}

/// The part of a line that a writer needs in order to catch up with other writers.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Glimpse {
    Run(IgnoredAny),
    Begin(IgnoredAny),
    Result(Id),
    Resume(IgnoredAny),
    Stop(IgnoredAny),
    End(IgnoredAny),
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

impl Journal {
    /// The format that this version writes, and the only one that it reads.
    pub const FORMAT: u32 = 5;

    /// The journal's name in a run's folder.
    pub const FILE: &str = "results.jsonl";

    /// Creates a journal in `dir`, and the folder if necessary. An existing journal is never overwritten.
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

    /// Opens the journal in `dir` to add results, either from another process of the same run or to resume a killed
    /// run. A truncated last line is removed.
    pub fn append_to(dir: &Path) -> Result<Journal, JournalError> {
        let path = dir.join(Self::FILE);
        // Without O_NONBLOCK, opening a FIFO would block.
        let file =
            OpenOptions::new().read(true).append(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(&path);
        let file = file.map_err(|source| JournalError::io("open", &path, source))?;
        let metadata = file.metadata().map_err(|source| JournalError::io("read", &path, source))?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            let found = format!("not a file of at most {LARGEST} bytes");
            return Err(JournalError::NotAJournal { path, found });
        }
        let journal = Journal::new(path, file);
        // The journal may still be empty if another process has just created it.
        for _ in 0..200 {
            let length = journal.exclusively(|_| Ok(()))?;
            if length > 0 {
                let mut first = Vec::new();
                let read = File::open(&journal.path)
                    .and_then(|file| BufReader::new(file.take(LARGEST)).read_until(b'\n', &mut first));
                read.map_err(|source| JournalError::io("read", &journal.path, source))?;
                check_first(&journal.path, &first)?;
                return Ok(journal);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(JournalError::NotAJournal { path: journal.path, found: "it is empty".into() })
    }

    /// Makes this handle the only writer. From now on, a line that another process writes is an error.
    pub fn alone(mut self) -> Journal {
        self.file.get_mut().unwrap_or_else(PoisonError::into_inner).alone = true;
        self
    }

    /// Limits the wait for a lock that another process holds, to at most ten seconds.
    pub fn waiting_at_most(&mut self, limit: Duration) {
        let state = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.patience = limit.min(LOCK_PATIENCE);
    }

    /// The path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records the start of a rule. A rule that already has a result is rejected.
    pub fn begin(&self, id: &str) -> Result<(), JournalError> {
        self.write(&Outgoing::Begin { id })
    }

    /// Records that a killed run is resumed.
    pub fn resume(&self, resume: &RunResume) -> Result<(), JournalError> {
        self.write(&Outgoing::Resume(resume))
    }

    /// Records that the run stops on request, and waits until the file is on disk.
    pub fn stop(&self, stop: &RunStop) -> Result<(), JournalError> {
        self.write(&Outgoing::Stop(stop))?;
        self.sync()
    }

    /// Writes the result of a rule. A second result for the same rule is rejected, even if another process wrote the
    /// first.
    pub fn append(&self, result: &RuleResult) -> Result<(), JournalError> {
        self.write(&Outgoing::Result(result))
    }

    /// Writes the end of the run, and waits until the file is on disk. Nothing can be appended after the end.
    pub fn finish(&self, end: RunEnd) -> Result<(), JournalError> {
        self.write(&Outgoing::End(&end))?;
        self.sync()
    }

    fn sync(&self) -> Result<(), JournalError> {
        let state = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.sync_data().map_err(|source| JournalError::io("write", &self.path, source))
    }

    fn new(path: PathBuf, file: File) -> Journal {
        let file = JournalFile {
            file,
            known: 0,
            lines: 0,
            results: HashMap::new(),
            ended: false,
            alone: false,
            given_up: false,
            patience: LOCK_PATIENCE,
        };
        Journal { path, file: Mutex::new(file) }
    }

    /// Reads the lines that other writers added, then runs `work` while no other thread or process writes. Returns the
    /// length of the file before `work`.
    fn exclusively(
        &self,
        work: impl FnOnce(&mut JournalFile) -> Result<(), JournalError>,
    ) -> Result<u64, JournalError> {
        let mut state = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        state.lock(&self.path)?;
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
        let work = |state: &mut JournalFile| {
            if state.ended {
                return Err(JournalError::Ended { path: self.path.clone() });
            }
            if let Some((id, &first)) = line.rule().and_then(|id| Some((id, state.results.get(id)?))) {
                return Err(JournalError::Duplicate { path: self.path.clone(), id: id.into(), first, second: None });
            }
            if let Err(source) = state.file.write_all(&bytes) {
                // Remove a partially written line. If the removal fails too, the next writer removes the line.
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

impl JournalFile {
    /// Locks the file. The wait is limited because any process that can read the file can hold the lock.
    fn lock(&mut self, path: &Path) -> Result<(), JournalError> {
        let mut begun = None;
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(source)) => return Err(JournalError::io("lock", path, source)),
                Err(TryLockError::WouldBlock) => {}
            }
            if self.given_up || begun.get_or_insert_with(Instant::now).elapsed() > self.patience {
                self.given_up = true;
                return Err(JournalError::Locked { path: path.to_owned(), waited: self.patience });
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The length of the file. Fails if the path now names a different file, or if the file became shorter.
    fn length(&self, path: &Path) -> Result<u64, JournalError> {
        let own = self.file.metadata().map_err(|source| JournalError::io("read", path, source))?;
        let what = match fs::metadata(path) {
            Err(_) => "was removed",
            Ok(named) if (named.dev(), named.ino()) != (own.dev(), own.ino()) => "was replaced by another file",
            Ok(_) if own.len() < self.known => "was truncated",
            Ok(_) if own.len() > self.known && self.alone => "was written to by another process",
            Ok(_) => return Ok(own.len()),
        };
        Err(JournalError::Changed { path: path.to_owned(), what })
    }

    /// Reads the lines that other writers appended. An unfinished line from a killed process is removed or completed.
    fn catch_up(&mut self, path: &Path) -> Result<(), JournalError> {
        let failed = |source| JournalError::io("read", path, source);
        if self.length(path)? == self.known {
            return Ok(());
        }
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.known)).map_err(failed)?;
        (&self.file).take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let unfinished = !line.ends_with(b"\n");
            let glimpse = serde_json::from_slice::<Glimpse>(line.trim_ascii_end());
            if unfinished && glimpse.is_err() && self.lines == 0 {
                let found = "its first line is not complete".into();
                return Err(JournalError::NotAJournal { path: path.to_owned(), found });
            }
            if unfinished {
                let repaired = if glimpse.is_ok() { self.file.write_all(b"\n") } else { self.file.set_len(self.known) };
                repaired.map_err(|source| JournalError::io("repair", path, source))?;
            }
            match glimpse {
                Ok(Glimpse::Run(_) | Glimpse::Begin(_) | Glimpse::Resume(_) | Glimpse::Stop(_)) => {}
                Ok(Glimpse::Result(Id { id })) => drop(self.results.insert(id, self.lines + 1)),
                Ok(Glimpse::End(_)) => self.ended = true,
                Err(_) if unfinished => break,
                // For the first line, `check_first` has better messages.
                Err(_) if self.lines == 0 => {}
                Err(error) => return Err(JournalError::broken(path, self.lines + 1, &error)),
            }
            self.lines += 1;
            self.known += line.len() as u64 + u64::from(unfinished);
        }
        Ok(())
    }
}
