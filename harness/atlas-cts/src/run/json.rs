//! A run for a program: one JSON object a line for each thing that happens, on standard output.

use std::fmt::Write;
use std::sync::Arc;

use atlas_cts::say_painted;
use engine::record::Recorded;
use engine::run::{Listener, LogEvent, LogLine, Observer, RunError, Work};

/// Prints what happens, object by object.
#[derive(Debug)]
pub(super) struct JsonLog;

impl Observer for JsonLog {
    fn listener(&self) -> Arc<dyn Listener> {
        Arc::new(JsonLog)
    }

    fn line(&mut self, text: &str) -> Result<(), RunError> {
        print(LogEvent::Line { text: text.to_owned() })
    }

    fn perform(&mut self, work: &Arc<Work>) -> Result<(), RunError> {
        print(LogEvent::run(work))?;
        work.perform_all(|result| print(LogEvent::result(&work.campaign, result)))
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        print(LogEvent::end(run))
    }
}

impl Listener for JsonLog {
    fn begun(&self, rule: &str, devices: &str) {
        let (rule, devices) = (rule.to_owned(), devices.to_owned());
        // Whoever shows the next result says that nothing can be printed.
        let _ = print(LogEvent::Begin { rule, devices });
    }

    fn remark(&self, text: &str) {
        let _ = print(LogEvent::Remark { text: text.to_owned() });
    }
}

/// One line at once, so that those of several threads do not mix.
fn print(event: LogEvent) -> Result<(), RunError> {
    let json = serde_json::to_string(&LogLine::now(event)).expect("an event is made of strings and numbers");
    say_painted(&(ascii(&json) + "\n"))
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
