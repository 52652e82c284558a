//! Resumes a run: reads the interrupted run's results, and checks that the resumed run tests the same target.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::case::LEAST_PATIENCE;
use crate::runtime::Runtime;
use catalog::Rules;
use catalog::digest;
use record::{LibraryIdentity, Recorded, RunHeader};

use super::differences::{Differences, able, further, mapped, on_others};
use super::errors::{ResumeError, RunError};
use super::library::{Backend, LibraryError, choose_library};
use super::options::Options;
use super::places::read_named;
use super::profile::Profile;
use super::selection::{Planned, plan};
use super::tuning::{DEFAULT_DEADLINE, Waiting};

/// The interrupted run that `--resume` names, with its results so far.
pub struct Earlier {
    pub folder: PathBuf,
    pub run: Recorded,
}

impl Earlier {
    /// Reads the run that `--resume` names, if given. Options that are not on the command line are taken from the
    /// interrupted run. Those on the command line must match its options.
    pub fn open(options: &mut Options) -> Result<Option<Earlier>, ResumeError> {
        let Some(given) = &options.resume else { return Ok(None) };
        if std::env::var_os("NEXTEST_RUN_ID").is_some() {
            return Err(ResumeError::Nextest);
        }
        let (folder, run) = read_named(given).map_err(|error| ResumeError::NoRun { error })?;
        let mut differences = Differences::from_earlier(options.on_command_line.as_ref());
        compare_options(&mut differences, &run.header, options, &folder);
        expect_none(&differences, &folder)?;
        complete(options, &run.header);
        Ok(Some(Earlier { folder, run }))
    }

    /// Checks, before the catalog and the library are used, that the interrupted run used the same catalog and
    /// library. Paths of files are never taken from the journal: otherwise, the journal's author could choose the code
    /// that this process loads.
    pub fn expect_same_files(&self, options: &Options, runtime: &Runtime, rules: &Rules) -> Result<(), ResumeError> {
        let then = &self.run.header;
        let mut differences = Differences::default();
        let catalog = match &then.settings.specs {
            Some(specs) if options.catalog.specs.is_none() => {
                &format!("it was in {specs}: give that run's catalog with --specs DIR, or restore it")
            }
            _ => "give that run's catalog with --specs DIR, or restore it",
        };
        differences.fact("the catalog's digest", &then.catalog_digest, &rules.digest, catalog);
        expect_none(&differences, &self.folder)?;
        let library = |error| ResumeError::Library { folder: self.folder.clone(), error: Box::new(error) };
        let named = options.machine.library.as_deref();
        let choice = choose_library(named, options.workers.backend, &rules.libraries, runtime).map_err(library)?;
        let path = choice.files.into_iter().next().flatten().unwrap_or_default();
        let unreadable = |source| library(LibraryError::Unreadable { path: path.clone(), source });
        let now = LibraryIdentity {
            path: if choice.embedded { "the embedded simulated device".to_owned() } else { path.display().to_string() },
            sha256: digest::of_file(&path).map_err(unreadable)?,
            ..LibraryIdentity::default()
        };
        if then.library.sha256 != now.sha256 {
            let shown = |library: &LibraryIdentity| format!("{} (sha256 {})", library.path, library.sha256);
            let action = "give that run's library with --library PATH";
            differences.fact("the library", &shown(&then.library), &shown(&now), action);
        }
        expect_none(&differences, &self.folder)
    }

    /// Returns the rules that were selected when the interrupted run started. Fails if the rules selected now are
    /// different.
    pub fn selection(&self, rules: &Rules, selected: Vec<Planned>) -> Result<Vec<Planned>, ResumeError> {
        let mut differences = Differences::default();
        let all = plan(rules);
        let known: HashSet<&str> = all.iter().map(|planned| planned.id.as_str()).collect();
        let done = self.run.results.iter().map(|result| &result.id);
        let mut foreign = done.chain(self.run.in_flight.keys()).filter(|id| !known.contains(id.as_str()));
        if let Some(id) = foreign.next() {
            return Err(ResumeError::Foreign { folder: self.folder.clone(), id: id.clone() });
        }
        let narrowed = selected.len() < all.len();
        let ids: HashSet<&str> = self.run.header.own_rules().collect();
        let then: Vec<Planned> = all.into_iter().filter(|planned| ids.contains(planned.id.as_str())).collect();
        if narrowed && selected != then {
            let count = |planned: &[Planned]| match planned {
                [one] => one.id.clone(),
                several => format!("{} rules", several.len()),
            };
            differences.fact("the filter", &count(&then), &count(&selected), "leave it out");
            expect_none(&differences, &self.folder)?;
        }
        Ok(then)
    }

