//! Reading journals. A journal may come from an untrusted source, so its content is checked for contradictions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Journal, JournalError, LARGEST};
use crate::{
    HeaderTexts, LONGEST_DEADLINE, Line, MOST_SHARDS, Meaning, RuleResult, RunEnd, RunHeader, Sort, counts, exit_code,
};
use catalog::files;
use catalog::is_rule_id;

/// The content of a journal.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The header.
    pub header: RunHeader,
    /// The results in the order of the journal.
    pub results: Vec<RuleResult>,
    /// Rules that were running when the run ended and so have no result, each with its number of starts.
    pub in_flight: BTreeMap<String, u32>,
    /// The end; `None` if the run did not finish.
    pub end: Option<RunEnd>,
}

/// Reads a journal from its file or the run's folder. The end is `None` if the run did not finish. A truncated last
/// line, which a killed run may leave, is ignored.
pub fn read_journal(path: &Path) -> Result<(RunHeader, Vec<RuleResult>, Option<RunEnd>), JournalError> {
    read_run(path).map(|run| (run.header, run.results, run.end))
}

/// Like [`read_journal`], but also returns the rules that were running when the run ended.
pub fn read_run(path: &Path) -> Result<Recorded, JournalError> {
    let path = if path.is_dir() { path.join(Journal::FILE) } else { path.to_owned() };
    let bytes = files::read(&path, LARGEST).map_err(|source| match source.kind() {
        ErrorKind::InvalidInput | ErrorKind::FileTooLarge => {
            JournalError::NotAJournal { path: path.clone(), found: format!("it {source}") }
        }
        _ => JournalError::io("read", &path, source),
    })?;
    let (first, rest) = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(newline) => (&bytes[..newline], &bytes[newline + 1..]),
        None => (&bytes[..], &[][..]),
    };
    check_first(&path, first)?;
    let header = match serde_json::from_slice(first) {
        Ok(Line::Run(header)) => *header,
        Ok(_) => {
            return Err(JournalError::NotAJournal { path, found: "its first line does not describe a run".into() });
        }
        Err(error) => return Err(JournalError::broken(&path, 1, &error)),
    };
    let mut reader = JournalReader::new(path, header)?;
    for (index, bytes) in rest.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let number = index + 2;
        match serde_json::from_slice(bytes.trim_ascii_end()) {
            Err(_) if !bytes.ends_with(b"\n") => {}
            Err(error) => return Err(JournalError::broken(&reader.path, number, &error)),
            Ok(line) => reader.take(number, line)?,
        }
    }
    Ok(reader.run)
}

/// The state of reading a journal.
struct JournalReader {
    path: PathBuf,
    run: Recorded,
    /// The positions of the selected rules in the header, by id.
    selected: HashMap<String, usize>,
    /// The rules of this run or part.
    own: HashSet<String>,
    /// Rules with a result, and the line number of each result.
    lines: HashMap<String, usize>,
}

impl JournalReader {
    fn new(path: PathBuf, header: RunHeader) -> Result<JournalReader, JournalError> {
        let positions = header.selected.iter().enumerate().map(|(position, rule)| (rule.id.clone(), position));
        let selected: HashMap<String, usize> = positions.collect();
        let own: HashSet<String> = header.own_rules().map(str::to_owned).collect();
        let run = Recorded { header, results: Vec::new(), in_flight: BTreeMap::new(), end: None };
        let reader = JournalReader { path, run, selected, own, lines: HashMap::new() };
        let settings = &reader.run.header.settings;
        if !(1..=LONGEST_DEADLINE).contains(&settings.deadline) {
            let reason = format!("the deadline of {} s is not between 1 and {LONGEST_DEADLINE} s", settings.deadline);
            return reader.broken(1, reason);
        }
        if let Some(part) = settings.part.as_ref().filter(|part| !(1..=part.of).contains(&part.number)) {
            return reader.broken(1, format!("part {} of {} does not exist", part.number, part.of));
        }
        if let Some(part) = settings.part.as_ref().filter(|part| part.of > MOST_SHARDS) {
            return reader.broken(1, format!("a run has at most {MOST_SHARDS} parts, not {}", part.of));
        }
        if let Some((what, _)) = names(&reader.run.header).find(|(_, name)| name.len() > LONGEST_NAME) {
            return reader.broken(1, format!("the name of {what} has more than {LONGEST_NAME} bytes"));
        }
        let header = &reader.run.header;
        if reader.selected.len() < header.selected.len() {
            return reader.broken(1, "the run selected a rule twice".to_owned());
        }
        let all = header.selected.iter().map(|rule| &rule.id).chain(&reader.own);
        if let Some(id) = all.clone().find(|id| !is_rule_id(id)) {
            return reader.broken(1, format!("`{id}` is not the id of a rule"));
        }
        if let Some(id) = reader.own.iter().find(|id| !reader.selected.contains_key(*id)) {
            return reader.broken(1, format!("the rule `{id}` of this part is not among the selected rules"));
        }
        Ok(reader)
    }

    fn broken<T>(&self, line: usize, reason: String) -> Result<T, JournalError> {
        Err(JournalError::Broken { path: self.path.clone(), line, reason })
    }

