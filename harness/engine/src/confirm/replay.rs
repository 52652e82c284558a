//! The command that repeats a failure.

use serde_json::Value as Json;

use crate::rules::Rule;
use crate::worker::search::FailedCase;

use super::options::DEFAULT_DEADLINE;
use super::session::{Session, project_root};

impl Session {
    /// The values of a failing case for its replay. A replay of several cases gives those that ran.
    pub(super) fn replay_values(&self, failed: &FailedCase) -> Json {
        let before = (failed.case as usize).saturating_sub(1);
        if failed.replay_values.is_object() && before > 0 && before < self.only_cases.len() {
            let mut cases = self.only_cases[..before].to_vec();
            cases.push(failed.replay_values.clone());
            return Json::Array(cases);
        }
        failed.replay_values.clone()
    }

    /// A command that runs exactly this case again, or these, in one process.
    pub(super) fn replay(&self, rule: &Rule, values: &Json) -> String {
        let mut words = vec!["cargo test --".to_owned(), "--exact".to_owned(), rule.id.clone()];
        words.push(format!("--product {}", self.target.product));
        if self.factory.specs != project_root().join("specs") {
            let specs = std::path::absolute(&self.factory.specs).unwrap_or_else(|_| self.factory.specs.clone());
            words.push(format!("--specs {}", quoted(&specs.display().to_string())));
        }
        if self.factory.simulator.is_none() {
            words.push(format!("--library {}", quoted(&self.factory.library.path.display().to_string())));
        } else if !self.header.defects.is_empty() {
            words.push(format!("--defect {}", self.header.defects.join(",")));
        }
        if self.header.library.chosen_by == "--backend simulator" {
            words.push("--backend simulator".to_owned());
        }
        if self.factory.simulator.as_ref().is_some_and(|simulator| simulator.run_mode == "device") {
            words.push("--run-mode device".to_owned());
        }
        words.push(format!("--devices {}", self.target.devices));
        words.push(format!("--seed {}", self.header.seed));
        let deadline = self.factory.deadlines.step.as_secs();
        if deadline != DEFAULT_DEADLINE {
            words.push(format!("--deadline {deadline}"));
        }
        if self.target.hazardous {
            words.push("--hazardous".to_owned());
        }
        if rule.when.dedicated && self.factory.simulator.is_none() {
            words.push("--dedicated".to_owned());
        }
        if !values.is_null() {
            words.push(format!("--case {}", quoted(&values.to_string())));
        }
        words.join(" ")
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    if word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+=:,".contains(c)) && !word.is_empty() {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
