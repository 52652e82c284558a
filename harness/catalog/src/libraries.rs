//! The libraries of a runtime, and the functions in each.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;

use abi::Function;
use serde_yaml::Spanned;
use steps::pattern::{hint, matches};
use steps::types::Declarations;

use super::diagnostic::Mistakes;
use super::life_cycle::LifeCycleProgram;
use super::model::ApiFile;
use super::parse::ParsedFile;

/// A runtime library.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct RuntimeLibrary {
    /// The library's name in the catalog and in reports.
    pub id: String,
    /// File names, in the order in which they are tried.
    pub names: Vec<String>,
    /// The folders to search, which may contain environment variables as `${NAME}`.
    pub search: Vec<String>,
    /// True if the runtime also works without this library.
    pub optional: bool,
    /// The next action if the library is missing.
    pub install: Option<String>,
    /// The vendor's headers that declare its functions.
    pub headers: Vec<String>,
    /// True if the library is not the first one and a query gives its version, so that it has a separate edition.
    pub versioned: bool,
    /// The patterns of the names in the library.
    patterns: Vec<String>,
}

impl RuntimeLibrary {
    /// The folders to search, in order: the catalog's folders, then those in LD_LIBRARY_PATH. Entries with an unset
    /// variable are dropped.
    pub fn folders(&self, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let mut folders: Vec<PathBuf> = self.search.iter().filter_map(|entry| expand(entry, &variable)).collect();
        if let Some(path) = variable("LD_LIBRARY_PATH") {
            folders.extend(std::env::split_paths(&path).filter(|path| !path.as_os_str().is_empty()));
        }
        folders
    }
}

/// Replaces `${NAME}`; `None` if a variable is not set.
fn expand(entry: &str, variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let mut text = OsString::new();
    let mut rest = entry;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}')?;
        text.push(before);
        text.push(variable(name)?);
        rest = after;
    }
    text.push(rest);
    Some(text.into())
}

/// A runtime's libraries, in the order in api.yaml.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Libraries {
    list: Vec<RuntimeLibrary>,
    /// Function → position of its library. All other functions are in the first library.
    #[serde(deserialize_with = "abi::form::read_map")]
    homes: BTreeMap<&'static str, usize>,
}

impl Libraries {
    /// The library that every installation of the runtime has; `--library` names its file.
    pub fn first(&self) -> &RuntimeLibrary {
        &self.list[0]
    }

    /// All libraries in order.
    pub fn all(&self) -> &[RuntimeLibrary] {
        &self.list
    }

    /// The libraries that a program needs which calls these functions: the first one, and theirs.
    pub fn needed<'a>(&'a self, functions: impl Iterator<Item = &'a str>) -> Vec<&'a RuntimeLibrary> {
        let homes: HashSet<usize> = functions.map(|function| self.home(function)).chain([0]).collect();
        let libraries = self.list.iter().enumerate();
        libraries.filter(|(position, _)| homes.contains(position)).map(|(_, library)| library).collect()
    }

    /// The position of the library that contains a function.
    pub fn home(&self, function: &str) -> usize {
        self.homes.get(function).copied().unwrap_or(0)
    }

    /// The position of a library.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.list.iter().position(|library| library.id == id)
    }

    /// The position of the library whose edition a function, a struct or a value follows. The patterns of the libraries
    /// say where it belongs; a library without a separate edition follows the first.
    pub fn home_of(&self, name: &str) -> usize {
        let listed = || self.list.iter().position(|library| library.patterns.iter().any(|known| matches(known, name)));
        let home = self.homes.get(name).copied().or_else(listed);
        home.filter(|home| self.list.get(*home).is_some_and(|library| library.versioned)).unwrap_or(0)
    }

    /// The library as the owner of an edition: ` of audit`; empty if the edition is the runtime's.
    pub fn of(&self, library: usize) -> String {
        self.list
            .get(library)
            .filter(|known| known.versioned)
            .map(|known| format!(" of {}", known.id))
            .unwrap_or_default()
    }

    /// The owner of an edition: `audit`, or `the runtime`.
    pub fn owner(&self, library: usize) -> String {
        self.list
            .get(library)
            .filter(|known| known.versioned)
            .map_or("the runtime".to_owned(), |known| known.id.clone())
    }

    /// The further libraries that have a separate edition, with their positions.
    pub fn versioned(&self) -> impl Iterator<Item = (usize, &RuntimeLibrary)> {
        self.list.iter().enumerate().filter(|(_, library)| library.versioned)
    }

    /// The library that contains a function, if that library is optional.
    pub fn optional_home(&self, function: &str) -> Option<&RuntimeLibrary> {
        self.list.get(self.home(function)).filter(|library| library.optional)
    }
}

