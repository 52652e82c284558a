//! `atlas-cts catalog abi` finds each kind of change between releases of a library, and none where nothing changed.

use crate::support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rstest::rstest;
use support::{Bench, answer, project};

/// A library of `fixtures/abi` in one of its releases, with versions of its symbols.
fn library(bench: &Bench, name: &str, flags: &[&str], version: &str) -> PathBuf {
    let folder = bench.path(name);
    fs::create_dir_all(&folder).unwrap();
    let map = folder.join("versions");
    fs::write(&map, format!("{version} {{ global: note_versioned; }};\nNOTES_1 {{ global: note_*; local: *; }};\n"))
        .unwrap();
    let path = folder.join("libnotes.so");
    let mut compiler = Command::new("gcc");
    compiler.args(["-shared", "-fPIC", "-Wl,-soname,libnotes.so"]).args(flags);
    compiler.arg(format!("-Wl,--version-script={}", map.display()));
    answer(compiler.arg(project().join("fixtures/abi/notes.c")).arg("-o").arg(&path)).says(0, &[]);
    path
}

#[test]
fn symbols_versions_and_needed_libraries_of_two_releases_are_compared() {
    let bench = Bench::new();
    let before = library(&bench, "before", &[], "NOTES_1_0");
    let after = library(&bench, "after", &["-DAFTER", "-Wl,--no-as-needed", "-lm"], "NOTES_2_0");
    let compared =
        bench.run(["catalog".as_ref(), "abi".as_ref(), after.as_os_str(), "--against".as_ref(), before.as_os_str()]);
    compared.says(
        1,
        &[
            "missing symbol note_backup: no longer exported",
            "symbol version note_versioned: NOTES_1_0 became NOTES_2_0",
            "needs `libm.so.6 libc.so.6`, needed `",
            "new note_added: newly exported",
        ],
    );
    // A library does not contain prototypes.
    assert!(!compared.text.contains("note_lock"), "{}", compared.text);
}

#[test]
fn nothing_differs_between_a_library_and_its_copy() {
    let bench = Bench::new();
    let before = library(&bench, "before", &[], "NOTES_1_0");
    let copy = bench.path("copy.so");
    fs::copy(&before, &copy).unwrap();
    bench
        .run(["catalog".as_ref(), "abi".as_ref(), copy.as_os_str(), "--against".as_ref(), before.as_os_str()])
        .says(0, &["0 differences, 0 additions"]);
}

#[test]
fn a_forwarding_library_offers_the_exports_of_the_libraries_it_needs() {
    let bench = Bench::new();
    let written = bench.run(["simulator", "--print-path", "."]);
    let device = bench.path(written.says(0, &[]).text.trim());
    fs::copy(&device, bench.path("libdevice.so")).unwrap();
    let mut compiler = Command::new("gcc");
    compiler.args(["-shared", "-fPIC", "-x", "c", "/dev/null", "-Wl,--no-as-needed", "-L."]);
    compiler.args(["-l:libdevice.so", "-o", "libforward.so"]).current_dir(bench.path(""));
    answer(&mut compiler).says(0, &[]);
    let missing = |library: &str| {
        let text = bench.run(["catalog", "abi", library]).says(1, &[]).text.clone();
        text.lines().filter(|line| line.starts_with("missing symbol")).map(str::to_owned).collect::<Vec<_>>()
    };
    let of_the_device = missing("libdevice.so");
    assert!(!of_the_device.is_empty(), "the simulated device does not have every function of the header");
    assert_eq!(missing("libforward.so"), of_the_device);
    bench.run(["catalog", "abi", "libforward.so"]).says(1, &["needed by it: libdevice.so ("]);
}

#[test]
fn functions_that_the_simulated_device_lacks_concern_no_rule() {
    let bench = Bench::new();
    let written = bench.run(["simulator", "--print-path", "."]);
    let path = written.says(0, &[]).text.trim().to_owned();
    let compared = bench.run(["catalog", "abi", path.as_str()]);
    compared.says(
        1,
        &["missing symbol", "supported in every edition", "not compared: prototypes, enumerators and layouts"],
    );
    assert!(!compared.text.contains("concerns"), "{}", compared.text);
}

#[rstest]
#[case::no_library("notes.txt", 3, "not a 64-bit ELF library")]
#[case::nothing("missing.so", 2, "cannot read")]
fn a_file_that_is_not_a_library_is_named(#[case] name: &str, #[case] status: i32, #[case] said: &str) {
    let bench = Bench::new();
    bench.write("notes.txt", "notes");
    bench.run(["catalog", "abi", name]).says(status, &[said]);
}
