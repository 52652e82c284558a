//! Reading the files of a catalog.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::chapters::{self, RULES};
use super::diagnostic::{CatalogError, Diagnostic, Source, line_and_column};
use super::inventory::{Inventory, read_inventory};
use super::model::{
    ApiFile, AxiomsFile, ChapterFile, ClausesFile, DocumentsFile, ProductsFile, PythonFile, ReadingsFile, SubjectsFile,
    SupportFile,
};
use super::parallel::in_parallel;
use super::parse::{ParsedFile, chapter, parse, parsed};
use super::product_names::ProductNames;
use super::specs::{LARGEST_FILE, Specs};

/// A runtime's files under `specs/`.
#[derive(Debug)]
pub(super) struct CatalogFiles {
    pub documents: ParsedFile<DocumentsFile>,
    pub products: ParsedFile<ProductsFile>,
    pub api: ParsedFile<ApiFile>,
    pub support: Option<ParsedFile<SupportFile>>,
    pub subjects: Option<ParsedFile<SubjectsFile>>,
    pub clauses: Vec<ParsedFile<ClausesFile>>,
    /// Sentences that only coverage counts; `None` if the catalog contains no inventory.
    pub inventory: Option<Inventory>,
    pub axioms: Option<ParsedFile<AxiomsFile>>,
    pub python: Option<ParsedFile<PythonFile>>,
    pub chapters: Vec<ParsedFile<ChapterFile>>,
    /// The mistakes that did not prevent the other files from being read.
    pub diagnostics: Vec<Diagnostic>,
    /// SHA-256 over all files, lower-case hex.
    pub digest: String,
}

/// Reads a runtime's catalog.
pub(super) fn read_catalog(specs: &Specs, runtime: &str) -> Result<CatalogFiles, CatalogError> {
    let folder = specs.root().join(runtime);
    if !specs.exists(&folder.join("api.yaml")) {
        let root = specs.root().display();
        let message = format!(
            "{root} contains no catalog for {runtime} (no {runtime}/api.yaml); name another folder with --specs DIR"
        );
        return Err(CatalogError { diagnostics: vec![Diagnostic::nowhere(message)] });
    }
    let mut reader = Reader { specs, folder: folder.clone(), diagnostics: Vec::new(), digest: Sha256::new() };
    let documents = reader.file::<DocumentsFile>(&folder.join("documents.yaml"));
    let products = reader.file::<ProductsFile>(&folder.join("products.yaml"));
    let api = reader.file::<ApiFile>(&folder.join("api.yaml"));
    let support = reader.optional(&folder.join("support.yaml"));
    let subjects = reader.optional(&folder.join("subjects.yaml"));
    let paths = yaml_paths(specs, runtime, &mut reader.diagnostics);
    let clauses = reader.all::<ClausesFile>(&paths, CLAUSES);
    let axioms = reader.optional(&folder.join("axioms.yaml"));
    let python = reader.optional(&folder.join("python.yaml"));
    let (inventory, mistakes) = read_inventory(specs, runtime);
    reader.diagnostics.extend(mistakes);
    reader.diagnostics.extend(strangers(&folder, &paths));
    let mut texts = Vec::new();
    for path in paths.into_iter().filter(|path| is_chapter(&folder, path)) {
        texts.extend(reader.text(&path));
    }
    let (mut chapters, diagnostics): (Vec<_>, Vec<_>) = in_parallel(texts, chapter).into_iter().unzip();
    reader.diagnostics.extend(diagnostics.into_iter().flatten());
    // Rules and reports are in the order of the chapters' names.
    chapters.sort_by_key(|file| chapters::name(&folder, &file.source.path));
    let Reader { diagnostics, digest, .. } = reader;
    match (documents, products, api) {
        (Some(documents), Some(products), Some(api)) => Ok(CatalogFiles {
            documents,
            products,
            api,
            support,
            subjects,
            clauses,
            inventory,
            axioms,

            python,
            chapters,
            diagnostics,
            digest: crate::digest::hex(&digest.finalize()),
        }),
        _ => Err(CatalogError { diagnostics }),
    }
}

/// Reads a runtime's readings, and returns their mistakes. Readings are read separately because runs do not need them.
pub(super) fn read_readings(specs: &Specs, runtime: &str) -> (Vec<ParsedFile<ReadingsFile>>, Vec<Diagnostic>) {
    let folder = specs.root().join(runtime);
    let mut reader = Reader { specs, folder, diagnostics: Vec::new(), digest: Sha256::new() };
    let paths = yaml_paths(specs, runtime, &mut reader.diagnostics);
    let files = reader.all::<ReadingsFile>(&paths, READINGS);
    (files, reader.diagnostics)
}

