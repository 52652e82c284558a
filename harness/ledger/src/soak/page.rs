//! A soak as one self-contained page with plots.

use maud::{Markup, html};
use record::RecordedSoak;

use super::judge::{Course, Judged, RuleCourse};
use super::text::{alarm_lines, plain};
use crate::report::{document, duration, moment, one_line};

/// The page's file in a soak's folder.
pub const SOAK_PAGE: &str = "soak.html";

/// The size of a plot, in its own units; the page stretches it.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;

/// The page. Text from the file is escaped, so a file cannot add markup.
pub fn page(soak: &RecordedSoak, judged: &Judged) -> String {
    let header = &soak.header;
    let alarms = judged.alarms();
    let body = html! {
        main {
            h1 { "Soak" }
            p.result.(if alarms > 0 { "bad" } else if judged.unknown() { "open" } else { "good" }) {
                @if alarms > 0 { (alarms) " of " (judged.rules.len()) " rules have an alarm" }
                @else if judged.unknown() { "no alarm, but not every rule was measured" }
                @else { "no alarm" }
                @if header.simulated { " (SIMULATED DEVICE)" }
            }
            dl {
                dt { "product" } dd { (one_line(&header.product)) }
                dt { "library" } dd { (one_line(&header.library)) }
                dt { "started" } dd { time { (moment(&one_line(&header.started))) } }
                dt { "time" } dd { (duration(soak.nanoseconds())) @if soak.end.is_none() { ", unfinished" } }
                @if !soak.resumed.is_empty() { dt { "resumed" } dd { (soak.resumed.len()) } }
                @if !header.defects.is_empty() { dt { "defects" } dd { (one_line(&header.defects.join(" "))) } }
            }
            @for rule in judged.rules.iter().filter(|rule| rule.alarmed()) { (section(soak, rule, true)) }
            @for rule in judged.rules.iter().filter(|rule| !rule.alarmed()) { (section(soak, rule, false)) }
        }
        "\n"
    };
    document("Soak", &body.0, "")
}

/// A rule: its alarms, and a plot of each quantity.
fn section(soak: &RecordedSoak, rule: &RuleCourse, open: bool) -> Markup {
    let about = &soak.header.rules[rule.rule];
    html! {
        details open[open] {
            summary {
                h2 { (one_line(&about.id)) }
                " "
                @if open { span.bad { "alarm" } }
                @else if rule.skipped.is_some() { span.open { "not measured" } }
                @else { span.good { "steady" } }
                " " (rule.cycles) " cycles"
            }
            p { (one_line(&about.title)) }
            @if open { pre { (alarm_lines(soak, rule).join("\n")) } }
            @if let Some((reason, _)) = &rule.skipped { p { (one_line(reason)) } }
            @for course in &rule.courses { (plot(course)) }
        }
        "\n"
    }
}

/// The course of a quantity as a line.
fn plot(course: &Course) -> Markup {
    let points = &course.points;
    let extremes = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (left, right) = extremes(&mut points.iter().map(|(x, _)| *x));
    let (low, high) = extremes(&mut points.iter().map(|(_, y)| *y));
    if points.len() < 2 || right <= left {
        return html! {};
    }
    let place = |(x, y): &(f64, f64)| {
        let height = if high > low { (y - low) / (high - low) } else { 0.0 };
        format!("{:.1},{:.1}", (x - left) / (right - left) * WIDTH, HEIGHT - 2.0 - height * (HEIGHT - 4.0))
    };
    let line: Vec<String> = points.iter().map(place).collect();
    let name = course.quantity.name();
    let state = if course.alarm { "grows" } else { "does not grow" };
    let unit = |number: f64| plain(course.quantity, number);
    html! {
        figure.chart {
            figcaption { (name) ": " (state) }
            div.plot {
                div.axis-y aria-hidden="true" { span { (unit(high)) } span { (unit(low)) } }
                svg role="img" aria-label={ (name) " " (state) } viewBox="0 0 1000 100" preserveAspectRatio="none" {
                    polyline.line-of-times points=(line.join(" ")) vector-effect="non-scaling-stroke" {}
                }
                div.axis-x aria-hidden="true" { span { (left) } span { (right) " cycles" } }
            }
        }
        "\n"
    }
}
