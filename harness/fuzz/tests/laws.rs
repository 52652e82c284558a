//! All entries of a corpus keep the law of their target, and so do inputs made from them: a few thousand, or as many as
//! fit into the time in the environment variable.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use fuzz::{LONGEST_INPUT, TARGETS, Target};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngSeed, TestError, TestRunner};
use rustix::process::{Resource, Rlimit, setrlimit};

/// The memory limit in bytes, enough for an input of 64 KiB including thread stacks.
const MEMORY: u64 = 4 << 30;
/// The variable for the search time per target in seconds; without it, [`INPUTS`] are tried.
const SECONDS: &str = "ATLAS_CTS_FUZZ_SECONDS";
/// The variable for the seed of the inputs.
const SEED: &str = "ATLAS_CTS_FUZZ_SEED";
/// The number of inputs that are made at a time.
const INPUTS: u32 = 2000;

/// Words at the limits of types, and characters that are special to a terminal, a file system or a parser.
const WORDS: &[&str] = &[
    "0",
    "-7",
    "65537",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "1e308",
    "0x7fffffffffffffff",
    "170141183460469231731687303715884105728",
    "\0",
    "\x1b[31m",
    "\r",
    "\u{202e}",
    "\u{2028}",
    "é",
    "\\",
    "\"",
    "'",
    "../",
    "%s%n",
    "<",
    "]]>",
    "\n",
    " ",
];

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
            let law = move || {
                (target.law)(&content);
                Ok(())
            };
            trials.push(Trial::test(format!("{}::{name}", target.name), law));
        }
        let name = format!("{}::what_is_made_from_the_corpus", target.name);
        trials.push(Trial::test(name, || what_is_made_from_the_corpus_keeps_the_law(target)));
    }
    trials
        .push(Trial::test("search::a_planted_fault_is_found_and_made_small", a_planted_fault_is_found_and_made_small));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn what_is_made_from_the_corpus_keeps_the_law(target: &Target) -> Result<(), Failed> {
    let (begun, limit) = (Instant::now(), Duration::from_secs(number(SECONDS).unwrap_or(0)));
    let mut seed = number(SEED).unwrap_or(1);
    loop {
        search(target, seed).map_err(|found| format!("{found} (docs/engine/parts.md)"))?;
        seed += 1;
        if begun.elapsed() >= limit {
            return Ok(());
        }
    }
}

/// Tries inputs made from the corpus, and returns the smallest one that breaks the law, if any.
fn search(target: &Target, seed: u64) -> Result<(), String> {
    let corpus: Vec<Vec<u8>> = target.corpus().expect("the corpus can be read").into_iter().map(|(_, c)| c).collect();
    let pieces = pieces(&corpus, target.words);
    let edit = (any::<Index>(), 0..4usize, any::<Index>());
    let input = (any::<Index>(), prop::collection::vec(edit, 0..8)).prop_map(|(entry, edits)| {
        let entry = &corpus[entry.index(corpus.len())];
        edits.into_iter().fold(entry.clone(), |input, (at, removed, piece)| {
            edited(&input, at, removed, &pieces[piece.index(pieces.len())])
        })
    });
    let law = |input: Vec<u8>| {
        (target.law)(&input[..input.len().min(LONGEST_INPUT)]);
        Ok(())
    };
    let config = ProptestConfig { cases: INPUTS, failure_persistence: None, ..ProptestConfig::default() };
    let found = TestRunner::new(ProptestConfig { rng_seed: RngSeed::Fixed(seed), ..config }).run(&input, law);
    found.map_err(|error| match error {
        TestError::Fail(reason, input) => format!("{reason}\n    {:?}", String::from_utf8_lossy(&input)),
        TestError::Abort(reason) => reason.to_string(),
    })
}

/// The texts that edits insert: lines of the corpus, and words. An empty one only removes.
fn pieces(corpus: &[Vec<u8>], words: &[&str]) -> Vec<Vec<u8>> {
    let lines = corpus.iter().flat_map(|entry| entry.split_inclusive(|byte| *byte == b'\n')).map(<[u8]>::to_vec);
    let words = WORDS.iter().chain(words).map(|word| word.as_bytes().to_vec());
    lines.chain(words).chain([Vec::new()]).collect()
}

/// An input with some tokens replaced by a piece. In YAML, JSON and steps, random bytes would be rejected at the first
/// invalid one.
fn edited(input: &[u8], at: Index, removed: usize, piece: &[u8]) -> Vec<u8> {
    let tokens: Vec<&[u8]> = input.chunk_by(|a, b| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric()).collect();
    let at = at.index(tokens.len() + 1);
    let rest = (at + removed).min(tokens.len());
    [tokens[..at].concat(), piece.to_vec(), tokens[rest..].concat()].concat()
}

/// A search must find a planted fault: otherwise finding nothing would prove nothing.
fn a_planted_fault_is_found_and_made_small() -> Result<(), Failed> {
    const FAULT: &str = "4294967296";
    let law = |input: &[u8]| {
        assert!(!input.windows(FAULT.len()).any(|part| part == FAULT.as_bytes()), "the fault was found");
    };
    let found = search(&Target { name: "case", law, words: &[] }, 1);
    match found {
        Err(found) if found.contains("the fault was found") && found.contains(FAULT) => Ok(()),
        found => Err(format!("{found:?}").into()),
    }
}

/// A number from an environment variable.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}; give a number")))
}
