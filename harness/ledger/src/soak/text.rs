//! A soak as text.

use catalog::count;
use record::{Quantity, RecordedSoak, SoakRate};

use super::judge::{CONFIDENCE, Course, Judged, RuleCourse, least};
use crate::report::{clean, duration, one_line, pad, pad_left};

/// The judgment of a soak as text: the alarms, and a line for each rule.
pub fn text(soak: &RecordedSoak, judged: &Judged) -> String {
    let mut text = String::new();
    for rule in judged.rules.iter().filter(|rule| rule.alarmed()) {
        alarm_lines(soak, rule).iter().for_each(|line| text += &format!("{line}\n"));
        text.push('\n');
    }
    let width = soak.header.rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in &judged.rules {
        let id = &soak.header.rules[rule.rule].id;
        text += &format!("{}  {}  {}\n", pad(id, width), pad_left(&rule.cycles.to_string(), 9), state(rule));
    }
    let time = duration(soak.nanoseconds());
    let cycles: u64 = judged.rules.iter().map(|rule| rule.cycles).fold(0, u64::saturating_add);
    let simulated = if soak.header.simulated { " (SIMULATED DEVICE)" } else { "" };
    text += &format!(
        "soak      {}, {cycles} cycles, {time}{}\n",
        count(judged.rules.len(), "rule"),
        if soak.end.is_some() { "" } else { "; unfinished" }
    );
    if !soak.resumed.is_empty() {
        text += &format!("resumed   {}\n", count(soak.resumed.len(), "time"));
    }
    text += &match judged.alarms() {
        0 => format!("result    no alarm{simulated}\n"),
        alarms => format!("result    {}{simulated}\n", rules_with_an_alarm(alarms)),
    };
    clean(&text).into_owned()
}

fn rules_with_an_alarm(alarms: usize) -> String {
    format!("{} with an alarm", count(alarms, "rule"))
}

/// The state of a rule in a few words.
fn state(rule: &RuleCourse) -> String {
    let grow: Vec<&str> = rule.alarms().map(|course| course.quantity.name()).collect();
    if !grow.is_empty() {
        return format!("ALARM: {} grows", grow.join(", "));
    }
    if let Some(broken) = rule.failures().next() {
        return format!("ALARM: a cycle fails after {} others", broken.after);
    }
    if let Some((reason, _)) = &rule.skipped {
        return format!("not measured: {}", one_line(reason));
    }
    if rule.courses.iter().all(|course| course.slope.is_none()) {
        return format!("not judged: only {}", count(rule.batches, "round"));
    }
    let breaks = rule.breaks.len();
    let broke = if breaks == 0 { String::new() } else { format!("; {breaks} of its batches broke off") };
    format!("steady{broke}")
}

/// The lines about a rule with an alarm.
pub fn alarm_lines(soak: &RecordedSoak, rule: &RuleCourse) -> Vec<String> {
    let about = &soak.header.rules[rule.rule];
    let mut lines = vec![format!("ALARM {}", about.id), format!("  cycle     {}", one_line(&about.title))];
    for course in rule.alarms() {
        let (slope, name) = (course.slope, course.quantity.name());
        lines.push(format!("  grows     {name}: {} in {} cycles", amount(course, course.growth), span(course)));
        if let Some(slope) = slope {
            let per = |number: f64| number_of(course.quantity, number);
            lines.push(format!(
                "  slope     {} per cycle; {CONFIDENCE} interval {} to {}",
                per(slope.estimate),
                per(slope.low),
                per(slope.high)
            ));
        }
        lines.extend(
            rule.rate(course.quantity)
                .map(|rate| format!("  alone     {}", alone(rate, slope.map(|slope| slope.estimate)))),
        );
        if course.quantity != Quantity::Latency {
            lines.push(format!("  minimum   {}", amount(course, least(course.quantity))));
        }
    }
    for broken in rule.failures() {
        lines.push(format!(
            "  fails     {} after {} cycles that passed: {}",
            broken.verdict,
            broken.after,
            one_line(&broken.reason)
        ));
    }
    lines.push(format!("  calls     {}", about.calls.join(", ")));
    lines.push(format!("  place     {}", about.place));
    lines.push(format!("  again     {}", again(soak, rule)));
    lines
}

/// The command that repeats the cycles of a rule alone.
pub fn again(soak: &RecordedSoak, rule: &RuleCourse) -> String {
    let header = &soak.header;
    let cycles = rule.cycles.max(1);
    let defects: String = header.defects.iter().map(|defect| format!(" --defect {defect}")).collect();
    let simulator = if header.simulated { " --backend simulator" } else { "" };
    format!(
        "atlas-cts soak {} --product {} --seed {}{simulator}{defects} --cycles {cycles}",
        header.rules[rule.rule].id, header.product, header.seed
    )
}

/// The smallest repeating sequence. The look after each cycle may use the device too, so the slope over whole batches
/// says more about how often the quantity grows.
fn alone(rate: &SoakRate, slope: Option<f64>) -> String {
    let amount = plain(rate.quantity, rate.amount as f64);
    let of_slope = slope.filter(|slope| *slope > 0.0).map(|slope| (rate.amount as f64 / slope).round().max(1.0) as u64);
    match of_slope.or(rate.every) {
        Some(1) => format!("{amount} with each cycle of the cycle alone"),
        Some(every) => format!("{amount} with 1 in {every} cycles of the cycle alone"),
        None => format!("{amount} once in {} cycles of the cycle alone", rate.cycles),
    }
}

fn span(course: &Course) -> u64 {
    course.points.last().zip(course.points.first()).map_or(0, |(last, first)| (last.0 - first.0) as u64)
}

fn amount(course: &Course, number: f64) -> String {
    plain(course.quantity, number)
}

/// An amount of a quantity with its unit.
pub(super) fn plain(quantity: Quantity, number: f64) -> String {
    match quantity {
        Quantity::DeviceMemory | Quantity::Heap | Quantity::ResidentMemory => bytes(number),
        Quantity::Latency => format!("{:.1} µs", number / 1000.0),
        quantity => format!("{number:.0} {}", quantity.name()),
    }
}

/// An amount per cycle with its unit.
fn number_of(quantity: Quantity, number: f64) -> String {
    match quantity {
        Quantity::DeviceMemory | Quantity::Heap | Quantity::ResidentMemory => format!("{number:.2} bytes"),
        Quantity::Latency => format!("{number:.3} ns"),
        _ => format!("{number:.5}"),
    }
}

fn bytes(number: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1024.0 * 1024.0 * 1024.0, "GiB"), (1024.0 * 1024.0, "MiB"), (1024.0, "KiB")];
    match UNITS.iter().find(|(unit, _)| number.abs() >= 10.0 * unit) {
        Some((unit, name)) => format!("{:.1} {name}", number / unit),
        None => format!("{number:.0} bytes"),
    }
}
