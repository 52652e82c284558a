//! The end of a red run: the causes, the block of the rule to read first, and the commands that come next.

use messages::message;
use record::text::quote_word;
use record::{RuleResult, RunHeader};

use super::failure::failure_text;
use super::layout::{Detail, Layout, PAGE_FILE};
use super::summary::{GROUPS, folder, line, row, title};
use super::text::{LABEL, Paint, clean, one_line, pad, wrap};
use crate::causes::{Cause, causes, findings};

/// The number of rules that a short list names.
const FEW: usize = 5;

/// The end of a red run, with the rule to read first. In full detail, each block was printed when its rule ended.
pub(super) fn advice(text: &mut String, header: &RunHeader, results: &[&RuleResult], first: &RuleResult, paint: Paint) {
    let causes = causes(results.iter().copied());
    let findings = findings(results.iter().copied());
    let alike = |cause: &Cause<'_>| findings.iter().find(|other| other.likeness == cause.likeness);
    let brief = paint.0.detail == Detail::Brief;
    // The block says all of a cause with one rule.
    let said = brief && matches!(&causes[..], [only] if only.others.is_empty() && alike(only).is_none());
    if !said {
        title(text, message!("heading-causes"), causes.len(), paint);
        first_causes(&causes, paint).for_each(|cause| group(text, cause, alike(cause), paint, |line| paint.red(line)));
        count_omitted(text, &causes, paint);
    }
    text.push('\n');
    if brief {
        text.push_str(&failure_text(first, header, paint.0));
        text.push('\n');
    }
    next(text, header, first);
}

/// The findings that are in no broken rule's cause, by their likeness.
pub(super) fn other_findings(text: &mut String, results: &[&RuleResult], paint: Paint) {
    let broken = causes(results.iter().copied());
    let mut findings = findings(results.iter().copied());
    findings.retain(|finding| !broken.iter().any(|cause| cause.likeness == finding.likeness));
    title(text, message!("broken-info-rules"), findings.iter().map(Cause::len).sum(), paint);
    first_causes(&findings, paint).for_each(|finding| group(text, finding, None, paint, |line| paint.yellow(line)));
    count_omitted(text, &findings, paint);
}

/// The causes that are listed.
fn first_causes<'a, 'b>(causes: &'b [Cause<'a>], paint: Paint) -> impl Iterator<Item = &'b Cause<'a>> {
    causes.iter().take(if paint.0.detail == Detail::Brief { GROUPS } else { usize::MAX })
}

/// The number of causes that are not listed.
fn count_omitted(text: &mut String, causes: &[Cause<'_>], paint: Paint) {
    if let Some(rest) = causes.get(first_causes(causes, paint).count()..).filter(|rest| !rest.is_empty()) {
        let rules: usize = rest.iter().map(Cause::len).sum();
        line(text, &format!("{rules:>6}  {}", message!("for-other-reasons", count = rest.len())));
    }
}

/// A cause with its rules, and the findings like it. A cause with one rule is listed with the rule's message.
fn group(
    text: &mut String,
    cause: &Cause<'_>,
    alike: Option<&Cause<'_>>,
    paint: Paint,
    color: impl Fn(&str) -> String,
) {
    if cause.others.is_empty() && alike.is_none() {
        line(text, &row(cause.first, paint));
        return;
    }
    for (index, part) in wrap(&one_line(&cause.sentence()), paint.width() - 8).iter().enumerate() {
        let number = if index == 0 { cause.len().to_string() } else { String::new() };
        line(text, &color(&format!("{number:>6}  {part}")));
    }
    let others =
        (!cause.others.is_empty()).then(|| name_rules(message!("also-broken"), cause.others.iter().copied(), paint));
    let alike = alike.map(|alike| {
        let found = message!("findings-alike", count = alike.len());
        name_rules(&found, alike.results(), paint)
    });
    for names in others.into_iter().chain(alike) {
        wrap(&names, paint.width() - 8).iter().for_each(|part| line(text, &format!("{:>6}  {part}", "")));
    }
}

/// A label with rules; in brief detail, with a few of them.
fn name_rules<'a>(label: &str, rules: impl Iterator<Item = &'a RuleResult>, paint: Paint) -> String {
    let mut ids: Vec<String> = rules.map(|rule| one_line(&rule.id)).collect();
    let hidden = if paint.0.detail == Detail::Brief { ids.len().saturating_sub(FEW) } else { 0 };
    ids.truncate(ids.len() - hidden);
    let more = if hidden > 0 { format!(" {}", message!("and-others", count = hidden)) } else { String::new() };
    format!("{label} {}{more}", ids.join(", "))
}

