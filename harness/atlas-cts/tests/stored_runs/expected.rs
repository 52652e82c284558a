//! The expected content of the stored runs. A new run gets an entry; existing entries never change.

/// A stored run, and the content that every version must read from it.
pub struct Stored {
    /// Its folder in `fixtures/runs`.
    pub name: &'static str,
    pub product: &'static str,
    pub seed: u64,
    /// `None`: the run was killed.
    pub exit: Option<u8>,
    /// The results, in the order of the journal.
    pub verdicts: &'static [(&'static str, &'static str)],
    /// Rules that began but have no result.
    pub in_flight: &'static [&'static str],
    /// Rules that have a result although the run was once interrupted while they ran.
    pub interrupted: &'static [&'static str],
    /// The number of times that the run was resumed.
    pub resumed: usize,
    /// Rules whose axes have changed since the run: the counterexample is named and ignored.
    pub outgrown: &'static [&'static str],
    /// The fault of `fixtures/faults/faults.c`, if this was the library under test.
    pub fault: Option<&'static str>,
    /// Further arguments that a counterexample needs to fail again.
    pub arguments: &'static [&'static str],
}

/// The folder in which the stored runs were made: the only one that they name.
const MADE_IN: &str = "/opt/atlas-cts/";

/// True if a path is outside this folder.
pub fn is_foreign(path: &str) -> bool {
    path[1..].starts_with(char::is_alphanumeric) && !path.starts_with(MADE_IN)
}

/// A catalog that no stored run used.
pub const ANOTHER_CATALOG: &str = "# The rules of a test.
title: Small
rules:
  - id: acl.small.allocates
    title: A block can be allocated
    statement: A block can be allocated.
    clauses: {manual: manual.blocks}
    level: must
    steps: aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
";

pub const RUNS: [Stored; 3] = [
    Stored {
        name: "format-5/answers",
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[
            ("acl.free.null", "pass"),
            ("acl.ipc.unsupported", "skipped"),
            ("acl.malloc.align64", "fail"),
            ("acl.p2p.status-unknown", "pass"),
            ("acl.vmm.address-range-null", "pass"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
    Stored {
        name: "format-5/devices",
        product: "a2",
        seed: 20260101,
        exit: Some(0),
        verdicts: &[
            ("acl.copy.sync-roundtrip", "pass"),
            ("acl.ipc.unsupported", "skipped"),
            ("acl.copy.sync-bounds", "pass"),
            ("acl.free.null", "pass"),
            ("acl.malloc.align64", "pass"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
    Stored {
        name: "format-5/stopped",
        product: "a2",
        seed: 20260101,
        exit: None,
        verdicts: &[
            ("acl.free.null", "pass"),
            ("acl.host.align-rc", "skipped"),
            ("acl.ipc.close-order", "skipped"),
            ("acl.ipc.unsupported", "skipped"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
];
