//! Tracks which resources a printed program acquires and releases.

use abi::Type;
use steps::Environment;
use steps::types::is_address;

use catalog::{Handle, ReleaseArgument, Resource};

use super::text::{c_name, c_type};

/// A method for releasing resources, which several resources may share.
pub(super) struct Way<'a> {
    /// Distinguishes this method's functions: the releasing function, with a number if that function has several
    /// methods.
    pub name: String,
    resource: &'a Resource,
    environment: &'a Environment,
}

impl<'a> Way<'a> {
    /// The method for releasing one of the resources.
    pub(super) fn of(resource: &'a Resource, resources: &'a [Resource], environment: &'a Environment) -> Way<'a> {
        let function = &resource.release.function;
        let mut shapes = Vec::new();
        for known in resources.iter().filter(|known| known.release.function == *function) {
            if !shapes.contains(&shape(known)) {
                shapes.push(shape(known));
            }
        }
        let name = match shapes.iter().position(|known| *known == shape(resource)) {
            None | Some(0) => function.clone(),
            Some(earlier) => format!("{function}_{}", earlier + 1),
        };
        Way { name, resource, environment }
    }

    /// True if the release needs arguments from the acquiring call.
    pub(super) fn keeps(&self) -> bool {
        self.resource.kept().next().is_some()
    }

    /// The statement that records an acquisition. `argument` returns the text of an argument to the acquiring call.
    pub(super) fn acquired(&self, handle: &str, argument: impl Fn(usize) -> String) -> String {
        let (name, function) = (&self.name, &self.resource.release.function);
        if self.keeps() {
            let kept: String = self.fields().map(|(position, ..)| format!(", {}", argument(position))).collect();
            return format!("acquired_{name}({handle}{kept});");
        }
        let bytes = match self.resource.handle {
            Handle::Buffer(bytes) => bytes,
            Handle::Argument(_) | Handle::Pointee(_) => 0,
        };
        format!("acquired(\"{function}\", release_{name}, {}, {bytes});", self.as_address(handle))
    }

    /// The statement that records the release of a handle.
    pub(super) fn released(&self, handle: &str) -> String {
        let name = &self.name;
        if self.keeps() {
            return format!("released_{name}({handle});");
        }
        format!("released(release_{name}, {});", self.as_address(handle))
    }

    /// The functions for this method.
    pub(super) fn functions(&self) -> Vec<String> {
        if self.keeps() { self.keeping() } else { self.plain() }
    }

    fn plain(&self) -> Vec<String> {
        let handle = match number(self.resource.handle) {
            Some(ty) => format!("({})(uintptr_t)handle", c_type(ty, "")),
            None => "handle".to_owned(),
        };
        let call = self.call(&handle, |_| String::new());
        vec![format!("static inline long long release_{}(void *handle) {{ return {call}; }}\n", self.name)]
    }

    /// The functions, if the handle is stored together with the arguments for its release.
    fn keeping(&self) -> Vec<String> {
        let (name, function) = (&self.name, &self.resource.release.function);
        let ty = self.resource.handle.ty();
        let handle = if is_address(ty) { "void *handle".to_owned() } else { c_type(ty, "handle") };
        let given = if is_address(ty) { "const void *handle".to_owned() } else { handle.clone() };
        let (field, from, keep, same) = match self.resource.handle {
            Handle::Buffer(bytes) => (
                format!("unsigned char handle[{bytes}]"),
                "(void *)kept->handle",
                "memcpy(entry.handle, handle, sizeof entry.handle)",
                "memcmp(kept->handle, handle, sizeof kept->handle) == 0",
            ),
            _ => (handle, "kept->handle", "entry.handle = handle", "kept->handle == handle"),
        };
        let parameter = if field.starts_with("unsigned char handle[") { "const void *handle" } else { &field };
        let arguments: Vec<(String, String)> = self.fields().map(|(_, ty, name)| (c_type(ty, &name), name)).collect();
        let fields: String = arguments.iter().map(|(declared, _)| format!(" {declared};")).collect();
        let parameters: String = arguments.iter().map(|(declared, _)| format!(", {declared}")).collect();
        let values: Vec<String> = arguments.iter().map(|(_, name)| format!(".{name} = {name}")).collect();
        let call = self.call(from, |position| format!("kept->{}", self.field(position)));
        vec![
            format!("struct kept_{name} {{ {field};{fields} }};\n"),
            format!("static inline long long release_{name}(void *entry) {{\n"),
            format!("    struct kept_{name} *kept = entry;\n    return {call};\n}}\n"),
            format!("static inline void acquired_{name}({parameter}{parameters}) {{\n"),
            format!("    struct kept_{name} entry = {{{}}};\n    {keep};\n", values.join(", ")),
            format!("    acquired(\"{function}\", release_{name}, &entry, sizeof entry);\n}}\n"),
            format!("static inline void released_{name}({given}) {{\n"),
            "    for (struct held *entry = held; entry != NULL; entry = entry->below) {\n".to_owned(),
            format!("        struct kept_{name} *kept = entry->handle;\n"),
            format!("        if (entry->release == release_{name} && {same}) {{\n"),
            format!("            released(release_{name}, kept);\n            return;\n        }}\n    }}\n}}\n"),
        ]
    }

    /// The call that releases a handle.
    pub(super) fn call(&self, handle: &str, kept: impl Fn(usize) -> String) -> String {
        let release = &self.resource.release;
        let arguments: Vec<String> = release
            .arguments
            .iter()
            .map(|argument| match argument {
                ReleaseArgument::Handle => handle.to_owned(),
                ReleaseArgument::Integer(value) => super::text::number(*value),
                ReleaseArgument::Parameter(position) => kept(*position),
            })
            .collect();
        let call = format!("{}({})", release.function, arguments.join(", "));
        let returns = self.environment.declarations.function(&release.function).map(|function| function.returns);
        match returns.and_then(|returns| self.environment.results.position(returns)) {
            None | Some(0) => call,
            // At the end of a program, the results of all releases are compared with a single value.
            Some(other) => {
                let success = &self.environment.results.0[other].success_name;
                format!("{call} == {success} ? SUCCESS : !SUCCESS")
            }
        }
    }

    fn as_address(&self, handle: &str) -> String {
        match number(self.resource.handle) {
            Some(ty) => format!("(void *)(uintptr_t)({})({handle})", c_type(ty, "")),
            None => handle.to_owned(),
        }
    }

    /// The stored arguments, without duplicates: position, type and name.
    fn fields(&self) -> impl Iterator<Item = (usize, Type, String)> {
        let positions: std::collections::BTreeSet<usize> = self.resource.kept().collect();
        positions.into_iter().map(|position| (position, self.parameter(position).0, self.field(position)))
    }

    fn field(&self, position: usize) -> String {
        let name = c_name(self.parameter(position).1);
        if matches!(name.as_str(), "handle" | "entry" | "kept") { name + "_" } else { name }
    }

    fn parameter(&self, position: usize) -> (Type, &'static str) {
        let function =
            self.environment.declarations.function(&self.resource.acquire).expect("the resource was checked");
        (function.parameters[position].ty, function.parameters[position].name)
    }
}

/// Distinguishes methods that use the same releasing function: the arguments, the type of a numeric handle and, if
/// arguments are stored, the acquiring function and the handle.
fn shape(resource: &Resource) -> (&[ReleaseArgument], Option<Type>, Option<(&str, Handle)>) {
    let kept = resource.kept().next().map(|_| (resource.acquire.as_str(), resource.handle));
    (&resource.release.arguments, number(resource.handle), kept)
}

/// The type of a numeric handle. All addresses have the same type.
fn number(handle: Handle) -> Option<Type> {
    Some(handle.ty()).filter(|ty| !is_address(*ty))
}

/// A resource that is held at the current position, if the text determines which resources are held.
pub(super) struct Owned<'a> {
    pub resource: &'a Resource,
    pub handle: String,
    /// The arguments to the acquiring call that the release passes on, by position.
    pub kept: Vec<(usize, String)>,
    pub process: usize,
}
