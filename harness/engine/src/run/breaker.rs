//! The circuit breaker for functions that hang or terminate their process. A hang belongs to the rule that found it: only
//! if the function's plain form hangs too are the rules that call the function blocked, until the function works again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::case::LostIn;
use catalog::{Rule, Rules};
use record::Verdict;

/// The number of hangs after which a function is known to hang, always or intermittently. Later calls then get less time.
const KNOWN: u32 = 3;

/// The number of rules blocked before a tripped function is tried again. The interval doubles after each try, up to a
/// maximum. Most rules therefore still get a result on a device that hangs intermittently.
const FIRST_INTERVAL: u32 = 8;
const LONGEST_INTERVAL: u32 = 32;

/// The device is quarantined when this many functions that wait for the device have tripped.
const WAITS: usize = 2;

/// The decision on whether a rule may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Permit {
    /// The rule runs.
    Run,
    /// The rule runs, and its result shows whether a function that hung or crashed before works again. If the function
    /// hung ([`Breaker::may_hang`]), each call may take at most as long as the run's longest call so far.
    Briefly,
    /// The rule does not run, and gets this verdict and reason.
    Refused(Verdict, String),
}

/// The accident by which a rule lost a process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accident {
    /// The verdict when the accident was found.
    pub verdict: Verdict,
    /// True if the case fails every time, even alone.
    pub confirmed: bool,
    /// True if a rule that owns the function can run, so that its smallest case is the function's plain form.
    pub has_plain_form: bool,
}

/// The hangs and crashes in the functions that a run calls.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: Mutex<BreakerState>,
}

#[derive(Debug, Default)]
struct BreakerState {
    functions: BTreeMap<String, Accidents>,
    /// The functions that wait for the device, by catalog name.
    waits: BTreeSet<String>,
    /// The reason why the device was quarantined.
    out: Option<String>,
    /// True if the quarantine has been reported.
    told: bool,
}

/// The hangs and crashes in one function.
#[derive(Debug)]
struct Accidents {
    hangs: u32,
    /// True while it is unknown whether the function is broken or fails only for one rule.
    suspected: bool,
    /// True if a hang is the reason for suspicion. A crash costs no waiting time.
    may_hang: bool,
    /// The reason why rules that call the function are blocked.
    tripped: Option<String>,
    waited_for: bool,
    passed_over: u32,
    interval: u32,
}

impl Accidents {
    fn none_yet(waited_for: bool) -> Accidents {
        Accidents {
            hangs: 0,
            suspected: false,
            may_hang: false,
            tripped: None,
            waited_for,
            passed_over: 0,
            interval: FIRST_INTERVAL,
        }
    }
}

impl BreakerState {
    fn trip(&mut self, rule: &str, lost: &LostIn, verdict: Verdict) {
        let LostIn { function: name, life_cycle } = lost;
        let what = if verdict == Verdict::Timeout { "does not return" } else { "ends its process" };
        if *life_cycle {
            let text = format!("{name} {what}, as {rule} showed, and every rule needs it");
            self.out.get_or_insert(text);
        }
        if let Some(function) = self.functions.get_mut(name) {
            function.suspected = false;
            function.passed_over = 0;
            function.tripped = Some(format!(
                "{name} {what}, as {rule} showed: rules that call it are blocked until it works again; see that rule"
            ));
        }
        let waits = verdict == Verdict::Timeout && self.functions.get(name).is_some_and(|function| function.waited_for);
        if waits {
            self.suspect_other_waits();
        }
        let hangs = |function: &Accidents| function.waited_for && function.hangs > 0 && function.tripped.is_some();
        let waiting = self.functions.iter().filter(|(_, function)| hangs(function));
        let waiting: Vec<&str> = waiting.map(|(name, _)| name.as_str()).collect();
        if waiting.len() >= WAITS {
            let text = format!("{} do not return", waiting.join(" and "));
            self.out.get_or_insert(text);
        }
    }
}

impl BreakerState {
    /// Marks the other functions that wait for the device as suspected. The device may be broken, so they get less
    /// time than the function that hung first.
    fn suspect_other_waits(&mut self) {
        for name in &self.waits {
            let function = self.functions.entry(name.clone()).or_insert_with(|| Accidents::none_yet(true));
            function.suspected |= function.tripped.is_none();
            function.may_hang = true;
        }
    }
}

