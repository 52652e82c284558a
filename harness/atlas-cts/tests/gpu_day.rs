//! `ci/gpu.sh`: on a machine that cannot be used it says why in one line, and on one that can its parts leave what they
//! saw.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use rstest::rstest;

use crate::support::{Answer, Bench, answer, project};

/// The packed folder, and a folder with this `nvidia-smi` at the front of the path.
fn packed(tool: Option<&str>) -> (Bench, Command) {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("gpu/lib")).unwrap();
    fs::create_dir(bench.path("tools")).unwrap();
    fs::copy(project().join("ci/gpu.sh"), bench.path("gpu/gpu.sh")).unwrap();
    symlink(env!("CARGO_BIN_EXE_atlas-cts"), bench.path("gpu/atlas-cts")).unwrap();
    if let Some(tool) = tool {
        let file = bench.path("tools/nvidia-smi");
        fs::write(&file, format!("#!/bin/sh\ncase \"$*\" in\n{tool}\nesac\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new("bash");
    command.arg(bench.path("gpu/gpu.sh")).current_dir(bench.path("")).env("OUT", bench.path("out"));
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", bench.path("tools").display()));
    command.env("ATLAS_CTS_LOCKS", bench.path("locks"));
    (bench, command)
}

/// The only line of an answer.
fn refusal(answer: &Answer) -> &str {
    assert_eq!((answer.status, answer.text.trim_end().lines().count()), (3, 1), "{}", answer.text);
    answer.text.trim_end()
}

#[rstest]
#[case::no_tool(None, "no nvidia-smi")]
#[case::a_tool_without_a_driver(Some("*) echo 'NVIDIA-SMI has failed'; exit 9 ;;"), "NVIDIA-SMI has failed")]
#[case::an_old_driver(Some("*) echo 'CUDA Version: 10.2' ;;"), "names no CUDA version from 11 to 13 (10)")]
#[case::no_version(Some("*) echo 'CUDA Version: N/A' ;;"), "(none)")]
#[case::no_toolkit(Some("*-*) ;;\n*) echo 'CUDA Version: 12.4' ;;"), "no libcudart.so.12 for this driver")]
#[case::a_longer_name(Some("*-*) ;;\n*) echo 'CUDA UMD Version: 13.1' ;;"), "no libcudart.so.13 for this driver")]
#[case::parts_of_a_gpu(Some("*mig*) echo Enabled ;;\n*) echo 'CUDA Version: 12.4' ;;"), "MIG is enabled")]
#[case::other_users(Some("*apps*) echo 4711 ;;\n*-*) ;;\n*) echo 'CUDA Version: 12.4' ;;"), "1 other processes use")]
fn a_machine_that_cannot_be_used_is_refused_in_one_line(#[case] tool: Option<&str>, #[case] says: &str) {
    let (_bench, mut command) = packed(tool);
    let answer = answer(&mut command);
    assert!(refusal(&answer).contains(says), "{}", answer.text);
}

#[test]
fn a_place_for_results_that_cannot_be_written_is_refused_in_one_line() {
    let (bench, mut command) = packed(None);
    fs::write(bench.path("file"), "").unwrap();
    let answer = answer(command.arg("--dry").env("OUT", bench.path("file/out")));
    assert!(refusal(&answer).contains("is full or read-only"), "{}", answer.text);
}

#[rstest]
#[case::a_part(&["seeds"], "no part seeds")]
#[case::rules_for_a_part_without(&["main", "cuda.memory"], "only the part reds takes rules")]
fn a_misspelled_word_is_a_usage_error(#[case] words: &[&str], #[case] says: &str) {
    let (_bench, mut command) = packed(None);
    answer(command.args(words)).says(2, &[says]);
}

#[test]
fn facts_of_the_machine_and_answers_are_written() {
    let (bench, mut command) = packed(None);
    answer(command.args(["--dry", "facts"])).says(0, &["0 broken rules"]);
    for file in ["machine.txt", "doctor.txt", "first/results.jsonl", "questions/results.jsonl", "answers.json"] {
        let length = fs::metadata(bench.path("out/facts").join(file)).map(|file| file.len());
        assert!(length.is_ok_and(|length| length > 0), "{file}");
    }
}

#[test]
fn a_red_rule_is_run_again_and_gets_a_c_program() {
    let (bench, mut command) = packed(None);
    command.env("ATLAS_CTS_SIM_DEFECTS", "copy.odd-last-byte-dropped");
    command.args(["--dry", "reds", "cuda.memory.roundtrip"]);
    answer(&mut command).says(1, &["cuda.memory.roundtrip: verdicts  1 fail", "the C program: shows it"]);
    assert!(bench.path("out/reds/c-cuda.memory.roundtrip/reproducer.c").exists());
}
