//! Calls of several actors for which no order is allowed, in words and characters.

use history::{Bar, Picture, draw};
use messages::message;
use record::text::beginning;

use super::text::{elide, one_line, wrap};

/// The most bars and lanes that are drawn. A journal of a run has fewer.
const BARS: usize = 40;
const LANES: usize = 16;
/// The widest name of a lane, call and state, in columns.
const NAME: usize = 24;
const CALL: usize = 100;

/// The picture in characters, with the calls below it, in at most `room` columns.
pub(super) fn lines(picture: &Picture, room: usize) -> Vec<String> {
    let mut lines = wrap(&summary(picture), room);
    let before = picture.before.iter().take(LANES);
    lines.extend(before.map(|state| elide(&message!("history-before", state = elide(state, CALL)), room)));
    let drawn = draw(&cleaned(picture), message!("history-open"));
    lines.extend(drawn.iter().map(|line| beginning(line, room).to_owned()));
    lines
}

/// The history, its model and the number of its calls.
pub(super) fn summary(picture: &Picture) -> String {
    message!(
        "history-summary",
        name = elide(&picture.name, NAME),
        model = elide(&picture.model, NAME),
        count = picture.calls,
        part = picture.bars.iter().filter(|bar| bar.inconsistent).count()
    )
}

/// The picture with short texts on one line, and not more bars and lanes than can be drawn.
pub(super) fn cleaned(picture: &Picture) -> Picture {
    let bar = |bar: &Bar| Bar {
        call: elide(&bar.call, CALL),
        answer: bar.answer.as_deref().map(|answer| elide(answer, CALL)),
        ..bar.clone()
    };
    Picture {
        name: one_line(&picture.name),
        model: one_line(&picture.model),
        calls: picture.calls,
        lanes: picture.lanes.iter().take(LANES).map(|name| elide(name, NAME)).collect(),
        before: picture.before.iter().take(LANES).map(|state| elide(state, CALL)).collect(),
        bars: picture.bars.iter().filter(|bar| (bar.lane as usize) < LANES).take(BARS).map(bar).collect(),
    }
}
