//! `atlas-cts certify` and `atlas-cts verify`: what a run shows of a device as a record that can be signed, and what a
//! record and its signature are worth.

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
    /// The run: its folder, a name below reports/out, or `latest`.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The file to write the record to, which must not be there; without it, standard output.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Sign the record with this key of OpenSSH, or with the one of an agent whose public half this is. The signature is
    /// written beside the record, with `.sig` at the end of its name.
    #[arg(long, value_name = "KEY", requires = "to")]
    sign: Option<PathBuf>,
    /// Folder of the catalog that the run used, if it is not the one that the executable carries.
    #[arg(long, env = "ATLAS_CTS_SPECS", value_name = "DIR")]
    specs: Option<PathBuf>,
}

/// The options of `verify`.
#[derive(Debug, Args)]
pub struct Verified {
    /// The record.
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// Its signature.
    #[arg(long, value_name = "SIG", requires = "allowed")]
    signature: Option<PathBuf>,
    /// Whose signature counts: a file with a name and a public key on each line (`allowed_signers` of OpenSSH).
    #[arg(long, value_name = "FILE", requires = "signature")]
    allowed: Option<PathBuf>,
}

/// Writes the record of a run, and says what it shows.
///
/// # Errors
/// The run cannot be read or used another catalog; the record cannot be signed or written.
pub fn certify(arguments: &Certified) -> Result<ExitStatus, CommandError> {
    let record = record(arguments)?;
    let bytes = to_canonical(&record);
    let Some(to) = &arguments.to else {
        match std::str::from_utf8(&bytes) {
            // A terminal is for a person; a user who keeps the bytes redirects them to a file.
            Ok(json) if io::stdout().is_terminal() => say_json(json)?,
            _ => write_out(&bytes)?,
        }
        eprint!("{}", ledger::report::clean(&page::of(&record, &page::Seal::None)));
        return Ok(status(record.statement));
    };
    let signed = arguments.sign.as_ref().map(|key| signature::sign(&bytes, key)).transpose().map_err(failed)?;
    let beside = signature_of(to);
    if signed.is_some() && beside.exists() {
        let source = io::ErrorKind::AlreadyExists.into();
        return Err(failed(CertifyError::Write { path: beside, source }));
    }
    write(to, &bytes)?;
    let seal = match &signed {
        None => page::Seal::None,
        Some(signed) => {
            write(&beside, signed)?;
            page::Seal::Written(beside)
        }
    };
    say(&page::written(to, &bytes))?;
    say(&page::of(&record, &seal))?;
    Ok(status(record.statement))
}

/// Says whether a record is one, and whose signature it has.
///
/// # Errors
/// It is none, or the signature is not of these bytes, or of nobody who is allowed.
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
    Ok(ExitStatus::Conformant)
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

/// What the record says, as a status: that it was written does not make the device conformant.
fn status(statement: Statement) -> ExitStatus {
    match statement {
        Statement::Conformant => ExitStatus::Conformant,
        Statement::NotConformant => ExitStatus::Broken,
        Statement::NotShown => ExitStatus::Unknown,
    }
}

/// Where the signature of a file is written to.
fn signature_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".sig");
    PathBuf::from(name)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    write_new(path, bytes).map_err(|source| failed(CertifyError::Write { path: path.to_owned(), source }))
}

/// The record itself: byte for byte, as a signature wants it.
fn write_out(bytes: &[u8]) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(bytes).and_then(|()| out.flush()).map_err(RunError::Output)?)
}
