//! All rules of the run, by chapter, with a filter, and where the time went.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::report::expected::told;
use crate::report::facts::{Content, notes};
use crate::report::text::{count, duration, elide, one_line};
use catalog::Level;
use record::{Recorded, RuleResult};

use super::document::escaped;
use super::failures::lists;
use super::labels::{MEANINGS, about, anchor, label, word};
use super::tested::run_time;

/// Rules in the table of times.
const SLOWEST: usize = 15;
/// Characters of a reason or of a note.
const NOTE: usize = 160;
/// Width of the longest bar, in pixels.
const BAR: u64 = 240;

/// The filter: hidden where no script runs, which would have to do its work.
pub(super) fn filters(run: &Recorded) -> String {
    let chapters: BTreeSet<String> = run.results.iter().map(|result| one_line(&result.chapter)).collect();
    let verdicts: BTreeSet<_> = run.results.iter().map(|result| result.verdict).collect();
    let mut names: Vec<&str> = MEANINGS
        .into_iter()
        .filter(|meaning| run.results.iter().any(|result| result.meaning() == *meaning))
        .map(word)
        .collect();
    let others = verdicts.iter().map(|verdict| verdict.name()).filter(|name| !names.contains(name));
    names.extend(others.collect::<Vec<_>>());
    let option = |name: &str| format!("<option value=\"{0}\">{0}</option>", escaped(name));
    let names: String = names.into_iter().map(option).collect();
    let chapters: String = chapters.iter().map(|name| option(name)).collect();
    let all = run.results.len();
    format!(
        "<form id=\"filters\" role=\"search\" aria-label=\"Filter rules\" hidden=\"\">\n\
         <div><label for=\"text\">Text</label><input id=\"text\" name=\"text\" type=\"search\"/></div>\n\
         <div><label for=\"verdict\">Verdict</label><select id=\"verdict\" name=\"verdict\"><option value=\"\">all</option>{names}\
         </select></div>\n\
         <div><label for=\"chapter\">Chapter</label><select id=\"chapter\" name=\"chapter\"><option value=\"\">all</option>{chapters}\
         </select></div>\n\
         <div><button type=\"reset\">Show all</button></div>\n\
         <output id=\"shown\" for=\"text verdict chapter\" data-all=\"{all}\"></output>\n</form>\n"
    )
}

/// The table of all rules, and that of the slowest.
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
    let mut markup = String::from(
        "<section aria-labelledby=\"rules\">\n<h2 id=\"rules\">All rules</h2>\n\
         <div class=\"wide\" role=\"region\" aria-label=\"All rules\" tabindex=\"0\">\n<table>\n<thead><tr>\
         <th scope=\"col\">rule</th><th scope=\"col\">verdict</th><th scope=\"col\" class=\"number optional\">cases</th>\
         <th scope=\"col\" class=\"number optional\">time</th><th scope=\"col\">what there is to say</th></tr></thead>\n",
    );
    for (name, mut rules) in chapters {
        rules.sort_by(|a, b| a.id.cmp(&b.id));
        let _ = writeln!(
            markup,
            "<tbody data-group=\"\">\n<tr><th scope=\"rowgroup\" colspan=\"5\" id=\"{}\">{} ({})</th></tr>",
            anchor("chapter", &name),
            escaped(&name),
            count(rules.len() as u64, "rule")
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
    let level = if result.level == Level::Info { " <span class=\"faint\">(info)</span>" } else { "" };
    format!(
        "<tr {}><td class=\"rule\">{id}{level}<br/><span class=\"faint\">{}</span></td><td>{}</td>\
         <td class=\"number optional\">{}</td><td class=\"number optional\">{}</td><td>{}</td></tr>\n",
        about(result),
        escaped(&elide(&result.title, 160)),
        format_args!("{}{}", label(result), on(result)),
        result.cases,
        duration(result.nanoseconds),
        said(result, detailed, run)
    )
}

/// The devices on which it ran, if they are known.
fn on(result: &RuleResult) -> String {
    let each = result.each.iter().map(|on| on.device.as_str());
    let devices: Vec<&str> = match result.each.is_empty() {
        true => result.devices.iter().map(String::as_str).collect(),
        false => each.collect(),
    };
    if devices.is_empty() {
        return String::new();
    }
    let word = if devices.len() == 1 { "device" } else { "devices" };
    format!("<br/><span class=\"faint\">{word} {}</span>", escaped(&elide(&devices.join(", "), 60)))
}

/// The reason, how it was expected, and what a reader of a rule that holds should know.
fn said(result: &RuleResult, detailed: bool, run: &Recorded) -> String {
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref()?.of(&result.id)).map(told);
    let mut lines: Vec<String> = [Some(result.reason.clone()), expected].into_iter().flatten().collect();
    // What stands in the details need not stand here too.
    if !detailed {
        for fact in notes(result).into_iter().filter(|fact| fact.label != "reason") {
            match fact.content {
                Content::Text(text) => lines.push(format!("{}: {text}", fact.label)),
                Content::List(entries) => {
                    lines.extend(entries.first().map(|first| match entries.len() {
                        1 => format!("{}: {first}", fact.label),
                        number => format!("{}: {first} (and {} more)", fact.label, number - 1),
                    }));
                }
                _ => {}
            }
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.iter().take(4).map(|line| escaped(&elide(line, NOTE))).collect::<Vec<_>>().join("<br/>")
}

/// The rules that took longest.
fn times(run: &Recorded) -> String {
    let mut slowest: Vec<&RuleResult> = run.results.iter().filter(|result| result.nanoseconds > 0).collect();
    slowest.sort_by_key(|result| std::cmp::Reverse(result.nanoseconds));
    let total = slowest.iter().map(|result| result.nanoseconds).fold(0, u64::saturating_add);
    let longest = slowest.first().map_or(1, |result| result.nanoseconds);
    let mut markup = format!(
        "<section aria-labelledby=\"times\">\n<h2 id=\"times\">Times</h2>\n<p>All rules together took {}{}.</p>\n",
        duration(total),
        run_time(run).map(|time| format!(", the run {time}")).unwrap_or_default()
    );
    if !slowest.is_empty() {
        markup.push_str(
            "<div class=\"wide\" role=\"region\" aria-label=\"The slowest rules\" tabindex=\"0\">\n<table>\n\
             <caption>The slowest rules</caption>\n<thead><tr><th scope=\"col\">rule</th>\
             <th scope=\"col\" class=\"number\">cases</th><th scope=\"col\" class=\"number\">time</th>\
             <th scope=\"col\" class=\"optional\">of the longest</th></tr></thead>\n<tbody>\n",
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
