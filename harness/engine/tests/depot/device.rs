//! The depot as a runtime: its libraries, and their defects.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use engine::runtime::{Runtime, SimulatedDevice, SimulatedLibrary};
use simulator_contract::{Defect, environment};
use tempfile::TempDir;

use crate::depot::bindings::BINDINGS;
use crate::gcc;

/// The depot as a worker knows it, without its simulated device.
pub static WITHOUT_DEVICE: Runtime =
    Runtime { bindings: &BINDINGS, specs: &[], fingerprint: 0, simulated: None, doctor: None, logs: None };

/// The depot with its simulated device.
pub fn depot() -> &'static Runtime {
    static DEPOT: LazyLock<Runtime> = LazyLock::new(|| with_libraries(&["depot", "audit"]));
    &DEPOT
}

/// A depot whose simulated device has only some of the libraries.
pub fn with_libraries(ids: &[&'static str]) -> Runtime {
    let libraries: Vec<&'static SimulatedLibrary> =
        ids.iter().map(|id| &*Box::leak(Box::new(simulated_library(id)))).collect();
    Runtime {
        bindings: &BINDINGS,
        specs: &[],
        fingerprint: 0,
        simulated: Some(SimulatedDevice {
            // Used for as long as the tests run.
            libraries: libraries.leak(),
            defects: DEFECTS,
            editions: &["1.9", "2.1"],
            bad_devices: BAD_DEVICES,
            variants: VARIANTS,
            module: None,
        }),
        doctor: None,
        logs: None,
    }
}

fn simulated_library(id: &'static str) -> SimulatedLibrary {
    let file_name: &'static str = format!("lib{id}.so").leak();
    let path = built("simulated", &[]).join(file_name);
    let bytes: &'static [u8] =
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).leak();
    SimulatedLibrary::new(id, file_name, bytes)
}

/// The folder of the tests' sources.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/depot")
}

/// Builds both libraries into a folder with this name, with more compiler arguments; returns the folder.
pub fn built(name: &str, words: &[&str]) -> PathBuf {
    // Once per process: several tests want the same folder, and an earlier process may have had other sources.
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("depot").join(name);
    if built.insert(name.to_owned()) {
        std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let search = format!("-L{}", folder.display());
        library(&folder, "depot", words);
        library(&folder, "audit", &[&search, "-ldepot"]);
    }
    folder
}

/// A folder with everything in the first library.
pub fn whole() -> TempDir {
    let into = tempfile::tempdir().expect("a folder can be made");
    library(into.path(), "depot", &[&folder().join("audit.c").display().to_string()]);
    into
}

/// Builds one library.
fn library(into: &Path, id: &str, words: &[&str]) {
    let own = [
        folder().join(format!("{id}.c")).display().to_string(),
        format!("-Wl,-soname,lib{id}.so"),
        format!("-DDEFECTS=\"{}\"", environment::DEFECTS),
        format!("-DPRODUCT=\"{}\"", environment::PRODUCT),
        format!("-DEDITION=\"{}\"", environment::EDITION),
    ];
    let words = ["-O1", "-Werror", "-shared", "-fPIC"]
        .into_iter()
        .chain(own.iter().map(String::as_str))
        .chain(words.iter().copied());
    gcc::build(&into.join(format!("lib{id}.so")), words);
}

const fn blunt(name: &'static str, mechanism: &'static str) -> Defect {
    Defect { name, mechanism, subtle: false, index: 0, source: 0 }
}

const fn subtle(name: &'static str, mechanism: &'static str) -> Defect {
    Defect { name, mechanism, subtle: true, index: 0, source: 0 }
}

