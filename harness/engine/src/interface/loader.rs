//! The libraries behind a library: those that it needs, directly or indirectly, found where the system's loader looks,
//! without loading them. A lookup by name (`dlsym`) also searches these libraries.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::library::{LibraryInterface, read_library};

/// The maximum number of needed libraries to read, direct and indirect.
const MOST_NEEDED: usize = 256;
/// The list of the loader's additional folders.
const CONFIGURATION: &str = "/etc/ld.so.conf";
/// The loader's usual folders.
const USUAL: &[&str] = &[
    "/lib64",
    "/usr/lib64",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib",
    "/usr/lib",
];

/// The libraries that a library needs.
#[derive(Debug, Default)]
pub struct Behind {
    /// The libraries in the order in which a lookup searches them.
    pub found: Vec<NeededLibrary>,
    /// The names of needed libraries that are in none of the loader's folders.
    pub absent: Vec<String>,
}

/// A library that another library needs.
#[derive(Debug)]
pub struct NeededLibrary {
    /// The name under which the library is needed.
    pub name: String,
    pub path: PathBuf,
    pub interface: LibraryInterface,
}

/// The folders in which the loader looks for any library.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders {
    /// Searched first: `LD_LIBRARY_PATH`.
    given: Vec<PathBuf>,
    /// Searched last.
    usual: Vec<PathBuf>,
}

impl Folders {
    /// The folders of a process that this process starts.
    pub(super) fn of_this_process() -> Folders {
        let given: OsString = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let mut usual = configured(Path::new(CONFIGURATION), 0);
        usual.extend(USUAL.iter().map(PathBuf::from));
        Folders { given: std::env::split_paths(&given).filter(|path| path.is_absolute()).collect(), usual }
    }
}

/// The folders in a configuration file of the loader and in the files that it includes.
fn configured(file: &Path, depth: u32) -> Vec<PathBuf> {
    const DEEPEST: u32 = 4;
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let mut folders = Vec::new();
    for line in lines {
        match line.strip_prefix("include ") {
            Some(pattern) if depth < DEEPEST => {
                for included in included(file, pattern.trim()) {
                    folders.extend(configured(&included, depth + 1));
                }
            }
            None if line.starts_with('/') => folders.push(line.into()),
            _ => {}
        }
    }
    folders
}

/// The files that match `FOLDER/*ENDING`, in order. The pattern may also be a file.
fn included(file: &Path, pattern: &str) -> Vec<PathBuf> {
    let pattern = file.parent().unwrap_or(Path::new("/")).join(pattern);
    let name = pattern.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (Some(folder), Some((start, end))) = (pattern.parent(), name.split_once('*')) else { return vec![pattern] };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let fits = |path: &PathBuf| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
    };
    let mut files: Vec<PathBuf> = entries.filter(fits).collect();
    files.sort();
    files
}

/// The libraries behind a library.
pub fn behind(path: &Path, library: &LibraryInterface) -> Behind {
    behind_in(&Folders::of_this_process(), path, library)
}

/// A library whose needed libraries are not found yet.
struct Pending {
    path: PathBuf,
    interface: LibraryInterface,
    /// The `RPATH` folders of the libraries that led to this one.
    inherited: Vec<PathBuf>,
}

pub(super) fn behind_in(folders: &Folders, path: &Path, library: &LibraryInterface) -> Behind {
    let mut behind = Behind::default();
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut pending =
        VecDeque::from([Pending { path: path.clone(), interface: library.clone(), inherited: Vec::new() }]);
    let own = |name: &str| library.soname.as_deref() == Some(name) || path.file_name().is_some_and(|own| own == name);
    while let Some(next) = pending.pop_front() {
        let inherited = [expanded(&next.interface.rpath, &next.path), next.inherited.clone()].concat();
        for name in &next.interface.needed {
            let is =
                |known: &NeededLibrary| known.name == *name || known.interface.soname.as_deref() == Some(name.as_str());
            if own(name) || behind.found.iter().any(is) || behind.absent.contains(name) {
                continue;
            }
            let found = candidates(folders, &next, name, &inherited).into_iter().find_map(|candidate| {
                let interface = read_library(&candidate).ok()?;
                (interface.machine == library.machine).then_some((candidate, interface))
            });
            match found {
                Some((path, interface)) if behind.found.len() < MOST_NEEDED => {
                    pending.push_back(Pending {
                        path: path.canonicalize().unwrap_or_else(|_| path.clone()),
                        interface: interface.clone(),
                        inherited: inherited.clone(),
                    });
                    behind.found.push(NeededLibrary { name: name.clone(), path, interface });
                }
                _ => behind.absent.push(name.clone()),
            }
        }
    }
    behind
}

