//! Evaluation of expressions. Everything except constants is read from a [`Memory`]: either the drawn values of a case
//! before anything runs, or the memory of a process that executes the case.

use std::collections::BTreeMap;

use abi::Type;
use serde::{Deserialize, Serialize};

use crate::arithmetic::{self, ArithmeticError};
use crate::builtins::Builtin;
use crate::ids::{AxisId, Id};
use crate::program::{Call, Expression, Place};
use crate::syntax::{BinaryOperator, UnaryOperator};
use crate::types::wrap;

/// The value of an axis in one case. Texts and alternatives are represented by their positions in the axis's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    Integer(i128),
    List(Vec<i128>),
}

impl Value {
    /// The integer or, for a list, its length.
    #[inline]
    pub fn integer(&self) -> i128 {
        match self {
            Value::Integer(value) => *value,
            Value::List(items) => items.len() as i128,
        }
    }
}

/// The minimum patience in milliseconds.
pub const LEAST_PATIENCE: u32 = 2_000;

/// The facts about the device that are known before anything runs.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The product's documented quantities.
    pub facts: BTreeMap<String, i128>,
    /// The number of devices under test.
    pub devices: u32,
    /// The time limit in milliseconds for waits that are expected to succeed. No domain reads the patience, so that all
    /// machines get the same cases.
    pub patience: u32,
    /// Alternatives of `choose` and axis values that are not drawn, by axis and position.
    pub left_out: Vec<(AxisId, usize)>,
}

impl Scope {
    /// A scope with these quantities and this number of devices, where every alternative is drawn.
    pub fn new(facts: BTreeMap<String, i128>, devices: u32) -> Scope {
        Scope { facts, devices, patience: LEAST_PATIENCE, left_out: Vec::new() }
    }

    /// The same scope with a different patience, in milliseconds.
    pub fn with_patience(self, patience: u32) -> Scope {
        Scope { patience, ..self }
    }

    /// The positions that are drawn on an axis with `count` alternatives or values.
    pub fn alternatives(&self, axis: AxisId, count: usize) -> impl Iterator<Item = usize> + '_ {
        (0..count).filter(move |position| self.left_out.is_empty() || !self.left_out.contains(&(axis, *position)))
    }
}

impl Default for Scope {
    fn default() -> Scope {
        Scope::new(BTreeMap::new(), 0)
    }
}

/// The reason why an expression cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    #[error(transparent)]
    Arithmetic(#[from] ArithmeticError),
    #[error("an axis is read before it is drawn")]
    NotDrawn,
    #[error("an index is outside its list")]
    OutsideList,
    /// An index was applied to an axis that draws integers.
    #[error("a list was expected")]
    NotAList,
    #[error("the product has no quantity `{0}`")]
    NoQuantity(String),
    /// The expression reads a value that is unknown before the case runs.
    #[error("bounds can read only axes, product quantities and constants")]
    NotConstant,
    #[error("the domain is empty: no multiple of {} from {} to {}", .0.step, .0.low, .0.high)]
    EmptyDomain(Box<EmptyDomain>),
    #[error("the domain has more than 2^64 values")]
    TooManyValues,
}

/// A range that contains no multiple of its step. Boxed in errors so that frequently returned results stay small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyDomain {
    pub low: i128,
    pub high: i128,
    pub step: i128,
}

/// The environment in which expressions are evaluated. Before a case runs, only its drawn values and the known facts
/// about the device are available; the default implementations return an error for everything else.
pub trait Memory<'p> {
    type Error: From<EvaluationError>;

    /// The known facts about the device.
    fn scope(&self) -> &Scope;

    /// The values drawn so far.
    fn values(&self) -> &[Value];

    /// An axis's value as the steps see it: an integer, or the address of a text.
    fn axis(&mut self, axis: AxisId) -> Result<i128, Self::Error> {
        Ok(self.values().get(axis.index()).map(Value::integer).ok_or(EvaluationError::NotDrawn)?)
    }

    /// The address of a text.
    fn text(&mut self, _position: usize) -> Result<i128, Self::Error> {
        Err(EvaluationError::NotConstant.into())
    }

    /// The process's own device.
    fn own_device(&mut self) -> Result<i128, Self::Error> {
        Err(EvaluationError::NotConstant.into())
    }

    /// The value at a place.
    fn load(&mut self, _place: &'p Place, _ty: Type) -> Result<i128, Self::Error> {
        Err(EvaluationError::NotConstant.into())
    }

    /// The address of a place.
    fn address_of(&mut self, _place: &'p Place) -> Result<i128, Self::Error> {
        Err(EvaluationError::NotConstant.into())
    }

    /// The value of a built-in.
    fn builtin(&mut self, _builtin: Builtin, _arguments: &'p [Expression]) -> Result<i128, Self::Error> {
        Err(EvaluationError::NotConstant.into())
    }

    /// The return value of a runtime call.
    fn call(&mut self, _call: &'p Call) -> Result<i128, Self::Error> {
        Err(EvaluationError::NotConstant.into())
    }
}

