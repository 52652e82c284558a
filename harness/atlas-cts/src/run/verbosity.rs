//! The amount of a run's output for people.

use catalog::count;
use clap::Args;
use engine::run::Campaign;
use engine::run::headings::RESULTS;
use ledger::report::{Blocks, brief_failure, brief_summary, failure_text, pad, sort_text, summary, verdict_text};
use record::{Recorded, Rounds, RuleResult, Sort, Verdict};

/// The width of a verdict before a rule's id, in columns.
const NAME: usize = 9;

/// The options for the amount of output.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Verbosity {
    /// Print only results that break the run, in three lines each, and the outcome.
    #[arg(short, long, help_heading = RESULTS)]
    pub quiet: bool,
    /// Print each failure in full, and the numbers of cases and checks of each rule.
    #[arg(short, long, conflicts_with = "quiet", help_heading = RESULTS, hide_short_help = true)]
    pub verbose: bool,
}

impl Verbosity {
    /// A result as text; `None` if it is not printed.
    pub fn result(self, blocks: &Blocks, campaign: &Campaign, result: &RuleResult) -> Option<String> {
        let breaks = result.verdict != Verdict::Pass && campaign.breaks(result);
        if self.quiet || breaks {
            return breaks.then(|| self.failure(blocks, campaign, result));
        }
        let work = if self.verbose { format!("  ({})", work(result)) } else { rounds(result.rounds.as_ref()) };
        let verdict = verdict_text(result.verdict);
        Some(match result.verdict {
            known if known != Verdict::Skipped && known != Verdict::Pass && campaign.expected(result) => {
                format!("{} {}  ({verdict}: {})", pad(sort_text(Sort::Known), NAME), result.id, result.reason)
            }
            Verdict::Pass => format!("{} {}{work}", pad(verdict, NAME), result.id),
            _ if result.reason.is_empty() => format!("{} {}{work}", pad(verdict, NAME), result.id),
            _ => format!("{} {}  ({})", pad(verdict, NAME), result.id, result.reason),
        })
    }

    /// A result that breaks the run. Unless everything is printed, a failure like an earlier one is shortened.
    pub fn failure(self, blocks: &Blocks, campaign: &Campaign, result: &RuleResult) -> String {
        match self {
            Verbosity { quiet: true, .. } => brief_failure(result),
            Verbosity { verbose: true, .. } => failure_text(result, &campaign.header),
            _ => blocks.text(result, &campaign.header),
        }
    }

    /// The summary of a run.
    pub fn summary(self, run: &Recorded, color: bool) -> String {
        match self.quiet {
            true => brief_summary(run, color),
            false => summary(&run.header, &run.results, run.end.as_ref(), color),
        }
    }
}

/// The rounds of a repeated rule that holds, or an empty text.
fn rounds(rounds: Option<&Rounds>) -> String {
    rounds.map(|rounds| format!("  ({})", count(rounds.ran(), "round"))).unwrap_or_default()
}

/// The work for a rule; for a repeated rule, the work of one round and the number of rounds.
fn work(result: &RuleResult) -> String {
    let rounds = result.rounds.as_ref().map(|rounds| count(rounds.ran(), "round"));
    let (cases, checks) = (count(result.cases, "case"), count(result.checks, "check"));
    let time = format!("{:.1} ms", result.nanoseconds as f64 / 1e6);
    [cases, checks].into_iter().chain(rounds).chain([time]).collect::<Vec<_>>().join(", ")
}
