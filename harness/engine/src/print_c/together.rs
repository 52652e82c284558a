//! Prints lanes that run at once. Every actor is a thread of its process, so each one takes its lane.

use steps::program::{Lane as TypedLane, Readiness};
use steps::syntax::Lane;
use steps::{AxisId, Id};

use super::printer::Printer;
use super::text::c_name;

impl Printer<'_> {
    pub(super) fn together(&mut self, lanes: &[Lane], typed: &[TypedLane], jitter: AxisId) {
        let names: Vec<&str> = lanes.iter().map(|lane| lane.actor.name.as_str()).collect();
        self.line(&format!("pass_turn(); /* {} at once */", names.join(" and ")));
        let before = self.in_setup;
        let mut mixed = false;
        for (position, (lane, inner)) in lanes.iter().zip(typed).enumerate() {
            self.line(&format!("if (me == {}) {{", lane.actor.name));
            self.depth += 1;
            if self.program.actors[inner.actor].thread == Some(Readiness::Device) {
                self.line("select_device();");
            }
            self.line(&format!("start_together({});", lanes.len()));
            self.lane_pause = self.pause(jitter, position);
            let turn = self.turn.replace(inner.actor);
            self.in_lane = true;
            self.block(&lane.body, &inner.body);
            self.in_lane = false;
            self.turn = turn;
            self.lane_pause = None;
            self.cursor = self.cursor.max(lane.span.end);
            mixed |= self.in_setup != before;
            self.in_setup = before;
            self.depth -= 1;
            self.line("}");
        }
        self.in_setup = self.in_setup.filter(|_| !mixed);
        let joins: Vec<String> = names.iter().map(|name| format!("join_lane({name});")).collect();
        self.line(&joins.join(" "));
    }

    /// The pause before each statement of a lane; `None` if the lane pauses in no case.
    fn pause(&self, jitter: AxisId, lane: usize) -> Option<String> {
        let level = |case: &crate::case::Case| match case.values.get(jitter.index()) {
            Some(crate::case::Value::List(levels)) => levels.get(lane).copied().unwrap_or(0),
            _ => 0,
        };
        let pauses = self.cases.iter().any(|case| level(case) != 0);
        pauses.then(|| format!("lane_pause({}[{lane}]);", c_name(&self.program.axes[jitter].name)))
    }
}
