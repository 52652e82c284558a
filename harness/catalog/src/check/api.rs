//! Checks the functions and parameters in api.yaml against the header.

use std::collections::{BTreeMap, HashMap};

use abi::Type;
use serde_yaml::Spanned;
use steps::program::Space;
use steps::suggest::hint;
use steps::types::{Declarations, c_name};

use crate::clauses::ClauseBook;
use crate::diagnostic::Mistakes;
use crate::limits::Limit;
use crate::model::{ApiFile, DescriptorSource, MayBlockSource, Reason, TimeOutSource, TimeUnit};
use crate::parse::ParsedFile;
use crate::resource::{self, Field, Resource};
use crate::rules::MayBlock;

/// The parameters that are timeouts.
pub(super) fn time_outs(
    api: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    mistakes: &mut Mistakes,
) -> BTreeMap<String, (usize, TimeUnit)> {
    let mut found = BTreeMap::new();
    for TimeOutSource { function, parameter, unit } in &api.value.time_outs {
        if let Some((position, _)) = parameter_of(api, declarations, (function, parameter), mistakes) {
            found.insert(function.value.clone(), (position, *unit));
        }
    }
    found
}

/// Adds the parameters through which functions store descriptors.
pub(super) fn descriptors(
    api: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    spaces: &mut HashMap<(String, String), Space>,
    mistakes: &mut Mistakes,
) {
    for DescriptorSource { function, parameter } in &api.value.descriptors {
        match parameter_of(api, declarations, (function, parameter), mistakes) {
            Some((_, Type::Pointer { to: Type::Integer { bytes: 4, .. } | Type::Void, constant: false })) => {
                spaces.insert((function.value.clone(), parameter.value.clone()), Space::Descriptor);
            }
            Some((_, ty)) => {
                let message = format!(
                    "`{}` is a {}, which stores no descriptor; name a parameter of the type `int *` or `void *`",
                    parameter.value,
                    c_name(ty)
                );
                mistakes.at(&api.source, parameter, message);
            }
            None => {}
        }
    }
}

/// The position and type of a function's parameter.
fn parameter_of(
    api: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    (function, parameter): (&Spanned<String>, &Spanned<String>),
    mistakes: &mut Mistakes,
) -> Option<(usize, Type)> {
    let Some(declared) = declarations.function(&function.value) else {
        let hint = hint(&function.value, declarations.function_names());
        mistakes.at(&api.source, function, format!("`{}` is not in the header{hint}", function.value));
        return None;
    };
    let found = declared.parameters.iter().position(|known| known.name == parameter.value);
    if found.is_none() {
        let hint = hint(&parameter.value, declared.parameters.iter().map(|known| known.name));
        let message = format!("`{}` has no parameter `{}`{hint}", function.value, parameter.value);
        mistakes.at(&api.source, parameter, message);
    }
    found.map(|position| (position, declared.parameters[position].ty))
}

/// The environment variables of processes that load the library.
pub(super) fn variables(api: &ParsedFile<ApiFile>, mistakes: &mut Mistakes) -> Vec<(String, String)> {
    let is_name = |name: &str| {
        let known = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        name.chars().all(known) && name.starts_with(|c: char| c.is_ascii_uppercase())
    };
    for (name, value) in &api.value.environment {
        if api.value.visible.as_ref() == Some(name) {
            let message = format!("`{name}` lists the devices that a process sees (`visible`); remove it here");
            mistakes.at(&api.source, value, message);
        } else if !is_name(name) {
            let message = format!("`{name}` is not the name of an environment variable; use capitals, digits and `_`");
            mistakes.at(&api.source, value, message);
        } else if !value.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.,:".contains(&byte)) {
            // Programs and their explanations contain the value.
            let message = format!("`{}` is not a plain value; use letters, digits and -_.,:", value.value);
            mistakes.at(&api.source, value, message);
        }
    }
    api.value.environment.iter().map(|(name, value)| (name.clone(), value.value.clone())).collect()
}

/// The freedom of calls to wait. The clauses are checked if all were read.
pub(super) fn may_block(
    api: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    book: &ClauseBook,
    mistakes: &mut Mistakes,
) -> Option<MayBlock> {
    let MayBlockSource { by, except } = api.value.may_block.as_ref()?;
    for (function, clause) in except.iter().filter(|(function, _)| declarations.function(function).is_none()) {
        let hint = hint(function, declarations.function_names());
        mistakes.at(&api.source, clause, format!("`{function}` is not in the header{hint}"));
    }
    for clause in std::iter::once(by).chain(except.values()) {
        if book.clause(&clause.value).is_none() {
            mistakes.at(&api.source, clause, format!("`{}` is not a clause", clause.value));
        }
    }
    Some(MayBlock { clause: by.value.clone(), except: except.keys().cloned().collect() })
}

/// The documented limits on sizes.
pub(super) fn limits(api: &ParsedFile<ApiFile>, declarations: &Declarations, mistakes: &mut Mistakes) -> Vec<Limit> {
    let mut limits = Vec::new();
    for source in &api.value.limits {
        match Limit::of(source, declarations) {
            Ok(limit) => limits.push(limit),
            Err(mistake) => mistakes.at(&api.source, &source.function, mistake),
        }
    }
    limits
}

pub(super) fn resources(
    file: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    mistakes: &mut Mistakes,
) -> (Vec<Resource>, HashMap<(String, String), Space>) {
    let mut resources = Vec::new();
    let mut spaces = HashMap::new();
    for entry in &file.value.resources {
        match resource::check(entry, declarations) {
            Ok(resource) => resources.push(resource),
            Err(mistake) => {
                let scalar = match mistake.field {
                    Field::Acquire => &entry.acquire,
                    Field::Handle => &entry.handle,
                    Field::Release => &entry.release,
                    Field::Also(index) => &entry.also[index],
                };
                mistakes.inside(&file.source, scalar, mistake.span, mistake.kind.to_string());
            }
        }
        if let Some(space) = entry.space {
            spaces.insert((entry.acquire.value.clone(), entry.handle.value.clone()), space);
        }
    }
    (resources, spaces)
}

/// The names of sizes and limits by reason, without the names' places in the file.
pub(super) fn undrawn(by_reason: &BTreeMap<Reason, Vec<Spanned<String>>>) -> BTreeMap<Reason, Vec<String>> {
    let plain = |names: &Vec<Spanned<String>>| names.iter().map(|name| name.value.clone()).collect();
    by_reason.iter().map(|(reason, names)| (*reason, plain(names))).collect()
}
