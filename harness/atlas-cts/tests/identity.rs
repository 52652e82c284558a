//! The identity of the tested library includes the libraries that it loads.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Command;

use record::MappedLibrary;
use rstest::rstest;
use support::Bench;

const CHAPTER: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.block
    title: A block can be had
    statement: A block can be had.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
";

/// Builds a driver of this version, which the toolkit's library needs.
fn driver(bench: &Bench, version: &str) {
    let source = bench.write("driver.c", format!("int driver_version(void) {{ return {version}; }}\n"));
    let built = Command::new(std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned()))
        .args(["-shared", "-fPIC", "-Wl,--build-id"])
        .arg(source)
        .arg("-o")
        .arg(bench.path("libdriver.so"))
        .status();
    assert!(built.unwrap().success());
}

fn mapped(bench: &Bench, report: &str) -> Vec<MappedLibrary> {
    let words = ["--product", "a2", "--library", "libtested.so", "-v"];
    bench.run_catalog(report, &words).says(0, &["NOT SIMULATED", "mapped", "libdriver.so (sha256 "]);
    let report = bench.report(report);
    assert!(report.header.host.as_ref().is_some_and(|host| host.kernel.is_some() && host.page_size.is_some()));
    assert!(report.junit.contains("<property name=\"host\" value=\"Linux "), "{}", report.junit);
    for library in &report.header.mapped {
        let property = format!("{} (sha256 {}", library.path, library.sha256.as_ref().unwrap());
        assert!(report.junit.contains(&property), "{}", report.junit);
    }
    report.header.mapped
}

fn name(library: &MappedLibrary) -> &str {
    Path::new(&library.path).file_name().unwrap().to_str().unwrap()
}

#[test]
fn the_same_library_with_another_driver_is_another_target() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    driver(&bench, "1");
    let folder = bench.path("").display().to_string();
    let flags = [&format!("-L{folder}"), &format!("-Wl,--no-as-needed,-rpath,{folder}"), "-ldriver"];
    bench.library("fixtures/faults/faults.c", &flags);
    let first = mapped(&bench, "first");
    assert_eq!(first.iter().map(name).collect::<Vec<_>>(), ["libdriver.so", "libtested.so"]);
    assert!(first[0].build_id.is_some(), "{first:?}");
    assert_eq!(mapped(&bench, "again"), first, "it is the same in every run");
    driver(&bench, "2");
    let second = mapped(&bench, "second");
    assert_eq!(second[1], first[1]);
    assert_ne!((&second[0].sha256, &second[0].build_id), (&first[0].sha256, &first[0].build_id));

    let journal = bench.path("first/results.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let killed: Vec<&str> = text.lines().take(2).collect();
    fs::write(&journal, killed.join("\n") + "\n").unwrap();
    let resumed = ["run", "--specs", "specs", "--library", "libtested.so", "--resume", "first"];
    bench.run(resumed).says(2, &["the mapped libraries: ", "libdriver.so", "reinstall that run's libraries"]);
}

#[rstest]
#[case::from_the_second(
    "FAULT_NO_VERSION_FILE",
    Some("1.14.2 of the interface"),
    "the version is from aclrtGetVersion, since aclsysGetVersionStr returned 500000 (ACL_ERROR_INTERNAL_ERROR)"
)]
#[case::without_a_version("FAULT_NONE", None, "no version, since ")]
fn the_report_names_the_source_of_the_version(#[case] fault: &str, #[case] version: Option<&str>, #[case] note: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.library("fixtures/faults/faults.c", &[fault]);
    let answer = bench.run_catalog("report", &["--product", "a2", "--library", "libtested.so"]);
    assert!(answer.says(0, &[note]).text.lines().next().unwrap().contains(note), "{}", answer.text);
    let header = bench.report("report").header;
    assert_eq!((header.library.version.as_deref(), header.edition), (version, None));
    assert!(header.library.version_note.unwrap().contains("aclrtGetVersion"));
}

#[test]
fn the_simulated_device_is_one_entry() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run_catalog("report", &["--product", "a2", "--backend", "simulator"]).says(0, &["SIMULATED DEVICE"]);
    let header = bench.report("report").header;
    let [only] = &header.mapped[..] else { panic!("{:?}", header.mapped) };
    assert_eq!((only.path.as_str(), only.sha256.as_ref()), ("embedded", Some(&header.library.sha256)));
}
