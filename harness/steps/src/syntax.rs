//! The syntax tree of the steps, before names and types are resolved.
//!
//! Trees are equal if they mean the same: places and the starts of word expansions are ignored.

use super::Span;

/// The steps of a rule as parsed.
#[derive(Debug)]
pub struct Steps {
    pub statements: Vec<Statement>,
    /// The named sets of codes and the markers of grounds, in text order.
    pub sets: Vec<SetUse>,
    /// The operations of the rule's `sequence`, whose statements are a loop in `statements`.
    pub sequence: Option<SequenceSyntax>,
}

/// The operations of a `sequence`.
#[derive(Debug)]
pub struct SequenceSyntax {
    pub span: Span,
    /// The greatest number of steps.
    pub most: Expression,
    pub operations: Vec<OperationSyntax>,
}

/// An operation of a `sequence`, without its statements.
#[derive(Debug)]
pub struct OperationSyntax {
    pub name: Identifier,
    pub parameters: Vec<ParameterSyntax>,
}

#[derive(Debug)]
pub struct ParameterSyntax {
    pub name: Identifier,
    pub values: ParameterValues,
}

/// The values of an operation's parameter, as written.
#[derive(Debug)]
pub enum ParameterValues {
    /// `slot < 4`: the integers from 0 to 3.
    Below(Expression),
    /// `size in {4096, 65536}`.
    In(Vec<Expression>),
}

/// A named set or a marker in the steps.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct SetUse {
    pub span: Span,
    /// The set written out, without its name; empty for a marker.
    pub written: String,
}

/// One statement, with the actor that performs it if the text names one.
#[derive(Debug)]
pub struct Statement {
    pub actor: Option<Identifier>,
    /// The ground of the statement's checks: `[name]`. A block's ground also applies to its statements.
    pub rests_on: Option<Identifier>,
    pub kind: StatementKind,
    pub span: Span,
    /// True for the first statement of a word's expansion.
    pub begins_word: bool,
}

/// A name with its place.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Identifier {
    pub name: String,
    pub span: Span,
}

/// The release of a resource, as written.
#[derive(Debug)]
pub struct ReleaseSyntax {
    pub function: String,
    /// The place of the function's name.
    pub span: Span,
    /// `None` if only the function is written; the handle is then its only argument.
    pub arguments: Option<Vec<Expression>>,
}

#[derive(Debug, PartialEq)]
pub enum StatementKind {
    /// The end of the set-up: everything before it belongs to the set-up.
    SetupEnd,
    Empty,
    /// An expression: a bare call, an action by a built-in, or a check.
    Expression {
        expression: Expression,
        expect: Option<Expect>,
        info: bool,
    },
    Declaration(Declaration),
    Assignment {
        target: Expression,
        operator: Option<BinaryOperator>,
        value: Expression,
    },
    For {
        variable: String,
        bound: Expression,
        body: Vec<Statement>,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        /// Empty if there is no `else`.
        otherwise: Vec<Statement>,
    },
    Choose {
        alternatives: Vec<(String, Vec<Statement>)>,
    },
    Control(Vec<Statement>),
    Setup(Vec<Statement>),
    Group(Vec<Statement>),
    /// Blocks that different actors perform at once.
    Together(Vec<Lane>),
    Defer(Expression),
    Refuse {
        call: Expression,
        until: Option<Expression>,
        unless: Vec<Statement>,
    },
    /// A call that runs while other actors act.
    Begin(Expression),
    /// The end of the call that the actor began, with its expected result.
    End(Option<Expect>),
    Exit(Identifier),
    Kill(Identifier),
}

/// The statements of one actor in `together`.
#[derive(Debug)]
pub struct Lane {
    pub actor: Identifier,
    pub body: Vec<Statement>,
    pub span: Span,
}

#[derive(Debug, PartialEq)]
pub struct Declaration {
    pub ty: TypeName,
    pub pointers: usize,
    pub name: Identifier,
    pub length: Option<Expression>,
    pub value: Option<Initializer>,
}

/// The expected result for a call that must fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// Codes that the documents name. Empty: any error code.
    pub codes: Vec<Expression>,
    /// True if other error codes are recorded but not judged.
    pub usually: bool,
}

#[derive(Debug)]
pub enum Initializer {
    Expression(Expression),
    /// `{0}` or `{.field = …}`.
    Fields {
        fields: Vec<(Vec<String>, Expression)>,
        span: Span,
    },
}

