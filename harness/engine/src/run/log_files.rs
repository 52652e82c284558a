//! Logs as files in a run's folder.

use std::io;
use std::path::Path;

use catalog::files;
use record::{LogFile, RuleLogs, RuleResult};

use super::evidence::LogEvidence;

/// A run's log limit, as a multiple of the limit per rule.
pub(super) const RULES: u64 = 64;

/// Writes a rule's logs.
///
/// # Errors
/// Fails if the logs cannot be written. No partial files remain.
pub(super) fn write(folder: &Path, id: &str, found: &LogEvidence) -> io::Result<RuleLogs> {
    let mut logs = RuleLogs { files: Vec::new(), nothing: found.nothing.clone() };
    for text in &found.texts {
        let file = LogFile {
            name: LogFile::name_of(id, text.source),
            lines: text.lines,
            left_out: text.left_out,
            bytes: text.text.len() as u64,
        };
        if let Err(error) = put(folder, &file.name, text.text.as_bytes()) {
            remove(folder, &logs);
            return Err(error);
        }
        logs.files.push(file);
    }
    Ok(logs)
}

/// Removes a rule's log files.
pub(super) fn remove(folder: &Path, logs: &RuleLogs) {
    for file in logs.files.iter().filter(|file| file.is_sound()) {
        let path = folder.join(&file.name);
        // A file that cannot be removed does no harm, because no result names the file.
        let _ = std::fs::remove_file(&path);
        let _ = path.parent().map(std::fs::remove_dir);
    }
}

/// Copies a result's files from its run's folder to another folder. If a file cannot be copied, removes the file from
/// the result and returns a remark.
pub(super) fn copy(from: &Path, to: &Path, result: &mut RuleResult) -> Vec<String> {
    let mut remarks = Vec::new();
    let Some(logs) = &mut result.logs else { return remarks };
    logs.files.retain(|file| {
        let copied = file.read(from).and_then(|bytes| put(to, &file.name, &bytes));
        remarks
            .extend(copied.as_ref().err().map(|error| format!("{}: {} was not copied: {error}", result.id, file.name)));
        copied.is_ok()
    });
    remarks
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = Path::new(name).parent() {
        files::folders_below(folder, parent)?;
    }
    files::replace(&folder.join(name), bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logs::Text;
    use crate::run::empty_result::blank;
    use catalog::Level;

    fn with(name: &str) -> RuleResult {
        let file = LogFile { name: name.to_owned(), lines: 1, left_out: 0, bytes: 2 };
        let logs = Some(RuleLogs { files: vec![file], nothing: Vec::new() });
        RuleResult { logs, ..blank("toy.copy", "chapter", "A title", Level::Must) }
    }

    #[test]
    fn files_go_with_their_result_and_nothing_else_does() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let text = Text { source: "kernel", text: "a\n".to_owned(), lines: 1, left_out: 0 };
        let found = LogEvidence { texts: vec![text], nothing: Vec::new() };
        let logs = write(from.path(), "toy.copy", &found).unwrap();
        assert_eq!(logs.files[0].name, "logs/toy.copy/kernel.txt");
        let mut result = with("logs/toy.copy/kernel.txt");
        assert_eq!(copy(from.path(), to.path(), &mut result), Vec::<String>::new());
        assert_eq!(std::fs::read(to.path().join("logs/toy.copy/kernel.txt")).unwrap(), b"a\n");
        std::fs::write(from.path().join("secret.txt"), "s").unwrap();
        std::os::unix::fs::symlink("../../secret.txt", from.path().join("logs/toy.copy/link.txt")).unwrap();
        for name in ["secret.txt", "logs/../secret.txt", "logs/toy.copy/link.txt", "logs/toy.copy/missing.txt"] {
            let mut result = with(name);
            assert_eq!(copy(from.path(), to.path(), &mut result).len(), 1, "{name}");
            assert_eq!(result.logs.unwrap().files, []);
        }
        remove(from.path(), &logs);
        assert!(!from.path().join("logs/toy.copy/kernel.txt").exists());
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("logs/toy.copy/b.txt/occupied")).unwrap();
        let text = |source| Text { source, text: "a\n".to_owned(), lines: 1, left_out: 0 };
        let found = LogEvidence { texts: vec![text("a"), text("b")], nothing: Vec::new() };
        write(folder.path(), "toy.copy", &found).unwrap_err();
        assert!(!folder.path().join("logs/toy.copy/a.txt").exists());
    }
}
