//! The Python module over the simulated device, with its seeded defects and legal variants.

use engine::runtime::{EmbeddedModule, Switch};

/// The module's parts, packages first.
const SOURCES: &[(&str, &str)] = &[
    ("acl", include_str!("../../../fixtures/pyacl/acl/__init__.py")),
    ("acl.media", include_str!("../../../fixtures/pyacl/acl/media.py")),
    ("acl.rt", include_str!("../../../fixtures/pyacl/acl/rt.py")),
    ("acl._wrap", include_str!("../../../fixtures/pyacl/acl/_wrap.py")),
    ("acl._switches", include_str!("../../../fixtures/pyacl/acl/_switches.py")),
];

/// The module, in the form of the founding document.
pub(crate) const MODULE: EmbeddedModule =
    EmbeddedModule { interface: "pyacl", sources: SOURCES, defects: DEFECTS, variants: VARIANTS };

const fn switch(name: &'static str, mechanism: &'static str) -> Switch {
    Switch { name, mechanism }
}

const DEFECTS: &[Switch] = &[
    switch("pyacl.size-truncated-to-32-bits", "Sizes are read as 32-bit numbers, so their upper half is lost."),
    switch("pyacl.size-signed", "Sizes are read as signed numbers: from 2^63 on, the call raises an exception."),
    switch("pyacl.address-truncated-to-32-bits", "Addresses that a call returns lose their upper half."),
    switch(
        "pyacl.value-through-double",
        "64-bit values pass through a floating-point number and lose their last bits.",
    ),
    switch("pyacl.code-first", "The code is the first result and not the last."),
    switch("pyacl.memory-results-swapped", "Free and total memory are returned in the other order."),
    switch("pyacl.room-and-count-swapped", "A copy takes the room of the destination for the number of bytes."),
    switch("pyacl.key-bytes", "The key of shared memory is returned as bytes and not as str."),
    switch("pyacl.key-cut-short", "The key of shared memory loses its last character."),
    switch("pyacl.only-first-process", "Of a list of process ids, only the first is passed on."),
    switch("pyacl.raises-on-error", "A refused call raises an exception in place of returning the code."),
    switch("pyacl.code-lost", "The code is always 0."),
    switch("pyacl.code-of-last-call", "A refused call returns the code of the call before it."),
    switch("pyacl.none-refused", "None is not accepted for the path of a configuration."),
    switch(
        "pyacl.negative-device-wraps",
        "A negative device id counts from the last device, as an index of a list does.",
    ),
    switch("pyacl.device-cached", "The current device is remembered from the first query."),
    switch("pyacl.stream-ignored", "Queued copies and memory settings go to the default stream."),
    switch("pyacl.block-leaked", "Each allocation makes a second one that is never returned."),
    switch("pyacl.lock-lost-in-wait", "A wait releases the interpreter's lock and does not take it again."),
];

const VARIANTS: &[Switch] = &[
    switch("pyacl.variant.int-subclass", "Integers are of a subclass of int."),
    switch("pyacl.variant.index-objects", "Integers are objects that convert to int, as those of numpy do."),
    switch("pyacl.variant.str-subclass", "Keys are of a subclass of str."),
    switch("pyacl.variant.results-in-list", "Several results are a list and not a tuple."),
    switch("pyacl.variant.refused-results-none", "A refused call returns None for everything but the code."),
    switch("pyacl.variant.null-is-none", "A null address that a call returns is None."),
    switch("pyacl.variant.callable-objects", "Functions are objects whose parameters have other names."),
    switch("pyacl.variant.lock-kept", "The interpreter's lock is kept during each call."),
];
