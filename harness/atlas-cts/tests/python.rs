//! Calls through a Python module: the same verdicts as in C, defects of the module, and its legal variants.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use atlas_cts::runtimes::RUNTIMES;
use rstest::rstest;
use support::{Answer, Bench, project};

/// True if this machine has an interpreter that can be used. A test that is skipped says so.
pub static USABLE: LazyLock<bool> = LazyLock::new(|| {
    let check = "import sys; sys.exit(sys.version_info < (3, 8))";
    let usable = Command::new("python3").args(["-c", check]).status().is_ok_and(|status| status.success());
    if !usable {
        eprintln!("SKIPPED: no python3 of version 3.8 or later, so calls through Python are not tested");
    }
    usable
});

const ON_A2: [&str; 6] = ["--product", "a2", "--backend", "simulator", "--seed", "1"];

/// Runs rules with additional words. Returns the answer, and the verdicts by rule.
fn run(bench: &Bench, rules: &[&str], more: &[&str]) -> (Answer, Vec<(String, String)>) {
    let report = format!("report-{}", more.join("-").replace(['/', ' '], "_"));
    let words = ["run"].iter().chain(rules).chain(&ON_A2).chain(more).copied();
    let answer = bench.run(words.chain(["--report-dir", &report]));
    let read = bench.report(&report);
    let verdicts = read.verdicts().into_iter().map(|(rule, verdict)| (rule.to_owned(), verdict.to_owned())).collect();
    (answer, verdicts)
}

const THROUGH: [&str; 2] = ["--through", "pyacl"];

fn through<'a>(more: &[&'a str]) -> Vec<&'a str> {
    THROUGH.iter().chain(more).copied().collect()
}

#[test]
fn a_rule_runs_through_the_module() {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let (answer, verdicts) = run(&bench, &["acl.copy.sync-roundtrip"], &THROUGH);
    answer.says(0, &["1 pass", "calls through pyacl (Python 3."]);
    assert_eq!(verdicts[0].1, "pass");
    let report = bench.report("report---through-pyacl");
    assert_eq!(report.header.settings.through.as_deref(), Some("pyacl"));
}

/// A case of a rule: to find a failing case and to shrink it takes Python seconds, and tests nothing of the module.
const EXPORTED_KEY: &str = "acl.ipc.export-key:choose=normal_pages;n=1;size=65536";
const LARGE_COPY: &str = "acl.copy.sync-roundtrip:choose=pageable_source;choose_2=pageable_target;cut=1;size=65569";

/// Each defect of the module, with a rule or a case that notices it and what the report says.
#[rstest]
#[case("pyacl.size-truncated-to-32-bits", "acl.malloc.too-large", "aclrtMalloc returned success, it must fail")]
#[case("pyacl.size-signed", "acl.malloc.overflow", "raised struct.error")]
#[case("pyacl.address-truncated-to-32-bits", "acl.malloc.extent-roundtrip:other=65536;policy=1;size=1", "extent")]
#[case("pyacl.value-through-double", "acl.value.write", "acl.value.write")]
#[case("pyacl.memory-results-swapped", "acl.meminfo.order", "acl.meminfo.order")]
#[case("pyacl.room-and-count-swapped", "acl.copy.dest-max", "acl.copy.dest-max")]
#[case("pyacl.key-bytes", EXPORTED_KEY, "for key, which is documented as str")]
#[case("pyacl.key-cut-short", EXPORTED_KEY, "acl.ipc.export-key")]
#[case("pyacl.only-first-process", "acl.ipc.setpid-count:count=32;part=1", "acl.ipc.setpid-count")]
#[case("pyacl.raises-on-error", "acl.dev.set-invalid:id=-1", "acl.rt.set_device raised RuntimeError")]
#[case("pyacl.code-lost", "acl.dev.set-invalid:id=-1", "returned success, it must fail")]
#[case("pyacl.code-of-last-call", "acl.dev.set-invalid:id=-1", "acl.dev.set-invalid")]
#[case("pyacl.negative-device-wraps", "acl.dev.set-invalid:id=-1", "returned success, it must fail")]
#[case("pyacl.device-cached", "acl.dev.set-valid", "acl.dev.set-valid")]
#[case("pyacl.stream-ignored", "acl.copy.async-held:size=2097152", "acl.copy.async-held")]
#[case("pyacl.block-leaked", "acl.releases.device", "acl.releases.device")]
#[case("pyacl.lock-lost-in-wait", "acl.copy.async-order --case {\"n\":2,\"sizes\":[1,1]}", "acl.copy.async-order")]
fn a_defect_of_the_module_is_noticed(#[case] defect: &str, #[case] rule: &str, #[case] says: &str) {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let words: Vec<&str> = rule.split(' ').collect();
    let (answer, verdicts) = run(&bench, &words, &through(&["--defect", defect]));
    assert!(verdicts.iter().any(|(_, verdict)| verdict != "pass"), "{defect}: {verdicts:?}");
    // Rules of level `info` are broken without failing the run.
    answer.says(answer.status, &[says]);
    let id = rule.split([':', ' ']).next().unwrap();
    assert_eq!(WITHOUT_DEFECTS.get(id).map(String::as_str), Some("pass"), "{id} is among `NOTICING`, and passes");
}

