//! Which library is tested.

use std::path::{Path, PathBuf};

use crate::catalog::LibrarySource;

use super::simulator;

/// Where the library may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Backend {
    /// The toolkit's library if there is one, else the simulated device.
    #[default]
    Auto,
    /// A real device, or the run fails.
    Device,
    /// The simulated device.
    Simulator,
}

/// The library that was chosen, and why.
#[derive(Debug, Clone)]
pub struct LibraryChoice {
    pub path: PathBuf,
    pub chosen_by: String,
    /// It is the embedded simulated device, which is configured by its environment.
    pub embedded: bool,
}

/// Chooses the library. The error says what was looked for, and where.
pub fn choose_library(given: Option<&Path>, backend: Backend, source: &LibrarySource) -> Result<LibraryChoice, String> {
    if let Some(path) = given {
        check_file(path)?;
        // The loader would look for a bare name in its own folders.
        let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        return Ok(LibraryChoice { path, chosen_by: "--library".to_owned(), embedded: false });
    }
    let mut looked = Vec::new();
    if backend != Backend::Simulator {
        for folder in folders(source) {
            for name in &source.names {
                let path = folder.join(name);
                if path.exists() {
                    check_file(&path)?;
                    return Ok(LibraryChoice {
                        path,
                        chosen_by: "found in the toolkit's folders".to_owned(),
                        embedded: false,
                    });
                }
            }
            looked.push(folder.display().to_string());
        }
    }
    if backend == Backend::Device {
        let looked = if looked.is_empty() { "nowhere: no folder is known".to_owned() } else { looked.join(", ") };
        return Err(format!(
            "--backend device: none of {} was found (looked in {looked}); source the toolkit's set_env.sh, or give --library PATH",
            source.names.join(", ")
        ));
    }
    let path = simulator::library_path()
        .map_err(|error| format!("the simulated device cannot be written: {error}; set TMPDIR to a writable folder"))?;
    let chosen_by = if backend == Backend::Simulator { "--backend simulator" } else { "no toolkit found" };
    Ok(LibraryChoice { path, chosen_by: chosen_by.to_owned(), embedded: true })
}

fn folders(source: &LibrarySource) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = source.search.iter().filter_map(|entry| expand(entry)).map(PathBuf::from).collect();
    if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
        folders.extend(std::env::split_paths(&path).filter(|path| !path.as_os_str().is_empty()));
    }
    folders
}

/// Replaces `${NAME}`; `None` when a variable is not set.
fn expand(entry: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = entry;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}')?;
        text.push_str(before);
        text.push_str(&std::env::var(name).ok().filter(|value| !value.is_empty())?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// Says what is wrong with a file before a worker trips over it.
fn check_file(path: &Path) -> Result<(), String> {
    use std::io::Read;
    let shown = path.display();
    let mut file = std::fs::File::open(path)
        .map_err(|error| format!("{shown}: {error}; give the path of the runtime's shared library"))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(format!("{shown} is a folder; give the path of the shared library in it"));
    }
    let mut head = [0u8; 20];
    let read = file.read(&mut head).map_err(|error| format!("{shown}: {error}"))?;
    if read < 20 || &head[..4] != b"\x7fELF" {
        return Err(format!("{shown} is no shared library (no ELF header); give the path of the runtime's .so"));
    }
    let machine = u16::from_le_bytes([head[18], head[19]]);
    let (own, name) = if cfg!(target_arch = "aarch64") { (183, "aarch64") } else { (62, "x86-64") };
    if cfg!(any(target_arch = "aarch64", target_arch = "x86_64")) && (machine != own || head[4] != 2) {
        return Err(format!(
            "{shown} is for another architecture (ELF machine {machine}), this is {name}; install the {name} package"
        ));
    }
    Ok(())
}
