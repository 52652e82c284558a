//! Logs from the time of a failure.

use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use catalog::files;

/// The largest log file that a run writes, in bytes.
const LARGEST: u64 = 16 << 20;

/// Driver and runtime logs for a rule that is broken or has no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleLogs {
    /// Files in the run's folder.
    pub files: Vec<LogFile>,
    /// Sources that had no lines, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nothing: Vec<String>,
}

/// A file with the lines from one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogFile {
    /// The file's path in the run's folder: `logs/<rule>/<source>.txt`.
    pub name: String,
    /// The number of lines.
    pub lines: u64,
    /// The number of older lines that were omitted.
    pub left_out: u64,
    /// The size in bytes.
    pub bytes: u64,
}

impl LogFile {
    /// The file name for a source and a rule.
    pub fn name_of(rule: &str, source: &str) -> String {
        format!("logs/{rule}/{source}.txt")
    }

    /// True if the name has the form that [`LogFile::name_of`] makes. The check is needed because a journal may come
    /// from an untrusted source.
    pub fn is_sound(&self) -> bool {
        let part = |text: &str| {
            let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !text.is_empty() && !text.starts_with('.') && text.bytes().all(known)
        };
        let parts: Vec<&str> = self.name.split('/').collect();
        matches!(parts[..], ["logs", rule, file] if part(rule) && part(file) && file.ends_with(".txt"))
    }

    /// The content of the file. A journal may come from an untrusted source, so only files below the run's folder are
    /// read, and links are not followed.
    ///
    /// # Errors
    /// Fails if the file is missing, does not belong to a run, or cannot be read.
    pub fn read(&self, folder: &Path) -> io::Result<Vec<u8>> {
        let strange = || io::Error::new(io::ErrorKind::InvalidData, "not the name of a log file in the run's folder");
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
    fn only_names_of_logs_are_sound(#[case] name: &str, #[case] sound: bool) {
        assert_eq!(LogFile { name: name.to_owned(), lines: 0, left_out: 0, bytes: 0 }.is_sound(), sound);
    }
}
