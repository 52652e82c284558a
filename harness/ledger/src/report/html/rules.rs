//! All rules in the run by chapter, the filter, and the slowest rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::report::expected::sorted_line;
use crate::report::facts::{Content, Role, notes};
use crate::report::names::{meaning_text, verdict_text};
use crate::report::summary::{MEANINGS, run_time};
use crate::report::text::{duration, elide, one_line};
use catalog::Level;
use messages::{bracketed, comma, message};
use record::{Recorded, RuleResult};

use super::document::escaped;
use super::failures::lists;
use super::labels::{about, anchor, label, name};

/// The number of rules in the table of slowest rules.
const SLOWEST: usize = 15;
/// The longest reason or note shown, in characters.
const NOTE: usize = 160;
/// The width of the longest bar, in pixels.
const BAR: u64 = 240;

/// The filter, which is hidden until its script runs.
pub(super) fn filters(run: &Recorded) -> String {
    let chapters: BTreeSet<String> = run.results.iter().map(|result| one_line(&result.chapter)).collect();
    let verdicts: BTreeSet<_> = run.results.iter().map(|result| result.verdict).collect();
    let mut names: Vec<(&str, &str)> = MEANINGS
        .into_iter()
        .filter(|meaning| run.results.iter().any(|result| result.meaning() == *meaning))
        .map(|meaning| (name(meaning), meaning_text(meaning)))
        .collect();
    let others = verdicts.iter().map(|verdict| (verdict.name(), verdict_text(*verdict)));
    let others: Vec<_> = others.filter(|(name, _)| names.iter().all(|(known, _)| known != name)).collect();
    names.extend(others);
    let option = |name: &str, text: &str| format!("<option value=\"{}\">{}</option>", escaped(name), escaped(text));
    let select = |id: &str, label: &str, options: String| {
        format!(
            "<div><label for=\"{id}\">{label}</label><select id=\"{id}\" name=\"{id}\">{}{options}</select></div>\n",
            option("", message!("all"))
        )
    };
    let verdicts = names.into_iter().map(|(name, text)| option(name, text)).collect();
    let chapters = chapters.iter().map(|name| option(name, name)).collect();
    format!(
        "<form id=\"filters\" role=\"search\" aria-label=\"{}\" hidden=\"\">\n\
         <div><label for=\"text\">{}</label><input id=\"text\" name=\"text\" type=\"search\"/></div>\n{}{}\
         <div><button type=\"reset\">{}</button></div>\n\
         <output id=\"shown\" for=\"text verdict chapter\" data-shown=\"{}\"></output>\n</form>\n",
        message!("filter-rules"),
        message!("filter-text"),
        select("verdict", message!("filter-verdict"), verdicts),
        select("chapter", message!("filter-chapter"), chapters),
        message!("show-all"),
        // The script replaces this character with the number of shown rules.
        message!("rules-shown", shown = "#", all = run.results.len())
    )
}

/// The table of all rules, and the table of the slowest rules.
pub(super) fn sections(run: &Recorded) -> String {
    format!("{}{}", table(run), times(run))
}

fn table(run: &Recorded) -> String {
    let detailed: BTreeSet<&str> =
        lists(run).iter().flat_map(|list| &list.results).map(|result| result.id.as_str()).collect();
    let mut chapters: BTreeMap<String, Vec<&RuleResult>> = BTreeMap::new();
    for result in &run.results {
        chapters.entry(elide(&result.chapter, 60)).or_default().push(result);
    }
    let mut markup = format!(
        "<section aria-labelledby=\"rules\">\n<h2 id=\"rules\">{0}</h2>\n\
         <div class=\"wide\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\">\n<table>\n<thead><tr>\
         <th scope=\"col\">{1}</th><th scope=\"col\">{2}</th><th scope=\"col\" class=\"number optional\">{3}</th>\
         <th scope=\"col\" class=\"number optional\">{4}</th><th scope=\"col\">{5}</th></tr></thead>\n",
        message!("heading-all-rules"),
        message!("column-rule"),
        message!("column-verdict"),
        message!("column-cases"),
        message!("column-time"),
        message!("column-notes")
    );
    for (name, mut rules) in chapters {
        rules.sort_by(|a, b| a.id.cmp(&b.id));
        let _ = writeln!(
            markup,
            "<tbody data-group=\"\">\n<tr><th scope=\"rowgroup\" colspan=\"5\" id=\"{}\">{} ({})</th></tr>",
            anchor("chapter", &name),
            escaped(&name),
            message!("count-rules", count = rules.len())
        );
        for rule in rules {
            markup.push_str(&row(rule, detailed.contains(rule.id.as_str()), run));
        }
        markup.push_str("</tbody>\n");
    }
    markup.push_str("</table>\n</div>\n</section>\n");
    markup
}

