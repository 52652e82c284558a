//! The run at a glance: a one-sentence result, numbers, and chapters.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::conclusion::{Conclusion, Tone, conclusion};
use crate::report::expected::numbers;
use crate::report::names::{meaning_text, verdict_text};
use crate::report::subjects;
use crate::report::summary::{MEANINGS, run_time};
use crate::report::target::{device, mark, reality};
use crate::report::text::{duration, elide, one_line};
use messages::{comma, message};
use record::{Meaning, Recorded, RuleResult, Subject, Verdict};

use super::document::escaped;
use super::failures;
use super::labels::{anchor, class};

/// The run's result, and links to the sections of the page.
pub(super) fn header(run: &Recorded) -> String {
    result(run) + &contents(run)
}

/// The longest list of seeded defects, in characters.
const DEFECTS: usize = 300;

/// The outcome in one sentence, and the tested library and devices.
fn result(run: &Recorded) -> String {
    let Conclusion { tone, text } = conclusion(&run.header, &run.results, run.end.as_ref());
    let class = match tone {
        Tone::Good => "good",
        Tone::Empty => "open",
        Tone::Bad => "bad",
    };
    let header = &run.header;
    let mut markup =
        format!("<p class=\"result {class}\">{}{}</p>\n", escaped(&one_line(&text)), escaped(&mark(header)));
    if header.library.simulated {
        let defects = match header.defects.as_slice() {
            [] => String::new(),
            defects => {
                let defects = escaped(&elide(&defects.join(comma()), DEFECTS));
                format!(" {}", message!("page-seeded-defects", defects = defects))
            }
        };
        let _ = writeln!(markup, "<p class=\"open\">{}{defects}</p>", message!("page-simulated"));
    }
    let time = run.end.as_ref().map(|end| comma().to_owned() + &run_time(header, end)).unwrap_or_default();
    let device = reality(header) + &device(header);
    let product = header.product.as_str();
    let about = message!("page-about", device = device, product = product, started = moment(&header.started));
    let _ = writeln!(markup, "<p>{}</p>", escaped(&one_line(&(about + &time))));
    markup
}

/// A time without fractions of a second.
fn moment(time: &str) -> String {
    time.split_once('.').map_or(time.to_owned(), |(seconds, _)| format!("{seconds}Z"))
}

fn contents(run: &Recorded) -> String {
    let mut links = vec![("overview", message!("heading-overview").to_owned())];
    let lists = failures::lists(run);
    links.extend(lists.iter().map(|list| (list.anchor, format!("{} ({})", list.heading, list.results.len()))));
    let rest = [
        ("chapters", message!("heading-chapters")),
        ("rules", message!("heading-all-rules")),
        ("times", message!("heading-times")),
        ("tested", message!("heading-tested")),
        ("course", message!("heading-course")),
    ];
    links.extend(rest.map(|(anchor, heading)| (anchor, heading.to_owned())));
    let links: String =
        links.iter().map(|(to, text)| format!("<li><a href=\"#{to}\">{}</a></li>", escaped(text))).collect();
    format!("<nav aria-label=\"{}\"><ul>{links}</ul></nav>\n", message!("contents"))
}

/// The run's numbers.
pub(super) fn section(run: &Recorded) -> String {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    run.results.iter().for_each(|result| *verdicts.entry(result.verdict).or_default() += 1);
    let verdicts: Vec<String> =
        verdicts.iter().map(|(verdict, number)| format!("{number} {}", verdict_text(*verdict))).collect();
    let heading = message!("heading-overview");
    let mut markup = format!("<section aria-labelledby=\"overview\">\n<h2 id=\"overview\">{heading}</h2>\n<dl>\n");
    let mut row = |label: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(markup, "<dt>{label}</dt><dd>{}</dd>", escaped(text));
        }
    };
    row(message!("label-verdicts"), &verdicts.join(comma()));
    let (some, all) = (run.results.len(), run.header.rules);
    let rules = if some < all { message!("some-results", some = some, all = all) } else { String::new() };
    row(message!("label-rules"), &rules);
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    row(message!("label-expected"), &expected.map(numbers).unwrap_or_default());
    let (profile, seed) = (one_line(&run.header.profile), run.header.seed.to_string());
    row(message!("label-run"), &message!("profile-and-seed", profile = profile, seed = seed));
    markup.push_str("</dl>\n</section>\n");
    markup
}

