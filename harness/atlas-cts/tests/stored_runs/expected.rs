//! What the stored runs said when they were stored. A run that is added gets an entry; none is ever changed.

/// A stored run, and what must be read from it for ever.
pub struct Stored {
    /// Its folder in `fixtures/runs`.
    pub name: &'static str,
    pub format: u32,
    pub product: &'static str,
    pub seed: u64,
    /// `None`: the run was killed.
    pub exit: Option<u8>,
    /// In the order of the journal.
    pub verdicts: &'static [(&'static str, &'static str)],
    /// Rules that began and have no result.
    pub in_flight: &'static [&'static str],
    /// Rules that have a result although the run ended once while they ran.
    pub interrupted: &'static [&'static str],
    /// How often the run was resumed.
    pub resumed: usize,
    /// Rules whose cases have other axes since the run: the counterexample is named, and left out.
    pub outgrown: &'static [&'static str],
    /// The fault of `fixtures/faults/faults.c`, if that was the library under test.
    pub fault: Option<&'static str>,
    /// What else the command line said that a counterexample needs to fail again.
    pub arguments: &'static [&'static str],
}

/// Where the stored runs were made: the only folder that they name.
const MADE_IN: &str = "/opt/atlas-cts/";

/// Whether a path names anything else.
pub fn is_foreign(path: &str) -> bool {
    path[1..].starts_with(char::is_alphanumeric) && !path.starts_with(MADE_IN)
}

/// A catalog that no stored run was made with.
pub const ANOTHER_CATALOG: &str = "chapter: small
title: Small
rules:
  - id: acl.small.allocates
    title: A block can be allocated
    statement: A block can be allocated.
    source: [{document: manual, section: blocks}]
    level: must
    steps: aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
";

pub const RUNS: [Stored; 12] = [
    Stored {
        name: "format-1/crash",
        format: 1,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[
            ("acl.dev.count", "crash"),
            ("acl.ctx.set-switches-device", "skipped"),
            ("acl.malloc.align64", "blocked"),
            ("acl.free.null", "blocked"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: Some("FAULT_SEGFAULT"),
        arguments: &[],
    },
    Stored {
        name: "format-1/defects",
        format: 1,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[
            ("acl.copy.sync-roundtrip", "blocked"),
            ("acl.copy2d.async-d2d", "fail"),
            ("acl.host.cpu-access", "fail"),
            ("acl.host.align-rc", "skipped"),
            ("acl.ipc.whitelist-deny", "pass"),
            ("acl.ipc.close-order-ok", "pass"),
            ("acl.ipc.close-order", "observed"),
            ("acl.ipc.free-before-close", "observed"),
            ("acl.ipc.unsupported", "skipped"),
            ("acl.malloc.align64", "fail"),
            ("acl.malloc.null-out", "fail"),
            ("acl.free.null", "pass"),
            ("acl.stream.sync-timeout-expire", "wrong-code"),
            ("acl.event.ex-unsupported", "pass"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &["acl.malloc.null-out", "acl.stream.sync-timeout-expire"],
        fault: None,
        arguments: &["--hazardous"],
    },
    Stored {
        name: "format-1/hang",
        format: 1,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[("acl.dev.count", "timeout"), ("acl.free.null", "blocked")],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: Some("FAULT_HANG"),
        arguments: &["--deadline", "1"],
    },
    Stored {
        name: "format-1/other-product",
        format: 1,
        product: "200i-500-a2",
        seed: 7,
        exit: Some(1),
        verdicts: &[
            ("acl.ipc.unsupported", "observed"),
            ("acl.malloc.align32-saves", "pass"),
            ("acl.free.null", "pass"),
            ("acl.p2p.unsupported-product", "observed"),
            ("acl.event.ex-unsupported", "fail"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
    Stored {
        name: "format-2/crash",
        format: 2,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[
            ("acl.dev.count", "crash"),
            ("acl.ctx.set-switches-device", "skipped"),
            ("acl.free.null", "blocked"),
            ("acl.malloc.align64", "blocked"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: Some("FAULT_SEGFAULT"),
        arguments: &[],
    },
    Stored {
        name: "format-2/defects",
        format: 2,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[
            ("acl.copy2d.async-d2d", "fail"),
            ("acl.free.null", "pass"),
            ("acl.host.cpu-access", "fail"),
            ("acl.host.align-rc", "skipped"),
            ("acl.ipc.unsupported", "skipped"),
            ("acl.ipc.close-order", "observed"),
            ("acl.ipc.free-before-close", "observed"),
            ("acl.malloc.align64", "fail"),
            ("acl.malloc.null-out", "blocked"),
            ("acl.stream.sync-timeout-expire", "wrong-code"),
            ("acl.event.ex-unsupported", "pass"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &["--hazardous"],
    },
    Stored {
        name: "format-2/hang",
        format: 2,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[("acl.dev.count", "timeout"), ("acl.free.null", "blocked")],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: Some("FAULT_HANG"),
        arguments: &["--deadline", "1"],
    },
    Stored {
        name: "format-2/history",
        format: 2,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[("acl.free.null", "pass"), ("acl.set.bounds", "fail"), ("acl.set.max", "flaky")],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
    Stored {
        name: "format-2/identity",
        format: 2,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[
            ("acl.dev.count", "crash"),
            ("acl.ctx.set-switches-device", "skipped"),
            ("acl.free.null", "blocked"),
            ("acl.malloc.align64", "blocked"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: Some("FAULT_SEGFAULT"),
        arguments: &[],
    },
    Stored {
        name: "format-2/interrupted",
        format: 2,
        product: "a2",
        seed: 20260101,
        exit: None,
        verdicts: &[("acl.malloc.withcfg-combos", "fail")],
        in_flight: &["acl.free.null"],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
    Stored {
        name: "format-2/other-product",
        format: 2,
        product: "200i-500-a2",
        seed: 7,
        exit: Some(1),
        verdicts: &[
            ("acl.free.null", "pass"),
            ("acl.ipc.unsupported", "observed"),
            ("acl.malloc.align32-saves", "pass"),
            ("acl.p2p.unsupported-product", "observed"),
            ("acl.event.ex-unsupported", "fail"),
        ],
        in_flight: &[],
        interrupted: &[],
        resumed: 0,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
    Stored {
        name: "format-2/resumed",
        format: 2,
        product: "a2",
        seed: 20260101,
        exit: Some(1),
        verdicts: &[
            ("acl.malloc.withcfg-combos", "fail"),
            ("acl.free.null", "pass"),
            ("acl.ipc.unsupported", "skipped"),
            ("acl.malloc.align64", "fail"),
            ("acl.ptr.location", "pass"),
        ],
        in_flight: &[],
        interrupted: &["acl.free.null"],
        resumed: 1,
        outgrown: &[],
        fault: None,
        arguments: &[],
    },
];
