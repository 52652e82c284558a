//! Checks `sequence`: adds the axes of its steps.

use abi::Type;

use super::check::Checker;
use super::ids::AxisId;
use super::limits::LONGEST_LIST;
use super::parse_sequence::{OPERATION, STEPS, operation_of};
use super::program::{Axis, Domain};
use super::sequence::{MOST_CODES, Operation, Parameter, Part, Sequence};
use super::syntax::{Expression, Identifier, ParameterSyntax, ParameterValues, SequenceSyntax};
use super::types::{INT64, SIZE, is_integer};

/// The axis with the steps. The steps cannot read it.
const SEQUENCE: &str = "sequence";
/// The largest number of operations.
const MOST_OPERATIONS: usize = 64;
/// The largest number of values of a parameter.
const MOST_VALUES: i128 = 65_536;

impl Checker<'_> {
    /// Adds the axes of a sequence: its steps, their number, the operation of each step, and each parameter.
    pub(super) fn sequence(&mut self, tree: &SequenceSyntax) {
        self.constant_context = true;
        let most = self.constant_of(&tree.most);
        let mut columns: Vec<(Identifier, Type)> = Vec::new();
        let mut operations: Vec<Operation> = Vec::new();
        for operation in &tree.operations {
            let Identifier { name, span } = &operation.name;
            if operations.iter().any(|known| known.name == *name) {
                self.problem(*span, format!("`sequence` has two operations `{name}`; rename one"));
            }
            let parameters =
                operation.parameters.iter().filter_map(|parameter| self.parameter(parameter, &mut columns));
            let parameters = parameters.collect();
            operations.push(Operation { name: name.clone(), parameters });
        }
        self.constant_context = false;
        let Some(most) = most else { return };
        if !(1..=LONGEST_LIST as i128).contains(&most) {
            self.problem(tree.most.span, format!("a sequence has 1 to {LONGEST_LIST} steps, not {most}"));
        }
        if operations.len() > MOST_OPERATIONS {
            self.problem(tree.span, format!("a sequence has at most {MOST_OPERATIONS} operations; write two rules"));
        }
        let sequence = Sequence { most: u64::try_from(most).unwrap_or(1).max(1), operations };
        if sequence.codes() > MOST_CODES {
            self.problem(
                tree.span,
                format!("more than {MOST_CODES} different steps; give the parameters fewer values"),
            );
        }
        let named = |name: &str| Identifier { name: name.to_owned(), span: tree.span };
        let steps = self.sequence_axis(&named(SEQUENCE), Domain::Sequence(sequence), SIZE);
        self.sequence_axis(&named(STEPS), Domain::LengthOf(steps), SIZE);
        self.sequence_axis(&named(OPERATION), Domain::Column { sequence: steps, part: Part::Operation }, SIZE);
        for (name, ty) in columns {
            let part = Part::Parameter(name.name.clone());
            self.sequence_axis(&name, Domain::Column { sequence: steps, part }, ty);
        }
    }

    fn sequence_axis(&mut self, name: &Identifier, domain: Domain, ty: Type) -> AxisId {
        let text = &name.name;
        if self.program.axes.iter().any(|axis| axis.name == *text)
            || self.means_something(text)
            || matches!(text.as_str(), "patience" | "devices" | "product")
        {
            self.problem(name.span, format!("`{text}` already names something else; choose another name"));
        }
        self.program.axes.push(Axis { name: text.clone(), domain, ty })
    }

    /// A parameter with its values. Its type is the same in all operations.
    fn parameter(&mut self, tree: &ParameterSyntax, columns: &mut Vec<(Identifier, Type)>) -> Option<Parameter> {
        let name = &tree.name.name;
        let (values, ty) = match &tree.values {
            ParameterValues::Below(bound) => {
                let below = self.constant_of(bound)?;
                if !(1..=MOST_VALUES).contains(&below) {
                    return self.wrong(bound.span, format!("a parameter has 1 to {MOST_VALUES} values, not {below}"));
                }
                ((0..below).collect(), SIZE)
            }
            ParameterValues::In(values) => self.parameter_values(values)?,
        };
        match columns.iter().find(|(known, _)| known.name == *name) {
            None => columns.push((tree.name.clone(), ty)),
            Some((_, known)) if *known == ty => {}
            Some(_) => {
                let message = format!("`{name}` has another type in another operation; rename one of the two");
                self.problem(tree.name.span, message);
            }
        }
        Some(Parameter { name: name.clone(), values })
    }

    fn parameter_values(&mut self, trees: &[Expression]) -> Option<(Vec<i128>, Type)> {
        let mut values: Vec<i128> = Vec::new();
        let mut ty: Option<Type> = None;
        for tree in trees {
            let typed = self.expression(tree)?;
            let (Some(value), true) = (typed.constant, is_integer(typed.ty)) else {
                return self.wrong(tree.span, "the values of a parameter are integer constants");
            };
            if values.contains(&value) {
                return self.wrong(tree.span, format!("{value} is a value twice; remove one"));
            }
            let own = if matches!(typed.ty, Type::Enumeration { .. }) { typed.ty } else { INT64 };
            ty = Some(if ty.is_none_or(|previous| previous == own) { own } else { INT64 });
            values.push(value);
        }
        let ty = ty.filter(|ty| *ty != INT64 || values.iter().any(|value| *value < 0)).unwrap_or(SIZE);
        Some((values, ty))
    }

    fn constant_of(&mut self, tree: &Expression) -> Option<i128> {
        let typed = self.expression(tree)?;
        match typed.constant {
            Some(value) if is_integer(typed.ty) => Some(value),
            _ => self.wrong(tree.span, "this must be an integer constant: the cases are the same on every machine"),
        }
    }

    /// The position of the operation with this constant.
    pub(super) fn operation_constant(&self, name: &str) -> Option<i128> {
        let operation = operation_of(name)?;
        let sequence = self.program.axes.iter().find_map(|axis| match &axis.domain {
            Domain::Sequence(sequence) => Some(sequence),
            _ => None,
        })?;
        sequence.operations.iter().position(|known| known.name == operation).map(|position| position as i128)
    }
}
