//! Searches for inputs that break a law. The search needs no instrumentation, so it runs wherever the tests run.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant};

use crate::Target;
use crate::mutate::{Mutator, Random, lines, tokens};

/// The maximum number of attempts to shrink an input.
const SMALLER: usize = 3000;

/// An input that breaks a law, after shrinking.
#[derive(Debug)]
pub struct Finding {
    /// The violation, and the place in the code that found it.
    pub fault: Fault,
    pub input: Vec<u8>,
    /// The file that contains the input.
    pub path: PathBuf,
    /// The number of inputs tried before it, and the time spent on them.
    pub after: (u64, Duration),
}

/// A violation of a law.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The identity of the violation: the same for all inputs that break the same law at the same place.
    pub key: String,
    pub message: String,
}

/// The limit of a search.
#[derive(Debug, Clone, Copy)]
pub enum SearchLimit {
    Inputs(u64),
    Time(Duration),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (inputs, time) = self.after;
        let message: String = self.fault.message.chars().take(600).collect();
        let path = self.path.display();
        write!(f, "{}\n    {message:?}\n    after {inputs} inputs and {time:.1?}: {path}", self.fault.key)
    }
}

thread_local! {
    /// True while this thread checks a law, so that the law's panics are not printed.
    static TRYING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The violation of a law by an input; `None` if the law holds.
pub fn try_law(law: fn(&[u8]), input: &[u8]) -> Option<Fault> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if TRYING.get() {
                let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
                PLACE.set(place.unwrap_or_default());
            } else {
                before(panic);
            }
        }));
    });
    TRYING.set(true);
    let tried = panic::catch_unwind(AssertUnwindSafe(|| law(input)));
    TRYING.set(false);
    let payload = tried.err()?;
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default();
    let message = text.strip_prefix("assertion `left == right` failed: ").unwrap_or(&text).to_owned();
    let law = message.split(": ").next().unwrap_or_default();
    let key = format!("{law} ({})", PLACE.take());
    Some(Fault { key, message })
}

/// Tries inputs created from the corpus, and returns one for each violation found. Each input is written to `folder`
/// before it is tried, so that the file remains if the input crashes the process.
///
/// # Errors
/// Fails if the corpus cannot be read or the folder cannot be written.
pub fn search(target: &Target, seed: u64, limit: SearchLimit, folder: PathBuf) -> std::io::Result<(u64, Vec<Finding>)> {
    let corpus: Vec<Vec<u8>> = target.corpus()?.into_iter().map(|(_, content)| content).collect();
    let mutator = Mutator::new(&corpus, target.words);
    std::fs::create_dir_all(&folder)?;
    let trying = folder.join(format!("{}.trying", target.name));
    let begun = Instant::now();
    let mut random = Random(seed);
    let (mut findings, mut known) = (Vec::new(), BTreeSet::new());
    let mut tried = 0;
    while match limit {
        SearchLimit::Inputs(inputs) => tried < inputs,
        SearchLimit::Time(time) => begun.elapsed() < time,
    } {
        let input = mutator.input(&mut random);
        tried += 1;
        std::fs::write(&trying, &input)?;
        let Some(fault) = try_law(target.law, &input).filter(|fault| known.insert(fault.key.clone())) else { continue };
        let after = (tried, begun.elapsed());
        let input = smaller(target.law, input, &fault);
        let fault = try_law(target.law, &input).unwrap_or(fault);
        let path = folder.join(format!("{}-{}", target.name, findings.len() + 1));
        std::fs::write(&path, &input)?;
        findings.push(Finding { fault, input, path, after });
    }
    std::fs::remove_file(&trying)?;
    Ok((tried, findings))
}

/// Removes lines and then tokens while the same violation occurs.
fn smaller(law: fn(&[u8]), mut input: Vec<u8>, fault: &Fault) -> Vec<u8> {
    let mut attempts = 0;
    for pieces in [lines as fn(&[u8]) -> Vec<Range<usize>>, tokens] {
        let mut size = pieces(&input).len().max(1);
        while size >= 1 {
            let mut at = 0;
            while let Some(group) = pieces(&input).get(at..).filter(|rest| !rest.is_empty()) {
                let end = group[..size.min(group.len())].last().map_or(0, |piece| piece.end);
                let without = [&input[..group[0].start], &input[end..]].concat();
                attempts += 1;
                if attempts > SMALLER {
                    return input;
                }
                if try_law(law, &without).is_some_and(|found| found.key == fault.key) {
                    input = without;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
    }
    input
}
