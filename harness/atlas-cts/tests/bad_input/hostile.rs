//! Catalogs and files of somebody else: nothing hangs on them, and what they hold neither leaves the report's folder nor
//! moves the terminal's cursor.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use rstest::rstest;

use super::support::{Answer, Bench, answer};
use super::{CHAPTER, lint};

/// Runs the command; one that hangs ends with status 124.
fn in_time(bench: &Bench, arguments: &[&str]) -> Answer {
    let atlas = bench.command(arguments);
    let mut command = Command::new("timeout");
    // Without a limit an endless file would take the machine's memory before its time is over.
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
fn a_catalog_does_not_wait_for_a_fifo_nor_read_a_device(#[case] file: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let path = bench.path("specs").join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fifo(&path);
    let says = format!("specs/{file}: is a FIFO, not a file; a catalog is made of readable files");
    in_time(&bench, &["lint", "--specs", "specs"]).says(2, &[&says]);
    fs::remove_file(&path).unwrap();
    symlink("/dev/zero", &path).unwrap();
    in_time(&bench, &["lint", "--specs", "specs"]).says(2, &[&says.replace("FIFO", "device")]);
}

#[test]
fn a_library_is_a_file_of_this_machine() {
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

#[rstest]
#[case::path("acl.small.../../../x")]
#[case::markup("acl.x.'\"<>&…")]
#[case::slash("acl.small/block.x")]
#[case::shell("acl.small.$(reboot)")]
#[case::empty_part("acl..block")]
#[case::dot_at_the_end("acl.small.block.")]
#[case::two_parts("acl.small")]
#[case::upper_case("acl.small.Block")]
#[case::underscore("acl.small.a_block")]
#[case::blank("acl.small.a block")]
#[case::line_feed("acl.small.block\n")]
#[case::escape("acl.small.\u{1b}[31mred")]
#[case::null("acl.small.a\0b")]
#[case::other_direction("acl.small.\u{202e}kcolb")]
#[case::too_long(&format!("acl.small.{}", "x".repeat(191)))]
#[case::far_too_long(&format!("acl.small.{}", "x".repeat(5000)))]
fn an_odd_id_is_a_mistake(#[case] id: &str) {
    let id = format!("id: {}", serde_json::Value::from(id));
    let (bench, answer) = lint(CHAPTER.replacen("id: acl.small.block", &id, 1));
    let says = "a rule's id is `acl.<area>.<name>`: lower-case letters, digits and `-` between dots, at most 200 bytes";
    answer.says(2, &[says, "--> specs/acl/rules/small.yaml:4:9"]);
    bench.run_catalog("report", &["--backend", "simulator"]).says(2, &[says]);
}

#[test]
fn the_longest_id_names_files_of_a_run() {
    let bench = Bench::new();
    let id = format!("acl.small.{}", "x".repeat(190));
    bench.catalog(CHAPTER.replace("acl.small.block", &id));
    bench.run_catalog("report", &["--defect", "malloc.base-plus-32"]).says(1, &[&id]);
    assert!(bench.path("report/counterexamples").join(format!("{id}.json")).is_file());
}

#[rstest]
#[case::product("acl/products.yaml", "id: a3\n", "id: ../a3\n", "`../a3` cannot be the id of a product")]
#[case::command("acl/products.yaml", "id: a3\n", "id: $(a3)\n", "`$(a3)` cannot be the id of a product")]
#[case::run_mode("acl/api.yaml", "run_modes: [host", "run_modes: [host;reboot, host", "cannot be a run mode")]
#[case::axis(
    "acl/rules/small.yaml",
    "      size: {",
    "      \"a'b\": {every: 0..1}\n      size: {",
    "cannot be a name in the steps"
)]
fn an_odd_name_is_a_mistake(#[case] file: &str, #[case] text: &str, #[case] odd: &str, #[case] message: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let path = bench.path("specs").join(file);
    let good = fs::read_to_string(&path).unwrap();
    assert!(good.contains(text), "{good}");
    fs::write(&path, good.replacen(text, odd, 1)).unwrap();
    bench.run(["lint", "--specs", "specs"]).says(2, &[message, &format!("--> specs/{file}:")]);
}

