//! Syntax tree → typed program: every name, type and bound is checked here, before any device is touched.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::bindings::Type;
use crate::catalog::DomainSource;

use super::builtins::BUILTINS;
use super::parse::{Names, parse_expression, parse_steps};
use super::program::{Actor, Axis, Domain, Expression, Process, Program, Range, Space, State, Variable};
use super::suggest::hint;
use super::syntax;
use super::token::{Kind, Token, tokenize};
use super::types::{Declarations, INT64, SIZE, TEXT, is_integer};
use super::{Part, Problem, Span};

/// What the checker must know besides the rule itself.
#[derive(Debug)]
pub struct Environment {
    pub declarations: Declarations,
    /// Names of the documented quantities of a product.
    pub facts: BTreeSet<String>,
    /// The type that calls under a verdict return, for example an error code.
    pub result: Option<Type>,
    /// (function, parameter) → the space of the pointer that it hands out.
    pub spaces: HashMap<(String, String), Space>,
    /// Functions that change the whole process.
    pub process_functions: HashSet<String>,
}

/// The texts of one rule.
#[derive(Debug, Default)]
pub struct RuleText<'a> {
    pub actors: Option<&'a str>,
    pub axes: Vec<(&'a str, &'a DomainSource)>,
    pub condition: Option<&'a str>,
    pub steps: &'a str,
    pub observe: Vec<(&'a str, &'a str)>,
    /// Life-cycle steps know `device`, the number of the process's own device.
    pub life_cycle: bool,
}

/// Checks a rule; all problems are reported together.
pub fn check(text: &RuleText<'_>, environment: &Environment) -> Result<Program, Vec<Problem>> {
    let mut checker = Checker::new(environment, text.life_cycle);
    checker.actors(text.actors);
    for (index, (name, source)) in text.axes.iter().enumerate() {
        checker.axis(index, name, source);
    }
    let condition = text.condition.and_then(|condition| {
        checker.part = Part::Where;
        let tree = checker.parse(condition, true)?;
        checker.constant_context = true;
        let typed = checker.expression(&tree);
        checker.constant_context = false;
        typed.map(|typed| typed.expression)
    });
    checker.part = Part::Steps;
    let actors: Vec<String> = checker.actors.iter().map(|actor| actor.name.clone()).collect();
    let is_type = |name: &str| environment.declarations.ty(name).is_some();
    let syntax = match parse_steps(text.steps, &Names { is_type: &is_type, actors: &actors }) {
        Ok(block) => block,
        Err(error) => {
            checker.problem(error.span, error.message);
            return Err(checker.problems);
        }
    };
    let statements = checker.steps(&syntax);
    let mut observe = Vec::new();
    for (index, (name, source)) in text.observe.iter().enumerate() {
        checker.part = Part::Observe(index);
        checker.actor = 0;
        if let Some(tree) = checker.parse(source, false)
            && let Some(typed) = checker.expression(&tree)
        {
            observe.push(((*name).to_owned(), typed.expression, typed.ty));
        }
    }
    checker.finish(statements, condition, observe, syntax, text.steps)
}

/// An expression with its type.
pub(super) struct Typed {
    pub expression: Expression,
    pub ty: Type,
    pub space: Option<Space>,
    /// The value, where it is known before anything runs.
    pub constant: Option<i128>,
}

pub(super) struct Checker<'e> {
    pub environment: &'e Environment,
    pub part: Part,
    problems: Vec<Problem>,
    processes: Vec<Process>,
    pub actors: Vec<Actor>,
    pub axes: Vec<Axis>,
    pub variables: Vec<Variable>,
    /// Names in scope, the innermost last: actor, name, variable. There are few, so that a search beats a table.
    names: Vec<(usize, String, usize)>,
    /// Variables that hold a value at this point of the text.
    pub bound: HashSet<usize>,
    pub loops: Vec<(String, usize)>,
    frame: usize,
    pub functions: Vec<&'static crate::bindings::Function>,
    pub texts: Vec<Box<[u8]>>,
    pub calls: usize,
    pub statement_count: usize,
    /// The actor whose statement is being checked.
    pub actor: usize,
    pub setup: bool,
    /// Control flow of several processes: everybody evaluates it.
    pub everybody: bool,
    /// Variables whose memory the statement may change.
    pub touched: Vec<usize>,
    /// Only axes, constants and quantities may be read.
    pub constant_context: bool,
    life_cycle: bool,
}

