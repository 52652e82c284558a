//! The libraries that a reproducer links: those that the run loaded, by their paths.

use std::collections::BTreeSet;
use std::path::Path;

use catalog::RuntimeLibrary;
use engine::interface::{LibraryInterface, behind, read_library};
use engine::print_c::{libraries, linked};
use engine::runtime::{Runtime, SimulatedLibrary};

use super::evidence::Evidence;

/// The linker's view of the libraries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LinkedLibraries {
    /// The library under test: its path, or `-lNAME` if this machine cannot have a path for it.
    pub first: String,
    /// The libraries that export what the first one does not.
    pub behind: Vec<String>,
    /// Further folders in which the loader finds what these libraries need.
    pub folders: Vec<String>,
    /// The name of the simulated device's library, if the run used the simulated device in the executable.
    pub simulated: Option<&'static str>,
}

/// Chooses the libraries for a failure's program.
pub(super) fn choose(evidence: &Evidence<'_>, runtime: &'static Runtime) -> LinkedLibraries {
    let header = evidence.header;
    let embedded = header.library.simulated && !header.library.path.starts_with('/');
    let needed = libraries(evidence.rules, evidence.rule);
    let device = runtime.simulated.as_ref().filter(|_| embedded).map(|device| device.libraries);
    if let Some([first, others @ ..]) = device {
        let here = |library: &SimulatedLibrary| format!("$(CURDIR)/{}", library.file_name);
        let others = others.iter().filter(|other| needed.iter().any(|library| library.id == other.id));
        return LinkedLibraries {
            first: here(first),
            behind: others.map(|other| here(other)).collect(),
            simulated: Some(first.file_name),
            ..LinkedLibraries::default()
        };
    }
    let path = &header.library.path;
    if !is_plain_path(path) {
        let file = |library: &RuntimeLibrary| file_of(library, evidence);
        return LinkedLibraries { first: linked(evidence.rules, evidence.rule, file), ..LinkedLibraries::default() };
    }
    // A program that calls nothing of an optional library does not need it.
    let optional = |id: &str| evidence.rules.libraries.all().iter().any(|library| library.id == id && library.optional);
    let wanted = |id: &str| !optional(id) || needed.iter().any(|library| library.id == id);
    let further = header.further_libraries.iter().filter(|library| wanted(&library.id)).map(|library| &library.path);
    let mapped = header.mapped.iter().map(|library| &library.path);
    let others: Vec<&String> = further.chain(mapped).filter(|other| is_plain_path(other) && *other != path).collect();
    let mut folders: BTreeSet<String> = others.iter().filter_map(|other| folder_of(other)).collect();
    folders.extend(folder_of(path));
    // The program also calls functions that prepare the process, so all functions count.
    let functions = evidence.rules.environment.declarations.functions();
    let mut wanted: BTreeSet<&str> = functions.iter().map(|function| function.symbol()).collect();
    let mut behind_it = Vec::new();
    match read_library(Path::new(path)) {
        Ok(library) => {
            let exports = |interface: &LibraryInterface, wanted: &mut BTreeSet<&str>| {
                let before = wanted.len();
                wanted.retain(|symbol| !interface.exported.contains_key(*symbol));
                wanted.len() < before
            };
            exports(&library, &mut wanted);
            let needed = behind(Path::new(path), &library).found;
            let needed = needed.into_iter().map(|needed| (needed.path.display().to_string(), Some(needed.interface)));
            let others = others.iter().map(|other| ((*other).clone(), None));
            for (other, interface) in needed.chain(others) {
                let interface = interface.or_else(|| read_library(Path::new(&other)).ok());
                if interface.is_some_and(|interface| exports(&interface, &mut wanted)) && is_plain_path(&other) {
                    folders.extend(folder_of(&other));
                    behind_it.push(other);
                }
            }
        }
        // The run took place on another machine. The linker there takes what it needs.
        Err(_) => behind_it.extend(others.into_iter().cloned()),
    }
    LinkedLibraries { first: path.clone(), behind: behind_it, folders: folders.into_iter().collect(), simulated: None }
}

/// The name of a library's file in the run or, if it is none of the catalog's names, the first of these.
fn file_of(library: &RuntimeLibrary, evidence: &Evidence<'_>) -> Option<String> {
    let header = evidence.header;
    let first = library.id == evidence.rules.libraries.first().id;
    let further = header.further_libraries.iter().find(|known| known.id == library.id).map(|known| &known.path);
    let path = if first { Some(&header.library.path) } else { further };
    let loaded = path.and_then(|path| Path::new(path).file_name()?.to_str());
    let name = library.names.iter().find(|name| Some(name.as_str()) == loaded);
    name.or(library.names.first()).cloned()
}

/// True for an absolute path that needs no quotes in a Makefile or a shell. A path in a journal may be any text, and a
/// redacted path names no file.
fn is_plain_path(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.+,@".contains(&byte);
    path.starts_with('/') && path.len() <= 4096 && path.bytes().all(plain)
}

/// The folder of a library, unless the loader searches it in any event.
fn folder_of(path: &str) -> Option<String> {
    let folder = Path::new(path).parent()?.to_str()?;
    let usual = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
    let of_the_system = usual.contains(&folder) || (folder.ends_with("-linux-gnu") && folder.contains("/lib/"));
    (!of_the_system).then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_toolkit("/usr/local/toolkit/8.5/lib64/libruntime_1-0.so", true)]
    #[case::relative("libruntime.so", false)]
    #[case::embedded("embedded", false)]
    #[case::a_space("/opt/my libs/a.so", false)]
    #[case::redacted("/home/<user-1>/a.so", false)]
    #[case::a_command("/opt/$(shell reboot)/a.so", false)]
    #[case::lines("/opt/a.so\nrun:", false)]
    fn only_a_path_without_special_characters_is_linked(#[case] path: &str, #[case] plain: bool) {
        assert_eq!(is_plain_path(path), plain);
    }

    #[test]
    fn folders_of_the_system_are_not_named() {
        assert_eq!(folder_of("/opt/a/liba.so").as_deref(), Some("/opt/a"));
        assert_eq!(folder_of("/usr/lib/x86_64-linux-gnu/libz.so.1"), None);
        assert_eq!(folder_of("/usr/lib64/libz.so.1"), None);
    }
}
