//! A history as one page that needs nothing else: no script, no network.

use std::fmt::Write;

use super::text::{exit, since};
use super::{History, LEGEND, PastRun, Timeline, chart, mark};
use crate::report::{document, duration, escaped};
use record::{Meaning, Verdict};

/// The history as HTML. What journals say is text in it, never markup.
pub fn html(history: &History) -> String {
    let mut text = String::from("<main>\n<h1>Runs over time</h1>\n");
    for (number, timeline) in history.timelines.iter().enumerate() {
        let title = format!("{}, {} runs", timeline.tested, timeline.runs.len());
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
    document("Runs over time", &text, "")
}

fn rules(text: &mut String, timeline: &Timeline) {
    let restless = timeline.restless();
    let steady = timeline.rules().len() - restless.len();
    if !restless.is_empty() {
        text.push_str(
            "<div class=\"wide\" role=\"region\" aria-label=\"Rules that changed\" tabindex=\"0\">\n<table>\n\
             <caption>Rules that changed, or were not good</caption>\n<thead><tr><th scope=\"col\">rule</th>\
             <th scope=\"col\">runs</th><th scope=\"col\" class=\"number\">changes</th><th scope=\"col\" class=\"number\">not good</th>\
             <th scope=\"col\" class=\"number\">flaky</th><th scope=\"col\" class=\"number\">failed again</th>\
             <th scope=\"col\" class=\"number\">median time</th></tr></thead>\n<tbody>\n",
        );
        for rule in &restless {
            let marks: String = rule.verdicts.iter().map(|verdict| mark(*verdict)).collect();
            let again = rule.again.map_or("–".to_owned(), |(failed, runs)| format!("{failed} of {runs}"));
            let _ = writeln!(
                text,
                "<tr><th scope=\"row\">{}</th><td><code class=\"marks\" role=\"img\" aria-label=\"{}\">{marks}</code></td>\
                 <td class=\"number\">{}</td><td class=\"number\">{} of {}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{again}</td><td class=\"number\">{}</td></tr>",
                escaped(&rule.rule),
                spoken(&rule.verdicts),
                rule.changes,
                rule.broken,
                rule.ran,
                rule.flaky,
                duration(rule.median)
            );
        }
        let _ = writeln!(text, "</tbody>\n</table>\n</div>\n<p class=\"faint\">{}</p>", escaped(LEGEND));
    }
    let _ = writeln!(text, "<p>{steady} rules were good in every run in which they ran.</p>");
}

/// The verdicts in words, equal ones in a row told once.
fn spoken(verdicts: &[Option<Verdict>]) -> String {
    let word = |verdict: &Option<Verdict>| verdict.map_or("no result", Verdict::name);
    let runs = verdicts.chunk_by(|a, b| a == b);
    runs.map(|run| format!("{} {}", run.len(), word(&run[0]))).collect::<Vec<_>>().join(", ")
}

fn runs(text: &mut String, timeline: &Timeline) {
    text.push_str(
        "<div class=\"wide\" role=\"region\" aria-label=\"Runs\" tabindex=\"0\">\n<table>\n<caption>Runs, the oldest first</caption>\n\
         <thead><tr><th scope=\"col\" class=\"number\">run</th><th scope=\"col\">started</th>\
         <th scope=\"col\" class=\"number\">exit</th><th scope=\"col\" class=\"number\">hold</th>\
         <th scope=\"col\" class=\"number\">broken</th><th scope=\"col\" class=\"number\">finding</th>\
         <th scope=\"col\" class=\"number\">unknown</th><th scope=\"col\" class=\"number\">skipped</th>\
         <th scope=\"col\" class=\"number\">time</th><th scope=\"col\">since the run before</th><th scope=\"col\">folder</th>\
         </tr></thead>\n<tbody>\n",
    );
    let mut before: Option<&PastRun> = None;
    for (index, run) in timeline.runs.iter().enumerate() {
        let number = |meaning: Meaning| {
            let number = run.counts.get(&meaning).copied().unwrap_or(0);
            format!("<td class=\"number\">{number}</td>")
        };
        let numbers: String =
            [Meaning::Good, Meaning::Broken, Meaning::Finding, Meaning::Unknown, Meaning::Skipped].map(number).concat();
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\" class=\"number\">{}</th><td>{}</td><td class=\"number\">{}</td>{numbers}\
             <td class=\"number\">{}</td><td>{}</td><td class=\"rule\">{}</td></tr>",
            index + 1,
            escaped(&run.started),
            exit(run),
            run.nanoseconds.map_or("no end".to_owned(), duration),
            escaped(&since(run, before)),
            escaped(&run.path.display().to_string())
        );
        before = Some(run);
    }
    text.push_str("</tbody>\n</table>\n</div>\n");
}
