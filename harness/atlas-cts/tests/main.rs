//! The end-to-end tests of the command, in one executable. Forty executables would be linked one after another, and the
//! tests of each would run alone.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

mod support;

mod attack;
mod bad_catalogs;
mod bad_input;
mod book;
mod books;
mod callbacks;
mod carried;
mod catalog_size;
mod causes;
mod ci_systems;
mod confirmation;
mod coverage;
mod daily;
mod debugging;
mod diff;
mod diff_proof;
mod doctor;
mod documents;
mod editions;
mod expectations;
mod families;
mod faults;
mod gpu_absent;
mod gpu_day;
mod grammar;
mod help;
mod hostile_cases;
mod hostile_journal;
mod hosts;
mod identity;
mod interface;
mod keys;
mod language;
mod list;
mod logs;
mod mustpass;
mod neighbors;
mod neutral;
mod newcomer;
mod nights;
mod owners;
mod pages;
mod policy;
mod print_c;
mod programs;
mod proof;
mod python;
mod registry;
mod reproducers;
mod resume;
mod run_output;
mod second_library;
mod shards;
mod sim_memory;
mod simulator_table;
mod size;
mod soak;
mod speed;
mod starts;
mod stored_runs;
mod style;
mod supervision;
mod support_matrix;
mod variants;
mod visibility;
mod watch;

/// With `autotests = false` cargo builds only what is declared here.
#[test]
fn every_file_of_tests_is_built() {
    let declared = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
    assert!(files.len() > 40, "{files:?}");
    for file in files.iter().filter(|file| *file != "main") {
        assert!(declared.contains(&format!("\nmod {file};\n")), "tests/main.rs does not declare {file}");
    }
}
