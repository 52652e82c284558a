//! What the command prints.

use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, Write as _};

use engine::run::RunError;
use ledger::report::clean;

/// Prints what was asked for, without what could move a terminal's cursor or turn its text round. A reader that has
/// seen enough (`| head`) is no error.
///
/// # Errors
/// Nothing can be printed for another reason.
pub fn say(text: &str) -> Result<(), RunError> {
    say_painted(&clean(text))
}

/// Prints what has colors of the suite's own, and is clean otherwise.
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

/// Prints JSON for a program, which reads every text as it was.
///
/// # Errors
/// As for [`say`].
pub fn say_json(json: &str) -> Result<(), RunError> {
    say_painted(&(ascii(json) + "\n"))
}

/// JSON in which nothing can move a terminal's cursor or turn its text round: every other character is written as a
/// number. Outside of strings JSON has none.
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
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_read_as_it_was_and_moves_nothing() {
        let said = "内存 \u{1b}[2J \u{202e}enog \u{10ffff} \u{7f} \"\\ end";
        let json = ascii(&serde_json::to_string(said).unwrap());
        assert!(json.bytes().all(|byte| (b' '..0x7f).contains(&byte)), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), said);
    }
}
