//! What the executable carries: the simulated device and the catalog. Nothing that lies at a path which was known when
//! it was built is loaded or read in their place.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use support::{Bench, answer, project, take_environment};

/// Whether this user may make a mount namespace of its own.
fn may_hide_folders() -> bool {
    Command::new("unshare").args(["--mount", "true"]).output().is_ok_and(|output| output.status.success())
}

/// The command in a namespace in which a folder is replaced by another one; `None`: that is not allowed here.
fn where_a_folder_is_replaced(bench: &Bench, hidden: &Path, by: &Path, words: &[&str]) -> Option<support::Answer> {
    if !may_hide_folders() {
        eprintln!("not run: this user may not make a mount namespace (unshare --mount)");
        return None;
    }
    let executable = bench.path("atlas-cts");
    fs::copy(env!("CARGO_BIN_EXE_atlas-cts"), &executable).unwrap();
    let command = bench.command([""; 0]);
    let mut shell = Command::new("unshare");
    shell
        .args(["--mount", "sh", "-c", "mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\"", "sh"])
        .args([by, hidden, &executable])
        .args(words)
        .current_dir(bench.path(""));
    take_environment(&mut shell, &command);
    // Cargo runs the tests in its checkout; a user has no such variable.
    Some(answer(shell.env_remove("CARGO_MANIFEST_DIR")))
}

#[test]
fn a_run_needs_neither_the_checkout_nor_the_folder_of_the_build() {
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
fn what_is_put_where_the_project_was_is_not_read() {
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
fn without_a_folder_of_its_own_a_run_writes_below_the_current_one() {
    let bench = Bench::new();
    let empty = bench.path("empty");
    fs::create_dir(&empty).unwrap();
    let words = ["run", "acl.set.byte", "--product", "a2", "--backend", "simulator"];
    let Some(answer) = where_a_folder_is_replaced(&bench, &project(), &empty, &words) else { return };
    answer.says(0, &["1 pass"]);
    assert!(bench.path("reports/out/latest/results.jsonl").exists());
}

#[test]
fn a_copy_of_the_simulated_device_is_written_where_it_is_asked_for() {
    let bench = Bench::new();
    let folder = bench.path("copies");
    fs::create_dir(&folder).unwrap();
    let printed = bench.run(["simulator", "--print-path", "copies"]);
    printed.says(0, &["copies/libatlas_cts_simulator.so"]);
    let library = Path::new(printed.text.trim());
    let words = ["run", "acl.set.byte", "--product", "a2", "--report-dir", "report", "--library"];
    bench.run(words.iter().map(AsRef::as_ref).chain([library.as_os_str()])).says(0, &["1 pass"]);
    // Asked again, it is the same file; when somebody changed it, it is not handed out.
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
fn a_catalog_that_is_named_takes_the_place_of_the_one_that_is_carried() {
    let bench = Bench::new();
    bench.catalog("title: Small\nrules: []\n");
    let answer = bench.run(["lint", "--specs", "specs"]);
    assert!(!answer.text.contains("301 rules"), "{}", answer.text);
    bench.run(["lint"]).says(0, &["rules in", "no mistakes"]);
    bench.run(["lint", "--specs", "nowhere"]).says(2, &["nowhere holds no catalog of acl", "--specs DIR"]);
}
