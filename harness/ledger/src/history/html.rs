//! A history as one self-contained page without scripts.

use std::fmt::Write;

use super::text::{exit, rule_columns, since};
use super::{History, PastRun, Timeline, chart, mark};
use crate::report::{MEANINGS, document, duration, escaped, meaning_text, verdict_text};
use messages::message;
use record::{Meaning, Verdict};

/// The history as HTML. Text from journals is escaped, so a journal cannot add markup.
pub fn html(history: &History) -> String {
    let mut text = format!("<main>\n<h1>{}</h1>\n", message!("history-title"));
    for (number, timeline) in history.timelines.iter().enumerate() {
        let title = message!("timeline", tested = timeline.tested.as_str(), count = timeline.runs.len());
        let _ = writeln!(
            text,
            "<section aria-labelledby=\"tested-{number}\">\n<h2 id=\"tested-{number}\">{}</h2>",
            escaped(&title)
        );
        text.push_str(&chart::results(timeline));
        text.push_str(&chart::times(timeline));
        rules(&mut text, timeline);
        runs(&mut text, timeline);
        text.push_str("</section>\n");
    }
    for remark in &history.remarks {
        let _ = writeln!(text, "<p>{}</p>", escaped(remark));
    }
    text.push_str("</main>\n");
    document(message!("history-title"), &text, "")
}

fn rules(text: &mut String, timeline: &Timeline) {
    let restless = timeline.restless();
    let steady = timeline.rules().len() - restless.len();
    if !restless.is_empty() {
        let _ = write!(
            text,
            "<div class=\"wide\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\">\n<table>\n<caption>{0}</caption>\n\
             <thead><tr><th scope=\"col\">{1}</th><th scope=\"col\">{2}</th>{3}</tr></thead>\n<tbody>\n",
            message!("changed-rules"),
            message!("column-rule"),
            message!("column-runs"),
            number_columns(&rule_columns())
        );
        for rule in &restless {
            let marks: String = rule.verdicts.iter().map(|verdict| mark(*verdict)).collect();
            let again = rule.again.map_or("–".to_owned(), |(failed, runs)| message!("of", some = failed, all = runs));
            let _ = writeln!(
                text,
                "<tr><th scope=\"row\">{}</th><td><code class=\"marks\" role=\"img\" aria-label=\"{}\">{marks}</code></td>\
                 <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{again}</td><td class=\"number\">{}</td></tr>",
                escaped(&rule.rule),
                spoken(&rule.verdicts),
                rule.changes,
                message!("of", some = rule.broken, all = rule.ran),
                rule.flaky,
                duration(rule.median)
            );
        }
        let _ = writeln!(text, "</tbody>\n</table>\n</div>\n<p class=\"faint\">{}</p>", escaped(message!("legend")));
    }
    let _ = writeln!(text, "<p>{}</p>", message!("steady-rules", count = steady));
}

/// The headers of numeric columns.
fn number_columns(names: &[&str]) -> String {
    names.iter().map(|name| format!("<th scope=\"col\" class=\"number\">{name}</th>")).collect()
}

/// The verdicts in words. Consecutive equal verdicts become one item with their number.
fn spoken(verdicts: &[Option<Verdict>]) -> String {
    let word = |verdict: &Option<Verdict>| verdict.map_or(message!("no-result"), verdict_text);
    let runs = verdicts.chunk_by(|a, b| a == b);
    runs.map(|run| format!("{} {}", run.len(), word(&run[0]))).collect::<Vec<_>>().join(", ")
}

fn runs(text: &mut String, timeline: &Timeline) {
    let meanings = number_columns(&MEANINGS.map(meaning_text));
    let _ = write!(
        text,
        "<div class=\"wide\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\">\n<table>\n<caption>{0}</caption>\n\
         <thead><tr>{1}<th scope=\"col\">{2}</th>{3}{meanings}{4}<th scope=\"col\">{5}</th><th scope=\"col\">{6}</th>\
         </tr></thead>\n<tbody>\n",
        message!("runs-oldest-first"),
        number_columns(&[message!("column-run")]),
        message!("column-started"),
        number_columns(&[message!("column-exit")]),
        number_columns(&[message!("column-time")]),
        message!("column-differences"),
        message!("column-folder")
    );
    let mut before: Option<&PastRun> = None;
    for (index, run) in timeline.runs.iter().enumerate() {
        let number = |meaning: Meaning| {
            let number = run.counts.get(&meaning).copied().unwrap_or(0);
            format!("<td class=\"number\">{number}</td>")
        };
        let numbers = MEANINGS.map(number).concat();
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\" class=\"number\">{}</th><td>{}</td><td class=\"number\">{}</td>{numbers}\
             <td class=\"number\">{}</td><td>{}</td><td class=\"rule\">{}</td></tr>",
            index + 1,
            escaped(&run.started),
            exit(run),
            run.nanoseconds.map_or(message!("unfinished").to_owned(), duration),
            escaped(&since(run, before)),
            escaped(&run.path.display().to_string())
        );
        before = Some(run);
    }
    text.push_str("</tbody>\n</table>\n</div>\n");
}
