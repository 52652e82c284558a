//! `atlas-cts abi`: the kinds of change that releases bring under unchanged names are found, and nothing where nothing changed.
//! What reads headers needs libclang, and says where it is missing.

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rstest::rstest;
use support::{Answer, Bench, answer, project};

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

/// A folder with one of the headers of `fixtures/abi`.
fn headers(bench: &Bench, name: &str) -> PathBuf {
    let folder = bench.path(&format!("headers-{name}"));
    fs::create_dir_all(&folder).unwrap();
    fs::copy(project().join("fixtures/abi").join(name), folder.join("notes.h")).unwrap();
    folder
}

/// Whether libclang is missing here; then the answer says so.
fn lacks_libclang(answer: &Answer) -> bool {
    let lacks = answer.text.contains("libclang is missing");
    if lacks {
        answer.says(3, &["install libclang, or leave --headers out"]);
        eprintln!("headers are not compared: {}", answer.text);
    }
    lacks
}

#[test]
fn symbols_versions_and_needed_libraries_of_two_releases_are_compared() {
    let bench = Bench::new();
    let before = library(&bench, "before", &[], "NOTES_1_0");
    let after = library(&bench, "after", &["-DAFTER", "-Wl,--no-as-needed", "-lm"], "NOTES_2_0");
    let compared = bench.run(["abi".as_ref(), after.as_os_str(), "--against".as_ref(), before.as_os_str()]);
    compared.says(
        1,
        &[
            "missing symbol note_backup: not exported any more",
            "symbol version note_versioned: NOTES_1_0 became NOTES_2_0",
            "needs `libm.so.6 libc.so.6`, needed `",
            "new note_added: exported, and was not",
        ],
    );
    // The prototype of a symbol is not in the library.
    assert!(!compared.text.contains("note_lock"), "{}", compared.text);
}

#[test]
fn nothing_differs_between_a_library_and_its_copy() {
    let bench = Bench::new();
    let (before, headers) = (library(&bench, "before", &[], "NOTES_1_0"), headers(&bench, "before.h"));
    let copy = bench.path("copy.so");
    fs::copy(&before, &copy).unwrap();
    bench
        .run(["abi".as_ref(), copy.as_os_str(), "--against".as_ref(), before.as_os_str()])
        .says(0, &["0 differences, 0 additions"]);
    let words = ["--headers".as_ref(), headers.as_os_str(), "--against".as_ref(), headers.as_os_str()];
    let compared = bench.run(["abi".as_ref(), before.as_os_str()].into_iter().chain(words));
    if !lacks_libclang(&compared) {
        compared.says(0, &["0 differences, 0 additions"]);
    }
}

#[rstest]
#[case::parameters("prototype note_lock: i32 () became i32 (i32, void *)")]
#[case::a_function_that_goes("missing function note_backup: not declared any more")]
#[case::a_struct_under_another_name("prototype note_resize: i32 (old_size) became i32 (new_size)")]
#[case::a_struct_that_goes("missing struct old_size: not declared any more")]
#[case::a_field_before_the_reserve(
    "layout note_settings: size 24 became 28; field reserved moved from 8 to 12; field buffer at 8 is new"
)]
#[case::a_field_of_another_type("layout note_info: field is_clear: bool became u8")]
#[case::a_value("value NOTE_LOUD: 1 became 2")]
#[case::a_macro("value NOTE_LIMIT: 16 became 32")]
#[case::an_enumerator_that_goes("missing constant NOTE_RARE: not declared any more")]
#[case::an_enumerator_that_comes("new NOTE_NEW: declared, and was not")]
#[case::a_function_that_comes("new note_added: declared, and was not")]
fn a_change_in_the_headers_of_two_releases_is_named(#[case] change: &str) {
    let bench = Bench::new();
    let library = library(&bench, "after", &["-DAFTER"], "NOTES_1_0");
    let (before, after) = (headers(&bench, "before.h"), headers(&bench, "after.h"));
    let words = ["--headers".as_ref(), after.as_os_str(), "--against".as_ref(), before.as_os_str()];
    let compared = bench.run(["abi".as_ref(), library.as_os_str()].into_iter().chain(words));
    if lacks_libclang(&compared) {
        return;
    }
    compared.says(1, &[change]);
    // Names of parameters change nothing in a compiled program.
    assert!(!compared.text.contains("note_write"), "{}", compared.text);
}

/// The header declares functions that no rule calls; the simulated device has the others.
#[test]
fn a_header_that_is_meant_to_follow_another_one_is_read() {
    let bench = Bench::new();
    let (library, headers) = (library(&bench, "before", &[], "NOTES_1_0"), headers(&bench, "before.h"));
    fs::write(headers.join("first.h"), "/* Beside aclrtMalloc. */\nsize_t note_length(uint32_t note, bool all);\n")
        .unwrap();
    let words = ["--headers".as_ref(), headers.as_os_str(), "--against".as_ref(), headers.as_os_str()];
    let compared = bench.run(["abi".as_ref(), library.as_os_str()].into_iter().chain(words));
    if !lacks_libclang(&compared) {
        compared.says(0, &["0 differences, 0 additions"]);
    }
}

#[test]
fn what_the_simulated_device_lacks_concerns_no_rule() {
    let bench = Bench::new();
    let written = bench.run(["simulator", "--print-path", "."]);
    let path = written.says(0, &[]).text.trim().to_owned();
    let compared = bench.run(["abi", path.as_str()]);
    compared.says(1, &["missing symbol", "the support table", "prototypes, enumerators and layouts: not looked at"]);
    assert!(!compared.text.contains("concerns"), "{}", compared.text);
}

/// The catalog's own header, changed as releases change: each difference names rules.
#[rstest]
#[case::a_prototype(
    "aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);",
    "aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, uint32_t count);",
    &["prototype aclrtMemset: i32 (void *, u64, i32, u64) became i32 (void *, u64, i32, u32)", "acl.set."]
)]
fn a_difference_from_the_catalog_s_header_names_rules(#[case] from: &str, #[case] to: &str, #[case] said: &[&str]) {
    let bench = Bench::new();
    let library = library(&bench, "before", &[], "NOTES_1_0");
    let text = fs::read_to_string(project().join("specs/acl/abi.h")).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = from.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&plain), "the catalog's header has no `{plain}`");
    let original = fs::read_to_string(project().join("specs/acl/abi.h")).unwrap();
    let folder = bench.path("headers");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("acl.h"), original.replacen(from, to, 1)).unwrap();
    let words = ["--headers".as_ref(), folder.as_os_str()];
    let compared = bench.run(["abi".as_ref(), library.as_os_str()].into_iter().chain(words));
    if !lacks_libclang(&compared) {
        compared.says(1, said);
    }
}

#[rstest]
#[case::no_library("notes.txt", "no 64-bit ELF library")]
#[case::nothing("missing.so", "cannot read")]
fn what_is_no_library_is_named(#[case] name: &str, #[case] said: &str) {
    let bench = Bench::new();
    bench.write("notes.txt", "notes");
    bench.run(["abi", name]).says(3, &[said]);
}
