//! The ledger of bursts on a card: which rules ran, when and how long, over many short runs.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use catalog::files;

/// The largest ledger, in bytes.
const LARGEST: u64 = 64 << 20;

/// The content of a ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "The ledger of bursts on a card")]
pub struct BurstBook {
    /// The format of the file.
    pub format: u32,
    pub suite: String,
    pub runtime: String,
    pub product: String,
    /// A mark of the executable and the catalog. With another mark, the ledger has to be prepared again.
    pub mark: String,
    /// The number of bursts.
    pub bursts: u64,
    /// The rule that was running when the ledger was written, if a burst was in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// The longest time from the start of a burst to its first rule, and from its last rule to its end, in nanoseconds.
    #[serde(default)]
    pub overhead: u64,
    pub rules: BTreeMap<String, BurstRule>,
    /// The applicable rules that do not run in bursts, each with the reason.
    #[serde(default)]
    pub left_out: BTreeMap<String, String>,
}

/// A rule that runs in bursts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BurstRule {
    /// The file of the rule's chapter.
    pub chapter: String,
    /// The number of times that the rule ran to its end.
    pub covered: u64,
    /// The number of the burst in which the rule last ran to its end, and its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The number of the burst that last reached the rule, even if it did not run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<u64>,
    /// The longest time of the rule, in nanoseconds; `None` if it never ran to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nanoseconds: Option<u64>,
    /// The number of times in a row that the end of a burst stopped the rule.
    #[serde(default)]
    pub stopped: u64,
    /// The latest verdict that is not a pass, with its reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// The reason why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BurstBookError {
    #[error("cannot {attempt} {path}: {source}; give a folder that this user can write with --ledger")]
    Io { attempt: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} is not a ledger of bursts ({found}); move it away, then prepare a new one with `burst --prepare`")]
    Broken { path: PathBuf, found: String },
    #[error("{path} is in use by another burst; wait for its end")]
    InUse { path: PathBuf },
}

/// The ledger of a card, locked by this process.
#[derive(Debug)]
pub struct BurstLedger {
    path: PathBuf,
    pub book: BurstBook,
    _lock: File,
}

impl BurstBook {
    /// The format that this version writes and reads.
    pub const FORMAT: u32 = 1;

    /// The rules in the order in which they should run: those that no burst reached first, then those that a burst
    /// reached longest ago. Of the others, those that a burst stopped come last, and quick ones first.
    pub fn order(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = self.rules.keys().map(String::as_str).collect();
        ids.sort_by_key(|id| {
            let rule = &self.rules[*id];
            (rule.tried, rule.stopped, rule.nanoseconds)
        });
        ids
    }

    /// The rules that never ran to their end.
    pub fn uncovered(&self) -> impl Iterator<Item = (&str, &BurstRule)> {
        self.rules.iter().filter(|(_, rule)| rule.covered == 0).map(|(id, rule)| (id.as_str(), rule))
    }
}

impl BurstLedger {
    /// The file of a card's ledger in a folder.
    pub fn file(folder: &Path, card: &str) -> PathBuf {
        let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        folder.join(format!("bursts-{}.json", card.chars().map(safe).collect::<String>()))
    }

    /// Opens a card's ledger, which is empty if there is none yet. The folder is created if necessary. No other user
    /// may control it, because the ledger decides which rules run.
    ///
    /// # Errors
    /// Fails if the ledger is in use or broken, or if the folder cannot be used.
    pub fn open(folder: &Path, card: &str) -> Result<BurstLedger, BurstBookError> {
        let io = |attempt: &'static str, path: &Path| {
            let path = path.to_owned();
            move |source| BurstBookError::Io { attempt, path, source }
        };
        let folder = &files::make_own_folder(folder, 0o755).map_err(io("use", folder))?;
        let path = BurstLedger::file(folder, card);
        let lock_path = path.with_extension("lock");
        let lock = File::options().write(true).create(true).truncate(false).open(&lock_path);
        let lock = lock.map_err(io("open", &lock_path))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(BurstBookError::InUse { path }),
            // Some network file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let book = match files::read(&path, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => BurstBook::default(),
            Err(error) => return Err(io("read", &path)(error)),
            Ok(bytes) => {
                let broken = |found: String| BurstBookError::Broken { path: path.clone(), found };
                let book: BurstBook = serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
                if book.format != BurstBook::FORMAT {
                    return Err(broken(format!("its format is {}", book.format)));
                }
                book
            }
        };
        Ok(BurstLedger { path, book, _lock: lock })
    }

    /// Replaces the file at once.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn save(&self) -> Result<(), BurstBookError> {
        let written = serde_json::to_vec(&self.book).map_err(io::Error::other);
        let written = written.and_then(|bytes| files::replace(&self.path, bytes));
        written.map_err(|source| BurstBookError::Io { attempt: "write", path: self.path.clone(), source })
    }
}
