//! Checks statements.

use abi::Type;

use super::Span;
use super::builtins::{Builtin, Use, builtin};
use super::check::Checker;
use super::ids::{ActorId, Id, StatementId};
use super::program::{Call, Expect, Expression, Place, Root, Statement, StatementKind};
use super::syntax::{
    self, BinaryOperator, Declaration, Expression as Tree, ExpressionKind, Initializer, StatementKind as Written,
};
use super::types::{c_name, is_integer};

impl Checker<'_> {
    /// Checks a whole `steps` block.
    pub(crate) fn steps(&mut self, block: &[syntax::Statement]) -> Vec<Statement> {
        let end = block.iter().position(|statement| matches!(statement.kind, Written::SetupEnd));
        let mut statements = Vec::new();
        for (index, statement) in block.iter().enumerate() {
            self.setup = end.is_some_and(|end| index < end);
            if matches!(statement.kind, Written::SetupEnd) {
                if Some(index) != end {
                    self.problem(statement.span, "a second `---`: the set-up ends only once; remove one");
                }
                continue;
            }
            self.statement(statement, ActorId::DEFAULT, &mut statements);
        }
        self.setup = false;
        self.apart(&statements);
        statements
    }

    /// Checks a block. Declarations are visible only inside the block, as in C.
    pub(super) fn scope(&mut self, block: &[syntax::Statement]) -> Vec<Statement> {
        let outer = self.names.len();
        let statements = self.block(block);
        self.names.truncate(outer);
        statements
    }

    pub(super) fn block(&mut self, block: &[syntax::Statement]) -> Vec<Statement> {
        let actor = self.actor;
        let mut statements = Vec::new();
        block.iter().for_each(|statement| self.statement(statement, actor, &mut statements));
        self.actor = actor;
        self.apart(&statements);
        statements
    }

    fn statement(&mut self, tree: &syntax::Statement, inherited: ActorId, out: &mut Vec<Statement>) {
        let actor = match &tree.actor {
            Some(name) => match self.program.actors.position(|actor| actor.name == name.name) {
                Some(actor) => actor,
                None => return self.problem(name.span, format!("`{}` is not an actor of this rule", name.name)),
            },
            None => inherited,
        };
        self.actor = actor;
        self.touched.clear();
        let id = StatementId::new(self.program.statement_count);
        self.program.statement_count += 1;
        let setup = self.setup;
        let outer = self.rests_on;
        self.rests_on = tree.rests_on.as_ref().map(|name| self.ground(name)).or(outer);
        let rests_on = self.rests_on;
        let kind = self.kind(&tree.kind, tree.span);
        self.rests_on = outer;
        let Some(kind) = kind else { return };
        let mut publishes = std::mem::take(&mut self.touched);
        publishes.sort_unstable();
        publishes.dedup();
        out.push(Statement { id, kind, span: tree.span, actor, setup, rests_on, publishes });
    }

    /// The position of the ground that a marker names.
    fn ground(&mut self, name: &syntax::Identifier) -> usize {
        let known = self.program.grounds.iter().position(|known| known.name == name.name);
        known.unwrap_or_else(|| {
            self.program.grounds.push(name.clone());
            self.program.grounds.len() - 1
        })
    }

    fn kind(&mut self, tree: &Written, span: Span) -> Option<StatementKind> {
        match tree {
            Written::Empty => None,
            Written::SetupEnd => self.wrong(span, "`---` must be at the top level of the steps, not inside a block"),
            Written::Expression { expression, expect, info } => self.verdict(expression, expect.as_ref(), *info),
            Written::Declaration(declaration) => self.declaration(declaration),
            Written::Assignment { target, operator, value } => self.assignment(target, *operator, value, span),
            Written::For { variable, bound, body } => self.repeat(variable, bound, body),
            Written::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            Written::Together(lanes) => self.together(lanes, span),
            Written::Choose { alternatives } => Some(self.choose(alternatives, span)),
            Written::Control(body) => Some(StatementKind::Block { control: true, body: self.scope(body) }),
            Written::Group(body) => Some(StatementKind::Block { control: false, body: self.block(body) }),
            Written::Setup(body) => {
                let outer = std::mem::replace(&mut self.setup, true);
                let body = self.block(body);
                self.setup = outer;
                Some(StatementKind::Block { control: false, body })
            }
            Written::Defer(call) => Some(StatementKind::Defer(self.statement_call(call)?.0)),
            Written::Refuse { call, until, unless } => self.refuse(call, until.as_ref(), unless),
            Written::Begin(call) => self.begin(call, span),
            Written::End(expect) => self.end(expect.as_ref(), span),
            Written::Exit(name) => Some(StatementKind::Exit { process: self.ending(name)? }),
            Written::Kill(name) => Some(StatementKind::Kill { process: self.ending(name)? }),
        }
    }

    /// A call, an action or a check.
    fn verdict(&mut self, expression: &Tree, expect: Option<&syntax::Expect>, info: bool) -> Option<StatementKind> {
        if let ExpressionKind::Call { function, arguments } = &expression.kind {
            if let Some(signature) = builtin(function) {
                if expect.is_some() {
                    self.problem(expression.span, format!("`{function}` is a built-in, which cannot fail"));
                }
                match signature.used_as {
                    Use::Action => {
                        let call = self.builtin_call(signature, arguments, expression.span)?;
                        return Some(StatementKind::Effect(call));
                    }
                    Use::Value => {
                        let message = format!("the value of `{function}` is not used; compare or assign it");
                        return self.wrong(expression.span, message);
                    }
                    Use::Check if signature.builtin == Builtin::Linear => {
                        let condition = self.linear(arguments, expression.span)?.expression;
                        return Some(StatementKind::Check { condition, info });
                    }
                    Use::Check => {}
                }
            } else {
                let before = expect.is_some().then(|| self.bound.clone());
                let call = self.judged_call(expression)?;
                // A failed call leaves its out-variables without a value.
                self.bound = before.unwrap_or_else(|| std::mem::take(&mut self.bound));
                let expect = match expect {
                    None => Expect::Success,
                    Some(expect) => self.failure(expect, info)?,
                };
                if info && matches!(expect, Expect::Success) {
                    let message = "`[info]` marks a check; write `[info] r == CODE;` after `r = call`, or `fails`";
                    self.problem(expression.span, message);
                }
                return Some(StatementKind::Call { call, expect });
            }
        } else if expect.is_some() {
            return self.wrong(expression.span, "`fails` must follow a call");
        }
        let condition = self.expression(expression)?;
        if condition.constant.is_some() {
            self.problem(
                expression.span,
                "this check is decided before anything runs and cannot fail; check a value from the device",
            );
        }
        Some(StatementKind::Check { condition: condition.expression, info })
    }

    pub(super) fn failure(&mut self, expect: &syntax::Expect, info: bool) -> Option<Expect> {
        Some(Expect::Failure { codes: self.expressions(&expect.codes)?, usually: expect.usually, info })
    }

    /// A call whose result is judged.
    pub(super) fn judged_call(&mut self, expression: &Tree) -> Option<Call> {
        let (call, ty) = self.statement_call(expression)?;
        if self.environment.results.of(ty).is_none() {
            let name = self.program.functions[call.function].name;
            self.problem(
                expression.span,
                format!("`{name}` returns {}, which does not indicate success; use its value in a check", c_name(ty)),
            );
        }
        Some(call)
    }

    fn statement_call(&mut self, expression: &Tree) -> Option<(Call, Type)> {
        match &expression.kind {
            ExpressionKind::Call { function, arguments } if builtin(function).is_none() => {
                self.call(function, arguments, expression.span)
            }
            _ => self.wrong(expression.span, "expected a call to a function in the header"),
        }
    }

    fn declaration(&mut self, tree: &Declaration) -> Option<StatementKind> {
        let ty = self.type_of(&tree.ty, tree.pointers)?;
        if ty == Type::Void {
            return self.wrong(tree.name.span, "a variable cannot be of type `void`; give it another type");
        }
        let length = match &tree.length {
            Some(length) => Some(self.expression(length)?.expression),
            None => None,
        };
        let mut values = Vec::new();
        let mut space = None;
        let filled = tree.value.is_some();
        match &tree.value {
            Some(Initializer::Expression(expression)) => {
                let typed = self.whole_value(expression)?;
                self.widens(&typed, ty, expression.span);
                if length.is_some() {
                    self.problem(
                        expression.span,
                        "an array cannot be initialized like this; use `{0}`, or assign item by item",
                    );
                } else if !self.fits(&typed, ty) {
                    self.problem(expression.span, format!("a {} cannot hold a {}", c_name(ty), c_name(typed.ty)));
                }
                space = typed.space;
                values.push((0, ty, typed.expression));
            }
            Some(Initializer::Fields { fields, span }) => {
                for (path, expression) in fields {
                    let (offset, field) = self.field(ty, path, *span)?;
                    let typed = self.expression(expression)?;
                    self.widens(&typed, field, expression.span);
                    if !self.fits(&typed, field) {
                        let (path, wanted, given) = (path.join("."), c_name(field), c_name(typed.ty));
                        let message = format!("field `{path}` is a {wanted}, but this is a {given}");
                        self.problem(expression.span, message);
                    }
                    values.push((offset, field, typed.expression));
                }
            }
            None => {}
        }
        let variable = self.declare(&tree.name.name, ty, length.is_some(), tree.name.span);
        self.program.variables[variable].space = space.filter(|space| space.holds(ty));
        if filled {
            self.bound.insert(variable);
        }
        self.touched.push(variable);
        Some(StatementKind::Declare { variable, length, values, filled })
    }

    fn field(&mut self, ty: Type, path: &[String], span: Span) -> Option<(usize, Type)> {
        let (mut offset, mut ty) = (0, ty);
        for name in path {
            let Type::Struct(structure) = ty else {
                return self.wrong(span, format!("a {} has no field `{name}`", c_name(ty)));
            };
            let field = self.field_of(structure, name, span)?;
            offset += field.offset;
            ty = field.ty;
        }
        Some((offset, ty))
    }

    fn assignment(
        &mut self,
        target: &Tree,
        operator: Option<BinaryOperator>,
        value: &Tree,
        span: Span,
    ) -> Option<StatementKind> {
        let value_typed = match operator {
            None => self.whole_value(value)?,
            Some(_) => self.expression(value)?,
        };
        // `r = f(..)` declares r.
        if let ExpressionKind::Name(name) = &target.kind
            && self.lookup(self.actor, name).is_none()
            && operator.is_none()
        {
            let call = matches!(value_typed.expression, Expression::Call(..));
            if !call {
                self.unknown_name(name, target.span);
                return self.wrong(target.span, format!("a new variable needs a type: `uint64_t {name} = …;`"));
            }
            let variable = self.declare(name, value_typed.ty, false, target.span);
            self.bound.insert(variable);
            self.touched.push(variable);
            let place = Place { root: Root::Variable(variable), offset: 0, indices: Vec::new() };
            return Some(StatementKind::Assign { target: place, ty: value_typed.ty, value: value_typed.expression });
        }
        let place = self.place(target)?;
        if place.array || matches!(place.ty, Type::Struct(_)) {
            return self.wrong(target.span, "arrays and structs cannot be assigned as a whole; assign item by item");
        }
        self.widens(&value_typed, place.ty, value.span);
        if !self.fits(&value_typed, place.ty) {
            self.problem(value.span, format!("a {} cannot hold a {}", c_name(place.ty), c_name(value_typed.ty)));
        }
        if let Some(variable) = place.variable {
            let known = &mut self.program.variables[variable];
            if known.space.is_none() && operator.is_none() {
                known.space = value_typed.space.filter(|space| space.holds(known.ty));
            }
            if !known.array {
                self.bound.insert(variable);
            }
            self.touched.push(variable);
        }
        let value = match operator {
            None => value_typed.expression,
            Some(operator) => {
                if !is_integer(place.ty) {
                    self.problem(span, "only integers can be changed in place");
                }
                let current = self.expression(target)?;
                let result =
                    Expression::Binary(operator, Box::new(current.expression), Box::new(value_typed.expression));
                // As in C, the result is converted to the variable's type.
                Expression::Cast(place.ty, Box::new(result))
            }
        };
        Some(StatementKind::Assign { target: place.place, ty: place.ty, value })
    }
}
