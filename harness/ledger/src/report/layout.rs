//! The layout of text reports.

use record::text::FILE_WIDTH;

/// The page's name in a run's folder.
pub const PAGE_FILE: &str = "report.html";

/// The layout of a text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The width in columns.
    pub width: usize,
    /// True to color words for a terminal.
    pub color: bool,
    pub detail: Detail,
}

/// The amount of detail in a failure block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The facts needed to understand the failure.
    Brief,
    /// Everything that the journal has.
    Full,
}

impl Layout {
    /// The layout of reports in files.
    pub const FILE: Layout = Layout { width: FILE_WIDTH, color: false, detail: Detail::Full };
}
