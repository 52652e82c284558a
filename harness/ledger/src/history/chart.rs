//! Charts for a timeline: a bar for each run's results, and a line for the runs' times. Time goes from left to right.

use maud::{Markup, html};
use messages::message;
use record::Meaning;

use super::{PastRun, Timeline};
use crate::report::{duration, fill, meaning_text, one_line};

/// The size of a chart, in its own units; the page stretches it.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;

/// The layers of a bar, from bottom to top.
const LAYERS: [Meaning; 5] = [Meaning::Broken, Meaning::Unknown, Meaning::Finding, Meaning::Good, Meaning::Skipped];

/// A bar for each run's results. The layers for broken and unknown rules are at least two units high, so that one rule
/// in 500 is visible.
pub(super) fn results(timeline: &Timeline) -> Markup {
    let most = timeline.runs.iter().map(|run| run.counts.values().sum::<usize>()).max().unwrap_or(0).max(1);
    let width = (step(timeline) * 0.8).min(60.0);
    let last = timeline.runs.last().map(|run| &run.counts);
    let number = |meaning| last.and_then(|counts| counts.get(&meaning)).copied().unwrap_or(0);
    let description = message!(
        "chart-results-description",
        count = timeline.runs.len(),
        good = number(Meaning::Good),
        broken = number(Meaning::Broken),
        unknown = number(Meaning::Unknown)
    );
    let bars = html! {
        @for (index, run) in timeline.runs.iter().enumerate() {
            g {
                title { (day(run)) ": " (numbers(run)) }
                @for (class, top, height) in layers(run, most) {
                    rect class=(class) x=(tenths(center(timeline, index) - width / 2.0)) y=(tenths(top))
                        width=(tenths(width)) height=(tenths(height)) {}
                }
            }
        }
    };
    let key = html! {
        ul.key {
            @for meaning in LAYERS.into_iter().rev() {
                li { svg viewBox="0 0 1 1" aria-hidden="true" { rect class=(fill(meaning)) width="1" height="1" {} } (meaning_text(meaning)) }
            }
        }
    };
    let axis = [most.to_string(), (most / 2).to_string(), "0".to_owned()];
    figure(timeline, message!("chart-results"), &key, &description, &bars, &axis)
}

/// The times of the finished runs; empty if fewer than two runs finished.
pub(super) fn times(timeline: &Timeline) -> Markup {
    let times: Vec<(usize, u64)> =
        timeline.runs.iter().enumerate().filter_map(|(index, run)| Some((index, run.nanoseconds?))).collect();
    let longest = times.iter().map(|(_, time)| *time).max().unwrap_or(0).max(1);
    if times.len() < 2 {
        return html! {};
    }
    let place = |(index, time): &(usize, u64)| {
        let y = HEIGHT - *time as f64 / longest as f64 * (HEIGHT - 4.0);
        format!("{},{}", tenths(center(timeline, *index)), tenths(y))
    };
    let line: Vec<String> = times.iter().map(place).collect();
    let line = html! { polyline.line-of-times points=(line.join(" ")) vector-effect="non-scaling-stroke" {} };
    let last = times.last().map_or(0, |(_, time)| *time);
    let axis = [duration(longest), duration(longest / 2), "0 s".to_owned()];
    let (longest, last) = (duration(longest), duration(last));
    let description = message!("chart-times-description", count = times.len(), longest = longest, last = last);
    figure(timeline, message!("chart-times"), &html! {}, &description, &line, &axis)
}

/// The layers of a run's bar: class, top and height.
fn layers(run: &PastRun, most: usize) -> Vec<(&'static str, f64, f64)> {
    let mut bottom = HEIGHT;
    let mut layers = Vec::new();
    for meaning in LAYERS {
        let number = run.counts.get(&meaning).copied().unwrap_or(0);
        if number == 0 {
            continue;
        }
        let least = if matches!(meaning, Meaning::Broken | Meaning::Unknown) { 2.0 } else { 0.0 };
        let height = (number as f64 / most as f64 * HEIGHT).max(least).min(bottom);
        bottom -= height;
        layers.push((fill(meaning), bottom, height));
    }
    layers
}

/// The numbers of a run's results, in words.
fn numbers(run: &PastRun) -> String {
    let numbers = LAYERS.iter().filter_map(|meaning| Some((run.counts.get(meaning)?, meaning_text(*meaning))));
    numbers.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

fn step(timeline: &Timeline) -> f64 {
    WIDTH / timeline.runs.len().max(1) as f64
}

/// The middle of a run's place.
fn center(timeline: &Timeline, index: usize) -> f64 {
    (index as f64 + 0.5) * step(timeline)
}

fn tenths(number: f64) -> String {
    format!("{number:.1}")
}

/// The day on which a run started.
pub(super) fn day(run: &PastRun) -> String {
    one_line(&run.started).chars().take(10).collect()
}

/// A chart with its title, key, axes and description for screen readers.
fn figure(
    timeline: &Timeline,
    title: &str,
    key: &Markup,
    description: &str,
    shapes: &Markup,
    axis: &[String; 3],
) -> Markup {
    let runs = &timeline.runs;
    let mut days: Vec<String> =
        [runs.first(), runs.get(runs.len() / 2), runs.last()].into_iter().flatten().map(day).collect();
    days.truncate(runs.len());
    html! {
        figure.chart {
            figcaption { (title) }
            (key)
            div.plot {
                div.axis-y aria-hidden="true" { @for text in axis { span { (text) } } }
                svg role="img" aria-label=(description) viewBox="0 0 1000 100" preserveAspectRatio="none" {
                    @for y in ["0", "50", "100"] {
                        line.grid x1="0" x2="1000" y1=(y) y2=(y) vector-effect="non-scaling-stroke" {}
                    }
                    (shapes)
                }
                div.axis-x aria-hidden="true" { @for day in &days { span { (day) } } }
            }
        }
        "\n"
    }
}