    /// Adds the resumed run's context to an error from opening the target.
    pub fn context(&self, error: RunError) -> RunError {
        let folder = self.folder.clone();
        match error {
            RunError::Library(error) => ResumeError::Library { folder, error: Box::new(error) }.into(),
            RunError::Target(error) => ResumeError::Target { folder, error: Box::new(error) }.into(),
            other => other,
        }
    }

    /// Returns a remark if the run continues on other devices of the same model.
    pub fn elsewhere(&self, now: &RunHeader) -> Option<String> {
        let text = || "the run continued on other devices of the same model with the same software";
        on_others(&self.run.header, now).then(|| text().to_owned())
    }

    /// Checks that a run with this header tests the same target as the resumed run.
    pub fn expect_same(&self, now: &RunHeader) -> Result<(), ResumeError> {
        let then = &self.run.header;
        let mut differences = Differences::default();
        let action = "reinstall that run's libraries";
        differences.fact("the further libraries", &further(then), &further(now), action);
        differences.fact("the mapped libraries", &mapped(then, now), &mapped(now, then), action);
        let device = "run on that run's device";
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "not reported".to_owned());
        differences.fact("the suite's version", &then.suite, &now.suite, "use that run's version");
        differences.fact("the runtime", &then.runtime, &now.runtime, "give that run's catalog with --specs DIR");
        differences.fact("the product", &then.product, &now.product, device);
        differences.fact("the device's name", &text(&then.reported_name), &text(&now.reported_name), device);
        differences.fact("the capabilities", &able(then), &able(now), device);
        differences.fact("the number of devices", &then.devices, &now.devices, device);
        differences.fingerprints(then, now);
        differences.fact("the run mode", &then.run_mode, &now.run_mode, device);
        differences.fact("the profile", &then.profile, &now.profile, "leave --profile out");
        differences.fact("the defects", &then.defects.join(","), &now.defects.join(","), "leave --defect out");
        expect_none(&differences, &self.folder)
    }
}

fn compare_options(differences: &mut Differences, then: &RunHeader, now: &Options, folder: &Path) {
    let settings = &then.settings;
    let case = |case: Option<&serde_json::Value>| case.map_or_else(|| "no case".to_owned(), ToString::to_string);
    // An invalid case is reported separately later.
    let case_now = now.run.case.as_deref().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    let number = |number: Option<u64>| number.map_or_else(|| "no number".to_owned(), |number| number.to_string());
    let yes = |yes: bool| if yes { "on" } else { "off" };
    differences.option("--product", &&*then.product, now.catalog.named_product().as_ref());
    differences.option("--profile", &then.profile.as_str(), now.effort.profile.map(Profile::name).as_ref());
    differences.option("--seed", &then.seed, now.effort.seed.as_ref());
    differences.option("--devices", &all_devices(then), now.conditions.devices.as_ref());
    differences.option("--sim run-mode", &then.run_mode, now.simulator.run_mode.as_ref());
    let defects = Some(now.run.defects.join(",")).filter(|defects| !defects.is_empty());
    differences.option("--defect", &then.defects.join(","), defects.as_ref());
    let edition = |edition: Option<&String>| edition.cloned().unwrap_or_default();
    let edition_now = now.simulator.edition.as_ref().map(|now| edition(Some(now)));
    differences.option("--sim edition", &edition(settings.sim_edition.as_ref()), edition_now.as_ref());
    let memory = now.simulator.memory.map(|memory| number(Some(memory)));
    differences.option("--sim memory", &number(settings.sim_memory), memory.as_ref());
    let case_now = case_now.as_ref().map(|value| case(Some(value)));
    differences.option("--case", &case(settings.case.as_ref()), case_now.as_ref());
    let deadline = Some(&now.tune.deadline);
    let deadline = deadline.filter(|deadline| now.on_command_line.is_some() || **deadline != DEFAULT_DEADLINE);
    differences.option("--tune deadline", &settings.deadline, deadline);
    let limit = now.tune.rule_limit.map(|limit| number(Some(limit)));
    differences.option("--tune rule-limit", &number(settings.rule_limit), limit.as_ref());
    let exhaustive = now.tune.exhaustive.map(|steps| number(Some(u64::from(steps))));
    differences.option("--tune exhaustive", &number(settings.exhaustive.map(u64::from)), exhaustive.as_ref());
    let patience = match now.tune.patience {
        Waiting::Given(given) => Some(number(Some(u64::from(given)))),
        Waiting::Measured => None,
    };
    differences.option("--tune patience", &number(settings.patience.map(u64::from)), patience.as_ref());
    differences.option("--hazardous", &yes(settings.hazardous), now.conditions.hazardous.then(|| yes(true)).as_ref());
    differences.option("--dedicated", &yes(settings.dedicated), now.conditions.dedicated.then(|| yes(true)).as_ref());
    let through = |name: Option<&String>| name.cloned().unwrap_or_default();
    let through_now = now.conditions.through.as_ref().map(|now| through(Some(now)));
    differences.option("--through", &through(settings.through.as_ref()), through_now.as_ref());
    let without = Some(now.tune.without_axioms.join(", ")).filter(|ids| !ids.is_empty());
    differences.option("--tune without-axiom", &settings.without_axioms.join(", "), without.as_ref());
    let everywhere = now.tune.on_every_device.map(yes);
    differences.option("--tune every-device", &yes(settings.on_every_device), everywhere.as_ref());
    differences.option("--strict", &yes(settings.strict), now.run.strict.then(|| yes(true)).as_ref());
    differences.option("--tune redact", &yes(settings.redact), now.tune.redact.then(|| yes(true)).as_ref());
    let least = now.tune.min_executed.map(|least| number(Some(least)));
    differences.option("--tune min-executed", &number(settings.min_executed), least.as_ref());
    let repeat = now.run.repeat.map(|repeat| repeat.to_string());
    differences.option("--repeat", &settings.repeat.unwrap_or(1).to_string(), repeat.as_ref());
    let length = now.effort.length.map(|length| length.to_string());
    differences.option("--for", &settings.length.clone().unwrap_or_default(), length.as_ref());
    let report = now.machine.report_dir.as_deref().map(|dir| dir.canonicalize().unwrap_or_else(|_| dir.to_owned()));
    let report = report.map(|dir| dir.display().to_string());
    differences.option("--report-dir", &folder.display().to_string(), report.as_ref());
}

