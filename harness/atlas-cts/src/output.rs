//! The output of commands.

use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, Write as _};
use std::os::fd::AsFd;

use anstream::{AutoStream, ColorChoice};
use engine::run::RunError;
use ledger::report::{Detail, Layout, clean, disarmed};
use record::text::{fold, terminal_width, use_width, width};
use terminal_size::{Width, terminal_size_of};

/// Chooses the width of all printed text: that of `COLUMNS` or of the terminal on standard output.
pub fn choose_width() {
    if let Some(columns) = width_of(std::io::stdout()) {
        use_width(columns);
    }
}

/// The width for a reader of a stream; `None` if it is not a terminal and `COLUMNS` is not set.
fn width_of(stream: impl AsFd) -> Option<usize> {
    let wanted = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    wanted.or_else(|| terminal_size_of(stream).map(|(Width(columns), _)| usize::from(columns)))
}

/// The layout of a report on standard output. Colors follow `--color`, then `NO_COLOR`, `CLICOLOR_FORCE` and
/// `CLICOLOR`; without these, a terminal has colors.
pub fn layout(detail: Detail) -> Layout {
    Layout { width: width(), color: AutoStream::choice(&std::io::stdout()) != ColorChoice::Never, detail }
}

/// Prints a remark or an error to standard error, in lines for the reader's terminal. Elsewhere each stays on one line,
/// so that programs find it.
pub(crate) fn say_aside(text: &str) {
    let text = match width_of(std::io::stderr()) {
        Some(width) => fold(text, width),
        None => clean(text).into_owned(),
    };
    // If printing fails, the exit status still reports an error.
    let _ = writeln!(std::io::stderr(), "{}", disarmed(&text));
}

/// Prints text without characters that move a terminal's cursor or reverse its text; lines that are too long for the
/// terminal continue below. A closed pipe (`| head`) is not an error.
///
/// # Errors
/// Fails if printing fails for a reason other than a closed pipe.
pub fn say(text: &str) -> Result<(), RunError> {
    match terminal_width() {
        Some(width) => say_painted(&fold(text, width)),
        None => say_file(text),
    }
}

/// Prints the text of a file, such as a program, whose lines must stay as they are, else like [`say`].
///
/// # Errors
/// Fails as [`say`] does.
pub fn say_file(text: &str) -> Result<(), RunError> {
    say_painted(&clean(text))
}

/// Prints text that is clean except for the suite's color codes. Lines that a CI system would obey become plain text.
///
/// # Errors
/// Fails as [`say`] does.
pub fn say_painted(text: &str) -> Result<(), RunError> {
    say_exactly(&disarmed(text))
}

/// Prints text that the suite made for the program that reads the output, such as commands to a CI system.
///
/// # Errors
/// Fails as [`say`] does.
pub(crate) fn say_exactly(text: &str) -> Result<(), RunError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(RunError::Output(error)),
        _ => Ok(()),
    }
}

/// Prints a line, like [`say`].
///
/// # Errors
/// Fails as [`say`] does.
pub fn say_line(line: impl Display) -> Result<(), RunError> {
    say(&format!("{line}\n"))
}

/// Prints JSON for a program, which reads all strings unchanged.
///
/// # Errors
/// Fails as [`say`] does.
pub fn say_json(json: &str) -> Result<(), RunError> {
    say_exactly(&(ascii(json) + "\n"))
}

/// Converts JSON to printable ASCII, so that nothing moves a terminal's cursor or reverses its text. Other characters,
/// which occur only in strings, become escapes, and so does a part of the text that GitHub obeys anywhere in a line
/// ([`disarmed`]).
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text.replace("##[", "#\\u0023[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_survives_as_json_and_moves_no_cursor() {
        let said = "内存 ##[add-path]. \u{1b}[2J \u{202e}enog \u{10ffff} \u{7f} \"\\ end";
        let json = ascii(&serde_json::to_string(said).unwrap());
        assert!(json.bytes().all(|byte| (b' '..0x7f).contains(&byte)), "{json}");
        assert_eq!(disarmed(&json), json);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), said);
    }
}
