//! Offsets in a text → lines and columns of the file.

use serde_yaml::Spanned;

use super::diagnostic::Source;

/// Line and column, both counted from 0, columns in characters.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count());
    (line, column)
}

/// Where the text of a scalar starts: its first line, counted from 1, and the columns before it.
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
