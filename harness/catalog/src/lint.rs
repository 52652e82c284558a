//! Weaknesses in a catalog that are not mistakes: defects that do not distinguish rules, conditions that discard most
//! cases, lines that are too wide.

mod branches;
mod capabilities;
mod edges;
mod promises;
mod unwritten;
mod values;

pub use branches::{free_branches, rules_without_checks};
pub use capabilities::untested_capabilities;
pub use edges::Edges;
pub use promises::unproven_promises;
pub use unwritten::{TO_WRITE, unwritten};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use simulator_contract::Defect;

use steps::builtins::Builtin;
use steps::program::{Argument, Domain, Expression, Program};
use steps::walk::Node;

use crate::proof::ProofTable;
use crate::{Missing, Product, Rule, Rules, Specs, TimeUnit, chapter_paths, left_out, name_below, offered, short};
use cases::{CaseError, Discarded, Scope};
use simulator_contract::is_subtle;

/// The number of cases drawn for each rule and product.
const DRAWS: u32 = 1000;
/// The maximum width of a line in columns.
const WIDEST: usize = 120;

/// Reports rules that share their only defect, their only subtle defect or all their defects. Also reports rows of the
/// table that name nothing, and defects named after a rule instead of a mechanism in a driver.
pub fn claims(rules: &Rules, table: &ProofTable, defects: &[Defect]) -> Vec<String> {
    let claimed = |rule: &Rule| -> BTreeSet<String> { table.claims(&rule.id).map(str::to_owned).collect() };
    let mut found = table.mistakes(rules, defects);
    let mut shared = |what: &str, claims: &dyn Fn(&Rule) -> Option<BTreeSet<String>>| {
        let mut owners: BTreeMap<BTreeSet<String>, &Rule> = BTreeMap::new();
        for rule in &rules.rules {
            let Some(claims) = claims(rule) else { continue };
            let names = claims.iter().cloned().collect::<Vec<_>>().join(", ");
            if let Some(first) = owners.get(&claims) {
                let place = format!("{}:{}", short(&rules.chapters[rule.chapter].path), rule.line);
                found.push(format!(
                    "{place}: {} and {} share {what}, {names}; let one of them notice another defect, and prove it with \
                     --unclaimed --raise",
                    first.id, rule.id
                ));
            } else {
                owners.insert(claims, rule);
            }
        }
    };
    shared("their only defect", &|rule| Some(claimed(rule)).filter(|claims| claims.len() == 1));
    shared("all their defects", &|rule| Some(claimed(rule)).filter(|claims| claims.len() > 1));
    shared("their only subtle defect", &|rule| {
        let all = claimed(rule);
        let claims: BTreeSet<String> = all.iter().filter(|name| is_subtle(defects, name)).cloned().collect();
        // A single shared defect was reported above.
        Some(claims).filter(|claims| claims.len() == 1 && all.len() > 1)
    });
    for defect in defects {
        let id = format!("{}.{}", rules.runtime, defect.name);
        if rules.rule(&id).is_some() {
            found
                .push(format!("the defect {} is named after the rule {id}; name what goes wrong instead", defect.name));
        }
    }
    found
}

/// A rule whose `where` keeps too few cases, with the first affected product.
#[derive(Debug)]
pub struct ConditionMistake {
    /// `file:line:column` of the condition.
    place: String,
    rule: String,
    product: String,
    kind: ConditionMistakeKind,
}

/// The problem with a `where`.
#[derive(Debug)]
pub enum ConditionMistakeKind {
    /// The condition discards more than half of the cases.
    Discards(Discarded),
    /// No case can be drawn.
    NoCase(CaseError),
}

impl fmt::Display for ConditionMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConditionMistake { place, rule, product, kind } = self;
        match kind {
            ConditionMistakeKind::Discards(discarded) => write!(
                f,
                "{place}: `where` discards {} % of the cases of {rule} on {product}; at most half is allowed. Narrow \
                 the domains instead: smaller bounds, `multiple_of`, `offset`, or bounds that read an earlier axis",
                discarded.percent()
            ),
            ConditionMistakeKind::NoCase(error) => write!(f, "{place}: {rule} has no case on {product}: {error}"),
        }
    }
}

/// The rules whose `where` discards more than half of 1,000 cases, on a product to which they apply.
pub fn condition_mistakes(rules: &Rules) -> Vec<ConditionMistake> {
    let conditional = rules.rules.iter().filter(|rule| rule.program.condition.is_some());
    let found = |rule| rules.products.iter().find_map(|product| mistake(rules, rule, product));
    conditional.filter_map(found).collect()
}

