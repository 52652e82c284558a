//! What was kept of the logs around a failure.

use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use catalog::files;

/// The largest file that is read: nothing that a run writes is larger.
const LARGEST: u64 = 16 << 20;

/// What driver and runtime wrote about a rule that is broken, or whose answer is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleLogs {
    /// Files in the run's folder.
    pub files: Vec<LogFile>,
    /// Where nothing was found, each with why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nothing: Vec<String>,
}

/// A file with lines of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogFile {
    /// Its path in the run's folder: `logs/<rule>/<source>.txt`.
    pub name: String,
    /// Lines of the log that are in it.
    pub lines: u64,
    /// Older lines that are not.
    pub left_out: u64,
    /// Its size.
    pub bytes: u64,
}

impl LogFile {
    /// The name of the file for a source of a rule.
    pub fn name_of(rule: &str, source: &str) -> String {
        format!("logs/{rule}/{source}.txt")
    }

    /// Whether the name is one that [`LogFile::name_of`] gives: a journal may come from anybody.
    pub fn is_sound(&self) -> bool {
        let part = |text: &str| {
            let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !text.is_empty() && !text.starts_with('.') && text.bytes().all(known)
        };
        let parts: Vec<&str> = self.name.split('/').collect();
        matches!(parts[..], ["logs", rule, file] if part(rule) && part(file) && file.ends_with(".txt"))
    }

    /// The file's bytes. A journal may come from anybody: what is read is below the run's folder, and no link leads away.
    ///
    /// # Errors
    /// It is not there, is no file of a run, or cannot be read.
    pub fn read(&self, folder: &Path) -> io::Result<Vec<u8>> {
        let strange = || io::Error::new(io::ErrorKind::InvalidData, "it is not the name of a log in the run's folder");
        let path = folder.join(&self.name).canonicalize()?;
        if !self.is_sound() || path != folder.canonicalize()?.join(&self.name) {
            return Err(strange());
        }
        files::read(&path, LARGEST)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::ours("logs/toy.copy.sync/kernel.txt", true)]
    #[case::elsewhere("logs/../kernel.txt", false)]
    #[case::absolute("/etc/passwd.txt", false)]
    #[case::deeper("logs/a/b/c.txt", false)]
    #[case::a_command("logs/a/]]b.txt", false)]
    #[case::something_else("logs/a/b.sh", false)]
    fn a_name_that_is_not_ours_is_seen(#[case] name: &str, #[case] sound: bool) {
        assert_eq!(LogFile { name: name.to_owned(), lines: 0, left_out: 0, bytes: 0 }.is_sound(), sound);
    }
}
