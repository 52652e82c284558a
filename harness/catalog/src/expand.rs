//! Replacement of the names in a template by a runtime's texts.

use std::cell::Cell;
use std::collections::BTreeMap;

use steps::suggest::hint;

/// The maximum length of an expanded line in bytes. Without a limit, nested names would grow exponentially.
const LONGEST: usize = 4096;

/// A runtime's text for a name.
#[derive(Debug)]
struct Entry {
    /// `None`: the name is written without parentheses.
    parameters: Option<Vec<String>>,
    text: String,
    /// True if a template contains the name.
    used: Cell<bool>,
}

/// A runtime's texts for the names in templates.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, Entry>);

impl Names {
    /// Adds a name, or a name with parameters.
    ///
    /// # Errors
    /// Fails if the name is malformed or the text has several lines.
    pub(crate) fn add(&mut self, heading: &str, text: &str) -> Result<(), String> {
        let malformed = || format!("`{heading}` is not a name; write `name` or `name(parameter, parameter)`");
        let (name, parameters) = match heading.split_once('(') {
            None => (heading, None),
            Some((name, rest)) => {
                let parameters = rest.strip_suffix(')').ok_or_else(malformed)?.split(',');
                (name, Some(parameters.map(|parameter| parameter.trim().to_owned()).collect::<Vec<_>>()))
            }
        };
        if ![name].into_iter().chain(parameters.iter().flatten().map(String::as_str)).all(is_name) {
            return Err(malformed());
        }
        let text = text.trim_end();
        if text.contains('\n') {
            return Err(format!("`{name}` has several lines; write one, or a word or set-up of api.yaml"));
        }
        let entry = Entry { parameters, text: text.to_owned(), used: Cell::new(false) };
        match self.0.insert(name.to_owned(), entry) {
            Some(_) => Err(format!("`{name}` is defined twice; remove one")),
            None => Ok(()),
        }
    }

    /// True if a line that was expanded contains the name in this heading.
    pub(crate) fn is_used(&self, heading: &str) -> bool {
        let name = heading.split('(').next().unwrap_or(heading);
        self.0.get(name).is_some_and(|entry| entry.used.get())
    }
}

/// A line of a template, expanded.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    pieces: Vec<Piece>,
}

/// A replaced part of a line. Columns are counted from 0, in characters.
#[derive(Debug)]
struct Piece {
    /// The columns of the name as written.
    written: (usize, usize),
    /// The columns of its text in the expanded line.
    expanded: (usize, usize),
}

impl Line {
    /// The column in the template's line, for a column in the expanded line. Both are counted from 1.
    pub(crate) fn written(&self, column: usize) -> usize {
        let column = column.saturating_sub(1);
        let mut moved = (0, 0);
        for piece in &self.pieces {
            if column < piece.expanded.0 {
                break;
            }
            if column < piece.expanded.1 {
                return piece.written.0 + 1;
            }
            moved = (piece.written.1, piece.expanded.1);
        }
        moved.0 + (column - moved.1) + 1
    }
}

/// A mistake in a line of a template.
#[derive(Debug)]
pub(crate) struct Mistake {
    /// Counted from 1.
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// Replaces the names in a line; the first table that has a name decides.
pub(crate) fn expand(line: &str, tables: &[&Names]) -> Result<Line, Mistake> {
    let mut expanded = Line::default();
    if line.len() > LONGEST && line.contains('$') {
        return Err(Mistake { column: 1, message: format!("the line has more than {LONGEST} bytes; break it") });
    }
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        let start = line.len() - rest.len() + at;
        expanded.text.push_str(&rest[..at]);
        let mistake = |message| Mistake { column: line[..start].chars().count() + 1, message };
        let Some((text, length)) = replaced(&line[start..], tables).map_err(mistake)? else {
            expanded.text.push('$');
            rest = &rest[at + 1..];
            continue;
        };
        let column = |text: &str| text.chars().count();
        let (written, before) = (column(&line[..start]), column(&expanded.text));
        expanded.text.push_str(&text);
        if expanded.text.len() > LONGEST {
            return Err(mistake(format!("this expands to more than {LONGEST} bytes; nest fewer names")));
        }
        expanded.pieces.push(Piece {
            written: (written, written + column(&line[start..start + length])),
            expanded: (before, column(&expanded.text)),
        });
        rest = &rest[at + length..];
    }
    expanded.text.push_str(rest);
    Ok(expanded)
}

/// The text for the name at the start of a text, and the length of what it replaces. `None` if `$` is a character like
/// others there.
fn replaced(text: &str, tables: &[&Names]) -> Result<Option<(String, usize)>, String> {
    let (name, mut length) = match text.strip_prefix("${") {
        Some(inside) => match inside.split_once('}') {
            Some((name, _)) => (name, name.len() + 3),
            None => return Err("`${` has no `}`; close it".to_owned()),
        },
        None => {
            let end = text[1..].find(|char: char| !is_part(char)).map_or(text.len(), |end| end + 1);
            (&text[1..end], end)
        }
    };
    if !is_name(name) {
        return Ok(None);
    }
    let Some(entry) = tables.iter().find_map(|names| names.0.get(name)) else {
        let known = tables.iter().flat_map(|names| names.0.keys().map(String::as_str));
        let hint = hint(name, known);
        return Err(format!("names.yaml has no text for `${name}`; add it there, or under `with`{hint}"));
    };
    entry.used.set(true);
    let Some(parameters) = &entry.parameters else { return Ok(Some((entry.text.clone(), length))) };
    let form = || format!("write `${name}({})`", parameters.join(", "));
    let (arguments, closed) = text[length..].strip_prefix('(').and_then(arguments).ok_or_else(form)?;
    if arguments.len() != parameters.len() {
        return Err(form());
    }
    length += closed + 1;
    let mut texts = Vec::new();
    for argument in arguments {
        let line = expand(argument, tables).map_err(|mistake| mistake.message)?;
        texts.push(line.text);
    }
    let (mut filled, mut copied) = (String::new(), 0);
    for word in words(&entry.text) {
        let Some(position) = parameters.iter().position(|parameter| *parameter == word.text) else { continue };
        filled.push_str(&entry.text[copied..word.start]);
        filled.push_str(&texts[position]);
        copied = word.start + word.text.len();
        if filled.len() > LONGEST {
            break;
        }
    }
    filled.push_str(&entry.text[copied..]);
    Ok(Some((filled, length)))
}

