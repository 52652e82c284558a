//! Prints lanes that run at once, and calls that run while others act. Every actor is a thread of its process, so each
//! one takes its lane.

use steps::program::{Lane as TypedLane, Readiness, Statement as TypedStatement, StatementKind as TypedKind};
use steps::syntax::{Expect, Expression, Lane, Statement};
use steps::{AxisId, Id, Span};

use super::calls::collect;
use super::printer::Printer;
use super::statement::joined;
use super::text::{c_name, c_type};

impl<'a> Printer<'a> {
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

    /// A call that an actor makes while others act.
    pub(super) fn begin(&mut self, call: &Expression, statement: &Statement, typed: &TypedStatement) {
        let sites = self.sites(statement, typed);
        let Some(function) = sites.first().map(|site| site.typed.function) else { return };
        self.keep_arguments(&sites);
        let several = self.program.actors.len() > 1;
        if several {
            let name = &self.program.actors[typed.actor].name;
            self.line(&format!("begins({name});"));
            self.line(&format!("if (me == {name}) {{"));
            self.depth += 1;
            if self.program.actors[typed.actor].thread == Some(Readiness::Device) {
                self.line("select_device();");
            }
        }
        self.outs(&sites);
        let variable = format!("begun_{}", self.flags.len() + 1);
        let declared = match self.codes(function) {
            Some(codes) => format!("{} {variable};", codes.name),
            None => format!("{};", c_type(self.program.functions[function].returns, &variable)),
        };
        self.flags.push(declared);
        let text = self.expression(call);
        self.line(&format!("{variable} = {text};"));
        if several {
            self.depth -= 1;
            self.line("}");
        }
        self.begun.push((typed.actor, variable, call.clone()));
    }

    /// The result of the call that an actor began.
    pub(super) fn end(&mut self, expect: Option<&Expect>, typed: &TypedStatement) {
        let TypedKind::End { function, call: begun, .. } = typed.kind else { return };
        let Some(at) = self.begun.iter().rposition(|(actor, ..)| *actor == typed.actor) else { return };
        let (_, variable, call) = self.begun.remove(at);
        let mut found = Vec::new();
        collect(&call, &mut found);
        let sites = self.begun_at(begun).map(|begun| self.pair(found, begun)).unwrap_or_default();
        let (with, success) = self.other_success(function);
        let observed = !typed.setup && self.observed.contains(&typed.id);
        let text = self.expression(&call).replace("*/", "* /");
        self.line(&format!("/* the result of {text} */"));
        let line = match expect {
            None if observed => {
                let kept = self.ownership(&sites, true);
                joined(format!("SHOULD_SUCCEED_WITH({}, {variable});", self.success(Some(function))), &kept)
            }
            None => {
                let written: String =
                    self.out_arguments(&sites).iter().map(|out| format!(" WRITTEN({out});")).collect();
                let kept = self.ownership(&sites, true);
                joined(format!("MUST_SUCCEED{with}({success}{variable});{written}"), &kept)
            }
            Some(_) if observed => format!("INFO(!({}));", self.succeeded(&variable, Some(function))),
            Some(expect) => {
                let usually = if expect.usually { "_USUALLY" } else { "" };
                let codes =
                    if expect.codes.is_empty() { String::new() } else { format!(", {}", self.list(&expect.codes)) };
                format!("MUST_FAIL{usually}{with}({success}{variable}{codes});")
            }
        };
        self.line(&line);
    }

    /// The statement with the call at a place in the text.
    fn begun_at(&self, place: Span) -> Option<&'a TypedStatement> {
        let mut blocks = vec![self.program.statements.as_slice()];
        while let Some(block) = blocks.pop() {
            for statement in block {
                if matches!(&statement.kind, TypedKind::Begin { call } if call.span == place) {
                    return Some(statement);
                }
                blocks.extend(statement.kind.blocks());
            }
        }
        None
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
