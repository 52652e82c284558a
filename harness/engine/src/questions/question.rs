//! The two sides of a query: this process, and the process that answers.

use std::path::Path;
use std::process::Command;

use simulator_contract::symbol;

use crate::doctor::{ChildAnswer, HostMachine};
use crate::runtime::Runtime;
use crate::worker::let_signals_end_the_process;

use super::native::Native;

/// The environment variable that names the runtime whose doctor answers in this process.
const ASKED: &str = "ATLAS_CTS_DOCTOR_ANSWERS";
/// The prefix of each line in an answer, since libraries print as well.
const MARK: &str = "@doctor ";

/// Answers and exits if this process was started for a query.
pub fn answer_if_asked(runtimes: &[&'static Runtime]) {
    let Some(runtime) = std::env::var_os(ASKED) else { return };
    let_signals_end_the_process();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut say = |line: &str| println!("{MARK}{}", line.escape_debug());
    match words.as_slice() {
        [question, path] if question == "load" => load(Path::new(path), &mut say),
        words => {
            let known = runtimes.iter().find(|known| *known.name() == *runtime);
            if let Some(doctor) = known.and_then(|runtime| runtime.doctor.as_ref()) {
                (doctor.answer)(words, &mut say);
            }
        }
    }
    std::process::exit(0);
}

/// Runs a query in a separate process. Returns the answer's lines, even if the answer is incomplete.
pub fn question(machine: &HostMachine, runtime: &str, words: &[&str]) -> (ChildAnswer, Vec<String>) {
    let executable = std::env::current_exe().unwrap_or_default();
    let answer = machine.ask(Command::new(executable).args(words).env(ASKED, runtime));
    let lines = answer.output.lines().filter_map(|line| line.split_once(MARK)).map(|(_, line)| line.to_owned());
    let lines = lines.collect();
    (answer, lines)
}

fn load(path: &Path, say: &mut dyn FnMut(&str)) {
    match Native::open(path) {
        Ok(library) if library.exports(symbol::LACKS) => say("simulated"),
        Ok(_) => say("loaded"),
        Err(error) => say(&format!("refused {error}")),
    }
}
