//! The sentences of clauses in the documents' own words, found by digest in a folder with the documents.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::clauses::Clause;
use super::comments::{commented, english};
use super::files;
use super::sentence::{SENTENCE, Sentence, sentences};

/// The maximum size of a document, in bytes.
const LARGEST: u64 = 16 << 20;
/// The endings of documents' names.
const ENDINGS: [&str; 3] = ["md", "txt", "h"];

/// The sentences in a folder of documents.
#[derive(Debug, Default)]
pub struct Originals(HashMap<String, Original>);

/// A sentence and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The document's path below the folder.
    pub file: String,
    pub sentence: Sentence,
}

/// A document of a folder, as sentences.
#[derive(Debug, Clone)]
pub struct DocumentText {
    /// The document's path below the folder.
    pub path: String,
    /// The sentences in their order.
    pub sentences: Vec<Sentence>,
}

/// Reads the documents in a folder and the folders below it, in the order of their paths: the files whose names end
/// with `.md`, `.txt` or `.h`.
///
/// # Errors
/// Fails if a folder or a document cannot be read.
pub fn read_documents(folder: &Path) -> Result<Vec<DocumentText>, OriginalsError> {
    let mut paths = Vec::new();
    documents_below(folder, &mut paths).map_err(|source| OriginalsError { path: folder.to_owned(), source })?;
    let read = |path: PathBuf| {
        let bytes = files::read(&path, LARGEST).map_err(|source| OriginalsError { path: path.clone(), source })?;
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let sentences = sentences_of(&path, &String::from_utf8_lossy(&bytes));
        Ok(DocumentText { path: name, sentences })
    };
    paths.into_iter().map(read).collect()
}

/// The sentences in a document: those between the marks of a page, and the English ones that run over several lines of a
/// header's comments or share a line.
fn sentences_of(path: &Path, text: &str) -> Vec<Sentence> {
    let mut found = sentences(text);
    let known: HashSet<String> = found.iter().map(|sentence| sentence.digest.clone()).collect();
    let header = path.extension().is_some_and(|ending| ending == "h");
    let more = if header { commented(text) } else { english(text) };
    found.extend(more.into_iter().filter(|sentence| !known.contains(&sentence.digest)));
    found.sort_by_key(|sentence| sentence.line);
    found
}

/// A document that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {source}; give --documents a folder with the documents as .md, .txt or .h files")]
pub struct OriginalsError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl Originals {
    /// Reads the documents in a folder, as [`read_documents`] does.
    ///
    /// # Errors
    /// Fails if a folder or a document cannot be read.
    pub fn read(folder: &Path) -> Result<Originals, OriginalsError> {
        let mut found = HashMap::new();
        for DocumentText { path, sentences } in read_documents(folder)? {
            for sentence in sentences {
                let original = |sentence| Original { file: path.clone(), sentence };
                found.entry(sentence.digest[..SENTENCE].to_owned()).or_insert_with(|| original(sentence));
            }
        }
        Ok(Originals(found))
    }

    /// The sentence that a clause paraphrases; `None` if no document contains it.
    pub fn of(&self, clause: &Clause) -> Option<&Original> {
        self.with_digest(&clause.sentence)
    }

    /// The sentence with these first digits of its digest; `None` if no document contains it.
    pub fn with_digest(&self, digits: &str) -> Option<&Original> {
        self.0.get(digits)
    }
}

impl fmt::Display for Original {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\u{201c}{}\u{201d} ({}:{})", self.sentence.written, self.file, self.sentence.line)
    }
}

fn documents_below(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            documents_below(&path, found)?;
        } else if path.extension().is_some_and(|known| ENDINGS.iter().any(|ending| known == *ending)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(())
}
