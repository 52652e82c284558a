//! Syntax tree → typed program. Every name, type and bound is checked here, before any device is touched.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::domain::DomainSource;
use abi::Type;

use super::builtins::BUILTINS;
use super::given::GivenUse;
use super::ids::{ActorId, AxisId, Id, VariableId};
use super::parse::{Names, parse_expression, parse_steps};
use super::parse_given::write_out;
use super::program::{Call, Domain, Expression, Program, Sharing, Space, Variable};
use super::results::Results;
use super::suggest::{closest, hint, meant};
use super::syntax;
use super::types::Declarations;
use super::vocabulary::Vocabulary;
use super::walk::Node;
use super::{ParseError, Problem, RulePart, Span};

/// The checker's input apart from the rule itself.
#[derive(Debug)]
pub struct Environment {
    pub declarations: Declarations,
    /// The names of a product's documented quantities.
    pub facts: BTreeSet<String>,
    /// The types of codes that judged calls return.
    pub results: Results,
    /// (function, parameter) → the space of the pointer that the function stores through that parameter.
    pub spaces: HashMap<(String, String), Space>,
    /// Functions that affect the whole process.
    pub process_functions: BTreeSet<String>,
    /// The runtime's additions to the language.
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
    /// True for life-cycle steps, which can read `device`, the number of the process's own device.
    pub life_cycle: bool,
}

/// Checks a rule. All problems are reported together.
pub fn check(text: &RuleText<'_>, environment: &Environment) -> Result<Program, Vec<Problem>> {
    let mut checker = Checker::new(environment, text.life_cycle);
    checker.actors(text.actors);
    for (index, (name, source)) in text.axes.iter().enumerate() {
        checker.axis(AxisId::new(index), name, source);
    }
    checker.program.condition = text.condition.and_then(|condition| {
        checker.part = RulePart::Where;
        let tree = checker.parse(condition, true)?;
        checker.constant_context = true;
        let typed = checker.expression(&tree);
        checker.constant_context = false;
        typed.map(|typed| typed.expression)
    });
    checker.part = RulePart::Steps;
    // The sections of a life cycle are identified by their positions in the text, so a life cycle cannot use set-ups.
    let written_out = |names: &Names<'_>| match text.life_cycle {
        true => Ok((text.steps.to_owned(), Vec::new())),
        false => write_out(text.steps, names),
    };
    let Some((source, givens)) = checker.read(written_out) else { return Err(checker.problems) };
    let Some(steps) = checker.read(|names| parse_steps(&source, names)) else {
        return Err(as_written(checker.problems, &givens));
    };
    if let Some(sequence) = &steps.sequence {
        checker.sequence(sequence);
    }
    checker.program.statements = checker.steps(&steps.statements);
    for (index, (name, source)) in text.observe.iter().enumerate() {
        checker.part = RulePart::Observe(index);
        checker.actor = ActorId::DEFAULT;
        if let Some(tree) = checker.parse(source, false)
            && let Some(typed) = checker.expression(&tree)
        {
            checker.program.observe.push(((*name).to_owned(), typed.expression, typed.ty));
        }
    }
    if !checker.problems.is_empty() {
        return Err(as_written(checker.problems, &givens));
    }
    checker.finish();
    Ok(Program { source, givens, sets: steps.sets, ..checker.program })
}

/// The syntax trees of a program's steps, in the order of its statements.
///
/// # Errors
/// Fails if the environment is not that of the program.
pub fn syntax_of(program: &Program, environment: &Environment) -> Result<Vec<syntax::Statement>, ParseError> {
    with_names(program, environment, |names| parse_steps(&program.source, names)).map(|steps| steps.statements)
}

/// The syntax tree of an expression, as in a program's observations.
///
/// # Errors
/// Fails if the text is not an expression.
pub fn syntax_of_expression(
    text: &str,
    program: &Program,
    environment: &Environment,
) -> Result<syntax::Expression, ParseError> {
    with_names(program, environment, |names| parse_expression(text, names, false))
}

