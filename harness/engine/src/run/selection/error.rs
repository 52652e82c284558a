//! The reasons why nothing is selected.

use thiserror::Error;

/// A selection in which nothing would be tested of what was asked for, and that would look like a pass.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NothingSelected {
    /// These match no rule, each with a hint at what was meant.
    #[error("{}; `cargo test -- --list` or `atlas-cts list` names all {rules}", unmatched(.texts))]
    Unmatched { texts: Vec<(String, String)>, rules: usize },
    #[error("no rule of {rules} is left to run; leave out less with --skip or --exclude")]
    LeftOut { rules: usize },
}

fn unmatched(texts: &[(String, String)]) -> String {
    let lines: Vec<String> = texts.iter().map(|(text, hint)| format!("no rule matches `{text}`{hint}")).collect();
    lines.join("\n")
}
