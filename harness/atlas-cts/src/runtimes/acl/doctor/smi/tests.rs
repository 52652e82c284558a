//! Layouts of the tool.
