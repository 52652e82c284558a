//! Checks calls: arguments, out-variables, and C's implicit conversions.

use abi::Type;

use super::Span;
use super::builtins::{Builtin, Parameter, Signature, Use, builtin};
use super::check::{Checker, Typed};
use super::check_expression::value;
use super::count::count;
use super::program::{Argument, Call, Expression, Space};
use super::suggest::hint;
use super::syntax::{Expression as Tree, ExpressionKind};
use super::types::{
    INT, TEXT, c_callback, c_name, is_address, is_hook, is_integer, is_same, plain, range, receives_gate,
};

impl Checker<'_> {
    pub(crate) fn call_value(&mut self, name: &str, arguments: &[Tree], span: Span) -> Option<Typed> {
        if let Some(signature) = builtin(name) {
            if signature.used_as == Use::Action {
                return self.wrong(span, format!("`{name}` has no value; write it as a separate statement"));
            }
            if signature.builtin == Builtin::Hook {
                return self.hook(arguments, span);
            }
            if signature.builtin == Builtin::Linear {
                return self.wrong(span, "`linear` is a whole check; write it as a separate statement");
            }
            if signature.builtin == Builtin::Handed {
                return self.wrong(span, "`handed` is a whole value; write `int fd = handed(A.fd);` first");
            }
            let expression = self.builtin_call(signature, arguments, span)?;
            let space = match signature.builtin {
                Builtin::Gate => Some(Space::Gate),
                _ => is_address(signature.returns).then_some(Space::Host),
            };
            return Some(Typed { space, ..value(expression, signature.returns) });
        }
        let (call, ty) = self.call(name, arguments, span)?;
        Some(value(Expression::Call(Box::new(call), ty), ty))
    }

    pub(crate) fn builtin_call(&mut self, of: &Signature, arguments: &[Tree], span: Span) -> Option<Expression> {
        let (name, wanted, given) = (of.name, of.parameters.len(), arguments.len());
        if wanted != given {
            let wanted = count(wanted, "argument");
            return self.wrong(span, format!("`{name}` takes {wanted}, got {given}"));
        }
        self.program.opens_descriptors |= of.builtin == Builtin::Shut;
        let mut checked = Vec::new();
        for (parameter, argument) in of.parameters.iter().zip(arguments) {
            let typed = self.expression(argument)?;
            if matches!(parameter, Parameter::Integer) {
                self.has_a_sign(&typed, argument.span);
            }
            let message = match parameter {
                Parameter::Integer if !is_integer(typed.ty) => {
                    format!("`{name}` takes an integer here, but this is a {}", c_name(typed.ty))
                }
                Parameter::Text if !is_address(typed.ty) => no_pointer(name, &typed),
                Parameter::Memory | Parameter::Address
                    if !is_address(typed.ty) && !matches!(typed.space, Some(Space::Host | Space::Device)) =>
                {
                    no_pointer(name, &typed)
                }
                Parameter::Memory | Parameter::Text if typed.space == Some(Space::Device) => {
                    format!("`{name}` cannot reach device memory; copy it to host memory first")
                }
                Parameter::Memory | Parameter::Text if typed.space == Some(Space::Gate) => {
                    format!("`{name}` takes memory here, but this is a gate")
                }
                Parameter::Gate if !is_held_gate(&typed) => no_held_gate(name),
                _ => String::new(),
            };
            if !message.is_empty() {
                self.problem(argument.span, message);
            }
            checked.push(typed.expression);
        }
        Some(Expression::Builtin(of.builtin, checked))
    }

    /// Checks `hook`. The gate of a call is one of its arguments; only a callback without a parameter for a gate takes
    /// the gate here.
    fn hook(&mut self, arguments: &[Tree], span: Span) -> Option<Typed> {
        let declarations = &self.environment.declarations;
        let [Tree { kind: ExpressionKind::Name(name), span: place }, gate @ ..] = arguments else {
            let example = declarations.hooks().next().unwrap_or("TYPE");
            return self.wrong(
                span,
                format!("`hook` takes the name of a callback type in the header; write `hook({example})`"),
            );
        };
        let is = match declarations.callback(name) {
            Some(callback) if is_hook(callback) => {
                let position = declarations.callback_position(callback.name).unwrap_or_default();
                let mut checked = vec![Expression::Constant(position as i128)];
                let received = callback.parameters.iter().any(|parameter| receives_gate(*parameter));
                match gate {
                    [] if received => {}
                    [gate] if !received => {
                        let typed = self.expression(gate)?;
                        if !is_held_gate(&typed) {
                            return self.wrong(gate.span, no_held_gate("hook"));
                        }
                        checked.push(typed.expression);
                    }
                    _ if received => {
                        let message = format!("the gate of a `{name}` is one of its arguments; write `hook({name})`");
                        return self.wrong(span, message);
                    }
                    _ => {
                        let message = format!("no parameter of a `{name}` receives a gate; write `hook({name}, g)`");
                        return self.wrong(span, message);
                    }
                }
                return Some(value(Expression::Builtin(Builtin::Hook, checked), Type::Callback(callback.name)));
            }
            Some(callback) => format!("a `{}`", c_callback(callback)),
            None if declarations.ty(name).is_some() => "not a function type".to_owned(),
            None => "not a type in the header".to_owned(),
        };
        let hint = hint(name, declarations.hooks());
        self.wrong(*place, format!("`{name}` is {is}; `hook` gives functions of integers and pointers{hint}"))
    }

    /// Checks `linear`, whose argument is the name of a history.
    pub(crate) fn linear(&mut self, arguments: &[Tree], span: Span) -> Option<Typed> {
        if self.in_lane {
            return self.wrong(span, "other lanes are still running here; write `linear` after `together`");
        }
        if let Some(begun) = self.begun.first() {
            let name = &self.program.actors[begun.actor].name;
            let message =
                format!("the call that `{name}` began is still running; write `{name}: end;` before `linear`");
            return self.wrong(span, message);
        }
        let histories = &self.environment.vocabulary.histories;
        let names = || histories.iter().map(|(name, _)| name.as_str());
        let [Tree { kind: ExpressionKind::Name(name), span: place }] = arguments else {
            let example = names().next().unwrap_or("NAME");
            return self
                .wrong(span, format!("`linear` takes the name of a history in api.yaml; write `linear({example})`"));
        };
        let Some(position) = names().position(|known| known == name) else {
            let hint = hint(name, names());
            return self.wrong(*place, format!("`{name}` is not a history{hint}; define it in api.yaml, `histories`"));
        };
        let functions = &histories[position].1;
        if self.program.functions.iter().all(|called| functions.iter().all(|function| function != called.name)) {
            let functions = functions.join(", ");
            let message = format!("no call before this belongs to `{name}`; call one of these first: {functions}");
            return self.wrong(span, message);
        }
        Some(value(Expression::Builtin(Builtin::Linear, vec![Expression::Constant(position as i128)]), INT))
    }

    /// Checks a call to a function in the header.
    pub(crate) fn call(&mut self, name: &str, arguments: &[Tree], span: Span) -> Option<(Call, Type)> {
        let Some(function) = self.environment.declarations.function(name) else {
            self.unknown_function(name, span);
            return None;
        };
        if self.constant_context {
            return self.wrong(span, "the runtime cannot be called here: the device is not known yet");
        }
        if function.parameters.len() != arguments.len() {
            let names: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name).collect();
            let (wanted, given) = (count(names.len(), "argument"), arguments.len());
            return self.wrong(span, format!("`{name}` takes {wanted} ({}), got {given}", names.join(", ")));
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
        for ty in function.parameters.iter().map(|parameter| parameter.ty).chain([function.returns]) {
            self.lays_out(ty);
        }
        let position = match self.program.functions.iter().position(|known| known.name == name) {
            Some(position) => position,
            None => {
                self.program.functions.push(function);
                self.program.functions.len() - 1
            }
        };
        self.program.calls += 1;
        self.exports(function, arguments, &checked);
        Some((Call { function: position, arguments: checked, site: self.program.calls - 1, span }, function.returns))
    }

    fn argument(&mut self, function: &str, parameter: &str, ty: Type, argument: &Tree) -> Option<Argument> {
        if let (ExpressionKind::AddressOf(of), Type::Pointer { to, constant: false }) = (&argument.kind, ty)
            && let Some(out) = self.out_variable(function, parameter, *to, of)
        {
            return out;
        }
        if matches!(ty, Type::Struct(_)) {
            let place = self.place(argument)?;
            if !is_same(place.ty, ty) || place.array {
                return self
                    .wrong(argument.span, format!("parameter `{parameter}` of `{function}` is a {}", c_name(ty)));
            }
            return Some(Argument::Value { value: Expression::Load { place: place.place, ty }, ty });
        }
        let typed = self.expression(argument)?;
        self.widens(&typed, ty, argument.span);
        if !self.fits(&typed, ty) {
            let (wanted, given) = (c_name(ty), c_name(typed.ty));
            let message = format!("parameter `{parameter}` of `{function}` is a {wanted}, but this is a {given}");
            return self.wrong(argument.span, message);
        }
        let (low, high) = range(ty);
        if let Some(value) = typed.constant.filter(|value| *value < low || *value > high) {
            let ty = c_name(ty);
            let message =
                format!("{value} does not fit parameter `{parameter}` ({ty}); cast it if wrapping is intended");
            return self.wrong(argument.span, message);
        }
        Some(Argument::Value { value: typed.expression, ty })
    }

    /// The variable in `&x` if the call gives x its value; `None` for an ordinary argument.
    fn out_variable(&mut self, function: &str, parameter: &str, to: Type, of: &Tree) -> Option<Option<Argument>> {
        let space = self.environment.spaces.get(&(function.to_owned(), parameter.to_owned())).copied();
        if let ExpressionKind::Name(name) = &of.kind
            && self.lookup(self.actor, name).is_none()
            && !self.program.axes.iter().any(|axis| axis.name == *name)
        {
            if matches!(to, Type::Void | Type::Char) {
                let message = format!("declare `{name}` before this call: its length is not in the header");
                self.problem(of.span, message);
                return Some(None);
            }
            let variable = self.declare(name, to, false, of.span);
            self.program.variables[variable].space = space;
        }
        let place = self.place(of)?;
        let variable = place.variable?;
        let fresh = self.program.variables[variable].array || !self.bound.contains(&variable);
        let same = is_same(place.ty, to);
        if !fresh || !same {
            if !same && to != Type::Void && !compatible_pointees(place.ty, to) {
                let (wanted, given) = (c_name(to), c_name(place.ty));
                // C tells these pointers from each other, although the integers are the same.
                let hint = match plain(place.ty) == plain(to) {
                    true => format!("; declare it as `{wanted}`"),
                    false => String::new(),
                };
                let message =
                    format!("parameter `{parameter}` of `{function}` points to {wanted}, but this is {given}{hint}");
                self.program.variables[variable].space = self.program.variables[variable].space.or(space);
                self.problem(of.span, message);
                return Some(None);
            }
            return None;
        }
        let whole = place.place.indices.is_empty() && place.place.offset == 0 && !place.array;
        if whole {
            self.bound.insert(variable);
        }
        let known = &mut self.program.variables[variable];
        known.space = known.space.or(space);
        let initialised_array = known.array && self.bound.contains(&variable);
        self.touched.push(variable);
        if initialised_array {
            return None;
        }
        Some(Some(Argument::Out { bytes: self.environment.declarations.size(to), place: place.place }))
    }

    /// True if C converts the value to the type without a cast.
    pub(crate) fn fits(&self, typed: &Typed, ty: Type) -> bool {
        if typed.constant == Some(0) && is_address(ty) {
            return true;
        }
        match (typed.ty, ty) {
            (from, to) if is_integer(from) && is_integer(to) => true,
            (Type::Pointer { to: from, constant }, Type::Pointer { to, constant: allowed }) => {
                (allowed || !constant || typed.ty == TEXT)
                    && (*from == Type::Void || *to == Type::Void || compatible_pointees(*from, *to))
            }
            // C converts between opaque handles, which are `void *`.
            (Type::Pointer { to, .. }, Type::Handle(_)) | (Type::Handle(_), Type::Pointer { to, .. }) => {
                *to == Type::Void
            }
            (from, to) => is_same(from, to),
        }
    }
}

