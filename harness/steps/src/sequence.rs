//! The sequence of a machine: its operations, and drawn steps as numbers, as columns and as text.
//!
//! A step is one number. The combinations of the first operation's parameters come first, then those of the second
//! operation, and so on, so that every number below [`Sequence::codes`] is a step.

/// The largest number of different steps.
pub const MOST_CODES: u64 = 1 << 32;

/// The operations from which sequences are drawn.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sequence {
    /// The greatest number of steps.
    pub most: u64,
    pub operations: Vec<Operation>,
}

/// An operation, with the values from which each of its parameters is drawn.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Operation {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Parameter {
    pub name: String,
    /// At least one value, from the simplest to the least simple.
    pub values: Vec<i128>,
}

/// One quantity of every step.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Part {
    /// The operation, by its position.
    Operation,
    /// The parameter with this name; 0 in steps whose operation has no such parameter.
    Parameter(String),
}

impl Operation {
    /// The number of combinations of the operation's parameters.
    pub fn combinations(&self) -> u64 {
        self.parameters.iter().fold(1, |product, parameter| product.saturating_mul(parameter.values.len() as u64))
    }
}

impl Sequence {
    /// The number of different steps.
    pub fn codes(&self) -> u64 {
        self.operations.iter().fold(0, |sum, operation| sum.saturating_add(operation.combinations()))
    }

    /// The operation of a step and the position of each parameter's value; `None` if there is no such step.
    pub fn decode(&self, code: i128) -> Option<(usize, Vec<u64>)> {
        let mut rest = u64::try_from(code).ok()?;
        for (index, operation) in self.operations.iter().enumerate() {
            let combinations = operation.combinations();
            if rest >= combinations {
                rest -= combinations;
                continue;
            }
            let positions = operation.parameters.iter().map(|parameter| {
                let count = parameter.values.len() as u64;
                let position = rest % count;
                rest /= count;
                position
            });
            return Some((index, positions.collect()));
        }
        None
    }

    /// The number of a step: the reverse of [`Sequence::decode`].
    pub fn encode(&self, operation: usize, positions: &[u64]) -> i128 {
        let before: u64 = self.operations.iter().take(operation).map(Operation::combinations).sum();
        let parameters = self.operations.get(operation).map_or(&[][..], |operation| &operation.parameters);
        let inside = parameters.iter().zip(positions).rev().fold(0u64, |sum, (parameter, position)| {
            let count = parameter.values.len() as u64;
            sum * count + (*position).min(count - 1)
        });
        i128::from(before + inside)
    }

    /// One quantity of each step.
    pub fn column(&self, part: &Part, codes: &[i128]) -> Vec<i128> {
        let item = |code: &i128| {
            let Some((index, positions)) = self.decode(*code) else { return 0 };
            let Part::Parameter(name) = part else { return index as i128 };
            let parameters = &self.operations[index].parameters;
            let found = parameters.iter().zip(positions).find(|(parameter, _)| parameter.name == *name);
            found.map_or(0, |(parameter, position)| parameter.values[position as usize])
        };
        codes.iter().map(item).collect()
    }

    /// The greatest value of a quantity.
    pub fn greatest(&self, part: &Part) -> i128 {
        match part {
            Part::Operation => self.operations.len() as i128 - 1,
            Part::Parameter(name) => {
                let parameters = self.operations.iter().flat_map(|operation| &operation.parameters);
                let values = parameters.filter(|parameter| parameter.name == *name).flat_map(|known| &known.values);
                values.copied().max().unwrap_or(0)
            }
        }
    }

    /// The steps as text: `allocate.0.4096+release.0`.
    pub fn text(&self, codes: &[i128]) -> String {
        let step = |code: &i128| {
            let Some((index, positions)) = self.decode(*code) else { return "?".to_owned() };
            let operation = &self.operations[index];
            let values = operation.parameters.iter().zip(positions);
            values.fold(operation.name.clone(), |text, (parameter, position)| {
                format!("{text}.{}", parameter.values[position as usize])
            })
        };
        codes.iter().map(step).collect::<Vec<_>>().join("+")
    }

    /// Reads the text of [`Sequence::text`]. `None` if a step is not one of this sequence's.
    pub fn read(&self, text: &str) -> Option<Vec<i128>> {
        text.split('+').map(|step| self.read_step(step.trim())).collect()
    }

    fn read_step(&self, text: &str) -> Option<i128> {
        let mut words = text.split('.');
        let name = words.next()?;
        let index = self.operations.iter().position(|operation| operation.name == name)?;
        let position = |parameter: &Parameter| {
            let value: i128 = words.next()?.parse().ok()?;
            parameter.values.iter().position(|known| *known == value).map(|position| position as u64)
        };
        let positions: Vec<u64> = self.operations[index].parameters.iter().map(position).collect::<Option<_>>()?;
        words.next().is_none().then(|| self.encode(index, &positions))
    }

    /// The form of a step, for messages: `allocate.slot.size, release.slot`.
    pub fn forms(&self) -> String {
        let form = |operation: &Operation| {
            let names = operation.parameters.iter().map(|parameter| parameter.name.as_str());
            std::iter::once(operation.name.as_str()).chain(names).collect::<Vec<_>>().join(".")
        };
        self.operations.iter().map(form).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, Parameter, Part, Sequence};

    fn machine() -> Sequence {
        let slot = || Parameter { name: "slot".to_owned(), values: vec![0, 1, 2] };
        let size = Parameter { name: "size".to_owned(), values: vec![4096, 65536] };
        let operation = |name: &str, parameters| Operation { name: name.to_owned(), parameters };
        let operations = vec![
            operation("allocate", vec![slot(), size]),
            operation("flush", Vec::new()),
            operation("release", vec![slot()]),
        ];
        Sequence { most: 8, operations }
    }

    #[test]
    fn every_step_has_one_number_and_one_text() {
        let machine = machine();
        assert_eq!(machine.codes(), 3 * 2 + 1 + 3);
        for code in 0..machine.codes() as i128 {
            let (operation, positions) = machine.decode(code).expect("a number below the count is a step");
            assert_eq!(machine.encode(operation, &positions), code);
            assert_eq!(machine.read(&machine.text(&[code])), Some(vec![code]));
        }
        assert_eq!(machine.decode(machine.codes() as i128), None);
        assert_eq!(machine.decode(-1), None);
    }

    #[test]
    fn columns_have_the_values_of_each_step() {
        let machine = machine();
        let steps = machine.read("allocate.2.65536+flush+release.1").expect("these are steps");
        assert_eq!(machine.column(&Part::Operation, &steps), [0, 1, 2]);
        assert_eq!(machine.column(&Part::Parameter("slot".to_owned()), &steps), [2, 0, 1]);
        assert_eq!(machine.column(&Part::Parameter("size".to_owned()), &steps), [65536, 0, 0]);
        assert_eq!(machine.greatest(&Part::Parameter("size".to_owned())), 65536);
    }

    #[test]
    fn a_text_with_a_wrong_step_is_not_a_sequence() {
        let machine = machine();
        for text in ["", "allocate", "allocate.0", "allocate.0.1", "flush.0", "free.0", "release.3", "flush+"] {
            assert_eq!(machine.read(text), None, "{text}");
        }
        assert_eq!(machine.forms(), "allocate.slot.size, flush, release.slot");
    }
}