fn row(result: &RuleResult, detailed: bool, run: &Recorded) -> String {
    let id = escaped(&elide(&result.id, 120));
    let id = if detailed { format!("<a href=\"#{}\">{id}</a>", anchor("rule", &result.id)) } else { id };
    let level = match result.level {
        Level::Must => String::new(),
        Level::Info => format!(" <span class=\"faint\">{}</span>", bracketed(message!("level-info")).trim()),
    };
    format!(
        "<tr {}><td class=\"rule\">{id}{level}<br/><span class=\"faint\">{}</span></td><td>{}</td>\
         <td class=\"number optional\">{}</td><td class=\"number optional\">{}</td><td>{}</td></tr>\n",
        about(result),
        escaped(&elide(&result.title, 160)),
        format_args!("{}{}", label(result), on(result)),
        result.cases,
        duration(result.nanoseconds),
        remarks(result, detailed, run)
    )
}

/// A rule's devices, if they are known.
fn on(result: &RuleResult) -> String {
    let each = result.each.iter().map(|on| on.device.as_str());
    let devices: Vec<&str> = match result.each.is_empty() {
        true => result.devices.iter().map(String::as_str).collect(),
        false => each.collect(),
    };
    if devices.is_empty() {
        return String::new();
    }
    let word = if devices.len() == 1 { message!("label-device") } else { message!("label-devices") };
    format!("<br/><span class=\"faint\">{word} {}</span>", escaped(&elide(&devices.join(comma()), 60)))
}

/// The reason, the entry for a known failure, and notes on a passing rule.
fn remarks(result: &RuleResult, detailed: bool, run: &Recorded) -> String {
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref()?.of(&result.id)).map(sorted_line);
    let mut lines: Vec<String> = [Some(result.reason.clone()), expected].into_iter().flatten().collect();
    // The details of a failure include the same notes.
    if !detailed {
        for fact in notes(result).into_iter().filter(|fact| fact.role != Role::Reason) {
            match fact.content {
                Content::Text(text) => lines.push(format!("{}: {text}", fact.label)),
                Content::List(entries) => {
                    lines.extend(entries.first().map(|first| match entries.len() {
                        1 => format!("{}: {first}", fact.label),
                        number => format!("{}: {first} ({})", fact.label, message!("and-more", count = number - 1)),
                    }));
                }
                _ => {}
            }
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.iter().take(4).map(|line| escaped(&elide(line, NOTE))).collect::<Vec<_>>().join("<br/>")
}

/// The slowest rules.
fn times(run: &Recorded) -> String {
    let mut slowest: Vec<&RuleResult> = run.results.iter().filter(|result| result.nanoseconds > 0).collect();
    slowest.sort_by_key(|result| std::cmp::Reverse(result.nanoseconds));
    let total = slowest.iter().map(|result| result.nanoseconds).fold(0, u64::saturating_add);
    let longest = slowest.first().map_or(1, |result| result.nanoseconds);
    let took = match run.end.as_ref().map(|end| run_time(&run.header, end)) {
        Some(run) => message!("times-of-rules-and-run", rules = duration(total), run = run),
        None => message!("times-of-rules", rules = duration(total)),
    };
    let heading = message!("heading-times");
    let mut markup = format!("<section aria-labelledby=\"times\">\n<h2 id=\"times\">{heading}</h2>\n<p>{took}</p>\n");
    if !slowest.is_empty() {
        let _ = write!(
            markup,
            "<div class=\"wide\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\">\n<table>\n\
             <caption>{0}</caption>\n<thead><tr><th scope=\"col\">{1}</th>\
             <th scope=\"col\" class=\"number\">{2}</th><th scope=\"col\" class=\"number\">{3}</th>\
             <th scope=\"col\" class=\"optional\">{4}</th></tr></thead>\n<tbody>\n",
            message!("slowest-rules"),
            message!("column-rule"),
            message!("column-cases"),
            message!("column-time"),
            message!("column-of-slowest")
        );
        for result in slowest.into_iter().take(SLOWEST) {
            let part = u128::from(result.nanoseconds) * u128::from(BAR) / u128::from(longest.max(1));
            let _ = writeln!(
                markup,
                "<tr><td class=\"rule\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
                 <td class=\"optional\"><svg width=\"{BAR}\" height=\"12\" aria-hidden=\"true\"><rect class=\"bar\" width=\"{}\" \
                 height=\"12\"/></svg></td></tr>",
                escaped(&elide(&result.id, 120)),
                result.cases,
                duration(result.nanoseconds),
                part.max(1)
            );
        }
        markup.push_str("</tbody>\n</table>\n</div>\n");
    }
    markup.push_str("</section>\n");
    markup
}
