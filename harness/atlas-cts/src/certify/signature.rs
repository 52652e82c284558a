//! Signatures made with `ssh-keygen -Y`, because most people responsible for a device already have an SSH key.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use thiserror::Error;

/// The signature's purpose. A signature made for another purpose (for example, a commit) is not accepted.
pub const NAMESPACE: &str = "conformance-record@atlas-cts";

const TOOL: &str = "ssh-keygen";
/// The maximum number of names to try. Each attempt starts a process.
const MOST_SIGNERS: usize = 100;
/// The maximum size of a file of allowed signers, in bytes.
const LARGEST_ALLOWED: u64 = 1 << 20;

/// The reasons why a signature is missing or not accepted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SignatureError {
    #[error("{TOOL} cannot be started: {0}; install OpenSSH 8.2 or later, or omit the signature")]
    NoTool(io::Error),
    #[error("cannot read {path}: {source}; give an existing file")]
    NoFile { path: PathBuf, source: io::Error },
    #[error("{TOOL} did not sign with {key}: {said}; give the private key, or the public key of a key in your agent")]
    NotSigned { key: PathBuf, said: String },
    #[error(
        "{signature} was made with a key that is not in {allowed}: {said}; find out who signed, and add the key if you \
         trust it"
    )]
    NotAllowed { signature: PathBuf, allowed: PathBuf, said: String },
    #[error(
        "BAD SIGNATURE: {signature} is not the signature of {signer} for this record ({NAMESPACE}): {said}; the record \
         or the signature was modified, so get fresh copies of both"
    )]
    Bad { signature: PathBuf, signer: String, said: String },
}

/// Signs bytes. The tool may ask on the terminal for a passphrase or a touch of a hardware key, without a time limit.
pub(super) fn sign(bytes: &[u8], key: &Path) -> Result<Vec<u8>, SignatureError> {
    expect_file(key)?;
    let mut command = Command::new(TOOL);
    let output = feed(command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key), bytes)?;
    match output.status.success() && output.stdout.starts_with(b"-----BEGIN SSH SIGNATURE-----") {
        true => Ok(output.stdout),
        false => Err(SignatureError::NotSigned { key: key.to_owned(), said: said(&output) }),
    }
}

/// Returns the signer of these bytes, as named in the file of allowed signers.
pub(super) fn verify(bytes: &[u8], signature: &Path, allowed: &Path) -> Result<String, SignatureError> {
    expect_file(signature)?;
    expect_file(allowed)?;
    let mut command = Command::new(TOOL);
    let found = feed(command.args(["-Y", "find-principals", "-s"]).arg(signature).arg("-f").arg(allowed), &[])?;
    let names = String::from_utf8_lossy(&found.stdout).into_owned();
    let mut signers: Vec<String> = names.lines().flat_map(|line| line.split(',')).map(name_of).collect();
    signers.retain(|name| !name.is_empty());
    if !found.status.success() || signers.is_empty() {
        let (signature, allowed) = (signature.to_owned(), allowed.to_owned());
        return Err(SignatureError::NotAllowed { signature, allowed, said: said(&found) });
    }
    // The tool returns the first line with the key, but that line may be for another purpose. A later line may allow
    // the key for records.
    signers.extend(listed(allowed)?);
    let mut first = None;
    for (at, signer) in signers.iter().enumerate().take(MOST_SIGNERS) {
        if signers[..at].contains(signer) {
            continue;
        }
        let mut command = Command::new(TOOL);
        command.args(["-Y", "verify", "-n", NAMESPACE, "-I", signer, "-s"]).arg(signature).arg("-f").arg(allowed);
        let output = feed(&mut command, bytes)?;
        if output.status.success() {
            return Ok(signer.clone());
        }
        first.get_or_insert_with(|| (signer.clone(), said(&output)));
    }
    let (signer, said) = first.unwrap_or_default();
    Err(SignatureError::Bad { signature: signature.to_owned(), signer, said })
}

/// The names in a file of allowed signers. The first word of each line has one or more names, separated by commas.
fn listed(allowed: &Path) -> Result<Vec<String>, SignatureError> {
    let text = catalog::files::read_to_string(allowed, LARGEST_ALLOWED);
    let text = text.map_err(|source| SignatureError::NoFile { path: allowed.to_owned(), source })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.filter_map(|line| match line.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => line.split_whitespace().next(),
    });
    Ok(first.flat_map(|names| names.split(',')).map(name_of).filter(|name| !name.is_empty()).collect())
}

/// A name that the tool accepts. A word that begins like an option becomes empty.
fn name_of(text: &str) -> String {
    let name = text.trim();
    if name.starts_with('-') { String::new() } else { name.to_owned() }
}

/// Checks that a file can be read, because the tool reports the same error for a missing file and an invalid file.
fn expect_file(path: &Path) -> Result<(), SignatureError> {
    let found = catalog::files::open(path);
    found.map(drop).map_err(|source| SignatureError::NoFile { path: path.to_owned(), source })
}

/// Runs the tool with these bytes as its input.
fn feed(command: &mut Command, bytes: &[u8]) -> Result<Output, SignatureError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(SignatureError::NoTool)?;
    // The tool may reject its arguments without reading its input. The tool's message then gives the reason.
    let _ = child.stdin.take().map(|mut input| input.write_all(bytes));
    child.wait_with_output().map_err(SignatureError::NoTool)
}

/// The last line that the tool printed.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
    line.unwrap_or_else(|| format!("{}, nothing printed", output.status))
}
