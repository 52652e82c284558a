//! What the command prints.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use engine::run::RunError;

/// Prints what was asked for. A reader that has seen enough (`| head`) is no error.
///
/// # Errors
/// Nothing can be printed for another reason.
pub fn say(text: &str) -> Result<(), RunError> {
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
