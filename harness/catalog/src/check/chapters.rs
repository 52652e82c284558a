//! Checks chapters and their rules, first separately and then together.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde_yaml::Spanned;
use steps::evaluate::Scope;

use super::{axioms, pages, policy, rule};
use crate::chapters::{RULES, area, name, words};
use crate::diagnostic::{Mistakes, Source};
use crate::ids::{ID, is_id, is_rule_id};
use crate::model::{ChapterFile, RuleSource};
use crate::parallel::in_parallel;
use crate::parse::ParsedFile;
use crate::products::Product;
use crate::read::name_below;
use crate::rules::{CatalogPlace, Chapter, Rule, Rules};
use crate::specs::short;

/// The number of devices assumed in estimates of work: more than any machine is expected to have.
const MOST_DEVICES: u32 = 64;

/// A chapter that was checked independently of the others.
struct Checked {
    source: Arc<Source>,
    chapter: Chapter,
    /// The id of each rule, and the rule if it could be read.
    rules: Vec<(Spanned<String>, Option<Rule>)>,
    mistakes: Mistakes,
}

/// Checks the chapters and adds their rules.
pub(super) fn check(
    chapters: Vec<ParsedFile<ChapterFile>>,
    place: &CatalogPlace,
    rules: &mut Rules,
    mistakes: &mut Mistakes,
) {
    let known = &*rules;
    let scope = |product: &Product| Scope::new(product.facts.clone(), MOST_DEVICES);
    let scopes: Vec<Scope> = known.products.iter().map(scope).collect();
    let chapters: Vec<_> = chapters.into_iter().enumerate().collect();
    let checked = in_parallel(chapters, |(position, file)| chapter(file, position, place, known, &scopes));
    let mut places: HashMap<String, (String, usize)> = HashMap::new();
    for Checked { source, chapter, rules: found, mistakes: own } in checked {
        mistakes.extend(own);
        let path = short(&chapter.path);
        rules.chapters.push(chapter);
        for (id, rule) in found {
            let here = (path.clone(), id.referenced.line() as usize);
            if let Some((path, line)) = places.insert(id.value.clone(), here) {
                let message = format!("`{}` is defined twice; first defined at {path}:{line}", id.value);
                mistakes.at(&source, &id, message);
            }
            let Some(rule) = rule else { continue };
            for function in &rule.owns {
                if let Some(other) = rules.owners.insert(function.clone(), rule.id.clone()) {
                    let message = format!("`{function}` has two owners, {other} and {}; keep one", rule.id);
                    mistakes.at(&source, &rule.in_file().source.id, message);
                }
            }
            rules.positions.insert(rule.id.clone(), rules.rules.len());
            rules.rules.push(rule);
        }
    }
}

fn chapter(
    file: ParsedFile<ChapterFile>,
    position: usize,
    place: &CatalogPlace,
    known: &Rules,
    scopes: &[Scope],
) -> Checked {
    let ParsedFile { source, value } = file;
    let mut mistakes = Mistakes::default();
    let folder = place.specs.root().join(place.bindings.runtime);
    let name = name(&folder, &source.path);
    chapter_name(&source, &folder, &mut mistakes);
    let of_chapter = axioms::assumed(&source, &value.assumes, known, &mut mistakes);
    let check = |mut rule: Spanned<RuleSource>| {
        let mistakes = &mut mistakes;
        rule.value.when.get_or_insert_with(|| value.when.clone());
        let id = rule.value.id.clone();
        in_its_area(&source, &id, &name, mistakes);
        let grounds = policy::grounds(&source, &rule.value, known, mistakes);
        let assumes = axioms::assumed(&source, &rule.value.assumes, known, mistakes);
        let assumes = of_chapter.iter().cloned().chain(assumes).collect();
        let checked = rule::check(&source, rule.value, position, known, scopes, mistakes);
        let checked = checked.map(|rule| {
            let mut rule = Rule { assumes, grounds, ..rule };
            rule.list_sources(&known.book);
            rule
        });
        if let Some(rule) = &checked {
            policy::check(&source, rule, known, mistakes);
            pages::owned_functions(&source, rule, known, mistakes);
        }
        (id, checked)
    };
    let rules = value.rules.into_iter().map(check).collect();
    let file = name_below(&folder, &source.path);
    let chapter = Chapter { name, title: value.title, path: source.path.clone(), file };
    Checked { source, chapter, rules, mistakes }
}

/// Checks the words in a chapter's name, which appears in tables and commands.
fn chapter_name(source: &Arc<Source>, folder: &Path, mistakes: &mut Mistakes) {
    for word in words(folder, &source.path).iter().filter(|word| !is_id(word)) {
        let message = format!("`{word}` cannot be part of a chapter's name, which is the name of its file; {ID}");
        mistakes.of_file(source, message);
    }
}

/// Checks that a rule's area is also its chapter's area. Malformed ids are reported elsewhere.
fn in_its_area(source: &Arc<Source>, id: &Spanned<String>, chapter: &str, mistakes: &mut Mistakes) {
    let (own, here) = (id.value.split('.').nth(1).unwrap_or_default(), area(chapter));
    if is_rule_id(&id.value) && own != here {
        let message = format!(
            "the area of `{}` is `{own}`, but this chapter belongs to the area `{here}`: move the rule to \
             {RULES}/{own}.yaml, or to a file in {RULES}/{own}",
            id.value
        );
        mistakes.at(source, id, message);
    }
}
