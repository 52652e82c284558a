//! English sentences: those in the block comments of a C header, which may run over several lines, and those that share a
//! line of a page.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::sentence::{Sentence, sentences};

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("the expression is a constant, which the tests use")
}

/// The start of a line that begins a new paragraph: a command of the documentation tool, or an entry of a list.
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:\\(?:brief|param|returns?|retval|note|sa|see|details|par|deprecated|remarks?)\b|-|\([0-9]+\)|<li>|</?ul>)",
    )
});
/// Commands of the documentation tool, with the direction of a parameter, and the mark of a link to a name.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| regex(r"\\[a-z]+(?:\[[a-z,]*\])?|::"));

/// A paragraph of a comment, on one line.
#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    /// Where each of its lines begins in `text`, with its number in the header.
    lines: Vec<(usize, usize)>,
}

impl Paragraph {
    fn push(&mut self, line: &str, number: usize) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), number));
        self.text.push_str(line);
    }

    /// The number of the line that holds a position.
    fn line(&self, at: usize) -> usize {
        self.lines.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, number)| *number)
    }

    /// The sentences: a period, white space and no small letter end one.
    fn sentences(&self) -> Vec<Sentence> {
        let mut found = Vec::new();
        let mut start = 0;
        for (at, _) in self.text.match_indices(". ") {
            let rest = self.text[at + 1..].trim_start();
            if at >= start && !rest.starts_with(|char: char| char.is_ascii_lowercase()) {
                self.take(start, at + 1, &mut found);
                start = self.text.len() - rest.len();
            }
        }
        self.take(start, self.text.len(), &mut found);
        found
    }

    fn take(&self, start: usize, end: usize, found: &mut Vec<Sentence>) {
        let bare = COMMAND.replace_all(&self.text[start..end], "");
        let line = self.line(start);
        found.extend(sentences(&bare).into_iter().map(|sentence| Sentence { line, ..sentence }));
    }
}

/// The sentences of lines in English. A line in another language has none: there, a period does not end a sentence.
pub(crate) fn english(text: &str) -> Vec<Sentence> {
    let ours = |line: &str| (line.contains(". ") || line.contains("::")) && !line.chars().any(is_wide);
    let numbered = text.split('\n').zip(1..).filter(|(line, _)| ours(line));
    numbered
        .flat_map(|(line, number)| Paragraph { text: line.trim().to_owned(), lines: vec![(0, number)] }.sentences())
        .collect()
}

/// True for ideographs and the punctuation of languages that use them.
fn is_wide(char: char) -> bool {
    matches!(char, '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

/// The sentences in the block comments of a header, in their order.
pub(crate) fn commented(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = text[at..].find("/*").map(|begin| at + begin + 2) {
        let end = text[begin..].find("*/").map_or(text.len(), |end| begin + end);
        let first = 1 + text[..begin].matches('\n').count();
        for paragraph in paragraphs(&text[begin..end], first) {
            found.extend(paragraph.sentences());
        }
        at = end;
    }
    found
}

/// The paragraphs of a comment whose first line has this number.
fn paragraphs(comment: &str, first: usize) -> Vec<Paragraph> {
    let mut all = vec![Paragraph::default()];
    for (offset, line) in comment.split('\n').enumerate() {
        let bare = bare(line);
        if bare.is_empty() || BEGINS.is_match(bare) {
            all.push(Paragraph::default());
        }
        if !bare.is_empty() {
            all.last_mut().expect("the list begins with a paragraph").push(bare, first + offset);
        }
    }
    all
}

/// A line of a comment without the marks at its start.
fn bare(line: &str) -> &str {
    let mark = |char: char| char.is_whitespace() || "*!".contains(char);
    let line = line.trim().trim_start_matches(mark);
    match line.strip_prefix('<') {
        Some(after) if !after.starts_with(|char: char| char.is_ascii_alphabetic() || char == '/') => after.trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one_line("/** A block begins at 64. */")]
    #[case::behind_a_field("int at; /**< A block begins at 64. */")]
    #[case::several_lines("/**\n * A block begins\n * at 64.\n */")]
    #[case::several_sentences("/* It is empty. A block begins at 64. */")]
    #[case::a_note("/**\n * It is empty.\n * \\note A block begins\n *       at 64.\n */")]
    #[case::names("/** A \\p block begins ::at 64. */")]
    #[case::a_list("/**\n * Rules:\n * - A block begins at 64.\n * - It ends. */")]
    #[case::an_item("/**\n <ul>\n <li>A block begins\n at 64.</li></ul> */")]
    #[case::a_paragraph("/**\n * It is empty\n *\n * A block begins at 64.\n */")]
    fn a_sentence_of_a_comment_is_found(#[case] header: &str) {
        let plain = &sentences("A block begins at 64.")[0].digest;
        assert!(commented(header).iter().any(|one| one.digest == *plain), "{:?}", commented(header));
    }

    #[test]
    fn the_name_of_a_parameter_belongs_to_its_sentence() {
        let found = commented("/**\n * \\param[in] size - Size in bytes\n * \\param[out] block - The block\n */");
        let texts: Vec<_> = found.iter().map(|one| (&*one.text, one.line)).collect();
        assert_eq!(texts, [("size-Sizeinbytes", 2), ("block-Theblock", 3)]);
    }

    #[test]
    fn a_line_in_english_holds_several_sentences() {
        let found = english("# Blocks\n\nIt is `empty`. A [block](x) begins at 64.\n一. 二\n");
        let texts: Vec<_> = found.iter().map(|one| (&*one.written, one.line)).collect();
        assert_eq!(texts, [("It is empty.", 3), ("A block begins at 64.", 3)]);
    }

    #[test]
    fn an_abbreviation_ends_no_sentence_and_each_has_its_line() {
        let found = commented("int a;\n/** The first (e.g. this\n one) is long.\n The second is not. */");
        let texts: Vec<_> = found.iter().map(|one| (&*one.written, one.line)).collect();
        assert_eq!(texts, [("The first (e.g. this one) is long.", 2), ("The second is not.", 4)]);
    }
}