/// The rules that notice the defects of the module.
const NOTICING: &str = "acl.copy.async-held acl.copy.async-order acl.copy.dest-max acl.dev.set-invalid \
    acl.dev.set-valid acl.ipc.export-key acl.ipc.setpid-count acl.malloc.extent-roundtrip acl.malloc.overflow \
    acl.malloc.too-large acl.meminfo.order acl.releases.device acl.value.write";

/// The verdicts of these rules through the module without defects. One run for all tests: the start of Python takes
/// longer than the rules.
static WITHOUT_DEFECTS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let (_, verdicts) = run(&Bench::new(), &NOTICING.split(' ').collect::<Vec<_>>(), &THROUGH);
    verdicts.into_iter().collect()
});

/// Rules that use results of every kind.
const BROAD: &[&str] = &[
    "acl.copy.sync-roundtrip",
    "acl.ipc.export-key",
    "acl.ipc.same-device-share",
    "acl.meminfo.order",
    "acl.malloc.too-large",
    "acl.dev.set-invalid",
    "acl.event.elapsed-order",
    "acl.ctx.across-threads",
    "acl.copy.async-held",
    "acl.value.write",
    "acl.stream.fifo",
];

#[test]
fn legal_variants_of_the_module_pass() {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let module = RUNTIMES[0].simulated.as_ref().and_then(|device| device.module.as_ref()).unwrap();
    assert!(module.variants.len() >= 4);
    for variant in module.variants {
        let (_, verdicts) = run(&bench, BROAD, &through(&["--defect", variant.name]));
        let broken: Vec<_> = verdicts.iter().filter(|(_, verdict)| verdict != "pass").collect();
        assert!(broken.is_empty(), "{}: {broken:?}", variant.name);
    }
}

/// Defects of the device have the same verdicts through the module as in C.
#[rstest]
#[case("copy.tail-rounded-to-32-above-64KiB", LARGE_COPY)]
#[case("ipc.key-empty", EXPORTED_KEY)]
#[case("ipc.whitelist-never-matches", "acl.ipc.whitelist-allow:choose=one_call;others=0;size=65536")]
#[case("ipc.key-same-for-two-blocks", "acl.ipc.keys-distinct")]
fn a_defect_of_the_device_has_the_same_verdict_as_in_c(#[case] defect: &str, #[case] rule: &str) {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let (_, in_c) = run(&bench, &[rule], &["--defect", defect]);
    let (_, in_python) = run(&bench, &[rule], &through(&["--defect", defect]));
    assert_eq!(in_c, in_python, "{defect}");
    assert_ne!(in_c[0].1, "pass", "{defect}");
}

/// A module with another order of results, or that refuses None, cannot even prepare a process.
#[rstest]
#[case("pyacl.code-first", "for the code, which is")]
#[case("pyacl.none-refused", "acl.init raised TypeError")]
fn a_defect_that_prevents_the_start_is_reported(#[case] defect: &str, #[case] says: &str) {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let (answer, verdicts) = run(&bench, &["acl.copy.sync-roundtrip"], &through(&["--defect", defect]));
    assert_ne!(verdicts[0].1, "pass");
    answer.says(3, &[says]);
}

#[test]
fn a_rule_without_a_form_in_python_is_skipped_with_the_reason() {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let (answer, _) = run(&bench, &["acl.vmreleases.physical"], &THROUGH);
    answer.says(0, &["pyacl has no form for", "it takes a struct by pointer"]);
}

