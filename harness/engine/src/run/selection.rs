//! The rules that a run can execute, and the selection of rules.

use std::collections::HashMap;

use steps::suggest::hint;

use catalog::{Rules, offered};
use record::RecordedShard;

use super::errors::NothingSelected;
use super::options::Options;
use super::shard::{Distribution, Shard};

/// A rule that a run can execute: a catalog rule, or the rule derived from the support table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    pub id: String,
    pub chapter: String,
    /// The position in [`Rules::rules`]; `None` for the derived rule on exported functions.
    pub(crate) rule: Option<usize>,
}

impl Planned {
    /// True if the options alone show that a run would skip this rule. Conditions that depend on a device are not
    /// checked.
    pub fn skipped_without_a_device(&self, rules: &Rules, options: &Options) -> bool {
        let Some(rule) = self.rule.map(|index| &rules.rules[index]) else { return false };
        let elsewhere = options.catalog.named_product().is_some_and(|product| offered(rule, product, rules).is_err());
        elsewhere || (rule.hazard.is_some() && !options.conditions.hazardous)
    }
}

/// All rules that a run with this catalog could execute, in catalog order.
pub fn plan(rules: &Rules) -> Vec<Planned> {
    let mut planned: Vec<Planned> = rules
        .rules
        .iter()
        .enumerate()
        .map(|(index, rule)| Planned {
            id: rule.id.clone(),
            chapter: rules.chapters[rule.chapter].name.clone(),
            rule: Some(index),
        })
        .collect();
    let derived = |id| Planned { id, chapter: "support".to_owned(), rule: None };
    planned.extend(rules.support_rule().map(derived));
    planned
}

/// The selection of rules. A complete id selects that rule; any other text selects every id that contains it.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Texts that select rules. Empty for all rules.
    pub wanted: Vec<String>,
    /// True if texts match complete ids only.
    pub exact: bool,
    /// Texts that exclude rules. A test runner passes such texts to all test executables, so a text may match no rule.
    pub left_out: Vec<String>,
    /// Same as `left_out`, but each text must match a rule.
    pub excluded: Vec<String>,
    /// The places of some of the wanted texts, as `file:line`.
    pub places: HashMap<String, String>,
    /// The part of the selection to run.
    pub part: Option<(Shard, Distribution)>,
}

/// A text that names rules.
#[derive(Debug)]
struct Pattern<'a> {
    text: &'a str,
    whole: bool,
}

impl<'a> Pattern<'a> {
    /// Determines which texts are complete ids. Each text is looked up only once, not once per rule.
    fn all(texts: &'a [String], exact: bool, all: &[Planned]) -> Vec<Pattern<'a>> {
        let whole = |text: &String| exact || all.iter().any(|planned| planned.id == *text);
        texts.iter().map(|text| Pattern { text, whole: whole(text) }).collect()
    }

    fn matches(&self, id: &str) -> bool {
        if self.whole { id == self.text } else { id.contains(self.text) }
    }
}

impl Filter {
    /// The selected rules, in catalog order.
    ///
    /// # Errors
    /// Fails if one of the texts matches nothing, or if no rule remains.
    pub fn select(&self, rules: &Rules) -> Result<Vec<Planned>, NothingSelected> {
        let all = plan(rules);
        let patterns = |texts| Pattern::all(texts, self.exact, &all);
        let (wanted, excluded) = (patterns(&self.wanted), patterns(&self.excluded));
        let left_out = patterns(&self.left_out);
        let patterns = wanted.iter().chain(&excluded);
        let in_vain = patterns.filter(|pattern| !all.iter().any(|planned| pattern.matches(&planned.id)));
        let texts: Vec<_> = in_vain
            .map(|pattern| {
                let place = self.places.get(pattern.text).map_or(String::new(), |place| format!(" ({place})"));
                (pattern.text.to_owned(), format!("{place}{}", meant(pattern.text, &all, rules)))
            })
            .collect();
        if !texts.is_empty() {
            return Err(NothingSelected::Unmatched { texts, rules: all.len() });
        }
        let any = |patterns: &[Pattern<'_>], id: &str| patterns.iter().any(|pattern| pattern.matches(id));
        let selected = all.iter().filter(|planned| wanted.is_empty() || any(&wanted, &planned.id));
        let kept = |planned: &&Planned| !any(&left_out, &planned.id) && !any(&excluded, &planned.id);
        let selected: Vec<Planned> = selected.filter(kept).cloned().collect();
        if selected.is_empty() { Err(NothingSelected::LeftOut { rules: all.len() }) } else { Ok(selected) }
    }

    /// The selected rules that belong to this part of the run, and a record of the part. If the run has no parts,
    /// returns the entire selection. A part may have no rules.
    pub fn part_of(&self, selected: Vec<Planned>, rules: &Rules) -> (Vec<Planned>, Option<RecordedShard>) {
        let Some((shard, distribution)) = &self.part else { return (selected, None) };
        let narrowed = selected.len() < plan(rules).len();
        let ids = narrowed.then(|| selected.iter().map(|planned| planned.id.clone()).collect());
        let part = RecordedShard { number: shard.number, of: shard.of, balanced: distribution.digest(), rules: ids };
        let own = selected.into_iter().filter(|planned| distribution.part_of(&planned.id) == shard.number);
        (own.collect(), Some(part))
    }
}

/// A hint for a text that matches no rule: a similar id or id prefix or, if the text names a function, the command
/// that lists the rules that call this function.
fn meant(text: &str, all: &[Planned], rules: &Rules) -> String {
    if rules.rules.iter().any(|rule| rule.program.function_names().any(|name| name == text)) {
        return format!("; `atlas-cts list --api {text}` lists the rules that call this function");
    }
    let starts = |planned: &'_ Planned| planned.id.rsplit_once('.').map(|(start, _)| start.to_owned());
    let starts: Vec<String> = all.iter().filter_map(starts).collect();
    hint(text, all.iter().map(|planned| planned.id.as_str()).chain(starts.iter().map(String::as_str)))
}
