//! The must-pass list of a catalog.

use std::collections::{BTreeMap, BTreeSet};

use serde_yaml::Spanned;
use steps::judgment::{Judgment, judgments};

use crate::one_space;
use crate::{Rule, Rules, promised};

/// The rules that a conformant device holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MustPass {
    /// The version of the suite.
    pub version: String,
    /// The SHA-256 of the catalog's files, in lower-case hex.
    pub catalog: String,
    /// The rules' requirements, by rule id.
    pub rules: BTreeMap<String, Promise>,
}

/// The requirements of a rule, in enough detail to show a weakening.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Promise {
    /// Ids of the products on which the rule has to hold.
    pub products: BTreeSet<String>,
    /// The conditions under which the rule applies: `2 devices`, `edition >=8.2`.
    pub conditions: BTreeSet<String>,
    /// The judged statements, each on one line. A statement that appears several times is repeated.
    pub checks: Vec<String>,
}

impl MustPass {
    /// The list of a catalog.
    pub fn of(rules: &Rules, version: &str) -> MustPass {
        let mut found: BTreeMap<String, Promise> = rules
            .rules
            .iter()
            .map(|rule| (rule.id.clone(), Promise::of(rule, rules)))
            .filter(|(_, promise)| !promise.products.is_empty())
            .collect();
        if let Some(id) = rules.support_rule() {
            let products = rules.products.iter().map(|product| product.id.clone()).collect();
            found.insert(id, Promise { products, ..Promise::default() });
        }
        MustPass { version: version.to_owned(), catalog: rules.digest.clone(), rules: found }
    }

    /// The list for one product.
    pub fn on(mut self, product: &str) -> MustPass {
        self.rules.retain(|_, promise| promise.products.contains(product));
        self
    }
}

impl Promise {
    /// The requirements of a rule. If no document promises its behavior, the list of products is empty.
    pub(super) fn of(rule: &Rule, rules: &Rules) -> Promise {
        let products = rules.products.iter().map(|product| &product.id);
        Promise {
            products: products.filter(|product| promised(rule, product, rules)).cloned().collect(),
            conditions: conditions(rule).into_iter().collect(),
            checks: checks(rule),
        }
    }
}

fn conditions(rule: &Rule) -> Vec<String> {
    let when = &rule.when;
    let devices = rule.devices();
    let found = [
        when.run_mode.as_ref().map(|mode| format!("programs on the {mode}")),
        (devices > 1).then(|| format!("{devices} devices")),
        when.edition.as_ref().map(|edition| format!("edition {}", edition.value)),
        when.kernel.as_ref().map(|kernel| format!("kernel {kernel}")),
        when.dedicated.then(|| "dedicated".to_owned()),
    ];
    let capability =
        |(name, has): (&Spanned<String>, bool)| format!("{}capability {}", if has { "" } else { "no " }, name.value);
    found.into_iter().flatten().chain(when.capabilities().map(capability)).collect()
}

/// The texts of judged statements. A call that must fail, together with its code, is one statement.
fn checks(rule: &Rule) -> Vec<String> {
    let judged = judgments(&rule.program).into_iter();
    let whole = judged.filter(|judged| !matches!(judged.judgment, Judgment::Code(_)));
    whole.map(|judged| one_space(&rule.program.judged(&judged))).collect()
}
