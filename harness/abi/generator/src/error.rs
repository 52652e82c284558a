//! Why the program ends without success.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::jobs::shown;

/// Why a file was not written, or not found to be up to date.
#[derive(Debug)]
pub(crate) enum Error {
    /// The file that is there is not what it would be generated as.
    OutOfDate { output: PathBuf, difference: Difference },
    /// libclang is missing where it may not be.
    NoLibclang { reason: String },
    /// A file or folder cannot be read or written.
    File { path: PathBuf, source: io::Error },
    /// bindgen takes no other paths.
    NotUtf8 { path: PathBuf },
    /// No runtime has a header below this folder.
    NoHeader { folder: PathBuf },
    /// One output for the headers of several runtimes.
    SeveralRuntimes { folder: PathBuf },
    /// The header is not C, or includes what is not there.
    Rejected { header: PathBuf, source: bindgen::BindgenError },
    /// bindgen's output has a form that this generator does not know.
    Unknown { form: String },
}

/// How a file differs from what it would be generated as.
#[derive(Debug)]
pub(crate) enum Difference {
    /// From this line on.
    Line(usize),
    /// It records the digest of another header.
    Digest,
}

impl Error {
    /// The exit status of a program that ends for this reason.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Error::OutOfDate { .. } => 1,
            Error::NoLibclang { .. } => 3,
            _ => 2,
        }
    }

    /// Reading or writing a path failed.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        |source| Error::File { path: path.to_owned(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::OutOfDate { output, difference } => {
                let found = match difference {
                    Difference::Line(line) => format!("it differs from line {line} on"),
                    Difference::Digest => "its header_digest is not that of the header".to_owned(),
                };
                let output = shown(output);
                write!(
                    formatter,
                    "{output} is out of date: {found}; run `cargo run -p bindings-generator`, with the same options \
                     but --check and --require-libclang"
                )
            }
            Error::NoLibclang { reason } => write!(formatter, "libclang is missing ({reason}); install libclang-dev"),
            Error::File { path, source } => write!(formatter, "{}: {source}", path.display()),
            Error::NotUtf8 { path } => {
                write!(formatter, "{}: the path is not UTF-8; move the repository elsewhere", path.display())
            }
            Error::NoHeader { folder } => {
                write!(formatter, "{}: no runtime has an abi.h; write one in a folder of its name", folder.display())
            }
            Error::SeveralRuntimes { folder } => write!(
                formatter,
                "{}: one file of bindings cannot hold several runtimes; keep each in a specs folder of its own",
                folder.display()
            ),
            Error::Rejected { header, source } => {
                write!(formatter, "{}: {source}; correct the header", header.display())
            }
            Error::Unknown { form } => {
                write!(formatter, "bindgen wrote {form}; teach the generator that form or change the header")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { source, .. } => Some(source),
            Error::Rejected { source, .. } => Some(source),
            _ => None,
        }
    }
}
