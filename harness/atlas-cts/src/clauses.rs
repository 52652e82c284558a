//! `atlas-cts catalog clauses`: the sentences that rules rest on, the checks that are only reported, and a search for the
//! sentences in their documents.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use atlas_cts::{CommandError, say};
use catalog::{Clause, Level, Modality, Original, Originals, Rules, Sentence, count};
use clap::Args;
use engine::run::ExitStatus;
use steps::judgment::{judgments, reported};

/// The options of `clauses`.
#[derive(Debug, Default, Args)]
pub(crate) struct ClauseFilter {
    /// Look up each sentence in the documents in this folder.
    ///
    /// Sentences are compared by digest.
    #[arg(long, value_name = "DIR")]
    documents: Option<PathBuf>,
    /// List the judged checks of `must` rules: rule and check.
    #[arg(long)]
    checks: bool,
    /// List the checks that are only reported.
    ///
    /// Each check is listed with the sentence that does not promise enough.
    #[arg(long)]
    reported: bool,
}

/// Words in a document's language that suggest that a sentence promises nothing: only supports, does not support,
/// reserved, recommended, must. A promise with such a word needs a reason. "Reserved" is missing in English, where it is
/// mostly about addresses.
const WEAK: [(&str, [&str; 5]); 2] = [
    ("zh", ["仅支持", "不支持", "预留", "建议", "必须"]),
    ("en", ["only supported", "not supported", "should", "recommended ", "must"]),
];

/// Shows the clauses. With documents, the exit status is 2 if a sentence is missing or a promise lacks its reason.
pub(crate) fn clauses(rules: &Rules, filter: &ClauseFilter) -> Result<ExitStatus, CommandError> {
    let listed = filter.reported || filter.checks;
    if !rules.book.whole && (filter.documents.is_some() || !listed) {
        return Err(CommandError::NoEvidence);
    }
    let mut text = String::new();
    let mut good = true;
    if filter.reported {
        only_reported(&mut text, rules);
    }
    if filter.checks {
        for rule in &rules.rules {
            for (_, check) in rule.checks() {
                let _ = writeln!(text, "{}\t{check}", rule.id);
            }
        }
    }
    if let Some(folder) = &filter.documents {
        good = look_up(&mut text, rules, folder)?;
    }
    if filter.documents.is_none() && !listed {
        counted(&mut text, rules);
    }
    say(&text)?;
    Ok(if good { ExitStatus::Success } else { ExitStatus::Usage })
}

/// The clauses by document and modality, and the number of checks that rest on these clauses.
fn counted(text: &mut String, rules: &Rules) {
    let mut table: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for clause in &rules.book.clauses {
        *table.entry(&clause.document).or_default().entry(clause.modality.name()).or_default() += 1;
    }
    for (document, kinds) in table {
        let kinds: Vec<String> = kinds.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
        let _ = writeln!(text, "{document:<16} {}", kinds.join(", "));
    }
    let must = rules.rules.iter().filter(|rule| rule.level == Level::Must && rule.hazard.is_none());
    let (mut checks, mut inferred, mut silent) = (0, 0, 0);
    for rule in must {
        for judged in judgments(&rule.program) {
            let Some(ground) = rule.ground(&judged) else { continue };
            checks += 1;
            inferred += usize::from(ground.clauses.len() > 1);
            silent += usize::from(!ground.clauses.iter().any(|clause| rules.book.clauses[*clause].modality.promises()));
        }
    }
    let all = rules.rules.iter().map(|rule| reported(&rule.program).len()).sum::<usize>();
    let _ = writeln!(
        text,
        "{} clauses; {checks} judged checks of `must` rules rest on them, {inferred} of these by inference; {silent} \
         only look for silent corruption; {all} checks are only reported",
        rules.book.clauses.len()
    );
}

/// The checks that are only reported and rest on a sentence.
fn only_reported(text: &mut String, rules: &Rules) {
    for rule in &rules.rules {
        for judged in reported(&rule.program) {
            let Some(ground) = rule.ground(&judged) else { continue };
            let _ = writeln!(text, "{}: `{}`", rule.id, rule.program.judged(&judged));
            for clause in ground.clauses.iter().map(|clause| &rules.book.clauses[*clause]) {
                let _ = writeln!(
                    text,
                    "    {} ({}): {} ({})",
                    clause.id,
                    clause.modality.name(),
                    clause.digest,
                    clause.source
                );
            }
        }
    }
}

/// Looks up each clause's sentence. Returns true if all sentences are found and each weakly worded promise has a
/// reason.
fn look_up(text: &mut String, rules: &Rules, folder: &Path) -> Result<bool, CommandError> {
    let originals = Originals::read(folder).map_err(CommandError::Originals)?;
    let mut good = true;
    let (mut found, mut weak) = (0, 0);
    for clause in &rules.book.clauses {
        let Some(Original { file, sentence }) = originals.of(clause) else {
            good = false;
            let _ = writeln!(
                text,
                "{}: {}: no document in {} contains its sentence",
                clause.place,
                clause.id,
                folder.display()
            );
            continue;
        };
        found += 1;
        if let Some(word) = sounds_weak(rules, clause, sentence) {
            let place = format!("{file}:{}", sentence.line);
            let reason = clause.reason.as_deref().unwrap_or("no reason; write in the clause why it is still a promise");
            good &= clause.reason.is_some();
            weak += 1;
            let _ = writeln!(text, "{} ({place}) contains {word}: {reason}", clause.id);
        }
    }
    let all = rules.book.clauses.len();
    let _ = writeln!(text, "{found} of {all} sentences found; {} with weaker wording", count(weak, "promise"));
    Ok(good)
}

fn sounds_weak(rules: &Rules, clause: &Clause, sentence: &Sentence) -> Option<&'static str> {
    if clause.modality != Modality::Promise {
        return None;
    }
    let document = rules.documents.iter().find(|document| document.id.value == clause.document)?;
    let (_, words) = WEAK.iter().find(|(language, _)| *language == document.language)?;
    words.iter().find(|word| sentence.text.contains(**word) || sentence.written.contains(**word)).copied()
}
