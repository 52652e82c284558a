//! The embedded simulated device and catalog. No file at a path known at build time is loaded or read in their place.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use support::{Bench, answer, project, take_environment};

/// True if this user may create a mount namespace.
fn may_hide_folders() -> bool {
    Command::new("unshare").args(["--mount", "true"]).output().is_ok_and(|output| output.status.success())
}

/// Runs the command in a namespace in which a folder is replaced by another one; `None`: not allowed here.
fn where_a_folder_is_replaced(bench: &Bench, hidden: &Path, by: &Path, words: &[&str]) -> Option<support::Answer> {
    if !may_hide_folders() {
        eprintln!("not run: this user may not make a mount namespace (unshare --mount)");
        return None;
    }
    let executable = bench.copy_of_the_command();
    let command = bench.command([""; 0]);
    let mut shell = Command::new("unshare");
    shell
        .args(["--mount", "sh", "-c", "mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\"", "sh"])
        .args([by, hidden, &executable])
        .args(words)
        .current_dir(bench.path(""));
    take_environment(&mut shell, &command);
    // Cargo sets this variable for tests; a user does not have it.
    Some(answer(shell.env_remove("CARGO_MANIFEST_DIR")))
}

#[test]
fn a_run_needs_neither_the_checkout_nor_the_build_folder() {
    let bench = Bench::new();
    let empty = bench.path("empty");
    fs::create_dir(&empty).unwrap();
    let words = ["run", "acl.set.byte", "--product", "a2", "--backend", "simulator", "--report-dir", "report"];
    let Some(answer) = where_a_folder_is_replaced(&bench, &project(), &empty, &words) else { return };
    answer.says(0, &["1 pass"]);
    let header = bench.report("report").header;
    assert_eq!(header.library.path, "embedded");
    assert!(header.library.simulated);
}

#[test]
fn a_file_with_the_name_of_the_embedded_library_in_the_temporary_folder_is_not_loaded() {
    let bench = Bench::new();
    let words = ["run", "acl.set.byte", "--product", "a2", "--backend", "simulator", "--report-dir"];
    let run = |report: &str| answer(bench.command(words).arg(report).env("TMPDIR", bench.path("")));
    run("before").says(0, &["1 pass"]);
    let before = bench.report("before").header.library.sha256;
    bench.write(&format!("libatlas_cts_simulator-{}.so", &before[..16]), "planted");
    run("after").says(0, &["1 pass"]);
    assert_eq!(bench.report("after").header.library.sha256, before);
}

#[test]
fn files_at_the_former_place_of_the_project_are_not_read() {
    let bench = Bench::new();
    let planted = bench.path("planted");
    fs::create_dir_all(planted.join("specs/acl")).unwrap();
    fs::write(planted.join("specs/acl/api.yaml"), "planted: true\n").unwrap();
    let Some(answer) = where_a_folder_is_replaced(&bench, &project(), &planted, &["list", "--product", "a2"]) else {
        return;
    };
    answer.says(0, &["acl.set.byte"]);
}

#[test]
fn by_default_a_run_writes_below_the_current_folder() {
    let bench = Bench::new();
    let empty = bench.path("empty");
    fs::create_dir(&empty).unwrap();
    let words = ["run", "acl.set.byte", "--product", "a2", "--backend", "simulator"];
    let Some(answer) = where_a_folder_is_replaced(&bench, &project(), &empty, &words) else { return };
    answer.says(0, &["1 pass"]);
    assert!(bench.path("reports/out/latest/results.jsonl").exists());
}

#[test]
fn a_copy_of_the_simulated_device_is_written_on_request() {
    let bench = Bench::new();
    let folder = bench.path("copies");
    fs::create_dir(&folder).unwrap();
    let printed = bench.run(["simulator", "--print-path", "copies"]);
    printed.says(0, &["copies/libatlas_cts_simulator.so"]);
    let library = Path::new(printed.text.trim());
    let words = ["run", "acl.set.byte", "--product", "a2", "--report-dir", "report", "--library"];
    bench.run(words.iter().map(AsRef::as_ref).chain([library.as_os_str()])).says(0, &["1 pass"]);
    // A second request accepts the same file, but not a changed one.
    bench.run(["simulator", "--print-path", "copies"]).says(0, &["copies/libatlas_cts_simulator.so"]);
    let mut bytes = fs::read(library).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::set_permissions(library, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(library, bytes).unwrap();
    let changed = bench.run(["simulator", "--print-path", "copies"]);
    changed.says(3, &["differs from this suite's simulated device; remove it"]);
}

#[test]
fn a_given_catalog_replaces_the_embedded_one() {
    let bench = Bench::new();
    bench.catalog("title: Small\nrules: []\n");
    let answer = bench.run(["catalog", "lint", "--specs", "specs"]);
    assert!(!answer.text.contains("301 rules"), "{}", answer.text);
    bench.run(["catalog", "lint"]).says(0, &["rules in", "no mistakes"]);
    bench
        .run(["catalog", "lint", "--specs", "nowhere"])
        .says(2, &["nowhere contains no catalog for acl", "--specs DIR"]);
}
