//! Prints the syntax tree as text: the reverse of `GRAMMAR.md`.
//!
//! Parsing the text gives the same tree. Words and named sets are printed in expanded form, and comments are dropped.

use super::ParseError;
use super::check::{Environment, syntax_of, with_names};
use super::parse::parse_steps;
use super::program::Program;
use super::syntax::{
    Declaration, Expect, Expression, ExpressionKind, Initializer, Lane, Statement, StatementKind, TypeName,
    UnaryOperator,
};

/// The lowest precedence, on the scale of [`super::syntax::BinaryOperator::precedence`].
const ANY: u8 = 0;
const COMPARISON: u8 = 7;
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

/// The text of a `steps` block.
pub fn steps_text(statements: &[Statement]) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    printer.statements(statements);
    printer.out
}

/// The steps of a program, after they are printed and parsed again.
///
/// # Errors
/// Fails if the printed text does not parse, which is a bug.
pub fn parsed_again(program: &Program, environment: &Environment) -> Result<Vec<Statement>, ParseError> {
    let text = steps_text(&syntax_of(program, environment)?);
    with_names(program, environment, |names| parse_steps(&text, names)).map(|steps| steps.statements)
}

/// The text of an expression.
fn expression_text(of: &Expression) -> String {
    inside(of, ANY)
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        (0..self.depth).for_each(|_| self.out.push_str("  "));
        if let Some(actor) = &statement.actor {
            self.out += &format!("{}: ", actor.name);
        }
        if matches!(statement.kind, StatementKind::Expression { info: true, .. }) {
            self.out += "[info] ";
        }
        if let Some(ground) = &statement.rests_on {
            // Without the blank, `[info]` would be read as a token.
            let blank = if ground.name == "info" { " " } else { "" };
            self.out += &format!("[{}{blank}] ", ground.name);
        }
        self.kind(&statement.kind);
        self.out.push('\n');
    }

    fn kind(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::For { variable, bound, body } => {
                self.block(&format!("for ({variable} < {}) ", expression_text(bound)), body);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.block(&format!("if ({}) ", expression_text(condition)), then);
                if !otherwise.is_empty() {
                    self.block(" else ", otherwise);
                }
            }
            StatementKind::Choose { alternatives } => self.choose(alternatives),
            StatementKind::Control(body) => self.block("control ", body),
            StatementKind::Setup(body) => self.block("setup ", body),
            StatementKind::Group(body) => self.block("", body),
            StatementKind::Together(lanes) => self.together(lanes),
            StatementKind::Refuse { call, until, unless } => {
                let until = until.as_ref().map(|until| format!("until {} ", expression_text(until)));
                let until = until.unwrap_or_default();
                self.block(&format!("refuse {} {until}unless ", expression_text(call)), unless);
            }
            leaf => self.out += &leaf_text(leaf),
        }
    }

    fn block(&mut self, head: &str, body: &[Statement]) {
        self.out += head;
        self.out += "{\n";
        self.depth += 1;
        self.statements(body);
        self.depth -= 1;
        self.close();
    }

    fn close(&mut self) {
        (0..self.depth).for_each(|_| self.out.push_str("  "));
        self.out.push('}');
    }

    fn together(&mut self, lanes: &[Lane]) {
        self.out += "together {\n";
        self.depth += 1;
        for lane in lanes {
            (0..self.depth).for_each(|_| self.out.push_str("  "));
            self.block(&format!("{}: ", lane.actor.name), &lane.body);
            self.out.push('\n');
        }
        self.depth -= 1;
        self.close();
    }

    fn choose(&mut self, alternatives: &[(String, Vec<Statement>)]) {
        self.out += "choose {\n";
        self.depth += 1;
        for (name, body) in alternatives {
            (0..self.depth).for_each(|_| self.out.push_str("  "));
            self.block(&format!("{name}: "), body);
            self.out.push('\n');
        }
        self.depth -= 1;
        self.close();
    }
}

/// The text of a statement that contains no block.
fn leaf_text(kind: &StatementKind) -> String {
    match kind {
        // The end of the set-up is alone on its line, without an actor.
        StatementKind::SetupEnd => "\n---".to_owned(),
        StatementKind::Expression { expression, expect, .. } => {
            let expect = expect.as_ref().map(expect_text).unwrap_or_default();
            format!("{}{expect};", expression_text(expression))
        }
        StatementKind::Declaration(declaration) => declaration_text(declaration),
        StatementKind::Assignment { target, operator, value } => {
            let operator = operator.map_or("", |operator| operator.symbol());
            format!("{} {operator}= {};", expression_text(target), expression_text(value))
        }
        StatementKind::Defer(call) => format!("defer {};", expression_text(call)),
        StatementKind::Begin(call) => format!("begin {};", expression_text(call)),
        StatementKind::End(expect) => format!("end{};", expect.as_ref().map(expect_text).unwrap_or_default()),
        StatementKind::Exit(actor) => format!("exit {};", actor.name),
        StatementKind::Kill(actor) => format!("kill {};", actor.name),
        _ => ";".to_owned(),
    }
}

