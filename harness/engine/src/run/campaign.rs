//! A run of rules on a target. Each rule runs once. The rule's result is compared with the results of the rules that
//! own the called functions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::case::{CaseError, cases_from_json, rule_seed};
use crate::leftovers::Names;
use crate::pool::Debugger;
use crate::runtime::Runtime;
use crate::soak::Length;
use catalog::Rules;
use record::books::{Expected, KnownFailures};
use record::{Incident, Meaning, RuleResult, RunEnd, RunHeader, SortedResult, Verdict, counts, exit_code};

use super::debugged::expect_debuggable;
use super::devices::{self, Demand, Devices, Opened, Recovery};
use super::empty_result::empty_result;
use super::errors::RunError;
use super::evidence::Evidence;
use super::known::KnownCases;
use super::listener::{Listener, Running, RunningRule, ToStandardError};
use super::locked::locked;
use super::news::News;
use super::options::Options;
use super::redacted;
use super::selection::Planned;
use super::support_rule;
use super::tally::Tally;
use super::target::Target;

/// A run: the target, the settings, and the results so far.
#[derive(Debug)]
pub struct Campaign {
    pub target: Target,
    /// The journal's first line.
    pub header: RunHeader,
    /// The cases to run, in this order. If empty, all cases run.
    pub(super) only: Vec<Json>,
    pub(super) known: KnownCases,
    /// The run's remarks and incidents.
    pub(super) news: News,
    /// The results so far.
    pub(super) tally: Tally,
    pub(super) running: Running,
    pub(super) devices: Devices,
    /// True to run each single-device rule on every device.
    pub(super) everywhere: bool,
    /// The way to recover a lost device.
    pub(super) recovery: Option<Recovery>,
    pub(super) evidence: Evidence,
    /// The debugger for the run's only rule.
    pub(super) debugger: Option<Debugger>,
    /// The length for which each rule that passes is repeated, if the run repeats rules.
    pub(super) repeats: Option<Length>,
    begun: Instant,
    /// The names in shared memory and in the temporary folder at the start; `None` for a simulated device.
    names: Option<Names>,
    /// The time spent on confirming the failures of each chapter, in milliseconds.
    pub(super) confirming: Vec<AtomicU64>,
}

impl Campaign {
    /// Opens the target for a new run.
    ///
    /// # Errors
    /// Fails if an option names something unknown, or if the library, the runtime or a device cannot be used.
    pub fn open(options: &Options, runtime: &'static Runtime, rules: Arc<Rules>) -> Result<Campaign, RunError> {
        Campaign::open_heard(options, runtime, rules, Arc::new(ToStandardError))
    }

    /// Same as [`Campaign::open`], with a listener.
    pub(super) fn open_heard(
        options: &Options,
        runtime: &'static Runtime,
        rules: Arc<Rules>,
        listener: Arc<dyn Listener>,
    ) -> Result<Campaign, RunError> {
        let only = options.only_cases()?;
        let mut target = Target::open(options, runtime, rules)?;
        target.executor.factory.stacks.examine_hangs();
        let Opened { devices, out, fingerprint, said } = devices::open(&mut target, options)?;
        let hearer = listener.clone();
        target.executor.factory.remarks.announce_with(move |text| hearer.remark(text));
        let lease = devices.take_anyway(Demand::ONE);
        let measured = target.set_patience(lease.visible().as_deref(), options);
        drop(lease);
        let said: Vec<String> = target.unknown_name.take().into_iter().chain(said).chain(measured).collect();
        let limit = Duration::from_secs(options.tune.recover_limit);
        let evidence = Evidence::of(options, runtime, target.executor.factory.simulated.is_some());
        let mut header = RunHeader { devices_out: out, fingerprint, ..target.header(options) };
        if let Some(redactor) = &evidence.redactor {
            redacted::header(&mut header, redactor);
        }
        let campaign = Campaign {
            tally: Tally::new(target.rules.rules.len(), options.run.strict),
            news: News::new(listener, evidence.redactor.clone()),
            header,
            evidence,
            only,
            known: KnownCases::default(),
            devices,
            everywhere: options.everywhere(),
            recovery: options.machine.variables.recover.clone().map(|command| Recovery { command, limit }),
            running: Running::default(),
            debugger: options.debugger.clone(),
            repeats: options.effort.length,
            begun: Instant::now(),
            names: (!target.library.simulated).then(|| Names::now(options.machine.report_dir.as_deref())),
            confirming: target.rules.chapters.iter().map(|_| AtomicU64::new(0)).collect(),
            target,
        };
        said.into_iter().for_each(|text| campaign.remark(text));
        Ok(campaign)
    }

