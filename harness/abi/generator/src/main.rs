//! Generates the tables through which the harness calls a runtime's functions, from the runtime's C header, and checks
//! that the files in the repository are up to date.
//!
//! `specs/<runtime>/abi.h` becomes `harness/<runtime>/src/bindings.rs`; a test runtime's header becomes `bindings.rs`
//! next to the `specs` of its tests. The files are checked in: only this generator needs libclang, and building the
//! suite does not.

#![allow(clippy::disallowed_methods, reason = "a tool of developers, in their own folders")]

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::{Difference, Error};
use jobs::{Job, shown};

mod compare;
mod error;
mod header;
mod jobs;
mod model;
mod names;
mod raw;
mod render;
mod text;
mod thunk;

/// Generates Rust bindings from C headers, either for one runtime or for all runtimes in the repository.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct GeneratorOptions {
    #[command(subcommand)]
    command: Option<Task>,
    /// Compare with the existing files instead of writing them.
    #[arg(long)]
    check: bool,
    /// With --check: fail if libclang is missing instead of comparing only the digests of the headers.
    #[arg(long, requires = "check")]
    require_libclang: bool,
    /// The folder with a single runtime's `<runtime>/abi.h`.
    #[arg(long, value_name = "DIR", requires = "out")]
    specs: Option<PathBuf>,
    /// The Rust file to write for that runtime.
    #[arg(long, value_name = "FILE", requires = "specs")]
    out: Option<PathBuf>,
}

/// Other operations on headers.
#[derive(Debug, Subcommand)]
enum Task {
    /// Compare a runtime's headers with the catalog's header, or with the headers from another release.
    Compare(compare::Compared),
    /// Read headers in this process, which may crash.
    #[command(hide = true)]
    Declarations(compare::DeclarationsRequest),
}

impl Task {
    fn run(&self) -> ExitCode {
        let done = match self {
            Task::Declarations(request) => compare::print_declarations(request).map(|()| false),
            Task::Compare(compared) => compare::compare(compared).map(|(page, differs)| {
                print!("{page}");
                differs
            }),
        };
        match done {
            Ok(differs) => ExitCode::from(u8::from(differs)),
            Err(error) => failed(&error),
        }
    }
}

fn main() -> ExitCode {
    let options = GeneratorOptions::parse();
    if let Some(task) = &options.command {
        return task.run();
    }
    let jobs = match (&options.specs, &options.out) {
        (Some(specs), Some(output)) => jobs::single(specs, output).map(|job| vec![job]),
        _ => jobs::all(&jobs::root()),
    };
    let jobs = match jobs {
        Ok(jobs) => jobs,
        Err(error) => return failed(&error),
    };
    let libclang = header::libclang();
    let mut status = ExitCode::SUCCESS;
    for job in &jobs {
        match run(job, &options, &libclang) {
            Ok(message) => println!("{message}"),
            // Continue, so that all outdated files are reported.
            Err(error @ Error::OutOfDate { .. }) => status = failed(&error),
            Err(error) => return failed(&error),
        }
    }
    status
}

fn failed(error: &Error) -> ExitCode {
    eprintln!("{error}");
    ExitCode::from(error.status())
}

/// Writes or checks one file and returns a message. If libclang is missing, `libclang` contains the reason.
fn run(job: &Job, options: &GeneratorOptions, libclang: &Result<(), String>) -> Result<String, Error> {
    if let Err(reason) = libclang {
        let reason = reason.trim();
        if !options.check || options.require_libclang {
            return Err(Error::NoLibclang { reason: reason.to_owned() });
        }
        check_digest(&job.output, &job.header)?;
        return Ok(format!(
            "SKIPPED: {} was not regenerated because libclang is missing ({reason}); install libclang-dev. \
             The digest of {} matches the recorded digest",
            shown(&job.output),
            shown(&job.header)
        ));
    }
    let text = generate(job)?;
    if options.check {
        return match difference(&read(&job.output)?, &text) {
            None => Ok(format!("{} is up to date", shown(&job.output))),
            Some(line) => Err(Error::OutOfDate { output: job.output.clone(), difference: Difference::Line(line) }),
        };
    }
    if let Some(folder) = job.output.parent() {
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    fs::write(&job.output, text).map_err(Error::file(&job.output))?;
    Ok(format!("wrote {}", shown(&job.output)))
}

/// The text of a generated file.
fn generate(job: &Job) -> Result<String, Error> {
    generate_for(job, header::TARGET)
}

fn generate_for(job: &Job, target: &str) -> Result<String, Error> {
    let header = header::read(&job.header, target)?;
    let model = model::read(&header.raw, &header.text, &header.macros)?;
    render::file(&job.runtime, &shown(&job.header), &header, &model)
}

/// Checks, without libclang, that the file was generated from this header, though perhaps by a different generator.
fn check_digest(output: &Path, header: &Path) -> Result<(), Error> {
    let text = fs::read(header).map_err(Error::file(header))?;
    let expected = format!("header_digest: \"{}\"", header::digest(&text));
    if read(output)?.contains(&expected) {
        Ok(())
    } else {
        Err(Error::OutOfDate { output: output.to_owned(), difference: Difference::Digest })
    }
}

/// A file's text. The text of a missing file is empty, so that a check reports it as out of date.
fn read(path: &Path) -> Result<String, Error> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(Error::file(path)),
    }
}

/// The number of the first line that differs between two texts.
fn difference(left: &str, right: &str) -> Option<usize> {
    if left == right {
        return None;
    }
    let same = left.lines().zip(right.lines()).take_while(|(left, right)| left == right);
    Some(same.count() + 1)
}

#[cfg(test)]
mod tests;