fn expect_text(expect: &Expect) -> String {
    let usually = if expect.usually { ", usually" } else { "" };
    let codes = if expect.codes.is_empty() { String::new() } else { format!(" {{{}}}", list(&expect.codes)) };
    format!(" fails{usually}{codes}")
}

fn declaration_text(declaration: &Declaration) -> String {
    let Declaration { ty, pointers, name, length, value } = declaration;
    let length = length.as_ref().map(|length| format!("[{}]", expression_text(length))).unwrap_or_default();
    let value = value.as_ref().map(|value| format!(" = {}", initializer_text(value))).unwrap_or_default();
    format!("{} {}{length}{value};", type_text(ty, *pointers), name.name)
}

fn initializer_text(value: &Initializer) -> String {
    match value {
        Initializer::Expression(value) => expression_text(value),
        Initializer::Fields { fields, .. } if fields.is_empty() => "{0}".to_owned(),
        Initializer::Fields { fields, .. } => {
            let fields: Vec<String> = fields.iter().map(|(path, value)| field_text(path, value)).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// A nested initializer: `.a = {.b = value}`.
fn field_text(path: &[String], value: &Expression) -> String {
    let mut text = expression_text(value);
    for (level, name) in path.iter().rev().enumerate() {
        text = if level == 0 { format!(".{name} = {text}") } else { format!(".{name} = {{{text}}}") };
    }
    text
}

fn type_text(ty: &TypeName, pointers: usize) -> String {
    let constant = if ty.constant { "const " } else { "" };
    let stars = if pointers > 0 { format!(" {}", "*".repeat(pointers)) } else { String::new() };
    format!("{constant}{}{stars}", ty.name)
}

/// A list of expressions, separated by commas.
fn list(values: &[Expression]) -> String {
    values.iter().map(expression_text).collect::<Vec<_>>().join(", ")
}

/// The text of an expression, in parentheses if it binds less tightly than `least`.
fn inside(of: &Expression, least: u8) -> String {
    let (text, binds) = bare(&of.kind);
    if binds < least { format!("({text})") } else { text }
}

fn bare(kind: &ExpressionKind) -> (String, u8) {
    match kind {
        ExpressionKind::Integer(value) => (value.to_string(), POSTFIX),
        ExpressionKind::Text(text) => (quoted(text), POSTFIX),
        ExpressionKind::Name(name) => (name.clone(), POSTFIX),
        ExpressionKind::Call { function, arguments } => (format!("{function}({})", list(arguments)), POSTFIX),
        ExpressionKind::Member { of, name } => (format!("{}.{name}", inside(of, POSTFIX)), POSTFIX),
        ExpressionKind::Index { of, index } => {
            (format!("{}[{}]", inside(of, POSTFIX), expression_text(index)), POSTFIX)
        }
        ExpressionKind::AddressOf(of) => prefixed("&", of),
        ExpressionKind::Dereference(of) => prefixed("*", of),
        ExpressionKind::Unary(UnaryOperator::Not, of) => prefixed("!", of),
        ExpressionKind::Unary(UnaryOperator::Complement, of) => prefixed("~", of),
        ExpressionKind::Unary(UnaryOperator::Minus, of) => prefixed("-", of),
        ExpressionKind::Cast { ty, pointers, of } => {
            (format!("({}){}", type_text(ty, *pointers), inside(of, UNARY)), UNARY)
        }
        ExpressionKind::SizeOf { ty, pointers } => (format!("sizeof({})", type_text(ty, *pointers)), UNARY),
        ExpressionKind::Binary(operator, left, right) => {
            let binds = operator.precedence();
            (format!("{} {} {}", inside(left, binds), operator.symbol(), inside(right, binds + 1)), binds)
        }
        ExpressionKind::In(of, values) => (format!("{} in {{{}}}", inside(of, COMPARISON), list(values)), COMPARISON),
        ExpressionKind::Conditional(condition, then, otherwise) => {
            let condition = inside(condition, ANY + 1);
            (format!("{condition} ? {} : {}", expression_text(then), expression_text(otherwise)), ANY)
        }
    }
}

/// An expression with a prefix operator. A blank separates two equal signs, because `& &x` without it would be read as
/// `&&x`.
fn prefixed(sign: &str, of: &Expression) -> (String, u8) {
    let of = inside(of, UNARY);
    let blank = if of.starts_with(sign) { " " } else { "" };
    (format!("{sign}{blank}{of}"), UNARY)
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\0' => out += "\\0",
            '"' | '\\' => out.extend(['\\', character]),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