impl<'e> Checker<'e> {
    fn new(environment: &'e Environment, life_cycle: bool) -> Checker<'e> {
        Checker {
            environment,
            part: Part::Actors,
            problems: Vec::new(),
            processes: Vec::new(),
            actors: Vec::new(),
            axes: Vec::new(),
            variables: Vec::new(),
            names: Vec::new(),
            bound: HashSet::new(),
            loops: Vec::new(),
            frame: 0,
            functions: Vec::new(),
            texts: Vec::new(),
            calls: 0,
            statement_count: 0,
            actor: 0,
            setup: false,
            everybody: false,
            touched: Vec::new(),
            constant_context: false,
            life_cycle,
        }
    }

    pub fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem { part: self.part.clone(), span, message: message.into() });
    }

    pub fn single_process(&self) -> bool {
        self.processes.len() == 1
    }

    pub fn life_cycle(&self) -> bool {
        self.life_cycle
    }

    fn parse(&mut self, text: &str, sizes: bool) -> Option<syntax::Expression> {
        let actors: Vec<String> = self.actors.iter().map(|actor| actor.name.clone()).collect();
        let declarations = &self.environment.declarations;
        let is_type = |name: &str| declarations.ty(name).is_some();
        match parse_expression(text, &Names { is_type: &is_type, actors: &actors }, sizes) {
            Ok(expression) => Some(expression),
            Err(error) => {
                self.problem(error.span, error.message);
                None
            }
        }
    }

    // Actors

    fn actors(&mut self, text: Option<&str>) {
        self.part = Part::Actors;
        if let Some(text) = text {
            match tokenize(text, false) {
                Ok(tokens) => {
                    let ends: Vec<usize> =
                        (0..tokens.len()).filter(|at| tokens[*at].kind == Kind::Symbol(";")).collect();
                    let mut start = 0;
                    for end in ends {
                        self.actor_line(&tokens[start..end]);
                        start = end + 1;
                    }
                    if start + 1 < tokens.len() {
                        self.problem(tokens[start].span, "this actor has no `;` at its end");
                    }
                }
                Err(error) => self.problem(error.span, error.message),
            }
        }
        if self.processes.is_empty() {
            self.processes.push(Process { name: "A".to_owned(), device: 0, state: State::Device, isolated: false });
            self.actors.insert(0, Actor { name: "A".to_owned(), process: 0, thread: None });
        }
    }

    /// `NAME : process(device N), state S, isolated` or `NAME : thread(A), state S`.
    fn actor_line(&mut self, tokens: &[Token]) {
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
            _ => return,
        };
        let words: Vec<String> = tokens
            .iter()
            .map(|token| match &token.kind {
                Kind::Name(name) => name.clone(),
                Kind::Integer(value) => value.to_string(),
                Kind::Symbol(symbol) => (*symbol).to_owned(),
                _ => "?".to_owned(),
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        const FORM: &str =
            "an actor is written `A: process(device 0), state init, isolated;` or `T: thread(A), state init;`";
        let [name, ":", kind @ ("process" | "thread"), "(", rest @ ..] = words.as_slice() else {
            return self.problem(span, FORM);
        };
        if self.actors.iter().any(|actor| actor.name == *name) {
            return self.problem(span, format!("there are two actors `{name}`"));
        }
        let Some(close) = rest.iter().position(|word| *word == ")") else { return self.problem(span, FORM) };
        let (inside, options) = (&rest[..close], &rest[close + 1..]);
        let (mut state, mut isolated) = (State::Device, false);
        let mut options = options.iter().copied().filter(|word| *word != ",");
        while let Some(word) = options.next() {
            match (word, if word == "state" { options.next() } else { None }) {
                ("isolated", _) => isolated = true,
                ("state", Some("loaded")) => state = State::Loaded,
                ("state", Some("init")) => state = State::Init,
                ("state", Some("device")) => state = State::Device,
                _ => return self.problem(span, format!("`{word}` is no option of an actor; {FORM}")),
            }
        }
        if *kind == "thread" {
            let [parent] = inside else { return self.problem(span, "a thread names its process: `T: thread(A);`") };
            let Some(process) = self.actors.iter().find(|actor| actor.name == *parent).map(|actor| actor.process)
            else {
                return self.problem(span, format!("`{parent}` is no actor above this line"));
            };
            self.actors.push(Actor { name: (*name).to_owned(), process, thread: Some(state) });
            return;
        }
        let device = match inside {
            [] => 0,
            ["device", number] => match number.parse() {
                Ok(number) => number,
                Err(_) => return self.problem(span, format!("`{number}` is no device; devices are counted from 0")),
            },
            _ => return self.problem(span, FORM),
        };
        self.actors.push(Actor { name: (*name).to_owned(), process: self.processes.len(), thread: None });
        self.processes.push(Process {
            name: (*name).to_owned(),
            device,
            state,
            isolated: isolated || state != State::Device,
        });
    }

    // Axes

    fn axis(&mut self, index: usize, name: &str, source: &DomainSource) {
        self.part = Part::Axis(index);
        self.constant_context = true;
        let domain = self.domain(source);
        self.constant_context = false;
        let (domain, ty) = domain.unwrap_or((Domain::Device, SIZE));
        if self.axes.iter().any(|axis| axis.name == name) || self.environment.declarations.constant(name).is_some() {
            self.problem(Span::default(), format!("`{name}` already names something else; choose another name"));
        }
        self.axes.push(Axis { name: name.to_owned(), domain, ty });
    }

    fn domain(&mut self, source: &DomainSource) -> Option<(Domain, Type)> {
        let kinds = source.kinds();
        if kinds.len() != 1 {
            let message = if kinds.is_empty() {
                "this domain has no kind; write for example `{bytes: 1..64KiB}` (docs/language.md, Domains)".to_owned()
            } else {
                format!("a domain has one kind, this one has {}", kinds.join(" and "))
            };
            self.problem(Span::default(), message);
            return None;
        }
        let multiple_of = source.multiple_of.as_deref();
        if let Some(range) = &source.bytes {
            return Some((Domain::Bytes(self.range(range, multiple_of)?), SIZE));
        }
        if let Some(range) = &source.int {
            let range = self.range(range, multiple_of)?;
            let ty = if may_be_negative(&range.low) { INT64 } else { SIZE };
            return Some((Domain::Integer(range), ty));
        }
        if source.bool.is_some() {
            return Some((
                Domain::OneOf { values: vec![Expression::Constant(0), Expression::Constant(1)], every: true },
                SIZE,
            ));
        }
        if let Some(values) = &source.one_of {
            return self.values(values, false);
        }
        if let Some(every) = &source.every {
            if let [only] = every.0.as_slice()
                && only.contains("..")
            {
                let range = self.range(only, multiple_of)?;
                let ty = if may_be_negative(&range.low) { INT64 } else { SIZE };
                return Some((Domain::EveryOf(range), ty));
            }
            return self.values(&every.0, true);
        }
        if let Some(texts) = &source.text {
            let positions = texts.iter().map(|text| self.text(text)).collect();
            return Some((Domain::Text(positions), TEXT));
        }
        if let Some(below) = &source.offset {
            let below = self.bound(below)?;
            let multiple_of = match multiple_of {
                Some(text) => Some(self.bound(text)?),
                None => None,
            };
            return Some((Domain::Offset { below, multiple_of }, SIZE));
        }
        if let Some(item) = &source.list_of {
            let length = match &source.length {
                Some(length) => self.range(length, None)?,
                None => {
                    self.problem(
                        Span::default(),
                        "a list needs its length: `{list_of: {bytes: 1..64KiB}, length: 1..64}`",
                    );
                    return None;
                }
            };
            let (item, logarithmic) = match self.domain(item)? {
                (Domain::Bytes(range), _) => (range, true),
                (Domain::Integer(range), _) => (range, false),
                _ => {
                    self.problem(Span::default(), "the items of a list are `bytes` or `int`");
                    return None;
                }
            };
            let ty = if may_be_negative(&item.low) { INT64 } else { SIZE };
            return Some((Domain::List { item, logarithmic, length }, ty));
        }
        if let Some(range) = &source.permutation {
            return Some((Domain::Permutation(self.range(range, None)?), SIZE));
        }
        if let Some(list) = source.length_of.as_ref().or(source.index_of.as_ref()) {
            let found = self.axes.iter().position(|axis| {
                axis.name == *list && matches!(axis.domain, Domain::List { .. } | Domain::Permutation(_))
            });
            let Some(found) = found else {
                self.problem(Span::default(), format!("`{list}` is no list above this axis"));
                return None;
            };
            return Some((
                if source.length_of.is_some() { Domain::LengthOf(found) } else { Domain::IndexOf(found) },
                SIZE,
            ));
        }
        Some((Domain::Device, INT64))
    }

    fn range(&mut self, text: &str, multiple_of: Option<&str>) -> Option<Range> {
        let Some((low, high)) = text.split_once("..") else {
            self.problem(
                Span::default(),
                format!("`{text}` is no range; write for example 1..64KiB (both ends included)"),
            );
            return None;
        };
        let multiple_of = match multiple_of {
            Some(text) => Some(self.bound(text)?),
            None => None,
        };
        let (low, high) = (self.bound(low)?, self.bound(high.trim_start_matches('='))?);
        if let (Expression::Constant(least), Expression::Constant(most)) = (&low, &high)
            && least > most
        {
            self.problem(Span::default(), format!("`{text}` holds no value; the smaller bound comes first"));
            return None;
        }
        Some(Range { low, high, multiple_of })
    }

    fn bound(&mut self, text: &str) -> Option<Expression> {
        let tree = self.parse(text, true)?;
        let typed = self.expression(&tree)?;
        Some(match typed.constant {
            Some(value) => Expression::Constant(value),
            None => typed.expression,
        })
    }

    fn values(&mut self, values: &[String], every: bool) -> Option<(Domain, Type)> {
        let mut expressions = Vec::new();
        let mut ty: Option<Type> = None;
        for text in values {
            let tree = self.parse(text, true)?;
            let typed = self.expression(&tree)?;
            if !is_integer(typed.ty) {
                self.problem(Span::default(), format!("`{text}` is no integer; texts are written `{{text: […]}}`"));
                return None;
            }
            let own = if matches!(typed.ty, Type::Enumeration { .. }) { typed.ty } else { INT64 };
            ty = Some(match ty {
                None => own,
                Some(previous) if previous == own => own,
                Some(_) => INT64,
            });
            expressions.push(match typed.constant {
                Some(value) => Expression::Constant(value),
                None => typed.expression,
            });
        }
        let negative = expressions.iter().any(may_be_negative);
        let ty = match ty {
            Some(INT64) if !negative => SIZE,
            Some(ty) => ty,
            None => {
                self.problem(Span::default(), "an empty set of values; name at least one");
                return None;
            }
        };
        Some((Domain::OneOf { values: expressions, every }, ty))
    }

    pub fn text(&mut self, text: &str) -> usize {
        let bytes: Box<[u8]> = text.bytes().chain([0]).collect();
        match self.texts.iter().position(|known| *known == bytes) {
            Some(position) => position,
            None => {
                self.texts.push(bytes);
                self.texts.len() - 1
            }
        }
    }

    // Variables

    /// Declares a variable of the current actor.
    pub fn declare(&mut self, name: &str, ty: Type, array: bool, span: Span) -> usize {
        if self.axes.iter().any(|axis| axis.name == name) {
            self.problem(span, format!("`{name}` is an axis of `forall`; choose another name"));
        } else if self.named(self.actor, name).is_some() {
            self.problem(span, format!("`{name}` is declared twice; assign to it, or choose another name"));
        } else if self.environment.declarations.constant(name).is_some() || matches!(name, "product" | "devices") {
            self.problem(span, format!("`{name}` already names something else; choose another name"));
        }
        let variable = self.add_variable(name, ty, array);
        self.names.push((self.actor, name.to_owned(), variable));
        variable
    }

    pub fn add_variable(&mut self, name: &str, ty: Type, array: bool) -> usize {
        let (size, align) = if array {
            (16, 8)
        } else {
            (self.environment.declarations.size(ty), self.environment.declarations.align(ty))
        };
        let offset = self.frame.next_multiple_of(align.max(8));
        self.frame = offset + size;
        self.variables.push(Variable {
            name: name.to_owned(),
            actor: self.actor,
            ty,
            array,
            offset,
            shared: false,
            space: None,
        });
        self.variables.len() - 1
    }

    /// Starts a block; what is declared from here on ends with [`Checker::leave_scope`].
    pub fn enter_scope(&self) -> usize {
        self.names.len()
    }

    pub fn leave_scope(&mut self, outer: usize) {
        self.names.truncate(outer);
    }

    fn named(&self, actor: usize, name: &str) -> Option<usize> {
        let found = self.names.iter().rev().find(|(owner, known, _)| *owner == actor && known == name);
        found.map(|(.., variable)| *variable)
    }

    pub fn lookup(&self, actor: usize, name: &str) -> Option<usize> {
        if let Some((_, variable)) = self.loops.iter().rev().find(|(known, _)| known == name) {
            return Some(*variable);
        }
        self.named(actor, name)
    }

    /// Notes that the current actor reads a variable; what another process reads has to be sent there.
    pub fn reads(&mut self, variable: usize, span: Span) {
        let owner = self.actors[self.variables[variable].actor].process;
        let foreign = self.processes.len() > 1 && (self.everybody || owner != self.actors[self.actor].process);
        if !foreign || self.loops.iter().any(|(_, looped)| *looped == variable) {
            return;
        }
        if !self.portable(self.variables[variable].ty) {
            let name = self.variables[variable].name.clone();
            self.problem(
                span,
                format!(
                    "`{name}` holds an address, which means nothing in another process; pass integers, bytes or keys"
                ),
            );
        }
        self.variables[variable].shared = true;
    }

    fn portable(&self, ty: Type) -> bool {
        match ty {
            Type::Pointer { .. } | Type::Handle(_) | Type::Callback(_) => false,
            Type::Array { of, .. } => self.portable(*of),
            Type::Struct(name) => self
                .environment
                .declarations
                .structure(name)
                .is_some_and(|structure| structure.fields.iter().all(|field| self.portable(field.ty))),
            _ => true,
        }
    }

    /// Every name that could have been meant where a value stands.
    pub fn unknown_name(&mut self, name: &str, span: Span) {
        let own: Vec<String> = self
            .names
            .iter()
            .filter(|(actor, ..)| *actor == self.actor)
            .map(|(_, name, _)| name.clone())
            .chain(self.axes.iter().map(|axis| axis.name.clone()))
            .collect();
        let mut elsewhere: Vec<&String> = self
            .names
            .iter()
            .filter(|(_, known, _)| known == name)
            .map(|(actor, ..)| &self.actors[*actor].name)
            .collect();
        elsewhere.sort();
        let hint = match elsewhere.first() {
            Some(actor) => format!("; actor {actor} has one: write `{actor}.{name}`"),
            None => match hint(name, own.iter().map(String::as_str)) {
                hint if hint.is_empty() => super::suggest::hint(name, self.environment.declarations.constant_names()),
                hint => hint,
            },
        };
        self.problem(span, format!("`{name}` is not set here{hint}"));
    }

    /// Every name that could have been meant where a function stands.
    pub fn unknown_function(&mut self, name: &str, span: Span) {
        let declarations = &self.environment.declarations;
        let hint = hint(name, declarations.function_names().chain(BUILTINS.iter().map(|builtin| builtin.name)));
        self.problem(span, format!("`{name}` is neither declared in the header nor a built-in{hint}"));
    }

    fn finish(
        mut self,
        mut statements: Vec<super::program::Statement>,
        condition: Option<Expression>,
        observe: Vec<(String, Expression, Type)>,
        syntax: syntax::Block,
        source: &str,
    ) -> Result<Program, Vec<Problem>> {
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        let shared: HashSet<usize> =
            (0..self.variables.len()).filter(|variable| self.variables[*variable].shared).collect();
        keep_shared(&mut statements, &shared);
        let isolating =
            self.functions.iter().any(|function| self.environment.process_functions.contains(function.name));
        if isolating && !self.life_cycle {
            for process in &mut self.processes {
                process.isolated = true;
            }
        }
        Ok(Program {
            processes: self.processes,
            actors: self.actors,
            axes: self.axes,
            condition,
            variables: self.variables,
            frame: self.frame,
            statements,
            observe,
            functions: self.functions,
            texts: self.texts,
            calls: self.calls,
            statement_count: self.statement_count,
            source: source.to_owned(),
            syntax,
        })
    }
}

fn keep_shared(statements: &mut [super::program::Statement], shared: &HashSet<usize>) {
    use super::program::StatementKind::*;
    for statement in statements {
        statement.publishes.retain(|variable| shared.contains(variable));
        match &mut statement.kind {
            For { body, .. } | Block { body, .. } => keep_shared(body, shared),
            Refuse { unless, .. } => keep_shared(unless, shared),
            Choose { alternatives, .. } => alternatives.iter_mut().for_each(|body| keep_shared(body, shared)),
            _ => {}
        }
    }
}

fn may_be_negative(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant(value) if *value < 0)
}
