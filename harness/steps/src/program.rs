//! A rule's steps with all names and types resolved, in the form that a worker executes.

use abi::{Function, Type};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Span;
use super::builtins::Builtin;
use super::evaluate::Value;
use super::given::GivenUse;
use super::ids::{ActorId, AxisId, Id, List, StatementId, VariableId};
use super::sequence::{Part, Sequence};
use super::syntax::{self, BinaryOperator, UnaryOperator};
use super::types::{is_address, is_integer};

/// A checked rule, independent of product and device. The product's quantities are read at run time.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// The processes; the first process is the default.
    pub processes: Vec<Process>,
    /// The actors, each a thread of a process. The first actor is the default.
    pub actors: List<ActorId, Actor>,
    /// The drawn axes: the domains of `forall` in order, then one axis for each `choose`.
    pub axes: List<AxisId, Axis>,
    /// A condition on the drawn values.
    pub condition: Option<Expression>,
    pub variables: List<VariableId, Variable>,
    /// The size in bytes of a frame that holds all variables.
    pub frame: usize,
    pub statements: Vec<Statement>,
    /// The values to record after a case, each with name, expression and type.
    pub observe: Vec<(String, Expression, Type)>,
    /// The functions that the steps call, without duplicates, in the order of first use. Calls refer to functions by
    /// position.
    pub functions: Vec<&'static Function>,
    /// For each function, the type of codes that it returns, by its position in the environment.
    pub results: Vec<Option<usize>>,
    /// The structs whose layout the steps use, directly, through a pointer or as a field, without duplicates.
    #[serde(deserialize_with = "abi::form::read_names")]
    pub structs: Vec<&'static str>,
    /// C strings that expressions point to, each with its terminating zero.
    pub texts: Vec<Box<[u8]>>,
    /// True if the steps or a domain reads the number of devices.
    pub counts_devices: bool,
    /// The number of call sites.
    pub calls: usize,
    /// The arguments through which calls store a descriptor.
    pub exports: Vec<Export>,
    /// True if a case may open or close descriptors.
    pub opens_descriptors: bool,
    /// The number of statements, including nested ones. Their ids run from 0 to statement_count - 1.
    pub statement_count: usize,
    /// The names of grounds in the steps, without duplicates, each with the place of its first use.
    pub grounds: Vec<syntax::Identifier>,
    /// The text of the steps, with set-ups expanded.
    pub source: String,
    /// The places where the steps use set-ups.
    pub givens: Vec<GivenUse>,
    /// The named sets of codes in the text.
    pub sets: Vec<syntax::SetUse>,
}

/// A process that performs statements.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Process {
    pub name: String,
    /// The device that the process works on, by its position among the devices under test.
    pub device: u32,
    pub state: Readiness,
    pub sharing: Sharing,
    pub sight: Sight,
}

/// The devices that a process sees, which the runtime reads in an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sight {
    /// Those of the rule.
    #[default]
    Rule,
    /// All devices of the machine, because the variable is not set.
    All,
    /// A value for the variable, with the rule's devices by their positions: `sees "1,x"`.
    Listed(String),
}

impl Sight {
    /// The value of the variable for a rule with these devices, by their names on the machine; empty if the names are
    /// the positions. `None` if the process is like others.
    pub fn listed(&self, names: &[String]) -> Option<String> {
        let Sight::Listed(text) = self else { return None };
        // A part that is not a position stays as it is: the rule wants a mistake there.
        let part = |part: &str| match part.parse::<usize>().ok().and_then(|position| names.get(position)) {
            Some(name) => name.clone(),
            None => part.to_owned(),
        };
        Some(text.split(',').map(part).collect::<Vec<_>>().join(","))
    }
}

/// The other users of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sharing {
    /// All rules without special needs.
    Pooled,
    /// Rules that may leave the process unusable, one rule after another while their cases pass: `apart`.
    Apart,
    /// Only the cases of one rule: `own`.
    Own,
    /// No other users, because the process is started for one case: `isolated`.
    Isolated,
}

/// The readiness of a process or thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Readiness {
    /// The library is loaded, but no function has been called.
    Loaded,
    /// The runtime is initialized.
    Init,
    /// A device is selected.
    Device,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Actor {
    pub name: String,
    /// The position in [`Program::processes`].
    pub process: usize,
    /// The thread's readiness; `None` for the process's main thread.
    pub thread: Option<Readiness>,
}

/// One dimension of the input space.
#[derive(Debug, Serialize, Deserialize)]
pub struct Axis {
    pub name: String,
    pub domain: Domain,
    /// The type of the axis's values as the steps see them.
    pub ty: Type,
}