/// Evaluates an expression.
///
/// # Errors
/// Fails if an operator has no result or the memory refuses an access.
pub fn evaluate<'p, M: Memory<'p> + ?Sized>(memory: &mut M, expression: &'p Expression) -> Result<i128, M::Error> {
    Ok(match expression {
        Expression::Constant(value) => *value,
        Expression::Axis(axis) => memory.axis(*axis)?,
        Expression::AxisItem { axis, index } => {
            let index = evaluate(memory, index)?;
            item(memory.values(), *axis, index)?
        }
        Expression::Text(position) => memory.text(*position)?,
        Expression::Fact(name) => {
            let quantity = memory.scope().facts.get(name).copied();
            quantity.ok_or_else(|| EvaluationError::NoQuantity(name.clone()))?
        }
        Expression::Devices => i128::from(memory.scope().devices),
        Expression::Patience => i128::from(memory.scope().patience),
        Expression::OwnDevice => memory.own_device()?,
        Expression::Load { place, ty } => memory.load(place, *ty)?,
        Expression::AddressOf(place) => memory.address_of(place)?,
        Expression::Advance { pointer, index, stride, negative } => {
            let (pointer, index) = (evaluate(memory, pointer)?, evaluate(memory, index)?);
            // Addresses wrap modulo 2^64.
            let distance = index.wrapping_mul(*stride as i128);
            let moved = if *negative { pointer.wrapping_sub(distance) } else { pointer.wrapping_add(distance) };
            wrap(Type::Handle(""), moved)
        }
        Expression::Distance { left, right, stride } => {
            let (left, right) = (evaluate(memory, left)?, evaluate(memory, right)?);
            let distance = arithmetic::binary(BinaryOperator::Subtract, left, right).map_err(EvaluationError::from)?;
            distance / (*stride).max(1) as i128
        }
        Expression::Unary(operator, of) => {
            let value = evaluate(memory, of)?;
            match operator {
                UnaryOperator::Not => i128::from(value == 0),
                UnaryOperator::Complement => !value,
                UnaryOperator::Minus => arithmetic::negate(value).map_err(EvaluationError::from)?,
            }
        }
        Expression::Binary(BinaryOperator::And, left, right) => {
            i128::from(evaluate(memory, left)? != 0 && evaluate(memory, right)? != 0)
        }
        Expression::Binary(BinaryOperator::Or, left, right) => {
            i128::from(evaluate(memory, left)? != 0 || evaluate(memory, right)? != 0)
        }
        Expression::Binary(operator, left, right) => {
            let (left, right) = (evaluate(memory, left)?, evaluate(memory, right)?);
            arithmetic::binary(*operator, left, right).map_err(EvaluationError::from)?
        }
        Expression::Conditional(condition, then, otherwise) => {
            let chosen = if evaluate(memory, condition)? != 0 { then } else { otherwise };
            evaluate(memory, chosen)?
        }
        Expression::Cast(ty, of) => wrap(*ty, evaluate(memory, of)?),
        Expression::In(of, set) => {
            let value = evaluate(memory, of)?;
            let mut found = false;
            for member in set {
                found |= evaluate(memory, member)? == value;
            }
            i128::from(found)
        }
        Expression::Builtin(builtin, arguments) => memory.builtin(*builtin, arguments)?,
        Expression::Call(call, _) => memory.call(call)?,
    })
}

/// An item in the list that an axis drew.
fn item(values: &[Value], axis: AxisId, index: i128) -> Result<i128, EvaluationError> {
    match values.get(axis.index()).ok_or(EvaluationError::NotDrawn)? {
        Value::List(items) => {
            let item = usize::try_from(index).ok().and_then(|index| items.get(index));
            item.copied().ok_or(EvaluationError::OutsideList)
        }
        Value::Integer(_) => Err(EvaluationError::NotAList),
    }
}

/// The drawn values of a case before it runs, for bounds and conditions.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    pub scope: &'a Scope,
    pub values: &'a [Value],
}

impl Memory<'_> for Drawn<'_> {
    type Error = EvaluationError;

    fn scope(&self) -> &Scope {
        self.scope
    }

    fn values(&self) -> &[Value] {
        self.values
    }
}