fn mistake(rules: &Rules, rule: &Rule, product: &Product) -> Option<ConditionMistake> {
    let mode = rule.when.run_mode.as_ref();
    if offered(rule, &product.id, rules).is_err() || mode.is_some_and(|mode| !product.run_modes.contains(mode)) {
        return None;
    }
    let left_out = left_out(rule, &product.id, &Missing::default(), rules);
    let scope = Scope { left_out, ..Scope::new(product.facts.clone(), rule.devices()) };
    let kind = match Discarded::measure(&rule.program, &scope, DRAWS) {
        Ok(discarded) if discarded.too_many() => ConditionMistakeKind::Discards(discarded),
        Ok(_) => return None,
        Err(error) => ConditionMistakeKind::NoCase(error),
    };
    let at = rule.in_file().source.condition.as_ref().unwrap_or(&rule.in_file().source.steps).referenced;
    let place = rule.in_file().file.place(at.line() as usize, at.column() as usize);
    Some(ConditionMistake { place, rule: rule.id.clone(), product: product.id.clone(), kind })
}

/// The set-ups that no rule and no other set-up use.
pub fn unused_set_ups(rules: &Rules) -> Vec<String> {
    let set_ups = &rules.environment.vocabulary.set_ups;
    let in_rules = rules.rules.iter().flat_map(|rule| &rule.program.givens).map(|given| &given.name);
    let used: BTreeSet<&String> = in_rules.chain(set_ups.values().flatten().flat_map(|known| &known.made_of)).collect();
    let unused = set_ups.keys().filter(|name| !used.contains(name));
    unused.map(|name| format!("api.yaml: no rule uses the set-up `{name}`; remove it, or use it")).collect()
}

/// The timeouts that are not derived from the run's patience, with their places. A fixed value that suffices on one
/// machine is too short on another.
pub fn fixed_time_outs(rules: &Rules) -> Vec<String> {
    let mut found = Vec::new();
    for rule in &rules.rules {
        for call in rule.program.sites().into_iter().flatten() {
            let function = rule.program.functions[call.function].name;
            let Some((position, unit)) = rules.time_outs.get(function) else { continue };
            let Some(Argument::Value { value, .. }) = call.arguments.get(*position) else { continue };
            if follows(&rule.program, value) {
                continue;
            }
            let write = match unit {
                TimeUnit::Milliseconds => "`patience`, or a part of it such as `patience / 100`",
                TimeUnit::Seconds => "`patience / 1000`, since this timeout is in seconds",
            };
            let place = rule.place(call.span.start);
            found.push(format!("{place}: a timeout of {function} is a fixed number; write {write}"));
        }
        rule.program.walk(&mut |node| {
            if let Node::Expression(Expression::Builtin(Builtin::PauseFor, arguments)) = node
                && !arguments.iter().all(|time| follows(&rule.program, time))
            {
                found.push(format!("{}: a pause is a fixed number; write a part of `patience`", rule.id));
            }
        });
    }
    found
}

/// True if a timeout is derived from the patience or is not a duration (0 or negative).
fn follows(program: &Program, value: &Expression) -> bool {
    let none = |value: &Expression| Scope::default().evaluate(value, &[]).is_ok_and(|value| value <= 0);
    if none(value) {
        return true;
    }
    let (mut patient, mut fixed) = (false, false);
    value.walk(&mut |node| match node {
        Node::Expression(Expression::Patience) => patient = true,
        Node::Expression(Expression::Axis(axis)) => {
            fixed |= !matches!(&program.axes[*axis].domain, Domain::OneOf { values, .. } if values.iter().all(none));
        }
        Node::Expression(constant @ Expression::Constant(_)) => fixed |= !none(constant),
        _ => {}
    });
    patient || !fixed
}

/// Messages for lines that are too wide in a runtime's YAML files.
pub fn wide_lines(specs: &Specs, runtime: &str) -> Vec<String> {
    let folder = specs.root().join(runtime);
    let own = ["api.yaml", "documents.yaml", "products.yaml", "support.yaml"].map(|name| folder.join(name));
    // Unreadable files are reported when the catalog is read.
    let chapters = chapter_paths(specs, runtime, &mut Vec::new());
    let mut found = Vec::new();
    for path in own.into_iter().chain(chapters) {
        let bytes = specs.read(&path, u64::MAX).unwrap_or_default();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let columns = line.chars().count();
            if columns > WIDEST {
                let place = format!("specs/{}:{}", name_below(specs.root(), &path), number + 1);
                found.push(format!("{place}: {columns} columns; break the line to at most {WIDEST}"));
            }
        }
    }
    found
}
