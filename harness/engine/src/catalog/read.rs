//! Files → parsed YAML, hostile input included.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::diagnostic::{CatalogError, Diagnostic, Source};
use super::model::{ApiFile, ChapterFile, DocumentsFile, ProductsFile, RuleSource, SupportFile};
use super::parallel::in_parallel;

/// A file of the catalog is text that people write: more than this is a mistake.
const LARGEST_FILE: u64 = 8 << 20;

/// A parsed file with its text.
#[derive(Debug)]
pub(super) struct ParsedFile<T> {
    pub source: Arc<Source>,
    pub value: T,
}

/// Everything that stands under `specs/` for one runtime.
#[derive(Debug)]
pub(super) struct CatalogFiles {
    pub documents: ParsedFile<DocumentsFile>,
    pub products: ParsedFile<ProductsFile>,
    pub api: ParsedFile<ApiFile>,
    pub support: Option<ParsedFile<SupportFile>>,
    pub chapters: Vec<ParsedFile<ChapterFile>>,
    /// Mistakes that did not keep the rest from being read.
    pub diagnostics: Vec<Diagnostic>,
    /// SHA-256 over all files, lower-case hex.
    pub digest: String,
}

/// Reads the catalog of a runtime below `root`; with `only`, of the chapters just the one in that file.
pub(super) fn read_catalog(root: &Path, runtime: &str, only: Option<&str>) -> Result<CatalogFiles, CatalogError> {
    let folder = root.join(runtime);
    if !folder.join("api.yaml").exists() {
        let root = root.display();
        let message = format!(
            "{root} holds no catalog of {runtime} (no {runtime}/api.yaml); name the folder that does with --specs DIR"
        );
        return Err(CatalogError { diagnostics: vec![Diagnostic { source: None, line: 0, column: 0, message }] });
    }
    let mut reader = Reader { folder: folder.clone(), diagnostics: Vec::new(), digest: Sha256::new() };
    let documents = reader.file::<DocumentsFile>(&folder.join("documents.yaml"));
    let products = reader.file::<ProductsFile>(&folder.join("products.yaml"));
    let api = reader.file::<ApiFile>(&folder.join("api.yaml"));
    let support_path = folder.join("support.yaml");
    let support = if support_path.exists() { reader.file::<SupportFile>(&support_path) } else { None };
    let mut texts = Vec::new();
    for path in chapter_paths(&folder, &mut reader.diagnostics) {
        if only.is_some_and(|only| name_below(&folder, &path) != only) {
            continue;
        }
        texts.extend(reader.text(&path));
    }
    let mut chapters = Vec::new();
    for (chapter, diagnostics) in in_parallel(texts, chapter) {
        chapters.push(chapter);
        reader.diagnostics.extend(diagnostics);
    }
    // The order of rules and reports is that of the chapters' names, wherever their files are.
    chapters.sort_by(|a, b| a.value.chapter.value.cmp(&b.value.chapter.value));
    let Reader { diagnostics, digest, .. } = reader;
    match (documents, products, api) {
        (Some(documents), Some(products), Some(api)) => Ok(CatalogFiles {
            documents,
            products,
            api,
            support,
            chapters,
            diagnostics,
            digest: crate::digest::hex(&digest.finalize()),
        }),
        _ => Err(CatalogError { diagnostics }),
    }
}

/// Ids of the products of a runtime whose folder is below `root`; none where its file cannot be read, which reading the
/// whole catalog reports.
pub fn product_ids(root: &Path, runtime: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(runtime).join("products.yaml")).unwrap_or_default();
    let file = parse::<ProductsFile>(&text).ok();
    file.into_iter().flat_map(|file| file.products).map(|product| product.id.value).collect()
}

/// A file's path from the folder of its runtime on, the same on every machine.
pub fn name_below(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The files of chapters, in the folder of a runtime and all below it.
pub fn chapter_paths(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                let message = format!("{}: {error}; let the folder be read, or remove it", folder.display());
                diagnostics.push(Diagnostic { source: None, line: 0, column: 0, message });
                continue;
            }
        };
        for entry in entries.flatten() {
            // A link to a folder is not followed: it may lead round in a circle.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else {
                paths.push(entry.path());
            }
        }
    }
    paths.retain(|path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let other = matches!(stem, "api" | "documents" | "products" | "support") && path.parent() == Some(folder);
        path.extension().is_some_and(|extension| extension == "yaml") && !other
    });
    paths.sort();
    paths
}

struct Reader {
    /// The folder of the runtime.
    folder: PathBuf,
    diagnostics: Vec<Diagnostic>,
    digest: Sha256,
}