#[derive(Debug, Clone)]
pub struct TypeName {
    pub name: String,
    pub constant: bool,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

impl PartialEq for Statement {
    fn eq(&self, other: &Statement) -> bool {
        (&self.actor, &self.rests_on, &self.kind) == (&other.actor, &other.rests_on, &other.kind)
    }
}

impl PartialEq for Lane {
    fn eq(&self, other: &Lane) -> bool {
        (&self.actor, &self.body) == (&other.actor, &other.body)
    }
}

impl PartialEq for Identifier {
    fn eq(&self, other: &Identifier) -> bool {
        self.name == other.name
    }
}

impl PartialEq for Initializer {
    fn eq(&self, other: &Initializer) -> bool {
        use Initializer::{Expression, Fields};
        match (self, other) {
            (Expression(value), Expression(other)) => value == other,
            (Fields { fields, .. }, Fields { fields: others, .. }) => fields == others,
            (Expression(_), Fields { .. }) | (Fields { .. }, Expression(_)) => false,
        }
    }
}

impl PartialEq for TypeName {
    fn eq(&self, other: &TypeName) -> bool {
        (&self.name, self.constant) == (&other.name, other.constant)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.kind == other.kind
    }
}

impl Expression {
    /// The expressions directly inside this one, in text order.
    pub fn parts(&self) -> Vec<&Expression> {
        use ExpressionKind::*;
        match &self.kind {
            Integer(_) | Text(_) | Name(_) | SizeOf { .. } => Vec::new(),
            Call { arguments, .. } => arguments.iter().collect(),
            Member { of, .. } | AddressOf(of) | Dereference(of) | Unary(_, of) | Cast { of, .. } => vec![of],
            Index { of: left, index: right } | Binary(_, left, right) => vec![left, right],
            Conditional(condition, then, otherwise) => vec![condition, then, otherwise],
            In(of, values) => std::iter::once(&**of).chain(values).collect(),
        }
    }

    /// As [`Expression::parts`], but mutable.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Expression> {
        use ExpressionKind::*;
        match &mut self.kind {
            Integer(_) | Text(_) | Name(_) | SizeOf { .. } => Vec::new(),
            Call { arguments, .. } => arguments.iter_mut().collect(),
            Member { of, .. } | AddressOf(of) | Dereference(of) | Unary(_, of) | Cast { of, .. } => vec![of],
            Index { of: left, index: right } | Binary(_, left, right) => vec![left, right],
            Conditional(condition, then, otherwise) => vec![condition, then, otherwise],
            In(of, values) => std::iter::once(&mut **of).chain(values).collect(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    Integer(i128),
    Text(String),
    Name(String),
    Call { function: String, arguments: Vec<Expression> },
    Member { of: Box<Expression>, name: String },
    Index { of: Box<Expression>, index: Box<Expression> },
    AddressOf(Box<Expression>),
    Dereference(Box<Expression>),
    Unary(UnaryOperator, Box<Expression>),
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    Cast { ty: TypeName, pointers: usize, of: Box<Expression> },
    SizeOf { ty: TypeName, pointers: usize },
    In(Box<Expression>, Vec<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum UnaryOperator {
    Not,
    Complement,
    Minus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl BinaryOperator {
    /// The operators in C notation with their precedence. Larger numbers bind more tightly.
    const WRITTEN: [(&str, BinaryOperator, u8); 18] = [
        ("||", BinaryOperator::Or, 1),
        ("&&", BinaryOperator::And, 2),
        ("|", BinaryOperator::BitOr, 3),
        ("^", BinaryOperator::BitXor, 4),
        ("&", BinaryOperator::BitAnd, 5),
        ("==", BinaryOperator::Equal, 6),
        ("!=", BinaryOperator::NotEqual, 6),
        ("<", BinaryOperator::Less, 7),
        ("<=", BinaryOperator::LessEqual, 7),
        (">", BinaryOperator::Greater, 7),
        (">=", BinaryOperator::GreaterEqual, 7),
        ("<<", BinaryOperator::ShiftLeft, 8),
        (">>", BinaryOperator::ShiftRight, 8),
        ("+", BinaryOperator::Add, 9),
        ("-", BinaryOperator::Subtract, 9),
        ("*", BinaryOperator::Multiply, 10),
        ("/", BinaryOperator::Divide, 10),
        ("%", BinaryOperator::Remainder, 10),
    ];

    /// The operator for a symbol in C notation, and its precedence.
    pub(crate) fn read(symbol: &str) -> Option<(BinaryOperator, u8)> {
        let found = BinaryOperator::WRITTEN.iter().find(|(known, ..)| *known == symbol);
        found.map(|(_, operator, precedence)| (*operator, *precedence))
    }

    fn written(self) -> (&'static str, BinaryOperator, u8) {
        let found = BinaryOperator::WRITTEN.into_iter().find(|(_, known, _)| *known == self);
        found.expect("the table has every operator")
    }

    /// The operator in C notation.
    pub fn symbol(self) -> &'static str {
        self.written().0
    }

    /// The operator's precedence in C, from 1 to 10.
    pub fn precedence(self) -> u8 {
        self.written().2
    }

    /// True if the result is 0 or 1.
    pub fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }
}
