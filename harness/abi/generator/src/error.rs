//! Why the program ends without success.

use std::io;
use std::path::{Path, PathBuf};

use crate::jobs::shown;

/// Why a file was not written, or not found to be up to date.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The file that is there is not what it would be generated as.
    #[error(
        "{} is out of date: {difference}; run `cargo run -p bindings-generator`, with the same options but --check and \
         --require-libclang",
        shown(.output)
    )]
    OutOfDate { output: PathBuf, difference: Difference },
    /// libclang is missing where it may not be.
    #[error("libclang is missing ({reason}); install libclang-dev")]
    NoLibclang { reason: String },
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    /// bindgen takes no other paths.
    #[error("{}: the path is not UTF-8; move the repository elsewhere", .path.display())]
    NotUtf8 { path: PathBuf },
    #[error("{}: no runtime has an abi.h; write one in a folder of its name", .folder.display())]
    NoHeader { folder: PathBuf },
    #[error(
        "{}: one file of bindings cannot hold several runtimes; keep each in a specs folder of its own",
        .folder.display()
    )]
    SeveralRuntimes { folder: PathBuf },
    /// The header is not C, or includes what is not there.
    #[error("{}: {source}; correct the header", .header.display())]
    Rejected { header: PathBuf, source: bindgen::BindgenError },
    #[error("{}: no header declares what the catalog knows; give the folder of the runtime's headers", .folder.display())]
    NothingDeclared { folder: PathBuf },
    #[error(
        "the headers are not C, or include what is not there ({source}); give the folder that #include starts from"
    )]
    NotC { source: bindgen::BindgenError },
    /// libclang is installed without the headers that belong to it.
    #[error(
        "clang's own headers are missing ({source}); install those of your libclang: the package libclang-common-VERSION-dev, \
         or clang"
    )]
    NoClangHeaders { source: bindgen::BindgenError },
    /// The process that read headers reported why it cannot.
    #[error("{text}")]
    Said { text: String },
    /// The process did not return an answer.
    #[error("{}: libclang {how} while it read these headers; look at what they include, or leave some out", .headers.display())]
    Lost { headers: PathBuf, how: String },
    /// bindgen's output has a form that this generator does not know.
    #[error("bindgen wrote {form}; teach the generator that form or change the header")]
    Unknown { form: String },
}

/// How a file differs from what it would be generated as.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Difference {
    #[error("it differs from line {0} on")]
    Line(usize),
    #[error("its header_digest is not that of the header")]
    Digest,
}

impl Error {
    /// The exit status of a program that ends for this reason.
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

    /// The headers were rejected: for lack of clang's own, which they include, or because they are not C.
    pub(crate) fn not_c(source: bindgen::BindgenError) -> Error {
        let text = source.to_string();
        let own = ["stdbool.h", "stddef.h", "stdint.h", "stdarg.h"];
        match own.iter().any(|header| text.contains(&format!("'{header}' file not found"))) {
            true => Error::NoClangHeaders { source },
            false => Error::NotC { source },
        }
    }

    /// Reading or writing a path failed.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        |source| Error::File { path: path.to_owned(), source }
    }
}