/// The commands that come next, each on one line: the failure as a C program, the failed rules again, and the page.
fn next(text: &mut String, header: &RunHeader, first: &RuleResult) {
    let folder = folder(header);
    let run = quote_word(&clean(&header.run));
    let replay = first.failure.as_ref().map_or("", |failure| &failure.replay);
    let (command, front, options) = front_end(replay);
    let specs =
        header.settings.specs.as_deref().map(|specs| format!(" --specs {}", quote_word(specs))).unwrap_or_default();
    let rule = quote_word(&one_line(&first.id));
    let program = (message!("next-program"), format!("{command} reproducer {run} {rule}{specs}"));
    let program = first.failure.as_ref().map(|_| program);
    let lines = [
        (message!("next-failed"), format!("{front} --failed={run}{options}")),
        (message!("next-page"), format!("{folder}/{PAGE_FILE}")),
    ];
    for (label, command) in program.into_iter().chain(lines) {
        line(text, &format!("  {} {}", pad(label, LABEL), one_line(&command)));
    }
}

/// The command for other work, the command that runs rules, and the options of a run, each from the command that
/// replays a case in it.
fn front_end(replay: &str) -> (&'static str, &'static str, String) {
    let cargo = replay.contains("cargo test -- ");
    // The case is that of one rule; the devices are those on which it failed.
    let words = words(replay);
    let options = words.iter().position(|word| word.starts_with("--") && !["--", "--exact"].contains(&word.as_str()));
    let mut kept = String::new();
    let mut words = words.into_iter().skip(options.unwrap_or(usize::MAX));
    while let Some(word) = words.next() {
        if ["--case", "--devices", "--jobs"].contains(&word.as_str()) {
            words.next();
        } else {
            kept += " ";
            kept += &word;
        }
    }
    if cargo { ("cargo cts", "cargo test --", kept) } else { ("atlas-cts", "atlas-cts run", kept) }
}

/// The words of a command, with their quotation marks.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        quoted ^= c == '\'';
        match c {
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is always a word").push(c),
        }
    }
    words
}

/// A result in few lines, for `--quiet`: each cause once, with the number of its rules, what was seen and the command
/// that replays the case.
pub(super) fn brief(text: &mut String, cause: &Cause<'_>, lines: impl Iterator<Item = String>, layout: Layout) {
    let Cause { first, .. } = cause;
    let word = crate::names::verdict_text(first.verdict).to_uppercase();
    let others = match cause.others.len() {
        0 => String::new(),
        others => format!(" {}: {}", message!("and-others", count = others), cause.title()),
    };
    let head = format!("{word}  {}{others}", one_line(&first.id));
    text.push_str(&record::text::fold(&head, layout.width));
    text.push('\n');
    lines.for_each(|entry| line(text, &format!("  {entry}")));
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_the_command(
        "VISIBLE=3 atlas-cts run 'toy.a.b:x=1;y=a --b' --jobs 1 --product a2 --devices 1 --case '{\"x\": 1}'",
        "atlas-cts run",
        " --product a2"
    )]
    #[case::of_cargo("cargo test -- --exact toy.a.b --product a2 --seed 1", "cargo test --", " --product a2 --seed 1")]
    #[case::unknown("", "atlas-cts run", "")]
    fn the_options_of_a_run_are_those_of_a_replay(#[case] replay: &str, #[case] front: &str, #[case] options: &str) {
        let found = front_end(replay);
        assert_eq!((found.1, found.2.as_str()), (front, options));
    }
}