/// The number of a run's devices, including devices that were unusable before the run began.
fn all_devices(of: &RunHeader) -> u32 {
    let out = u32::try_from(of.devices_out.len()).unwrap_or(u32::MAX);
    of.devices.saturating_add(out)
}

/// Fills in options that were not given, except options that name files to read or load. A journal must never choose
/// which files are read or loaded.
fn complete(options: &mut Options, then: &RunHeader) {
    let settings = &then.settings;
    options.catalog.product.clone_from(&then.product);
    options.effort.profile = Profile::from_str(&then.profile, false).ok();
    options.effort.seed = Some(then.seed);
    options.conditions.devices = Some(all_devices(then));
    options.devices_out = then.devices_out.iter().map(|out| out.device.clone()).collect();
    options.simulator.run_mode = Some(then.run_mode.clone()).filter(|mode| !mode.is_empty());
    options.run.defects.clone_from(&then.defects);
    options.run.case = settings.case.as_ref().map(ToString::to_string);
    options.simulator.edition.clone_from(&settings.sim_edition);
    options.simulator.memory = settings.sim_memory;
    options.tune.deadline = settings.deadline;
    // The patience is not measured again: all results in a run use the value from the run's start.
    options.tune.patience = Waiting::Given(settings.patience.unwrap_or(LEAST_PATIENCE));
    options.tune.rule_limit = settings.rule_limit;
    options.tune.exhaustive = settings.exhaustive;
    options.conditions.hazardous = settings.hazardous;
    options.tune.without_axioms.clone_from(&settings.without_axioms);
    options.conditions.dedicated = settings.dedicated;
    options.conditions.through.clone_from(&settings.through);
    options.tune.on_every_device = Some(settings.on_every_device);
    options.machine.variables.bare_metal = then.host.as_ref().is_some_and(|host| host.assumed_bare);
    options.run.strict = settings.strict;
    options.tune.redact = settings.redact;
    options.tune.min_executed = settings.min_executed;
    options.run.repeat = settings.repeat;
    options.effort.length = settings.length.as_ref().and_then(|length| length.parse().ok());
    let embedded = then.library.simulated && !then.library.chosen_by.starts_with("--library");
    if options.machine.library.is_none() && options.workers.backend == Backend::Auto && embedded {
        options.workers.backend = Backend::Simulator;
    }
}

/// Fails if there are differences, and lists all differences in one error.
fn expect_none(differences: &Differences, folder: &Path) -> Result<(), ResumeError> {
    if differences.found.is_empty() {
        return Ok(());
    }
    Err(ResumeError::Different { folder: folder.to_owned(), found: differences.found.clone() })
}
