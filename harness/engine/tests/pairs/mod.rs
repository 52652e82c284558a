//! Bad catalogs as pairs of files: `x.yaml` has a mistake, `x.err` the expected message. `BLESS=1` writes the messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;

/// The message about a mistake, or the reason why the pair cannot be checked.
pub type Said = Result<String, String>;

/// The reason if the catalog is not refused.
pub const LOADS: &str = "this catalog loads, but a bad one must be refused; restore the mistake, or remove the pair";

/// Checks every pair of a folder. `said` returns the message about the text of an `x.yaml`.
pub fn check(folder: &Path, said: impl Fn(&str) -> Said + Sync) {
    let (mistakes, answers) = (names(folder, "yaml"), names(folder, "err"));
    assert!(!mistakes.is_empty(), "{} has no pair", folder.display());
    let alone = answers.difference(&mistakes).map(|name| format!("{name}.err: there is no {name}.yaml; remove it"));
    let mut wrong: Vec<String> = alone.collect();
    let mistakes: Vec<&String> = mistakes.iter().collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let check = || {
            let taken = std::iter::from_fn(|| mistakes.get(next.fetch_add(1, Ordering::Relaxed)));
            taken.filter_map(|name| pair(folder, name, &said).err()).collect::<Vec<_>>()
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(check)).collect();
        wrong.extend(running.into_iter().flat_map(|thread| thread.join().expect("`said` does not panic")));
    });
    wrong.sort_unstable();
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} pairs of {} are wrong\n\n{}", folder.display(), wrong.join("\n\n"));
}

/// The names of a folder's files with this ending, without the ending.
fn names(folder: &Path, end: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files = entries.map(|entry| entry.expect("a folder can be read").file_name());
    let names = files.filter_map(|file| Some(file.to_str()?.strip_suffix(end)?.strip_suffix('.')?.to_owned()));
    names.collect()
}

/// Compares the message about one mistake with the expected one.
fn pair(folder: &Path, name: &str, said: impl Fn(&str) -> Said) -> Result<(), String> {
    let path = folder.join(format!("{name}.err"));
    let mistake = fs::read_to_string(folder.join(format!("{name}.yaml")));
    let mistake = mistake.map_err(|error| format!("{name}.yaml: {error}"))?;
    let said = said(&mistake).map_err(|why| format!("{name}.yaml: {why}"))?;
    let said = without_trailing_blanks(&said);
    if said.is_empty() {
        return Err(format!("{name}.yaml: it is refused without a message"));
    }
    if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        return fs::write(&path, said).map_err(|error| format!("{name}.err: {error}"));
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    match expected.trim() {
        "" => Err(format!("{name}.err is missing or empty; BLESS=1 writes the message:\n{said}")),
        _ if expected == said => Ok(()),
        _ => Err(format!("{name}.err is\n{expected}\nbut the message is (BLESS=1 writes it):\n{said}")),
    }
}

fn without_trailing_blanks(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A text with its paths shown below a folder.
pub fn below(folder: &Path, text: impl ToString) -> String {
    text.to_string().replace(&format!("{}/", folder.display()), "")
}

/// A mistake made by changing one file of a catalog.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The file, below the folder of catalogs.
    pub file: String,
    /// The text to replace at its first place; if absent, the whole file.
    from: Option<String>,
    to: Pieces,
    /// True if the file is not UTF-8.
    #[serde(default)]
    latin_1: bool,
}

/// A text, or a list of texts of which some repeat: `["(uintptr_t)", {"(": 5000}]`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Pieces {
    Text(String),
    List(Vec<Piece>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    Times(BTreeMap<String, usize>),
}

impl Change {
    /// Reads the change that the text of a pair describes.
    pub fn read(text: &str) -> Result<Change, String> {
        serde_yaml::from_str(text).map_err(|error| format!("a change has `file`, `from` and `to`: {error}"))
    }

    /// Makes the change in a folder of catalogs.
    pub fn make(&self, specs: &Path) -> Result<(), String> {
        let (path, to) = (specs.join(&self.file), self.to.text());
        let text = match &self.from {
            None => to,
            Some(from) => {
                let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", self.file))?;
                let found = text.contains(from).then(|| text.replacen(from, &to, 1));
                found.ok_or_else(|| format!("{} does not hold {from:?}", self.file))?
            }
        };
        let bytes = match self.latin_1 {
            true => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
            false => text.into_bytes(),
        };
        let parent = path.parent().ok_or_else(|| format!("{} lies in no folder", self.file))?;
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", self.file))?;
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", self.file))
    }
}

impl Pieces {
    fn text(&self) -> String {
        match self {
            Pieces::Text(text) => text.clone(),
            Pieces::List(pieces) => pieces.iter().map(Piece::text).collect(),
        }
    }
}

impl Piece {
    fn text(&self) -> String {
        match self {
            Piece::Text(text) => text.clone(),
            Piece::Times(times) => times.iter().map(|(text, times)| text.repeat(*times)).collect(),
        }
    }
}