/// Numbers by chapter and by subject.
pub(super) fn by_chapter(run: &Recorded) -> String {
    let heading = message!("heading-chapters");
    let (chapters, subjects) = (chapters(run), subjects(run));
    format!(
        "<section aria-labelledby=\"chapters\">\n<h2 id=\"chapters\">{heading}</h2>\n{chapters}{subjects}</section>\n"
    )
}

/// The table of chapters, without empty columns.
fn chapters(run: &Recorded) -> String {
    if run.results.is_empty() {
        return format!("<p>{}</p>\n", message!("no-results"));
    }
    let mut chapters: BTreeMap<String, Vec<&RuleResult>> = BTreeMap::new();
    for result in &run.results {
        chapters.entry(elide(&result.chapter, 60)).or_default().push(result);
    }
    let mut columns = MEANINGS.to_vec();
    columns.retain(|meaning| run.results.iter().any(|result| result.meaning() == *meaning));
    let product = escaped(&one_line(&run.header.product));
    let mut markup = format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n<caption>{}</caption>\n\
         <thead><tr><th scope=\"col\">{}</th>",
        message!("verdicts-by-chapter"),
        message!("verdicts-by-chapter-of", product = product),
        message!("column-chapter")
    );
    let meanings = columns.iter().map(|meaning| meaning_text(*meaning));
    for column in [message!("column-rules")].into_iter().chain(meanings).chain([message!("column-time")]) {
        let _ = write!(markup, "<th scope=\"col\" class=\"number\">{column}</th>");
    }
    markup.push_str("</tr></thead>\n<tbody>\n");
    let all: Vec<&RuleResult> = run.results.iter().collect();
    for (name, rules) in &chapters {
        let name = format!("<a href=\"#{}\">{}</a>", anchor("chapter", name), escaped(name));
        markup.push_str(&row_of_chapter(&name, rules, &columns));
    }
    markup.push_str("</tbody>\n<tfoot>\n");
    markup.push_str(&row_of_chapter(message!("all"), &all, &columns));
    markup.push_str("</tfoot>\n</table>\n</div>\n");
    markup
}

fn row_of_chapter(name: &str, rules: &[&RuleResult], columns: &[Meaning]) -> String {
    let mut row = format!("<tr><th scope=\"row\">{name}</th><td class=\"number\">{}</td>", rules.len());
    for meaning in columns {
        let _ = match rules.iter().filter(|rule| rule.meaning() == *meaning).count() {
            0 => write!(row, "<td class=\"number faint\">–</td>"),
            number => write!(row, "<td class=\"number {}\">{number}</td>", class(*meaning)),
        };
    }
    let time = rules.iter().map(|rule| rule.nanoseconds).fold(0, u64::saturating_add);
    let _ = writeln!(row, "<td class=\"number\">{}</td></tr>", duration(time));
    row
}

/// The suite's subjects in this run.
fn subjects(run: &Recorded) -> String {
    let ran = |subject: &&Subject| {
        run.results.iter().any(|result| subject.rules.contains(&result.id) && result.verdict != Verdict::Skipped)
    };
    let subjects: Vec<&Subject> = run.header.subjects.iter().filter(ran).collect();
    if subjects.is_empty() {
        return String::new();
    }
    let mut markup = format!("<h3>{} ({})</h3>\n", message!("heading-subjects"), subjects.len());
    for subject in subjects {
        let mut lines = subjects::lines(subject, &run.results).into_iter();
        let first = escaped(&lines.next().unwrap_or_default());
        let seen: String = lines.map(|line| format!("<li>{}</li>", escaped(line.trim()))).collect();
        let _ = match seen.is_empty() {
            true => writeln!(markup, "<p>{first}</p>"),
            false => writeln!(markup, "<details><summary>{first}</summary><ul>{seen}</ul></details>"),
        };
    }
    markup
}