impl Breaker {
    fn state(&self) -> MutexGuard<'_, BreakerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides whether a rule that makes these calls may run.
    pub(super) fn permit(&self, calls: &BTreeSet<&str>) -> Permit {
        let mut state = self.state();
        if let Some(reason) = &state.out {
            return Permit::Refused(Verdict::DeviceLost, out(reason));
        }
        let mut permit = Permit::Run;
        for (_, function) in state.functions.iter_mut().filter(|(name, _)| calls.contains(name.as_str())) {
            let Some(reason) = &function.tripped else {
                if function.suspected || function.hangs >= KNOWN {
                    permit = Permit::Briefly;
                }
                continue;
            };
            function.passed_over += 1;
            if function.passed_over <= function.interval {
                return Permit::Refused(Verdict::Blocked, reason.clone());
            }
            permit = Permit::Briefly;
        }
        permit
    }

    /// Records that a rule ended in a function that hung or terminated its process. Returns true if the function's plain
    /// form must decide whether the function is broken for every rule. A function without a plain form trips when it
    /// hangs, confirmed, in a second rule, or for the third time.
    pub(super) fn accident(&self, rule: &str, lost: &LostIn, accident: Accident, rules: &Rules) -> bool {
        let mut state = self.state();
        if state.waits.is_empty() {
            state.waits.extend(rules.waits.iter().cloned());
        }
        let new = || Accidents::none_yet(rules.waits.contains(&lost.function));
        let function = state.functions.entry(lost.function.clone()).or_insert_with(new);
        if function.tripped.is_some() {
            return false;
        }
        let Accident { verdict, confirmed, has_plain_form } = accident;
        let hung = verdict == Verdict::Timeout;
        function.hangs += u32::from(hung);
        function.may_hang |= hung;
        let known = hung && function.hangs >= KNOWN;
        let second = hung && function.suspected && confirmed;
        function.suspected = confirmed;
        if has_plain_form {
            return confirmed || known;
        }
        // Only hangs count here: a crash costs no waiting time, and a function that crashes in two rules may work in
        // others.
        if known || second {
            state.trip(rule, lost, verdict);
        }
        false
    }

    /// Blocks the rules that call a function, because the function is broken.
    pub(super) fn trip(&self, rule: &str, lost: &LostIn, verdict: Verdict) {
        self.state().trip(rule, lost, verdict);
    }

    /// Clears a function that works for other rules and failed only for one.
    pub(super) fn acquit(&self, function: &str) {
        if let Some(function) = self.state().functions.get_mut(function) {
            function.suspected = false;
        }
    }

