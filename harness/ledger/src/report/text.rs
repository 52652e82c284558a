//! Text layout: columns, colors, durations.

pub(crate) use record::text::one_line;
pub use record::text::{clean, disarmed, pad, wrap};
pub(crate) use record::text::{columns, pad_left};

/// The width of text reports, in columns.
pub(super) const WIDTH: usize = 100;
/// The width of a label, in columns.
const LABEL: usize = 10;
/// The width of the rest of a line, after the label.
pub(super) const ROOM: usize = WIDTH - LABEL - 3;

/// Text as one line of Markdown that cannot start a tag or a link, or mention a user.
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

/// The text on one line, cut to `width` characters. If the text is cut, its last character is `…`.
pub(crate) fn elide(text: &str, width: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= width {
        return line;
    }
    let mut cut: String = line.chars().take(width.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Labeled text with a column for the labels. Each line ends with a line feed.
#[derive(Default)]
pub(super) struct Sheet(pub(super) String);

impl Sheet {
    /// Adds wrapped text, unless it is empty.
    pub(super) fn add(&mut self, label: &str, text: &str) {
        if !text.trim().is_empty() {
            self.add_lines(label, wrap(text, ROOM));
        }
    }

    /// Adds lines unchanged, with the label before the first line.
    pub(super) fn add_lines(&mut self, label: &str, lines: impl IntoIterator<Item = String>) {
        let mut label = label;
        for line in lines {
            let row = format!("  {} {line}", pad(label, LABEL));
            self.0.push_str(row.trim_end());
            self.0.push('\n');
            label = "";
        }
    }
}

/// A duration in seconds; short durations have three decimals.
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

/// A shortened digest.
pub(super) fn short(digest: &str) -> String {
    one_line(digest).chars().take(12).collect()
}

/// Colors for a terminal, if they are enabled.
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
