//! Cleaning and wrapping text from untrusted sources.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use unicode_width::UnicodeWidthChar;

/// The width of text in files and pipes, in columns.
pub const FILE_WIDTH: usize = 100;
/// The least and the greatest width of printed text, in columns.
const WIDTHS: (usize, usize) = (60, 200);

/// The width of printed text, chosen once when a command starts; 0 if none was chosen.
static WIDTH: AtomicUsize = AtomicUsize::new(0);

/// Chooses the width of all text that this process prints: that of the reader's terminal, within limits.
pub fn use_width(columns: usize) {
    WIDTH.store(columns.clamp(WIDTHS.0, WIDTHS.1), Ordering::Relaxed);
}

/// The width of the reader's terminal; `None` if the text goes to a file or a pipe.
pub fn terminal_width() -> Option<usize> {
    Some(WIDTH.load(Ordering::Relaxed)).filter(|width| *width > 0)
}

/// The width of printed text, in columns.
pub fn width() -> usize {
    terminal_width().unwrap_or(FILE_WIDTH)
}

/// Makes untrusted text harmless: control characters become visible symbols, writing-direction marks become their code
/// points, and characters that XML does not allow become U+FFFD. Line feeds and tabs are kept.
pub fn clean(text: &str) -> Cow<'_, str> {
    let harmless =
        |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || turns(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}'));
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            c if harmless(c) => cleaned.push(c),
            c if turns(c) => cleaned.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            '\u{7F}' => cleaned.push('\u{2421}'),
            '\0'..='\u{1F}' => cleaned.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}')),
            _ => cleaned.push('\u{FFFD}'),
        }
    }
    Cow::Owned(cleaned)
}

/// True for a writing-direction mark, which can make a line look like a different line.
fn turns(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Clean text on one line: line feeds and tabs become spaces, and the ends are trimmed.
pub fn one_line(text: &str) -> String {
    clean(text).trim().chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).collect()
}

/// Text for the output of a command, without commands to the CI system that reads this output: GitHub obeys each line
/// that begins with `::` after white space, and each line that contains `##[`. A backslash makes both plain text.
/// Wrapped text can begin a line anywhere, so this is the last step before printing.
pub fn disarmed(text: &str) -> Cow<'_, str> {
    let ends = ['\n', '\r'];
    if !text.split(ends).any(|line| line.contains(OLD_COMMAND) || line.trim_start().starts_with(COMMAND)) {
        return Cow::Borrowed(text);
    }
    let mut disarmed = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive(ends) {
        let rest = line.trim_start();
        disarmed.push_str(&line[..line.len() - rest.len()]);
        if rest.starts_with(COMMAND) {
            disarmed.push('\\');
        }
        disarmed.push_str(&rest.replace(OLD_COMMAND, "##\\["));
    }
    Cow::Owned(disarmed)
}

/// The beginning of a command to GitHub.
const COMMAND: &str = "::";
/// The beginning of a command in GitHub's older form, anywhere in a line.
const OLD_COMMAND: &str = "##[";

/// The columns that a character takes on a terminal: two for Chinese, Japanese and Korean characters, otherwise one.
fn columns_of(c: char) -> usize {
    if is_wide(c) { 2 } else { 1 }
}

fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

/// The columns that clean text on one line takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Text with spaces after it, so that it takes at least `width` columns.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Text with spaces before it, so that it takes at least `width` columns.
pub fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Breaks clean text into lines of at most `width` columns, at spaces or next to Chinese characters where possible.
/// Spaces at the start of a line are kept, because they may be indentation.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in clean(text).trim_end().split('\n') {
        let mut rest = line.trim_end();
        while let Some(limit) = beyond(rest, width) {
            let indent = rest.len() - rest.trim_start().len();
            let at = last_break(rest, limit, indent).unwrap_or(limit);
            lines.push(rest[..at].trim_end().to_owned());
            rest = rest[at..].trim_start();
        }
        lines.push(rest.to_owned());
    }
    lines
}

