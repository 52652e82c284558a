//! The call arguments in a case that are known before the steps run.

use std::collections::HashMap;

use abi::{Parameter, Type};
use steps::builtins::Builtin;
use steps::evaluate::{EvaluationError, Memory, Scope, Value, evaluate};
use steps::program::{Argument, Call, Expression, Place, Program, Root, Statement, StatementKind};
use steps::types::wrap;
use steps::walk::Node;
use steps::{Id, VariableId};

/// The number of iterations to examine in a longer loop, in addition to the last one.
const ROUNDS: i128 = 8;

/// A call with the arguments that are known.
#[derive(Debug)]
pub(super) struct KnownCall {
    /// The function's name.
    pub function: &'static str,
    parameters: &'static [Parameter],
    known: Vec<Option<i128>>,
}

impl KnownCall {
    /// The parameters with known values.
    pub(super) fn values(&self) -> impl Iterator<Item = (&'static str, i128)> + '_ {
        let known = self.parameters.iter().zip(&self.known);
        known.filter_map(|(parameter, value)| Some((parameter.name, (*value)?)))
    }

    /// The value of a parameter.
    pub(super) fn value(&self, name: &str) -> Option<i128> {
        self.values().find(|(parameter, _)| *parameter == name).map(|(_, value)| value)
    }
}

/// The variables of a case whose values follow from the drawn values.
pub(super) struct Known<'p> {
    program: &'p Program,
    scope: &'p Scope,
    values: &'p [Value],
    /// Values by variable and offset.
    frame: HashMap<(VariableId, i128), i128>,
    calls: Vec<KnownCall>,
}

impl<'p> Known<'p> {
    /// The calls in a case, in order.
    pub(super) fn calls(program: &'p Program, scope: &'p Scope, values: &'p [Value]) -> Vec<KnownCall> {
        let mut known = Known { program, scope, values, frame: HashMap::new(), calls: Vec::new() };
        known.block(&program.statements);
        known.calls
    }

    fn block(&mut self, statements: &'p [Statement]) {
        for statement in statements {
            statement.kind.walk(&mut |node| {
                if let Node::Call(call) = node {
                    self.call_of(call);
                }
            });
            self.perform(&statement.kind);
        }
    }

    fn perform(&mut self, kind: &'p StatementKind) {
        match kind {
            StatementKind::Declare { variable, values, .. } => {
                self.forget(*variable);
                for (offset, ty, value) in values {
                    let value = evaluate(self, value).ok().map(|value| wrap(*ty, value));
                    self.frame.extend(value.map(|value| ((*variable, *offset as i128), value)));
                }
            }
            StatementKind::Assign { target, ty, value } => {
                let value = evaluate(self, value).ok().map(|value| wrap(*ty, value));
                match (self.place(target), target.root_variable()) {
                    (Some(at), _) => {
                        self.frame.remove(&at);
                        self.frame.extend(value.map(|value| (at, value)));
                    }
                    (None, Some(variable)) => self.forget(variable),
                    (None, None) => {}
                }
            }
            StatementKind::For { variable, bound, body } => self.rounds(*variable, bound, body),
            StatementKind::If { condition, then, otherwise } => {
                let holds = evaluate(self, condition).ok().map(|value| value != 0);
                if holds != Some(false) {
                    self.block(then);
                }
                if holds != Some(true) {
                    self.block(otherwise);
                }
            }
            StatementKind::Choose { axis, alternatives } => {
                let chosen = self.values.get(axis.index()).and_then(|value| usize::try_from(value.integer()).ok());
                if let Some(body) = chosen.and_then(|chosen| alternatives.get(chosen)) {
                    self.block(body);
                }
            }
            StatementKind::Block { body, .. } => self.block(body),
            StatementKind::Refuse { unless, .. } => self.block(unless),
            StatementKind::Together { lanes, .. } => lanes.iter().for_each(|lane| self.block(&lane.body)),
            _ => {}
        }
    }

    fn rounds(&mut self, variable: VariableId, bound: &'p Expression, body: &'p [Statement]) {
        let rounds = evaluate(self, bound).unwrap_or(1);
        for round in (0..rounds.min(ROUNDS)).chain((rounds > ROUNDS).then_some(rounds - 1)) {
            self.frame.insert((variable, 0), round);
            self.block(body);
        }
    }

    /// Records a call. The variables that the call writes become unknown.
    fn call_of(&mut self, call: &'p Call) {
        let function = self.program.functions[call.function];
        let known = call.arguments.iter().map(|argument| match argument {
            Argument::Value { value, ty: ty @ (Type::Integer { .. } | Type::LongLong { .. }) } => {
                evaluate(self, value).ok().map(|value| wrap(*ty, value))
            }
            _ => None,
        });
        let known = known.collect();
        self.calls.push(KnownCall { function: function.name, parameters: function.parameters, known });
        for argument in &call.arguments {
            if let Argument::Out { place, .. } = argument
                && let Some(variable) = place.root_variable()
            {
                self.forget(variable);
            }
        }
    }

    fn forget(&mut self, variable: VariableId) {
        self.frame.retain(|(other, _), _| *other != variable);
    }

    /// The variable and offset of a place, if its indices are known.
    fn place(&mut self, place: &'p Place) -> Option<(VariableId, i128)> {
        let variable = place.root_variable()?;
        let mut offset = place.offset as i128;
        for (index, stride) in &place.indices {
            offset += evaluate(self, index).ok()? * *stride as i128;
        }
        Some((variable, offset))
    }
}

impl<'p> Memory<'p> for Known<'p> {
    type Error = EvaluationError;

    fn scope(&self) -> &Scope {
        self.scope
    }

    fn values(&self) -> &[Value] {
        self.values
    }

    fn load(&mut self, place: &'p Place, _ty: Type) -> Result<i128, EvaluationError> {
        let at = self.place(place).ok_or(EvaluationError::NotConstant)?;
        self.frame.get(&at).copied().ok_or(EvaluationError::NotConstant)
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &'p [Expression]) -> Result<i128, EvaluationError> {
        match (builtin, arguments) {
            (Builtin::AlignUp, [value, step]) => {
                let (value, step) = (evaluate(self, value)?, evaluate(self, step)?.max(1));
                Ok((value + step - 1) / step * step)
            }
            _ => Err(EvaluationError::NotConstant),
        }
    }
}

/// The variable at the root of a place.
trait Rooted {
    fn root_variable(&self) -> Option<VariableId>;
}

impl Rooted for Place {
    fn root_variable(&self) -> Option<VariableId> {
        match &self.root {
            Root::Variable(variable) => Some(*variable),
            Root::Pointer(_) => None,
        }
    }
}
