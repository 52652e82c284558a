//! The inventory: duties, advice and facts on which no check rests. They count only toward coverage, and executables do
//! not contain them.

use std::path::Path;

use super::diagnostic::Diagnostic;
use super::ids::is_clause_id;
use super::model::Modality;
use super::sentence::{SENTENCE, names_a_sentence};
use super::specs::{LARGEST_FILE, Specs, short};

/// The file's name in a runtime's folder.
const FILE: &str = "inventory.tsv";
/// The file's columns, as named in its first line.
const COLUMNS: [&str; 7] = ["chapter", "document", "section", "modality", "id", "sentence", "says"];

/// `specs/<runtime>/inventory.tsv`: one sentence per line.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    pub lines: Vec<InventoryLine>,
}

/// A sentence of the inventory.
#[derive(Debug)]
pub(super) struct InventoryLine {
    pub chapter: String,
    pub document: String,
    pub section: String,
    pub modality: Modality,
    pub id: String,
    /// The first digits of the sentence's SHA-256.
    pub sentence: String,
    /// A paraphrase of the sentence.
    pub digest: String,
    /// The sentence's place, as `file:line`.
    pub place: String,
}

/// Reads a runtime's inventory, if it has one, and returns the mistakes in it.
pub(super) fn read_inventory(specs: &Specs, runtime: &str) -> (Option<Inventory>, Vec<Diagnostic>) {
    let path = specs.root().join(runtime).join(FILE);
    if !specs.exists(&path) {
        // Without this file, all sentences are in clauses/. An executable never contains it.
        let folder = matches!(specs, Specs::Folder(_));
        return (folder.then(Inventory::default), Vec::new());
    }
    let bytes = match specs.read(&path, LARGEST_FILE) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("{}: {error}; make the file readable, or restore it", path.display());
            return (None, vec![Diagnostic::nowhere(message)]);
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let (mut inventory, mut mistakes) = (Inventory::default(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        match (number, parse(&path, number, line)) {
            (0, _) if line == COLUMNS.join("\t") => {}
            (0, _) => mistakes.push(mistake(
                &path,
                0,
                &format!("the first line must name the columns: {}", COLUMNS.join(", ")),
            )),
            (_, Ok(line)) => inventory.lines.push(line),
            (_, Err(reason)) => mistakes.push(mistake(&path, number, &reason)),
        }
    }
    (Some(inventory), mistakes)
}

fn mistake(path: &Path, number: usize, reason: &str) -> Diagnostic {
    Diagnostic::nowhere(format!("{}:{}: {reason}", short(path), number + 1))
}

fn parse(path: &Path, number: usize, line: &str) -> Result<InventoryLine, String> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [chapter, document, section, modality, id, sentence, says] = cells[..] else {
        return Err(format!("each line has {} columns separated by tabs: {}", COLUMNS.len(), COLUMNS.join(", ")));
    };
    let modality = [Modality::Reserved, Modality::Duty, Modality::Advice, Modality::Fact]
        .into_iter()
        .find(|known| known.name() == modality)
        .ok_or_else(|| {
            format!(
                "sentences with modality `{modality}` are judged or observed: move this one to clauses/{chapter}.yaml"
            )
        })?;
    if !is_clause_id(id) {
        return Err(format!("`{id}` cannot be the id of a clause; write `<area>.<name>`"));
    }
    if !names_a_sentence(sentence) {
        return Err(format!("`{sentence}` is not the first {SENTENCE} digits of the SHA-256 of a sentence"));
    }
    Ok(InventoryLine {
        chapter: chapter.to_owned(),
        document: document.to_owned(),
        section: section.to_owned(),
        modality,
        id: id.to_owned(),
        sentence: sentence.to_owned(),
        digest: says.to_owned(),
        place: format!("{}:{}", short(path), number + 1),
    })
}
