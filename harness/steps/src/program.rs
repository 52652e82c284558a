//! A rule's steps with every name and type resolved, as a worker executes them.

use abi::{Function, Type};

use super::Span;
use super::builtins::Builtin;
use super::given::GivenUse;
use super::ids::{ActorId, AxisId, List, StatementId, VariableId};
use super::syntax::{self, BinaryOperator, UnaryOperator};

/// A checked rule, independent of product and device: quantities of the product are read at run time.
#[derive(Debug, Default)]
pub struct Program {
    /// Processes; the first one is the default.
    pub processes: Vec<Process>,
    /// Actors: each is a thread of a process. The first one is the default.
    pub actors: List<ActorId, Actor>,
    /// The drawn axes: the domains of `forall` in order, then one axis for each `choose`.
    pub axes: List<AxisId, Axis>,
    /// Condition on the drawn values.
    pub condition: Option<Expression>,
    pub variables: List<VariableId, Variable>,
    /// The size in bytes of a frame that holds all variables.
    pub frame: usize,
    pub statements: Vec<Statement>,
    /// The values to record after a case: name, expression and its type.
    pub observe: Vec<(String, Expression, Type)>,
    /// The called functions without duplicates, in the order of first use. Calls refer to them by position.
    pub functions: Vec<&'static Function>,
    /// The type of codes that each function returns: its position among those of the environment.
    pub results: Vec<Option<usize>>,
    /// Structs whose layout the steps use, by value, through a pointer or as a field, without duplicates.
    pub structs: Vec<&'static str>,
    /// C strings that expressions point to, each with its terminating zero.
    pub texts: Vec<Box<[u8]>>,
    /// True if the steps or a domain read the number of devices.
    pub counts_devices: bool,
    /// Number of call sites.
    pub calls: usize,
    /// Number of statements, nested ones included: ids are 0 … statement_count - 1.
    pub statement_count: usize,
    /// The grounds of checks by their names in the steps, without duplicates, with the place of the first use.
    pub grounds: Vec<syntax::Identifier>,
    /// The source of the steps, with set-ups expanded.
    pub source: String,
    /// The uses of set-ups.
    pub givens: Vec<GivenUse>,
    /// The named sets of codes in the source.
    pub sets: Vec<syntax::SetUse>,
    /// The syntax trees of the steps and of the observations, for printing.
    pub syntax: Vec<syntax::Statement>,
    pub observe_syntax: Vec<syntax::Expression>,
}

/// A process that performs statements.
#[derive(Debug, Clone)]
pub struct Process {
    pub name: String,
    /// The device that it works on, by position among those under test.
    pub device: u32,
    pub state: Readiness,
    pub sharing: Sharing,
}

/// The other users of an actor's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// All rules without special needs.
    Pooled,
    /// Rules that may spoil it, one after another, as long as their cases pass: `apart`.
    Apart,
    /// The cases of one rule: `own`.
    Own,
    /// None: the process is started for one case: `isolated`.
    Isolated,
}

/// The readiness of a process or thread.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Readiness {
    /// The library is loaded, but nothing was called.
    Loaded,
    /// The runtime is initialized.
    Init,
    /// A device is selected.
    Device,
}

#[derive(Debug, Clone)]
pub struct Actor {
    pub name: String,
    /// Position in [`Program::processes`].
    pub process: usize,
    /// `None`: the process's main thread.
    pub thread: Option<Readiness>,
}

/// One dimension of the input space.
#[derive(Debug)]
pub struct Axis {
    pub name: String,
    pub domain: Domain,
    /// The type of its values as the steps see them.
    pub ty: Type,
}

/// The source of an axis's values. Bounds may read earlier axes, quantities of the product and `devices`.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a rule has a handful of axes, made once")]
pub enum Domain {
    /// Log-uniform sizes in bytes.
    Bytes(Range),
    /// Uniform integers.
    Integer(Range),
    /// A sample of values; with `every`, each at least once.
    OneOf {
        values: Vec<Expression>,
        /// The values as written.
        written: Vec<String>,
        every: bool,
    },
    /// Each integer of a range at least once.
    EveryOf(Range),
    /// Positions in [`Program::texts`], each at least once.
    Text(Vec<usize>),
    /// Integers from 0 to bound - 1.
    Offset {
        below: Expression,
        multiple_of: Option<Expression>,
    },
    List {
        item: Range,
        logarithmic: bool,
        length: Range,
    },
    Permutation(Range),
    LengthOf(AxisId),
    IndexOf(AxisId),
    /// The number of a device.
    Device,
    /// The alternatives of a `choose`, by name.
    Choice(Vec<String>),
}

/// An inclusive range of integers, all multiples of `multiple_of`.
#[derive(Debug)]
pub struct Range {
    pub low: Expression,
    pub high: Expression,
    pub multiple_of: Option<Expression>,
}

#[derive(Debug)]
pub struct Variable {
    pub name: String,
    /// The actor that owns it.
    pub actor: ActorId,
    /// The type of the variable, or of one element.
    pub ty: Type,
    /// An array lives in the case's arena; the frame holds its address and length.
    pub array: bool,
    /// Offset of the variable in the frame, in bytes.
    pub offset: usize,
    /// True if a process reads it other than the one that binds it.
    pub shared: bool,
    /// A pointer's space, if known.
    pub space: Option<Space>,
}

