//! Small SVG charts for a timeline: a bar for each run's results, and a line for the runs' times.

use std::fmt::Write;

use super::Timeline;
use crate::report::duration;
use messages::message;
use record::Meaning;

/// The size of a chart, in pixels.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 120.0;
/// The height of the text below a chart, in pixels.
const FOOT: f64 = 18.0;

/// The layers of a bar, from bottom to top, and their CSS classes.
const LAYERS: [(Meaning, &str); 5] = [
    (Meaning::Broken, "fill-bad"),
    (Meaning::Unknown, "fill-open"),
    (Meaning::Finding, "bar"),
    (Meaning::Good, "fill-good"),
    (Meaning::Skipped, "fill-faint"),
];

/// A bar for each run's results. The layers for broken and unknown rules are at least two pixels high, so that one rule
/// in 500 is visible.
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
    let runs = timeline.runs.len();
    let description = message!(
        "chart-results-description",
        count = runs,
        good = number(Meaning::Good),
        broken = number(Meaning::Broken),
        unknown = number(Meaning::Unknown)
    );
    svg(&description, &bars, &message!("chart-results", runs = runs, most = most))
}

/// The times of the finished runs; empty if fewer than two runs finished.
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
    let (longest, last) = (duration(longest), duration(last));
    let description = message!("chart-times-description", count = times.len(), longest = longest.as_str(), last = last);
    svg(&description, &line, &message!("chart-times", longest = longest))
}

/// A chart with a description for screen readers.
fn svg(description: &str, shapes: &str, foot: &str) -> String {
    let (height, baseline) = (HEIGHT + FOOT, HEIGHT + FOOT - 4.0);
    format!(
        "<p><svg role=\"img\" aria-label=\"{description}\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">\
         {shapes}<text x=\"0\" y=\"{baseline}\">{foot}</text></svg></p>\n"
    )
}
