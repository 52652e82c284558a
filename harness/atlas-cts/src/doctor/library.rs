//! A check that the runtime's library exists and can be loaded.

use std::path::{Path, PathBuf};

use catalog::{Rules, RuntimeLibrary};
use engine::doctor::{Certainty, End, Examination, Finding, HostMachine, Severity};
use engine::questions::question;
use engine::run::check_library_file;
use engine::runtime::Runtime;

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
        None => search(machine, rules, found)?,
    };
    if let Err(error) = check_library_file(&path) {
        found.looked("library", path.display().to_string(), error.to_string());
        let title = format!("the runtime's library {} cannot be used", path.display());
        found.find(Finding::new("library.unusable", Severity::Blocker, title, error.to_string()));
        return None;
    }
    load(machine, runtime, &path, found);
    for library in &rules.libraries.all()[1..] {
        let there =
            folders(machine, library).iter().flat_map(|folder| names(folder, library)).find(|path| path.exists());
        let said =
            there.map_or("not found; rules that need it are skipped".to_owned(), |path| path.display().to_string());
        found.looked("further library", library.id.clone(), said);
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

fn search(machine: &HostMachine, rules: &Rules, found: &mut Examination) -> Option<PathBuf> {
    let library = rules.libraries.first();
    let folders = folders(machine, library);
    let there = folders.iter().flat_map(|folder| names(folder, library)).find(|path| path.exists());
    let looked: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    match &there {
        Some(path) => found.looked("library", path.display().to_string(), "found"),
        None => {
            found.looked("library", looked.join(", "), format!("none of {} found", library.names.join(", ")));
            let title = format!("none of the runtime's libraries {} was found", library.names.join(", "));
            let next = "install the toolkit, source its set_env.sh in the shell that starts the suite, or give the \
                        library with --library PATH";
            let looked = looked.into_iter().map(|folder| format!("{folder}: not found"));
            found.find(Finding::new("library.missing", Severity::Blocker, title, next).seen_all(looked));
        }
    }
    there
}

fn load(machine: &HostMachine, runtime: &Runtime, path: &Path, found: &mut Examination) {
    let place = path.display().to_string();
    let (answer, lines) = question(machine, runtime.name(), &["load", &place]);
    let said = lines.first().map_or_else(|| answer.said(), Clone::clone);
    found.looked("loading the library", place.clone(), said.clone());
    match lines.first().map(String::as_str) {
        Some("loaded") => return,
        Some("simulated") => {
            let title = format!("{place} is the simulated device of this suite, not the library of a real device");
            let next =
                "give the toolkit's library with --library PATH, or remove the simulated one from LD_LIBRARY_PATH";
            return found.find(Finding::new("library.simulated", Severity::Blocker, title, next));
        }
        _ => {}
    }
    let refused = said.strip_prefix("refused ").map(str::to_owned);
    let missing = refused.as_deref().and_then(missing).map(str::to_owned);
    let finding = match (&answer.end, refused, missing) {
        (_, Some(refused), Some(missing)) => Finding::new(
            "library.dependency-missing",
            Severity::Blocker,
            format!("{missing}, which {place} needs, is not in a folder that the loader searches"),
            format!(
                "find {missing} (the driver's libraries are in its lib64 folder and reach a container through a \
                 mount), and add its folder to LD_LIBRARY_PATH or source the toolkit's set_env.sh"
            ),
        )
        .seen(refused),
        (_, Some(refused), None) => Finding::new(
            "library.not-loadable",
            Severity::Blocker,
            format!("the loader rejects {place}"),
            "compare the toolkit's version and architecture with those of the driver and of this system, and install \
             matching packages",
        )
        .seen(refused),
        (End::TimedOut | End::LeftBehind, None, _) => Finding::new(
            "library.hangs",
            Severity::Blocker,
            format!("loading {place} timed out"),
            "read the kernel's messages; if the driver does not answer, contact the machine's administrator",
        ),
        (_, None, _) => Finding::new(
            "library.crashes",
            Severity::Blocker,
            format!("loading {place} crashes the process ({})", answer.said()),
            "install the toolkit again; if it still crashes, send the vendor the output of `atlas-cts doctor`",
        ),
    };
    found.find(finding.rests_on(Certainty::System, "the dynamic loader's message in a separate process"));
}

/// The library that the loader cannot find, from its message.
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
