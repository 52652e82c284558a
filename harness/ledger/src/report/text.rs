//! Text layout: columns, colors, durations.

pub(crate) use record::text::one_line;
pub use record::text::{clean, wrap};

/// The width that reports are laid out for.
pub(super) const WIDTH: usize = 100;
/// Columns of a label.
const LABEL: usize = 10;
/// The rest of a line after its label.
pub(super) const ROOM: usize = WIDTH - LABEL - 3;

/// One line of Markdown without markup: it opens neither a tag nor a link, and mentions no user.
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

/// The text on one line, cut to `width` characters; the last one of a cut text is `…`.
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

/// Labeled texts with a column for the labels; each line ends with a line feed.
#[derive(Default)]
pub(super) struct Sheet(pub(super) String);

impl Sheet {
    /// Adds wrapped text, unless it is empty.
    pub(super) fn add(&mut self, label: &str, text: &str) {
        if !text.trim().is_empty() {
            self.add_lines(label, wrap(text, ROOM));
        }
    }

    /// Adds unchanged lines, the label before the first.
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

/// A duration in seconds; a short one has three decimals.
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

/// Colors for a terminal, if they are on.
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
