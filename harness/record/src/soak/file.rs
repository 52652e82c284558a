//! Writing and reading a soak's file.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use catalog::files;

use super::lines::{SoakBatch, SoakBreak, SoakEnd, SoakHeader, SoakLine, SoakRate, SoakResume, SoakSkip};

/// The largest file, in bytes. Files are read into memory as a whole.
const LARGEST: u64 = 256 << 20;

/// The reason why a soak's file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SoakFileError {
    #[error("cannot {attempt} {path}: {source}; give a folder that this user can write with --report-dir")]
    Io { attempt: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} already exists; continue that soak with --resume, or give another folder with --report-dir")]
    Exists { path: PathBuf },
    #[error("{path} is in use by another soak; wait for its end, or read it with --status")]
    InUse { path: PathBuf },
    #[error("{path}:{line}: {found}; give the folder of a soak")]
    Broken { path: PathBuf, line: usize, found: String },
}

impl SoakFileError {
    fn io(attempt: &'static str, path: &Path, source: io::Error) -> SoakFileError {
        SoakFileError::Io { attempt, path: path.to_owned(), source }
    }
}

/// A soak's file, open for appending.
#[derive(Debug)]
pub struct SoakFile {
    path: PathBuf,
    file: File,
}

/// The content of a soak's file.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSoak {
    pub header: SoakHeader,
    /// The batches in the order in which they ended. `segment` also counts resumed soaks.
    pub batches: Vec<SoakBatch>,
    pub breaks: Vec<SoakBreak>,
    pub skips: Vec<SoakSkip>,
    pub resumed: Vec<SoakResume>,
    pub rates: Vec<SoakRate>,
    /// The end; `None` if the soak is running or was interrupted.
    pub end: Option<SoakEnd>,
}

impl SoakFile {
    /// The format that this version writes, and the only one that it reads.
    pub const FORMAT: u32 = 1;

    /// The file's name in a soak's folder.
    pub const NAME: &str = "soak.jsonl";

    /// Creates the file, and the folder if necessary. An existing file is never overwritten.
    ///
    /// # Errors
    /// Fails if the file exists or cannot be written.
    pub fn create(folder: &Path, header: &SoakHeader) -> Result<SoakFile, SoakFileError> {
        fs::create_dir_all(folder).map_err(|source| SoakFileError::io("create the folder", folder, source))?;
        let path = folder.join(Self::NAME);
        let file = match File::options().read(true).append(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(SoakFileError::Exists { path }),
            Err(source) => return Err(SoakFileError::io("create", &path, source)),
        };
        let mut made = SoakFile::locked(path, file)?;
        made.append(&SoakLine::Soak(Box::new(header.clone())))?;
        made.sync()?;
        Ok(made)
    }

    /// Opens the file of a soak that was killed or interrupted. A last line that is cut short is removed.
    ///
    /// # Errors
    /// Fails if the file is missing, in use, broken or cannot be written.
    pub fn resume(folder: &Path) -> Result<(SoakFile, RecordedSoak), SoakFileError> {
        let path = folder.join(Self::NAME);
        let known = files::open(&path).map_err(|source| SoakFileError::io("read", &path, source))?;
        drop(known);
        let file = File::options().read(true).append(true).open(&path);
        let made = SoakFile::locked(path.clone(), file.map_err(|source| SoakFileError::io("open", &path, source))?)?;
        let (soak, whole) = read(&path)?;
        let cannot = |source| SoakFileError::io("write", &path, source);
        if whole < made.file.metadata().map_err(cannot)?.len() {
            made.file.set_len(whole).map_err(cannot)?;
        }
        Ok((made, soak))
    }

    fn locked(path: PathBuf, file: File) -> Result<SoakFile, SoakFileError> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(SoakFileError::InUse { path }),
            // Some network file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(SoakFile { path, file }),
        }
    }

    /// Appends a line with one write.
    ///
    /// # Errors
    /// Fails if the line cannot be written.
    pub fn append(&mut self, line: &SoakLine) -> Result<(), SoakFileError> {
        let written = serde_json::to_vec(line).map_err(io::Error::other).and_then(|mut bytes| {
            bytes.push(b'\n');
            self.file.write_all(&bytes)
        });
        written.map_err(|source| SoakFileError::io("write", &self.path, source))
    }

    /// Waits until the file is on disk.
    ///
    /// # Errors
    /// Fails if the system cannot write the file.
    pub fn sync(&mut self) -> Result<(), SoakFileError> {
        self.file.sync_data().map_err(|source| SoakFileError::io("write", &self.path, source))
    }
}