/// The defects of the depot. The proof makes no matrix, so none needs a number.
pub const DEFECTS: &[Defect] = &[
    blunt("lot.same-number", "Every lot after the first gets its number."),
    blunt("lots.one-less", "The last lot is not counted."),
    subtle("lots.without-large", "Lots of more than 32 KiB are not counted."),
    blunt("release.kept", "A released lot stays."),
    subtle("release.first", "With several lots, the first one is released instead of the given one."),
    blunt("release.any-bytes", "A release with other bytes returns success, and does nothing."),
    subtle("release.fewer-bytes", "A release with fewer bytes releases the lot."),
    blunt("release.twice", "A missing lot is released."),
    subtle("release.twice-code", "A missing lot is reported as a wrong value."),
    blunt("reserve.no-limit", "Lots may be larger than the product allows."),
    blunt("reserve.zero-is-one", "A lot of no bytes gets one."),
    subtle("reserve.counts-refused", "Refused lots are counted."),
    blunt("full.code", "A full depot reports a wrong value."),
    subtle("full.one-early", "The last place is never taken."),
    blunt("lot.numbers-fall", "Each lot has a smaller number than the one before."),
    subtle("lot.number-reused", "A reused place gets its old number again."),
    blunt("take.zeros", "The bytes taken out are zeros."),
    subtle("put.last-of-odd", "The last byte of an odd number of bytes is wrong."),
    blunt("put.spills", "The byte after the range changes."),
    subtle("put.start-rounded", "A range starts at a multiple of 8."),
    blunt("range.clipped", "A range that ends outside is refused, but the part inside is written."),
    subtle("range.one-more", "A range may end one byte after its lot."),
    blunt("paint.first-byte", "Only the first byte is painted."),
    subtle("paint.whole-words", "The bytes after the last whole word stay unchanged."),
    blunt("cool.freezes", "A cooled lot loses its bytes."),
    subtle("cool.last-byte", "The last byte of a cooled lot is wrong."),
    blunt("cool.without-storage", "A depot without a cold storage loses the bytes of a cooled lot, with success."),
    subtle("cool.refused-and-lost", "A depot without a cold storage refuses the lot, and loses its first byte."),
    subtle("export.no-reference", "The memory of an exported lot is gone when its exporter gives it back."),
    subtle("export.dies-with-exporter", "A lot cannot be imported when its exporter has ended."),
    subtle("export.whole-blocks", "The bytes after the last whole block of 512 are not shared."),
    blunt("export.closed", "The descriptor of an exported lot is closed."),
    blunt("import.copies", "An imported lot is a copy."),
    blunt("label.empty", "The label reports no stored bytes."),
    subtle("label.rounded", "The bytes of a lot are rounded up to 8."),
    blunt("label.null", "A label without a place is written nowhere, with success."),
    subtle("label.null-code", "A label without a place is reported as a wrong lot."),
    blunt("yard.overlap", "A place begins before the end of the one before."),
    subtle("yard.unaligned-large", "Places of more than 4 KiB begin in the middle of 64 bytes."),
    blunt("yard.kept", "A place that is given back stays taken."),
    subtle("yard.far-uncounted", "Bytes on the far side are not counted."),
    blunt("lane.main-closed", "The main lane is closed."),
    subtle("lane.whole-words", "The other lanes lose the bytes after the last whole word."),
    blunt("extent.of-32-bits", "The start of an extent has 32 bits."),
    subtle("extent.end-rounded", "The end of an extent is rounded up to 64."),
    blunt("seal.first-place", "Every seal gives the first place."),
    subtle("seal.any-mark", "A changed seal gives its place."),
    blunt("audit.agrees", "Every lot agrees with every page."),
    subtle("audit.half-a-number", "Numbers are compared in their lower 32 bits."),
    blunt("audit.any-lot", "Missing lots have pages."),
    subtle("audit.no-lot-code", "A missing lot is reported as a missing page."),
    blunt("audit.counts-calls", "Each call is one entry."),
    blunt("audit.notes-nothing", "A call without entries returns success."),
    subtle("audit.entries-of-8-bits", "Entries are counted up to 255."),
    blunt("audit.stays-open", "An ended page stays open."),
    blunt("audit.ended-again", "A page can be ended again."),
    blunt("audit.seal-open", "A sealed page takes entries."),
    subtle("audit.seal-clears", "A sealed page loses its last entry."),
    blunt("audit.ticket-again", "The ticket of an ended page is given to the next one."),
    subtle("audit.ticket-again-if-empty", "The ticket of a page without entries is given to the next one."),
    subtle("audit.old-entries", "A page begins with the entries of the previous one."),
];

pub const BAD_DEVICES: &[Defect] = &[
    blunt("bad.refuses", "Every call is refused."),
    blunt("bad.nothing", "Every call returns success, and does nothing."),
    blunt("bad.zeros", "Every call returns success and zeros, and does nothing."),
];

pub const VARIANTS: &[Defect] = &[
    blunt("variant.sparse-numbers", "Numbers of lots lie far apart."),
    blunt("variant.import-keeps", "An import keeps a second descriptor of the lot."),
    blunt("variant.warm", "No depot has a cold storage."),
    blunt("variant.other-aisles", "Every lot lies in the seventh aisle."),
];
