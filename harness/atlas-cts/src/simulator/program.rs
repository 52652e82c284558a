//! `atlas-cts simulator run`: a program that was linked with the runtime's library runs on a simulated machine.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use atlas_cts::CommandError;
use catalog::{Rules, files};
use clap::Args;
use engine::run::{
    CatalogOptions, ConditionOptions, Options, SimulatorOptions, interrupt, load_rules, program_environment,
};
use engine::runtime::Runtime;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The interval between checks for the end of the program.
const TICK: Duration = Duration::from_millis(5);
/// The variable with the folders that the loader searches first.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";
/// The folder with the simulated device's library, in this command's private folder.
const LIBRARY_FOLDER: &str = "lib";
/// The mode of a folder that only this user can enter.
const PRIVATE: u32 = 0o700;

/// The options of `simulator run`.
#[derive(Debug, Args)]
pub(crate) struct ProgramArguments {
    /// Folder of the machine; programs with the same folder share its devices [default: a new one].
    ///
    /// A new folder is removed when the program ends. For programs that share memory and are started one by one, name
    /// a folder in all of their commands, and remove it when the last one has ended. Only this user and root may write
    /// to it.
    #[arg(long, value_name = "DIR", help_heading = "Simulated device")]
    machine: Option<PathBuf>,
    /// Number of devices; default: 4.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024), help_heading = "Simulated device")]
    devices: Option<u32>,
    /// Switch on a seeded defect, a bad device or a legal variant.
    #[arg(long = "defect", value_name = "NAME", value_delimiter = ',', help_heading = "Simulated device")]
    defects: Vec<String>,
    #[command(flatten)]
    simulator: SimulatorOptions,
    #[command(flatten)]
    pub(crate) catalog: CatalogOptions,
    /// The program and its arguments, after `--`.
    #[arg(value_name = "PROGRAM", required = true, last = true)]
    program: Vec<OsString>,
}

/// Runs a program on a simulated machine, and returns the program's exit status: 128 and the signal's number if a
/// signal ended the program.
///
/// # Errors
/// Fails if an option names something unknown, or if the machine's folder or the program cannot be used.
pub(crate) fn run_program(runtime: &'static Runtime, arguments: &ProgramArguments) -> Result<i32, CommandError> {
    let device = runtime.simulated.as_ref().ok_or(CommandError::NoSimulator)?;
    let rules = load_rules(&arguments.catalog, runtime)?;
    let conditions = ConditionOptions { devices: arguments.devices, ..ConditionOptions::default() };
    let mut options = Options::of_rules(&arguments.catalog, &conditions, &Default::default(), &arguments.simulator);
    options.run.defects.clone_from(&arguments.defects);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CommandError::File { path, source }
    };
    let private = private_folder()?;
    // Programs load libraries, so these are never in a folder that the user named and that may be shared.
    let libraries = private.path().join(LIBRARY_FOLDER);
    let machine = match &arguments.machine {
        None => private.path().to_owned(),
        // A folder that exists already is the machine that other programs use.
        Some(given) => files::make_own_folder(given, PRIVATE).map_err(failed(given))?,
    };
    let environment = program_environment(&options, runtime, &rules, &machine)?;
    DirBuilder::new().mode(PRIVATE).create(&libraries).map_err(failed(&libraries))?;
    for library in device.libraries {
        let file = library.write_to(&libraries).map_err(failed(&libraries))?;
        for name in names(&rules, library.id, device.libraries.len() == 1) {
            symlink(file.file_name().unwrap_or_default(), libraries.join(name)).map_err(failed(&libraries))?;
        }
    }
    // The last line before the program's output, so that the output is not mistaken for a card's.
    eprintln!("atlas-cts: SIMULATED DEVICE in {}; its results say nothing about a card", machine.display());
    interrupt::listen(false);
    let [program, words @ ..] = arguments.program.as_slice() else { return Err(CommandError::NothingAsked) };
    let started = Command::new(program)
        .args(words)
        .envs(environment)
        .env(LIBRARY_PATH, before(&libraries, std::env::var_os(LIBRARY_PATH)))
        .spawn();
    let mut child = started.map_err(|source| CommandError::Program { program: program.into(), source })?;
    let ended = wait(&mut child).map_err(failed(Path::new(program)))?;
    Ok(ended.code().unwrap_or_else(|| 128 + ended.signal().unwrap_or(0)))
}

/// A new folder for this command alone, which is removed when the program ends.
fn private_folder() -> Result<TempDir, CommandError> {
    let place = std::env::temp_dir();
    let made = files::folder_for_private_ones(&place);
    let made = made.and_then(|place| files::private_folder(&place, "atlas-cts-machine-"));
    made.map_err(|source| CommandError::File { path: place, source })
}

/// The file names under which programs load a library of the runtime. A single simulated library has all functions,
/// so it takes the place of the optional libraries, too.
fn names<'a>(rules: &'a Rules, id: &'a str, single: bool) -> impl Iterator<Item = &'a String> {
    rules.libraries.all().iter().filter(move |library| single || library.id == id).flat_map(|library| &library.names)
}

/// Returns the loader's search path with another folder at the beginning.
fn before(first: &Path, others: Option<OsString>) -> OsString {
    let mut folders = first.as_os_str().to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        folders.push(OsStr::new(":"));
        folders.push(others);
    }
    folders
}

/// Waits for the program. If a signal requests the end of this command, the program gets SIGTERM. Ctrl-C reaches the
/// program without this command.
fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let mut passed_on = false;
    loop {
        if let Some(ended) = child.try_wait()? {
            return Ok(ended);
        }
        if let Some(signal) = interrupt::requested().filter(|_| !passed_on) {
            passed_on = true;
            if let Some(process) = Pid::from_raw(child.id().cast_signed()).filter(|_| signal != "SIGINT") {
                // The program may just have ended.
                let _ = kill_process(process, Signal::TERM);
            }
        }
        std::thread::sleep(TICK);
    }
}
