//! Rules with several processes and threads. Each actor walks through all steps, and performs its own steps when the
//! actor has the turn.

use std::collections::HashSet;
use std::fmt::Write;

use steps::program::{Readiness, Sight, Statement, StatementKind, Variable};
use steps::syntax::{Declaration, Expression, ExpressionKind, Initializer};
use steps::syntax::{Statement as Written, StatementKind as WrittenKind};
use steps::{ActorId, Id};

use super::life_cycle::LifeCycleText;
use super::prelude::words;
use super::printer::Printer;
use super::text::c_type;

impl<'a> Printer<'a> {
    fn several(&self) -> bool {
        self.program.actors.len() > 1
    }

    /// The actor that performs a statement and everything nested in the statement, if there is only one such actor.
    pub(super) fn performer(&self, statement: &Statement) -> Option<ActorId> {
        let mut all = match &statement.kind {
            StatementKind::Choose { axis, alternatives } => match self.chosen(*axis) {
                Some(chosen) => alternatives.get(chosen).into_iter().flatten().collect(),
                None => alternatives.iter().flatten().collect(),
            },
            kind if kind.is_flow() => kind.blocks().into_iter().flatten().collect::<Vec<_>>(),
            StatementKind::Exit { .. } | StatementKind::Kill { .. } | StatementKind::Begin { .. } => return None,
            // Two processes take part.
            kind if kind.handed().is_some() => return None,
            _ => return Some(statement.actor),
        }
        .into_iter()
        .map(|inner| self.performer(inner));
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }

    /// Prints the text that precedes an actor's statements.
    pub(super) fn open_turn(&mut self, actor: ActorId) {
        self.line(&format!("if (turn({})) {{", self.program.actors[actor].name));
        self.depth += 1;
        self.turn = Some(actor);
        if self.program.actors[actor].thread == Some(Readiness::Device) {
            self.line("select_device();");
        }
    }

    /// Prints the turn of the actor that hands a descriptor over; the turn of the actor that gets it follows.
    pub(super) fn hand_over(&mut self, statement: &Written, typed: &Statement) {
        let (WrittenKind::Declaration(Declaration { value: Some(Initializer::Expression(value)), .. })
        | WrittenKind::Assignment { value, .. }) = &statement.kind
        else {
            return;
        };
        let ExpressionKind::Call { arguments, .. } = &value.kind else { return };
        let (Some(argument), Some(from)) = (arguments.first(), arguments.first().and_then(owner)) else { return };
        let (to, descriptor) = (&self.program.actors[typed.actor].name, self.expression(argument));
        self.line(&format!("if (turn({from})) hand_over({to}, {descriptor});"));
        self.open_turn(typed.actor);
    }

    pub(super) fn close_turn(&mut self) {
        if self.turn.take().is_some() {
            self.depth -= 1;
            self.line("}");
        }
    }

    /// The main actor in each process.
    fn main_actors(&self) -> Vec<ActorId> {
        let main = |process: usize| {
            let main = self.program.actors.position(|actor| actor.process == process && actor.thread.is_none());
            main.unwrap_or(ActorId::DEFAULT)
        };
        (0..self.program.processes.len()).map(main).collect()
    }

    /// The main actor in an actor's process.
    fn home(&self, actor: ActorId) -> ActorId {
        self.main_actors()[self.program.actors[actor].process]
    }

