//! Mistakes in the catalog, with their places.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde_yaml::Spanned;
use steps::{Span, count};

use crate::specs::short;

/// A catalog file.
#[derive(Debug)]
pub struct Source {
    /// The path as printed.
    pub path: PathBuf,
    /// The file's text.
    pub text: String,
    /// The offsets at which lines start, computed on first use.
    starts: OnceLock<Vec<usize>>,
}

impl Source {
    pub fn new(path: PathBuf, text: String) -> Source {
        Source { path, text, starts: OnceLock::new() }
    }

    /// True if the file or one of the three folders above it is a link. The link may lead to any file that
    /// this user can read, and the link's author may see the messages that quote that file.
    pub(crate) fn is_elsewhere(&self) -> bool {
        const LEVELS: usize = 4;
        self.path.ancestors().take(LEVELS).any(std::path::Path::is_symlink)
    }

    /// `file:line:column` of a place, the same on every machine.
    pub(crate) fn place(&self, line: usize, column: usize) -> String {
        format!("{}:{line}:{column}", short(&self.path))
    }

    /// A line without its terminator, by its number from 1.
    pub fn line(&self, number: usize) -> Option<&str> {
        let start = *self.starts().get(number.checked_sub(1)?)?;
        self.text.get(start..)?.split(['\n', '\r']).next()
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            // A carriage return ends a line, as in YAML.
            let bytes = self.text.as_bytes();
            let ends = |at: &usize| match bytes[*at] {
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                byte => byte == b'\n',
            };
            std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect()
        })
    }

    /// The nearest place that exists in the file: the given place, the end of its line, or the end of the file. The
    /// given place may not exist, because folded text has different lines and a carriage return does not always end a
    /// line.
    pub(super) fn inside(&self, line: usize, column: usize) -> (usize, usize) {
        let last = (1..=line).rev().find_map(|number| Some((number, self.line(number)?)));
        let Some((number, text)) = last else { return (0, 0) };
        let end = text.chars().count() + 1;
        (number, if number == line { column.min(end) } else { end })
    }
}

/// A mistake in the catalog.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// The file; `None` if it could not be read.
    pub source: Option<Arc<Source>>,
    /// Counted from 1; 0 if the mistake has no line.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The problem, and what to do next.
    pub message: String,
}

impl Diagnostic {
    /// A mistake that has no place in a file.
    pub(super) fn nowhere(message: String) -> Diagnostic {
        Diagnostic { source: None, line: 0, column: 0, message }
    }

    /// A mistake at a value in a file.
    pub fn at<T>(source: &Arc<Source>, place: &Spanned<T>, message: impl Into<String>) -> Diagnostic {
        let (line, column) = source.inside(place.referenced.line() as usize, place.referenced.column() as usize);
        Diagnostic { source: Some(source.clone()), line, column, message: message.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        let Some(source) = &self.source else { return Ok(()) };
        if self.line == 0 {
            return writeln!(f, "  --> {}", source.path.display());
        }
        writeln!(f, "  --> {}:{}:{}", source.path.display(), self.line, self.column)?;
        if let Some(line) = source.line(self.line).filter(|_| !source.is_elsewhere()) {
            let shown: String = line.chars().take(160).collect();
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            writeln!(f, "{margin} |")?;
            writeln!(f, "{number} | {shown}")?;
            writeln!(f, "{margin} | {}^", " ".repeat(self.column.saturating_sub(1).min(160)))?;
        }
        Ok(())
    }
}

/// The mistakes in a catalog that cannot be used.
#[derive(Debug)]
pub struct CatalogError {
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(f, "{diagnostic}")?;
        }
        write!(f, "{} in the catalog; nothing was run", count(self.diagnostics.len(), "mistake"))
    }
}

impl std::error::Error for CatalogError {}

/// The mistakes in a catalog, collected while it is checked.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(Vec<Diagnostic>);

impl Mistakes {
    /// Adds a mistake at a value in a file.
    pub(crate) fn at<T>(&mut self, source: &Arc<Source>, place: &Spanned<T>, message: impl Into<String>) {
        self.0.push(Diagnostic::at(source, place, message));
    }

    /// Adds a mistake at a place inside the text of a scalar.
    pub(crate) fn inside(&mut self, source: &Arc<Source>, scalar: &Spanned<String>, span: Span, message: String) {
        let (first_line, indentation) = text_start(source, scalar);
        let (line, column) = line_and_column(&scalar.value, span.start);
        let indentation = if line == 0 || source.line(first_line).is_some() { indentation } else { 0 };
        let (line, column) = source.inside(first_line + line, indentation + column + 1);
        self.0.push(Diagnostic { source: Some(source.clone()), line, column, message });
    }

    /// Adds a mistake that concerns a whole file.
    pub(crate) fn of_file(&mut self, source: &Arc<Source>, message: String) {
        self.0.push(Diagnostic { source: Some(source.clone()), line: 0, column: 0, message });
    }

    /// Adds mistakes that were found elsewhere.
    pub(crate) fn extend(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        self.0.extend(found);
    }

    /// The catalog, or its mistakes in the order in which they should be fixed.
    pub(crate) fn result<T>(mut self, checked: Option<T>) -> Result<T, CatalogError> {
        match checked {
            Some(checked) if self.0.is_empty() => Ok(checked),
            _ => {
                let place = |known: &Diagnostic| {
                    (known.source.as_ref().map(|source| source.path.clone()), known.line, known.column)
                };
                self.0.sort_by_key(place);
                Err(CatalogError { diagnostics: self.0 })
            }
        }
    }
}

impl IntoIterator for Mistakes {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The line and column of an offset, both counted from 0. Columns are counted in characters.
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count());
    (line, column)
}

/// The start of a scalar's text: its first line, counted from 1, and the number of columns before the text.
pub(super) fn text_start(source: &Source, scalar: &Spanned<String>) -> (usize, usize) {
    let line = (scalar.referenced.line() as usize).max(1);
    let column = (scalar.referenced.column() as usize).max(1);
    let Some(first) = source.line(line) else { return (line, column - 1) };
    let here: String = first.chars().skip(column - 1).collect();
    let block = here.trim_start().starts_with(['|', '>']);
    if !block && !first.trim_end().ends_with(['|', '>']) {
        let quoted = here.starts_with(['"', '\'']);
        return (line, column - 1 + usize::from(quoted));
    }
    let rest = (line + 1..).map_while(|number| source.line(number)).find(|line| !line.trim().is_empty());
    let indentation = rest.map_or(0, |line| line.len() - line.trim_start().len());
    (line + 1, indentation)
}
