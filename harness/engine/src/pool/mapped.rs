//! The libraries that a worker has mapped after start-up: the runtime and driver libraries beneath the library
//! under test.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use catalog::digest;
use catalog::files;
use record::MappedLibrary;

use super::library::LibraryFiles;

/// The names of the system's base libraries, which every process maps and no driver installs.
const BASE: &[&str] = &["libc", "libm", "ld", "libpthread", "libdl", "librt", "libstdc++", "libgcc_s"];
/// The path given for an embedded library.
pub(crate) const EMBEDDED: &str = "embedded";
/// The kernel's prefix for a file without a name.
const IN_MEMORY: &str = "/memfd:";
/// The kernel's suffix for a removed file.
const GONE: &str = " (deleted)";
/// The number of bytes, from the start of a file, in which to look for the file's build id.
const HEAD: u64 = 64 << 10;

/// The libraries that a process has mapped, sorted by path. The list is empty if the system does not list them.
pub(crate) fn libraries(process: u32, known: &LibraryFiles) -> Vec<MappedLibrary> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let executable = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
    let mapped = code(&maps).into_iter().filter(|(path, _)| !is_base(path) && Path::new(path) != executable);
    let mut libraries: Vec<MappedLibrary> = mapped.map(|(path, inode)| identity(path, inode, known)).collect();
    libraries.sort_by(|a, b| (&a.path, &a.sha256).cmp(&(&b.path, &b.sha256)));
    libraries
}

/// The files from which a process has mapped code, with their inodes.
fn code(maps: &str) -> BTreeMap<&str, u64> {
    maps.lines().filter_map(code_of).collect()
}

fn code_of(line: &str) -> Option<(&str, u64)> {
    let mut rest = line;
    let mut fields = [""; 5];
    for field in &mut fields {
        (*field, rest) = rest.trim_start().split_once(' ')?;
    }
    let path = rest.trim_start();
    let [_, rights, _, _, inode] = fields;
    (rights.contains('x') && path.starts_with('/')).then_some((path, inode.parse().ok()?))
}

fn is_base(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split(['.', '-']).next().unwrap_or_default();
    name.contains(".so") && BASE.contains(&stem)
}

fn identity(path: &str, inode: u64, known: &LibraryFiles) -> MappedLibrary {
    let in_memory = path.starts_with(IN_MEMORY);
    let is_known = |file: &Path| match file.metadata() {
        Ok(about) if in_memory => about.ino() == inode,
        Ok(_) => file.canonicalize().is_ok_and(|file| file == Path::new(path)),
        Err(_) => false,
    };
    // A library under test already has a digest, and a library in memory has no other path.
    if let Some((_, file)) = known.there().find(|(_, file)| is_known(&file.path)) {
        let path = if in_memory { EMBEDDED.to_owned() } else { path.to_owned() };
        return MappedLibrary { path, sha256: Some(file.sha256.clone()), build_id: read_build_id(&file.path) };
    }
    if in_memory || path.ends_with(GONE) {
        return MappedLibrary { path: path.to_owned(), ..MappedLibrary::default() };
    }
    let file = Path::new(path);
    MappedLibrary { path: path.to_owned(), sha256: digest::of_file(file).ok(), build_id: read_build_id(file) }
}

fn read_build_id(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    files::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    build_id(&head)
}

/// The build id in a 64-bit little-endian ELF file.
fn build_id(elf: &[u8]) -> Option<String> {
    const NOTES: u64 = 4;
    let number = |bytes: &[u8], at: usize, size: usize| -> Option<u64> {
        let mut value = [0; 8];
        value.get_mut(..size)?.copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
        Some(u64::from_le_bytes(value))
    };
    elf.strip_prefix(b"\x7fELF\x02\x01")?;
    let (table, size, count) = (number(elf, 32, 8)?, number(elf, 54, 2)?, number(elf, 56, 2)?);
    for index in 0..count {
        let at = usize::try_from(table.checked_add(index * size)?).ok()?;
        if number(elf, at, 4)? != NOTES {
            continue;
        }
        let start = usize::try_from(number(elf, at + 8, 8)?).ok()?;
        let length = usize::try_from(number(elf, at + 32, 8)?).ok()?;
        let mut notes = elf.get(start..start.checked_add(length)?)?;
        while notes.len() >= 12 {
            let lengths = [number(notes, 0, 4)?, number(notes, 4, 4)?];
            let [name, text] = lengths.map(|length| length as usize);
            let [after_name, after_text] = [12 + name.next_multiple_of(4), 12 + name.next_multiple_of(4) + text];
            let content = notes.get(after_name..after_text)?;
            if number(notes, 8, 4)? == 3 && notes.get(12..12 + name) == Some(b"GNU\0") {
                return Some(digest::hex(content));
            }
            notes = notes.get(after_text.next_multiple_of(4)..).unwrap_or_default();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d0a0000000-55d0a0001000 r-xp 00000000 08:01 11 /usr/bin/suite
7f0000000000-7f0000001000 r--p 00000000 08:01 12 /usr/lib/libdriver.so.1
7f0000001000-7f0000002000 r-xp 00001000 08:01 12 /usr/lib/libdriver.so.1
7f0000002000-7f0000003000 r-xp 00000000 08:01 13 /opt/a folder/libruntime.so (deleted)
7f0000003000-7f0000004000 r--p 00000000 08:01 14 /usr/lib/locale/locale-archive
7f0000004000-7f0000005000 r-xp 00000000 08:01 15 /usr/lib/x86_64-linux-gnu/libc.so.6
7f0000005000-7f0000006000 r-xp 00000000 08:01 16 /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
7f0000006000-7f0000007000 r-xp 00000000 08:01 17 /usr/lib/x86_64-linux-gnu/libmedia.so
7f0000007000-7f0000008000 rw-p 00000000 00:00 0
7f0000008000-7f0000009000 r-xp 00000000 00:00 0  [vdso]
";

    #[test]
    fn code_is_listed_once_and_data_is_not() {
        let found = code(MAPS);
        let paths: Vec<&str> = found.keys().copied().filter(|path| !is_base(path)).collect();
        let wanted = [
            "/opt/a folder/libruntime.so (deleted)",
            "/usr/bin/suite",
            "/usr/lib/libdriver.so.1",
            "/usr/lib/x86_64-linux-gnu/libmedia.so",
        ];
        assert_eq!((paths, found["/usr/lib/libdriver.so.1"]), (wanted.to_vec(), 12));
    }

    #[test]
    fn any_bytes_have_a_build_id_or_none() {
        let mut elf = vec![0; 64 + 56 + 12 + 4 + 4];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (elf[32], elf[54], elf[56]) = (64, 56, 1);
        (elf[64], elf[64 + 8], elf[64 + 32]) = (4, 120, 20);
        (elf[120], elf[124], elf[128]) = (4, 4, 3);
        elf[132..136].copy_from_slice(b"GNU\0");
        elf[136..].copy_from_slice(&[0xde, 0xad, 0xbe, 0xef]);
        assert_eq!(build_id(&elf).as_deref(), Some("deadbeef"));
        for at in 0..elf.len() {
            assert_eq!(build_id(&elf[..at]), None);
            let mut wrong = elf.clone();
            wrong[at] = 0xff;
            build_id(&wrong);
        }
    }
}
