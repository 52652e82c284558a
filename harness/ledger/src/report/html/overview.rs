//! What came of the run, at a glance: one sentence, numbers, chapters.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::conclusion::{Conclusion, Tone, conclusion};
use crate::report::expected::numbers;
use crate::report::subjects;
use crate::report::summary::{device, mark, reality};
use crate::report::text::{count, duration, elide, one_line};
use record::{Meaning, Recorded, RuleResult, Subject, Verdict};

use super::document::escaped;
use super::failures;
use super::labels::{MEANINGS, anchor, class, word};
use super::tested::run_time;

/// What came of the run, and links to the parts of the page.
pub(super) fn header(run: &Recorded) -> String {
    result(run) + &contents(run)
}

/// Characters of a list of seeded defects.
const DEFECTS: usize = 300;

/// The sentence that says what came of the run, and what was tested.
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
            defects => format!(" It was made wrong on purpose: {}.", escaped(&elide(&defects.join(", "), DEFECTS))),
        };
        let _ = writeln!(
            markup,
            "<p class=\"open\">This run was made on a simulated device and says nothing about hardware.{defects}</p>"
        );
    }
    let time = run_time(run).map(|time| format!(", {time}")).unwrap_or_default();
    let (real, started) = (reality(header), moment(&header.started));
    let about = format!("{real}{}; product {}; started {started}{time}", device(header), header.product);
    let _ = writeln!(markup, "<p>{}</p>", escaped(&one_line(&about)));
    markup
}

/// A time without its fraction of a second.
fn moment(time: &str) -> String {
    time.split_once('.').map_or(time.to_owned(), |(seconds, _)| format!("{seconds}Z"))
}

fn contents(run: &Recorded) -> String {
    let mut links = vec![("overview", "Overview".to_owned())];
    let lists = failures::lists(run);
    links.extend(lists.iter().map(|list| (list.anchor, format!("{} ({})", list.heading, list.results.len()))));
    links.extend([
        ("chapters", "By chapter".to_owned()),
        ("rules", "All rules".to_owned()),
        ("times", "Times".to_owned()),
    ]);
    links.extend([("tested", "What was tested".to_owned()), ("course", "Course of the run".to_owned())]);
    let links: String =
        links.iter().map(|(to, text)| format!("<li><a href=\"#{to}\">{}</a></li>", escaped(text))).collect();
    format!("<nav aria-label=\"Contents\"><ul>{links}</ul></nav>\n")
}

/// Numbers by verdict.
pub(super) fn section(run: &Recorded) -> String {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    run.results.iter().for_each(|result| *verdicts.entry(result.verdict).or_default() += 1);
    let verdicts: Vec<String> = verdicts.iter().map(|(verdict, number)| format!("{number} {verdict}")).collect();
    let mut markup = String::from("<section aria-labelledby=\"overview\">\n<h2 id=\"overview\">Overview</h2>\n<dl>\n");
    let mut row = |label: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(markup, "<dt>{label}</dt><dd>{}</dd>", escaped(text));
        }
    };
    row("verdicts", &verdicts.join(", "));
    let (some, all) = (run.results.len(), run.header.rules);
    row("rules", &if some < all { format!("{some} of the catalog's {all} have a result") } else { String::new() });
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    row("expected", &expected.map(numbers).unwrap_or_default());
    row("profile", &format!("{}, seed {}", one_line(&run.header.profile), run.header.seed));
    markup.push_str("</dl>\n</section>\n");
    markup
}

/// Numbers by chapter, and by what was asked for.
pub(super) fn by_chapter(run: &Recorded) -> String {
    let heading = "<section aria-labelledby=\"chapters\">\n<h2 id=\"chapters\">By chapter</h2>\n";
    format!("{heading}{}{}</section>\n", chapters(run), asked_for(run))
}

/// The table of chapters. A column without a number is left out.
fn chapters(run: &Recorded) -> String {
    if run.results.is_empty() {
        return "<p>No rule has a result.</p>\n".to_owned();
    }
    let mut chapters: BTreeMap<String, Vec<&RuleResult>> = BTreeMap::new();
    for result in &run.results {
        chapters.entry(elide(&result.chapter, 60)).or_default().push(result);
    }
    let mut columns = MEANINGS.to_vec();
    columns.retain(|meaning| run.results.iter().any(|result| result.meaning() == *meaning));
    let product = escaped(&one_line(&run.header.product));
    let mut markup = format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"Verdicts by chapter\" tabindex=\"0\">\n<table>\n\
         <caption>Verdicts by chapter, product {product}</caption>\n<thead><tr><th scope=\"col\">chapter</th>\
         <th scope=\"col\" class=\"number\">rules</th>"
    );
    for meaning in &columns {
        let _ = write!(markup, "<th scope=\"col\" class=\"number\">{}</th>", word(*meaning));
    }
    markup.push_str("<th scope=\"col\" class=\"number\">time</th></tr></thead>\n<tbody>\n");
    let all: Vec<&RuleResult> = run.results.iter().collect();
    for (name, rules) in &chapters {
        let name = format!("<a href=\"#{}\">{}</a>", anchor("chapter", name), escaped(name));
        markup.push_str(&row_of_chapter(&name, rules, &columns));
    }
    markup.push_str("</tbody>\n<tfoot>\n");
    markup.push_str(&row_of_chapter("all", &all, &columns));
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

/// What the suite was asked for.
fn asked_for(run: &Recorded) -> String {
    let ran = |subject: &&Subject| {
        run.results.iter().any(|result| subject.rules.contains(&result.id) && result.verdict != Verdict::Skipped)
    };
    let subjects: Vec<&Subject> = run.header.subjects.iter().filter(ran).collect();
    if subjects.is_empty() {
        return String::new();
    }
    let mut markup = format!("<h3>What the suite was asked for: {}</h3>\n", count(subjects.len() as u64, "subject"));
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