/// Reads the libraries in api.yaml.
pub(super) fn check(file: &ParsedFile<ApiFile>, declarations: &Declarations, mistakes: &mut Mistakes) -> Libraries {
    let api = &file.value;
    let mut report = |place: &Spanned<String>, message: String| mistakes.at(&file.source, place, message);
    for header in api.library.iter().flat_map(|of| &of.headers).chain(api.libraries.iter().flat_map(|of| &of.headers)) {
        // The name is a part of programs and of a Makefile.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.+".contains(&byte);
        if header.value.is_empty() || !header.value.bytes().all(plain) {
            let message = format!("`{}` is not the name of a header; write it as `vendor/runtime.h`", header.value);
            report(header, message);
        }
    }
    let library = |id: &Spanned<String>, names: &[String], search: &[String], optional, headers: &[Spanned<String>]| {
        RuntimeLibrary {
            id: id.value.clone(),
            names: names.to_vec(),
            search: search.to_vec(),
            optional,
            install: None,
            headers: headers.iter().map(|header| header.value.clone()).collect(),
            versioned: false,
            patterns: Vec::new(),
        }
    };
    let mut list: Vec<RuntimeLibrary> = match (&api.library, api.libraries.as_slice()) {
        (Some(one), []) => vec![library(&api.runtime, &one.names, &one.search, false, &one.headers)],
        (None, entries @ [first, ..]) => {
            if first.optional {
                let message = "the first library cannot be optional: list one that is always installed before it";
                report(&first.id, message.to_owned());
            }
            entries.iter().map(|of| library(&of.id, &of.names, &of.search, of.optional, &of.headers)).collect()
        }
        (given, _) => {
            let both = if given.is_some() { "both are given" } else { "neither is given" };
            report(&api.runtime, format!("api.yaml must have either `library` or a list of `libraries`; {both}"));
            vec![library(&api.runtime, &[], &[], false, &[])]
        }
    };
    let mut homes: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (position, entry) in api.libraries.iter().enumerate() {
        if api.libraries[..position].iter().any(|earlier| earlier.id.value == entry.id.value) {
            report(&entry.id, format!("there are two libraries `{}`; rename one", entry.id.value));
        }
        for pattern in &entry.functions {
            let mut functions: Vec<&'static Function> = declarations.bindings.functions.iter().collect();
            functions.retain(|function| matches(&pattern.value, function.name));
            if functions.is_empty() {
                let hint = hint(&pattern.value, declarations.function_names());
                report(pattern, format!("`{}` matches no function in the header{hint}", pattern.value));
            }
            for function in functions {
                let earlier = homes.insert(function.name, position).filter(|earlier| *earlier != position);
                if let Some(earlier) = earlier {
                    let (name, other, own) = (function.name, &list[earlier].id, &entry.id.value);
                    report(pattern, format!("`{name}` is listed in both `{other}` and `{own}`; remove one"));
                }
            }
        }
    }
    for (library, entry) in list.iter_mut().zip(&api.libraries) {
        library.install.clone_from(&entry.install);
        library.patterns = entry.functions.iter().map(|pattern| pattern.value.clone()).collect();
    }
    for named in api.queries.version.iter().filter_map(|version| version.library.as_ref()) {
        let Some(position) = list.iter().position(|library| library.id == named.value) else {
            let known = list.iter().map(|library| library.id.as_str());
            let message = format!("`{}` is not a library of api.yaml{}", named.value, hint(&named.value, known));
            report(named, message);
            continue;
        };
        list[position].versioned = position > 0;
    }
    Libraries { list, homes }
}

/// Checks that the life cycle, which runs with every installation, calls no functions from an optional library. A query
/// for a capability may, and so may a query for that library's version: without the library, they are left out.
pub(super) fn expect_there(
    file: &ParsedFile<ApiFile>,
    libraries: &Libraries,
    life_cycle: &LifeCycleProgram,
    mistakes: &mut Mistakes,
) {
    for function in life_cycle.always_called() {
        let Some(library) = libraries.optional_home(function) else { continue };
        let Some(entry) = file.value.libraries.iter().find(|entry| entry.id.value == library.id) else { continue };
        let message = format!(
            "the life cycle or a query calls {} from the optional library `{}`, which may be missing: do not call it, \
             or remove `optional`",
            function, library.id
        );
        mistakes.at(&file.source, &entry.id, message);
    }
}
