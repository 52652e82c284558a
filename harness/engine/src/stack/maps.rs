//! The files from which a process has mapped code.

use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A mapping with code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Module {
    /// The file as the process sees it.
    pub path: String,
    /// The file to read.
    pub file: PathBuf,
    /// The addresses in the process.
    pub range: Range<u64>,
    /// The place in the file at which the mapping begins.
    pub offset: u64,
}

/// The kernel's suffix for a removed file.
const GONE: &str = " (deleted)";

/// The mappings with code in a list of mappings. A library that exists only in memory is read from the file in `known`
/// with the same inode.
pub(super) fn modules(maps: &str, known: &[PathBuf]) -> Vec<Module> {
    maps.lines().filter_map(|line| module(line, known)).collect()
}

fn module(line: &str, known: &[PathBuf]) -> Option<Module> {
    let mut rest = line;
    let mut fields = [""; 5];
    for field in &mut fields {
        (*field, rest) = rest.trim_start().split_once(' ')?;
    }
    let [range, rights, offset, _, inode] = fields;
    let path = rest.trim();
    if !rights.contains('x') || path.is_empty() {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let range = number(start)?..number(end)?;
    let in_memory = path.ends_with(GONE) || path.starts_with("/memfd:");
    let is_same = |file: &&PathBuf| file.metadata().is_ok_and(|about| about.ino().to_string() == inode);
    let file = known.iter().find(|file| in_memory && is_same(file)).map_or(Path::new(path), PathBuf::as_path);
    Some(Module { path: path.to_owned(), file: file.to_owned(), range, offset: number(offset)? })
}

impl Module {
    /// The module that contains an address.
    pub(super) fn at(modules: &[Module], address: u64) -> Option<&Module> {
        modules.iter().find(|module| module.range.contains(&address))
    }

    /// True if the module belongs to the C library, which calls the first function of each thread.
    pub(super) fn is_base(&self) -> bool {
        ["libc.", "libc-", "ld-", "libpthread"].iter().any(|start| self.name().starts_with(start))
    }

    /// The name in frames: the file's name without its folder.
    pub(super) fn name(&self) -> &str {
        let path = self.path.strip_suffix(GONE).unwrap_or(&self.path);
        path.rsplit('/').next().unwrap_or(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_of_code_have_a_file_and_a_place() {
        let maps = "\
55d0a0000000-55d0a0001000 r-xp 00002000 08:01 11 /usr/bin/suite
7f0000000000-7f0000001000 r--p 00000000 08:01 12 /usr/lib/libdriver.so.1
7f0000002000-7f0000003000 r-xp 00001000 08:01 13 /opt/a folder/libruntime.so (deleted)
7f0000008000-7f0000009000 r-xp 00000000 00:00 0 
7f000000a000-7f000000b000 r-xp 00000000 00:00 0  [vdso]
not a mapping
-x r-xp 0 0 0 /x
";
        let found = modules(maps, &[]);
        let names: Vec<&str> = found.iter().map(Module::name).collect();
        assert_eq!(names, ["suite", "libruntime.so", "[vdso]"]);
        assert_eq!((found[0].range.clone(), found[0].offset), (0x55d0a0000000..0x55d0a0001000, 0x2000));
        assert_eq!(Module::at(&found, 0x7f0000002fff).map(Module::name), Some("libruntime.so"));
        assert_eq!(Module::at(&found, 0x7f0000003000), None);
    }
}
