//! Text for people: cleaning, wrapping, columns, colours, durations.

use std::borrow::Cow;

/// The width that reports are laid out for.
pub(super) const WIDTH: usize = 100;
/// Sources, findings and the like have this many columns for their names.
const LABEL: usize = 10;
/// What a label leaves of a line.
pub(super) const ROOM: usize = WIDTH - LABEL - 3;

/// Makes text from anywhere harmless: control characters become their pictures, what turns the direction of writing
/// round becomes its number, characters that XML cannot hold become U+FFFD. Line feeds and tabs stay.
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

/// Whether a character says in which direction others are shown, so that a line reads as what it is not.
fn turns(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Clean text on one line: line feeds and tabs become spaces, no space at either end.
pub(crate) fn one_line(text: &str) -> String {
    clean(text).trim().chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).collect()
}

/// One line of Markdown in which nothing is markup: neither a tag nor a link begins in it, and nobody is called.
pub fn markdown_line(text: &str) -> String {
    let mut escaped = String::new();
    for c in clean(text).chars() {
        match c {
            '\n' | '\t' => escaped.push(' '),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' | '@' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The first `width` characters of one line, the last of them `…` if there are more.
pub(super) fn elide(text: &str, width: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= width {
        return line;
    }
    let mut cut: String = line.chars().take(width.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Breaks clean text into lines of at most `width` characters, at spaces where there are any. Spaces at the start of
/// a line stay: they may be an indentation.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in clean(text).trim_end().split('\n') {
        let mut rest = line.trim_end();
        while let Some((limit, _)) = rest.char_indices().nth(width) {
            let indent = rest.len() - rest.trim_start().len();
            let space = rest[..limit].rfind(' ').filter(|space| *space > indent);
            // A space right behind the limit is as good as one before it.
            let at = if rest[limit..].starts_with(' ') { limit } else { space.unwrap_or(limit) };
            lines.push(rest[..at].trim_end().to_owned());
            rest = rest[at..].trim_start();
        }
        lines.push(rest.to_owned());
    }
    lines
}

/// A list of labelled texts with a column for the labels; each line ended.
#[derive(Default)]
pub(super) struct Sheet(pub(super) String);

impl Sheet {
    /// Adds wrapped text; nothing if the text is empty.
    pub(super) fn add(&mut self, label: &str, text: &str) {
        if !text.trim().is_empty() {
            self.add_lines(label, wrap(text, ROOM));
        }
    }

    /// Adds lines as they are, the label before the first.
    pub(super) fn add_lines(&mut self, label: &str, lines: impl IntoIterator<Item = String>) {
        let mut label = label;
        for line in lines {
            let row = format!("  {label:<LABEL$} {line}");
            self.0.push_str(row.trim_end());
            self.0.push('\n');
            label = "";
        }
    }
}

/// A number and its noun: `1 rule`, `2 rules`.
pub(super) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A duration in seconds, with three decimals if it is short.
pub(crate) fn duration(nanoseconds: u64) -> String {
    let seconds = nanoseconds as f64 / 1e9;
    match nanoseconds {
        0 => "0 s".to_owned(),
        1..500_000 => "< 0.001 s".to_owned(),
        500_000..9_999_500_000 => format!("{seconds:.3} s"),
        9_999_500_000..99_950_000_000 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}

/// The first characters of a digest.
pub(super) fn short(digest: &str) -> String {
    one_line(digest).chars().take(12).collect()
}

/// Writes colours, or does not.
#[derive(Clone, Copy)]
pub(super) struct Paint(pub(super) bool);

impl Paint {
    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn red(self, text: &str) -> String {
        self.with("1;31", text)
    }

    pub(super) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    pub(super) fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
