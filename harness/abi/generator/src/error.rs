//! The program's errors.

use std::io;
use std::path::{Path, PathBuf};

use crate::jobs::shown;

/// An error while writing or checking a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The existing file differs from the file that would be generated.
    #[error(
        "{} is out of date: {difference}; run `cargo run -p bindings-generator`, with the same options but --check and \
         --require-libclang",
        shown(.output)
    )]
    OutOfDate { output: PathBuf, difference: Difference },
    /// libclang is missing although it is required.
    #[error("libclang is missing ({reason}); install libclang-dev")]
    NoLibclang { reason: String },
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    /// bindgen accepts only UTF-8 paths.
    #[error("{}: the path is not UTF-8; move the repository elsewhere", .path.display())]
    NotUtf8 { path: PathBuf },
    #[error("{}: no runtime has an abi.h; add one in a folder named after the runtime", .folder.display())]
    NoHeader { folder: PathBuf },
    #[error(
        "{}: one file of bindings cannot hold several runtimes; put each in a separate specs folder",
        .folder.display()
    )]
    SeveralRuntimes { folder: PathBuf },
    #[error("{}: name one of the runtimes {} with --runtime", .folder.display(), .known.join(", "))]
    WhichRuntime { folder: PathBuf, known: Vec<String> },
    /// The text is not C, or a file that it includes is missing.
    #[error("{}: {source}; correct the header", .header.display())]
    Rejected { header: PathBuf, source: bindgen::BindgenError },
    #[error(
        "{}: no header contains the catalog's declarations; give the folder with the runtime's headers",
        .folder.display()
    )]
    NothingDeclared { folder: PathBuf },
    #[error("the headers are not C, or include missing files ({source}); give the folder that #include starts from")]
    NotC { source: bindgen::BindgenError },
    /// libclang is installed without its own headers.
    #[error(
        "clang's own headers are missing ({source}); install the headers for your libclang: package \
         libclang-common-VERSION-dev, or clang"
    )]
    NoClangHeaders { source: bindgen::BindgenError },
    /// The child process reported an error while it read headers.
    #[error("{text}")]
    Said { text: String },
    /// The child process returned no answer.
    #[error(
        "{}: libclang {how} while reading these headers; check their includes, or leave some out",
        .headers.display()
    )]
    Lost { headers: PathBuf, how: String },
    /// bindgen's output has an unknown form.
    #[error("bindgen wrote {form}, which the generator does not support; extend the generator or change the header")]
    Unknown { form: String },
}

/// The difference between a file and what would be generated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Difference {
    #[error("the first difference is in line {0}")]
    Line(usize),
    #[error("its header_digest does not match the header")]
    Digest,
}

impl Error {
    /// The exit status of a program that ends with this error.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Error::OutOfDate { .. } => 1,
            Error::NoLibclang { .. }
            | Error::NothingDeclared { .. }
            | Error::NotC { .. }
            | Error::NoClangHeaders { .. }
            | Error::Said { .. }
            | Error::Lost { .. } => 3,
            _ => 2,
        }
    }

    /// The error for rejected headers: clang's own headers are missing, or the headers are not C.
    pub(crate) fn not_c(source: bindgen::BindgenError) -> Error {
        let text = source.to_string();
        let own = ["stdbool.h", "stddef.h", "stdint.h", "stdarg.h"];
        match own.iter().any(|header| text.contains(&format!("'{header}' file not found"))) {
            true => Error::NoClangHeaders { source },
            false => Error::NotC { source },
        }
    }

    /// Adds a path to an I/O error.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        |source| Error::File { path: path.to_owned(), source }
    }
}