/// The names of a runtime's products. There are none if the file cannot be read; the error is reported when the whole
/// catalog is read.
pub fn product_names(specs: &Specs, runtime: &str) -> ProductNames {
    let bytes = specs.read(&specs.root().join(runtime).join("products.yaml"), LARGEST_FILE).unwrap_or_default();
    let file = parse::<ProductsFile>(&String::from_utf8_lossy(&bytes)).ok();
    file.map(|file| ProductNames::of(&file)).unwrap_or_default()
}

/// A file's path relative to its runtime's folder, the same on every machine.
pub fn name_below(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The names of the files directly in a runtime's folder.
const FILES: [&str; 7] = ["api", "axioms", "documents", "products", "python", "subjects", "support"];
/// The folder of clauses in a runtime's folder.
const CLAUSES: &str = "clauses";
/// The folder of readings in a runtime's folder.
const READINGS: &str = "readings";

/// The YAML files in a runtime's folder and below it.
fn yaml_paths(specs: &Specs, runtime: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let (mut paths, unreadable) = specs.files(runtime);
    diagnostics.extend(unreadable.into_iter().map(|(folder, error)| {
        Diagnostic::nowhere(format!("{}: {error}; make the folder readable, or remove it", folder.display()))
    }));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths
}

/// True if a YAML file in a runtime's folder is a chapter.
fn is_chapter(folder: &Path, path: &Path) -> bool {
    path.starts_with(folder.join(RULES))
}

/// Reports YAML files in unexpected places, whose rules would never run.
fn strangers<'a>(folder: &'a Path, paths: &'a [PathBuf]) -> impl Iterator<Item = Diagnostic> + 'a {
    let known = |path: &Path| {
        let file = FILES.iter().any(|name| path == folder.join(name).with_extension("yaml"));
        file || [RULES, CLAUSES, READINGS].iter().any(|below| path.starts_with(folder.join(below)))
    };
    paths.iter().filter(move |path| !known(path)).map(|path| {
        Diagnostic::nowhere(format!(
            "{}: not a catalog file; rules belong below {}: move or remove this one",
            path.display(),
            folder.join(RULES).display()
        ))
    })
}

/// The chapter files in a runtime's folder.
pub fn chapter_paths(specs: &Specs, runtime: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let folder = specs.root().join(runtime);
    let paths = yaml_paths(specs, runtime, diagnostics);
    paths.into_iter().filter(|path| is_chapter(&folder, path)).collect()
}

struct Reader<'a> {
    specs: &'a Specs,
    /// The runtime's folder.
    folder: PathBuf,
    diagnostics: Vec<Diagnostic>,
    digest: Sha256,
}

impl Reader<'_> {
    fn text(&mut self, path: &Path) -> Option<Arc<Source>> {
        let text = match self.specs.read(path, LARGEST_FILE).map(String::from_utf8) {
            Ok(Ok(text)) => text,
            Ok(Err(error)) => {
                let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let (line, column) = line_and_column(&good, good.len());
                self.diagnostics.push(Diagnostic {
                    source: Some(Arc::new(Source::new(path.to_owned(), text))),
                    line: line + 1,
                    column: column + 1,
                    message: "this is not UTF-8; save the file as UTF-8".to_owned(),
                });
                return None;
            }
            Err(error) => {
                let message = format!(
                    "{}: {error}; a catalog consists of readable files of at most 8 MiB: fix, split or remove this one",
                    path.display()
                );
                self.diagnostics.push(Diagnostic::nowhere(message));
                return None;
            }
        };
        let folder = if path.starts_with(&self.folder) { &self.folder } else { self.specs.root() };
        for part in [&name_below(folder, path), &text] {
            self.digest.update((part.len() as u64).to_le_bytes());
            self.digest.update(part.as_bytes());
        }
        Some(Arc::new(Source::new(path.to_owned(), text)))
    }

    fn optional<T: for<'de> Deserialize<'de>>(&mut self, path: &Path) -> Option<ParsedFile<T>> {
        self.specs.exists(path).then(|| self.file(path)).flatten()
    }

    fn file<T: for<'de> Deserialize<'de>>(&mut self, path: &Path) -> Option<ParsedFile<T>> {
        let source = self.text(path)?;
        parsed(source).map_err(|error| self.diagnostics.push(error)).ok()
    }

    /// Reads all files in a subfolder of the runtime's folder, in parallel.
    fn all<T: for<'de> Deserialize<'de> + Send>(&mut self, paths: &[PathBuf], below: &str) -> Vec<ParsedFile<T>> {
        let below = self.folder.join(below);
        let texts: Vec<_> =
            paths.iter().filter(|path| path.starts_with(&below)).filter_map(|path| self.text(path)).collect();
        let all = in_parallel(texts, parsed::<T>);
        all.into_iter().filter_map(|file| file.map_err(|error| self.diagnostics.push(error)).ok()).collect()
    }
}
