//! The amount of a run's output for people.

use catalog::count;
use clap::Args;
use engine::run::Campaign;
use engine::run::headings::RESULTS;
use ledger::report::{
    Detail, Layout, Notices, brief_summary, failure_text, pad, paint, sort_text, summary, verdict_text,
};
use record::text::fold;
use record::{Recorded, RuleResult, Sort, Verdict};

/// The width of a verdict before a rule's id, in columns.
const NAME: usize = 9;

/// The options for the amount of output.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Verbosity {
    /// Print only the outcome, and a few lines for each cause
    #[arg(short, long, help_heading = RESULTS)]
    pub quiet: bool,
    /// Print each rule and each failure in full, and what was tested and counted.
    #[arg(short, long, conflicts_with = "quiet", help_heading = RESULTS, hide_short_help = true)]
    pub verbose: bool,
}

impl Verbosity {
    /// The detail of failure blocks.
    pub fn detail(self) -> Detail {
        if self.verbose { Detail::Full } else { Detail::Brief }
    }

    /// A result as text; `None` if it is not printed.
    pub fn result(self, notices: &Notices, campaign: &Campaign, result: &RuleResult, layout: Layout) -> Option<String> {
        if result.verdict != Verdict::Pass && campaign.breaks(result) {
            return self.failure(notices, campaign, result, layout);
        }
        if !self.verbose {
            return None;
        }
        let work = format!("  ({})", work(result));
        let verdict = verdict_text(result.verdict);
        let (word, rest) = match result.verdict {
            known if known != Verdict::Skipped && known != Verdict::Pass && campaign.expected(result) => {
                (sort_text(Sort::Known), format!("{}  ({verdict}: {})", result.id, result.reason))
            }
            Verdict::Pass => (verdict, format!("{}{work}", result.id)),
            _ if result.reason.is_empty() => (verdict, format!("{}{work}", result.id)),
            _ => (verdict, format!("{}  ({})", result.id, result.reason)),
        };
        let word = pad(word, NAME);
        let line = fold(&format!("{word} {rest}"), layout.width);
        Some(paint(result.meaning(), &word, layout) + &line[word.len()..])
    }

    /// A result that breaks the run; `None` if only the summary has it.
    pub fn failure(
        self,
        notices: &Notices,
        campaign: &Campaign,
        result: &RuleResult,
        layout: Layout,
    ) -> Option<String> {
        match self {
            Verbosity { quiet: true, .. } => None,
            Verbosity { verbose: true, .. } => Some(failure_text(result, &campaign.header, layout)),
            _ => notices.line(result, layout),
        }
    }

    /// The summary of a run.
    pub fn summary(self, run: &Recorded, layout: Layout) -> String {
        match self.quiet {
            true => brief_summary(run, layout),
            false => summary(&run.header, &run.results, run.end.as_ref(), layout),
        }
    }
}

/// The work for a rule; for a repeated rule, the work of one round and the number of rounds.
fn work(result: &RuleResult) -> String {
    let rounds = result.rounds.as_ref().map(|rounds| count(rounds.ran(), "round"));
    let (cases, checks) = (count(result.cases, "case"), count(result.checks, "check"));
    let time = format!("{:.1} ms", result.nanoseconds as f64 / 1e6);
    [cases, checks].into_iter().chain(rounds).chain([time]).collect::<Vec<_>>().join(", ")
}
