//! `atlas-cts soak`: repeats cycles of acquiring and releasing for minutes or hours, and looks for growth.

mod arguments;
mod folder;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use catalog::{Rule, Rules, count};
use engine::run::{ExitStatus, Filter, Target, choose_runtime, load_rules};
use engine::soak::{Length, Stop, alone, header, now, open, soak as run_soak};
use ledger::soak::{Judged, SOAK_PAGE, judge, text};
use record::{Quantity, RecordedSoak, SoakEnd, SoakFile, SoakLine, read_soak};

pub use arguments::SoakArguments;

use crate::runtimes::RUNTIMES;
use crate::{CommandError, say, say_line};

/// The time of a soak if the command line gives neither a time nor a number of cycles.
const USUAL: Duration = Duration::from_secs(600);

/// The largest number of quantities whose cycle is repeated alone.
const MOST_ALONE: usize = 12;

/// Runs a soak, continues one, or prints the state of one.
///
/// # Errors
/// Fails if the command line is contradictory, or if the target or the soak's folder cannot be used.
pub fn soak(mut arguments: SoakArguments) -> Result<ExitStatus, CommandError> {
    if let Some(given) = &arguments.status {
        let soak = read_soak(&folder::named(given)).map_err(CommandError::Soak)?;
        let judged = judge(&soak);
        say(&text(&soak, &judged))?;
        return Ok(status(&judged));
    }
    let earlier = arguments.resume.as_deref().map(|given| SoakFile::resume(&folder::named(given)));
    let earlier = earlier.transpose().map_err(CommandError::Soak)?;
    if let Some((_, soak)) = &earlier {
        arguments.continues(soak);
    }
    let mut options = arguments.options();
    let wanted: Vec<String> = match &earlier {
        Some((_, soak)) => soak.header.rules.iter().map(|rule| rule.id.clone()).collect(),
        None => arguments.filter.clone(),
    };
    let runtime = choose_runtime(RUNTIMES, &mut options.catalog, &wanted)?;
    let rules = Arc::new(load_rules(&options.catalog, runtime)?);
    let (target, remark) = open(&options, runtime, rules.clone())?;
    if let Some(remark) = remark {
        say_line(remark)?;
    }
    let length = arguments.length(earlier.as_ref().map(|(_, soak)| soak));
    let (file, soak, path) = match earlier {
        Some((mut file, soak)) => {
            expect_same(&soak, &header(&target, &options, &[], length))?;
            let resume = record::SoakResume { started: now() };
            file.append(&SoakLine::Resume(resume)).map_err(CommandError::Soak)?;
            (file, soak, folder::named(arguments.resume.as_deref().unwrap_or(Path::new(""))))
        }
        None => {
            let selected = selected(&target, &wanted)?;
            let header = header(&target, &options, &selected, length);
            let path = folder::new(arguments.report_dir(), &header);
            let file = SoakFile::create(&path, &header).map_err(CommandError::Soak)?;
            (file, read_soak(&path).map_err(CommandError::Soak)?, path)
        }
    };
    finish(&target, file, &soak, &path, length)
}

/// The rules to repeat, and to the user which of them do not apply.
fn selected<'a>(target: &'a Target, wanted: &[String]) -> Result<Vec<&'a Rule>, CommandError> {
    let rules: &Rules = &target.rules;
    let filter = Filter { wanted: wanted.to_vec(), ..Filter::default() };
    let planned = filter.select(rules)?;
    let named = planned.iter().filter_map(|planned| rules.rule(&planned.id));
    // Without names, the rules that were written as cycles; a named rule may be any.
    let all: Vec<&Rule> = named.filter(|rule| rule.cycle || !wanted.is_empty()).collect();
    let (run, skipped): (Vec<&Rule>, Vec<&Rule>) = all.into_iter().partition(|rule| target.skip(rule).is_none());
    for rule in skipped {
        let why = target.skip(rule).map(|skip| skip.to_string()).unwrap_or_default();
        say_line(format!("{}: not repeated: {why}", rule.id))?;
    }
    Ok(run)
}

/// Checks that a soak continues with what it began with.
fn expect_same(soak: &RecordedSoak, now: &record::SoakHeader) -> Result<(), CommandError> {
    let before = &soak.header;
    let pairs = [
        ("runtime", &before.runtime, &now.runtime),
        ("product", &before.product, &now.product),
        ("library", &before.sha256, &now.sha256),
        ("catalog", &before.catalog, &now.catalog),
    ];
    match pairs.into_iter().find(|(_, before, now)| before != now) {
        Some((what, before, now)) => Err(CommandError::OtherSoak { what, before: before.clone(), now: now.clone() }),
        None => Ok(()),
    }
}

/// Runs the batches, looks at each growing quantity alone, and writes the reports.
fn finish(
    target: &Target,
    mut file: SoakFile,
    soak: &RecordedSoak,
    path: &Path,
    length: Length,
) -> Result<ExitStatus, CommandError> {
    let ids: Vec<&str> = soak.header.rules.iter().map(|rule| rule.id.as_str()).collect();
    let rules: Vec<&Rule> = ids.iter().filter_map(|id| target.rules.rule(id)).collect();
    say_line(format!("soak of {} in {}", count(rules.len(), "rule"), path.display()))?;
    let mut rounds = 0u64;
    let mut told = |remark: &str| {
        if !remark.is_empty() {
            eprintln!("{remark}");
            return;
        }
        rounds += 1;
        if std::io::stderr().is_terminal() && rounds.is_multiple_of(10) {
            eprint!("\r{rounds} rounds ");
        }
    };
    let stop = run_soak(target, &rules, length, soak, &mut file, &mut told).map_err(CommandError::Soak)?;
    let found = read_soak(path).map_err(CommandError::Soak)?;
    if stop == Stop::Done {
        let judged = judge(&found);
        let growing = judged.rules.iter().flat_map(|rule| rule.alarms().map(|course| (rule.rule, course.quantity)));
        let growing = growing.filter(|(_, quantity)| *quantity != Quantity::Latency).take(MOST_ALONE);
        for (position, quantity) in growing.collect::<Vec<_>>() {
            let rate = alone(target, position, rules[position], found.header.seed, quantity);
            if let Some(rate) = rate {
                file.append(&SoakLine::Rate(rate)).map_err(CommandError::Soak)?;
            }
        }
        let end = SoakEnd { finished: now(), nanoseconds: found.nanoseconds() };
        file.append(&SoakLine::End(end)).and_then(|()| file.sync()).map_err(CommandError::Soak)?;
    }
    let found = read_soak(path).map_err(CommandError::Soak)?;
    let judged = judge(&found);
    say(&text(&found, &judged))?;
    folder::write_reports(path, &found, &judged)?;
    say_line(format!("report    {}", path.join(SOAK_PAGE).display()))?;
    if let Stop::Signal(signal) = stop {
        say_line(format!("{signal}: soak stopped; `atlas-cts soak --resume {}` continues it", path.display()))?;
        return Ok(ExitStatus::Unknown);
    }
    Ok(status(&judged))
}

/// The exit status: 1 for an alarm, 3 if a rule was not measured.
fn status(judged: &Judged) -> ExitStatus {
    match judged.alarms() {
        0 if judged.unknown() => ExitStatus::Unknown,
        0 => ExitStatus::Success,
        _ => ExitStatus::Broken,
    }
}
