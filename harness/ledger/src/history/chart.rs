//! Small charts of a timeline, as SVG in a page: bars for what came of each run, a line for its time.

use std::fmt::Write;

use super::Timeline;
use crate::report::duration;
use record::Meaning;

/// Pixels of a chart.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 120.0;
/// What the text below and beside it needs.
const FOOT: f64 = 18.0;

/// From the bottom of a bar to its top, with their classes.
const LAYERS: [(Meaning, &str); 5] = [
    (Meaning::Broken, "fill-bad"),
    (Meaning::Unknown, "fill-open"),
    (Meaning::Finding, "bar"),
    (Meaning::Good, "fill-good"),
    (Meaning::Skipped, "fill-faint"),
];

/// Bars of results, one for each run. Those of broken rules are drawn at least two pixels high: one of five hundred counts.
pub(super) fn results(timeline: &Timeline) -> String {
    let most = timeline.runs.iter().map(|run| run.counts.values().sum::<usize>()).max().unwrap_or(0).max(1);
    let step = WIDTH / timeline.runs.len().max(1) as f64;
    let width = (step * 0.8).min(40.0);
    let mut bars = String::new();
    for (index, run) in timeline.runs.iter().enumerate() {
        let left = index as f64 * step;
        let mut bottom = HEIGHT;
        for (meaning, class) in LAYERS {
            let number = run.counts.get(&meaning).copied().unwrap_or(0);
            if number == 0 {
                continue;
            }
            let least = if matches!(meaning, Meaning::Broken | Meaning::Unknown) { 2.0 } else { 0.0 };
            let height = (number as f64 / most as f64 * HEIGHT).max(least).min(bottom);
            bottom -= height;
            let _ = write!(
                bars,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{bottom:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            );
        }
    }
    let last = timeline.runs.last().map(|run| &run.counts);
    let number = |meaning| last.and_then(|counts| counts.get(&meaning)).copied().unwrap_or(0);
    let said = format!(
        "Results of {} runs. In the last one {} rules hold, {} are broken, {} are without an answer.",
        timeline.runs.len(),
        number(Meaning::Good),
        number(Meaning::Broken),
        number(Meaning::Unknown)
    );
    let order = "from below broken, unknown, findings, hold, skipped";
    svg(
        &said,
        &bars,
        &format!("results by run, from 1 to {}: {order}; the highest bar is {most} rules", timeline.runs.len()),
    )
}

/// The times of the runs that reached their end. Fewer than two make no line.
pub(super) fn times(timeline: &Timeline) -> String {
    let times: Vec<(usize, u64)> =
        timeline.runs.iter().enumerate().filter_map(|(index, run)| Some((index, run.nanoseconds?))).collect();
    let longest = times.iter().map(|(_, time)| *time).max().unwrap_or(0).max(1);
    if times.len() < 2 {
        return String::new();
    }
    let step = WIDTH / (timeline.runs.len() - 1).max(1) as f64;
    let place = |(index, time): &(usize, u64)| {
        let (x, y) = (*index as f64 * step, HEIGHT - *time as f64 / longest as f64 * (HEIGHT - 4.0));
        format!("{x:.1},{y:.1}")
    };
    let line: Vec<String> = times.iter().map(place).collect();
    let line = format!("<polyline class=\"line\" points=\"{}\"/>", line.join(" "));
    let last = times.last().map_or(0, |(_, time)| *time);
    let said =
        format!("Time of {} runs; the longest took {}, the last {}.", times.len(), duration(longest), duration(last));
    svg(&said, &line, &format!("time by run; the longest took {}", duration(longest)))
}

/// A picture with its meaning in words.
fn svg(said: &str, shapes: &str, foot: &str) -> String {
    let (height, baseline) = (HEIGHT + FOOT, HEIGHT + FOOT - 4.0);
    format!(
        "<p><svg role=\"img\" aria-label=\"{said}\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">\
         {shapes}<text x=\"0\" y=\"{baseline}\">{foot}</text></svg></p>\n"
    )
}