    /// Checks the cases from `--case` and the stored counterexamples before any rule runs.
    ///
    /// # Errors
    /// Fails if a case from `--case` does not belong to the selected rule.
    pub(super) fn expect_cases(&mut self, options: &Options, selected: &[Planned]) -> Result<(), RunError> {
        let rules = self.target.rules.clone();
        let scope = &self.target.executor.scope;
        if let Some(text) = &options.run.case {
            let rule = only_rule(selected).map(|index| &rules.rules[index]);
            let checked = rule.and_then(|rule| {
                let cases = |json: &Json| match json {
                    Json::Array(_) => Err(CaseError::NotAnObject),
                    json => cases_from_json(&rule.program, scope, json),
                };
                self.only.iter().try_for_each(|json| cases(json).map(drop)).map_err(|error| error.to_string())
            });
            checked.map_err(|reason| options.run.wrong_case(text, reason))?;
            return Ok(());
        }
        let rules = selected.iter().filter_map(|planned| planned.rule).map(|index| &rules.rules[index]);
        self.known = KnownCases::read(rules, scope);
        self.known.remarks.iter().for_each(|remark| self.remark(remark.clone()));
        Ok(())
    }

    /// Checks that the selected rule can be debugged, if the run has a debugger. Returns the lines to print first.
    ///
    /// # Errors
    /// Fails if the rule cannot be debugged.
    pub(super) fn expect_debuggable(&self, selected: &[Planned]) -> Result<Vec<String>, RunError> {
        let Some(debugger) = &self.debugger else { return Ok(Vec::new()) };
        Ok(expect_debuggable(debugger, &self.target.rules, selected, self.only.len())?)
    }

    /// True if a debugger has the terminal while the rule runs.
    pub fn debugs(&self) -> bool {
        self.debugger.is_some()
    }

    /// Applies the known failures to all later results. Returns a remark about the known failures.
    pub(super) fn expect_failures(
        &mut self,
        options: &Options,
        known: Option<Box<dyn KnownFailures>>,
    ) -> Option<String> {
        self.tally.expecting = known.map(|known| options.known.expecting(known, &mut self.header));
        self.expecting().map(Expected::line)
    }

    /// The known failures.
    pub(super) fn expecting(&self) -> Option<&dyn Expected> {
        self.tally.expecting.as_deref()
    }

    /// The reason why a dangerous rule does not run.
    pub(super) fn danger(&self, id: &str) -> Option<String> {
        self.tally.danger(id)
    }

    /// True if a result is a known failure and therefore does not count.
    pub fn expected(&self, result: &RuleResult) -> bool {
        self.tally.expected(result)
    }

    /// The result as the known failures sort it; `None` if they do not concern it.
    pub fn sorted(&self, result: &RuleResult) -> Option<SortedResult> {
        self.tally.sorted(std::slice::from_ref(result))?.results.pop()
    }

    /// Adds a remark about the entire run. The remark is printed at once and included in the reports.
    pub(super) fn remark(&self, text: String) {
        self.news.remark(text);
    }

    /// Adds an incident with a device or a process. The incident is printed at once and included in the reports.
    pub(super) fn happened(&self, event: Incident) {
        self.news.happened(event);
    }

    /// Reports the devices that were lost since the previous call.
    pub(super) fn tell_who_is_out(&self) {
        self.devices.newly_out().into_iter().for_each(|event| self.happened(event));
    }

    /// Runs a planned rule, or determines why the rule does not apply. Counts the result.
    pub fn execute(&self, planned: &Planned) -> RuleResult {
        let result = self.perform(planned);
        self.count(result.clone());
        result
    }

    /// Returns a planned rule's result without counting it.
    pub(super) fn perform(&self, planned: &Planned) -> RuleResult {
        match planned.rule {
            None => match self.danger(&planned.id) {
                Some(reason) => RuleResult { verdict: Verdict::Skipped, reason, ..support_rule::empty_result(planned) },
                None => support_rule::exported(&self.target, planned),
            },
            Some(index) => self.judged(index),
        }
    }

    /// Counts a result and includes it in the exit status.
    pub(super) fn count(&self, result: RuleResult) {
        let last = result.ran_in.iter().map(|ran| ran.worker).max().unwrap_or(0);
        self.target.executor.factory.numbers.fetch_max(last, Ordering::Relaxed);
        self.tally.count(result);
    }