/// Parses with the names that a program's steps may use.
pub(crate) fn with_names<T>(program: &Program, environment: &Environment, parse: impl FnOnce(&Names<'_>) -> T) -> T {
    let actors: Vec<String> = program.actors.iter().map(|actor| actor.name.clone()).collect();
    let is_type = |name: &str| environment.declarations.ty(name).is_some();
    parse(&Names { is_type: &is_type, actors: &actors, vocabulary: &environment.vocabulary })
}

/// Moves the problems to their places in the rule as written, where set-ups are not expanded.
pub(super) fn as_written(mut problems: Vec<Problem>, givens: &[GivenUse]) -> Vec<Problem> {
    for problem in problems.iter_mut().filter(|problem| problem.part == RulePart::Steps) {
        if let Some(given) = GivenUse::of(givens, problem.span) {
            problem.message = format!("in the set-up `{}`: {}", given.name, problem.message);
        }
        problem.span = GivenUse::written(givens, problem.span);
    }
    problems
}

/// An expression with its type.
pub(super) struct Typed {
    pub expression: Expression,
    pub ty: Type,
    pub space: Option<Space>,
    /// The value, if it is known before anything runs.
    pub constant: Option<i128>,
}

/// A call that has begun.
pub(super) struct Begun {
    pub actor: ActorId,
    pub function: usize,
    pub call: Span,
    /// The variables that the call may change.
    pub touched: Vec<VariableId>,
}

pub(super) struct Checker<'e> {
    pub environment: &'e Environment,
    pub part: RulePart,
    problems: Vec<Problem>,
    /// The program so far.
    pub program: Program,
    /// The names in scope, innermost last, each with its actor and its variable. There are few names, so a search is
    /// faster than a table.
    pub names: Vec<(ActorId, String, VariableId)>,
    /// Variables that hold a value at this point in the text.
    pub bound: HashSet<VariableId>,
    pub loops: Vec<(String, VariableId)>,
    /// The actor whose statement is being checked.
    pub actor: ActorId,
    pub setup: bool,
    /// The ground of the statement's checks, by its position in [`Program::grounds`].
    pub rests_on: Option<usize>,
    /// True in control flow that several processes share: each process evaluates the expressions separately.
    pub in_all_processes: bool,
    /// True in a lane of `together`, which only its actor performs.
    pub in_lane: bool,
    /// The calls that have begun and not ended.
    pub begun: Vec<Begun>,
    /// Variables whose memory the statement may change.
    pub touched: Vec<VariableId>,
    /// True if only axes, constants and quantities may be read.
    pub constant_context: bool,
    /// True if `device` may be read.
    pub life_cycle: bool,
    /// True while the argument of `handed` is checked.
    pub handing: bool,
}