    /// The name of a process's main actor.
    pub(super) fn process_name(&self, process: usize) -> &'a str {
        &self.program.actors[self.main_actors()[process]].name
    }

    /// The end of a case: each process performs the common steps and then makes its deferred calls.
    pub(super) fn end_of_case_in_turn(&mut self, all: &[String], deferred: &[(ActorId, String)]) {
        self.line("pass_turn();");
        for main in self.main_actors() {
            let own = deferred.iter().rev().filter(|(actor, _)| self.home(*actor) == main).map(|(_, call)| call);
            let lines: Vec<String> = all.iter().chain(own).cloned().collect();
            if let [only] = lines.as_slice() {
                self.line(&format!("if (turn({})) {only}", self.program.actors[main].name));
            } else if !lines.is_empty() {
                self.line(&format!("if (turn({})) {{", self.program.actors[main].name));
                lines.iter().for_each(|line| self.indented(line));
                self.line("}");
            }
        }
        let mut processes = None;
        for (process, call) in self.releasing() {
            if processes.replace(process) != Some(process) {
                self.close_turn();
                self.open_turn(self.main_actors()[process]);
            }
            self.line(&call);
        }
        self.close_turn();
        if !self.releases.is_empty() {
            self.line("pass_turn();");
            self.line("release_in_turn();");
        }
    }

    /// The lines that set the devices that processes see, if they differ from the rule's, by the machine's names.
    pub(super) fn sights(&self, names: &[String]) -> String {
        let Some(variable) = &self.rules.visible else { return String::new() };
        let mut lines = String::new();
        for (process, main) in self.program.processes.iter().zip(self.main_actors()) {
            let own =
                if self.several() { format!("if (me == {}) ", self.program.actors[main].name) } else { String::new() };
            match (&process.sight, process.sight.listed(names)) {
                (_, Some(value)) => {
                    let _ = writeln!(lines, "    {own}setenv(\"{variable}\", \"{value}\", 1);");
                }
                (Sight::All, None) => {
                    let _ = writeln!(lines, "    {own}unsetenv(\"{variable}\");");
                }
                _ => {}
            }
        }
        lines
    }

    /// The start-up and tear-down of all processes, one after another.
    pub(super) fn life_in_turn(&self, life: &LifeCycleText) -> (String, String) {
        let (mut up, mut down) = (String::new(), String::new());
        if life.selects() {
            let devices =
                self.program.actors.iter().map(|actor| self.program.processes[actor.process].device.to_string());
            let devices: Vec<String> = devices.collect();
            let _ = writeln!(up, "    device = ((const int[]){{{}}})[me];", devices.join(", "));
        }
        let threads = self.program.actors.iter().filter(|actor| actor.thread == Some(Readiness::Device));
        for thread in threads {
            let _ = writeln!(down, "    if (turn({}) && selected) device_down();", thread.name);
        }
        for (process, main) in self.program.processes.iter().zip(self.main_actors()) {
            let name = &self.program.actors[main].name;
            for (out, calls) in [(&mut up, life.calls_up(process.state)), (&mut down, life.calls_down(process.state))] {
                if !calls.is_empty() {
                    let _ = writeln!(out, "    if (turn({name})) {{{calls} }}");
                }
            }
        }
        up.push_str("    pass_turn();\n");
        (up, down)
    }

    /// The declarations, for all actors, of the variables that a text names and that belong to one process.
    pub(super) fn variables(&self, text: &str) -> String {
        if !self.several() {
            return String::new();
        }
        let mut lines = String::new();
        for (variable, name) in self.named_variables(text).filter(|(variable, _)| !self.is_shared(variable)) {
            let _ = writeln!(lines, "static {};", declared(variable, &name));
        }
        lines
    }

    fn named_variables(&self, text: &str) -> impl Iterator<Item = (&'a Variable, String)> {
        let words: HashSet<String> = words(text).map(str::to_owned).collect();
        let mut seen = HashSet::new();
        let named = self.program.variables.iter().map(|variable| {
            let name = format!("{}_{}", self.program.actors[variable.actor].name, variable.name);
            (variable, name)
        });
        let named: Vec<_> = named.filter(|(_, name)| words.contains(name) && seen.insert(name.clone())).collect();
        named.into_iter()
    }

    /// The names of the actors, and the data that their processes share.
    pub(super) fn actors(&self, prelude: &str, body: &str) -> String {
        if !self.several() {
            let number = if prelude.contains("NUMBER") { "#define NUMBER 0\n" } else { "" };
            return number.to_owned();
        }
        let names: Vec<&str> = self.program.actors.iter().map(|actor| actor.name.as_str()).collect();
        let homes: Vec<&str> = self.program.actors.ids().map(|actor| names[self.home(actor).index()]).collect();
        let mut out = format!("enum {{ {}, ACTORS }};\n", names.join(", "));
        let _ = writeln!(out, "static const int home[] = {{{}}}; /* each actor's process */", homes.join(", "));
        let _ = write!(
            out,
            "static void program(void);\nstatic struct shared {{\n    pid_t processes[ACTORS];\n    int leaver;\n"
        );
        if prelude.contains("NUMBER") {
            let _ = writeln!(out, "    int acquired;\n    short owner[1 << 16];");
        }
        if prelude.contains("shared->round") {
            let _ = writeln!(out, "    int arrived, round;");
        }
        if prelude.contains("shared->lock") {
            let _ = writeln!(out, "    char lock;");
        }
        if prelude.contains("shared->arrays") {
            let _ = writeln!(out, "    size_t used;\n    char arrays[1 << 20];");
        }
        for (variable, name) in self.named_variables(body).filter(|(variable, _)| self.is_shared(variable)) {
            let _ = writeln!(out, "    {};", declared(variable, &name));
        }
        let _ = writeln!(out, "}} *shared;");
        if prelude.contains("NUMBER") {
            let _ = writeln!(out, "#define NUMBER next_number()");
        }
        out
    }
}

/// The actor in `A.fd` and `A.fds[i]`.
pub(super) fn owner(descriptor: &Expression) -> Option<&str> {
    match &descriptor.kind {
        ExpressionKind::Index { of, .. } => owner(of),
        ExpressionKind::Member { of, .. } => match &of.kind {
            ExpressionKind::Name(actor) => Some(actor),
            _ => owner(of),
        },
        _ => None,
    }
}

/// The declaration of an actor's variable. Arrays are accessed through a pointer.
fn declared(variable: &Variable, name: &str) -> String {
    let stars = if variable.array { "*" } else { "" };
    c_type(variable.ty, &format!("{stars}{name}"))
}
