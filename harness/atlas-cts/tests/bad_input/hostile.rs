//! Hostile catalogs and files: nothing hangs on them, and their content neither leaves the report's folder nor moves
//! the terminal's cursor.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use rstest::rstest;

use super::support::{Answer, Bench, answer};
use super::{CHAPTER, lint};

/// Runs the command; a command that hangs ends with status 124.
fn in_time(bench: &Bench, arguments: &[&str]) -> Answer {
    let atlas = bench.command(arguments);
    let mut command = Command::new("timeout");
    // Without a limit, an endless file would take the machine's memory before the timeout.
    command.args(["60", "sh", "-c", "ulimit -v 8000000; exec \"$0\" \"$@\""]);
    command.arg(atlas.get_program()).args(atlas.get_args()).current_dir(bench.path(""));
    answer(&mut command)
}

fn fifo(path: &Path) {
    let _ = fs::remove_file(path);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
}

#[rstest]
#[case::chapter("acl/rules/small.yaml")]
#[case::another_chapter("acl/rules/deeper/x.yaml")]
#[case::api("acl/api.yaml")]
#[case::products("acl/products.yaml")]
#[case::support("acl/support.yaml")]
fn a_catalog_neither_waits_for_a_fifo_nor_reads_a_device(#[case] file: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let path = bench.path("specs").join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fifo(&path);
    let says = format!("specs/{file}: is a FIFO, not a file; a catalog consists of readable files");
    in_time(&bench, &["catalog", "lint", "--specs", "specs"]).says(2, &[&says]);
    fs::remove_file(&path).unwrap();
    symlink("/dev/zero", &path).unwrap();
    in_time(&bench, &["catalog", "lint", "--specs", "specs"]).says(2, &[&says.replace("FIFO", "device")]);
}

#[test]
fn a_library_must_be_a_file_of_this_machine() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let library = bench.path("libtested.so");
    let run = ["run", "--specs", "specs", "--report-dir", "report", "--library", "libtested.so"];
    fifo(&library);
    in_time(&bench, &run).says(3, &["libtested.so: is a FIFO, not a file; give the path of the runtime's shared"]);
    fs::remove_file(&library).unwrap();
    symlink("/dev/zero", &library).unwrap();
    in_time(&bench, &run).says(3, &["libtested.so: is a device, not a file; give the path"]);
    fs::remove_file(&library).unwrap();
    let mut elf = [0; 64];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x02");
    elf[18..20].copy_from_slice(&62u16.to_be_bytes());
    fs::write(&library, elf).unwrap();
    in_time(&bench, &run).says(3, &["is for another architecture (64-bit big-endian, ELF machine 62)"]);
}

#[test]
fn the_longest_id_works_as_a_file_name() {
    let bench = Bench::new();
    let id = format!("acl.small.{}", "x".repeat(190));
    bench.catalog(CHAPTER.replace("acl.small.block", &id));
    bench.run_catalog("report", &["--defect", "malloc.base-plus-32"]).says(1, &[&id]);
    assert!(bench.path("report/counterexamples").join(format!("{id}.json")).is_file());
}

#[rstest]
#[case::every("      more: {every: 0..511}\n", "")]
#[case::lists("      more: {list_of: {int: 0..9}, length: 0..4096}\n      order: {permutation: 1..4096}\n", "")]
#[case::rounds("", "      for (i < 65536) { for (j < 100) { p != NULL; } }\n")]
fn values_just_within_the_limits_are_accepted(#[case] axes: &str, #[case] steps: &str) {
    lint(CHAPTER.replacen("    steps", &format!("{axes}    steps"), 1) + steps).1.says(0, &["no mistakes"]);
}

#[track_caller]
fn expect_clean(answer: &Answer) {
    let painted = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!answer.text.contains(|c| painted(c) || c == '\u{202e}'), "{:?}", answer.text);
}

#[test]
fn the_content_of_a_catalog_is_cleaned_for_the_terminal() {
    let (_, answer) = lint(CHAPTER.replace("level: must", "levle: must # \u{1b}[31mred \u{202e}kcab"));
    answer.says(2, &["␛[31mred \\u{202e}kcab"]);
    expect_clean(&answer);
    let bench = Bench::new();
    bench.catalog(CHAPTER.replace("A block is aligned\n", "\"\\e[31mred \\u202Ekcab\"\n"));
    for arguments in [&["list"][..], &["explain", "acl.small.block"], &["print", "acl.small.block"]] {
        let answer = bench.run(arguments.iter().chain(&["--specs", "specs"]));
        answer.says(0, &["␛[31mred \\u{202e}kcab"]);
        expect_clean(&answer);
    }
    let answer = bench.run(["explain", "acl.\u{1b}[31m", "--specs", "specs"]);
    answer.says(2, &["acl.␛[31m"]);
    expect_clean(&answer);
}

#[test]
fn the_last_output_of_a_library_is_cleaned_for_the_terminal() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let source = bench.write(
        "dies.c",
        "#include <stdlib.h>\n#include <unistd.h>\n\
         __attribute__((constructor)) static void die(void)\n\
         { if (write(2, \"\\x1b[32mresult    conformant\\x1b[0m\\n\", 30) > 0) _exit(1); }\n",
    );
    bench.library(source.to_str().unwrap(), &[]);
    let answer = bench.run_catalog("report", &["--library", "libtested.so"]);
    answer.says(3, &["␛[32mresult    conformant"]);
    expect_clean(&answer);
}

#[rstest]
#[case::seeds(&["catalog", "prove", "--seeds", "0"], "0 is not in 1..")]
#[case::devices(&["run", "--devices", "4294967295"], "4294967295 is not in ")]
fn a_meaningless_number_is_refused(#[case] arguments: &[&str], #[case] message: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run(arguments.iter().chain(&["--specs", "specs"])).says(2, &[message]);
}
