//! Signatures by `ssh-keygen -Y`: most people who answer for a device have such a key, and nobody needs ours.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use thiserror::Error;

/// What the signature is for: one that was made for something else, a commit for example, is not taken for it.
pub const NAMESPACE: &str = "conformance-record@atlas-cts";

const TOOL: &str = "ssh-keygen";
/// The maximum number of names to try: each costs a process.
const MOST_SIGNERS: usize = 100;
/// The size limit of a file of allowed signers, in bytes.
const LARGEST_ALLOWED: u64 = 1 << 20;

/// Why there is no signature, or none that counts.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SignatureError {
    #[error("{TOOL} cannot be started: {0}; install OpenSSH, 8.2 or later, or leave the signature out")]
    NoTool(io::Error),
    #[error("cannot read {path}: {source}; name a file that is there")]
    NoFile { path: PathBuf, source: io::Error },
    #[error(
        "{TOOL} did not sign with {key}: {said}; name the private key, or the public one of a key that your agent holds"
    )]
    NotSigned { key: PathBuf, said: String },
    #[error(
        "{signature} is of a key that {allowed} does not name: {said}; ask who signed, and add the key if you trust it"
    )]
    NotAllowed { signature: PathBuf, allowed: PathBuf, said: String },
    #[error(
        "BAD SIGNATURE: {signature} is none of these bytes by {signer}, made for {NAMESPACE}: {said}; the record or the \
         signature was changed, ask for both again"
    )]
    Bad { signature: PathBuf, signer: String, said: String },
}

/// Signs bytes. A passphrase, or the touch of a key, is asked for by the tool itself on the terminal, for as long as it
/// takes.
pub(super) fn sign(bytes: &[u8], key: &Path) -> Result<Vec<u8>, SignatureError> {
    expect_file(key)?;
    let mut command = Command::new(TOOL);
    let output = feed(command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key), bytes)?;
    match output.status.success() && output.stdout.starts_with(b"-----BEGIN SSH SIGNATURE-----") {
        true => Ok(output.stdout),
        false => Err(SignatureError::NotSigned { key: key.to_owned(), said: said(&output) }),
    }
}

/// Whose signature of these bytes this is, as the file of allowed signers names them.
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
    // The tool names the first line with the key, which may be for another purpose; a later line may be for records.
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

/// The names in a file of allowed signers: the first word of each line, which may hold several, separated by commas.
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

/// A name that the tool accepts; a word that begins like an option is not a name.
fn name_of(text: &str) -> String {
    let name = text.trim();
    if name.starts_with('-') { String::new() } else { name.to_owned() }
}

/// The tool says the same of a file that is not there and of one that is wrong.
fn expect_file(path: &Path) -> Result<(), SignatureError> {
    let found = catalog::files::open(path);
    found.map(drop).map_err(|source| SignatureError::NoFile { path: path.to_owned(), source })
}

/// Runs the tool with these bytes as its input.
fn feed(command: &mut Command, bytes: &[u8]) -> Result<Output, SignatureError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(SignatureError::NoTool)?;
    // It may refuse without reading; then it says why.
    let _ = child.stdin.take().map(|mut input| input.write_all(bytes));
    child.wait_with_output().map_err(SignatureError::NoTool)
}

/// The last line that the tool printed.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
    line.unwrap_or_else(|| format!("{}, and nothing printed", output.status))
}