/// The files that may be a needed library, in the loader's order. The last one is in the folder of the library that
/// needs it, where the loader does not look, so that a copied pair of libraries can be read.
fn candidates(folders: &Folders, of: &Pending, name: &str, inherited: &[PathBuf]) -> Vec<PathBuf> {
    if name.contains('/') {
        return vec![name.into()];
    }
    let runpath = expanded(&of.interface.runpath, &of.path);
    // A library with a RUNPATH ignores every RPATH.
    let first = if of.interface.runpath.is_empty() { inherited } else { &[] };
    let near = of.path.parent().map(Path::to_owned);
    let all = first.iter().chain(&folders.given).chain(&runpath).chain(&folders.usual).chain(&near);
    all.map(|folder| folder.join(name)).collect()
}

/// A list of folders in a library, with the library's own folder in place of `$ORIGIN`.
fn expanded(lists: &[String], library: &Path) -> Vec<PathBuf> {
    let origin = library.parent().unwrap_or(Path::new("/")).to_string_lossy();
    let folder = |text: &str| text.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
    let folders = lists.iter().flat_map(|list| list.split(':')).map(folder);
    folders.filter(|folder| folder.starts_with('/')).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_configuration_includes_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ld.so.conf");
        fs::create_dir(folder.path().join("more")).unwrap();
        fs::write(&file, "/first # a comment\ninclude more/*.conf\n/last\nrelative\n").unwrap();
        fs::write(folder.path().join("more/b.conf"), "/b\n").unwrap();
        fs::write(folder.path().join("more/a.conf"), "/a\n").unwrap();
        fs::write(folder.path().join("more/other"), "/other\n").unwrap();
        let found = configured(&file, 0);
        assert_eq!(found, ["/first", "/a", "/b", "/last"].map(PathBuf::from));
        fs::write(&file, format!("include {}\n", file.display())).unwrap();
        assert_eq!(configured(&file, 0), [] as [PathBuf; 0], "a file that includes itself ends");
    }

    #[test]
    fn folders_in_a_library_may_be_relative_to_it() {
        let lists = ["$ORIGIN/../lib:${ORIGIN}:/opt/lib:here".to_owned()];
        let wanted = ["/opt/wrap/../lib", "/opt/wrap", "/opt/lib"].map(PathBuf::from);
        assert_eq!(expanded(&lists, Path::new("/opt/wrap/libwrap.so")), wanted);
    }

    #[test]
    fn a_library_with_a_runpath_ignores_inherited_folders() {
        let folders = Folders { given: vec!["/given".into()], usual: vec!["/usual".into()] };
        let of = |runpath: &[&str]| {
            let runpath = runpath.iter().map(|folder| (*folder).to_owned()).collect();
            let interface = LibraryInterface { runpath, ..LibraryInterface::default() };
            let pending = Pending { path: "/own/liba.so".into(), interface, inherited: Vec::new() };
            candidates(&folders, &pending, "libb.so", &["/inherited".into()])
        };
        let paths = |folders: &[&str]| folders.iter().map(|folder| Path::new(folder).join("libb.so")).collect();
        let (without, with): (Vec<PathBuf>, Vec<PathBuf>) =
            (paths(&["/inherited", "/given", "/usual", "/own"]), paths(&["/given", "/run", "/usual", "/own"]));
        assert_eq!((of(&[]), of(&["/run"])), (without, with));
    }
}
