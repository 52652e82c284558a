//! Checks the functions and parameters in api.yaml against the header.

use std::collections::{BTreeMap, HashMap};

use abi::Type;
use serde_yaml::Spanned;
use steps::program::Space;
use steps::suggest::hint;
use steps::types::{Declarations, c_name};

use crate::diagnostic::Mistakes;
use crate::limits::Limit;
use crate::model::{ApiFile, DescriptorSource, Reason, TimeOutSource, TimeUnit};
use crate::parse::ParsedFile;
use crate::resource::{self, Field, Resource};

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
