//! Functions that hang or end their process. Each is blamed once and confirmed once; then rules that call it do not wait
//! for it any more, until it is seen to work again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::case::LostIn;
use crate::catalog::{Rule, Rules};
use crate::record::Verdict;

/// Hangs of a function after which the rest of the run knows, whether they come each time or now and then.
const KNOWN: u32 = 3;

/// Rules that are passed over before a function is tried again: twice as many each time, and at most so many, so that a
/// device that hangs now and then still answers for most rules.
const FIRST_INTERVAL: u32 = 8;
const LONGEST_INTERVAL: u32 = 32;

/// Functions that wait for the device, and have tripped: so many put it out.
const WAITS: usize = 2;

/// What may be done with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Permit {
    /// It runs.
    Run,
    /// It runs, and nobody waits for a call for longer than calls have taken: one of its functions has hung before.
    Briefly,
    /// As before, and what it shows says whether functions that have tripped work again.
    Probe,
    /// It does not run, with this verdict, for this reason.
    Refused(Verdict, String),
}

/// What has happened to the functions of a run.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    functions: BTreeMap<String, Accidents>,
    /// Why nothing runs any more.
    out: Option<String>,
}

/// What has happened to one function.
#[derive(Debug)]
struct Accidents {
    hangs: u32,
    /// Somebody asks right now whether it is the function, or how one rule calls it.
    suspected: bool,
    /// Rules that call it do not run, for this reason.
    tripped: Option<String>,
    waited_for: bool,
    passed_over: u32,
    interval: u32,
}

impl Breaker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What may be done with a rule that makes these calls.
    pub(super) fn permit(&self, calls: &BTreeSet<&str>) -> Permit {
        let mut state = self.state();
        if let Some(reason) = &state.out {
            return Permit::Refused(Verdict::DeviceLost, reason.clone());
        }
        let mut permit = Permit::Run;
        for (_, function) in state.functions.iter_mut().filter(|(name, _)| calls.contains(name.as_str())) {
            let Some(reason) = &function.tripped else {
                if function.suspected || function.hangs >= KNOWN {
                    permit = if permit == Permit::Run { Permit::Briefly } else { permit };
                }
                continue;
            };
            function.passed_over += 1;
            if function.passed_over <= function.interval {
                return Permit::Refused(Verdict::Blocked, reason.clone());
            }
            permit = Permit::Probe;
        }
        permit
    }

    /// A rule ended in a function that hung or ended its process. Whether it is the function, and not only how this rule
    /// calls it, has to be asked: `true`. Where nobody can be asked, the next rule that calls it says so.
    pub(super) fn accident(&self, rule: &str, lost: &LostIn, verdict: Verdict, confirmed: bool, rules: &Rules) -> bool {
        let mut state = self.state();
        let function = state.functions.entry(lost.function.clone()).or_insert(Accidents {
            hangs: 0,
            suspected: false,
            tripped: None,
            waited_for: rules.waits.contains(&lost.function),
            passed_over: 0,
            interval: FIRST_INTERVAL,
        });
        if function.tripped.is_some() {
            return false;
        }
        function.hangs += u32::from(verdict == Verdict::Timeout);
        let known = verdict == Verdict::Timeout && function.hangs >= KNOWN;
        // A crash costs nobody's time: what crashes for two rules may work for the others.
        let hung = verdict == Verdict::Timeout;
        let second = hung && function.suspected && confirmed && !rules.owners.contains_key(&lost.function);
        function.suspected = confirmed && !known;
        if known || second {
            drop(state);
            self.trip(rule, lost, verdict);
            return false;
        }
        confirmed
    }

    /// It is the function: rules that call it do not wait for it any more.
    pub(super) fn trip(&self, rule: &str, lost: &LostIn, verdict: Verdict) {
        let LostIn { function: name, life_cycle } = lost;
        let what = if verdict == Verdict::Timeout { "does not return" } else { "ends its process" };
        let mut state = self.state();
        if *life_cycle {
            let text = format!("{name} {what}, as {rule} showed, and every rule needs it");
            state.out.get_or_insert_with(|| out(&text));
        }
        if let Some(function) = state.functions.get_mut(name) {
            function.suspected = false;
            function.passed_over = 0;
            function.tripped = Some(format!(
                "{name} {what}, as {rule} showed: no other rule waits for it until it is seen to work; see that rule"
            ));
        }
        let waiting = state.functions.iter().filter(|(_, function)| function.waited_for && function.tripped.is_some());
        let waiting: Vec<&str> = waiting.map(|(name, _)| name.as_str()).collect();
        if waiting.len() >= WAITS {
            let text = format!("{} do not return", waiting.join(" and "));
            state.out.get_or_insert_with(|| out(&text));
        }
    }

    /// It was not the function, but how one rule calls it.
    pub(super) fn acquit(&self, function: &str) {
        if let Some(function) = self.state().functions.get_mut(function) {
            function.suspected = false;
        }
    }

    /// A rule ran although functions that it calls were suspected or had tripped: what hung again stays so, the others
    /// work.
    pub(super) fn probed(&self, calls: &BTreeSet<&str>, lost: Option<&LostIn>) {
        let mut state = self.state();
        for (name, function) in state.functions.iter_mut().filter(|(name, _)| calls.contains(name.as_str())) {
            let works = lost.is_none_or(|lost| lost.function != *name);
            function.suspected &= !works;
            if function.tripped.is_some() {
                function.passed_over = 0;
                function.interval = (function.interval * 2).min(LONGEST_INTERVAL);
                if works {
                    function.tripped = None;
                }
            }
        }
    }

    /// The device is of no further use.
    pub(super) fn put_out(&self, why: &str) {
        self.state().out.get_or_insert_with(|| out(why));
    }
}

