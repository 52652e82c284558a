//! Syntax tree → typed program: every name, type and bound is checked here, before any device is touched.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::domain::DomainSource;
use abi::Type;

use super::builtins::BUILTINS;
use super::parse::{Names, parse_expression, parse_steps};
use super::program::{Actor, Axis, Expression, Process, Program, Space, Variable};
use super::results::Results;
use super::suggest::hint;
use super::syntax;
use super::types::Declarations;
use super::vocabulary::Vocabulary;
use super::{Part, Problem, Span};

/// What the checker must know besides the rule itself.
#[derive(Debug)]
pub struct Environment {
    pub declarations: Declarations,
    /// Names of the documented quantities of a product.
    pub facts: BTreeSet<String>,
    /// What calls under a verdict return.
    pub results: Results,
    /// (function, parameter) → the space of the pointer that it hands out.
    pub spaces: HashMap<(String, String), Space>,
    /// Functions that change the whole process.
    pub process_functions: HashSet<String>,
    /// What the runtime adds to the language.
    pub vocabulary: Vocabulary,
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
    let names = Names { is_type: &is_type, actors: &actors, vocabulary: &environment.vocabulary };
    let syntax = match parse_steps(text.steps, &names) {
        Ok(steps) => steps,
        Err(error) => {
            checker.problem(error.span, error.message);
            return Err(checker.problems);
        }
    };
    let statements = checker.steps(&syntax.block);
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
    pub processes: Vec<Process>,
    pub actors: Vec<Actor>,
    pub axes: Vec<Axis>,
    pub variables: Vec<Variable>,
    /// Names in scope, the innermost last: actor, name, variable. There are few, so that a search beats a table.
    names: Vec<(usize, String, usize)>,
    /// Variables that hold a value at this point of the text.
    pub bound: HashSet<usize>,
    pub loops: Vec<(String, usize)>,
    frame: usize,
    pub functions: Vec<&'static abi::Function>,
    structs: Vec<&'static str>,
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
            structs: Vec::new(),
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

    pub(crate) fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem { part: self.part.clone(), span, message: message.into() });
    }

    pub(crate) fn single_process(&self) -> bool {
        self.processes.len() == 1
    }

    pub(crate) fn life_cycle(&self) -> bool {
        self.life_cycle
    }

    pub(crate) fn parse(&mut self, text: &str, sizes: bool) -> Option<syntax::Expression> {
        let actors: Vec<String> = self.actors.iter().map(|actor| actor.name.clone()).collect();
        let declarations = &self.environment.declarations;
        let is_type = |name: &str| declarations.ty(name).is_some();
        let names = Names { is_type: &is_type, actors: &actors, vocabulary: &self.environment.vocabulary };
        match parse_expression(text, &names, sizes) {
            Ok(expression) => Some(expression),
            Err(error) => {
                self.problem(error.span, error.message);
                None
            }
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> usize {
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
    pub(crate) fn declare(&mut self, name: &str, ty: Type, array: bool, span: Span) -> usize {
        if self.axes.iter().any(|axis| axis.name == name) {
            self.problem(span, format!("`{name}` is an axis of `forall`; choose another name"));
        } else if self.named(self.actor, name).is_some() {
            self.problem(span, format!("`{name}` is declared twice; assign to it, or choose another name"));
        } else if self.means_something(name) || matches!(name, "product" | "devices") {
            self.problem(span, format!("`{name}` already names something else; choose another name"));
        }
        let variable = self.add_variable(name, ty, array);
        self.names.push((self.actor, name.to_owned(), variable));
        variable
    }

    /// Whether the header or the runtime's own vocabulary gives a name a meaning.
    pub(crate) fn means_something(&self, name: &str) -> bool {
        self.environment.declarations.constant(name).is_some() || self.environment.vocabulary.defines(name)
    }

    pub(crate) fn add_variable(&mut self, name: &str, ty: Type, array: bool) -> usize {
        self.lays_out(ty);
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

    /// Notes of which structs' layout the rule makes use.
    pub(crate) fn lays_out(&mut self, ty: Type) {
        self.environment.declarations.note_structs(ty, &mut self.structs);
    }

    /// Starts a block; what is declared from here on ends with [`Checker::leave_scope`].
    pub(crate) fn enter_scope(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn leave_scope(&mut self, outer: usize) {
        self.names.truncate(outer);
    }

    fn named(&self, actor: usize, name: &str) -> Option<usize> {
        let found = self.names.iter().rev().find(|(owner, known, _)| *owner == actor && known == name);
        found.map(|(.., variable)| *variable)
    }

    pub(crate) fn lookup(&self, actor: usize, name: &str) -> Option<usize> {
        if let Some((_, variable)) = self.loops.iter().rev().find(|(known, _)| known == name) {
            return Some(*variable);
        }
        self.named(actor, name)
    }

    /// Notes that the current actor reads a variable; what another process reads has to be sent there.
    pub(crate) fn reads(&mut self, variable: usize, span: Span) {
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
    pub(crate) fn unknown_name(&mut self, name: &str, span: Span) {
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
    pub(crate) fn unknown_function(&mut self, name: &str, span: Span) {
        let Environment { declarations, vocabulary, .. } = self.environment;
        let words = &vocabulary.words;
        if words.contains_key(name) {
            return self
                .problem(span, format!("`{name}` stands for several statements; make it a statement of its own"));
        }
        let mut known: Vec<&str> = declarations.function_names().collect();
        known.extend(BUILTINS.iter().map(|builtin| builtin.name));
        known.extend(words.keys().map(String::as_str));
        let hint = hint(name, known);
        self.problem(span, format!("`{name}` is neither declared in the header nor a built-in{hint}"));
    }

    fn finish(
        mut self,
        mut statements: Vec<super::program::Statement>,
        condition: Option<Expression>,
        observe: Vec<(String, Expression, Type)>,
        syntax: syntax::Steps,
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
            results: self
                .functions
                .iter()
                .map(|function| self.environment.results.position(function.returns))
                .collect(),
            functions: self.functions,
            structs: self.structs,
            texts: self.texts,
            calls: self.calls,
            statement_count: self.statement_count,
            source: source.to_owned(),
            sets: syntax.sets,
            syntax: syntax.block,
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
