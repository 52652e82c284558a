//! The rules that a run can execute, and the selection of rules.

use std::collections::{BTreeSet, HashMap};

use steps::pattern::{self, glob};
use steps::suggest::{hint, hint_for_id};

use catalog::{Rules, count, offered};
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

/// The chapter of the rule that is derived from the support table.
const SUPPORT: &str = "support";

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
    let derived = |id| Planned { id, chapter: SUPPORT.to_owned(), rule: None };
    planned.extend(rules.support_rule().map(derived));
    planned
}

/// The selection of rules. A complete id selects that rule, a text with `*`, `?` or `[` every id that it matches, and
/// any other text every id that contains it.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Texts that select rules. Empty for all rules.
    pub wanted: Vec<String>,
    /// True if texts match complete ids only.
    pub exact: bool,
    /// Functions. If there are any, only rules that call one of them are selected.
    pub functions: Vec<String>,
    /// Chapters and areas. If there are any, only rules in one of them are selected.
    pub chapters: Vec<String>,
    /// The rules that failed in an earlier run. If given, only these are selected.
    pub failed: Option<FailedRules>,
    /// Texts that exclude rules. A test runner passes such texts to all test executables, so a text may match no rule.
    pub left_out: Vec<String>,
    /// Same as `left_out`, but each text must match a rule.
    pub excluded: Vec<String>,
    /// The places of some of the wanted texts, as `file:line`.
    pub places: HashMap<String, String>,
    /// The part of the selection to run.
    pub part: Option<(Shard, Distribution)>,
}

impl Filter {
    /// True if nothing names the rules to run.
    pub(super) fn selects_all(&self) -> bool {
        self.wanted.is_empty() && self.functions.is_empty() && self.chapters.is_empty() && self.failed.is_none()
    }
}

/// The rules that an earlier run found broken or could not answer.
#[derive(Debug, Clone)]
pub struct FailedRules {
    /// The earlier run, as the user named it.
    pub run: String,
    pub ids: BTreeSet<String>,
}

/// A text that names rules.
#[derive(Debug)]
struct Pattern<'a> {
    text: &'a str,
    form: Form,
}

/// The meaning of a text that names rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A complete id.
    Whole,
    /// A pattern for complete ids.
    Glob,
    /// A part of ids.
    Part,
}