fn out(why: &str) -> String {
    format!("the device is out of this run: {why}; see to it, then run the rules without an answer again")
}

/// The functions that a rule calls, those included that release what it acquires.
pub(super) fn calls<'a>(rule: &Rule, rules: &'a Rules) -> BTreeSet<&'a str> {
    let mut calls: BTreeSet<&str> = rule.program.function_names().collect();
    let acquires = rules.resources.iter().filter(|resource| calls.contains(resource.acquire.as_str()));
    let releases: Vec<&str> = acquires.map(|resource| resource.release.function.as_str()).collect();
    calls.extend(releases);
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(function: &str) -> LostIn {
        LostIn { function: function.to_owned(), life_cycle: false }
    }

    fn tripped(names: &[(&str, bool)]) -> Breaker {
        let breaker = Breaker::default();
        for (name, waited_for) in names {
            let accidents = Accidents {
                hangs: 1,
                suspected: true,
                tripped: None,
                waited_for: *waited_for,
                passed_over: 0,
                interval: FIRST_INTERVAL,
            };
            breaker.state().functions.insert((*name).to_owned(), accidents);
            breaker.trip("a.rule", &lost(name), Verdict::Timeout);
        }
        breaker
    }

    fn refused(breaker: &Breaker, calls: &[&str]) -> Option<(Verdict, String)> {
        match breaker.permit(&calls.iter().copied().collect()) {
            Permit::Refused(verdict, reason) => Some((verdict, reason)),
            _ => None,
        }
    }

    #[test]
    fn a_function_that_has_tripped_is_tried_again_at_growing_intervals_until_it_works() {
        let breaker = tripped(&[("f", false)]);
        assert_eq!(breaker.permit(&["g"].into()), Permit::Run, "others do not suffer");
        for interval in [FIRST_INTERVAL, FIRST_INTERVAL * 2, FIRST_INTERVAL * 4] {
            for _ in 0..interval {
                let (verdict, reason) = refused(&breaker, &["f", "g"]).unwrap();
                assert_eq!(verdict, Verdict::Blocked);
                assert!(reason.contains("f does not return, as a.rule showed"), "{reason}");
            }
            assert_eq!(breaker.permit(&["f", "g"].into()), Permit::Probe);
            breaker.probed(&["f", "g"].into(), Some(&lost("f")));
        }
        (0..LONGEST_INTERVAL).for_each(|_| assert!(refused(&breaker, &["f"]).is_some()));
        assert_eq!(breaker.permit(&["f"].into()), Permit::Probe);
        breaker.probed(&["f"].into(), None);
        assert_eq!(breaker.permit(&["f"].into()), Permit::Run);
    }

    #[test]
    fn two_functions_that_wait_for_the_device_put_it_out() {
        assert_eq!(refused(&tripped(&[("wait", true), ("copy", false)]), &["free"]), None);
        let (verdict, reason) = refused(&tripped(&[("wait", true), ("wait_for", true)]), &["free"]).unwrap();
        assert_eq!(verdict, Verdict::DeviceLost);
        assert!(reason.contains("wait and wait_for do not return"), "{reason}");
    }

    #[test]
    fn a_function_that_every_rule_needs_puts_the_device_out() {
        let breaker = tripped(&[("select", false)]);
        breaker.trip("a.rule", &LostIn { function: "select".to_owned(), life_cycle: true }, Verdict::Timeout);
        assert!(refused(&breaker, &["free"]).unwrap().1.contains("every rule needs it"));
    }
}