/// The side that may read and write through a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    Host,
    Device,
    // Neither: the value is a gate, for `open`, `passed` and callbacks. Catalogs cannot name this space.
    #[serde(skip)]
    Gate,
}

#[derive(Debug)]
pub struct Statement {
    /// Unique in the program; also the order in the text.
    pub id: StatementId,
    pub kind: StatementKind,
    pub span: Span,
    /// The actor that performs it; meaningless for control flow.
    pub actor: ActorId,
    /// True if a failure here blocks the rule instead of failing it.
    pub setup: bool,
    /// The ground of its checks: position in [`Program::grounds`].
    pub rests_on: Option<usize>,
    /// Variables that this statement binds or changes and that another process reads.
    pub publishes: Vec<VariableId>,
}

#[derive(Debug)]
pub enum StatementKind {
    /// A call with its expected result.
    Call {
        call: Call,
        expect: Expect,
    },
    /// Evaluated for its effect.
    Effect(Expression),
    Check {
        condition: Expression,
        info: bool,
    },
    Declare {
        variable: VariableId,
        length: Option<Expression>,
        values: Vec<(usize, Type, Expression)>,
        filled: bool,
    },
    Assign {
        target: Place,
        ty: Type,
        value: Expression,
    },
    For {
        variable: VariableId,
        bound: Expression,
        body: Vec<Statement>,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// `axis` tells which alternative was drawn.
    Choose {
        axis: AxisId,
        alternatives: Vec<Vec<Statement>>,
    },
    /// A nested block: `control`, or statements of one actor.
    Block {
        control: bool,
        body: Vec<Statement>,
    },
    Defer(Call),
    Refuse {
        call: Call,
        until: Option<Call>,
        unless: Vec<Statement>,
    },
    Exit {
        process: usize,
    },
    Kill {
        process: usize,
    },
}

/// The expected result of a call.
#[derive(Debug)]
pub enum Expect {
    Success,
    /// An error code; with `codes`, one of these.
    Failure {
        codes: Vec<Expression>,
        usually: bool,
        /// Reported, never judged.
        info: bool,
    },
}

/// A call of a function of the runtime.
#[derive(Debug)]
pub struct Call {
    /// Position in [`Program::functions`].
    pub function: usize,
    pub arguments: Vec<Argument>,
    /// Number of the call site.
    pub site: usize,
    pub span: Span,
}

#[derive(Debug)]
pub enum Argument {
    /// A value with the parameter's type, into which it must fit.
    Value { value: Expression, ty: Type },
    /// An out-variable: poisoned before the call; after success it must have been written.
    Out { place: Place, bytes: usize },
}

/// A place in memory that can be read, written and pointed to.
#[derive(Debug)]
pub struct Place {
    pub root: Root,
    /// Constant offset in bytes.
    pub offset: usize,
    /// Indices with the distance between elements in bytes.
    pub indices: Vec<(Expression, usize)>,
}

#[derive(Debug)]
pub enum Root {
    Variable(VariableId),
    Pointer(Box<Expression>),
}

#[derive(Debug)]
pub enum Expression {
    Constant(i128),
    /// Address of a text.
    Text(usize),
    /// The value of an axis.
    Axis(AxisId),
    /// An item of an axis that draws lists.
    AxisItem {
        axis: AxisId,
        index: Box<Expression>,
    },
    /// A documented quantity of the product, by name.
    Fact(String),
    /// Number of devices.
    Devices,
    /// The time limit of the run for an expected event, in milliseconds.
    Patience,
    /// The device of the process that evaluates it.
    OwnDevice,
    Load {
        place: Place,
        ty: Type,
    },
    AddressOf(Place),
    /// Pointer arithmetic: address + index × stride.
    Advance {
        pointer: Box<Expression>,
        index: Box<Expression>,
        stride: usize,
        negative: bool,
    },
    /// Difference of two pointers in elements.
    Distance {
        left: Box<Expression>,
        right: Box<Expression>,
        stride: usize,
    },
    Unary(UnaryOperator, Box<Expression>),
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    Cast(Type, Box<Expression>),
    In(Box<Expression>, Vec<Expression>),
    Builtin(Builtin, Vec<Expression>),
    Call(Box<Call>, Type),
}

impl Program {
    /// True if more than one process takes part.
    pub fn several_processes(&self) -> bool {
        self.processes.len() > 1
    }

    /// True if all its processes are shared in this way.
    pub fn all_are(&self, sharing: Sharing) -> bool {
        self.processes.iter().all(|process| process.sharing == sharing)
    }

    /// The text of a statement on one line, with the codes of named sets expanded.
    pub fn text(&self, span: Span) -> String {
        let mut text = String::new();
        let mut at = span.start;
        for set in self.sets.iter().filter(|set| span.start <= set.span.start && set.span.end <= span.end) {
            text += self.source.get(at..set.span.start).unwrap_or_default();
            text += &set.written;
            at = set.span.end;
        }
        text += self.source.get(at..span.end).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The place in the rule's original text, without expanded set-ups.
    pub fn written(&self, span: Span) -> Span {
        GivenUse::written(&self.givens, span)
    }

    /// The names of the functions that the steps call.
    pub fn function_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.functions.iter().map(|function| function.name)
    }
}