    /// Checks a rule's id. Ids become file names, so only those of selected rules are allowed.
    fn expect_selected(&self, line: usize, id: &str) -> Result<(), JournalError> {
        match id {
            _ if self.own.contains(id) => Ok(()),
            _ if !is_rule_id(id) => self.broken(line, format!("`{id}` is not the id of a rule")),
            _ => self.broken(line, format!("`{id}` is not among the rules that the run selected")),
        }
    }

    fn take(&mut self, number: usize, line: Line) -> Result<(), JournalError> {
        if self.run.end.is_some() {
            return self.broken(number, "a line after the end of the run".to_owned());
        }
        match line {
            Line::Run(_) => return self.broken(number, "a second run".to_owned()),
            Line::End(end) => {
                if let Some(reason) = self.contradiction(&end) {
                    return self.broken(number, reason);
                }
                self.run.end = Some(*end);
            }
            // The rules in flight did not cause the stop, so these rules do not count as interrupted.
            Line::Stop(_) => self.run.in_flight.clear(),
            Line::Resume(resume) => self.run.header.resumed.push(resume.started),
            Line::Begin(begin) => {
                self.expect_selected(number, &begin.id)?;
                *self.run.in_flight.entry(begin.id).or_default() += 1;
            }
            Line::Result(mut result) => {
                self.expect_selected(number, &result.id)?;
                let header = &self.run.header;
                let texts = HeaderTexts { documents: &header.documents, clauses: &header.clauses };
                let completed = header.selected[self.selected[&result.id]].complete(texts, &mut result);
                completed.or_else(|reason| self.broken(number, reason))?;
                if let Some(first) = self.lines.insert(result.id.clone(), number) {
                    let path = self.path.clone();
                    return Err(JournalError::Duplicate { path, id: result.id, first, second: Some(number) });
                }
                self.run.in_flight.remove(&result.id);
                self.run.results.push(*result);
            }
        }
        Ok(())
    }

    /// The first contradiction between the run's end and its results.
    fn contradiction(&self, end: &RunEnd) -> Option<String> {
        let Recorded { header, results, .. } = &self.run;
        if end.counts != counts(results) {
            return Some("the counts of the end differ from the results before it".to_owned());
        }
        let selected = self.own.len();
        if let Some(reason) = missorted(results, end) {
            return Some(reason);
        }
        let exit = exit_code(&header.settings, results, end.unusable_cases, end.expectations.as_ref());
        if results.len() != selected {
            Some(format!("the run has ended, but only {} of its {selected} rules have a result", results.len()))
        } else if end.exit != exit {
            Some(format!("the end has exit status {}, but the results before it mean {exit}", end.exit))
        } else {
            None
        }
    }
}

/// The longest name in the header, in bytes: the length limit for a path.
const LONGEST_NAME: usize = 4096;

/// The names in the header that reports print on one line.
fn names(header: &RunHeader) -> impl Iterator<Item = (&'static str, &str)> {
    let optional = [("the device", &header.reported_name), ("the edition", &header.edition)];
    let optional = optional.into_iter().filter_map(|(what, name)| Some((what, name.as_deref()?)));
    let given =
        [("the product", &header.product), ("the run mode", &header.run_mode), ("the library", &header.library.path)];
    given.into_iter().map(|(what, name)| (what, name.as_str())).chain(optional)
}

/// The first known failure that contradicts the results. A rule listed as a known failure must have a result, and that
/// result must be broken.
fn missorted(results: &[RuleResult], end: &RunEnd) -> Option<String> {
    let meanings: HashMap<&str, Meaning> =
        results.iter().map(|result| (result.id.as_str(), result.meaning())).collect();
    let sorted = end.expectations.iter().flat_map(|expected| &expected.results);
    sorted.into_iter().find_map(|sorted| {
        let fits = meanings.get(sorted.rule.as_str()).is_some_and(|meaning| match sorted.sort {
            Sort::Fixed => *meaning == Meaning::Good,
            Sort::Known | Sort::Expired => *meaning != Meaning::Good,
            Sort::New | Sort::Unlike | Sort::TooOften => !matches!(meaning, Meaning::Good | Meaning::Skipped),
        });
        let referred = sorted.entry.is_some() || sorted.sort == Sort::New;
        let reason = || format!("the end calls {} {}, which contradicts its result", sorted.rule, sorted.sort);
        (!fits || !referred).then(reason)
    })
}

/// Checks a file's first line before the rest is parsed: the file must be a journal in the format of this version.
pub(super) fn check_first(path: &Path, line: &[u8]) -> Result<(), JournalError> {
    let not = |found: &str| Err(JournalError::NotAJournal { path: path.to_owned(), found: found.into() });
    if line.is_empty() {
        return not("it is empty");
    }
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else {
        return not("its first line is not a JSON object");
    };
    match value.get("run").and_then(|run| run.get("format")).and_then(serde_json::Value::as_u64) {
        None => not("its first line does not describe a run"),
        Some(format) if format != u64::from(Journal::FORMAT) => {
            Err(JournalError::Format { path: path.to_owned(), format })
        }
        Some(_) => Ok(()),
    }
}
