//! The run at a glance: a one-sentence result, the numbers as tiles, and the suite's subjects.

use std::collections::BTreeMap;

use maud::{Markup, html};
use messages::{comma, message};
use record::text::FILE_WIDTH;
use record::{Meaning, Recorded, RuleResult, Subject, Verdict};

use super::bar::of_results;
use super::failures;
use super::labels::{class, name};
use super::since::Since;
use crate::causes::{causes, counting};
use crate::names::{meaning_of, verdict_text};
use crate::report::conclusion::{Conclusion, Tone, conclusion};
use crate::report::expected::numbers;
use crate::report::subjects;
use crate::report::summary::run_time;
use crate::report::target::{device, mark, reality};
use crate::report::text::{elide, one_line};

/// The longest list of seeded defects, in characters.
const DEFECTS: usize = 300;

/// The outcome in one sentence, and the tested library and devices.
pub(super) fn header(run: &Recorded) -> Markup {
    let Conclusion { tone, text } = conclusion(&run.header, &run.results, run.end.as_ref());
    let class = match tone {
        Tone::Good => "good",
        Tone::Empty => "open",
        Tone::Bad => "bad",
    };
    let header = &run.header;
    let time = run.end.as_ref().map(|end| comma().to_owned() + &run_time(header, end)).unwrap_or_default();
    let device = reality(header) + &device(header);
    let product = header.product.as_str();
    let about = message!("page-about", device = device, product = product, started = moment(&header.started));
    html! {
        p.result.(class) { (one_line(&text)) (mark(header)) }
        "\n"
        @if header.library.simulated {
            p.open {
                (message!("page-simulated"))
                @if !header.defects.is_empty() {
                    " " (message!("page-seeded-defects", defects = elide(&header.defects.join(comma()), DEFECTS)))
                }
            }
            "\n"
        }
        p { (one_line(&(about + &time))) }
        "\n"
    }
}

/// A time without fractions of a second.
fn moment(time: &str) -> String {
    time.split_once('.').map_or(time.to_owned(), |(seconds, _)| format!("{seconds}Z"))
}

/// Links to the sections of the page.
pub(super) fn contents(run: &Recorded) -> Markup {
    let lists = failures::lists(run);
    let lists = lists.iter().map(|list| (list.anchor, format!("{} ({})", list.heading, list.results.len())));
    let rest = [
        ("rules", message!("heading-all-rules")),
        ("times", message!("heading-times")),
        ("tested", message!("heading-tested")),
        ("course", message!("heading-course")),
    ];
    let rest = rest.map(|(anchor, heading)| (anchor, heading.to_owned()));
    html! {
        nav aria-label=(message!("contents")) {
            ul { @for (to, text) in lists.chain(rest) { li { a href={ "#" (to) } { (text) } } } }
        }
        "\n"
    }
}

/// The numbers of the run as tiles with one bar, and what is new since the run before.
pub(super) fn section(run: &Recorded, since: &Since<'_>) -> Markup {
    html! {
        section aria-labelledby="overview" {
            h2 id="overview" { (message!("heading-overview")) }
            (tiles(run))
            dl { (facts(run)) }
        }
        "\n"
        (since.section(run))
    }
}

fn tiles(run: &Recorded) -> Markup {
    let number = |meaning| run.results.iter().filter(|result| result.meaning() == meaning).count();
    let all: Vec<&RuleResult> = run.results.iter().collect();
    let tile = |meaning: Meaning, number: usize, word: String, note: String| {
        html! {
            li.(class(meaning)) {
                a href="#rules" data-show=(name(meaning)) { strong { (number) } (word) }
                @if !note.is_empty() { small { (note) } }
            }
        }
    };
    let simple = |meaning| tile(meaning, number(meaning), meaning_of(meaning, number(meaning)), String::new());
    let counting = counting(&run.results, run.end.as_ref());
    let new = counting.iter().filter(|result| result.meaning() == Meaning::Broken).count();
    let causes = causes(counting).len();
    let broken = match number(Meaning::Broken) - new {
        0 => message!("tile-broken", count = new),
        known => message!("tile-broken-and-known", count = new, known = known),
    };
    html! {
        ul.tiles {
            (simple(Meaning::Good))
            (tile(Meaning::Broken, causes, message!("tile-causes", count = causes), broken))
            @if number(Meaning::Finding) > 0 { (simple(Meaning::Finding)) }
            (simple(Meaning::Unknown))
            (simple(Meaning::Skipped))
        }
        (of_results(&all))
    }
}

fn facts(run: &Recorded) -> Markup {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    run.results.iter().for_each(|result| *verdicts.entry(result.verdict).or_default() += 1);
    let verdicts: Vec<String> =
        verdicts.iter().map(|(verdict, number)| format!("{number} {}", verdict_text(*verdict))).collect();
    let (some, all) = (run.results.len(), run.header.rules);
    let rules = if some < all { message!("some-results", some = some, all = all) } else { String::new() };
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let (profile, seed) = (one_line(&run.header.profile), run.header.seed.to_string());
    let rows = [
        (message!("label-verdicts"), verdicts.join(comma())),
        (message!("label-rules"), rules),
        (message!("label-expected"), expected.map(numbers).unwrap_or_default()),
        (message!("label-run"), message!("profile-and-seed", profile = profile, seed = seed)),
    ];
    html! {
        @for (label, text) in rows.iter().filter(|(_, text)| !text.is_empty()) {
            dt { (label) }
            dd { (text) }
        }
    }
}

/// The suite's subjects in this run.
pub(super) fn subjects(run: &Recorded) -> Markup {
    let ran = |subject: &&Subject| {
        run.results.iter().any(|result| subject.rules.contains(&result.id) && result.verdict != Verdict::Skipped)
    };
    let subjects: Vec<&Subject> = run.header.subjects.iter().filter(ran).collect();
    html! {
        @if !subjects.is_empty() {
            section.more aria-labelledby="subjects" {
                h2 id="subjects" { (message!("heading-subjects")) " (" (subjects.len()) ")" }
                @for subject in subjects {
                    @let lines = subjects::lines(subject, &run.results, FILE_WIDTH);
                    @if let [first, seen @ ..] = &lines[..] {
                        @if seen.is_empty() { p { (first) } } @else {
                            details { summary { (first) } ul { @for line in seen { li { (line.trim()) } } } }
                        }
                    }
                }
            }
            "\n"
        }
    }
}
