//! The differences from the run before: rules that broke, and rules that hold again.

use std::collections::BTreeMap;

use maud::{Markup, html};
use messages::message;
use record::{Meaning, Recorded, RuleResult, Verdict};

use super::labels::anchor;
use crate::report::text::one_line;

/// The largest number of rules in a list.
const MOST: usize = 20;

/// A run's results compared with those of an earlier run; empty without a comparable earlier run.
#[derive(Default)]
pub(super) struct Since<'a> {
    started: &'a str,
    before: BTreeMap<&'a str, &'a RuleResult>,
}

impl<'a> Since<'a> {
    /// The comparison with `previous`, if that run tested the same runtime and product, both or neither simulated.
    pub(super) fn of(run: &Recorded, previous: Option<&'a Recorded>) -> Since<'a> {
        let tested = |run: &Recorded| {
            let header = &run.header;
            (header.runtime.clone(), header.product.clone(), header.library.simulated)
        };
        let Some(previous) = previous.filter(|previous| tested(previous) == tested(run)) else {
            return Since::default();
        };
        let before = previous.results.iter().map(|result| (result.id.as_str(), result)).collect();
        Since { started: &previous.header.started, before }
    }

    /// The earlier verdict of a rule, if it differs from the verdict now.
    pub(super) fn was(&self, result: &RuleResult) -> Option<Verdict> {
        let before = self.before.get(result.id.as_str())?;
        (before.verdict != result.verdict).then_some(before.verdict)
    }

    /// True if the rule is broken now, and had a result in the run before in which it was not broken.
    pub(super) fn is_new(&self, result: &RuleResult) -> bool {
        let before = self.before.get(result.id.as_str());
        result.meaning() == Meaning::Broken && before.is_some_and(|before| before.meaning() != Meaning::Broken)
    }

    /// The section about the run before; empty if there is none.
    pub(super) fn section(&self, run: &Recorded) -> Markup {
        if self.started.is_empty() {
            return html! {};
        }
        let broke: Vec<&RuleResult> = run.results.iter().filter(|result| self.is_new(result)).collect();
        let was_broken = |result: &&RuleResult| {
            self.before.get(result.id.as_str()).is_some_and(|before| before.meaning() == Meaning::Broken)
        };
        let holds = |result: &&RuleResult| result.meaning() == Meaning::Good && was_broken(result);
        let fixed: Vec<&RuleResult> = run.results.iter().filter(holds).collect();
        let still = run.results.iter().filter(|result| result.meaning() == Meaning::Broken).filter(was_broken).count();
        html! {
            section aria-labelledby="since" {
                h2 id="since" { (message!("heading-since", started = one_line(self.started))) }
                p {
                    (message!("since-numbers", broke = broke.len(), fixed = fixed.len(), still = still))
                }
                (list(message!("since-broke"), "rule", &broke))
                (list(message!("since-fixed"), "row", &fixed))
            }
            "\n"
        }
    }
}

/// The rules with links to their entries.
fn list(name: &str, kind: &str, rules: &[&RuleResult]) -> Markup {
    html! {
        @if !rules.is_empty() {
            p {
                (name) ": "
                @for (index, rule) in rules.iter().take(MOST).enumerate() {
                    @if index > 0 { ", " }
                    a href={ "#" (anchor(kind, &rule.id)) } { (one_line(&rule.id)) }
                }
                @if rules.len() > MOST { " " (message!("and-more", count = rules.len() - MOST)) }
            }
        }
    }
}
