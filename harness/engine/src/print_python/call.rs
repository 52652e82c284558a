//! Calls of the runtime's functions, with their results and releases.

use std::fmt::Write;

use catalog::{Handle, ReleaseArgument, Resource, Returned, Taken};
use steps::program::{Argument, Call, Expression};

use super::{Formless, Printer, quoted};

/// A printed call.
pub(super) struct Made {
    /// The name of the variable with the code.
    pub code: String,
    /// The value of the code that means success, if there is one.
    pub success: Option<i128>,
    /// The lines that store the results of a successful call, and record what it acquired or released.
    pub then: Vec<String>,
}

impl Printer<'_> {
    /// The text of a call, on one line.
    pub(super) fn call_text(&self, call: &Call) -> String {
        quoted(self.program.text(call.span).trim_end_matches(';'))
    }

    /// Prints a call. Its results are stored by the lines that it returns.
    pub(super) fn call(&mut self, call: &Call) -> Result<Made, Formless> {
        let function = self.program.functions[call.function];
        let form = self.module.functions.get(function.name).ok_or_else(|| Formless(function.name.to_owned()))?;
        let mut arguments = Vec::new();
        for taken in &form.takes {
            arguments.push(self.taken(call, taken)?);
        }
        self.results += 1;
        let number = self.results;
        let code = format!("ret_{number}");
        let mut targets = Vec::new();
        let mut then = Vec::new();
        for returned in &form.returns {
            let Some(at) = returned.at() else {
                targets.push(code.clone());
                continue;
            };
            let name = format!("{}_{number}", function.parameters[at].name);
            let store = self.store_result(call, at, returned, &name)?;
            then.push(store);
            targets.push(name);
        }
        let made = format!("{}.{}({})", self.module.module, form.call, arguments.join(", "));
        self.line(&format!("{} = {made}", targets.join(", ")));
        let results = self.rules.result_of(function.name);
        if self.holds {
            let rules = self.rules;
            for resource in &rules.resources {
                if resource.acquire == function.name {
                    then.push(self.hold(call, resource)?);
                }
                if let Some(at) = resource.released_by(function.name) {
                    let handle = self.handle_argument(call, function.name, at)?;
                    let line = format!("gone({}, {handle})", quoted(function.name));
                    if !then.contains(&line) {
                        then.push(line);
                    }
                }
            }
        }
        Ok(Made { code, success: results.map(|codes| codes.success), then })
    }

    /// An argument in Python.
    fn taken(&mut self, call: &Call, taken: &Taken) -> Result<String, Formless> {
        match taken {
            Taken::Integer { at, .. } => self.raw(call, *at),
            Taken::Text { at, .. } => match &call.arguments[*at] {
                Argument::Value { value: Expression::Text(position), .. } => Ok(self.text_literal(*position)),
                _ => Ok(format!("text({})", self.raw(call, *at)?)),
            },
            Taken::List { at, count, bytes, signed } => {
                let (address, count) = (self.raw(call, *at)?, self.raw(call, *count)?);
                Ok(format!("numbers({address}, {count}, {bytes}, {})", python_bool(*signed)))
            }
        }
    }

    /// The value of an argument in C.
    fn raw(&mut self, call: &Call, at: usize) -> Result<String, Formless> {
        match &call.arguments[at] {
            Argument::Value { value, .. } => self.expression(value),
            Argument::Out { .. } => Err(Formless("an out-variable as an argument".to_owned())),
        }
    }

    /// The line that stores a result.
    fn store_result(&mut self, call: &Call, at: usize, returned: &Returned, name: &str) -> Result<String, Formless> {
        match (&call.arguments[at], returned) {
            (_, Returned::Real { .. }) => Err(Formless("a floating-point result".to_owned())),
            (Argument::Value { value, .. }, Returned::Text { .. }) => {
                Ok(format!("put({}, {name})", self.expression(value)?))
            }
            (Argument::Out { place, .. }, Returned::Integer { bytes, .. }) => self.stored(place, *bytes, name),
            (Argument::Value { value, .. }, Returned::Integer { bytes, .. }) => {
                Ok(format!("write({}, {bytes}, {name})", self.expression(value)?))
            }
            _ => Err(Formless("this result".to_owned())),
        }
    }

    /// The handle of a resource that a call releases, as `gone` compares it.
    fn handle_argument(&mut self, call: &Call, function: &str, at: usize) -> Result<String, Formless> {
        let form = self.module.functions.get(function).ok_or_else(|| Formless(function.to_owned()))?;
        let taken = form.takes.iter().find(|taken| taken.at() == at);
        self.taken(call, taken.ok_or_else(|| Formless(function.to_owned()))?)
    }

    /// The line that records an acquired resource.
    fn hold(&mut self, call: &Call, resource: &Resource) -> Result<String, Formless> {
        let release = &resource.release;
        let form = self.module.functions.get(release.function.as_str());
        let form = form.ok_or_else(|| Formless(release.function.clone()))?;
        let handle = match resource.handle {
            Handle::Argument(_) => self.raw(call, resource.parameter)?,
            Handle::Buffer(_) => format!("text({})", self.raw(call, resource.parameter)?),
            Handle::Pointee(_) => match &call.arguments[resource.parameter] {
                Argument::Out { place, .. } => self.loaded(place, 8, false)?,
                Argument::Value { value, .. } => format!("read({}, 8, False)", self.expression(value)?),
            },
        };
        let mut kept = String::new();
        let mut arguments = Vec::new();
        for taken in &form.takes {
            if matches!(taken, Taken::List { .. }) {
                return Err(Formless(release.function.clone()));
            }
            let at = taken.at();
            match release.arguments[at] {
                ReleaseArgument::Handle => arguments.push("handle".to_owned()),
                ReleaseArgument::Integer(value) => arguments.push(value.to_string()),
                ReleaseArgument::Parameter(position) => {
                    let _ = write!(kept, ", kept_{at}={}", self.raw(call, position)?);
                    arguments.push(format!("kept_{at}"));
                }
            }
        }
        let functions = [release].into_iter().chain(&resource.also).map(|call| quoted(&call.function));
        let functions: Vec<String> = functions.collect();
        Ok(format!(
            "hold([{}], {handle}, lambda handle{kept}: {}.{}({}))",
            functions.join(", "),
            self.module.module,
            form.call,
            arguments.join(", ")
        ))
    }
}

/// A truth value in Python.
pub(super) fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}