    /// Records that a rule ran although the rule calls suspected or tripped functions. If the rule passed, these
    /// functions work, except a function that hung again. If the rule did not pass, it may have ended before it called
    /// them.
    pub(super) fn probed(&self, calls: &BTreeSet<&str>, passed: bool, lost: Option<&LostIn>) {
        let mut state = self.state();
        for (name, function) in state.functions.iter_mut().filter(|(name, _)| calls.contains(name.as_str())) {
            let works = passed && lost.is_none_or(|lost| lost.function != *name);
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

    /// True if one of the functions has hung, or waits for a device on which another function has hung.
    pub(super) fn may_hang(&self, calls: &BTreeSet<&str>) -> bool {
        let state = self.state();
        state.functions.iter().any(|(name, function)| function.may_hang && calls.contains(name.as_str()))
    }

    /// True if a function is known to hang or to terminate its process, so that another accident adds no information.
    pub(super) fn knows(&self, function: &str) -> bool {
        self.state().functions.get(function).is_some_and(|function| function.tripped.is_some())
    }

    /// The reason why the device is quarantined; `None` if the device is in use.
    pub(super) fn out(&self) -> Option<String> {
        self.state().out.as_deref().map(out)
    }

    /// The reason for the quarantine; `None` if the quarantine has already been reported.
    pub(super) fn newly_out(&self) -> Option<String> {
        let mut state = self.state();
        let why = state.out.clone()?;
        (!std::mem::replace(&mut state.told, true)).then_some(why)
    }

    /// Forgets all accidents, because the device works again.
    pub(super) fn forget(&self) {
        *self.state() = BreakerState::default();
    }

    /// Quarantines the device.
    pub(super) fn put_out(&self, why: &str) {
        self.state().out.get_or_insert_with(|| why.to_owned());
    }
}

fn out(why: &str) -> String {
    format!("the device is quarantined: {why}; fix it, then rerun the rules without an answer")
}

/// The functions that a rule calls, including functions that release the resources acquired by the rule.
pub(super) fn calls<'a>(rule: &Rule, rules: &'a Rules) -> BTreeSet<&'a str> {
    let mut calls: BTreeSet<&str> = rule.function_names().collect();
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
            let accidents = Accidents { hangs: 1, suspected: true, ..Accidents::none_yet(*waited_for) };
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
        assert_eq!(breaker.permit(&["g"].into()), Permit::Run, "other functions are not affected");
        for interval in [FIRST_INTERVAL, FIRST_INTERVAL * 2, FIRST_INTERVAL * 4] {
            for _ in 0..interval {
                let (verdict, reason) = refused(&breaker, &["f", "g"]).unwrap();
                assert_eq!(verdict, Verdict::Blocked);
                assert!(reason.contains("f does not return, as a.rule showed"), "{reason}");
            }
            assert_eq!(breaker.permit(&["f", "g"].into()), Permit::Briefly);
            breaker.probed(&["f", "g"].into(), false, Some(&lost("f")));
        }
        (0..LONGEST_INTERVAL).for_each(|_| assert!(refused(&breaker, &["f"]).is_some()));
        assert_eq!(breaker.permit(&["f"].into()), Permit::Briefly);
        breaker.probed(&["f"].into(), true, None);
        assert_eq!(breaker.permit(&["f"].into()), Permit::Run);
    }

    #[test]
    fn a_rule_that_fails_before_it_reaches_a_function_says_nothing_about_it() {
        let breaker = tripped(&[("f", false)]);
        (0..FIRST_INTERVAL).for_each(|_| assert!(refused(&breaker, &["f"]).is_some()));
        assert_eq!(breaker.permit(&["f"].into()), Permit::Briefly);
        breaker.probed(&["f"].into(), false, None);
        assert!(refused(&breaker, &["f"]).is_some(), "it has not been seen to work");
    }

    #[test]
    fn two_functions_that_wait_for_the_device_put_it_out() {
        assert_eq!(refused(&tripped(&[("wait", true), ("copy", false)]), &["free"]), None);
        let (verdict, reason) = refused(&tripped(&[("wait", true), ("wait_for", true)]), &["free"]).unwrap();
        assert_eq!(verdict, Verdict::DeviceLost);
        assert!(reason.contains("wait and wait_for do not return"), "{reason}");
    }

    #[test]
    fn where_one_way_to_wait_hangs_the_others_are_waited_for_briefly_until_they_are_seen_to_work() {
        let breaker = Breaker::default();
        breaker.state().waits = ["wait", "wait_for"].map(str::to_owned).into();
        breaker.state().functions.insert("wait".to_owned(), Accidents { hangs: 1, ..Accidents::none_yet(true) });
        breaker.trip("a.rule", &lost("wait"), Verdict::Timeout);
        assert_eq!(breaker.permit(&["wait_for"].into()), Permit::Briefly);
        assert_eq!(breaker.permit(&["copy"].into()), Permit::Run, "it waits for nothing");
        breaker.probed(&["wait_for"].into(), true, None);
        assert_eq!(breaker.permit(&["wait_for"].into()), Permit::Run);
    }

    #[test]
    fn two_functions_that_end_their_process_do_not_put_the_device_out() {
        let breaker = Breaker::default();
        for name in ["wait", "wait_for"] {
            breaker.state().functions.insert(name.to_owned(), Accidents::none_yet(true));
            breaker.trip("a.rule", &lost(name), Verdict::Crash);
            let (verdict, reason) = refused(&breaker, &[name]).unwrap();
            assert_eq!(verdict, Verdict::Blocked);
            assert!(reason.contains("ends its process"), "{reason}");
        }
        assert_eq!(refused(&breaker, &["free"]), None, "a function that returns costs no waiting time");
    }

    #[test]
    fn a_function_that_ended_its_process_keeps_its_time_and_one_that_hung_does_not() {
        for (verdict, hangs) in [(Verdict::Crash, false), (Verdict::Timeout, true)] {
            let breaker = Breaker::default();
            let accidents =
                Accidents { suspected: true, may_hang: verdict == Verdict::Timeout, ..Accidents::none_yet(false) };
            breaker.state().functions.insert("print".to_owned(), accidents);
            breaker.trip("a.rule", &lost("print"), verdict);
            assert_eq!(breaker.may_hang(&["print", "free"].into()), hangs, "{verdict}");
            assert!(!breaker.may_hang(&["free"].into()));
        }
    }

    #[test]
    fn a_function_that_every_rule_needs_puts_the_device_out() {
        let breaker = tripped(&[("select", false)]);
        breaker.trip("a.rule", &LostIn { function: "select".to_owned(), life_cycle: true }, Verdict::Timeout);
        assert!(refused(&breaker, &["free"]).unwrap().1.contains("every rule needs it"));
    }
}