#[rstest]
#[case::every(
    "{every: 0..4000000000}",
    "each of 4000000001 values would run in every profile, which is for at most 512"
)]
#[case::one_more("{every: 0..512}", "each of 513 values")]
#[case::every_of_a_product("{every: 1..product.page_size}", "each of 4096 values")]
#[case::no_step("{int: 0..9, multiple_of: 0}", "`multiple_of: 0`; write 1 or more")]
#[case::step_back("{bytes: 1..9, multiple_of: -7}", "`multiple_of: -7`; write 1 or more")]
#[case::list(
    "{list_of: {int: 0..9}, length: 1..4000000000}",
    "a list of 4000000000 items; lists and permutations have"
)]
#[case::permutation("{permutation: 1..4097}", "a list of 4097 items")]
#[case::less_than_nothing("{permutation: -3..3}", "`-3..3`; a length is 0 or more")]
#[case::beyond("{int: 0..40000000000000000000}", "this domain has more than 2^64 values")]
fn a_domain_that_no_profile_can_run_is_a_mistake(#[case] domain: &str, #[case] message: &str) {
    let (_, answer) = lint(CHAPTER.replacen("    steps", &format!("      more: {domain}\n    steps"), 1));
    answer.says(2, &[&format!("more: {message}"), "--> specs/acl/rules/small.yaml:11:13", "1 mistake in the catalog"]);
}

#[rstest]
#[case::every("      more: {every: 0..511}\n", "")]
#[case::lists("      more: {list_of: {int: 0..9}, length: 0..4096}\n      order: {permutation: 1..4096}\n", "")]
#[case::rounds("", "      for (i < 65536) { for (j < 100) { p != NULL; } }\n")]
fn what_is_just_within_the_limits_is_no_mistake(#[case] axes: &str, #[case] steps: &str) {
    lint(
        CHAPTER
            .replacen("    steps", &format!("{axes}    steps"), 1)
            .replace("    kills", &format!("{steps}    kills")),
    )
    .1
    .says(0, &["no mistakes"]);
}

/// Nothing would end these: a call in the loop is progress.
#[rstest]
#[case::constants("for (i < 65536) { for (j < 65536) { aclrtGetDeviceCount(&n); n > 0; } }", "4294967296")]
#[case::three_levels("for (i < 300) { for (j < 300) { for (k < 300) { size > 0; } } }", "27000000")]
#[case::axes("for (i < size) { for (j < size) { size > 0; } }", "4294967296")]
#[case::variables("uint64_t n = 65536; for (i < n) { for (j < n) { n += 0; } }", "4294967296")]
#[case::triangle("for (i < 65536) { for (j < i) { i > j; } }", "4294901760")]
#[case::side_by_side("for (i < 65536) { for (j < 100) { size > 0; } for (k < 100) { size > 0; } }", "13238272")]
#[case::alternatives("choose { a: for (i < 65536) { for (j < 999) { size > 0; } } b: size > 0; }", "65470464")]
fn loops_that_never_end_are_a_mistake(#[case] loops: &str, #[case] statements: &str) {
    let (_, answer) = lint(CHAPTER.replace("    kills", &format!("      {loops}\n    kills")));
    answer.says(2, &["up to ", statements, "statements in one case; a case may perform 10000000: lower the bounds"]);
    answer.says(2, &["--> specs/acl/rules/small.yaml:14:"]);
}

#[track_caller]
fn expect_clean(answer: &Answer) {
    let painted = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!answer.text.contains(|c| painted(c) || c == '\u{202e}'), "{:?}", answer.text);
}

#[test]
fn what_a_catalog_holds_does_not_reach_the_terminal_as_it_is() {
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
fn what_a_library_prints_before_it_dies_does_not_reach_the_terminal_as_it_is() {
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
#[case::seeds(&["prove", "--seeds", "0"], "0 is not in 1..")]
#[case::devices(&["run", "--devices", "4294967295"], "4294967295 is not in ")]
fn a_number_that_means_nothing_is_refused(#[case] arguments: &[&str], #[case] message: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run(arguments.iter().chain(&["--specs", "specs"])).says(2, &[message]);
}
