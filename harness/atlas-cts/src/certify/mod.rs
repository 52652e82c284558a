//! `atlas-cts certify` and `atlas-cts verify`: write and check a run's signed conformance record.

mod error;
mod page;
mod signature;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use catalog::digest;
use catalog::files::write_new;
use catalog::{CatalogPlace, Specs, load};
use clap::Args;
use engine::run::{ExitStatus, RunError, read_named};
use ledger::conformance::{ConformanceRecord, Statement, conformance_record, read_record, to_canonical};
use record::Journal;

use crate::conclude::CommandError;
use crate::output::{say, say_json};
use crate::runtimes::RUNTIMES;

pub use error::CertifyError;
pub use signature::SignatureError;

/// The options of `certify`.
#[derive(Debug, Args)]
pub struct Certified {
    /// Folder of the run, its name below reports/out, or `latest`.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// New file for the record; default: standard output.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Sign the record with this OpenSSH key.
    ///
    /// A public key selects the private key that an agent holds. The signature is written next to the record, with the
    /// suffix `.sig`.
    #[arg(long, value_name = "KEY", requires = "to")]
    sign: Option<PathBuf>,
    /// The run's catalog, if it differs from the one in this executable.
    #[arg(long, env = "ATLAS_CTS_SPECS", value_name = "DIR")]
    specs: Option<PathBuf>,
}

/// The options of `verify`.
#[derive(Debug, Args)]
pub struct Verified {
    /// Record to check.
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// The record's signature.
    #[arg(long, value_name = "SIG", requires = "allowed")]
    signature: Option<PathBuf>,
    /// File of allowed signers, in OpenSSH's `allowed_signers` format.
    ///
    /// Each line has a name and a public key.
    #[arg(long, value_name = "FILE", requires = "signature")]
    allowed: Option<PathBuf>,
}

/// Writes a run's record and prints a summary.
///
/// # Errors
/// Fails if the run cannot be read, if it used a different catalog, or if the record cannot be signed or written.
pub fn certify(arguments: &Certified) -> Result<ExitStatus, CommandError> {
    let record = record(arguments)?;
    let bytes = to_canonical(&record);
    let Some(to) = &arguments.to else {
        match std::str::from_utf8(&bytes) {
            // A terminal gets readable JSON. A file or a pipe gets the exact bytes.
            Ok(json) if io::stdout().is_terminal() => say_json(json)?,
            _ => write_out(&bytes)?,
        }
        eprint!("{}", ledger::report::clean(&page::of(&record, &page::Seal::None)));
        return Ok(status(record.statement));
    };
    let signed = arguments.sign.as_ref().map(|key| signature::sign(&bytes, key)).transpose().map_err(failed)?;
    let signature_path = signature_of(to);
    if signed.is_some() && signature_path.exists() {
        let source = io::ErrorKind::AlreadyExists.into();
        return Err(failed(CertifyError::Write { path: signature_path, source }));
    }
    write(to, &bytes)?;
    let seal = match &signed {
        None => page::Seal::None,
        Some(signed) => {
            write(&signature_path, signed)?;
            page::Seal::Written(signature_path)
        }
    };
    say(&page::written(to, &bytes))?;
    say(&page::of(&record, &seal))?;
    Ok(status(record.statement))
}

/// Checks a record and its signature, and prints a summary.
///
/// # Errors
/// Fails if the file is not a record, if the signature is for different bytes, or if the signer is not allowed.
pub fn verify(arguments: &Verified) -> Result<ExitStatus, CommandError> {
    let (record, bytes) = read_record(&arguments.record).map_err(failed)?;
    let seal = match (&arguments.signature, &arguments.allowed) {
        (Some(signature), Some(allowed)) => {
            page::Seal::Good(signature::verify(&bytes, signature, allowed).map_err(failed)?)
        }
        _ => page::Seal::None,
    };
    say(&page::written(&arguments.record, &bytes))?;
    say(&page::of(&record, &seal))?;
    Ok(ExitStatus::Success)
}

fn record(arguments: &Certified) -> Result<ConformanceRecord, CommandError> {
    let (folder, run) = read_named(&arguments.run).map_err(RunError::from)?;
    let name = &run.header.runtime;
    let runtime = RUNTIMES.iter().find(|runtime| runtime.name() == name);
    let runtime = runtime.ok_or_else(|| failed(CertifyError::Runtime { name: name.clone() }))?;
    let specs = Specs::choose(arguments.specs.as_deref(), runtime.specs);
    let place = CatalogPlace { specs, bindings: runtime.bindings, defects: Some(runtime.defects()) };
    let rules = load(&place, None)?;
    let path = folder.join(Journal::FILE);
    let journal = digest::of_file(&path).map_err(|source| failed(CertifyError::Journal { path, source }))?;
    conformance_record(&run, journal, &rules).map_err(failed)
}

fn failed(error: impl Into<CertifyError>) -> CommandError {
    CommandError::Certify(Box::new(error.into()))
}

/// The exit status for a statement. Writing a record does not make a device conformant.
fn status(statement: Statement) -> ExitStatus {
    match statement {
        Statement::Conformant => ExitStatus::Success,
        Statement::NotConformant => ExitStatus::Broken,
        Statement::NotShown => ExitStatus::Unknown,
    }
}

/// The path of a file's signature.
fn signature_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".sig");
    PathBuf::from(name)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    write_new(path, bytes).map_err(|source| failed(CertifyError::Write { path: path.to_owned(), source }))
}

/// Writes the record's exact bytes, because a signature covers them.
fn write_out(bytes: &[u8]) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(bytes).and_then(|()| out.flush()).map_err(RunError::Output)?)
}
