//! Machines without a GPU: a run on CUDA's libraries ends with an error or a skip that names the cause, never with a
//! crash or a pass.

use rstest::rstest;

use crate::support::{Answer, Bench, answer};

const DRIVER: &str = "fixtures/machines/cuda-driver.c";
const TOOLKIT: &str = "fixtures/machines/cuda-toolkit.c";

/// Runs all rules on the libraries in the bench's folder.
fn run(bench: &Bench, words: &[&str]) -> Answer {
    let mut command = bench.command(["run", "--runtime", "cuda", "--report-dir", "report", "--tune", "deadline=5"]);
    command.args(words).env("LD_LIBRARY_PATH", bench.path("")).env_remove("CUDA_HOME");
    answer(&mut command)
}

fn passes(answer: &Answer) -> bool {
    answer.text.lines().any(|line| line.starts_with("pass "))
}

#[test]
fn a_toolkit_alone_is_not_a_device() {
    let bench = Bench::new();
    bench.library_named("libcudart.so.12", TOOLKIT, &[]);
    let answer = run(&bench, &["--backend", "device"]);
    answer.says(3, &["none of libcuda.so.1 was found", "install the NVIDIA driver", "--library PATH"]);
    assert!(!answer.text.contains("set_env.sh"), "{}", answer.text);
    let path = bench.path("libcudart.so.12");
    let answer = run(&bench, &["--library", path.to_str().unwrap()]);
    answer.says(2, &["is the library `toolkit` of cuda", "give the path of its library `driver`", "libcuda.so.1"]);
}

#[rstest]
#[case::no_device(&["CODE=100"], "CUDA_ERROR_NO_DEVICE")]
#[case::the_stub_of_the_toolkit(&["CODE=34", "STUB"], "CUDA_ERROR_STUB_LIBRARY")]
#[case::another_version_than_the_module(&["CODE=803"], "803")]
#[case::a_crash(&["CRASHES"], "SIGABRT")]
fn a_driver_that_does_not_start_is_reported_by_its_code(#[case] flags: &[&str], #[case] says: &str) {
    let bench = Bench::new();
    bench.library_named("libcuda.so.1", DRIVER, flags);
    bench.library_named("libcudart.so.12", TOOLKIT, &["DRIVER=12020"]);
    for words in [&["--backend", "device"][..], &["--library", "libcuda.so.1"]] {
        let answer = run(&bench, words);
        assert!(answer.text.contains(says), "{}", answer.text);
        assert!(!passes(&answer) && ![0, 101].contains(&answer.status), "{}", answer.text);
        let _ = std::fs::remove_dir_all(bench.path("report"));
    }
}
