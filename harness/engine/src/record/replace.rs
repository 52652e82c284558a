//! Files that are replaced as a whole: a reader sees the old one or the new one, whoever is killed, however full the disk.

use std::io;
use std::path::Path;

/// End of the names of files that are being written; the number of the process that writes stands before it.
const PART: &str = ".part";

/// Writes a file under another name and renames it; when that fails, an older file stays as it was.
pub fn replace_file(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}{PART}", std::process::id()));
    let written = std::fs::write(&part, content).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // What is left of it would only confuse; where it cannot be removed, the next resumed run tries again.
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// Removes what killed processes left half written in a folder.
pub fn remove_left_over(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_suffix(PART)?.rsplit_once('.')?.1.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            // Nobody reads it; where it cannot be removed, it is in nobody's way.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
