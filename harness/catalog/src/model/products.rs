//! products.yaml: products and their families.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/products.yaml`: product families.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProductsFile {
    /// The product that the simulated device imitates by default. If missing, the first product.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub default: Option<Spanned<String>>,
    /// The product of a device whose name matches none. If missing, such a device is an error.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub unknown: Option<Spanned<String>>,
    /// Family → the common trait of its products. Lists of products may name families, and exclude names with `not`:
    /// `[current, not ipv350]`.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub families: IndexMap<String, Spanned<String>>,
    /// Names that the documents use for several products → these products. `--product` refuses such a name, and the
    /// error lists the products.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub ambiguous: IndexMap<String, Vec<Spanned<String>>>,
    /// The products, in the order in which reported names are matched.
    pub products: Vec<ProductEntry>,
}

/// A product, or several products that the documents never distinguish.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProductEntry {
    /// The name that rules and `--product` use.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// Other names that `--product` accepts; the case of letters does not matter. A name belongs to one product.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub aliases: Vec<Spanned<String>>,
    /// Its name in the documents.
    pub name: String,
    /// The families that it belongs to.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub families: Vec<Spanned<String>>,
    /// Regular expressions that match the names the runtime reports.
    pub reported_names: Vec<String>,
    /// The modes in which programs can run on the product, from the runtime's `run_modes`.
    #[serde(default)]
    pub run_modes: Vec<String>,
    /// Documented quantities: bytes (4KiB) or plain integers. Every product has the same set of quantities.
    #[schemars(with = "IndexMap<String, String>")]
    pub facts: IndexMap<String, Spanned<String>>,
}
