//! The debugger of a run with `--debugger`: its command line.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use thiserror::Error;

/// A debugger's command line, as the user gave it. The worker's executable is added when the debugger starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debugger {
    /// The program and its arguments; never empty.
    words: Vec<String>,
}

/// The families of debuggers, by the form in which they take the program to debug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Gdb,
    Lldb,
    /// The words are followed by the executable.
    Other,
}

/// The reason why a command line is unusable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DebuggerError {
    #[error("the quotes do not match; write it as in a shell, for example --debugger 'gdb -tui'")]
    Quotes,
    #[error("the command line is empty; give a debugger, for example --debugger gdb")]
    Empty,
    /// No program with this name can be executed.
    #[error("--debugger: cannot find the program `{program}`; install it, or give another debugger or its path")]
    NotFound { program: String },
}

impl FromStr for Debugger {
    type Err = DebuggerError;

    fn from_str(text: &str) -> Result<Debugger, DebuggerError> {
        match shlex::split(text) {
            None => Err(DebuggerError::Quotes),
            Some(words) if words.is_empty() => Err(DebuggerError::Empty),
            Some(words) => Ok(Debugger { words }),
        }
    }
}

impl fmt::Display for Debugger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.iter().map(String::as_str);
        f.write_str(&shlex::try_join(words).unwrap_or_else(|_| self.words.join(" ")))
    }
}

impl Debugger {
    /// Checks that the program exists.
    ///
    /// # Errors
    /// Fails if the program cannot be found.
    pub fn expect_installed(&self) -> Result<(), DebuggerError> {
        let program = &self.words[0];
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let found = match program.contains('/') {
            true => is_executable(Path::new(program)),
            false => std::env::split_paths(&folders).any(|folder| is_executable(&folder.join(program))),
        };
        if found { Ok(()) } else { Err(DebuggerError::NotFound { program: program.clone() }) }
    }

    /// The command that debugs an executable. For gdb, a breakpoint may be set before its library is loaded.
    pub(super) fn command(&self, executable: PathBuf) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(self.arguments(executable));
        command
    }

    fn arguments(&self, executable: PathBuf) -> Vec<OsString> {
        let given = &self.words[1..];
        let (before, after): (&[&str], &[&str]) = match self.family() {
            Family::Gdb => (&["-q", "-ex", "set breakpoint pending on"], &["--args"]),
            Family::Lldb => (&[], &["--"]),
            Family::Other => (&[], &[]),
        };
        // Users may write the end of the options themselves.
        let after = if given.iter().any(|word| after.contains(&word.as_str())) { &[][..] } else { after };
        let words = before.iter().copied().chain(given.iter().map(String::as_str)).chain(after.iter().copied());
        words.map(OsString::from).chain([executable.into_os_string()]).collect()
    }

    fn family(&self) -> Family {
        let name = Path::new(&self.words[0]).file_name().map(|name| name.to_string_lossy().into_owned());
        match name.unwrap_or_default() {
            name if name.contains("gdbserver") => Family::Other,
            name if name.contains("gdb") => Family::Gdb,
            name if name.contains("lldb") && !name.contains("server") => Family::Lldb,
            _ => Family::Other,
        }
    }

    /// The debugger's commands that stop at a function; `None` if they are unknown.
    pub fn stops_at(&self, function: &str) -> Option<String> {
        match self.family() {
            Family::Gdb => Some(format!("`break {function}`, then `run`")),
            Family::Lldb => Some(format!("`breakpoint set --name {function}`, then `run`")),
            Family::Other => None,
        }
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::gdb("gdb", "-q|-ex|set breakpoint pending on|--args|/w")]
    #[case::with_arguments(
        "/opt/bin/gdb -batch -ex 'break f' -ex run",
        "-q|-ex|set breakpoint pending on|-batch|-ex|break f|-ex|run|--args|/w"
    )]
    #[case::the_users_own_end("rust-gdb --args", "-q|-ex|set breakpoint pending on|--args|/w")]
    #[case::cgdb("cgdb", "-q|-ex|set breakpoint pending on|--args|/w")]
    #[case::lldb("lldb -b", "-b|--|/w")]
    #[case::a_server("gdbserver :1234", ":1234|/w")]
    #[case::another("strace -f", "-f|/w")]
    fn each_debugger_gets_the_executable_in_its_own_way(#[case] given: &str, #[case] arguments: &str) {
        let debugger: Debugger = given.parse().unwrap();
        let found: Vec<String> =
            debugger.arguments("/w".into()).into_iter().map(|word| word.into_string().unwrap()).collect();
        assert_eq!(found.join("|"), arguments);
    }

    #[rstest]
    #[case::no_word("  ", DebuggerError::Empty)]
    #[case::an_open_quote("gdb -ex 'break", DebuggerError::Quotes)]
    fn a_command_line_without_a_program_is_refused(#[case] given: &str, #[case] error: DebuggerError) {
        assert_eq!(given.parse::<Debugger>(), Err(error));
    }

    #[test]
    fn a_program_is_shown_as_given_and_found_by_its_name_or_its_path() {
        let parsed = |given: &str| given.parse::<Debugger>().unwrap();
        assert_eq!(parsed("gdb  -ex \"break f\"").to_string(), "gdb -ex 'break f'");
        let of = |given: &str| parsed(given).expect_installed().is_ok();
        assert_eq!([of("sh"), of("/bin/sh -c"), of("no-such-debugger"), of("/")], [true, true, false, false]);
    }
}
