//! The target `parts`: reads journals from the parts of a run, and returns one run, or an error that names the faulty
//! journal.

use std::path::{Path, PathBuf};

use engine::run::{Agenda, ExitStatus, ExpectationOptions, MergeOptions, Observer, RunError, merge};
use record::Recorded;

use crate::toy;

/// The line before each journal except the first.
const NEXT: &[u8] = b"# part\n";
/// The maximum number of journals in an input.
const MOST: usize = 4;

/// Texts that have a meaning in the format but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "# part\n",
    "\"number\":1",
    "\"number\":2",
    "\"of\":1",
    "\"of\":2",
    "\"of\":4294967295",
    "\"verdict\":\"fail\"",
    "\"verdict\":\"pass\"",
    "\"rules\":[]",
    "\"selected\":[]",
    "\"exit\":3",
    "\u{202e}",
];

/// An observer that ignores all events.
struct Silent;

impl Observer for Silent {
    fn line(&mut self, _text: &str) -> Result<(), RunError> {
        Ok(())
    }

    fn perform(&mut self, _work: &std::sync::Arc<Agenda>) -> Result<(), RunError> {
        unreachable!("a merge runs nothing")
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        let mut ids: Vec<&str> = run.results.iter().map(|result| result.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), run.results.len(), "a merged run has two results for a rule");
        Ok(())
    }
}

/// Checks that a rejected merge has a reason, and that an accepted merge has one result for each rule.
pub fn law(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("the folder for temporary files can be written");
    let runs =
        journals(bytes).into_iter().enumerate().map(|(at, journal)| write(folder.path(), at, &journal)).collect();
    let known = ExpectationOptions { expectations: Some("none".into()), ..ExpectationOptions::default() };
    let (report_dir, specs) = (Some(folder.path().join("merged")), Some(toy::specs()));
    let options = MergeOptions { runs, report_dir, specs, known };
    match merge(&options, &[&toy::RUNTIME], &ledger::Ledger, &mut Silent) {
        Err(error) => assert!(!error.to_string().is_empty(), "a merge is rejected without a reason"),
        Ok(status) => assert!(status != ExitStatus::Usage, "a merge was written but reported as a usage error"),
    }
}

/// The journals in an input.
fn journals(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut journals = vec![Vec::new()];
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line == NEXT && journals.len() < MOST {
            journals.push(Vec::new());
        } else if let Some(journal) = journals.last_mut() {
            journal.extend_from_slice(line);
        }
    }
    journals
}

fn write(folder: &Path, at: usize, journal: &[u8]) -> PathBuf {
    let path = folder.join(format!("part-{at}"));
    let written = std::fs::create_dir(&path).and_then(|()| std::fs::write(path.join("results.jsonl"), journal));
    written.expect("this process owns the folder");
    path
}
