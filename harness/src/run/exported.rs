//! The rule that is derived from the support table: what the documents list as supported is exported.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::lang::program::State;
use crate::record::{Level, RuleResult, Verdict};
use crate::worker::protocol::{Reply, Request};

use super::pool::SetUp;
use super::session::{Planned, Session};

impl Session {
    /// The rule's result before anything ran.
    pub(super) fn exported_result(&self, planned: &Planned) -> RuleResult {
        RuleResult {
            id: planned.id.clone(),
            chapter: planned.chapter.clone(),
            title: "The library exports every function that the documents list as supported".to_owned(),
            level: Level::Must,
            verdict: Verdict::Pass,
            reason: String::new(),
            nanoseconds: 0,
            cases: 0,
            checks: 0,
            seed: 0,
            failure: None,
            findings: Vec::new(),
            observations: BTreeMap::new(),
            doubt: None,
            interrupted: 0,
            coverage: None,
        }
    }

    /// Every function that the catalog calls and the documents list as supported is exported.
    pub(super) fn exported(&self, planned: &Planned) -> RuleResult {
        let begun = Instant::now();
        let names: Vec<String> = self
            .rules
            .support
            .iter()
            .filter(|(name, entry)| {
                entry.supported.contains(&self.target.product)
                    && self.rules.rules.iter().any(|rule| rule.program.function_names().any(|called| called == *name))
            })
            .map(|(name, _)| name.clone())
            .collect();
        let mut result = RuleResult { cases: 1, checks: names.len() as u64, ..self.exported_result(planned) };
        let asked = self.pool.take().map_err(|error| error.to_string()).and_then(|slot| {
            // Symbols are there before anything is initialised.
            let set_up = SetUp { state: State::Loaded, device: 0, only: None };
            let started = self.factory.start(&slot.machine, set_up).map_err(|error| error.to_string());
            self.pool.give_back(slot);
            let (mut worker, _) = started?;
            let request = Request::Exports(names.clone());
            worker.ask(&request, self.factory.deadlines.step).map_err(|end| end.to_string())
        });
        match asked {
            Ok(Reply::Exported(exported)) => {
                let missing: Vec<&str> = names
                    .iter()
                    .zip(&exported)
                    .filter(|(_, exported)| !**exported)
                    .map(|(name, _)| name.as_str())
                    .collect();
                if !missing.is_empty() {
                    result.verdict = Verdict::Fail;
                    let source = self.rules.support_source.as_deref().unwrap_or_default();
                    result.reason = format!(
                        "not exported, though documented as supported on {} ({source}): {}",
                        self.target.product,
                        missing.join(", ")
                    );
                }
            }
            Ok(other) => {
                result.verdict = Verdict::Error;
                result.reason = format!("unexpected reply {other:?}");
            }
            Err(message) => {
                result.verdict = Verdict::Error;
                result.reason = message;
            }
        }
        result.nanoseconds = begun.elapsed().as_nanos() as u64;
        result
    }
}