impl<'e> Checker<'e> {
    fn new(environment: &'e Environment, life_cycle: bool) -> Checker<'e> {
        Checker {
            environment,
            part: RulePart::Actors,
            problems: Vec::new(),
            program: Program::default(),
            names: Vec::new(),
            bound: HashSet::new(),
            loops: Vec::new(),
            actor: ActorId::DEFAULT,
            setup: false,
            rests_on: None,
            in_all_processes: false,
            in_lane: false,
            begun: Vec::new(),
            touched: Vec::new(),
            constant_context: false,
            life_cycle,
            handing: false,
        }
    }

    pub(crate) fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem { part: self.part.clone(), span, message: message.into() });
    }

    /// Records a problem that prevents further checking.
    pub(crate) fn wrong<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.problem(span, message);
        None
    }

    pub(crate) fn parse(&mut self, text: &str, sizes: bool) -> Option<syntax::Expression> {
        self.read(|names| parse_expression(text, names, sizes))
    }

    /// Parses a text with the names known so far.
    fn read<T>(&mut self, read: impl FnOnce(&Names<'_>) -> Result<T, ParseError>) -> Option<T> {
        match with_names(&self.program, self.environment, read) {
            Ok(tree) => Some(tree),
            Err(error) => self.wrong(error.span, error.message),
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> usize {
        let bytes: Box<[u8]> = text.bytes().chain([0]).collect();
        match self.program.texts.iter().position(|known| *known == bytes) {
            Some(position) => position,
            None => {
                self.program.texts.push(bytes);
                self.program.texts.len() - 1
            }
        }
    }

    // Variables

    /// Declares a variable of the current actor.
    pub(crate) fn declare(&mut self, name: &str, ty: Type, array: bool, span: Span) -> VariableId {
        // A block of a sequence may name a variable as a parameter of another operation.
        let hides = |domain: &Domain| matches!(domain, Domain::Column { .. }) && !self.loops.is_empty();
        if self.program.axes.iter().any(|axis| axis.name == name && !hides(&axis.domain)) {
            self.problem(span, format!("`{name}` is an axis of `forall`; choose another name"));
        } else if self.named(self.actor, name).is_some() {
            self.problem(span, format!("`{name}` is declared twice; assign to it, or choose another name"));
        } else if self.has_another_type(name, ty, array) {
            self.problem(
                span,
                format!(
                    "`{name}` is a variable of another type in another block, but the C program declares an actor's \
                     variables once: choose another name"
                ),
            );
        } else if self.means_something(name) || matches!(name, "product" | "devices" | "patience") {
            self.problem(span, format!("`{name}` already names something else; choose another name"));
        }
        let variable = self.add_variable(name, ty, array);
        self.names.push((self.actor, name.to_owned(), variable));
        variable
    }

    /// True if the current actor is one of several and has a variable with this name and another type. With a single
    /// actor, the types may differ, because the C program has the same blocks as the rule.
    fn has_another_type(&self, name: &str, ty: Type, array: bool) -> bool {
        let mut variables = self.program.variables.iter();
        let differs = |known: &Variable| (known.ty, known.array) != (ty, array);
        self.program.actors.len() > 1
            && variables.any(|known| known.actor == self.actor && known.name == name && differs(known))
    }

    /// True if the header or the runtime's vocabulary defines a name.
    pub(crate) fn means_something(&self, name: &str) -> bool {
        self.environment.declarations.constant(name).is_some() || self.environment.vocabulary.defines(name)
    }

    pub(crate) fn add_variable(&mut self, name: &str, ty: Type, array: bool) -> VariableId {
        self.lays_out(ty);
        let (size, align) = if array {
            (16, 8)
        } else {
            (self.environment.declarations.size(ty), self.environment.declarations.align(ty))
        };
        let offset = self.program.frame.next_multiple_of(align.max(8));
        self.program.frame = offset + size;
        self.program.variables.push(Variable {
            name: name.to_owned(),
            actor: self.actor,
            ty,
            array,
            offset,
            shared: false,
            space: None,
        })
    }

    /// Records the structs whose layout the rule uses.
    pub(crate) fn lays_out(&mut self, ty: Type) {
        self.environment.declarations.note_structs(ty, &mut self.program.structs);
    }

    fn named(&self, actor: ActorId, name: &str) -> Option<VariableId> {
        let found = self.names.iter().rev().find(|(owner, known, _)| *owner == actor && known == name);
        found.map(|(.., variable)| *variable)
    }

    pub(crate) fn lookup(&self, actor: ActorId, name: &str) -> Option<VariableId> {
        if let Some((_, variable)) = self.loops.iter().rev().find(|(known, _)| known == name) {
            return Some(*variable);
        }
        self.named(actor, name)
    }

    /// Records that the current actor reads a variable. If the variable belongs to another process, its value must be
    /// sent.
    pub(crate) fn reads(&mut self, variable: VariableId, span: Span) {
        let owner = self.program.actors[self.program.variables[variable].actor].process;
        let foreign = self.program.several_processes()
            && (self.in_all_processes || owner != self.program.actors[self.actor].process);
        if !foreign || self.loops.iter().any(|(_, looped)| *looped == variable) {
            return;
        }
        if !self.portable(self.program.variables[variable].ty) {
            let name = self.program.variables[variable].name.clone();
            self.problem(
                span,
                format!(
                    "`{name}` holds an address, which is meaningless in another process; pass integers, bytes or keys"
                ),
            );
        }
        self.crosses(variable, span);
        self.program.variables[variable].shared = true;
    }

    fn portable(&self, ty: Type) -> bool {
        match ty {
            Type::Pointer { .. } | Type::Handle(_) | Type::Callback(_) => false,
            Type::Array { of, .. } => self.portable(*of),
            Type::Struct(name) => {
                let structure = self.environment.declarations.structure(name);
                structure.is_some_and(|structure| structure.fields.iter().all(|field| self.portable(field.ty)))
            }
            _ => true,
        }
    }

    /// Reports an unknown name in a place where a value is expected.
    pub(crate) fn unknown_name(&mut self, name: &str, span: Span) {
        let elsewhere = self.names.iter().filter(|(_, known, _)| known == name);
        let hint = match elsewhere.map(|(actor, ..)| &self.program.actors[*actor].name).min() {
            Some(actor) => format!("; actor {actor} has one: write `{actor}.{name}`"),
            None => {
                let own = self.names.iter().filter(|(actor, ..)| *actor == self.actor).map(|(_, name, _)| name);
                let own = own.chain(self.program.axes.iter().map(|axis| &axis.name)).map(String::as_str);
                let constants = self.environment.declarations.constant_names();
                closest(name, own).or_else(|| closest(name, constants)).map_or_else(String::new, meant)
            }
        };
        self.problem(span, format!("`{name}` has no value here{hint}"));
    }

    /// Reports an unknown name in a place where a function is expected.
    pub(crate) fn unknown_function(&mut self, name: &str, span: Span) {
        let Environment { declarations, vocabulary, .. } = self.environment;
        let words = &vocabulary.words;
        if words.contains_key(name) {
            return self
                .problem(span, format!("`{name}` stands for several statements; write it as a separate statement"));
        }
        let mut known: Vec<&str> = declarations.function_names().collect();
        known.extend(BUILTINS.iter().map(|builtin| builtin.name));
        known.extend(words.keys().map(String::as_str));
        let hint = hint(name, known);
        self.problem(span, format!("`{name}` is neither declared in the header nor a built-in{hint}"));
    }

    /// Completes the parts that depend on the whole program.
    fn finish(&mut self) {
        let spoiled = if self.life_cycle { HashSet::new() } else { self.spoiled() };
        let Program { processes, variables, statements, functions, results, .. } = &mut self.program;
        let shared: HashSet<VariableId> = variables.ids().filter(|variable| variables[*variable].shared).collect();
        keep_shared(statements, &shared);
        for (position, process) in processes.iter_mut().enumerate() {
            if process.sharing == Sharing::Pooled && spoiled.contains(&position) {
                process.sharing = Sharing::Isolated;
            }
        }
        *results = functions.iter().map(|function| self.environment.results.position(function.returns)).collect();
    }

    /// The processes that call a function that affects the whole process.
    fn spoiled(&self) -> HashSet<usize> {
        let Program { statements, actors, functions, .. } = &self.program;
        let changes = |call: &Call| {
            functions.get(call.function).is_some_and(|known| self.environment.process_functions.contains(known.name))
        };
        let mut found = HashSet::new();
        let mut blocks = vec![statements.as_slice()];
        while let Some(block) = blocks.pop() {
            for statement in block {
                blocks.extend(statement.kind.blocks());
                statement.kind.walk(&mut |node| {
                    if let Node::Call(call) = node
                        && changes(call)
                    {
                        found.extend(actors.get(statement.actor).map(|actor| actor.process));
                    }
                });
            }
        }
        found
    }
}

fn keep_shared(statements: &mut [super::program::Statement], shared: &HashSet<VariableId>) {
    use super::program::StatementKind::*;
    for statement in statements {
        statement.publishes.retain(|variable| shared.contains(variable));
        match &mut statement.kind {
            For { body, .. } | Block { body, .. } => keep_shared(body, shared),
            Refuse { unless, .. } => keep_shared(unless, shared),
            If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|body| keep_shared(body, shared)),
            Together { lanes, .. } => lanes.iter_mut().for_each(|lane| keep_shared(&mut lane.body, shared)),
            Choose { alternatives, .. } => alternatives.iter_mut().for_each(|body| keep_shared(body, shared)),
            _ => {}
        }
    }
}
