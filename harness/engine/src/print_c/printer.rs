//! The text that has been printed so far, and the facts that are known at the current position.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use crate::case::Case;
use catalog::Rules;
use steps::program::Program;
use steps::syntax::{Expression, Statement};
use steps::{ActorId, StatementId, VariableId, syntax_of};

use super::release::Owned;
use super::visit::Reads;

/// The text of a program that is being printed.
pub(super) struct Printer<'a> {
    pub rules: &'a Rules,
    pub program: &'a Program,
    pub cases: &'a [Case],
    /// The ids of statements whose checks are only reported.
    pub observed: &'a [StatementId],
    pub source: &'a str,
    pub reads: Reads,
    pub out: String,
    pub depth: usize,
    /// The variables whose declarations have been printed.
    pub declared: HashSet<VariableId>,
    pub loops: Vec<String>,
    /// The actor whose statement is being printed.
    pub actor: ActorId,
    /// The actor whose turn contains the statements; `None` if each statement names its actor.
    pub turn: Option<ActorId>,
    /// The results of calls that have begun: the actor, the variable in C, and the call's expression.
    pub begun: Vec<(ActorId, String, Expression)>,
    /// True in a lane, where other threads may use the prelude's lists.
    pub in_lane: bool,
    /// The pause before each statement of the lane.
    pub lane_pause: Option<String>,
    /// Source comments before this position have been printed.
    pub cursor: usize,
    /// True if a failing statement is a failure of the set-up; `None` if the meaning of a failure is unknown at this
    /// point.
    pub in_setup: Option<bool>,
    /// Statements for the end of the steps, with their actors.
    pub deferred: Vec<(ActorId, String)>,
    /// Declarations of flags for deferred calls in blocks, and of stored arguments.
    pub flags: Vec<String>,
    /// The stored arguments, by source position.
    pub kept: HashMap<usize, String>,
    /// True if the text determines which resources are held at each place, so that no list is needed.
    pub plain: bool,
    /// True if the text turned out not to determine the held resources.
    pub tangled: bool,
    /// The held resources, where the text determines them.
    pub owned: Vec<Owned<'a>>,
    /// The number of enclosing blocks that may not run.
    pub branches: usize,
    /// True if two variables of the same actor have the same name.
    pub namesakes: bool,
    /// Text to put at the start of the next line.
    pub before: String,
    /// The methods for releasing the acquired resources, each with the position of a resource.
    pub releases: BTreeMap<String, usize>,
    pub runnable: bool,
    /// True if bare calls must succeed.
    pub judged: bool,
    /// Declarations to print outside functions.
    pub hoisted: Option<Vec<String>>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(rules: &'a Rules, program: &'a Program, cases: &'a [Case]) -> Printer<'a> {
        let several = program.actors.len() > 1;
        Printer {
            rules,
            program,
            cases,
            observed: &[],
            source: &program.source,
            reads: Reads::of(program),
            out: String::new(),
            depth: 1,
            declared: if several { program.variables.ids().collect() } else { HashSet::new() },
            loops: Vec::new(),
            actor: ActorId::DEFAULT,
            turn: (!several).then_some(ActorId::DEFAULT),
            begun: Vec::new(),
            in_lane: false,
            lane_pause: None,
            in_setup: Some(true),
            cursor: 0,
            deferred: Vec::new(),
            flags: Vec::new(),
            kept: HashMap::new(),
            plain: true,
            tangled: false,
            owned: Vec::new(),
            branches: 0,
            namesakes: namesakes(program),
            before: String::new(),
            releases: BTreeMap::new(),
            runnable: false,
            judged: true,
            hoisted: None,
        }
    }

    /// The syntax trees of the program's statements.
    pub(super) fn syntax(&self) -> Vec<Statement> {
        let trees = syntax_of(self.program, &self.rules.environment);
        trees.expect("the steps were parsed when the rule was checked")
    }

    pub(super) fn line(&mut self, text: &str) {
        let indentation = "    ".repeat(self.depth);
        let before = std::mem::take(&mut self.before);
        let _ = writeln!(self.out, "{indentation}{before}{text}");
    }

    pub(super) fn indented(&mut self, text: &str) {
        self.depth += 1;
        self.line(text);
        self.depth -= 1;
    }

    /// The names of variables and axes.
    pub(super) fn names(&self) -> BTreeSet<&'a str> {
        let axes = self.program.axes.iter().map(|axis| axis.name.as_str());
        axes.chain(self.program.variables.iter().map(|variable| variable.name.as_str())).collect()
    }
}

/// True if two variables of the same actor have the same name.
fn namesakes(program: &Program) -> bool {
    let mut seen = HashSet::new();
    program.variables.iter().any(|variable| !seen.insert((variable.actor, variable.name.as_str())))
}
