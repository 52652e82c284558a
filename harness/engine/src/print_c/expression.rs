//! Prints expressions as C.

use abi::Type;
use steps::ActorId;
use steps::builtins::{Parameter, builtin};
use steps::program::Variable;
use steps::syntax::{BinaryOperator, Expression, ExpressionKind, TypeName, UnaryOperator};
use steps::types::is_integer;

use super::actors::owner;
use super::printer::Printer;
use super::text::{c_name, c_text, number};

/// C's precedence levels.
const CONDITIONAL: u8 = 0;
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

impl Printer<'_> {
    /// An expression without parentheses around it: an argument or a complete statement.
    pub(super) fn expression(&self, of: &Expression) -> String {
        self.inside(of, CONDITIONAL)
    }

    /// An expression as the right operand of `<`.
    pub(super) fn limit(&self, of: &Expression) -> String {
        self.inside(of, BinaryOperator::Less.precedence() + 1)
    }

    /// An expression as a factor.
    pub(super) fn factor(&self, of: &Expression) -> String {
        self.inside(of, BinaryOperator::Multiply.precedence())
    }

    /// An expression inside another expression, parenthesized unless the inner expression binds at least as tightly as
    /// `least`.
    fn inside(&self, of: &Expression, least: u8) -> String {
        let (text, binds) = self.bare(of);
        if binds < least { format!("({text})") } else { text }
    }

    fn bare(&self, of: &Expression) -> (String, u8) {
        match &of.kind {
            ExpressionKind::Integer(value) => (self.integer(of, *value), POSTFIX),
            ExpressionKind::Text(text) => (c_text(text.as_bytes()), POSTFIX),
            ExpressionKind::Name(name) => (self.name(name), POSTFIX),
            ExpressionKind::Call { function, arguments } if function == "hook" => (self.hook(arguments), POSTFIX),
            ExpressionKind::Call { function, arguments } if function == "handed" => {
                (format!("handed({})", arguments.first().and_then(owner).unwrap_or_default()), POSTFIX)
            }
            ExpressionKind::Call { function, arguments } => (self.call(function, arguments), POSTFIX),
            ExpressionKind::Member { of, name } => (self.member(of, name), POSTFIX),
            ExpressionKind::Index { of, index } => {
                (format!("{}[{}]", self.inside(of, POSTFIX), self.expression(index)), POSTFIX)
            }
            ExpressionKind::AddressOf(of) => (format!("&{}", self.inside(of, UNARY)), UNARY),
            ExpressionKind::Dereference(of) => (format!("*{}", self.inside(of, UNARY)), UNARY),
            ExpressionKind::Unary(UnaryOperator::Minus, of) if matches!(of.kind, ExpressionKind::Integer(value) if value == -i128::from(i64::MIN)) => {
                ("INT64_MIN".to_owned(), POSTFIX)
            }
            ExpressionKind::Unary(operator, of) => {
                let symbol = match operator {
                    UnaryOperator::Not => "!",
                    UnaryOperator::Complement => "~",
                    UnaryOperator::Minus => "-",
                };
                // `- -x` and `!!x`: a unary operator inside another operator is parenthesized, so that `- -` is not
                // read as `--`.
                (format!("{symbol}{}", self.inside(of, POSTFIX)), UNARY)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let binds = operator.precedence();
                let side = |side: &Expression, least: u8| match &side.kind {
                    ExpressionKind::Binary(inner, ..) if unclear(*operator, *inner) => {
                        format!("({})", self.expression(side))
                    }
                    _ => self.inside(side, least),
                };
                (format!("{} {} {}", side(left, binds), operator.symbol(), side(right, binds + 1)), binds)
            }
            ExpressionKind::Conditional(condition, then, otherwise) => (
                format!(
                    "{} ? {} : {}",
                    self.inside(condition, CONDITIONAL + 1),
                    self.inside(then, CONDITIONAL + 1),
                    self.inside(otherwise, CONDITIONAL)
                ),
                CONDITIONAL,
            ),
            ExpressionKind::Cast { ty, pointers, of } => {
                (format!("({}){}", self.written_type(ty, *pointers, ""), self.inside(of, UNARY)), UNARY)
            }
            ExpressionKind::SizeOf { ty, pointers } => {
                (format!("sizeof({})", self.written_type(ty, *pointers, "")), UNARY)
            }
            ExpressionKind::In(of, values) => (format!("IN({}, {})", self.expression(of), self.list(values)), POSTFIX),
        }
    }

    /// Expressions separated by commas.
    pub(super) fn list(&self, values: &[Expression]) -> String {
        values.iter().map(|value| self.expression(value)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn call(&self, function: &str, arguments: &[Expression]) -> String {
        let parameters = builtin(function).map_or(&[][..], |builtin| builtin.parameters);
        let argument = |(position, argument): (usize, &Expression)| match self.kept.get(&argument.span.start) {
            Some(name) => format!("({name} = {})", self.expression(argument)),
            None if matches!(parameters.get(position), Some(Parameter::Memory | Parameter::Address))
                && self.is_number(argument) =>
            {
                format!("(void *)(uintptr_t){}", self.inside(argument, UNARY))
            }
            None => self.expression(argument),
        };
        // Other lanes may use the same lists.
        let lane = if self.in_lane && matches!(function, "host" | "pattern" | "file") { "lane_" } else { "" };
        format!("{lane}{function}({})", arguments.iter().enumerate().map(argument).collect::<Vec<_>>().join(", "))
    }

    /// True if an expression is an integer in C. The integer is then an address.
    fn is_number(&self, of: &Expression) -> bool {
        let declarations = &self.rules.environment.declarations;
        let variable = |actor: ActorId, name: &str, array: bool| {
            let known = |known: &&Variable| known.actor == actor && known.name == name;
            self.program.variables.iter().filter(known).any(|known| is_integer(known.ty) && known.array == array)
        };
        match &of.kind {
            ExpressionKind::Integer(_) => true,
            ExpressionKind::Name(name) if self.is_variable(self.actor, name) => variable(self.actor, name, false),
            // An axis, the counter of a loop, or a constant.
            ExpressionKind::Name(name) => declarations.cast(name).is_none_or(is_integer) && name != "NULL",
            ExpressionKind::Index { of, .. } => match &of.kind {
                ExpressionKind::Name(name) => variable(self.actor, name, true),
                _ => false,
            },
            ExpressionKind::Member { of, name } => match &of.kind {
                ExpressionKind::Name(owner) if !self.is_variable(self.actor, owner) => {
                    let actor = self.program.actors.position(|actor| actor.name == *owner);
                    actor.is_some_and(|actor| variable(actor, name, false))
                }
                _ => false,
            },
            ExpressionKind::Cast { ty, pointers: 0, .. } => declarations.ty(&ty.name).is_some_and(is_integer),
            ExpressionKind::Call { function, .. } => {
                let returns = declarations.function(function).map(|function| function.returns);
                returns.or(builtin(function).map(|builtin| builtin.returns)).is_some_and(is_integer)
            }
            ExpressionKind::Binary(_, left, right) => self.is_number(left) && self.is_number(right),
            ExpressionKind::Conditional(_, then, otherwise) => self.is_number(then) && self.is_number(otherwise),
            _ => false,
        }
    }

    /// A number in the rule's notation: hexadecimal numbers and characters keep their form.
    fn integer(&self, of: &Expression, value: i128) -> String {
        let written = self.source.get(of.span.start..of.span.end).unwrap_or_default();
        let kept = written.starts_with("0x") || written.starts_with("0X") || written.starts_with('\'');
        let suffixed = written.ends_with(|last: char| last.is_ascii_alphabetic()) && value <= i128::from(i64::MAX);
        let plain = written.chars().all(|c| c.is_ascii_alphanumeric());
        if kept || (suffixed && plain) { written.to_owned() } else { number(value) }
    }

    fn name(&self, name: &str) -> String {
        if self.loops.iter().any(|known| known == name) || self.program.axes.iter().any(|axis| axis.name == name) {
            return c_name(name);
        }
        let constant = self.rules.environment.declarations.constant(name).is_some();
        if constant || matches!(name, "devices" | "patience" | "product") || !self.is_variable(self.actor, name) {
            return name.to_owned();
        }
        self.variable_name(self.actor, name)
    }

    fn member(&self, of: &Expression, name: &str) -> String {
        if let ExpressionKind::Name(owner) = &of.kind
            && !self.is_variable(self.actor, owner)
            && let Some(actor) = self.program.actors.position(|actor| actor.name == *owner)
        {
            return self.variable_name(actor, name);
        }
        format!("{}.{name}", self.inside(of, POSTFIX))
    }

    fn is_variable(&self, actor: ActorId, name: &str) -> bool {
        self.program.variables.iter().any(|variable| variable.actor == actor && variable.name == name)
    }

    /// The C name of an actor's variable. With several actors, the name has the actor's name as a prefix.
    pub(super) fn variable_name(&self, actor: ActorId, name: &str) -> String {
        if self.program.actors.len() == 1 {
            return c_name(name);
        }
        let shared = if self.shares(actor, name) { "shared->" } else { "" };
        format!("{shared}{}_{name}", self.program.actors[actor].name)
    }

    /// True if other processes know an actor's variable with this name. In C, all of the actor's variables with the
    /// same name are one variable.
    fn shares(&self, actor: ActorId, name: &str) -> bool {
        let mut variables = self.program.variables.iter();
        variables.any(|variable| variable.actor == actor && variable.name == name && variable.shared)
    }

    /// A type in the rule's notation, with the declared name. A tag gets its keyword.
    pub(super) fn written_type(&self, ty: &TypeName, pointers: usize, name: &str) -> String {
        let written = match self.rules.environment.declarations.ty(&ty.name) {
            Some(Type::Struct(own) | Type::Enumeration { name: own, .. }) if own.contains(' ') => own,
            _ => &ty.name,
        };
        let constant = if ty.constant { "const " } else { "" };
        let declared = format!("{}{name}", "*".repeat(pointers));
        if declared.is_empty() { format!("{constant}{written}") } else { format!("{constant}{written} {declared}") }
    }

    pub(super) fn is_shared(&self, variable: &Variable) -> bool {
        self.shares(variable.actor, &variable.name)
    }
}

/// True if compilers want parentheses around the inner operator although precedence does not require parentheses.
fn unclear(outer: BinaryOperator, inner: BinaryOperator) -> bool {
    use BinaryOperator::*;
    let arithmetic = |operator| matches!(operator, Add | Subtract | Multiply | Divide | Remainder);
    match outer {
        Or | And => inner != outer && !inner.is_comparison(),
        BitOr | BitXor | BitAnd => inner != outer,
        ShiftLeft | ShiftRight => true,
        _ if outer.is_comparison() => !arithmetic(inner),
        _ => false,
    }
}
