//! The output of commands.

use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, Write as _};

use anstream::{AutoStream, ColorChoice};
use engine::run::RunError;
use ledger::report::{Detail, Layout, clean, disarmed};
use terminal_size::{Width, terminal_size_of};

/// The narrowest and the widest report on a terminal, in columns.
const WIDTHS: (usize, usize) = (60, 160);

/// The layout of a report on standard output: on a terminal, the terminal's width. Colors follow `--color`, then
/// `NO_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR`; without these, a terminal has colors.
pub fn layout(detail: Detail) -> Layout {
    let out = std::io::stdout();
    let color = AutoStream::choice(&out) != ColorChoice::Never;
    let width = terminal_size_of(&out).map_or(Layout::FILE.width, |(Width(columns), _)| usize::from(columns));
    Layout { width: width.clamp(WIDTHS.0, WIDTHS.1), color, detail }
}

/// Prints text without characters that move a terminal's cursor or reverse its text. A closed pipe (`| head`) is not
/// an error.
///
/// # Errors
/// Fails if printing fails for a reason other than a closed pipe.
pub fn say(text: &str) -> Result<(), RunError> {
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
