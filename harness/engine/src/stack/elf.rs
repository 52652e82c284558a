//! The parts of a mapped file that unwinding and naming need.

use std::fs::File as OpenFile;
use std::ops::Range;
use std::path::Path;

use catalog::digest;
use catalog::files;
use object::read::ReadCache;
use object::{File, Object, ObjectSection, ObjectSegment, SegmentFlags, elf};

use super::maps::Module;

/// A file that is read piece by piece.
pub(super) type Pieces = ReadCache<OpenFile>;

/// A parsed file.
pub(super) type Elf<'a> = File<'a, &'a Pieces>;

/// Opens a file to be read piece by piece.
pub(super) fn open(path: &Path) -> Option<Pieces> {
    files::open(path).ok().map(ReadCache::new)
}

/// The difference between the addresses in the process and the addresses in the file.
pub(super) fn bias(module: &Module, file: &Elf<'_>) -> Option<u64> {
    const PAGE: u64 = 0xfff;
    let is_code = |flags| matches!(flags, SegmentFlags::Elf { p_flags } if p_flags & elf::PF_X != 0);
    let segment = file.segments().filter(|segment| is_code(segment.flags())).find(|segment| {
        let (start, size) = segment.file_range();
        ((start & !PAGE)..start.saturating_add(size)).contains(&module.offset)
    })?;
    let shift = segment.address().wrapping_sub(segment.file_range().0);
    Some(module.range.start.wrapping_sub(module.offset).wrapping_sub(shift))
}

/// A section's addresses in the file, and its bytes; `None` if the section is missing or larger than `largest`.
pub(super) fn section(file: &Elf<'_>, name: &str, largest: u64) -> Option<(Range<u64>, Vec<u8>)> {
    let section = file.section_by_name(name)?;
    if section.size() > largest {
        return None;
    }
    // A compressed section is left out.
    let bytes = section.uncompressed_data().ok()?.into_owned();
    Some((section.address()..section.address().checked_add(section.size())?, bytes))
}

/// The file's build id in hexadecimal.
pub(super) fn build_id(file: &Elf<'_>) -> Option<String> {
    file.build_id().ok().flatten().map(digest::hex)
}
