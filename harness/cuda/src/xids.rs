//! The numbers of the driver's error lines (Xids) that matter for memory, with their meanings in our own words. Source:
//! docs.nvidia.com/deploy/xid-errors (the catalog and the pages about common Xids).

/// The part of the system that an error concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One program's mistake, or the consequence of an earlier error.
    Program,
    /// The memory of the device.
    Memory,
    /// The device, its firmware or a link.
    Device,
}

/// A number with its meaning.
pub(crate) struct Xid {
    pub number: u32,
    pub kind: Kind,
    pub meaning: &'static str,
}

const fn xid(number: u32, kind: Kind, meaning: &'static str) -> Xid {
    Xid { number, kind, meaning }
}

const XIDS: &[Xid] = &[
    xid(
        13,
        Kind::Program,
        "an exception of the execution unit, often an access outside of memory by a program's kernel",
    ),
    xid(31, Kind::Program, "a page fault of the device: an access to an address that is not mapped or not permitted"),
    xid(32, Kind::Program, "a corrupted command buffer"),
    xid(43, Kind::Program, "the device stopped a program's work because of the program's error"),
    xid(45, Kind::Program, "a program's work was removed, because the program ended or an earlier error occurred"),
    xid(46, Kind::Device, "the device stopped processing"),
    xid(48, Kind::Memory, "an uncorrectable memory error (double bit)"),
    xid(61, Kind::Device, "a breakpoint or warning of the device's internal controller"),
    xid(62, Kind::Device, "the device's internal controller halted"),
    xid(63, Kind::Memory, "memory was marked for replacement, which takes effect at the next reset"),
    xid(64, Kind::Memory, "memory could not be marked for replacement"),
    xid(68, Kind::Device, "an exception of the video processor"),
    xid(69, Kind::Program, "an exception of the graphics engine's class"),
    xid(74, Kind::Device, "an error of the link between devices (NVLink)"),
    xid(79, Kind::Device, "the device no longer answers on the bus"),
    xid(92, Kind::Memory, "many correctable memory errors (single bit)"),
    xid(94, Kind::Memory, "an uncorrectable memory error that affects only the programs that used the memory"),
    xid(95, Kind::Memory, "an uncorrectable memory error that may affect every program on the device"),
    xid(109, Kind::Program, "a program's work could not be switched in time"),
    xid(119, Kind::Device, "the device's system processor does not answer the driver"),
    xid(120, Kind::Device, "an error of the device's system processor"),
    xid(121, Kind::Device, "a corrected error of the link between processor and device"),
    xid(137, Kind::Device, "an access fault of the link between devices (NVLink)"),
    xid(140, Kind::Memory, "an uncorrectable memory error that was not repaired"),
    xid(143, Kind::Device, "the device could not be initialized"),
    xid(154, Kind::Device, "the driver changed the action that is needed to recover the device"),
];

/// The entry for a number; `None` if the number is not in the table.
pub(crate) fn known(number: u32) -> Option<&'static Xid> {
    XIDS.iter().find(|known| known.number == number)
}

/// The number in a line such as `NVRM: Xid (PCI:0000:01:00): 79, pid=…, name=…, …`.
pub(crate) fn number(line: &str) -> Option<u32> {
    let (_, rest) = line.split_once("NVRM: Xid (")?;
    let (_, rest) = rest.split_once("): ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

/// The number and the meaning of a line, if it has a number.
pub(crate) fn explained(line: &str) -> Option<String> {
    let number = number(line)?;
    let meaning =
        known(number).map_or("not in the suite's table; see the vendor's list of Xids", |known| known.meaning);
    Some(format!("Xid {number}: {meaning}"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::with_a_process("NVRM: Xid (PCI:0000:0a:00): 31, pid=13332, name=x, Ch 00000010, intr 00000000.", Some(31))]
    #[case::without_a_process("NVRM: Xid (PCI:0000:2b:00): 79, GPU has fallen off the bus.", Some(79))]
    #[case::of_an_old_driver("NVRM: Xid (0000:01:00): 13, 0003 00000000", Some(13))]
    #[case::another_line("NVRM: GPU at PCI:0000:0a:00: GPU-760d0170", None)]
    fn a_line_has_a_number(#[case] line: &str, #[case] is: Option<u32>) {
        assert_eq!(number(line), is);
    }

    #[test]
    fn numbers_are_listed_once_in_ascending_order() {
        assert!(XIDS.windows(2).all(|pair| pair[0].number < pair[1].number));
        assert_eq!(known(79).map(|known| known.kind), Some(Kind::Device));
        assert!(explained("NVRM: Xid (PCI:0000:01:00): 4711, x").unwrap().contains("not in the suite's table"));
    }
}
