//! The sentences in a document, normalized so that a clause matches its sentence regardless of markup.

use std::sync::LazyLock;

use regex_lite::Regex;
use sha2::{Digest, Sha256};

/// A sentence in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The SHA-256 of the normalized text in lower-case hex. Clauses refer to the sentence by its first digits.
    pub digest: String,
    /// The normalized text, without markup or white space.
    pub text: String,
    /// The text for readers: without markup, but with spaces.
    pub written: String,
    /// The line in the document, counted from 1.
    pub line: usize,
    /// The heading above the sentence; empty before the first heading.
    pub heading: String,
}

/// The number of hex digits that name a sentence. Among a hundred thousand sentences, the chance of a collision is one
/// in fifty thousand.
pub const SENTENCE: usize = 12;

/// True if a text is the first [`SENTENCE`] digits of a SHA-256.
pub(crate) fn names_a_sentence(text: &str) -> bool {
    text.len() == SENTENCE && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The minimum length of a sentence in characters. Shorter texts are numbers or marks in tables.
const SHORTEST: usize = 4;

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("the expression is a constant, which the tests use")
}

static BREAK: LazyLock<Regex> = LazyLock::new(|| regex(r"<br\s*/?>"));
static TAG: LazyLock<Regex> = LazyLock::new(|| regex(r"<[^<>]*>"));
static LINK: LazyLock<Regex> = LazyLock::new(|| regex(r"\[([^\[\]]*)\]\([^()]*\)"));
static BULLET: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:[-•#>]|[0-9]+\.|[a-z]\.)+"));

/// The sentences in a Markdown or plain text: the parts of lines between periods, semicolons and table bars.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut heading = String::new();
    for (number, line) in text.split('\n').enumerate() {
        if line.starts_with('#') {
            heading = TAG.replace_all(line.trim_start_matches('#'), "").trim().to_owned();
        }
        let broken = BREAK.replace_all(line, "\n");
        let bare = TAG.replace_all(&broken, "");
        let plain = LINK.replace_all(&bare, "$1");
        for piece in plain.split(['。', '；', ';', '|', '\n']) {
            let kept = piece.chars().filter(|char| !"*`\\".contains(*char)).collect::<String>();
            let words = kept.split_whitespace().collect::<Vec<_>>();
            let text = BULLET.replace(&words.concat(), "").into_owned();
            if text.chars().count() >= SHORTEST {
                let digest = crate::digest::hex(&Sha256::digest(text.as_bytes()));
                let written = BULLET.replace(&words.join(" "), "").trim_start().to_owned();
                found.push(Sentence { digest, text, written, line: number + 1, heading: heading.clone() });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::emphasis("A block **begins** at `64`.")]
    #[case::a_bullet("- A block begins at 64.")]
    #[case::a_number("12. A block begins at 64.")]
    #[case::a_link("A [block](../blocks.md#top) begins at 64.")]
    #[case::a_cell("| no | A block begins at 64. |")]
    #[case::a_tag("<td>A block begins</td> at 64.")]
    #[case::a_break("other things<br/>A block begins at 64.")]
    #[case::spaces("  A  block begins\tat 64.")]
    fn markup_does_not_change_a_sentence(#[case] line: &str) {
        let plain = &sentences("A block begins at 64.")[0].digest;
        assert!(sentences(line).iter().any(|sentence| sentence.digest == *plain), "{:?}", sentences(line));
    }

    #[test]
    fn a_sentence_knows_its_line_and_heading() {
        let found = sentences("# <a name=\"x\"></a>Blocks\n\nThey begin at 64。They end at 65；\n");
        assert_eq!(sentences("-  They **begin** at\t64 .\n")[0].written, "They begin at 64 .");
        let told: Vec<_> = found.iter().map(|one| (&*one.text, one.line, &*one.heading)).collect();
        assert_eq!(told, [("Blocks", 1, "Blocks"), ("Theybeginat64", 3, "Blocks"), ("Theyendat65", 3, "Blocks")]);
    }
}
