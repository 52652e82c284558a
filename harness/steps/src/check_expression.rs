//! Checks expressions and places.

use abi::Type;

use super::Span;
use super::check::{Checker, Typed};
use super::check_place::TypedPlace;
use super::ids::AxisId;
use super::program::{Domain, Expression, Space};
use super::suggest::hint;
use super::syntax::{BinaryOperator, Expression as Tree, ExpressionKind, TypeName, UnaryOperator};
use super::types::{INT, INT64, SIZE, TEXT, VOID_POINTER, c_name, is_address, plain, pointer_to, wrap};

impl Checker<'_> {
    /// Checks an expression whose value is used. Returns `None` if a problem was recorded.
    pub(crate) fn expression(&mut self, tree: &Tree) -> Option<Typed> {
        match &tree.kind {
            ExpressionKind::Integer(value) => Some(constant(*value, integer_type(*value))),
            ExpressionKind::Text(text) => {
                let position = self.text(text);
                Some(value(Expression::Text(position), TEXT))
            }
            ExpressionKind::Name(name) => self.name(name, tree),
            ExpressionKind::Member { of, name } => self.member(of, name, tree),
            ExpressionKind::Index { of, index } => self.index(of, index, tree),
            ExpressionKind::AddressOf(of) => {
                let place = self.place(of)?;
                Some(self.address(place))
            }
            ExpressionKind::Dereference(_) => self.load(tree),
            ExpressionKind::Unary(operator, of) => self.unary(*operator, of),
            ExpressionKind::Binary(operator, left, right) => self.binary(*operator, left, right, tree.span),
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let condition = self.expression(condition)?;
                let (then, otherwise) = (self.expression(then)?, self.expression(otherwise)?);
                let ty = if is_address(then.ty) || then.ty == otherwise.ty { then.ty } else { otherwise.ty };
                if is_address(then.ty) != is_address(otherwise.ty)
                    && then.constant != Some(0)
                    && otherwise.constant != Some(0)
                {
                    self.problem(tree.span, "the two values of `?:` have different types");
                }
                let space = if then.space == otherwise.space { then.space } else { None };
                let expression = Expression::Conditional(
                    Box::new(condition.expression),
                    Box::new(then.expression),
                    Box::new(otherwise.expression),
                );
                Some(Typed { space, ..value(expression, ty) })
            }
            ExpressionKind::Cast { ty, pointers, of } => {
                let ty = self.type_of(ty, *pointers)?;
                let of = self.expression(of)?;
                if matches!(ty, Type::Struct(_) | Type::Void | Type::Float { .. }) {
                    self.problem(tree.span, format!("a value cannot be cast to {}", c_name(ty)));
                }
                self.no_float(&of, tree.span)?;
                self.widens(&of, ty, tree.span);
                let space = of.space.filter(|space| space.holds(ty));
                let constant = of.constant.map(|value| wrap(ty, value));
                let expression = Expression::Cast(ty, Box::new(of.expression));
                Some(Typed { expression, ty, space, constant })
            }
            ExpressionKind::SizeOf { ty, pointers } => {
                let ty = self.type_of(ty, *pointers)?;
                Some(constant(self.environment.declarations.size(ty) as i128, SIZE))
            }
            ExpressionKind::In(of, values) => {
                let span = of.span;
                let of = self.expression(of)?;
                self.no_float(&of, span)?;
                self.has_a_sign(&of, span);
                let values = self.expressions(values)?;
                Some(value(Expression::In(Box::new(of.expression), values), INT))
            }
            ExpressionKind::Call { function, arguments } => self.call_value(function, arguments, tree.span),
        }
    }

    /// Checks expressions, and stops at the first problem.
    pub(super) fn expressions(&mut self, trees: &[Tree]) -> Option<Vec<Expression>> {
        trees.iter().map(|tree| self.expression(tree).map(|typed| typed.expression)).collect()
    }

    fn name(&mut self, name: &str, tree: &Tree) -> Option<Typed> {
        if let Some(axis) = self.axis_named(name) {
            return match self.program.axes[axis].domain {
                Domain::Sequence(_) => {
                    let message =
                        format!("`{name}` holds the drawn steps; read the parameters of an operation instead");
                    self.wrong(tree.span, message)
                }
                Domain::List { .. } | Domain::Permutation(_) | Domain::Column { .. } => {
                    self.wrong(tree.span, format!("`{name}` is a list; read its items as `{name}[i]`"))
                }
                _ => Some(value(Expression::Axis(axis), self.program.axes[axis].ty)),
            };
        }
        if name == "devices" {
            self.program.counts_devices = true;
            return Some(value(Expression::Devices, SIZE));
        }
        if name == "patience" {
            if self.constant_context {
                let message = "a domain cannot read `patience`: cases are the same on every machine";
                return self.wrong(tree.span, message);
            }
            return Some(value(Expression::Patience, INT));
        }
        if name == "device" && self.life_cycle {
            return Some(value(Expression::OwnDevice, INT));
        }
        if name == "NULL" {
            return Some(constant(0, VOID_POINTER));
        }
        if let Some(position) = self.operation_constant(name) {
            return Some(constant(position, SIZE));
        }
        if self.lookup(self.actor, name).is_none()
            && let Some((value, enumeration)) = self.environment.declarations.constant(name)
        {
            let ty = enumeration
                .and_then(|enumeration| self.environment.declarations.ty(enumeration.name))
                .or_else(|| self.environment.declarations.cast(name))
                .unwrap_or(integer_type(value));
            return Some(constant(value, ty));
        }
        self.load(tree)
    }

    /// The axis with a name. A variable in a sequence hides a parameter of another operation.
    fn axis_named(&self, name: &str) -> Option<AxisId> {
        let axis = self.program.axes.position(|axis| axis.name == name)?;
        let hidden = matches!(self.program.axes[axis].domain, Domain::Column { .. });
        (!hidden || self.lookup(self.actor, name).is_none()).then_some(axis)
    }

    fn member(&mut self, of: &Tree, name: &str, tree: &Tree) -> Option<Typed> {
        if let ExpressionKind::Name(owner) = &of.kind
            && owner == "product"
        {
            if !self.environment.facts.contains(name) {
                let hint = hint(name, self.environment.facts.iter().map(String::as_str));
                let message = format!("no product has a quantity `{name}` in products.yaml{hint}");
                return self.wrong(tree.span, message);
            }
            return Some(value(Expression::Fact(name.to_owned()), SIZE));
        }
        self.load(tree)
    }

    fn index(&mut self, of: &Tree, index: &Tree, tree: &Tree) -> Option<Typed> {
        if let ExpressionKind::Name(name) = &of.kind
            && let Some(axis) = self.axis_named(name)
        {
            let domain = &self.program.axes[axis].domain;
            if !matches!(domain, Domain::List { .. } | Domain::Permutation(_) | Domain::Column { .. }) {
                return self.wrong(tree.span, format!("`{name}` is not a list"));
            }
            let index = self.expression(index)?;
            return Some(value(
                Expression::AxisItem { axis, index: Box::new(index.expression) },
                self.program.axes[axis].ty,
            ));
        }
        self.load(tree)
    }

    /// Reads a place. An array decays to a pointer to its first element.
    fn load(&mut self, tree: &Tree) -> Option<Typed> {
        let place = self.place(tree)?;
        if place.array {
            return Some(self.address(place));
        }
        if let Type::Struct(name) = place.ty {
            let name = name.trim_start_matches("struct ");
            let message = format!("a struct {name} cannot be used as a value here; use a field, or pass its address");
            return self.wrong(tree.span, message);
        }
        let load = Expression::Load { place: place.place, ty: place.ty };
        Some(Typed { space: place.space, ..value(load, place.ty) })
    }

    /// The address of a place, through which its value may change.
    fn address(&mut self, place: TypedPlace) -> Typed {
        self.touched.extend(place.variable);
        let ty = pointer_to(place.ty, false);
        Typed { space: Some(Space::Host), ..value(Expression::AddressOf(place.place), ty) }
    }

    /// Checks that an operand is not a floating-point number, which steps only store and pass on.
    fn no_float(&mut self, of: &Typed, span: Span) -> Option<()> {
        if matches!(of.ty, Type::Float { .. }) {
            return self.wrong(span, "the step language does not compute with floating point");
        }
        Some(())
    }

    fn unary(&mut self, operator: UnaryOperator, of: &Tree) -> Option<Typed> {
        let span = of.span;
        let of = self.expression(of)?;
        self.no_float(&of, span)?;
        if operator != UnaryOperator::Not {
            self.has_a_sign(&of, span);
        }
        let ty = match (operator, of.ty) {
            (UnaryOperator::Not, _) => INT,
            (UnaryOperator::Minus, ty) if plain(ty) == SIZE && of.constant.is_none() => SIZE,
            (UnaryOperator::Complement, ty) if self.environment.declarations.size(ty) < 4 => INT,
            (UnaryOperator::Complement, ty) => ty,
            _ => INT64,
        };
        let constant = of.constant.and_then(|value| match operator {
            UnaryOperator::Not => Some(i128::from(value == 0)),
            UnaryOperator::Minus => super::arithmetic::negate(value).ok(),
            UnaryOperator::Complement => Some(wrap(ty, !value)),
        });
        let mut expression = Expression::Unary(operator, Box::new(of.expression));
        if operator == UnaryOperator::Complement {
            // The complement of an unsigned value is unsigned in C.
            expression = Expression::Cast(ty, Box::new(expression));
        }
        Some(Typed { expression, ty, space: None, constant })
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Tree, right: &Tree, span: Span) -> Option<Typed> {
        use BinaryOperator::{Add, And, Equal, NotEqual, Or, Subtract};
        let spans = (left.span, right.span);
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        let same = matches!(operator, Equal | NotEqual) && same_in_either_sign(&left, &right);
        if !same && !matches!(operator, And | Or) {
            self.has_a_sign(&left, spans.0);
            self.has_a_sign(&right, spans.1);
        }
        self.no_float(&left, span)?;
        self.no_float(&right, span)?;
        let pointers = (is_address(left.ty), is_address(right.ty));
        match (operator, pointers) {
            (And | Or, _) => {}
            (Add | Subtract, (true, false)) => return self.advance(left, right, operator == Subtract, span),
            (Add, (false, true)) => return self.advance(right, left, false, span),
            (Subtract, (true, true)) => {
                let Type::Pointer { to, .. } = left.ty else { return self.no_arithmetic(span) };
                let stride = self.environment.declarations.size(*to);
                let expression =
                    Expression::Distance { left: Box::new(left.expression), right: Box::new(right.expression), stride };
                return Some(value(expression, INT64));
            }
            (_, (false, false)) => {}
            (_, (true, true)) if operator.is_comparison() => {}
            (_, (true, false)) if operator.is_comparison() && right.constant == Some(0) => {}
            (_, (false, true)) if operator.is_comparison() && left.constant == Some(0) => {}
            (_, _) if operator.is_comparison() => {
                let message =
                    format!("{} cannot be compared with {}; cast one of them", c_name(left.ty), c_name(right.ty));
                return self.wrong(span, message);
            }
            _ => return self.no_arithmetic(span),
        }
        let ty = if operator.is_comparison() || matches!(operator, And | Or) {
            INT
        } else if plain(left.ty) == SIZE || plain(right.ty) == SIZE {
            SIZE
        } else {
            INT64
        };
        let constant = match (left.constant, right.constant) {
            (Some(a), Some(b)) => super::arithmetic::binary(operator, a, b).ok(),
            _ => None,
        };
        // An address that is an integer, and an offset.
        let space = match (operator, left.space, right.space) {
            (Add | Subtract, Some(space), None) | (Add, None, Some(space)) => Some(space),
            _ => None,
        };
        let expression = Expression::Binary(operator, Box::new(left.expression), Box::new(right.expression));
        Some(Typed { expression, ty, space, constant })
    }

    fn advance(&mut self, pointer: Typed, index: Typed, negative: bool, span: Span) -> Option<Typed> {
        let Type::Pointer { to, .. } = pointer.ty else { return self.no_arithmetic(span) };
        if *to == Type::Void {
            return self.wrong(span, "C has no arithmetic on `void *`; cast it to `char *`");
        }
        let stride = self.environment.declarations.size(*to);
        let expression = Expression::Advance {
            pointer: Box::new(pointer.expression),
            index: Box::new(index.expression),
            stride,
            negative,
        };
        Some(Typed { space: pointer.space, ..value(expression, pointer.ty) })
    }

    fn no_arithmetic(&mut self, span: Span) -> Option<Typed> {
        self.wrong(span, "C has no such arithmetic on pointers; cast to `uintptr_t`")
    }

    /// Reports a value that depends on the sign of plain `char`, which is signed on x86_64 and unsigned on aarch64. A
    /// rule printed as C must mean the same on both architectures.
    pub(super) fn has_a_sign(&mut self, typed: &Typed, span: Span) {
        if typed.ty == Type::Char && typed.constant.is_none() {
            self.problem(span, "plain `char` is signed only on some architectures; cast it to `unsigned char` first");
        }
    }

    /// Reports a value that depends on the sign of plain `char` if the value is converted to a wider type, with or
    /// without a cast.
    pub(super) fn widens(&mut self, typed: &Typed, ty: Type, span: Span) {
        if self.environment.declarations.size(ty) > 1 {
            self.has_a_sign(typed, span);
        }
    }

    pub(crate) fn type_of(&mut self, name: &TypeName, pointers: usize) -> Option<Type> {
        let Some(mut ty) = self.environment.declarations.ty(&name.name) else {
            let hint = hint(&name.name, self.environment.declarations.type_names());
            return self.wrong(name.span, format!("`{}` is not a type in the header{hint}", name.name));
        };
        for level in 0..pointers {
            ty = pointer_to(ty, level == 0 && name.constant);
        }
        self.lays_out(ty);
        Some(ty)
    }
}

/// True if two values compare the same with signed and unsigned `char`: both are `char`, or one is a constant with the
/// same value in both.
fn same_in_either_sign(left: &Typed, right: &Typed) -> bool {
    match (left.ty, right.ty) {
        (Type::Char, Type::Char) => true,
        (Type::Char, _) => right.constant.is_some_and(|value| (0..=127).contains(&value)),
        (_, Type::Char) => left.constant.is_some_and(|value| (0..=127).contains(&value)),
        _ => true,
    }
}

pub(super) fn value(expression: Expression, ty: Type) -> Typed {
    Typed { expression, ty, space: None, constant: None }
}

/// The type of an integer literal.
fn integer_type(value: i128) -> Type {
    if value > i128::from(i64::MAX) { SIZE } else { INT64 }
}

fn constant(value: i128, ty: Type) -> Typed {
    Typed { expression: Expression::Constant(value), ty, space: None, constant: Some(value) }
}
