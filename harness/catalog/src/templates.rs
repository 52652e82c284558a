//! Completes rules that come from templates: a template is expanded with the runtime's names, and the rule's keys
//! replace or extend those of the template.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_yaml::Spanned;
use steps::suggest::hint;

use super::diagnostic::{Diagnostic, Expansion, Source};
use super::expand::{Line, Names, expand};
use super::ids::is_id;
use super::model::{ChapterFile, NamesFile, RuleSource, TemplateSource, TemplatesFile};
use super::parse::{ParsedFile, diagnostic, parse};

/// The folder of templates, next to those of the runtimes.
pub const TEMPLATES: &str = "templates";

/// The most lines that a chapter's rules and their templates may have together, over all rules. Every template is
/// parsed with as many empty lines before it as its place has.
const MOST_LINES: usize = 20_000_000;

/// The templates that a runtime's rules use, and the runtime's texts for the names in them.
#[derive(Debug)]
pub(super) struct Templates {
    /// Name → file; `None` if the file has a mistake, which has been reported.
    files: BTreeMap<String, Option<ParsedFile<TemplatesFile>>>,
    /// The names of all files of templates.
    known: Vec<String>,
    names: Names,
}

impl Templates {
    /// Reads the files that the chapters name. `read` returns a file by its path below the folder of templates.
    pub(super) fn read(
        chapters: &[ParsedFile<ChapterFile>],
        known: Vec<String>,
        mut read: impl FnMut(&str) -> Option<ParsedFile<TemplatesFile>>,
    ) -> Templates {
        let from = chapters.iter().flat_map(|chapter| &chapter.value.rules).filter_map(|rule| rule.value.from.as_ref());
        let named: BTreeSet<&str> = from.filter_map(|from| Some(from.value.split_once('/')?.0)).collect();
        let files = named.into_iter().filter(|name| known.iter().any(|known| known == name));
        let files = files.map(|name| (name.to_owned(), read(&path(name)))).collect();
        Templates { files, known, names: Names::default() }
    }

    /// Adds the names in names.yaml, and returns the mistakes in it.
    pub(super) fn add_names(&mut self, file: &ParsedFile<NamesFile>) -> Vec<Diagnostic> {
        add(&mut self.names, &file.value.names, &file.source)
    }

    /// Reports the names in names.yaml that no template uses.
    pub(super) fn unused_names(&self, file: &ParsedFile<NamesFile>) -> Vec<Diagnostic> {
        unused(&self.names, &file.value.names, &file.source, "no template of this runtime's rules contains")
    }

    /// Completes the rules of a chapter. A rule whose template has a mistake is left out.
    pub(super) fn complete(&self, chapter: ParsedFile<ChapterFile>) -> (ParsedFile<ChapterFile>, Vec<Diagnostic>) {
        let ParsedFile { source, mut value } = chapter;
        let mut found = Vec::new();
        let mut reader =
            Reader { templates: self, source: &source, expansions: Vec::new(), lines: 0, errors: Vec::new() };
        value.rules.retain_mut(|rule| {
            let before = found.len();
            match rule.value.from.clone() {
                Some(from) => match reader.template(&from, &rule.value) {
                    Ok(Some(template)) => found.extend(merge(&mut rule.value, template, &source)),
                    Ok(None) => return false,
                    Err(mistakes) => found.extend(mistakes),
                },
                None => found.extend(missing(rule, &source)),
            }
            found.len() == before
        });
        let Reader { expansions, errors, .. } = reader;
        if expansions.is_empty() {
            return (ParsedFile { source, value }, found);
        }
        let source = Arc::new(source.followed_by(expansions));
        found.extend(errors.iter().map(|error| diagnostic(&source, error)));
        (ParsedFile { source, value }, found)
    }
}

/// The name of a file of templates, from its path below their folder.
pub(super) fn file_name(below: &str) -> Option<String> {
    let name = below.strip_suffix(".yaml")?;
    name.split('/').all(is_id).then(|| name.replace('/', "."))
}

fn path(name: &str) -> String {
    format!("{}.yaml", name.replace('.', "/"))
}

/// Expands templates for the rules of a chapter.
struct Reader<'a> {
    templates: &'a Templates,
    source: &'a Arc<Source>,
    expansions: Vec<Expansion>,
    /// The lines that were parsed.
    lines: usize,
    /// Errors in expanded templates.
    errors: Vec<serde_yaml::Error>,
}

