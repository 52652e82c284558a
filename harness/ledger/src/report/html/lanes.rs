//! Calls of several actors for which no order is allowed, as a picture: lanes are actors, bars are calls.

use history::{Bar, Picture};
use maud::{Markup, html};
use messages::message;

use crate::report::actors::{cleaned, summary_in_colors};

/// The height of a lane, and of a bar in it, in units of the picture.
const LANE: usize = 28;
const BAR: usize = 20;
/// The width of the names, and of the step from one moment to the next.
const NAMES: usize = 110;
const STEP: usize = 34;

/// The picture, with the calls and answers below it. Moments are at equal distances: only their order matters.
pub(super) fn lanes(picture: &Picture) -> Markup {
    let description = summary_in_colors(picture);
    let picture = cleaned(picture);
    let mut moments: Vec<u64> = picture.bars.iter().flat_map(|bar| [Some(bar.from), bar.to]).flatten().collect();
    moments.sort_unstable();
    moments.dedup();
    let place = |time: u64| NAMES + moments.partition_point(|moment| *moment < time) * STEP;
    let end = NAMES + (moments.len() + 1) * STEP;
    let used: Vec<usize> =
        (0..picture.lanes.len()).filter(|lane| picture.bars.iter().any(|bar| bar.lane as usize == *lane)).collect();
    let top = |bar: &Bar| used.iter().position(|lane| *lane == bar.lane as usize).unwrap_or(0) * LANE;
    let answer = |bar: &Bar| bar.answer.clone().unwrap_or_else(|| message!("history-open").to_owned());
    html! {
        p { (description) }
        @for state in &picture.before { p { (message!("history-before", state = state.as_str())) } }
        svg.lanes role="img" aria-label=(description) width=(end) height=(used.len() * LANE)
            viewBox=(format!("0 0 {end} {}", used.len() * LANE)) {
            @for (row, lane) in used.iter().enumerate() {
                text x="0" y=(row * LANE + LANE / 2 + 4) { (picture.lanes[*lane]) }
                line.grid x1=(NAMES) x2=(end) y1=(row * LANE + LANE / 2) y2=(row * LANE + LANE / 2) {}
            }
            @for (number, bar) in picture.bars.iter().enumerate() {
                @let from = place(bar.from);
                @let to = bar.to.map_or(end, place).max(from + STEP / 2);
                @let top = top(bar) + (LANE - BAR) / 2;
                g {
                    title { (bar.call) " = " (answer(bar)) }
                    rect class=(if bar.inconsistent { "fill-bad" } else { "fill-faint" })
                        x=(from) y=(top) width=(to - from - 2) height=(BAR) rx="3" {}
                    text.on-bar x=(from.midpoint(to) - 1) y=(top + BAR / 2 + 4) text-anchor="middle" { (number + 1) }
                }
            }
        }
        ol.lanes {
            @for bar in &picture.bars {
                li {
                    @let lane = picture.lanes.get(bar.lane as usize).map_or("", String::as_str);
                    (lane) ": " code { (bar.call) " = " (answer(bar)) }
                }
            }
        }
    }
}
