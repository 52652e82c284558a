//! The reasons why no runtime is chosen.

use thiserror::Error;

use catalog::UnknownName;

/// Why no runtime is chosen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// A runtime or a product that does not exist.
    #[error(transparent)]
    Unknown(UnknownName),
    #[error(
        "--runtime {runtime} and --product {product} exclude each other: {product} is a product of {of}; \
         give --runtime {of}, or leave it out"
    )]
    Contradiction { runtime: &'static str, product: String, of: &'static str },
    #[error("there are two runtimes `{name}` in the registry; give one of them, and its folder, another name")]
    TwoRuntimes { name: &'static str },
    #[error(
        "`{product}` is a product of {first} and of {second}, so that it does not tell which one is meant; \
         rename it in one of their products.yaml"
    )]
    TwoProducts { product: String, first: &'static str, second: &'static str },
}