    /// The order in which rules start. On shared devices, rules that need few devices start first, because rules that
    /// need many devices would often wait and block other rules.
    pub(super) fn order<'a>(&self, selected: &'a [Planned]) -> Vec<&'a Planned> {
        let mut order: Vec<&Planned> = selected.iter().collect();
        if self.devices.at_the_same_time().is_some_and(|most| most > 1) {
            // The order cycles through the devices, so that a thread that follows this order rarely waits for a
            // device.
            let mut waiting: BTreeMap<Option<usize>, usize> = BTreeMap::new();
            order.sort_by_cached_key(|planned| {
                let turn = waiting.entry(self.own_device(planned)).or_default();
                *turn += 1;
                (planned.rule.map(|index| Demand::of(&self.target.rules.rules[index])), *turn)
            });
        }
        order
    }

    /// The device that a planned rule waits for; `None` if the rule needs any device, several devices, or no
    /// device.
    pub(super) fn own_device(&self, planned: &Planned) -> Option<usize> {
        let rule = &self.target.rules.rules[planned.rule?];
        let several = self.devices.at_the_same_time().is_some_and(|most| most > 1);
        let one = several && Demand::of(rule) == Demand::Devices(1);
        if !one || self.everywhere || !self.runs(planned) {
            return None;
        }
        self.devices.order(self.header.seed, &rule.id).first().copied()
    }

    /// True if a planned rule applies to this target.
    pub(super) fn runs(&self, planned: &Planned) -> bool {
        let applies = |index: usize| self.target.skip(&self.target.rules.rules[index]).is_none();
        planned.rule.is_none_or(applies) && self.danger(&planned.id).is_none()
    }

    /// The result of a planned rule that does not run.
    pub(super) fn unanswered(&self, planned: &Planned, reason: String) -> RuleResult {
        let result = match planned.rule {
            None => support_rule::empty_result(planned),
            Some(index) => {
                let rule = &self.target.rules.rules[index];
                empty_result(&self.target.rules, rule, rule_seed(self.header.seed, &rule.id))
            }
        };
        RuleResult { verdict: Verdict::Error, reason, ..result }
    }

    /// True if the run replays a given case or debugs a rule, so that only this rule is judged.
    pub(super) fn replays(&self) -> bool {
        !self.only.is_empty() || self.debugger.is_some()
    }

    /// The rules that are running, longest-running first.
    pub fn running(&self) -> Vec<RunningRule> {
        self.running.rules()
    }

    /// The results so far.
    pub fn results(&self) -> Vec<RuleResult> {
        self.tally.results()
    }

    /// Ends the workers and summarizes the run.
    pub fn finish(&self) -> RunEnd {
        let factory = &self.target.executor.factory;
        self.target.executor.pool.close(factory.deadlines);
        self.names.as_ref().and_then(Names::remark_on_new).into_iter().for_each(|remark| self.remark(remark));
        let results = self.results();
        let expectations = self.tally.sorted(&results);
        let exit = exit_code(&self.header.settings, &results, self.known.unusable, expectations.as_ref());
        let mut end = RunEnd {
            finished: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
            nanoseconds: self.begun.elapsed().as_nanos() as u64,
            counts: counts(&results),
            workers_started: factory.starts.processes(),
            starts: factory.starts.all(),
            start_up_nanoseconds: factory.start_up.load(Ordering::Relaxed),
            events: Vec::new(),
            remarks: factory.remarks.all(),
            unusable_cases: self.known.unusable,
            retries: locked(&factory.retries).clone(),
            exit,
            expectations,
        };
        self.news.add_to(&mut end);
        end
    }

    /// True if a result counts as a broken rule, that is, if it is not a known failure.
    pub(super) fn counts_as_broken(&self, result: &RuleResult) -> bool {
        let finding = self.header.settings.strict && result.meaning() == Meaning::Finding;
        (finding || result.meaning() == Meaning::Broken) && !self.expected(result)
    }

    /// True if a result makes the run non-conformant.
    pub fn breaks(&self, result: &RuleResult) -> bool {
        self.tally.breaks(result)
    }
}

/// The selected rule's position in the catalog. Fails unless exactly one catalog rule is selected.
fn only_rule(selected: &[Planned]) -> Result<usize, String> {
    match selected {
        [Planned { rule: Some(index), .. }] => Ok(*index),
        [planned] => Err(format!("{} has no cases", planned.id)),
        _ => Err(format!("a case belongs to one rule, but {} are selected; name its rule", selected.len())),
    }
}