impl<'a> Pattern<'a> {
    /// Determines which texts are complete ids. Each text is looked up only once, not once per rule.
    fn all(texts: &'a [String], exact: bool, all: &[Planned]) -> Vec<Pattern<'a>> {
        let form = |text: &String| match text.as_str() {
            _ if exact || all.iter().any(|planned| planned.id == *text) => Form::Whole,
            text if text.contains(['*', '?', '[']) => Form::Glob,
            _ => Form::Part,
        };
        texts.iter().map(|text| Pattern { text, form: form(text) }).collect()
    }

    fn matches(&self, id: &str) -> bool {
        match self.form {
            Form::Whole => id == self.text,
            Form::Glob => glob(self.text.as_bytes(), id.as_bytes()),
            Form::Part => id.contains(self.text),
        }
    }
}

impl Filter {
    /// The selected rules, in catalog order.
    ///
    /// # Errors
    /// Fails if one of the texts or names matches nothing, or if no rule remains.
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
                (pattern.text.to_owned(), format!("{place}{}", meant(pattern, &all, rules)))
            })
            .collect();
        if !texts.is_empty() {
            return Err(NothingSelected::Unmatched { texts, rules: all.len() });
        }
        self.expect_names(rules)?;
        self.expect_failed(&all)?;
        let any = |patterns: &[Pattern<'_>], id: &str| patterns.iter().any(|pattern| pattern.matches(id));
        let selected = all.iter().filter(|planned| wanted.is_empty() || any(&wanted, &planned.id));
        let selected: Vec<&Planned> = selected.filter(|planned| self.narrows_to(planned, rules)).collect();
        if selected.is_empty() {
            return Err(NothingSelected::Disjoint { given: self.given() });
        }
        let kept = |planned: &&&Planned| !any(&left_out, &planned.id) && !any(&excluded, &planned.id);
        let selected: Vec<Planned> = selected.iter().filter(kept).map(|planned| (*planned).clone()).collect();
        if selected.is_empty() { Err(NothingSelected::LeftOut { rules: all.len() }) } else { Ok(selected) }
    }

    /// True if the options that only narrow a selection keep this rule.
    fn narrows_to(&self, planned: &Planned, rules: &Rules) -> bool {
        let rule = planned.rule.map(|index| &rules.rules[index]);
        let calls = |function: &String| rule.is_some_and(|rule| rule.calls(function));
        let is_in = |chapter: &String| match rule {
            Some(rule) => rules.in_chapter(rule, chapter),
            None => planned.chapter == *chapter,
        };
        (self.functions.is_empty() || self.functions.iter().any(calls))
            && (self.chapters.is_empty() || self.chapters.iter().any(is_in))
            && self.failed.as_ref().is_none_or(|failed| failed.ids.contains(&planned.id))
    }

    /// Fails if a rule calls none of the given functions, or if a chapter is unknown.
    fn expect_names(&self, rules: &Rules) -> Result<(), NothingSelected> {
        if let Some(name) = self.functions.iter().find(|name| rules.callers(name).next().is_none()) {
            let called: BTreeSet<&str> = rules.rules.iter().flat_map(|rule| rule.function_names()).collect();
            return Err(NothingSelected::NoCaller { function: name.clone(), hint: hint(name, called) });
        }
        let derived = rules.support_rule().map(|_| SUPPORT);
        for name in &self.chapters {
            let known: BTreeSet<&str> = rules.chapter_names().chain(derived).collect();
            if !known.contains(name.as_str()) {
                return Err(NothingSelected::NoChapter { chapter: name.clone(), hint: hint(name, known) });
            }
        }
        Ok(())
    }

    /// Fails if the earlier run has no failed rule, or one that the catalog lacks.
    fn expect_failed(&self, all: &[Planned]) -> Result<(), NothingSelected> {
        let Some(FailedRules { run, ids }) = &self.failed else { return Ok(()) };
        if ids.is_empty() {
            return Err(NothingSelected::NothingFailed { run: run.clone() });
        }
        let known: BTreeSet<&str> = all.iter().map(|planned| planned.id.as_str()).collect();
        let gone: Vec<String> = ids.iter().filter(|id| !known.contains(id.as_str())).cloned().collect();
        if gone.is_empty() { Ok(()) } else { Err(NothingSelected::Gone { run: run.clone(), ids: gone }) }
    }

    /// The options and texts that select rules, for messages.
    fn given(&self) -> Vec<String> {
        let filters = Some(self.wanted.join(" ")).filter(|texts| !texts.is_empty());
        let option = |name: &'static str, values: &[String]| {
            values.iter().map(|value| format!("--{name} {value}")).collect::<Vec<_>>()
        };
        let failed = self.failed.iter().map(|failed| format!("--failed={}", failed.run));
        let options = option("api", &self.functions).into_iter().chain(option("chapter", &self.chapters));
        filters.into_iter().chain(options).chain(failed).collect()
    }

    /// The selected rules that belong to this part of the run, and a record of the part. If the run has no parts,
    /// returns the entire selection. A part may have no rules.
    pub fn part_of(&self, selected: Vec<Planned>) -> (Vec<Planned>, Option<RecordedShard>) {
        let Some((shard, distribution)) = &self.part else { return (selected, None) };
        let own = selected.into_iter().filter(|planned| distribution.part_of(&planned.id) == shard.number);
        let own: Vec<Planned> = own.collect();
        let rules = own.iter().map(|planned| planned.id.clone()).collect();
        let part = RecordedShard { number: shard.number, of: shard.of, balanced: distribution.digest(), rules };
        (own, Some(part))
    }
}

/// A hint for a text that matches no rule: a similar id or id prefix or, if the text names a function, the option that
/// selects the rules that call it.
fn meant(pattern: &Pattern<'_>, all: &[Planned], rules: &Rules) -> String {
    let text = pattern.text;
    let callers = rules.callers(text).count();
    if callers > 0 {
        return format!("; it is a function: `--api {text}` selects its callers ({})", count(callers, "rule"));
    }
    if pattern.form == Form::Glob {
        return pattern::hint(text, all.iter().map(|planned| planned.id.as_str()));
    }
    hint_for_id(text, all.iter().map(|planned| planned.id.as_str()))
}
