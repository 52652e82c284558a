//! Documented limits on sizes (`limits` in api.yaml).

use std::fmt;

use steps::suggest::hint;
use steps::types::Declarations;

use super::model::LimitSource;

/// A documented limit on a function's parameters.
#[derive(Debug, Clone)]
pub struct Limit {
    /// The function's name.
    pub function: String,
    /// The documented requirement.
    pub bound: Bound,
    /// `function: first <= second`.
    pub text: String,
}

/// The documented requirement.
#[derive(Debug, Clone)]
pub enum Bound {
    /// The first term is at most the second.
    AtMost(Term, Term),
    /// The first term is a multiple of the second.
    MultipleOf(Term, Term),
}

/// A parameter, a number, or a number times a parameter.
#[derive(Debug, Clone)]
pub struct Term {
    number: i128,
    parameter: Option<String>,
}

impl Limit {
    /// Reads an entry's limit. The error is the mistake in the entry.
    pub(super) fn of(source: &LimitSource, declarations: &Declarations) -> Result<Limit, String> {
        let function = &source.function.value;
        let found = declarations.function(function).ok_or_else(|| format!("`{function}` is not in the header"))?;
        let names: Vec<&str> = found.parameters.iter().map(|parameter| parameter.name).collect();
        let term = |text: &String| Term::parse(text, function, &names);
        let bound = match (&source.at_most, &source.multiple_of) {
            (Some([low, high]), None) => Bound::AtMost(term(low)?, term(high)?),
            (None, Some([size, step])) => Bound::MultipleOf(term(size)?, term(step)?),
            _ => return Err("a limit has either `at_most` or `multiple_of`".to_owned()),
        };
        Ok(Limit { function: function.clone(), text: format!("{function}: {bound}"), bound })
    }
}

impl Bound {
    /// The distance between a call's values and the bound: 0 means at the bound, 1 means one above the bound.
    pub fn distance(&self, value: impl Fn(&str) -> Option<i128>) -> Option<i128> {
        match self {
            Bound::AtMost(low, high) => Some(low.value(&value)? - high.value(&value)?),
            Bound::MultipleOf(size, step) => {
                let (size, step) = (size.value(&value)?, step.value(&value)?.max(1));
                let over = size.rem_euclid(step);
                Some(if over > 1 && over == step - 1 { -1 } else { over })
            }
        }
    }
}

impl Term {
    fn parse(text: &str, function: &str, names: &[&str]) -> Result<Term, String> {
        let (number, parameter) = match text.split_once(" * ") {
            Some((number, parameter)) => (number.parse().ok(), Some(parameter)),
            None => text.parse().map_or((Some(1), Some(text)), |number| (Some(number), None)),
        };
        let number = number.ok_or_else(|| format!("`{text}` is neither a parameter nor a number times a parameter"))?;
        if let Some(unknown) = parameter.filter(|name| !names.contains(name)) {
            let hint = hint(unknown, names.iter().copied());
            return Err(format!("`{function}` has no parameter `{unknown}` in the header{hint}"));
        }
        Ok(Term { number, parameter: parameter.map(str::to_owned) })
    }

    fn value(&self, value: impl Fn(&str) -> Option<i128>) -> Option<i128> {
        let Some(parameter) = &self.parameter else { return Some(self.number) };
        Some(self.number * value(parameter)?)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::AtMost(low, high) => write!(f, "{low} <= {high}"),
            Bound::MultipleOf(size, step) => write!(f, "{size} % {step}"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, &self.parameter) {
            (1, Some(parameter)) => f.write_str(parameter),
            (number, Some(parameter)) => write!(f, "{number} * {parameter}"),
            (number, None) => write!(f, "{number}"),
        }
    }
}
