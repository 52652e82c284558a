//! Each entry of a corpus keeps the law of its target, and so do inputs that are made from them: a few thousand, or as many
//! as fit into the time that the environment gives.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use fuzz::search::{SearchLimit, search, try_law};
use fuzz::{TARGETS, Target};
use libtest_mimic::{Arguments, Failed, Trial};
use rustix::process::{Resource, Rlimit, setrlimit};

/// More memory than this is not needed for an input of 64 KiB. Stacks of threads count too.
const MEMORY: u64 = 4 << 30;
/// Seconds that each target is searched; without it, a number of inputs.
const SECONDS: &str = "ATLAS_CTS_FUZZ_SECONDS";
/// Inputs that are made for each target.
const INPUTS: &str = "ATLAS_CTS_FUZZ_INPUTS";
/// What the inputs are drawn from.
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
    let effort =
        number(SECONDS).map_or(SearchLimit::Inputs(inputs), |seconds| SearchLimit::Time(Duration::from_secs(seconds)));
    let (tried, findings) = search(target, number(SEED).unwrap_or(1), effort, folder())?;
    println!("{}: {tried} inputs, {} findings", target.name, findings.len());
    if findings.is_empty() {
        return Ok(());
    }
    let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Err(format!("{} faults (docs/fuzzing.md):\n{}", found.len(), found.join("\n")).into())
}

/// A search that finds nothing says something only if it finds what is there.
fn a_planted_fault_is_found_and_made_small() -> Result<(), Failed> {
    const FAULT: &[u8] = b"4000000000";
    let law = |input: &[u8]| assert!(!input.windows(FAULT.len()).any(|part| part == FAULT), "it was found: so it ends");
    let target = Target { name: "case", law, words: &[] };
    let (_, findings) = search(&target, 1, SearchLimit::Inputs(2000), folder().join("planted"))?;
    let found: Vec<&[u8]> = findings.iter().map(|finding| &finding.input[..]).collect();
    if found == [FAULT] { Ok(()) } else { Err(format!("{findings:?}").into()) }
}

/// Where findings are written.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz")
}

/// A number of the environment.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}; give a number")))
}
