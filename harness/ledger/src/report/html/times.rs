//! The times of rules: a lane for each device, and the slowest rules.

use std::collections::BTreeMap;

use maud::{Markup, html};
use messages::message;
use record::{Recorded, RuleResult};

use super::bar::fill;
use crate::report::summary::run_time;
use crate::report::text::{duration, elide, one_line};

/// The number of rules in the table of slowest rules.
const SLOWEST: usize = 15;
/// The length of the longest lane, in its own units.
const LENGTH: u64 = 1000;
/// The least length of a part that names its rule.
const NAMED: u64 = 12;
/// The largest number of lanes.
const LANES: usize = 64;

/// The rules of a device and their times, by id.
type Lane<'a> = Vec<(&'a RuleResult, u64)>;

/// The section about times.
pub(super) fn section(run: &Recorded) -> Markup {
    let mut slowest: Vec<&RuleResult> = run.results.iter().filter(|result| result.nanoseconds > 0).collect();
    slowest.sort_by_key(|result| std::cmp::Reverse(result.nanoseconds));
    let total = slowest.iter().map(|result| result.nanoseconds).fold(0, u64::saturating_add);
    let took = match run.end.as_ref().map(|end| run_time(&run.header, end)) {
        Some(run) => message!("times-of-rules-and-run", rules = duration(total), run = run),
        None => message!("times-of-rules", rules = duration(total)),
    };
    html! {
        section.more aria-labelledby="times" {
            h2 id="times" { (message!("heading-times")) }
            p { (took) }
            @if !slowest.is_empty() {
                (lanes(run))
                (table(&slowest))
            }
        }
        "\n"
    }
}

/// A lane for each device; a device that is not recorded counts as one device.
fn lanes(run: &Recorded) -> Markup {
    let mut lanes: BTreeMap<String, Lane<'_>> = BTreeMap::new();
    // A running process and the journal have the results in different orders.
    let mut results: Vec<&RuleResult> = run.results.iter().filter(|result| result.nanoseconds > 0).collect();
    results.sort_by(|a, b| a.id.cmp(&b.id));
    for result in results {
        if result.each.is_empty() {
            let one = [String::new()];
            let devices = if result.devices.is_empty() { &one[..] } else { &result.devices };
            for device in devices {
                lanes.entry(device.clone()).or_default().push((result, result.nanoseconds));
            }
        }
        for on in &result.each {
            lanes.entry(on.device.clone()).or_default().push((result, on.nanoseconds));
        }
    }
    let time = |lane: &Lane<'_>| lane.iter().map(|(_, time)| *time).fold(0, u64::saturating_add);
    let longest = lanes.values().map(time).max().unwrap_or(0).max(1);
    html! {
        @for (device, lane) in lanes.iter().take(LANES) {
            @let device = if device.is_empty() { message!("all-devices").to_owned() } else {
                format!("{} {}", message!("label-device"), elide(device, 60))
            };
            div.lane {
                (message!("lane", device = device, count = lane.len(), time = duration(time(lane))))
                (drawn(lane, longest))
            }
        }
        @if lanes.len() > LANES { p.faint { (message!("and-more", count = lanes.len() - LANES)) } }
        p.faint { (message!("lane-hint")) }
    }
}

/// The lane as a picture. Short rules of one color are drawn as one part; a long rule is named.
fn drawn(lane: &Lane<'_>, longest: u64) -> Markup {
    struct Part<'a> {
        class: &'static str,
        time: u64,
        rule: Option<&'a RuleResult>,
    }
    let length = |time: u64| u128::from(time) * u128::from(LENGTH) / u128::from(longest);
    let mut parts: Vec<Part<'_>> = Vec::new();
    for (result, time) in lane {
        let class = fill(result.meaning());
        let rule = (length(*time) >= u128::from(NAMED)).then_some(*result);
        match parts.last_mut().filter(|last| last.class == class && last.rule.is_none() && rule.is_none()) {
            Some(last) => last.time = last.time.saturating_add(*time),
            None => parts.push(Part { class, time: *time, rule }),
        }
    }
    let ends = parts.iter().scan(0_u64, |end, part| {
        let start = *end;
        *end = end.saturating_add(part.time);
        Some((part, start, *end))
    });
    html! {
        svg.stack viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (part, start, end) in ends {
                @let start = length(start);
                // A gap of one unit separates neighbors.
                rect class=(part.class) x=(start) width=((length(end) - start).saturating_sub(1).max(1)) height="10" {
                    @if let Some(rule) = part.rule {
                        title { (one_line(&rule.id)) ", " (duration(part.time)) }
                    }
                }
            }
        }
    }
}

fn table(slowest: &[&RuleResult]) -> Markup {
    html! {
        div.wide role="region" aria-label=(message!("slowest-rules")) tabindex="0" {
            table {
                caption { (message!("slowest-rules")) }
                thead {
                    tr {
                        th scope="col" { (message!("column-rule")) }
                        th.number scope="col" { (message!("column-cases")) }
                        th.number scope="col" { (message!("column-time")) }
                        th.number.optional scope="col" { (message!("column-time-of-case")) }
                    }
                }
                tbody {
                    @for result in slowest.iter().take(SLOWEST) {
                        tr {
                            td.rule { (elide(&result.id, 120)) }
                            td.number { (result.cases) }
                            td.number { (duration(result.nanoseconds)) }
                            td.number.optional { (duration(result.nanoseconds / result.cases.max(1))) }
                        }
                        "\n"
                    }
                }
            }
        }
    }
}