/// Reads the file in a soak's folder. The soak may be running.
///
/// # Errors
/// Fails if the file is missing, too large, or is not a soak's file.
pub fn read_soak(folder: &Path) -> Result<RecordedSoak, SoakFileError> {
    read(&folder.join(SoakFile::NAME)).map(|(soak, _)| soak)
}

/// Reads a file. Returns its content and the number of bytes in whole lines.
fn read(path: &Path) -> Result<(RecordedSoak, u64), SoakFileError> {
    let bytes = files::read(path, LARGEST).map_err(|source| SoakFileError::io("read", path, source))?;
    let broken = |line: usize, found: String| SoakFileError::Broken { path: path.to_owned(), line: line + 1, found };
    let mut soak: Option<RecordedSoak> = None;
    let mut whole = 0;
    let mut resumed = 0;
    for (number, text) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !text.ends_with(b"\n") {
            break;
        }
        let line: SoakLine = serde_json::from_slice(text).map_err(|error| broken(number, error.to_string()))?;
        match (&mut soak, line) {
            (None, SoakLine::Soak(header)) if header.format == SoakFile::FORMAT => soak = Some(empty(*header)),
            (None, SoakLine::Soak(header)) => {
                let found = format!("the format is {}, and this version reads {}", header.format, SoakFile::FORMAT);
                return Err(broken(number, found));
            }
            (None, _) => return Err(broken(number, "the first line is not the header of a soak".to_owned())),
            (Some(soak), line) => {
                let rule = rule_of(&line);
                if rule.is_some_and(|rule| rule >= soak.header.rules.len()) {
                    return Err(broken(number, "the line names a rule that the header does not list".to_owned()));
                }
                match line {
                    SoakLine::Soak(_) => return Err(broken(number, "a second header".to_owned())),
                    SoakLine::Batch(batch) => {
                        soak.batches.push(SoakBatch { segment: batch.segment.saturating_add(resumed), ..batch });
                    }
                    SoakLine::Broken(broken) => soak.breaks.push(broken),
                    SoakLine::Skip(skip) => soak.skips.push(skip),
                    SoakLine::Resume(resume) => {
                        // Processes of a resumed soak are new, whatever their number of replacements.
                        resumed = soak.batches.iter().map(|batch| batch.segment).max().map_or(resumed, |most| most + 1);
                        soak.resumed.push(resume);
                        soak.end = None;
                    }
                    SoakLine::Rate(rate) => soak.rates.push(rate),
                    SoakLine::End(end) => soak.end = Some(end),
                }
            }
        }
        whole += text.len() as u64;
    }
    let soak = soak.ok_or_else(|| broken(0, "the file has no complete line".to_owned()))?;
    Ok((soak, whole))
}

fn empty(header: SoakHeader) -> RecordedSoak {
    RecordedSoak {
        header,
        batches: Vec::new(),
        breaks: Vec::new(),
        skips: Vec::new(),
        resumed: Vec::new(),
        rates: Vec::new(),
        end: None,
    }
}

/// The rule that a line names.
fn rule_of(line: &SoakLine) -> Option<usize> {
    match line {
        SoakLine::Batch(batch) => Some(batch.rule),
        SoakLine::Broken(broken) => Some(broken.rule),
        SoakLine::Skip(skip) => Some(skip.rule),
        SoakLine::Rate(rate) => Some(rate.rule),
        SoakLine::Soak(_) | SoakLine::Resume(_) | SoakLine::End(_) => None,
    }
}

impl RecordedSoak {
    /// The number of counted cycles of a rule.
    pub fn cycles(&self, rule: usize) -> u64 {
        self.batches.iter().filter(|batch| batch.rule == rule).map(|batch| batch.cycles).fold(0, u64::saturating_add)
    }

    /// The time for which the soak ran, without interruptions, in nanoseconds.
    pub fn nanoseconds(&self) -> u64 {
        self.batches.iter().map(|batch| batch.at).max().unwrap_or(0)
    }
}
