//! What the command prints.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use engine::report::clean;
use engine::run::RunError;

/// Prints what was asked for, without what could move a terminal's cursor or turn its text round. A reader that has
/// seen enough (`| head`) is no error.
///
/// # Errors
/// Nothing can be printed for another reason.
pub fn say(text: &str) -> Result<(), RunError> {
    say_painted(&clean(text))
}

/// Prints what has colours of the suite's own, and is clean otherwise.
///
/// # Errors
/// As for [`say`].
pub fn say_painted(text: &str) -> Result<(), RunError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(RunError::Output(error)),
        _ => Ok(()),
    }
}

/// The same for a line.
///
/// # Errors
/// As for [`say`].
pub fn say_line(line: impl Display) -> Result<(), RunError> {
    say(&format!("{line}\n"))
}
