//! A check that the runtime's library exists and can be loaded.

use std::path::{Path, PathBuf};

use catalog::{Rules, RuntimeLibrary};
use engine::doctor::{Advice, Certainty, End, Examination, Finding, HostMachine, Severity};
use engine::questions::question;
use engine::run::{check_first_library, check_library_file};
use engine::runtime::Runtime;
use messages::message;

use super::surroundings::Surroundings;

/// Finds the library that a run would test, and loads it in a separate process.
pub(super) fn look(
    machine: &HostMachine,
    options: &Surroundings,
    runtime: &Runtime,
    rules: &Rules,
    found: &mut Examination,
) -> Option<PathBuf> {
    let path = match &options.machine.library {
        Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        None => search(machine, runtime, rules, found)?,
    };
    let checked = check_library_file(&path).and_then(|()| check_first_library(&path, &rules.libraries, runtime));
    if let Err(error) = checked {
        let place = path.display().to_string();
        found.looked(message!("look-library"), place.clone(), error.to_string());
        let title = message!("library-unusable", path = place);
        found.find(Finding::new("library.unusable", Severity::Blocker, title, error.to_string()));
        return None;
    }
    load(machine, runtime, &path, found);
    for library in &rules.libraries.all()[1..] {
        // As in a run, the folder of the first library comes first.
        let first = path.parent().map(Path::to_owned).into_iter();
        let folders: Vec<PathBuf> = first.chain(folders(machine, library)).collect();
        let there = folders.iter().flat_map(|folder| names(folder, library)).find(|path| path.exists());
        let said = there.map_or(message!("further-library-not-found").to_owned(), |path| path.display().to_string());
        found.looked(message!("look-further-library"), library.id.clone(), said);
    }
    Some(path)
}

fn folders(machine: &HostMachine, library: &RuntimeLibrary) -> Vec<PathBuf> {
    let folders = library.folders(|name| machine.variable(name).map(Into::into));
    folders.iter().map(|folder| machine.at(folder)).collect()
}

fn names<'a>(folder: &'a Path, library: &'a RuntimeLibrary) -> impl Iterator<Item = PathBuf> + 'a {
    library.names.iter().map(move |name| folder.join(name))
}

fn search(machine: &HostMachine, runtime: &Runtime, rules: &Rules, found: &mut Examination) -> Option<PathBuf> {
    let library = rules.libraries.first();
    let folders = folders(machine, library);
    let there = folders.iter().flat_map(|folder| names(folder, library)).find(|path| path.exists());
    let Some(path) = &there else {
        let looked: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let names = library.names.join(", ");
        found.looked(message!("look-library"), looked.join(", "), message!("none-found", names = names.as_str()));
        let title = message!("library-missing", names = names);
        let next = message!("library-missing-next", advice = runtime.advice(Advice::Installation));
        let looked = looked.into_iter().map(|folder| message!("not-found-in", folder = folder));
        found.find(Finding::new("library.missing", Severity::Blocker, title, next).seen_all(looked));
        return None;
    };
    found.looked(message!("look-library"), path.display().to_string(), message!("found"));
    there
}

fn load(machine: &HostMachine, runtime: &Runtime, path: &Path, found: &mut Examination) {
    let place = path.display().to_string();
    let (answer, lines) = question(machine, runtime.name(), &["load", &place]);
    let said = lines.first().map_or_else(|| answer.said(), Clone::clone);
    found.looked(message!("look-loading"), place.clone(), said.clone());
    match lines.first().map(String::as_str) {
        Some("loaded") => return,
        Some("simulated") => {
            let title = message!("library-simulated", path = place);
            let next = message!("library-simulated-next");
            return found.find(Finding::new("library.simulated", Severity::Blocker, title, next));
        }
        _ => {}
    }
    let refused = said.strip_prefix("refused ").map(str::to_owned);
    let missing = refused.as_deref().and_then(missing).map(str::to_owned);
    let (id, title, next) = match (&answer.end, &refused, missing) {
        (_, Some(_), Some(missing)) => (
            "library.dependency-missing",
            message!("library-dependency-missing", missing = missing.as_str(), path = place),
            message!("library-dependency-missing-next", missing = missing, advice = runtime.advice(Advice::Dependency)),
        ),
        (_, Some(_), None) => (
            "library.not-loadable",
            message!("library-not-loadable", path = place),
            message!("library-not-loadable-next").to_owned(),
        ),
        (End::TimedOut | End::LeftBehind, None, _) => {
            ("library.hangs", message!("library-hangs", path = place), message!("library-hangs-next").to_owned())
        }
        (_, None, _) => (
            "library.crashes",
            message!("library-crashes", path = place, end = answer.said()),
            message!("library-crashes-next").to_owned(),
        ),
    };
    let finding = Finding::new(id, Severity::Blocker, title, next).seen_all(refused);
    found.find(finding.rests_on(Certainty::System, message!("library-rests-on")));
}

/// The library that the loader cannot find, according to its message.
fn missing(refused: &str) -> Option<&str> {
    let (before, _) = refused.split_once(": cannot open shared object file")?;
    let name = before.rsplit([' ', ':']).next()?;
    name.contains(".so").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn the_loader_names_what_is_missing() {
        let said = "dlopen failed: libhal.so: cannot open shared object file: No such file or directory";
        assert_eq!(missing(said), Some("libhal.so"));
        assert_eq!(missing("libc.so.6: version `GLIBC_2.38' not found (required by /opt/lib.so)"), None);
    }
}