#[test]
fn mistakes_in_the_options_say_what_to_do() {
    let bench = Bench::new();
    let words = |more: &[&str]| -> Vec<String> {
        let all = ["run", "acl.copy.sync-roundtrip"].iter().chain(&ON_A2).chain(more);
        all.map(|word| (*word).to_owned()).collect()
    };
    bench.run(words(&["--through", "pyac"])).says(2, &["unknown interface; did you mean `pyacl`?"]);
    bench
        .run(words(&["--defect", "pyacl.code-first"]))
        .says(2, &["a defect of the Python module; add --through pyacl"]);
    let with = |python: &str| support::answer(bench.command(words(&THROUGH)).env("ATLAS_CTS_PYTHON", python));
    with("/nothing/python").says(2, &["ATLAS_CTS_PYTHON=/nothing/python"]);
    with("/bin/true").says(3, &["the interpreter does not answer"]);
    if !*USABLE {
        return;
    }
    fs::create_dir(bench.path("empty")).unwrap();
    with_module(&bench, "empty").says(3, &["cannot import the module acl", "No module named 'acl'"]);
}

/// Runs a rule through the module in this folder, with the simulated device's library as if it were the runtime's.
fn with_module(bench: &Bench, folder: &str) -> Answer {
    let library = library(bench).display().to_string();
    let words = ["run", "acl.set.byte", "--product", "a2", "--seed", "1", "--library", &library];
    let mut command = bench.command(words.iter().chain(&THROUGH).chain(&["--report-dir", "report"]));
    support::answer(command.env("PYTHONPATH", bench.path(folder)).env("ATLAS_CTS_SIM_PRODUCT", "a2"))
}

/// The simulated device's library, as a file.
fn library(bench: &Bench) -> PathBuf {
    let library = bench.path("libatlas_cts_simulator.so");
    if !library.exists() {
        let folder = bench.path("").display().to_string();
        bench.run(["simulator", "--print-path", &folder]).says(0, &[]);
    }
    library
}

/// A module in a folder that lacks a function: the rules that call it are blocked, and say what is missing.
#[test]
fn a_function_that_the_module_lacks_blocks_its_rules() {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let folder = bench.path("modules");
    support::copy_folder(&project().join("fixtures/pyacl"), &folder);
    let rt = folder.join("acl/rt.py");
    let text = fs::read_to_string(&rt).unwrap();
    fs::write(&rt, text.replace("memset = define(\"aclrtMemset\", \"p k i k\")\n", "")).unwrap();
    with_module(&bench, "modules").says(3, &["acl.rt.memset, or aclrtMemset of the library, does not exist"]);
}

#[test]
fn the_switches_of_the_module_are_those_of_the_registry() {
    let module = RUNTIMES[0].simulated.as_ref().and_then(|device| device.module.as_ref()).unwrap();
    assert!(module.defects.len() >= 12);
    let listed: BTreeSet<String> = module.switches().map(|switch| switch.name.to_owned()).collect();
    let mut read = BTreeSet::new();
    for entry in fs::read_dir(project().join("fixtures/pyacl/acl")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "py") {
            let text = fs::read_to_string(&path).unwrap();
            let names = text.split("has(\"").skip(1).filter_map(|rest| rest.split('"').next());
            read.extend(names.map(|name| format!("pyacl.{name}")));
        }
    }
    assert_eq!(listed, read);
}

/// A number that its parameter in C cannot have is refused. It is not cut.
#[rstest]
#[case::a_size("acl.rt.malloc(2**64 + 64, 0)")]
#[case::a_policy("acl.rt.malloc(64, 2**32)")]
#[case::an_address("acl.rt.free(2**64)")]
fn a_number_beyond_the_type_in_c_is_refused(#[case] call: &str) {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let mut command = Command::new("python3");
    command.args(["-c", &format!("import acl; {call}")]).env("PYTHONPATH", project().join("fixtures/pyacl"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("ATLAS_CTS_THROUGH_LIBRARY", library(&bench));
    let output = command.env("ATLAS_CTS_SIM_PRODUCT", "a2").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("OverflowError"), "{said}");
}

/// A signal that the module sends to its own process ends it. It is not taken for a fault that repeats.
#[test]
fn a_signal_sent_in_python_is_a_crash() {
    if !*USABLE {
        return;
    }
    let bench = Bench::new();
    let folder = bench.path("modules");
    support::copy_folder(&project().join("fixtures/pyacl"), &folder);
    let rt = folder.join("acl/rt.py");
    let text = fs::read_to_string(&rt).unwrap();
    let sends =
        "\n\ndef memset(*words):\n    import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)\n    return 0\n";
    fs::write(&rt, text + sends).unwrap();
    with_module(&bench, "modules").says(1, &["CRASH  acl.set.byte", "SIGSEGV"]);
}
