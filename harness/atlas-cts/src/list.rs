//! `atlas-cts list`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use atlas_cts::CommandError;
use catalog::{Level, Rule, Rules, offered, product};
use engine::interface::{behind, read_library};
use ledger::support::SupportMatrix;
use steps::pattern::glob;
use steps::suggest::{hint, hint_for_id};

/// The options of `list`; a rule must match all of them.
#[derive(Debug, Default, Args)]
pub(crate) struct ListFilter {
    /// Only this chapter, or the chapters in this area.
    ///
    /// A JUnit class name that differs from its chapter's name is also accepted.
    #[arg(long, value_name = "NAME")]
    pub chapter: Option<String>,
    /// Only rules that call this function.
    #[arg(long, value_name = "FUNCTION")]
    pub api: Option<String>,
    /// List products instead: ids, other names that --product accepts, and names in the documents.
    #[arg(long, conflicts_with_all = ["chapter", "api", "text"])]
    pub products: bool,
    /// List the functions of the documents by product instead: documented, exported, judged.
    #[arg(long, conflicts_with_all = ["chapter", "api", "products", "text"])]
    pub support: bool,
    /// Library whose exported functions --support shows; it is read and not loaded.
    #[arg(long, value_name = "LIBRARY", requires = "support")]
    pub library: Option<PathBuf>,
    /// Only rules whose id or title contains one of these.
    ///
    /// A complete id selects only that rule; a pattern such as 'acl.copy.*' the ids that it matches.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
}

/// The rules, one line each; with a product, only those that apply to it.
pub(crate) fn list(rules: &Rules, filter: &ListFilter, on: Option<&str>) -> Result<String, CommandError> {
    expect_known("chapter", filter.chapter.as_deref(), rules.chapter_names())?;
    expect_known("function", filter.api.as_deref(), rules.environment.declarations.function_names())?;
    let on = on.map(|name| product(rules, name)).transpose()?.map(|product| product.id.as_str());
    let texts = Texts::of(rules, &filter.text)?;
    let matching: Vec<&Rule> =
        rules.rules.iter().filter(|rule| matches(rules, rule, filter, on) && texts.mean(rule)).collect();
    let width = matching.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in &matching {
        let level = match rule.level {
            Level::Must => "must",
            Level::Info => "info",
        };
        let hazard = if rule.hazard.is_some() { " [undefined]" } else { "" };
        let _ = writeln!(text, "{:<width$}  {level}  {}{hazard}", rule.id, rule.title);
    }
    let derived =
        rules.support_rule().map(|id| format!("; runs also count {id}, which is derived from the support table"));
    let _ = writeln!(text, "{} of {} rules{}", matching.len(), rules.rules.len(), derived.unwrap_or_default());
    Ok(text)
}

/// The products, one line each: the id, its aliases, and the name in the documents.
pub(crate) fn products(rules: &Rules) -> String {
    let rows = rules.products.iter().map(|product| (product.id.as_str(), product.aliases.join(", "), &product.name));
    let rows: Vec<_> = rows.collect();
    let width = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let ids = width(&mut rows.iter().map(|(id, _, _)| id.len()));
    let aliases = width(&mut rows.iter().map(|(_, aliases, _)| aliases.len()));
    rows.iter().map(|(id, other, name)| format!("{id:<ids$}  {other:<aliases$}  {name}\n")).collect()
}

/// The functions of the documents by product. With a library, also whether it or one that it needs exports them.
pub(crate) fn support(rules: &Rules, library: Option<&Path>) -> Result<String, CommandError> {
    let exported = |path: &Path| {
        let library = read_library(path)?;
        let further = behind(path, &library).found.into_iter().flat_map(|needed| needed.interface.exported);
        Ok(library.exported.into_iter().chain(further).map(|(name, _)| name).collect())
    };
    let exported = library.map(exported).transpose().map_err(CommandError::Interface)?;
    Ok(SupportMatrix::of(rules, exported).text())
}

fn expect_known<'a>(
    what: &'static str,
    given: Option<&str>,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), CommandError> {
    let Some(given) = given else { return Ok(()) };
    let names: Vec<&str> = names.collect();
    if names.contains(&given) {
        return Ok(());
    }
    Err(CommandError::Filter { what, given: given.to_owned(), hint: hint(given, names) })
}

fn matches(rules: &Rules, rule: &Rule, filter: &ListFilter, on: Option<&str>) -> bool {
    let holds = |given: &Option<String>, test: &dyn Fn(&str) -> bool| given.as_deref().is_none_or(test);
    holds(&filter.chapter, &|chapter| rules.in_chapter(rule, chapter))
        && holds(&filter.api, &|function| rule.calls(function))
        && on.is_none_or(|product| offered(rule, product, rules).is_ok())
}

/// The filter texts from the command line. Each flag is true if the text is a complete id.
struct Texts<'a>(Vec<(&'a str, bool)>);

impl Texts<'_> {
    /// Rejects a text that matches no rule.
    fn of<'a>(rules: &Rules, texts: &'a [String]) -> Result<Texts<'a>, CommandError> {
        let texts: Vec<_> = texts.iter().map(|text| (text.as_str(), rules.rule(text).is_some())).collect();
        let in_vain = texts.iter().find(|text| !rules.rules.iter().any(|rule| means(**text, rule)));
        let Some((given, _)) = in_vain else { return Ok(Texts(texts)) };
        let hint = hint_for_id(given, rules.rules.iter().map(|rule| rule.id.as_str()));
        Err(CommandError::Filter { what: "rule whose id or title contains", given: (*given).to_owned(), hint })
    }

    fn mean(&self, rule: &Rule) -> bool {
        self.0.is_empty() || self.0.iter().any(|text| means(*text, rule))
    }
}

fn means((text, whole): (&str, bool), rule: &Rule) -> bool {
    if whole {
        rule.id == text
    } else if text.contains(['*', '?', '[']) {
        glob(text.as_bytes(), rule.id.as_bytes())
    } else {
        rule.id.contains(text) || rule.title.to_lowercase().contains(&text.to_lowercase())
    }
}