/// The domain of an axis. Bounds may read earlier axes, the product's quantities and `devices`.
#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "a rule has a handful of axes, made once")]
pub enum Domain {
    /// Log-uniform sizes in bytes.
    Bytes(Range),
    /// Uniform integers.
    Integer(Range),
    /// A sample of values; with `every`, each value at least once.
    OneOf {
        values: Vec<Expression>,
        /// The values as written.
        written: Vec<String>,
        every: bool,
    },
    /// Each integer in a range, at least once.
    EveryOf(Range),
    /// Positions in [`Program::texts`], each used at least once.
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
    /// The steps of a `sequence`, each as one number.
    Sequence(Sequence),
    /// A list with one quantity of each step of a sequence.
    Column {
        sequence: AxisId,
        part: Part,
    },
    LengthOf(AxisId),
    IndexOf(AxisId),
    /// A device number.
    Device,
    /// The alternatives of a `choose`, by name.
    Choice(Vec<String>),
}

/// An inclusive range of integers, all multiples of `multiple_of`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Range {
    pub low: Expression,
    pub high: Expression,
    pub multiple_of: Option<Expression>,
}

/// An argument through which a call stores a descriptor of its process.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Export {
    /// The number of the call site.
    pub site: usize,
    /// The position of the argument.
    pub argument: usize,
    /// The variable that holds the descriptor.
    pub variable: VariableId,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    /// The actor that owns the variable.
    pub actor: ActorId,
    /// The type of the variable or, for an array, of one element.
    pub ty: Type,
    /// True for an array. It is stored in the case's arena; the frame holds its address and length.
    pub array: bool,
    /// The variable's offset in the frame, in bytes.
    pub offset: usize,
    /// True if the variable is read by a process other than the process that binds it.
    pub shared: bool,
    /// The space of a pointer, if it is known. For an integer: whether it is a descriptor.
    #[serde(serialize_with = "write_space", deserialize_with = "read_space")]
    pub space: Option<Space>,
}

/// The spaces of variables, by their stored codes. In YAML, only the first two have a name.
const SPACES: [Option<Space>; 5] =
    [None, Some(Space::Host), Some(Space::Device), Some(Space::Gate), Some(Space::Descriptor)];

fn write_space<S: Serializer>(space: &Option<Space>, serializer: S) -> Result<S::Ok, S::Error> {
    let code = SPACES.iter().position(|known| known == space).unwrap_or_default();
    serializer.serialize_u8(code as u8)
}

fn read_space<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Space>, D::Error> {
    let code = u8::deserialize(deserializer)?;
    let found = SPACES.get(usize::from(code)).copied();
    found.ok_or_else(|| serde::de::Error::custom(format!("no space has the code {code}")))
}

/// The side that may read and write through a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    Host,
    Device,
    // Neither side, because the value is a gate for `open`, `passed` and callbacks. A catalog cannot name this space.
    #[serde(skip)]
    Gate,
    // The process that opened it, because the value is an integer that names a file. A catalog lists such values under
    // `descriptors`.
    #[serde(skip)]
    Descriptor,
}