impl Reader {
    fn text(&mut self, path: &Path) -> Option<Arc<Source>> {
        let read = || -> Result<Vec<u8>, String> {
            let length = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
            if length > LARGEST_FILE {
                return Err(format!(
                    "{length} bytes are more than a catalog file may hold ({LARGEST_FILE}); split it into chapters"
                ));
            }
            std::fs::read(path).map_err(|error| error.to_string())
        };
        match read() {
            Ok(bytes) => {
                let text = match String::from_utf8(bytes) {
                    Ok(text) => text,
                    Err(error) => {
                        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
                        let column = good.chars().rev().take_while(|c| *c != '\n').count() + 1;
                        let line = good.matches('\n').count() + 1;
                        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                        self.diagnostics.push(Diagnostic {
                            source: Some(Arc::new(Source::new(path.to_owned(), text))),
                            line,
                            column,
                            message: "this is not UTF-8; save the file as UTF-8".to_owned(),
                        });
                        return None;
                    }
                };
                let name = name_below(&self.folder, path);
                self.digest.update((name.len() as u64).to_le_bytes());
                self.digest.update(name.as_bytes());
                self.digest.update((text.len() as u64).to_le_bytes());
                self.digest.update(text.as_bytes());
                Some(Arc::new(Source::new(path.to_owned(), text)))
            }
            Err(message) => {
                self.diagnostics.push(Diagnostic {
                    source: None,
                    line: 0,
                    column: 0,
                    message: format!("{}: {message}", path.display()),
                });
                None
            }
        }
    }

    fn file<T: for<'de> Deserialize<'de>>(&mut self, path: &Path) -> Option<ParsedFile<T>> {
        let source = self.text(path)?;
        match parse::<T>(&source.text) {
            Ok(value) => Some(ParsedFile { source, value }),
            Err(error) => {
                self.diagnostics.push(diagnostic(&source, &error));
                None
            }
        }
    }
}

/// A chapter in which one rule is malformed still yields its other rules, so that all mistakes are reported together.
fn chapter(source: Arc<Source>) -> (ParsedFile<ChapterFile>, Vec<Diagnostic>) {
    let error = match parse::<ChapterFile>(&source.text) {
        Ok(value) => return (ParsedFile { source, value }, Vec::new()),
        Err(error) => error,
    };
    let mut rules = Vec::new();
    let mut own = Vec::new();
    for (line, item) in rule_items(&source.text) {
        let placed = format!("{}{item}", "\n".repeat(line));
        match parse::<Vec<serde_yaml::Spanned<RuleSource>>>(&placed) {
            Ok(mut parsed) => rules.append(&mut parsed),
            Err(error) => own.push(diagnostic(&source, &error)),
        }
    }
    if own.is_empty() {
        own.push(diagnostic(&source, &error));
    }
    let nowhere = serde_yaml::Location::UNKNOWN;
    let chapter = serde_yaml::Spanned::new(String::new(), nowhere, nowhere);
    let value = ChapterFile { chapter, title: String::new(), rules };
    (ParsedFile { source, value }, own)
}

/// The items of the rule list with the number of lines before each.
fn rule_items(text: &str) -> Vec<(usize, String)> {
    let mut items: Vec<(usize, String)> = Vec::new();
    let mut indentation = None;
    for (number, line) in text.lines().enumerate() {
        let spaces = line.len() - line.trim_start().len();
        let starts = line.trim_start().starts_with("- id:") && *indentation.get_or_insert(spaces) == spaces;
        if starts {
            items.push((number, String::new()));
        }
        if let Some((_, item)) = items.last_mut() {
            item.push_str(line);
            item.push('\n');
        }
    }
    items
}

fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, serde_yaml::Error> {
    let options = serde_yaml::options! {
        strict_booleans: true,
        merge_keys: serde_yaml::MergeKeyPolicy::Error,
        with_snippet: false,
        budget: serde_yaml::budget! {
            max_nodes: 2_000_000,
            max_events: 4_000_000,
            max_total_scalar_bytes: 64 << 20,
            max_depth: 64,
        },
    };
    serde_yaml::from_str_with_options(text, options)
}

fn diagnostic(source: &Arc<Source>, error: &serde_yaml::Error) -> Diagnostic {
    let (line, column) =
        error.location().map_or((0, 0), |location| source.inside(location.line() as usize, location.column() as usize));
    let message = error.to_string();
    let message = message.lines().next().unwrap_or("not valid YAML").to_owned();
    // The place is printed from the diagnostic itself.
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    let message = message.trim_start_matches("error: ");
    // What the reader of YAML advises is meant for programmers.
    let message = match message {
        "unexpected end of input" if source.text.trim().is_empty() => "the file is empty".to_owned(),
        _ if message.starts_with("multiple YAML documents") => {
            "a second YAML document begins here; a file holds one".to_owned()
        }
        _ => message.split(", set DuplicateKeyPolicy").next().unwrap_or(message).to_owned(),
    };
    let hint = misspelt(&message);
    Diagnostic { source: Some(source.clone()), line, column, message: format!("{message}{hint}") }
}

/// "unknown field `foo`, expected one of a, b" → a suggestion.
fn misspelt(message: &str) -> String {
    let Some((_, rest)) = message.split_once("unknown field `") else { return String::new() };
    let Some((name, expected)) = rest.split_once('`') else { return String::new() };
    let known = expected.rsplit("expected ").next().unwrap_or_default().trim_start_matches("one of ");
    steps::suggest::hint(name, known.split(", "))
}
