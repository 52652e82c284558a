//! The checker's part for expressions and places.

use crate::bindings::Type;

use super::Span;
use super::builtins::{Parameter, Use, builtin};
use super::check::{Checker, Typed};
use super::program::{Argument, Call, Domain, Expression, Place, Root, Space};
use super::suggest::hint;
use super::syntax::{self, BinaryOperator, ExpressionKind, UnaryOperator};
use super::types::{INT, INT64, SIZE, TEXT, VOID_POINTER, c_name, is_address, is_integer, pointer_to, range, wrap};

/// A place with the type of what it holds.
pub(super) struct TypedPlace {
    pub place: Place,
    pub ty: Type,
    pub space: Option<Space>,
    /// The variable that the place lies in, if it lies in one.
    pub variable: Option<usize>,
    /// The place is a whole array, which decays to its first element.
    pub array: bool,
}

impl Checker<'_> {
    /// Checks an expression whose value is used. `None`: a problem was noted.
    pub fn expression(&mut self, tree: &syntax::Expression) -> Option<Typed> {
        match &tree.kind {
            ExpressionKind::Integer(value) => {
                Some(constant(*value, if *value > i128::from(i64::MAX) { SIZE } else { INT64 }))
            }
            ExpressionKind::Text(text) => {
                let position = self.text(text);
                Some(value(Expression::Text(position), TEXT))
            }
            ExpressionKind::Name(name) => self.name(name, tree),
            ExpressionKind::Member { of, name } => self.member(of, name, tree),
            ExpressionKind::Index { of, index } => self.index(of, index, tree),
            ExpressionKind::AddressOf(of) => {
                let place = self.place(of)?;
                self.touched.extend(place.variable);
                Some(Typed {
                    expression: Expression::AddressOf(place.place),
                    ty: pointer_to(place.ty, false),
                    space: Some(Space::Host),
                    constant: None,
                })
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
                Some(Typed { expression, ty, space, constant: None })
            }
            ExpressionKind::Cast { ty, pointers, of } => {
                let ty = self.type_of(ty, *pointers)?;
                let of = self.expression(of)?;
                if matches!(ty, Type::Struct(_) | Type::Void | Type::Float { .. }) {
                    self.problem(tree.span, format!("a value cannot be cast to {}", c_name(ty)));
                }
                let space = if is_address(ty) { of.space } else { None };
                let constant = of.constant.map(|value| wrap(ty, value));
                Some(Typed { expression: Expression::Cast(ty, Box::new(of.expression)), ty, space, constant })
            }
            ExpressionKind::SizeOf { ty, pointers } => {
                let ty = self.type_of(ty, *pointers)?;
                Some(constant(self.environment.declarations.size(ty) as i128, SIZE))
            }
            ExpressionKind::In(of, values) => {
                let of = self.expression(of)?;
                let values = values
                    .iter()
                    .map(|value| self.expression(value).map(|typed| typed.expression))
                    .collect::<Option<Vec<_>>>()?;
                Some(value(Expression::In(Box::new(of.expression), values), INT))
            }
            ExpressionKind::Call { function, arguments } => self.call_value(function, arguments, tree.span),
        }
    }

    fn name(&mut self, name: &str, tree: &syntax::Expression) -> Option<Typed> {
        if let Some(axis) = self.axes.iter().position(|axis| axis.name == name) {
            return match self.axes[axis].domain {
                Domain::List { .. } | Domain::Permutation(_) => {
                    self.problem(tree.span, format!("`{name}` is a list; read its items as `{name}[i]`"));
                    None
                }
                _ => Some(value(Expression::Axis(axis), self.axes[axis].ty)),
            };
        }
        if name == "devices" {
            return Some(value(Expression::Devices, SIZE));
        }
        if name == "device" && self.life_cycle() {
            return Some(value(Expression::OwnDevice, INT));
        }
        if name == "NULL" {
            return Some(Typed {
                expression: Expression::Constant(0),
                ty: VOID_POINTER,
                space: None,
                constant: Some(0),
            });
        }
        if self.lookup(self.actor, name).is_none()
            && let Some((value, enumeration)) = self.environment.declarations.constant(name)
        {
            let ty = enumeration
                .and_then(|enumeration| self.environment.declarations.ty(enumeration.name))
                .unwrap_or(if value > i128::from(i64::MAX) { SIZE } else { INT64 });
            return Some(constant(value, ty));
        }
        self.load(tree)
    }

    fn member(&mut self, of: &syntax::Expression, name: &str, tree: &syntax::Expression) -> Option<Typed> {
        if let ExpressionKind::Name(owner) = &of.kind
            && owner == "product"
        {
            if !self.environment.facts.contains(name) {
                let hint = hint(name, self.environment.facts.iter().map(String::as_str));
                self.problem(
                    tree.span,
                    format!("no product has a quantity `{name}`{hint}; they stand in products.yaml"),
                );
                return None;
            }
            return Some(value(Expression::Fact(name.to_owned()), SIZE));
        }
        self.load(tree)
    }

    fn index(
        &mut self,
        of: &syntax::Expression,
        index: &syntax::Expression,
        tree: &syntax::Expression,
    ) -> Option<Typed> {
        if let ExpressionKind::Name(name) = &of.kind
            && let Some(axis) = self.axes.iter().position(|axis| axis.name == *name)
        {
            if !matches!(self.axes[axis].domain, Domain::List { .. } | Domain::Permutation(_)) {
                self.problem(tree.span, format!("`{name}` is no list"));
                return None;
            }
            let index = self.expression(index)?;
            return Some(value(Expression::AxisItem { axis, index: Box::new(index.expression) }, self.axes[axis].ty));
        }
        self.load(tree)
    }

    /// Reads a place; an array decays to a pointer to its first element.
    fn load(&mut self, tree: &syntax::Expression) -> Option<Typed> {
        let place = self.place(tree)?;
        if place.array {
            self.touched.extend(place.variable);
            let ty = pointer_to(place.ty, false);
            return Some(Typed {
                expression: Expression::AddressOf(place.place),
                ty,
                space: Some(Space::Host),
                constant: None,
            });
        }
        if let Type::Struct(name) = place.ty {
            self.problem(
                tree.span,
                format!("a whole {name} is no value here; name one of its fields, or pass its address"),
            );
            return None;
        }
        let space = place.space;
        Some(Typed {
            expression: Expression::Load { place: place.place, ty: place.ty },
            ty: place.ty,
            space,
            constant: None,
        })
    }

    /// Checks something that can be assigned to or pointed to.
    pub fn place(&mut self, tree: &syntax::Expression) -> Option<TypedPlace> {
        match &tree.kind {
            ExpressionKind::Name(name) => match self.lookup(self.actor, name) {
                Some(variable) => Some(self.variable_place(variable, tree.span)),
                None => {
                    if self.constant_context {
                        self.problem(
                            tree.span,
                            format!(
                                "`{name}` is neither an axis above, nor a constant, nor `product.…`, nor `devices`"
                            ),
                        );
                    } else {
                        self.unknown_name(name, tree.span);
                    }
                    None
                }
            },
            ExpressionKind::Member { of, name } => {
                if let ExpressionKind::Name(owner) = &of.kind
                    && self.lookup(self.actor, owner).is_none()
                    && let Some(actor) = self.actors.iter().position(|actor| actor.name == *owner)
                {
                    return match self.lookup(actor, name) {
                        Some(variable) => Some(self.variable_place(variable, tree.span)),
                        None => {
                            self.problem(
                                tree.span,
                                format!("actor {owner} has not set `{name}` before this statement"),
                            );
                            None
                        }
                    };
                }
                let mut place = self.place(of)?;
                let Type::Struct(structure) = place.ty else {
                    self.problem(tree.span, format!("this is a {}, which has no members", c_name(place.ty)));
                    return None;
                };
                let structure = self.environment.declarations.structure(structure)?;
                let Some(field) = structure.fields.iter().find(|field| field.name == name) else {
                    let hint = hint(name, structure.fields.iter().map(|field| field.name));
                    self.problem(tree.span, format!("{} has no field `{name}`{hint}", structure.name));
                    return None;
                };
                place.place.offset += field.offset;
                (place.ty, place.array) = match field.ty {
                    Type::Array { of, .. } => (*of, true),
                    ty => (ty, false),
                };
                place.space = None;
                Some(place)
            }
            ExpressionKind::Index { of, index } => {
                let index = self.expression(index)?;
                if !is_integer(index.ty) {
                    self.problem(tree.span, "an index is an integer");
                    return None;
                }
                if let Some(mut place) = self.array_place(of)? {
                    let size = self.environment.declarations.size(place.ty);
                    place.place.indices.push((index.expression, size, None));
                    place.array = false;
                    return Some(place);
                }
                let pointer = self.expression(of)?;
                self.dereference(pointer, Some(index.expression), tree.span)
            }
            ExpressionKind::Dereference(of) => {
                let pointer = self.expression(of)?;
                self.dereference(pointer, None, tree.span)
            }
            _ => {
                self.problem(tree.span, "this is a value without a place in memory; use a variable");
                None
            }
        }
    }

    /// The place of an array, `Some(None)` when the expression is no array.
    fn array_place(&mut self, tree: &syntax::Expression) -> Option<Option<TypedPlace>> {
        if !matches!(tree.kind, ExpressionKind::Name(_) | ExpressionKind::Member { .. } | ExpressionKind::Index { .. })
        {
            return Some(None);
        }
        let place = self.place(tree)?;
        Some(place.array.then_some(place))
    }

    fn dereference(&mut self, pointer: Typed, index: Option<Expression>, span: Span) -> Option<TypedPlace> {
        let Type::Pointer { to, .. } = pointer.ty else {
            self.problem(span, format!("a {} points to nothing that can be read", c_name(pointer.ty)));
            return None;
        };
        if *to == Type::Void {
            self.problem(span, "what a `void *` points to has no type; cast it first");
            return None;
        }
        if pointer.space == Some(Space::Device) {
            self.problem(span, "device memory cannot be read or written directly; copy it to host memory first");
        }
        let size = self.environment.declarations.size(*to);
        let indices = index.map(|index| vec![(index, size, None)]).unwrap_or_default();
        let place = Place { root: Root::Pointer(Box::new(pointer.expression)), offset: 0, indices };
        Some(TypedPlace { place, ty: *to, space: None, variable: None, array: false })
    }

    fn variable_place(&mut self, variable: usize, span: Span) -> TypedPlace {
        self.reads(variable, span);
        let known = &self.variables[variable];
        TypedPlace {
            place: Place { root: Root::Variable(variable), offset: 0, indices: Vec::new() },
            ty: known.ty,
            space: known.space,
            variable: Some(variable),
            array: known.array,
        }
    }

    fn unary(&mut self, operator: UnaryOperator, of: &syntax::Expression) -> Option<Typed> {
        let of = self.expression(of)?;
        let ty = match (operator, of.ty) {
            (UnaryOperator::Not, _) => INT,
            (UnaryOperator::Minus, SIZE) if of.constant.is_none() => SIZE,
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
            // The complement of an unsigned value is unsigned.
            expression = Expression::Cast(ty, Box::new(expression));
        }
        Some(Typed { expression, ty, space: None, constant })
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &syntax::Expression,
        right: &syntax::Expression,
        span: Span,
    ) -> Option<Typed> {
        use BinaryOperator::{Add, And, Or, Subtract};
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        if matches!(left.ty, Type::Float { .. }) || matches!(right.ty, Type::Float { .. }) {
            self.problem(span, "the step language does not compute with floating point");
            return None;
        }
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
                self.problem(
                    span,
                    format!("{} is compared with {}; cast one of them", c_name(left.ty), c_name(right.ty)),
                );
                return None;
            }
            _ => return self.no_arithmetic(span),
        }
        let ty = if operator.is_comparison() || matches!(operator, And | Or) {
            INT
        } else if left.ty == SIZE || right.ty == SIZE {
            SIZE
        } else {
            INT64
        };
        let constant = match (left.constant, right.constant) {
            (Some(a), Some(b)) => super::arithmetic::binary(operator, a, b).ok(),
            _ => None,
        };
        let expression = Expression::Binary(operator, Box::new(left.expression), Box::new(right.expression));
        Some(Typed { expression, ty, space: None, constant })
    }

    fn advance(&mut self, pointer: Typed, index: Typed, negative: bool, span: Span) -> Option<Typed> {
        let Type::Pointer { to, .. } = pointer.ty else { return self.no_arithmetic(span) };
        if *to == Type::Void {
            self.problem(span, "C has no arithmetic on `void *`; cast it to `char *`");
            return None;
        }
        let stride = self.environment.declarations.size(*to);
        let expression = Expression::Advance {
            pointer: Box::new(pointer.expression),
            index: Box::new(index.expression),
            stride,
            negative,
        };
        Some(Typed { expression, ty: pointer.ty, space: pointer.space, constant: None })
    }

    fn no_arithmetic(&mut self, span: Span) -> Option<Typed> {
        self.problem(span, "C has no such arithmetic on pointers; cast to `uintptr_t`");
        None
    }

    fn call_value(&mut self, name: &str, arguments: &[syntax::Expression], span: Span) -> Option<Typed> {
        if let Some(signature) = builtin(name) {
            if signature.used_as == Use::Action {
                self.problem(span, format!("`{name}` has no value; it is a statement of its own"));
                return None;
            }
            let arguments = self.builtin_arguments(name, signature.parameters, arguments, span)?;
            let space = is_address(signature.returns).then_some(Space::Host);
            return Some(Typed {
                expression: Expression::Builtin(signature.builtin, arguments),
                ty: signature.returns,
                space,
                constant: None,
            });
        }
        let (call, ty) = self.call(name, arguments, span)?;
        Some(value(Expression::Call(Box::new(call), ty), ty))
    }

    pub fn builtin_arguments(
        &mut self,
        name: &str,
        parameters: &[Parameter],
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<Vec<Expression>> {
        if parameters.len() != arguments.len() {
            self.problem(span, format!("`{name}` takes {} arguments, here are {}", parameters.len(), arguments.len()));
            return None;
        }
        let mut checked = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let typed = self.expression(argument)?;
            match parameter {
                Parameter::Integer if !is_integer(typed.ty) => {
                    self.problem(
                        argument.span,
                        format!("`{name}` wants an integer here, this is a {}", c_name(typed.ty)),
                    );
                }
                Parameter::Memory | Parameter::Address | Parameter::Text if !is_address(typed.ty) => {
                    self.problem(
                        argument.span,
                        format!("`{name}` wants a pointer here, this is a {}", c_name(typed.ty)),
                    );
                }
                Parameter::Memory | Parameter::Text if typed.space == Some(Space::Device) => {
                    self.problem(
                        argument.span,
                        format!("`{name}` cannot reach device memory; copy it to host memory first"),
                    );
                }
                _ => {}
            }
            checked.push(typed.expression);
        }
        Some(checked)
    }

    /// Checks a call of a function of the header.
    pub fn call(&mut self, name: &str, arguments: &[syntax::Expression], span: Span) -> Option<(Call, Type)> {
        let Some(function) = self.environment.declarations.function(name) else {
            self.unknown_function(name, span);
            return None;
        };
        if self.constant_context {
            self.problem(span, "nothing is called here: the device is not known yet");
            return None;
        }
        if function.parameters.len() != arguments.len() {
            let names: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name).collect();
            let (wanted, given) = (names.len(), arguments.len());
            self.problem(span, format!("`{name}` takes {wanted} arguments ({}), here are {given}", names.join(", ")));
            return None;
        }
        let mut checked = Vec::new();
        let mut complete = true;
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match self.argument(name, parameter.name, parameter.ty, argument) {
                Some(argument) => checked.push(argument),
                None => complete = false,
            }
        }
        if !complete {
            return None;
        }
        let position = match self.functions.iter().position(|known| known.name == name) {
            Some(position) => position,
            None => {
                self.functions.push(function);
                self.functions.len() - 1
            }
        };
        self.calls += 1;
        Some((Call { function: position, arguments: checked, site: self.calls - 1, span }, function.returns))
    }

    fn argument(
        &mut self,
        function: &str,
        parameter: &str,
        ty: Type,
        argument: &syntax::Expression,
    ) -> Option<Argument> {
        if let (ExpressionKind::AddressOf(of), Type::Pointer { to, constant: false }) = (&argument.kind, ty)
            && let Some(out) = self.out_variable(function, parameter, *to, of)
        {
            return out;
        }
        if matches!(ty, Type::Struct(_)) {
            let place = self.place(argument)?;
            if place.ty != ty || place.array {
                self.problem(argument.span, format!("parameter `{parameter}` of `{function}` is a {}", c_name(ty)));
                return None;
            }
            return Some(Argument::Value { value: Expression::Load { place: place.place, ty }, ty });
        }
        let typed = self.expression(argument)?;
        if !self.fits(&typed, ty) {
            self.problem(
                argument.span,
                format!("parameter `{parameter}` of `{function}` is a {}, this is a {}", c_name(ty), c_name(typed.ty)),
            );
            return None;
        }
        if let Some(value) = typed.constant {
            let (low, high) = range(ty);
            if value < low || value > high {
                self.problem(
                    argument.span,
                    format!(
                        "{value} does not fit parameter `{parameter}` ({}); cast it if the wrap is meant",
                        c_name(ty)
                    ),
                );
                return None;
            }
        }
        Some(Argument::Value { value: typed.expression, ty })
    }

    /// `&x` where x gets its value from the call. `None`: an ordinary argument.
    fn out_variable(
        &mut self,
        function: &str,
        parameter: &str,
        to: Type,
        of: &syntax::Expression,
    ) -> Option<Option<Argument>> {
        if let ExpressionKind::Name(name) = &of.kind
            && self.lookup(self.actor, name).is_none()
            && !self.axes.iter().any(|axis| axis.name == *name)
        {
            if matches!(to, Type::Void | Type::Char) {
                self.problem(
                    of.span,
                    format!("declare `{name}` before this call: the header does not say how long it is"),
                );
                return Some(None);
            }
            let variable = self.declare(name, to, false, of.span);
            self.variables[variable].space =
                self.environment.spaces.get(&(function.to_owned(), parameter.to_owned())).copied();
        }
        let place = self.place(of)?;
        let variable = place.variable?;
        let fresh = self.variables[variable].array || !self.bound.contains(&variable);
        if !fresh || place.ty != to {
            if place.ty != to && to != Type::Void && !self.compatible_pointees(place.ty, to) {
                self.problem(
                    of.span,
                    format!(
                        "parameter `{parameter}` of `{function}` points to {}, this is {}",
                        c_name(to),
                        c_name(place.ty)
                    ),
                );
                return Some(None);
            }
            return None;
        }
        let whole = place.place.indices.is_empty() && place.place.offset == 0 && !place.array;
        if whole {
            self.bound.insert(variable);
        }
        if self.variables[variable].space.is_none() {
            self.variables[variable].space =
                self.environment.spaces.get(&(function.to_owned(), parameter.to_owned())).copied();
        }
        self.touched.push(variable);
        let initialised_array = self.variables[variable].array && self.bound.contains(&variable);
        if initialised_array {
            return None;
        }
        Some(Some(Argument::Out { bytes: self.environment.declarations.size(to), place: place.place }))
    }

    /// Whether C converts the value to the type without a cast.
    pub fn fits(&self, typed: &Typed, ty: Type) -> bool {
        if typed.constant == Some(0) && is_address(ty) {
            return true;
        }
        match (typed.ty, ty) {
            (from, to) if is_integer(from) && is_integer(to) => true,
            (Type::Pointer { to: from, constant }, Type::Pointer { to, constant: allowed }) => {
                (allowed || !constant || typed.ty == TEXT)
                    && (*from == Type::Void || *to == Type::Void || self.compatible_pointees(*from, *to))
            }
            (Type::Handle(_), Type::Handle(_)) => typed.ty == ty,
            // Opaque handles are `void *`: C converts between them.
            (Type::Pointer { to, .. }, Type::Handle(_)) | (Type::Handle(_), Type::Pointer { to, .. }) => {
                *to == Type::Void
            }
            (Type::Struct(_), Type::Struct(_)) => typed.ty == ty,
            (from, to) => from == to,
        }
    }

    fn compatible_pointees(&self, from: Type, to: Type) -> bool {
        let same_integer = |a: Type, b: Type| matches!((a, b), (Type::Integer { bytes: a, signed: s }, Type::Integer { bytes: b, signed: t }) if a == b && s == t);
        from == to
            || same_integer(from, to)
            || matches!((from, to), (Type::Pointer { to: a, .. }, Type::Pointer { to: b, .. }) if *a == Type::Void || *b == Type::Void || a == b)
            || matches!((from, to), (Type::Handle(_), Type::Pointer { to, .. }) | (Type::Pointer { to, .. }, Type::Handle(_)) if *to == Type::Void)
    }

    pub fn type_of(&mut self, name: &syntax::TypeName, pointers: usize) -> Option<Type> {
        let Some(mut ty) = self.environment.declarations.ty(&name.name) else {
            let hint = hint(&name.name, self.environment.declarations.type_names());
            self.problem(name.span, format!("`{}` is no type of the header{hint}", name.name));
            return None;
        };
        for level in 0..pointers {
            ty = pointer_to(ty, level == 0 && name.constant);
        }
        Some(ty)
    }
}

fn value(expression: Expression, ty: Type) -> Typed {
    Typed { expression, ty, space: None, constant: None }
}

fn constant(value: i128, ty: Type) -> Typed {
    Typed { expression: Expression::Constant(value), ty, space: None, constant: Some(value) }
}
