//! A run of rules on a target: each rule once, its result held against what the owners of its calls showed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::case::{CaseError, cases_from_json, rule_seed};
use crate::runtime::Runtime;
use catalog::Rules;
use record::books::{Expected, KnownFailures};
use record::{Incident, RuleResult, RunEnd, RunHeader, Verdict, counts, exit_code};

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

/// A run: what is tested and with what settings, and the results so far.
#[derive(Debug)]
pub struct Campaign {
    pub target: Target,
    /// The journal's first line.
    pub header: RunHeader,
    /// If there are any: these cases, in this order, and no others.
    pub(super) only: Vec<Json>,
    pub(super) known: KnownCases,
    /// What is told of it.
    pub(super) news: News,
    /// The results so far.
    pub(super) tally: Tally,
    pub(super) running: Running,
    pub(super) devices: Devices,
    /// Runs each rule of one device on each device.
    pub(super) everywhere: bool,
    /// How a device that is out may be brought back.
    pub(super) recovery: Option<Recovery>,
    pub(super) evidence: Evidence,
    begun: Instant,
    /// Milliseconds that running failures again has taken.
    pub(super) confirming: AtomicU64,
}

impl Campaign {
    /// Opens the target of a run in which no rule has run.
    ///
    /// # Errors
    /// The options ask for what does not exist, or the library, the runtime or a device is in the way.
    pub fn open(options: &Options, runtime: &'static Runtime, rules: Arc<Rules>) -> Result<Campaign, RunError> {
        Campaign::open_heard(options, runtime, rules, Arc::new(ToStandardError))
    }

