//! Users' programs on a simulated machine: `simulator run`.

use std::process::{Command, Stdio};

use rstest::rstest;

use super::support::{Bench, answer, compiler, project};

/// A bench with a program that is linked with the simulated device under the name of the runtime's library.
fn with_program() -> Bench {
    let bench = Bench::new();
    let library = bench.run(["simulator", "--print-path", "."]);
    assert_eq!(library.status, 0, "{}", library.text);
    std::os::unix::fs::symlink(bench.path(library.text.trim()), bench.path("libascendcl.so")).unwrap();
    let built = Command::new(compiler())
        .arg(project().join("fixtures/programs/shared-block.c"))
        .arg("-L")
        .arg(bench.path(""))
        .args(["-lascendcl", "-o"])
        .arg(bench.path("program"))
        .status();
    assert!(built.unwrap().success());
    // The loader finds only the library of `simulator run`.
    std::fs::remove_file(bench.path("libascendcl.so")).unwrap();
    bench
}

#[test]
fn a_program_that_is_linked_with_the_runtime_runs_on_a_simulated_machine() {
    let bench = with_program();
    let ran = bench.run(["simulator", "run", "--product", "a3", "--", "./program", "copy"]);
    ran.says(0, &["SIMULATED DEVICE in ", "say nothing about a card", "copied"]);
}

#[test]
fn a_defect_of_the_device_reaches_the_program() {
    let bench = with_program();
    let words = ["simulator", "run", "--defect", "bad.refuse-all", "--", "./program", "copy"];
    bench.run(words).says(3, &["aclInit(NULL): 107000"]);
}

#[rstest]
#[case::a_status(&["nothing"], 7)]
#[case::a_signal(&["abort"], 128 + 6)]
fn the_exit_status_is_the_programs(#[case] words: &[&str], #[case] status: i32) {
    let bench = with_program();
    let all = ["simulator", "run", "--", "./program"].iter().chain(words);
    assert_eq!(bench.run(all).status, status);
}

#[test]
fn programs_with_the_same_folder_share_one_machine() {
    let bench = with_program();
    let of = |what: &str| bench.command(["simulator", "run", "--machine", "machine", "--", "./program", what, "key"]);
    let mut exporter = of("export");
    let exporter = exporter.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    answer(&mut of("import")).says(0, &["shared"]);
    let ended = exporter.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert!(bench.path("machine").exists(), "a folder that the user named stays");
}

#[test]
fn programs_with_different_folders_do_not_see_each_other() {
    let bench = with_program();
    let of = |machine: &str, what: &str| {
        bench.command(["simulator", "run", "--machine", machine, "--", "./program", what, "key"])
    };
    let mut exporter = of("one", "export");
    let exporter = exporter.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    answer(&mut of("other", "import")).says(3, &["aclrtIpcMemImportByKey"]);
    assert!(exporter.wait_with_output().unwrap().status.success());
}

#[test]
fn a_new_machine_leaves_nothing_behind() {
    let bench = with_program();
    std::fs::create_dir(bench.path("temporary")).unwrap();
    let mut command = bench.command(["simulator", "run", "--", "./program", "copy"]);
    answer(command.env("TMPDIR", bench.path("temporary"))).says(0, &["copied"]);
    assert_eq!(std::fs::read_dir(bench.path("temporary")).unwrap().count(), 0);
}

#[rstest]
#[case::no_program(&["run"], "-- <PROGRAM>")]
#[case::no_such_program(&["run", "--", "./missing"], "./missing: No such file or directory (os error 2); give the program's path after `--`")]
#[case::no_such_defect(&["run", "--defect", "copy.tail", "--", "true"], "unknown defect")]
#[case::no_such_product(&["run", "--product", "a9", "--", "true"], "there is no product `a9`")]
#[case::no_such_edition(&["run", "--sim", "edition=7", "--", "true"], "known editions are")]
#[case::too_many_devices(&["run", "--devices", "1000", "--", "true"], "the simulated machine has at most")]
#[case::two_requests(&["--list", "run", "--", "true"], "cannot be used with")]
fn a_mistake_in_the_command_line_is_named(#[case] words: &[&str], #[case] text: &str) {
    let bench = Bench::new();
    bench.run(["simulator"].iter().chain(words)).says(2, &[text]);
}
