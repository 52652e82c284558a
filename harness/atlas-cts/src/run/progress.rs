//! A run's progress on the last line of a terminal: rules with a result, the running rule and its time, and an estimate
//! of the remaining time. The line is hidden if standard error is not a terminal.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine::run::{Agenda, Listener, RunError, RunningRule};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ledger::report::clean;
use messages::{comma, message};

use crate::say_aside;

/// The interval between updates of the line.
const TICK: Duration = Duration::from_millis(250);

/// The progress line, which may be hidden.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    /// The ids of the rules that have a result.
    ended: Mutex<HashSet<String>>,
}

impl Default for Progress {
    fn default() -> Progress {
        let dumb = std::env::var_os("TERM").is_none_or(|terminal| terminal == "dumb");
        let bar = match std::io::stderr().is_terminal() && !dumb {
            true => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
            false => ProgressBar::hidden(),
        };
        Progress { bar, ended: Mutex::default() }
    }
}

impl Listener for Progress {
    fn begun(&self, _: &str, _: &str) {}

    fn remark(&self, text: &str) {
        self.aside(|| say_aside(text));
    }
}

impl Progress {
    /// Prints something above the line.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Counts a rule that has a result.
    pub(super) fn finish(&self, rule: &str) {
        if !self.bar.is_hidden() {
            self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(rule.to_owned());
        }
    }

    /// Shows the line until the work ends.
    pub(super) fn during(&self, work: &Agenda, perform: impl FnOnce() -> Result<(), RunError>) -> Result<(), RunError> {
        if self.bar.is_hidden() || work.campaign.debugs() {
            return perform();
        }
        let style = ProgressStyle::with_template(&template());
        self.bar.set_style(style.expect("the template's fields exist"));
        self.bar.set_length(work.selected.len() as u64);
        std::thread::scope(|scope| {
            let (over, wait) = channel::<()>();
            scope.spawn(move || self.follow(work, &wait));
            let performed = perform();
            drop(over);
            performed
        })
    }

    fn follow(&self, work: &Agenda, over: &Receiver<()>) {
        let estimate = work.estimate();
        let threads = work.threads();
        // The channel carries no messages. It closes when the work ends.
        while over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let running = work.campaign.running();
            let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let open = work.selected.iter().map(|planned| planned.id.as_str()).filter(|rule| !ended.contains(*rule));
            let ran = running.iter().map(|rule| rule.time).sum::<Duration>() / threads.max(1) as u32;
            let left = match &estimate {
                Some(estimate) => Some(estimate.left(open, threads).saturating_sub(ran)),
                None => at_this_pace(self.bar.elapsed(), ended.len(), work.selected.len()),
            };
            self.bar.set_position(ended.len() as u64);
            self.bar.set_message(message(&running, left));
            self.bar.tick();
        }
        self.bar.finish_and_clear();
    }
}

/// The line, with the fields that the bar fills in.
fn template() -> String {
    message!("progress-rules", done = "{pos}", all = "{len}", time = "{elapsed_precise}") + "{wide_msg}"
}

/// An estimate of the remaining time for a run without earlier runs of its kind: the other rules take as long as those
/// that have a result. `None` before enough rules have one.
fn at_this_pace(elapsed: Duration, ended: usize, selected: usize) -> Option<Duration> {
    const LEAST: usize = 10;
    let open = selected.saturating_sub(ended);
    let enough = ended >= LEAST && ended * 10 >= selected;
    enough.then(|| elapsed.mul_f64(open as f64 / ended as f64))
}

/// The running rules, and an estimate of the remaining time.
fn message(running: &[RunningRule], left: Option<Duration>) -> String {
    let left = left.map(|left| message!("progress-left", time = roughly(left))).unwrap_or_default();
    let Some(RunningRule { rule, devices, case, time }) = running.first() else { return left };
    let case = case.map(|case| message!("progress-case", case = case) + comma()).unwrap_or_default();
    let others = match running.len() - 1 {
        0 => String::new(),
        others => format!(" {}", message!("and-more", count = others)),
    };
    let text = format!("{left}: {rule} ({case}{devices}, {} s){others}", time.as_secs());
    clean(&text).replace(['\n', '\t'], " ")
}

/// A rounded time.
fn roughly(time: Duration) -> String {
    match time.as_secs() {
        0..5 => "5 s".to_owned(),
        seconds @ 5..90 => format!("{} s", seconds.div_ceil(5) * 5),
        seconds @ 90..5_400 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn rule(rule: &str, case: Option<u64>) -> RunningRule {
        let (rule, devices) = (rule.to_owned(), "device 3".to_owned());
        RunningRule { rule, devices, case, time: Duration::from_secs(2) }
    }

    #[rstest]
    #[case::nothing_known(&[], None, "")]
    #[case::nothing_runs(&[], Some(61), ", about 65 s left")]
    #[case::the_first_case(&[rule("a.b", None)], None, ": a.b (device 3, 2 s)")]
    #[case::a_later_case(&[rule("a.b", Some(17))], Some(3), ", about 5 s left: a.b (case 17, device 3, 2 s)")]
    #[case::several(&[rule("a.b", None), rule("c.d", None)], Some(600), ", about 10 min left: a.b (device 3, 2 s) and 1 more")]
    #[case::hours(&[], Some(9_000), ", about 2.5 h left")]
    fn the_running_rules_are_shown_on_one_line(
        #[case] running: &[RunningRule],
        #[case] left: Option<u64>,
        #[case] line: &str,
    ) {
        assert_eq!(message(running, left.map(Duration::from_secs)), line);
    }

    #[rstest]
    #[case::too_few(9, 20, None)]
    #[case::a_small_share(10, 200, None)]
    #[case::half(20, 40, Some(60))]
    #[case::a_quarter(10, 40, Some(180))]
    #[case::all(40, 40, Some(0))]
    fn a_first_run_is_estimated_from_its_own_pace(
        #[case] ended: usize,
        #[case] selected: usize,
        #[case] seconds: Option<u64>,
    ) {
        let left = at_this_pace(Duration::from_secs(60), ended, selected);
        assert_eq!(left, seconds.map(Duration::from_secs));
    }

    #[test]
    fn nothing_moves_the_cursor() {
        let mut odd = rule("a.b", None);
        odd.devices = "device \u{1b}[2J\n3".to_owned();
        assert_eq!(message(&[odd], None), ": a.b (device ␛[2J 3, 2 s)");
    }
}
