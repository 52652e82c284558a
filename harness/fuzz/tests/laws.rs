//! All entries of a corpus keep the law of their target, and so do inputs created from them: a few thousand, or as many
//! as fit into the time in the environment variable.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use fuzz::search::{SearchLimit, search, try_law};
use fuzz::{TARGETS, Target};
use libtest_mimic::{Arguments, Failed, Trial};
use rustix::process::{Resource, Rlimit, setrlimit};

/// The memory limit in bytes, enough for an input of 64 KiB including thread stacks.
const MEMORY: u64 = 4 << 30;
/// The variable for the search time per target in seconds; without it, a number of inputs is tried.
const SECONDS: &str = "ATLAS_CTS_FUZZ_SECONDS";
/// The variable for the number of inputs per target.
const INPUTS: &str = "ATLAS_CTS_FUZZ_INPUTS";
/// The variable for the seed of the inputs.
const SEED: &str = "ATLAS_CTS_FUZZ_SEED";

fn main() -> ExitCode {
    setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) })
        .expect("a process may lower its own limit");
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for target in TARGETS {
        let corpus = target.corpus().unwrap_or_else(|error| panic!("the corpus of {}: {error}", target.name));
        assert!(!corpus.is_empty(), "the corpus of {} is empty", target.name);
        for (path, content) in corpus {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            trials.push(Trial::test(format!("{}::{name}", target.name), move || keeps_the_law(target, &content)));
        }
        let name = format!("{}::what_is_made_from_the_corpus", target.name);
        trials.push(Trial::test(name, || what_is_made_from_the_corpus_keeps_the_law(target)));
    }
    trials
        .push(Trial::test("search::a_planted_fault_is_found_and_made_small", a_planted_fault_is_found_and_made_small));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn keeps_the_law(target: &Target, content: &[u8]) -> Result<(), Failed> {
    match try_law(target.law, content) {
        None => Ok(()),
        Some(fault) => Err(format!("{}\n    {}", fault.key, fault.message).into()),
    }
}

fn what_is_made_from_the_corpus_keeps_the_law(target: &Target) -> Result<(), Failed> {
    let inputs = number(INPUTS).unwrap_or(2000);
    let limit =
        number(SECONDS).map_or(SearchLimit::Inputs(inputs), |seconds| SearchLimit::Time(Duration::from_secs(seconds)));
    let (tried, findings) = search(target, number(SEED).unwrap_or(1), limit, folder())?;
    println!("{}: {tried} inputs, {} findings", target.name, findings.len());
    if findings.is_empty() {
        return Ok(());
    }
    let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Err(format!("{} (docs/engine/parts.md):\n{}", steps::count(found.len(), "fault"), found.join("\n")).into())
}

/// A search must find a planted fault: otherwise finding nothing would prove nothing.
fn a_planted_fault_is_found_and_made_small() -> Result<(), Failed> {
    const FAULT: &[u8] = b"4000000000";
    let law =
        |input: &[u8]| assert!(!input.windows(FAULT.len()).any(|part| part == FAULT), "the fault was found: stopping");
    let target = Target { name: "case", law, words: &[] };
    let (_, findings) = search(&target, 1, SearchLimit::Inputs(2000), folder().join("planted"))?;
    let found: Vec<&[u8]> = findings.iter().map(|finding| &finding.input[..]).collect();
    if found == [FAULT] { Ok(()) } else { Err(format!("{findings:?}").into()) }
}

/// The folder for findings.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz")
}

/// A number from an environment variable.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}; give a number")))
}