    /// As [`Campaign::open`], and somebody hears what happens.
    pub(super) fn open_heard(
        options: &Options,
        runtime: &'static Runtime,
        rules: Arc<Rules>,
        listener: Arc<dyn Listener>,
    ) -> Result<Campaign, RunError> {
        let only = options.only_cases()?;
        let mut target = Target::open(options, runtime, rules)?;
        let Opened { devices, out, fingerprint, said } = devices::open(&mut target, options)?;
        let lease = devices.take_anyway(Demand::ONE);
        let measured = target.set_patience(lease.visible().as_deref(), options);
        drop(lease);
        let said: Vec<String> = said.into_iter().chain(measured).collect();
        let limit = Duration::from_secs(options.run.recover_limit);
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
            recovery: options.run.recover_cmd.clone().map(|command| Recovery { command, limit }),
            running: Running::default(),
            begun: Instant::now(),
            confirming: AtomicU64::new(0),
            target,
        };
        said.into_iter().for_each(|text| campaign.remark(text));
        Ok(campaign)
    }

    /// Looks at the cases that were given and at those that are kept, before anything runs.
    ///
    /// # Errors
    /// What `--case` gives is not a case of the one rule that was selected.
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
            checked.map_err(|reason| RunError::Case { text: text.clone(), reason })?;
            return Ok(());
        }
        let rules = selected.iter().filter_map(|planned| planned.rule).map(|index| &rules.rules[index]);
        self.known = KnownCases::read(rules, scope);
        self.known.remarks.iter().for_each(|remark| self.remark(remark.clone()));
        Ok(())
    }

    /// Takes known failures into account from now on; gives what is to be said about them.
    pub(super) fn expect_failures(
        &mut self,
        options: &Options,
        known: Option<Box<dyn KnownFailures>>,
    ) -> Option<String> {
        self.tally.expecting = known.map(|known| options.known.expecting(known, &mut self.header));
        self.expecting().map(Expected::line)
    }

    /// The failures that are known.
    pub(super) fn expecting(&self) -> Option<&dyn Expected> {
        self.tally.expecting.as_deref()
    }

    /// Why a rule is not run that does harm.
    pub(super) fn danger(&self, id: &str) -> Option<String> {
        self.tally.danger(id)
    }

    /// Whether a result is as somebody expected, so that it does not count.
    pub fn expected(&self, result: &RuleResult) -> bool {
        self.tally.expected(result)
    }

    /// Says something about the run as a whole: now, and in the reports.
    pub(super) fn remark(&self, text: String) {
        self.news.remark(text);
    }

    /// Says what happened to devices or processes: now, and in the reports.
    pub(super) fn happened(&self, event: Incident) {
        self.news.happened(event);
    }

    /// Says which devices are out since this was asked last.
    pub(super) fn tell_who_is_out(&self) {
        self.devices.newly_out().into_iter().for_each(|event| self.happened(event));
    }

    /// Runs something planned, or says why it does not apply. The result counts from now on.
    pub fn execute(&self, planned: &Planned) -> RuleResult {
        let result = self.perform(planned);
        self.count(result.clone());
        result
    }

    /// The result of something planned, which is not counted yet.
    pub(super) fn perform(&self, planned: &Planned) -> RuleResult {
        match planned.rule {
            None => match self.danger(&planned.id) {
                Some(reason) => RuleResult { verdict: Verdict::Skipped, reason, ..support_rule::empty_result(planned) },
                None => support_rule::exported(&self.target, planned),
            },
            Some(index) => self.judged(index),
        }
    }

    /// Takes a result into account: in the counts and the exit status.
    pub(super) fn count(&self, result: RuleResult) {
        self.tally.count(result);
    }

    /// The order in which rules begin. On devices that they share, those of few devices come before those of many, which
    /// would otherwise wait, and keep others waiting, again and again.
    pub(super) fn order<'a>(&self, selected: &'a [Planned]) -> Vec<&'a Planned> {
        let mut order: Vec<&Planned> = selected.iter().collect();
        if self.devices.at_the_same_time().is_some_and(|most| most > 1) {
            // One rule of each device after the other: a thread that takes them in this order waits little.
            let mut waiting: BTreeMap<Option<usize>, usize> = BTreeMap::new();
            order.sort_by_cached_key(|planned| {
                let turn = waiting.entry(self.own_device(planned)).or_default();
                *turn += 1;
                (planned.rule.map(|index| Demand::of(&self.target.rules.rules[index])), *turn)
            });
        }
        order
    }

    /// The device that a planned rule waits for; `None`: any, several, or none.
    pub(super) fn own_device(&self, planned: &Planned) -> Option<usize> {
        let rule = &self.target.rules.rules[planned.rule?];
        let several = self.devices.at_the_same_time().is_some_and(|most| most > 1);
        let one = several && Demand::of(rule) == Demand::Devices(1);
        if !one || self.everywhere || !self.runs(planned) {
            return None;
        }
        self.devices.order(self.header.seed, &rule.id).first().copied()
    }

    /// Whether something planned applies here.
    pub(super) fn runs(&self, planned: &Planned) -> bool {
        let applies = |index: usize| self.target.skip(&self.target.rules.rules[index]).is_none();
        planned.rule.is_none_or(applies) && self.danger(&planned.id).is_none()
    }

    /// The result of something planned that is not run.
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

    /// Whether one case is run again that was given: its rule is judged by itself.
    pub(super) fn replays(&self) -> bool {
        !self.only.is_empty()
    }

    /// The rules that run now, the one that runs longest first.
    pub fn running(&self) -> Vec<RunningRule> {
        self.running.rules()
    }

    /// The results so far.
    pub fn results(&self) -> Vec<RuleResult> {
        self.tally.results()
    }

    /// Ends the workers and sums the run up.
    pub fn finish(&self) -> RunEnd {
        let factory = &self.target.executor.factory;
        self.target.executor.pool.close(factory.deadlines);
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

    /// Whether a result keeps the run from being conformant.
    pub fn breaks(&self, result: &RuleResult) -> bool {
        self.tally.breaks(result)
    }
}

/// Position of the rule that was selected, if it is one.
fn only_rule(selected: &[Planned]) -> Result<usize, String> {
    match selected {
        [Planned { rule: Some(index), .. }] => Ok(*index),
        [planned] => Err(format!("{} has no cases", planned.id)),
        _ => Err(format!("it is of one rule, and {} are selected; name its rule", selected.len())),
    }
}
