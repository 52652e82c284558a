//! Expressions and places.

use abi::Type;
use steps::builtins::Builtin;
use steps::evaluate::Value;
use steps::program::{Domain, Expression, Place, Root};
use steps::syntax::{BinaryOperator, UnaryOperator};
use steps::types::range;
use steps::{AxisId, Id, VariableId};

use super::call::python_bool;
use super::{Formless, Printer, quoted};

impl Printer<'_> {
    /// An expression in Python. Calls inside are printed before the statement.
    pub(super) fn expression(&mut self, expression: &Expression) -> Result<String, Formless> {
        Ok(match expression {
            Expression::Constant(value) => value.to_string(),
            Expression::Text(position) => {
                let literal = self.text_literal(*position);
                format!("literal({literal})")
            }
            Expression::Axis(axis) => self.axis(*axis)?,
            Expression::AxisItem { axis, index } => match self.case.values.get(axis.index()) {
                Some(Value::List(items)) => format!("{items:?}[{}]", self.expression(index)?),
                _ => return Err(Formless("an axis without a list".to_owned())),
            },
            Expression::Fact(name) => self.scope.facts.get(name).copied().unwrap_or(0).to_string(),
            Expression::Devices => self.scope.devices.to_string(),
            Expression::Patience => self.scope.patience.to_string(),
            Expression::OwnDevice => "0".to_owned(),
            Expression::Load { place, ty } => {
                let (bytes, signed) = self.integer(*ty)?;
                self.loaded(place, bytes, signed)?
            }
            Expression::AddressOf(place) => self.address(place)?,
            Expression::Advance { pointer, index, stride, negative } => {
                let sign = if *negative { '-' } else { '+' };
                format!("({} {sign} {} * {stride})", self.expression(pointer)?, self.expression(index)?)
            }
            Expression::Distance { left, right, stride } => {
                format!("divide({} - {}, {stride})", self.expression(left)?, self.expression(right)?)
            }
            Expression::Unary(operator, of) => {
                let of = self.expression(of)?;
                match operator {
                    UnaryOperator::Not => format!("int(not {of})"),
                    UnaryOperator::Complement => format!("(~{of})"),
                    UnaryOperator::Minus => format!("(-{of})"),
                }
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            Expression::Conditional(condition, then, otherwise) => {
                let condition = self.expression(condition)?;
                format!("({} if {condition} else {})", self.expression(then)?, self.expression(otherwise)?)
            }
            Expression::Cast(ty, of) => {
                let (bytes, signed) = self.integer(*ty)?;
                format!("wrap({}, {bytes}, {})", self.expression(of)?, python_bool(signed))
            }
            Expression::In(of, set) => {
                let of = self.expression(of)?;
                let set = set.iter().map(|member| self.expression(member)).collect::<Result<Vec<_>, _>>()?;
                format!("int({of} in [{}])", set.join(", "))
            }
            Expression::Builtin(builtin, arguments) => self.builtin(*builtin, arguments)?,
            Expression::Call(call, _) => {
                let made = self.call(call)?;
                self.after(&made);
                made.code
            }
        })
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Result<String, Formless> {
        use BinaryOperator::{And, Divide, Or, Remainder};
        let left = self.expression(left)?;
        let printed = self.out.len();
        let right = self.expression(right)?;
        if matches!(operator, And | Or) && self.out.len() > printed {
            return Err(Formless(format!("a call after `{}`", operator.symbol())));
        }
        Ok(match operator {
            Divide => format!("divide({left}, {right})"),
            Remainder => format!("({left} - divide({left}, {right}) * {right})"),
            And => format!("int(bool({left}) and bool({right}))"),
            Or => format!("int(bool({left}) or bool({right}))"),
            // C and Python write the other operators alike.
            _ if operator.is_comparison() => format!("int({left} {} {right})", operator.symbol()),
            _ => format!("({left} {} {right})", operator.symbol()),
        })
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &[Expression]) -> Result<String, Formless> {
        let given = arguments.iter().map(|argument| self.expression(argument)).collect::<Result<Vec<_>, _>>()?;
        let name = match builtin {
            Builtin::Host => "host",
            Builtin::Edge => return Ok(format!("host({}, 1)", given.join(", "))),
            Builtin::Pattern => "pattern",
            Builtin::Fill => "fill",
            Builtin::SetBytes => "set_bytes",
            Builtin::Poison => "poison",
            Builtin::Same => "same",
            Builtin::Differ => return Ok(format!("(not same({}))", given.join(", "))),
            Builtin::AllBytes => "all_bytes",
            Builtin::Poisoned => "poisoned",
            Builtin::Disjoint => "disjoint",
            Builtin::AlignUp => "align_up",
            Builtin::IsPowerOfTwo => "is_pow2",
            Builtin::Alignment => "alignment",
            Builtin::GetPid => "os.getpid",
            Builtin::Shut => "os.close",
            Builtin::Resident => "resident",
            Builtin::PauseFor => "pause_for",
            Builtin::ThreadId
            | Builtin::Argument
            | Builtin::TextMatches
            | Builtin::File
            | Builtin::Gate
            | Builtin::Hook
            | Builtin::Linear
            | Builtin::Open
            | Builtin::Handed
            | Builtin::Passed => {
                return Err(Formless(format!("the built-in {builtin:?}")));
            }
        };
        Ok(format!("{name}({})", given.join(", ")))
    }

    fn axis(&mut self, axis: AxisId) -> Result<String, Formless> {
        let value = self.case.values.get(axis.index()).map(Value::integer);
        let value = value.ok_or_else(|| Formless("an axis without a value".to_owned()))?;
        match &self.program.axes[axis].domain {
            Domain::Text(texts) => {
                let text = usize::try_from(value).ok().and_then(|value| texts.get(value).copied());
                let text = text.ok_or_else(|| Formless("an axis without a text".to_owned()))?;
                Ok(format!("literal({})", self.text_literal(text)))
            }
            _ => Ok(value.to_string()),
        }
    }

    /// A C string as a str.
    pub(super) fn text_literal(&self, position: usize) -> String {
        let bytes = &self.program.texts[position][..];
        let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        quoted(&String::from_utf8_lossy(bytes))
    }

    pub(super) fn name(&self, variable: VariableId) -> String {
        self.names[variable.index()].clone()
    }

    /// The name of the variable that a place is, if it is a whole variable and not an array.
    fn whole(&self, place: &Place) -> Option<String> {
        match &place.root {
            Root::Variable(variable) if !self.program.variables[*variable].array => {
                (place.offset == 0 && place.indices.is_empty()).then(|| self.name(*variable))
            }
            _ => None,
        }
    }

    /// The address of a place.
    pub(super) fn address(&mut self, place: &Place) -> Result<String, Formless> {
        let base = match &place.root {
            Root::Variable(variable) if self.program.variables[*variable].array => self.name(*variable),
            Root::Variable(variable) => {
                return Err(Formless(format!("the address of `{}`", self.program.variables[*variable].name)));
            }
            Root::Pointer(pointer) => self.expression(pointer)?,
        };
        let mut text = base;
        for (index, stride) in &place.indices {
            text = format!("{text} + {} * {stride}", self.expression(index)?);
        }
        if place.offset > 0 {
            text = format!("{text} + {}", place.offset);
        }
        Ok(if text.contains(' ') { format!("({text})") } else { text })
    }

    /// The value of a place.
    pub(super) fn loaded(&mut self, place: &Place, bytes: usize, signed: bool) -> Result<String, Formless> {
        match self.whole(place) {
            Some(name) => Ok(name),
            None => Ok(format!("read({}, {bytes}, {})", self.address(place)?, python_bool(signed))),
        }
    }

    /// The line that stores a value in a place.
    pub(super) fn stored(&mut self, place: &Place, bytes: usize, value: &str) -> Result<String, Formless> {
        match self.whole(place) {
            Some(name) => Ok(format!("{name} = {value}")),
            None => Ok(format!("write({}, {bytes}, {value})", self.address(place)?)),
        }
    }

    /// The size of a type whose values are integers, and true if it is signed.
    pub(super) fn integer(&self, ty: Type) -> Result<(usize, bool), Formless> {
        if matches!(ty, Type::Void | Type::Float { .. } | Type::Struct(_) | Type::Array { .. }) {
            return Err(Formless(format!("a value of type {ty:?}")));
        }
        Ok((self.rules.environment.declarations.size(ty), range(ty).0 < 0))
    }
}
