//! Prints statements as C, walking the syntax tree and the typed program in parallel.

use std::fmt::Write;

use steps::builtins::Builtin;
use steps::program::{Argument, Expression as Typed, Program, Root, Statement as TypedStatement};
use steps::program::{Expect as TypedExpect, StatementKind as TypedKind};
use steps::results::ResultType;
use steps::syntax::{Declaration, Expect, Expression, ExpressionKind, Initializer, Statement, StatementKind};
use steps::types::{SIZE, range};
use steps::{ActorId, VariableId};

use super::calls::{Site, collect};
use super::printer::Printer;
use super::text::{UNREAD, c_name, c_type, comments};

impl<'a> Printer<'a> {
    pub(super) fn block(&mut self, block: &[Statement], typed: &[TypedStatement]) {
        let mut typed = typed.iter();
        let outer = self.turn;
        for statement in block {
            match &statement.kind {
                StatementKind::SetupEnd | StatementKind::Empty => self.comments_before(statement.span.start),
                _ => {
                    let Some(typed) = typed.next() else { return };
                    self.actor = typed.actor;
                    self.meaning_of_failure(typed.setup, outer);
                    let performer = self.performer(typed);
                    if outer.is_none() && performer != self.turn {
                        self.close_turn();
                    }
                    self.comments_before(statement.span.start);
                    if let Some(performer) = performer.filter(|_| self.turn.is_none()) {
                        self.open_turn(performer);
                    }
                    if statement.begins_word {
                        let word = self.program.text(statement.span).replace("/*", "/ *").replace("*/", "* /");
                        self.line(&format!("/* {word} */"));
                    }
                    if let Some(pause) = self.lane_pause.clone().filter(|_| !typed.kind.is_flow()) {
                        self.line(&pause);
                    }
                    self.statement(statement, typed);
                }
            }
            self.cursor = self.cursor.max(statement.span.end);
        }
        if outer.is_none() {
            self.close_turn();
        }
    }

    /// If the meaning of a failing statement changes at this position, prints the new meaning.
    fn meaning_of_failure(&mut self, setup: bool, outer: Option<ActorId>) {
        if !self.runnable || self.in_setup == Some(setup) {
            return;
        }
        if outer.is_none() {
            self.close_turn();
        }
        let (status, means) = if setup { (3, "set-up") } else { (1, "the set-up ends here") };
        self.line(&format!("failure_status = {status}; /* {means} */"));
        self.in_setup = Some(setup);
    }

    fn comments_before(&mut self, end: usize) {
        let between = self.source.get(self.cursor..end).unwrap_or_default();
        for comment in comments(between) {
            self.line(&comment);
        }
        self.cursor = self.cursor.max(end);
    }

    /// Prints a statement and its nested blocks.
    pub(super) fn statement(&mut self, statement: &Statement, typed: &TypedStatement) {
        match (&statement.kind, &typed.kind) {
            (StatementKind::For { variable, bound, body }, TypedKind::For { bound: typed_bound, body: inner, .. }) => {
                let name = c_name(variable);
                let bound_text = match may_be_signed(typed_bound, self.program) {
                    true => format!("(size_t)({})", self.expression(bound)),
                    false => self.limit(bound),
                };
                if self.turn.is_none() && !matches!(typed_bound, Typed::Constant(_) | Typed::Axis(_)) {
                    self.line("pass_turn();");
                }
                self.loops.push(variable.clone());
                let mixed = inner.iter().any(|statement| statement.setup != typed.setup);
                self.in_setup = self.in_setup.filter(|_| !mixed);
                self.braces(&format!("for (size_t {name} = 0; {name} < {bound_text}; {name}++)"), body, inner);
                self.in_setup = self.in_setup.filter(|_| !mixed);
                self.loops.pop();
            }
            (StatementKind::If { condition, then, otherwise }, _) => self.branch(condition, then, otherwise, typed),
            (StatementKind::Choose { alternatives }, TypedKind::Choose { axis, alternatives: inner }) => {
                let name = c_name(&self.program.axes[*axis].name);
                match self.chosen(*axis) {
                    Some(chosen) => self.alternative(&name, alternatives, chosen, &inner[chosen]),
                    None => self.alternatives(&name, alternatives, inner),
                }
            }
            (StatementKind::Begin(call), _) => self.begin(call, statement, typed),
            (StatementKind::End(expect), _) => self.end(expect.as_ref(), typed),
            (StatementKind::Together(lanes), TypedKind::Together { jitter, lanes: inner }) => {
                self.together(lanes, inner, *jitter);
            }
            (StatementKind::Control(body), TypedKind::Block { body: inner, .. }) => {
                self.line("/* The positive control: the same without the violation. */");
                self.scope(body, inner);
            }
            (StatementKind::Group(body), TypedKind::Block { body: inner, .. }) => self.block(body, inner),
            (StatementKind::Setup(body), TypedKind::Block { body: inner, .. }) => {
                self.block(body, inner);
            }
            (StatementKind::Refuse { call, until, unless }, _) => self.refuse(call, until.as_ref(), unless, typed),
            (StatementKind::Exit(_), TypedKind::Exit { process }) => {
                let name = self.process_name(*process);
                self.line(&format!("leave({name}, {name});"));
            }
            (StatementKind::Kill(_), TypedKind::Kill { process }) => {
                let (killer, name) = (&self.program.actors[typed.actor].name, self.process_name(*process));
                self.line(&format!("leave({killer}, {name});"));
            }
            _ if typed.kind.handed().is_some() => {
                self.hand_over(statement, typed);
                self.leaf(statement, typed);
                self.close_turn();
            }
            _ => self.leaf(statement, typed),
        }
    }