impl Reader<'_> {
    /// The template of a rule, expanded; `None` if its mistake is reported elsewhere.
    fn template(
        &mut self,
        from: &Spanned<String>,
        rule: &RuleSource,
    ) -> Result<Option<TemplateSource>, Vec<Diagnostic>> {
        let at = |message| vec![Diagnostic::at(self.source, from, message)];
        let Some((file, name)) = from.value.split_once('/') else {
            return Err(at(format!(
                "`{}` is not a template; write `file/name`, such as pool.reuse/same-stream",
                from.value
            )));
        };
        let file = match self.templates.files.get(file) {
            Some(Some(file)) => file,
            Some(None) => return Ok(None),
            None => {
                let hint = hint(file, self.templates.known.iter().map(String::as_str));
                return Err(at(format!("there is no {TEMPLATES}/{}{hint}", path(file))));
            }
        };
        let all = &file.value.templates;
        let named = |known: &Spanned<TemplateSource>| known.value.template.value == name;
        let Some(position) = all.iter().position(named) else {
            let hint = hint(name, all.iter().map(|known| known.value.template.value.as_str()));
            return Err(at(format!("{} has no template `{name}`{hint}", file.source.path.display())));
        };
        let mut own = Names::default();
        let mut found = add(&mut own, &rule.with, self.source);
        if found.is_empty() {
            match expanded(file, position, &[&own, &self.templates.names], &rule.id.value) {
                Ok(lines) => {
                    found = unused(&own, &rule.with, self.source, &format!("the template `{name}` does not contain"));
                    if found.is_empty() {
                        return self.parsed(file, position, lines, rule).map_err(at);
                    }
                }
                Err(mistakes) => found = mistakes,
            }
        }
        Err(found)
    }

    fn parsed(
        &mut self,
        file: &ParsedFile<TemplatesFile>,
        position: usize,
        lines: Vec<Line>,
        rule: &RuleSource,
    ) -> Result<Option<TemplateSource>, String> {
        let after = self.expansions.last().map_or(self.source.last_line(), |last| last.first + last.lines.len());
        let first = after + 2;
        self.lines += first + lines.len();
        if self.lines > MOST_LINES {
            return Err("the chapter uses too many templates; split it".to_owned());
        }
        let mut text = "\n".repeat(first - 1);
        lines.iter().for_each(|line| text.extend([line.text.as_str(), "\n"]));
        let at = line_of(file, position);
        let rule = rule.id.value.clone();
        self.expansions.push(Expansion { first, lines, template: file.source.clone(), at, rule });
        match parse::<Vec<Spanned<TemplateSource>>>(&text) {
            Ok(templates) => Ok(templates.into_iter().next().map(|template| template.value)),
            Err(error) => {
                self.errors.push(error);
                Ok(None)
            }
        }
    }
}

/// The lines of a template, expanded.
fn expanded(
    file: &ParsedFile<TemplatesFile>,
    position: usize,
    tables: &[&Names],
    rule: &str,
) -> Result<Vec<Line>, Vec<Diagnostic>> {
    let all = &file.value.templates;
    let first = line_of(file, position);
    let end = if position + 1 < all.len() { line_of(file, position + 1) } else { file.source.last_line() + 1 };
    let starts = |line: &str| line.trim_start().starts_with("- ");
    if end <= first || !file.source.line(first).is_some_and(starts) {
        let message = "a template begins on a line that starts with `- template:`";
        return Err(vec![Diagnostic::at(&file.source, &all[position], message)]);
    }
    let (mut lines, mut found) = (Vec::new(), Vec::new());
    for number in first..end {
        match expand(file.source.line(number).unwrap_or_default(), tables) {
            Ok(line) => lines.push(line),
            Err(mistake) => {
                let (source, message) = (Some(file.source.clone()), format!("{rule}: {}", mistake.message));
                found.push(Diagnostic { source, line: number, column: mistake.column, message });
            }
        }
    }
    if found.is_empty() { Ok(lines) } else { Err(found) }
}

/// The line in which a template begins.
fn line_of(file: &ParsedFile<TemplatesFile>, position: usize) -> usize {
    file.value.templates[position].value.template.referenced.line() as usize
}

/// Adds names, and returns the mistakes in them.
fn add<'a>(
    names: &mut Names,
    table: impl IntoIterator<Item = (&'a String, &'a Spanned<String>)>,
    source: &Arc<Source>,
) -> Vec<Diagnostic> {
    let added = |(heading, text): (&String, &Spanned<String>)| {
        names.add(heading, &text.value).err().map(|message| Diagnostic::at(source, text, message))
    };
    table.into_iter().filter_map(added).collect()
}

/// Reports the names that were not used.
fn unused<'a>(
    names: &Names,
    table: impl IntoIterator<Item = (&'a String, &'a Spanned<String>)>,
    source: &Arc<Source>,
    what: &str,
) -> Vec<Diagnostic> {
    let unused = table.into_iter().filter(|(heading, _)| !names.is_used(heading));
    let name = |heading: &'a str| heading.split('(').next().unwrap_or(heading);
    unused
        .map(|(heading, text)| Diagnostic::at(source, text, format!("{what} `${}`; remove it here", name(heading))))
        .collect()
}

/// Reports the keys that only a rule with a template may omit, or have.
fn missing(rule: &Spanned<RuleSource>, source: &Arc<Source>) -> Vec<Diagnostic> {
    let RuleSource { id, title, statement, steps, with, .. } = &rule.value;
    let empty =
        [("title", title.is_empty()), ("statement", statement.is_empty()), ("steps", steps.referenced.line() == 0)];
    let missing = empty.iter().filter(|(_, empty)| *empty);
    let mut found: Vec<Diagnostic> =
        missing.map(|(key, _)| Diagnostic::at(source, id, format!("missing field `{key}`"))).collect();
    if let Some(text) = with.values().next() {
        found.push(Diagnostic::at(source, text, "only a rule with a template (`from`) has names under `with`"));
    }
    found
}

/// Adds a template to a rule. The rule's keys replace those of the template, or are added to them.
fn merge(rule: &mut RuleSource, template: TemplateSource, source: &Arc<Source>) -> Vec<Diagnostic> {
    if rule.steps.referenced.line() > 0 {
        let message = "the template has the steps; remove them here, or write the rule without `from`";
        return vec![Diagnostic::at(source, &rule.steps, message)];
    }
    let TemplateSource { template: _, title, statement, actors, forall, condition, steps, observe, kills } = template;
    if rule.title.is_empty() {
        rule.title = title;
    }
    if rule.statement.is_empty() {
        rule.statement = statement;
    }
    rule.actors = rule.actors.take().or(actors);
    rule.condition = rule.condition.take().or(condition);
    rule.steps = steps;
    for (name, domain) in forall {
        rule.forall.entry(name).or_insert(domain);
    }
    let own = std::mem::replace(&mut rule.observe, observe);
    rule.observe.extend(own);
    let own = std::mem::replace(&mut rule.kills, kills);
    rule.kills.extend(own);
    Vec::new()
}
