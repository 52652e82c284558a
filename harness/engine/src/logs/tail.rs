//! Reads the end of a file of any length.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use catalog::files;

/// The last lines in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    /// The complete lines. Invalid UTF-8 is replaced.
    pub lines: Vec<String>,
    /// True if the file has earlier lines that were not read.
    pub cut: bool,
}

/// Reads the last lines of a regular file, up to `most` bytes.
///
/// # Errors
/// Fails if the file cannot be read or is not a regular file.
pub fn tail(path: &Path, most: u64) -> io::Result<Tail> {
    let mut file = files::open(path)?;
    let from = file.metadata()?.len().saturating_sub(most);
    // Reads one more byte, to see if a line starts there.
    let seen = file.seek(SeekFrom::Start(from.saturating_sub(1)))?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(from - seen)).read_to_end(&mut bytes)?;
    let cut = from > 0;
    let whole = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) if cut => &bytes[end + 1..],
        None if cut => &[],
        _ => &bytes[..],
    };
    let text = String::from_utf8_lossy(whole);
    Ok(Tail { lines: text.lines().map(str::to_owned).collect(), cut })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn written(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[rstest]
    #[case::all_of_it("a\nbc\n", 5, &["a", "bc"], false)]
    #[case::at_the_beginning_of_a_line("a\nbc\n", 3, &["bc"], true)]
    #[case::in_the_middle_of_a_line("a\nbc\nd", 3, &["d"], true)]
    #[case::less_than_a_line("abcdef", 3, &[], true)]
    #[case::nothing("", 3, &[], false)]
    fn whole_lines_are_read_from_the_end(
        #[case] text: &str,
        #[case] most: u64,
        #[case] lines: &[&str],
        #[case] cut: bool,
    ) {
        let read = tail(written(text).path(), most).unwrap();
        assert_eq!((read.lines.iter().map(String::as_str).collect::<Vec<_>>(), read.cut), (lines.to_vec(), cut));
    }

    #[test]
    fn a_file_of_gigabytes_is_not_read_whole() {
        let file = written("");
        let long = std::fs::File::options().write(true).open(file.path()).unwrap();
        // The file takes no disk space, because nothing was written to its beginning.
        long.set_len(8 << 30).unwrap();
        let read = tail(file.path(), 1 << 16).unwrap();
        assert!(read.cut && read.lines.is_empty(), "a line without an end does not count");
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        assert!(tail(Path::new("/dev/zero"), 10).is_err());
        assert!(tail(Path::new("/"), 10).is_err());
    }

    proptest! {
        #[test]
        fn what_is_read_is_the_end_of_what_was_written(lines in prop::collection::vec("[a-zé ]{0,9}", 0..20), most in 0u64..200) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let read = tail(written(&text).path(), most).unwrap();
            prop_assert!(lines.ends_with(&read.lines), "{:?}", read.lines);
            prop_assert!(read.lines.iter().map(|line| line.len() + 1).sum::<usize>() as u64 <= most);
            prop_assert_eq!(read.cut, text.len() as u64 > most);
            if !read.cut {
                prop_assert_eq!(read.lines.len(), lines.len());
            }
        }
    }
}