/// Clean text whose lines take at most `width` columns: a line continues below, indented by two more columns. A longer
/// word, such as a path or a command's argument, stays whole, so that it can be copied.
pub fn fold(text: &str, width: usize) -> String {
    let text = clean(text);
    let lines = text.split('\n').map(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let margin = format!("\n{}", " ".repeat(indent + 2));
        let mut folded = line[..indent].to_owned();
        let mut used = indent;
        for (index, word) in line[indent..].split(' ').enumerate() {
            let space = usize::from(index > 0);
            if space > 0 && used + 1 + columns(word) > width {
                folded.truncate(folded.trim_end_matches(' ').len());
                folded.push_str(&margin);
                used = indent + 2;
            } else {
                folded.push_str(&" "[..space]);
                used += space;
            }
            folded.push_str(word);
            used += columns(word);
        }
        folded
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A word that a shell reads as one.
pub fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The longest beginning of clean text that takes at most `width` columns, but at least one character.
pub fn beginning(text: &str, width: usize) -> &str {
    &text[..beyond(text, width).unwrap_or(text.len())]
}

/// The first character that does not fit into `width` columns. One character always fits, so that each line has one.
fn beyond(text: &str, width: usize) -> Option<usize> {
    let mut used = 0;
    text.char_indices().find_map(|(at, c)| {
        used += columns_of(c);
        (used > width && at > 0).then_some(at)
    })
}

/// The last place to break a text at or before `limit`, and after its indentation.
fn last_break(text: &str, limit: usize, indent: usize) -> Option<usize> {
    let after = text[limit..].chars().next().map_or(limit, |c| limit + c.len_utf8());
    let pairs = text[..after].char_indices().zip(text[..after].char_indices().skip(1));
    let good = pairs.filter(|((_, before), (at, c))| *at > indent && may_break(*before, *c));
    good.last().map(|(_, (at, _))| at)
}

/// True if a line may break between two characters. A line does not start with a closing mark and does not end with an
/// opening mark.
fn may_break(before: char, after: char) -> bool {
    const CLOSING: &str = "，。、：；！？）」』》〉】”’…—·,.:;!?)]}%";
    const OPENING: &str = "（「『《〈【“‘([{";
    let wide = is_wide(before) || is_wide(after);
    after == ' ' || wide && before != ' ' && !CLOSING.contains(after) && !OPENING.contains(before)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_folded_line_is_too_wide_only_for_a_word(text in "( {0,3}[a-z'/]{1,12}|[ a-z]|\n){0,60}", width in 6usize..30) {
            let folded = fold(&text, width);
            for line in folded.lines().filter(|line| columns(line) > width) {
                prop_assert!(line.split_whitespace().count() < 2, "{line:?} in {width} columns");
            }
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&folded), words(&text));
        }

        #[test]
        fn no_line_is_too_wide_and_nothing_is_lost(text in "([ a-z设备内存，（）👩é]|\n){0,80}", width in 2usize..30) {
            let lines = wrap(&text, width);
            for line in &lines {
                prop_assert!(columns(line) <= width, "{line:?} in {width} columns");
            }
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&clean(&text)));
        }
    }

    /// The commands that GitHub's runner finds in an output, as its sources read lines.
    fn commands(output: &str) -> usize {
        let lines = output.split(['\n', '\r']);
        lines.filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).count()
    }

    #[test]
    fn output_contains_no_commands_to_the_ci_system() {
        let text =
            "a::b ##\n::error::x\n \t\u{3000}::set-output name=a::b\r::x::\nsee ##[add-path]/tmp ##[x]\n##[error]y";
        assert_eq!(commands(text), 5);
        let disarmed = disarmed(text);
        assert_eq!(commands(&disarmed), 0, "{disarmed}");
        assert_eq!(disarmed.replace("\\::", "::").replace("##\\[", "##["), text, "the rest is unchanged");
        assert!(matches!(super::disarmed("std::vector\n: :a\n# #[b]\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_chinese_character_takes_two_columns() {
        assert_eq!([columns("toy_malloc"), columns("内存"), columns("、")], [10, 4, 2]);
        assert_eq!([pad("内存", 6), pad_left("内存", 6), pad("内存", 3)], ["内存  ", "  内存", "内存"]);
    }

    #[test]
    fn chinese_text_breaks_between_characters_but_not_before_a_closing_mark() {
        assert_eq!(wrap("申请Device侧内存，返回指针", 8), ["申请", "Device侧", "内存，返", "回指针"]);
        assert_eq!(wrap("释放内存。再次申请（失败）", 8), ["释放内", "存。再次", "申请（失", "败）"]);
        assert_eq!(wrap("  内存内存", 6), ["  内存", "内存"]);
        assert_eq!(wrap("内存", 1), ["内", "存"]);
    }

    #[test]
    fn latin_text_breaks_at_spaces() {
        assert_eq!(wrap("a word, another", 8), ["a word,", "another"]);
        assert_eq!(wrap("  indented text", 10), ["  indented", "text"]);
        assert_eq!(wrap("overlong", 4), ["over", "long"]);
    }
}