/// The message about an argument of a built-in that is not a pointer.
fn no_pointer(builtin: &str, argument: &Typed) -> String {
    let hint = match plain(argument.ty) {
        Type::Integer { bytes: 8, .. } if argument.constant.is_none() => "; if it is an address, cast it to `void *`",
        _ => "",
    };
    format!("`{builtin}` takes a pointer here, but this is a {}{hint}", c_name(argument.ty))
}

/// The message about an argument of a built-in that is not a gate.
fn no_held_gate(builtin: &str) -> String {
    format!("`{builtin}` takes a gate here: a variable that holds the result of `gate()`")
}

fn is_held_gate(typed: &Typed) -> bool {
    typed.space == Some(Space::Gate) && matches!(typed.expression, Expression::Load { .. })
}

/// True if C converts between pointers to these types without a cast.
fn compatible_pointees(from: Type, to: Type) -> bool {
    match (from, to) {
        (Type::Pointer { to: from, .. }, Type::Pointer { to, .. }) => {
            *from == Type::Void || *to == Type::Void || is_same(*from, *to)
        }
        (Type::Handle(_), Type::Pointer { to, .. }) | (Type::Pointer { to, .. }, Type::Handle(_)) => *to == Type::Void,
        _ => is_same(from, to),
    }
}
