//! Text layout: columns, colors, durations.

use super::layout::Layout;
use record::Meaning;
use record::text::beginning;
pub(crate) use record::text::one_line;
pub use record::text::{clean, disarmed, pad, wrap};
pub(crate) use record::text::{columns, pad_left};

/// The width of a label, in columns.
pub(super) const LABEL: usize = 10;

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

/// The text on one line, cut to `width` columns. If the text is cut, its last character is `…`.
pub(crate) fn elide(text: &str, width: usize) -> String {
    let line = one_line(text);
    if columns(&line) <= width {
        return line;
    }
    let cut = if width < 2 { "" } else { beginning(&line, width - 1).trim_end() };
    format!("{cut}…")
}

/// Labeled text with a column for the labels. Each line ends with a line feed.
pub(super) struct Sheet {
    pub(super) text: String,
    /// The width of the lines after the label, in columns.
    pub(super) room: usize,
}

impl Sheet {
    /// An empty sheet whose lines have this width.
    pub(super) fn new(width: usize) -> Sheet {
        Sheet { text: String::new(), room: width.saturating_sub(LABEL + 3) }
    }

    /// Adds wrapped text, unless it is empty.
    pub(super) fn add(&mut self, label: &str, text: &str) {
        if !text.trim().is_empty() {
            self.add_lines(label, wrap(text, self.room));
        }
    }

    /// Adds lines without a label and without a column for it.
    pub(super) fn add_block(&mut self, lines: &str) {
        for line in lines.lines() {
            self.text.push_str("  ");
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Adds lines unchanged, with the label before the first line.
    pub(super) fn add_lines(&mut self, label: &str, lines: impl IntoIterator<Item = String>) {
        let mut label = label;
        for line in lines {
            let row = format!("  {} {line}", pad(label, LABEL));
            self.text.push_str(row.trim_end());
            self.text.push('\n');
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

/// Colors for a terminal, if the layout has them.
#[derive(Clone, Copy)]
pub(super) struct Paint(pub(super) Layout);

impl Paint {
    /// A verdict, in the color of its meaning.
    pub(super) fn verdict(self, meaning: Meaning, text: &str) -> String {
        match meaning {
            Meaning::Good => self.green(text),
            Meaning::Broken | Meaning::Unknown => self.red(text),
            Meaning::Finding => self.yellow(text),
            Meaning::Skipped => text.to_owned(),
        }
    }

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

    /// The width of the report, in columns.
    pub(super) fn width(self) -> usize {
        self.0.width
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A text in the color of a result's meaning, if the layout has colors.
pub fn paint(meaning: Meaning, text: &str, layout: Layout) -> String {
    Paint(layout).verdict(meaning, text)
}