    fn branch(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement], typed: &TypedStatement) {
        let TypedKind::If { condition: known, then: inner, otherwise: other } = &typed.kind else { return };
        if self.turn.is_none() && !matches!(known, Typed::Constant(_) | Typed::Axis(_)) {
            self.line("pass_turn();");
        }
        let before = self.in_setup;
        self.branches += 1;
        self.line(&format!("if ({}) {{", self.expression(condition)));
        self.depth += 1;
        self.block(then, inner);
        let after = std::mem::replace(&mut self.in_setup, before);
        if !otherwise.is_empty() {
            self.depth -= 1;
            self.line("} else {");
            self.depth += 1;
            self.block(otherwise, other);
        }
        self.depth -= 1;
        self.line("}");
        self.branches -= 1;
        // It is unknown at this point which block ran.
        self.in_setup = self.in_setup.filter(|setup| after == Some(*setup));
    }

    /// Statements that always run. The statements get braces only if their variables would clash with other variables.
    fn scope(&mut self, body: &[Statement], typed: &[TypedStatement]) {
        if self.program.actors.len() > 1 || !self.namesakes {
            return self.block(body, typed);
        }
        self.branches += 1;
        self.braces("", body, typed);
        self.branches -= 1;
    }

    fn braces(&mut self, head: &str, body: &[Statement], typed: &[TypedStatement]) {
        self.line(format!("{head} {{").trim_start());
        self.depth += 1;
        self.block(body, typed);
        self.depth -= 1;
        self.line("}");
    }

    /// The alternative that every case in the program takes.
    fn alternative(
        &mut self,
        axis: &str,
        alternatives: &[(String, Vec<Statement>)],
        chosen: usize,
        typed: &[TypedStatement],
    ) {
        let (name, body) = &alternatives[chosen];
        let before = alternatives[..chosen].iter().filter_map(|(_, body)| body.last());
        self.cursor = before.map(|last| last.span.end).fold(self.cursor, usize::max);
        self.line(&format!("/* {axis}: {name} */"));
        self.scope(body, typed);
    }

    /// All alternatives, if the program's cases take different alternatives.
    fn alternatives(&mut self, axis: &str, alternatives: &[(String, Vec<Statement>)], typed: &[Vec<TypedStatement>]) {
        self.branches += 1;
        self.line(&format!("switch ({axis}) {{"));
        for ((name, body), inner) in alternatives.iter().zip(typed) {
            self.line(&format!("case {axis}_{name}: {{"));
            self.depth += 1;
            self.block(body, inner);
            self.line("break;");
            self.depth -= 1;
            self.line("}");
        }
        self.line("}");
        self.branches -= 1;
    }

    /// A statement without a block.
    fn leaf(&mut self, statement: &Statement, typed: &TypedStatement) {
        let sites = self.sites(statement, typed);
        self.keep_arguments(&sites);
        if !matches!(statement.kind, StatementKind::Defer(_)) {
            self.outs(&sites);
        }
        match &statement.kind {
            StatementKind::Expression { expression, expect, .. } => {
                self.verdict(expression, expect.as_ref(), typed, &sites);
            }
            StatementKind::Declaration(declaration) => self.declaration(declaration, typed),
            StatementKind::Assignment { target, operator, value } => {
                let value_text = self.expression(value);
                let mut text = self.expression(target);
                let operator = operator.map_or("", |operator| operator.symbol());
                self.tangled |= self.holds(&text);
                let mut declares = None;
                if let TypedKind::Assign { target: place, ty, .. } = &typed.kind
                    && let Root::Variable(variable) = place.root
                    && self.declared.insert(variable)
                {
                    declares = Some(variable);
                    text = match self.rules.environment.results.of(*ty) {
                        Some(codes) => format!("{} {text}", codes.name),
                        None => c_type(*ty, &text),
                    };
                }
                self.line(&format!("{text} {operator}= {value_text};"));
                if let Some(variable) = declares {
                    self.may_be_unread(variable);
                }
                let kept = self.ownership(&sites, false);
                let function = sites.first().map(|site| site.typed.function);
                self.guarded(&self.succeeded(&self.expression(target), function), &kept);
            }
            StatementKind::Defer(call) => self.defer(call, &sites),
            _ => {}
        }
    }

    /// A call, or a check, with its expected result.
    fn verdict(
        &mut self,
        expression: &Expression,
        expect: Option<&Expect>,
        statement: &TypedStatement,
        sites: &[Site<'_>],
    ) {
        let text = self.expression(expression);
        let typed = &statement.kind;
        let observed = !statement.setup && self.observed.contains(&statement.id);
        match (typed, expect) {
            (TypedKind::Call { call, .. }, None) if self.judged && observed => {
                let success = self.success(Some(call.function));
                let kept = self.ownership(sites, true);
                self.line(&joined(format!("SHOULD_SUCCEED_WITH({success}, {text});"), &kept));
            }
            (TypedKind::Call { call, .. }, Some(_)) if observed => {
                let succeeded = self.succeeded(&text, Some(call.function));
                self.line(&format!("INFO(!({succeeded}));"));
            }
            (TypedKind::Check { condition: Typed::Builtin(Builtin::Linear, _), .. }, _) => {
                self.line(&format!("/* {text}: this program does not look for an order of the calls. */"));
            }
            (TypedKind::Check { .. }, _) if observed => self.line(&format!("INFO({text});")),
            (TypedKind::Call { call, .. }, None) if self.judged => {
                let (with, success) = self.other_success(call.function);
                let written: String = self.out_arguments(sites).iter().map(|out| format!(" WRITTEN({out});")).collect();
                let kept = self.ownership(sites, true);
                self.line(&joined(format!("MUST_SUCCEED{with}({success}{text});{written}"), &kept));
            }
            (TypedKind::Call { .. }, None) => self.line(&format!("(void){text};")),
            (TypedKind::Call { call, expect: TypedExpect::Failure { info: true, .. } }, _) => {
                let succeeded = self.succeeded(&text, Some(call.function));
                self.line(&format!("INFO(!({succeeded}));"));
            }
            (TypedKind::Call { call, .. }, Some(expect)) => {
                let (with, success) = self.other_success(call.function);
                let usually = if expect.usually { "_USUALLY" } else { "" };
                let codes =
                    if expect.codes.is_empty() { String::new() } else { format!(", {}", self.list(&expect.codes)) };
                self.line(&format!("MUST_FAIL{usually}{with}({success}{text}{codes});"));
            }
            (TypedKind::Effect(_), _) => self.line(&format!("{text};")),
            (TypedKind::Check { info: true, .. }, _) => self.line(&format!("INFO({text});")),
            _ => self.line(&format!("CHECK({text});")),
        }
    }

    fn declaration(&mut self, declaration: &Declaration, typed: &TypedStatement) {
        let Declaration { ty, pointers, name, length, value } = declaration;
        let TypedKind::Declare { variable, .. } = typed.kind else { return };
        let new = self.declared.insert(variable);
        let name = self.variable_name(self.actor, &name.name);
        let mut text = if new { self.written_type(ty, *pointers, &name) } else { name.clone() };
        match (length, value) {
            (Some(length), value) if !new => {
                let array = if self.is_shared(&self.program.variables[variable]) { "shared_array" } else { "array" };
                let bytes = format!("{} * sizeof *{name}", self.factor(length));
                let filled = if value.is_some() { "0" } else { "0xA5" };
                self.line(&format!("{name} = {array}({bytes}, {filled});"));
            }
            (Some(length), value) => {
                let _ = write!(text, "[{}]", self.expression(length));
                let literal = matches!(length.kind, ExpressionKind::Integer(_));
                match value {
                    None => self.line(&format!("{text}; POISON({name});")),
                    Some(_) if !literal => {
                        self.line(&format!("{text};"));
                        self.line(&format!("memset({name}, 0, sizeof {name});"));
                    }
                    Some(value) => {
                        let value = self.initializer(value);
                        self.line(&format!("{text} = {value};"));
                        self.may_be_unread(variable);
                    }
                }
            }
            (None, None) if !new => self.line(&format!("POISON({name});")),
            (None, None) => self.line(&format!("{text}; POISON({name});")),
            (None, Some(value)) => {
                let cast = match value {
                    Initializer::Fields { .. } if !new => format!("({})", self.written_type(ty, *pointers, "")),
                    _ => String::new(),
                };
                let value = self.initializer(value);
                self.line(&format!("{text} = {cast}{value};"));
                if new {
                    self.may_be_unread(variable);
                }
            }
        }
    }

    fn initializer(&self, value: &Initializer) -> String {
        match value {
            Initializer::Expression(value) => self.expression(value),
            Initializer::Fields { fields, .. } => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(path, value)| format!(".{} = {}", path.join("."), self.expression(value)))
                    .collect();
                let fields = if fields.is_empty() { "0".to_owned() } else { fields.join(", ") };
                format!("{{{fields}}}")
            }
        }
    }

    /// Marks a variable that may be unread, because compilers warn about unread variables. The only reader may be an
    /// alternative that is not printed.
    fn may_be_unread(&mut self, variable: VariableId) {
        let name = self.variable_name(self.program.variables[variable].actor, &self.program.variables[variable].name);
        let read = self.reads.variables.contains(&variable);
        let line = if read { format!("{UNREAD}{name}") } else { format!("(void){name};") };
        self.line(&line);
    }

    /// A call at the end of the steps. The call's result is not judged.
    fn defer(&mut self, call: &Expression, sites: &[Site<'_>]) {
        let condition = self.succeeded(&self.expression(call), sites.first().map(|site| site.typed.function));
        let kept = self.ownership(sites, false);
        let text = if kept.is_empty() {
            format!("(void){};", self.expression(call))
        } else {
            format!("if ({condition}) {{ {} }}", kept.join(" "))
        };
        if self.branches == 0 && self.loops.is_empty() {
            self.line(&format!("/* At the end: {text} */"));
            self.deferred.push((self.actor, text));
        } else {
            // The end of the steps must know whether this place was reached.
            let flag = format!("deferred_{}", self.deferred.len() + 1);
            self.line(&format!("{flag} = 1; /* at the end: {text} */"));
            self.deferred.push((self.actor, format!("if ({flag}) {text}")));
            self.flags.push(format!("int {flag} = 0;"));
        }
    }

    fn refuse(&mut self, call: &Expression, until: Option<&Expression>, unless: &[Statement], typed: &TypedStatement) {
        let TypedKind::Refuse { call: refused, until: asked, unless: inner } = &typed.kind else { return };
        let (function, asked) = (refused.function, asked.as_ref().map(|call| call.function));
        let mut found = Vec::new();
        collect(call, &mut found);
        if let Some(until) = until {
            collect(until, &mut found);
        }
        let sites = self.pair(found, typed);
        self.keep_arguments(&sites);
        self.outs(&sites);
        let text = self.expression(call);
        self.line("/* Documented as unsupported: an error passes, and so does correct work. */");
        self.line("{");
        self.depth += 1;
        let succeeded = self.succeeded("outcome_", Some(function));
        let ty = self.codes(function).map_or("int", |codes| codes.name.as_str());
        self.line(&format!("{ty} outcome_ = {text};"));
        let kept = self.ownership(&sites[..1.min(sites.len())], false);
        self.guarded(&succeeded, &kept);
        if let Some(until) = until {
            self.line(&format!("if ({succeeded})"));
            let mut text = self.expression(until);
            if asked.and_then(|asked| self.program.results[asked]) != self.program.results[function] {
                let success = self.success(Some(function));
                text = format!("{} ? {success} : !{success}", self.succeeded(&text, asked));
            }
            self.indented(&format!("outcome_ = {text};"));
        }
        self.cursor = self.cursor.max(until.unwrap_or(call).span.end);
        self.line(&format!("if ({succeeded}) {{"));
        self.depth += 1;
        self.branches += 1;
        self.block(unless, inner);
        self.branches -= 1;
        self.line(&format!("EXCEEDS({text});"));
        self.depth -= 1;
        self.line("}");
        self.depth -= 1;
        self.line("}");
    }

    /// Declares the calls' new out-variables, and poisons all out-variables.
    pub(super) fn outs(&mut self, sites: &[Site<'_>]) {
        let mut lines = Vec::new();
        let mut declares = false;
        for site in sites {
            for (argument, written) in site.typed.arguments.iter().zip(site.arguments) {
                let (Argument::Out { place, .. }, ExpressionKind::AddressOf(of)) = (argument, &written.kind) else {
                    continue;
                };
                let name = self.expression(of);
                self.tangled |= self.holds(&name);
                let mut line = String::new();
                if let Root::Variable(variable) = place.root
                    && self.declared.insert(variable)
                {
                    line = format!("{}; ", c_type(self.program.variables[variable].ty, &name));
                    match &mut self.hoisted {
                        Some(hoisted) => hoisted.push(std::mem::take(&mut line)),
                        None => declares = true,
                    }
                }
                lines.push(format!("{line}POISON({name});"));
            }
        }
        match declares {
            true => self.line(&lines.join(" ")),
            false => self.before = lines.iter().map(|line| format!("{line} ")).collect(),
        }
    }

    pub(super) fn out_arguments(&self, sites: &[Site<'_>]) -> Vec<String> {
        let arguments = sites.iter().flat_map(|site| site.typed.arguments.iter().zip(site.arguments));
        arguments
            .filter_map(|(argument, written)| match (argument, &written.kind) {
                (Argument::Out { .. }, ExpressionKind::AddressOf(of)) => Some(self.expression(of)),
                _ => None,
            })
            .collect()
    }

    /// The type of the codes that a function in the program returns.
    pub(super) fn codes(&self, function: usize) -> Option<&'a ResultType> {
        self.rules.environment.results.0.get(self.program.results[function]?)
    }

    /// The value that a function returns on success.
    pub(super) fn success(&self, function: Option<usize>) -> &'a str {
        let other = function.filter(|function| self.program.results[*function] != Some(0));
        other.and_then(|function| self.codes(function)).map_or("SUCCESS", |codes| codes.success_name.as_str())
    }

    /// The additions to a verdict macro's name and arguments if the code for success is not SUCCESS.
    pub(super) fn other_success(&self, function: usize) -> (&'static str, String) {
        match self.success(Some(function)) {
            "SUCCESS" => ("", String::new()),
            success => ("_WITH", format!("{success}, ")),
        }
    }

    pub(super) fn succeeded(&self, result: &str, function: Option<usize>) -> String {
        format!("{result} == {}", self.success(function))
    }

    /// Statements under a condition. Prints nothing for an empty list.
    fn guarded(&mut self, condition: &str, lines: &[String]) {
        for line in lines {
            self.line(&format!("if ({condition})"));
            self.indented(line);
        }
    }
}

/// A statement, followed by the statements that record its effect.
pub(super) fn joined(statement: String, notes: &[String]) -> String {
    std::iter::once(statement).chain(notes.iter().cloned()).collect::<Vec<_>>().join(" ")
}

/// True if a loop's bound needs a cast before it is compared with a size.
fn may_be_signed(bound: &Typed, program: &Program) -> bool {
    match bound {
        Typed::Load { ty, .. } => range(*ty).0 < 0,
        Typed::Axis(axis) => program.axes[*axis].ty != SIZE,
        _ => false,
    }
}