/// The arguments up to the parenthesis that closes them, and the length of the text including it.
fn arguments(text: &str) -> Option<(Vec<&str>, usize)> {
    let (mut depth, mut start, mut quoted, mut found) = (0_usize, 0, None, Vec::new());
    let mut before = ' ';
    for (at, char) in text.char_indices() {
        match (quoted, char) {
            (Some(mark), _) if char == mark && before != '\\' => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quoted = Some(char),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                found.push(text[start..at].trim());
                return Some((found, at + 1));
            }
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = char;
    }
    None
}

/// A word of a text.
struct Word<'a> {
    text: &'a str,
    start: usize,
}

/// The words of a text, without those that follow a dot: these are members.
fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let start = end + text[end..].find(|char: char| char.is_ascii_alphanumeric() || char == '_')?;
        let length = text[start..].find(|char: char| !(char.is_ascii_alphanumeric() || char == '_'));
        end = length.map_or(text.len(), |length| start + length);
        Some(Word { text: &text[start..end], start })
    })
    .filter(move |word| !text[..word.start].ends_with('.'))
}

/// True if a text can be a name: a lower-case letter, then letters, digits and `_`.
fn is_name(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_lowercase()) && text.chars().all(is_part)
}

fn is_part(char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_'
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        for (heading, text) in [
            ("pool", "toy_pool"),
            ("nothing", ""),
            ("unmap(at, size)", "toy_unmap(at, size, .at)"),
            ("swapped(first, second)", "f(second, first)"),
        ] {
            names.add(heading, text).expect("the name is valid");
        }
        names
    }

    #[rstest]
    #[case::a_name("$pool p;", "toy_pool p;")]
    #[case::in_braces("${pool}_t p;", "toy_pool_t p;")]
    #[case::an_empty_text("a$nothing b", "a b")]
    #[case::parameters("$unmap(p + 1, f(a, b));", "toy_unmap(p + 1, f(a, b), .at);")]
    #[case::another_order("$swapped(1, \"a, )\");", "f(\"a, )\", 1);")]
    #[case::an_argument_with_a_name("$swapped($pool, 2)", "f(2, toy_pool)")]
    #[case::not_a_name("costs $5 or $ or $X", "costs $5 or $ or $X")]
    fn names_are_replaced(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(expand(line, &[&names()]).expect("the line has no mistake").text, expected);
    }

    #[rstest]
    #[case::unknown("a $pol b", 3, "did you mean `pool`")]
    #[case::without_arguments("$unmap;", 1, "write `$unmap(at, size)`")]
    #[case::too_few("$unmap(at);", 1, "write `$unmap(at, size)`")]
    #[case::not_closed("$unmap(at, size;", 1, "write `$unmap(at, size)`")]
    #[case::braces_not_closed("${pool", 1, "has no `}`")]
    fn a_mistake_has_a_column(#[case] line: &str, #[case] column: usize, #[case] message: &str) {
        let mistake = expand(line, &[&names()]).expect_err("the line has a mistake");
        assert_eq!(mistake.column, column, "{}", mistake.message);
        assert!(mistake.message.contains(message), "{}", mistake.message);
    }

    #[test]
    fn columns_are_those_of_the_template() {
        let line = expand("a $pool b $swapped(x, y) c", &[&names()]).expect("the line has no mistake");
        assert_eq!(line.text, "a toy_pool b f(y, x) c");
        let written: Vec<usize> = [1, 3, 10, 12, 14, 20, 22].map(|column| line.written(column)).to_vec();
        assert_eq!(written, [1, 3, 3, 9, 11, 11, 26]);
    }

    #[test]
    fn nested_names_do_not_grow_without_end() {
        let mut names = Names::default();
        names.add("twice(a)", "a + a").expect("the name is valid");
        let line = format!("{}x{}", "$twice(".repeat(40), ")".repeat(40));
        let mistake = expand(&line, &[&names]).expect_err("the line would have 2^40 words");
        assert!(mistake.message.contains("more than 4096 bytes"), "{}", mistake.message);
    }

    #[rstest]
    #[case("Pool", "x", "`Pool` is not a name")]
    #[case("pool(a", "a", "`pool(a` is not a name")]
    #[case("pool(a b)", "a", "is not a name")]
    #[case("pool", "a\nb", "has several lines")]
    fn a_bad_name_is_refused(#[case] heading: &str, #[case] text: &str, #[case] message: &str) {
        let mistake = Names::default().add(heading, text).expect_err("the name is refused");
        assert!(mistake.contains(message), "{mistake}");
    }

    #[test]
    fn the_first_table_decides() {
        let mut own = Names::default();
        own.add("pool", "mine").expect("the name is valid");
        let all = names();
        assert_eq!(expand("$pool", &[&own, &all]).expect("the line has no mistake").text, "mine");
        assert!(own.is_used("pool") && !all.is_used("pool") && !all.is_used("unmap(at, size)"));
    }
}
