//! Generates the tables through which the harness calls a runtime's functions, from the runtime's C header, and
//! checks that the files in the repository are what the headers give.
//!
//! Every `specs/<runtime>/abi.h` has its `harness/src/bindings/<runtime>.rs`, and the runtime of the engine's own tests
//! has `harness/tests/toy/bindings.rs`. The files are checked in, so that a
//! build of the suite needs no libclang; only this generator does.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

mod header;
mod model;
mod render;

/// Generates Rust bindings from the C headers of runtimes.
#[derive(Debug, Parser)]
struct Options {
    /// Compare with the existing files instead of writing them.
    #[arg(long)]
    check: bool,
    /// With --check: fail if libclang is missing instead of comparing only the digests of the headers.
    #[arg(long, requires = "check")]
    require_libclang: bool,
    /// A single header to read instead of those in the repository.
    #[arg(long, requires = "runtime", requires = "output")]
    header: Option<PathBuf>,
    /// The name of that header's runtime.
    #[arg(long, requires = "header")]
    runtime: Option<String>,
    /// The Rust file to write for that header.
    #[arg(long, requires = "header")]
    output: Option<PathBuf>,
    /// Path of the Rust module with the types of the tables, as the generated file has to name it.
    #[arg(long, default_value = "crate::bindings")]
    types_path: String,
}

/// One header and the file generated from it.
#[derive(Debug)]
struct Job {
    runtime: String,
    header: PathBuf,
    output: PathBuf,
    /// Path of the Rust module with the types of the tables.
    types: String,
}

/// Why the program ends without success.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    /// A checked-in file is not what its header gives.
    Drift(String),
    /// The generator could not do its work.
    Broken(String),
    /// libclang is missing where it may not be.
    NoLibclang(String),
}

fn main() -> ExitCode {
    let options = Options::parse();
    let libclang = header::libclang();
    let outcome = jobs(&options, &root()).and_then(|jobs| {
        let mut drift = Vec::new();
        for job in &jobs {
            match run(job, &options, &libclang) {
                Ok(message) => println!("{message}"),
                Err(Failure::Drift(message)) => drift.push(message),
                Err(failure) => return Err(failure),
            }
        }
        if drift.is_empty() { Ok(()) } else { Err(Failure::Drift(drift.join("\n"))) }
    });
    let (code, message) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Drift(message)) => (1, message),
        Err(Failure::Broken(message)) => (2, message),
        Err(Failure::NoLibclang(message)) => (3, message),
    };
    eprintln!("{message}");
    ExitCode::from(code)
}

/// The root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// What to do: the one header of the command line, or every header in the repository.
fn jobs(options: &Options, root: &Path) -> Result<Vec<Job>, Failure> {
    if let (Some(header), Some(runtime), Some(output)) = (&options.header, &options.runtime, &options.output) {
        return Ok(vec![Job {
            runtime: runtime.clone(),
            header: header.clone(),
            output: output.clone(),
            types: options.types_path.clone(),
        }]);
    }
    let specs = root.join("specs");
    let broken = |error| Failure::Broken(format!("{}: {error}", specs.display()));
    let mut jobs = Vec::new();
    for entry in fs::read_dir(&specs).map_err(broken)? {
        let folder = entry.map_err(broken)?.path();
        let header = folder.join("abi.h");
        if let Some(runtime) = folder.file_name().and_then(|name| name.to_str())
            && header.is_file()
        {
            jobs.push(Job {
                runtime: runtime.to_owned(),
                output: root.join(format!("harness/src/bindings/{runtime}.rs")),
                header,
                types: options.types_path.clone(),
            });
        }
    }
    if jobs.is_empty() {
        let message = format!("{}: no runtime has an abi.h", specs.display());
        return Err(Failure::Broken(message));
    }
    // The runtime of the engine's own tests.
    let toy = root.join("harness/tests/toy");
    let header = toy.join("specs/toy/abi.h");
    if header.is_file() {
        let (runtime, output) = ("toy".to_owned(), toy.join("bindings.rs"));
        jobs.push(Job { runtime, header, output, types: "harness::bindings".to_owned() });
    }
    jobs.sort_by(|left, right| left.runtime.cmp(&right.runtime));
    Ok(jobs)
}

/// Writes or checks one file; says what it did.
fn run(job: &Job, options: &Options, libclang: &Result<(), String>) -> Result<String, Failure> {
    if let Err(reason) = libclang {
        let reason = reason.trim();
        if !options.check || options.require_libclang {
            return Err(Failure::NoLibclang(format!("libclang is missing, install libclang-dev: {reason}")));
        }
        check_digest(job)?;
        return Ok(format!(
            "SKIPPED: {} was not generated anew because libclang is missing ({reason}), install libclang-dev; \
             the digest of {} is the recorded one",
            shown(&job.output),
            shown(&job.header)
        ));
    }
    let text = generate(job)?;
    if options.check {
        let existing = read(&job.output)?;
        return match difference(&existing, &text) {
            None => Ok(format!("{} is up to date", shown(&job.output))),
            Some(line) => Err(drift(job, &format!("it differs from line {line} on"))),
        };
    }
    if let Some(folder) = job.output.parent() {
        fs::create_dir_all(folder).map_err(|error| Failure::Broken(format!("{}: {error}", folder.display())))?;
    }
    fs::write(&job.output, text).map_err(|error| Failure::Broken(format!("{}: {error}", job.output.display())))?;
    Ok(format!("wrote {}", shown(&job.output)))
}

/// The text of the file that a header gives.
fn generate(job: &Job) -> Result<String, Failure> {
    let header = header::read(&job.header).map_err(Failure::Broken)?;
    let model = model::read(&header.raw, &header.text, &header.macros).map_err(Failure::Broken)?;
    let source = render::Source { runtime: &job.runtime, header: &shown(&job.header), types: &job.types };
    render::file(&source, &header, &model).map_err(Failure::Broken)
}

/// The test that needs no libclang: the file was generated from this header, though perhaps by another generator.
fn check_digest(job: &Job) -> Result<(), Failure> {
    let header =
        fs::read(&job.header).map_err(|error| Failure::Broken(format!("{}: {error}", job.header.display())))?;
    let expected = format!("header_digest: \"{}\"", header::digest(&header));
    if read(&job.output)?.contains(&expected) {
        Ok(())
    } else {
        Err(drift(job, "its header_digest is not that of the header"))
    }
}

/// A file's text; a missing one is empty, so that a check reports it as out of date.
fn read(path: &Path) -> Result<String, Failure> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::Broken(format!("{}: {error}", path.display())))
        }
        read => Ok(read.unwrap_or_default()),
    }
}

/// The number of the first line in which two texts differ.
fn difference(left: &str, right: &str) -> Option<usize> {
    if left == right {
        return None;
    }
    let same = left.lines().zip(right.lines()).take_while(|(left, right)| left == right);
    Some(same.count() + 1)
}

fn drift(job: &Job, reason: &str) -> Failure {
    Failure::Drift(format!(
        "{} is out of date with {}: {reason}; run `cargo run -p bindings-generator`{}",
        shown(&job.output),
        shown(&job.header),
        if job.output.starts_with(root()) {
            ""
        } else {
            " with the same --header, --runtime, --output and --types-path, without --check"
        }
    ))
}

/// A path as messages and generated files name it: relative to the repository, or only the file's name, so that it
/// is the same on each machine.
fn shown(path: &Path) -> String {
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match full.strip_prefix(root()) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => full.file_name().unwrap_or_default().display().to_string(),
    }
}

#[cfg(test)]
mod tests;
