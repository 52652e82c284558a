//! A picture in characters.

use std::collections::BTreeSet;

use crate::picture::{Bar, Picture};

/// The widest step from one moment to the next, in columns.
const WIDEST: usize = 6;
/// The narrowest step, which has room for a number between two ends.
const NARROWEST: usize = 4;
/// The columns for all moments, if the steps are not at their narrowest.
const COLUMNS: usize = 72;

/// Draws lanes and bars with characters, and lists the calls and answers. Moments are at equal distances: only their
/// order matters. Bars of `#` belong to the inconsistent part. `open` is printed for the answer of a call that has not
/// returned.
pub fn draw(picture: &Picture, open: &str) -> Vec<String> {
    let moments: BTreeSet<u64> = picture.bars.iter().flat_map(|bar| [Some(bar.from), bar.to]).flatten().collect();
    let moments: Vec<u64> = moments.into_iter().collect();
    let step = (COLUMNS / (moments.len() + 1)).clamp(NARROWEST, WIDEST);
    let column = |time: u64| moments.partition_point(|moment| *moment < time) * step;
    let lane_of = |bar: &Bar| picture.lanes.get(bar.lane as usize).map_or("?", String::as_str);
    let width = picture.bars.iter().map(|bar| lane_of(bar).chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (lane, name) in picture.lanes.iter().enumerate() {
        let mut line: Vec<u8> = Vec::new();
        for (number, bar) in picture.bars.iter().enumerate().filter(|(_, bar)| bar.lane as usize == lane) {
            let from = column(bar.from);
            let to = bar.to.map_or(moments.len() * step + step, column).max(from + NARROWEST);
            let fill = if bar.inconsistent { b'#' } else { b'-' };
            line.resize(line.len().max(to), b' ');
            line[from..to].fill(fill);
            line[from] = b'[';
            line[to - 1] = if bar.to.is_some() { b']' } else { b'>' };
            let label = (number + 1).to_string();
            let at = from + (to - from - label.len()) / 2;
            line[at..at + label.len()].copy_from_slice(label.as_bytes());
        }
        if !line.is_empty() {
            lines.push(format!("{name:width$}  {}", String::from_utf8_lossy(&line)));
        }
    }
    for (number, bar) in picture.bars.iter().enumerate() {
        let answer = bar.answer.as_deref().unwrap_or(open);
        let name = lane_of(bar);
        lines.push(format!("{:>3}  {name:width$}  {} = {answer}", number + 1, bar.call));
    }
    lines
}