impl Space {
    /// True if a value of the type can be of this space: descriptors are integers, and addresses are pointers or
    /// integers of the same size. An integer is not a gate.
    pub(crate) fn holds(self, ty: Type) -> bool {
        match self {
            Space::Descriptor => is_integer(ty),
            Space::Host | Space::Device => {
                is_address(ty) || matches!(crate::types::plain(ty), Type::Integer { bytes: 8, .. })
            }
            Space::Gate => is_address(ty),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Statement {
    /// The statement's id, unique in the program. Ids follow the order of the text.
    pub id: StatementId,
    pub kind: StatementKind,
    pub span: Span,
    /// The actor that performs the statement; meaningless for control flow.
    pub actor: ActorId,
    /// True if a failure here blocks the rule instead of failing it.
    pub setup: bool,
    /// The ground of the statement's checks, by its position in [`Program::grounds`].
    pub rests_on: Option<usize>,
    /// Variables that this statement binds or changes and that other processes read.
    pub publishes: Vec<VariableId>,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum StatementKind {
    /// A call with its expected result.
    Call {
        call: Call,
        expect: Expect,
    },
    /// An expression evaluated for its effect.
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
    /// The axis determines which alternative runs.
    Choose {
        axis: AxisId,
        alternatives: Vec<Vec<Statement>>,
    },
    /// A nested block: either `control`, or one actor's statements.
    Block {
        control: bool,
        body: Vec<Statement>,
    },
    /// Lanes that run at once. They start together, and all of them end before the next statement.
    Together {
        /// The axis with a number for each lane, which says how long the lane pauses between its statements.
        jitter: AxisId,
        lanes: Vec<Lane>,
    },
    /// A call that runs until the actor's next `End`, while other actors act.
    Begin {
        call: Call,
    },
    /// The result of the call that the actor began.
    End {
        /// The function, by its position in [`Program::functions`].
        function: usize,
        /// The call that began.
        call: Span,
        expect: Expect,
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

/// The statements that one actor performs in `together`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lane {
    pub actor: ActorId,
    pub body: Vec<Statement>,
}

/// The expected result of a call.
#[derive(Debug, Serialize, Deserialize)]
pub enum Expect {
    Success,
    /// The call must fail with an error code; if `codes` is given, with one of these codes.
    Failure {
        codes: Vec<Expression>,
        usually: bool,
        /// The result is reported, but never judged.
        info: bool,
    },
}

/// A call to one of the runtime's functions.
#[derive(Debug, Serialize, Deserialize)]
pub struct Call {
    /// The position in [`Program::functions`].
    pub function: usize,
    pub arguments: Vec<Argument>,
    /// The number of the call site.
    pub site: usize,
    pub span: Span,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Argument {
    /// A value that must fit in the parameter's type.
    Value { value: Expression, ty: Type },
    /// An out-variable. It is poisoned before the call, and a successful call must have written it.
    Out { place: Place, bytes: usize },
}

/// A place in memory that can be read, written, and pointed to.
#[derive(Debug, Serialize, Deserialize)]
pub struct Place {
    pub root: Root,
    /// A constant offset in bytes.
    pub offset: usize,
    /// Indices, each with the distance between elements in bytes.
    pub indices: Vec<(Expression, usize)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Root {
    Variable(VariableId),
    Pointer(Box<Expression>),
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Expression {
    Constant(i128),
    /// The address of a text.
    Text(usize),
    /// The value of an axis.
    Axis(AxisId),
    /// An item in the list that an axis drew.
    AxisItem {
        axis: AxisId,
        index: Box<Expression>,
    },
    /// One of the product's documented quantities, by name.
    Fact(String),
    /// The number of devices.
    Devices,
    /// The run's time limit for an expected event, in milliseconds.
    Patience,
    /// The device of the process that evaluates the expression.
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
    /// The difference between two pointers, in elements.
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

    /// True if the steps contain `together`.
    pub fn has_lanes(&self) -> bool {
        let mut blocks = vec![self.statements.as_slice()];
        while let Some(block) = blocks.pop() {
            for statement in block {
                if matches!(statement.kind, StatementKind::Together { .. }) {
                    return true;
                }
                blocks.extend(statement.kind.blocks());
            }
        }
        false
    }

    /// True if all processes of the program have this kind of sharing.
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

    /// The rule's text as written, from the texts of its uses of set-ups.
    pub fn written_text(&self, uses: &[String]) -> String {
        let (mut text, mut at) = (String::new(), 0);
        for (given, written) in self.givens.iter().zip(uses) {
            text += self.source.get(at..given.stands_for.start).unwrap_or_default();
            text += written;
            at = given.stands_for.end;
        }
        text + self.source.get(at..).unwrap_or_default()
    }

    /// The place in the rule's text as written, where set-ups are not expanded.
    pub fn written(&self, span: Span) -> Span {
        GivenUse::written(&self.givens, span)
    }

    /// The names of the functions that the steps call.
    pub fn function_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.functions.iter().map(|function| function.name)
    }
}

impl Program {
    /// The rule's sequence and its axis.
    pub fn sequence(&self) -> Option<(AxisId, &Sequence)> {
        self.axes.entries().find_map(|(id, axis)| match &axis.domain {
            Domain::Sequence(sequence) => Some((id, sequence)),
            _ => None,
        })
    }

    /// True if a sequence determines the axis, so that nothing is drawn for it.
    pub fn is_part_of_sequence(&self, axis: AxisId) -> bool {
        match &self.axes[axis].domain {
            Domain::Column { .. } => true,
            Domain::LengthOf(list) => matches!(self.axes[*list].domain, Domain::Sequence(_)),
            _ => false,
        }
    }

    /// The value of an axis that a sequence determines.
    pub fn part_of_sequence(&self, axis: AxisId, values: &[Value]) -> Option<Value> {
        let Domain::LengthOf(list) = &self.axes[axis].domain else { return self.column(axis, values).map(Value::List) };
        match (&self.axes[*list].domain, values.get(list.index())) {
            (Domain::Sequence(_), Some(steps)) => Some(Value::Integer(steps.integer())),
            _ => None,
        }
    }

    /// The values of an axis that is a column of a sequence.
    pub(crate) fn column(&self, axis: AxisId, values: &[Value]) -> Option<Vec<i128>> {
        let Domain::Column { sequence, part } = &self.axes[axis].domain else { return None };
        let Domain::Sequence(steps) = &self.axes[*sequence].domain else { return None };
        match values.get(sequence.index()) {
            Some(Value::List(codes)) => Some(steps.column(part, codes)),
            _ => None,
        }
    }
}
