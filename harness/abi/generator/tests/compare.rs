//! `bindings-generator compare` finds the kinds of change that releases make under unchanged names, and reports nothing
//! if nothing changed. Headers that crash libclang end in an error message. So does a missing libclang.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rstest::rstest;
use tempfile::TempDir;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// Runs the command; returns its status and output. `None`: libclang is missing, and the output says so.
fn compare(headers: &Path, against: Option<&Path>) -> Option<(i32, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindings-generator"));
    command
        .args(["compare", "--runtime", "acl"])
        .arg(headers)
        .args(against.iter().flat_map(|folder| ["--against".as_ref(), folder.as_os_str()]));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if text.contains("libclang is missing") {
        assert!(std::env::var_os("ATLAS_CTS_REQUIRE_LIBCLANG").is_none(), "{text}");
        eprintln!("SKIPPED: {text}");
        return None;
    }
    Some((output.status.code().unwrap_or(-1), text))
}

/// A folder with one of the headers of `fixtures/abi`.
fn release(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::copy(project().join("fixtures/abi").join(name), folder.path().join("notes.h")).unwrap();
    folder
}

/// A folder with a header of the given text.
fn written(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("first.h"), text).unwrap();
    folder
}

#[rstest]
#[case::parameters("prototype        note_lock: i32 () became i32 (i32, void *)")]
#[case::a_function_that_goes("missing function note_backup: no longer declared")]
#[case::a_struct_under_another_name("prototype        note_resize: i32 (old_size) became i32 (new_size)")]
#[case::a_struct_that_goes("missing struct   old_size: no longer declared")]
#[case::a_field_before_the_reserve(
    "layout           note_settings: size 24 became 28; field reserved moved from 8 to 12; field buffer at 8 is new"
)]
#[case::a_field_of_another_type("layout           note_info: field is_clear: bool became u8")]
#[case::a_value("value            NOTE_LOUD: 1 became 2")]
#[case::a_macro("value            NOTE_LIMIT: 16 became 32")]
#[case::an_enumerator_that_goes("missing constant NOTE_RARE: no longer declared")]
#[case::an_enumerator_that_comes("new              NOTE_NEW: newly declared")]
#[case::a_function_that_comes("new              note_added: newly declared")]
fn a_change_in_the_headers_of_two_releases_is_named(#[case] change: &str) {
    let (before, after) = (release("before.h"), release("after.h"));
    let Some((status, text)) = compare(after.path(), Some(before.path())) else { return };
    assert!(status == 1 && text.contains(change), "{text}");
    // Names of parameters do not affect a compiled program.
    assert!(!text.contains("note_write"), "{text}");
}

#[test]
fn nothing_differs_between_headers_and_themselves_also_where_one_follows_another() {
    let headers = release("before.h");
    let follows = "/* Next to aclrtMalloc. */\nsize_t note_length(uint32_t note, bool all);\n";
    fs::write(headers.path().join("first.h"), follows).unwrap();
    let Some((status, text)) = compare(headers.path(), Some(headers.path())) else { return };
    assert!(status == 0 && text.contains("differences: 0, additions: 0"), "{text}");
}

/// The catalog's header with changes as in a new release: the differences name rules.
#[test]
fn a_difference_from_the_catalog_s_header_names_rules() {
    let original = fs::read_to_string(project().join("specs/acl/abi.h")).unwrap();
    let from = "aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);";
    assert!(original.contains(from), "the catalog's header has no `{from}`");
    let folder = written(&original.replacen(from, &from.replace("size_t count", "uint32_t count"), 1));
    let Some((status, text)) = compare(folder.path(), None) else { return };
    let differs = "prototype        aclrtMemset: i32 (void *, u64, i32, u64) became i32 (void *, u64, i32, u32)";
    assert!(status == 1 && text.contains(differs) && text.contains("concerns acl."), "{text}");
}

/// Input that libclang reads without end, or that crashes it, ends a process other than this one.
#[rstest]
#[case::endless("int aclInit(const char *c);\n#include \"/dev/zero\"\n")]
#[case::deep(&format!("int aclrtFree(void {} p);\n", "*".repeat(20_000)))]
#[case::a_crash_on_request("int aclInit(const char *c);\n#pragma clang __debug crash\n")]
#[case::a_panic("int aclInit(const char *c);\n#pragma clang __debug panic\n")]
#[case::not_c("class aclInit { };\n")]
#[case::nothing_of_the_interface("int other(void);\n")]
fn headers_that_cannot_be_read_are_named(#[case] text: &str) {
    let folder = written(text);
    let Some((status, said)) = compare(folder.path(), None) else { return };
    // Some releases of clang know the pragma only with assertions, and continue.
    assert!(matches!(status, 1 | 3), "{status}: {said}");
    assert!(!said.contains("panicked") && !said.contains(env!("CARGO_MANIFEST_DIR")), "{said}");
}

/// An installation without the media packages lacks their headers, which is not a difference.
#[test]
fn functions_of_optional_libraries_without_headers_are_left_out_and_named() {
    let original = fs::read_to_string(project().join("specs/acl/abi.h")).unwrap();
    assert!(original.contains("acldvppMalloc("), "the catalog's header has no media memory");
    let lines = original.lines().filter(|line| !line.contains("acldvpp") && !line.contains("hi_mpi_dvpp"));
    let folder = written(&lines.collect::<Vec<_>>().join("\n"));
    let Some((status, text)) = compare(folder.path(), None) else { return };
    assert!(text.contains("not compared: 2 functions acldvpp* of an optional library"), "{text}");
    assert!(status == 0 && !text.contains("missing function"), "{status}: {text}");
}
