//! The names by which a user can give a product: its id, its aliases, and the names that devices report.

use steps::suggest::hint;

use super::model::ProductsFile;
use super::select::UnknownName;

/// The names of a runtime's products. The case of letters does not matter.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct ProductNames {
    products: Vec<Names>,
    /// Names that the documents use for several products, with these products.
    ambiguous: Vec<(String, Vec<String>)>,
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Names {
    id: String,
    aliases: Vec<String>,
    #[serde(with = "crate::book::stored::patterns")]
    reported: Vec<regex_lite::Regex>,
}

impl ProductNames {
    /// The names in a file of products. Invalid patterns are left out; checking the file reports them.
    pub(super) fn of(file: &ProductsFile) -> ProductNames {
        let names = file.products.iter().map(|entry| Names {
            id: entry.id.value.clone(),
            aliases: entry.aliases.iter().map(|alias| alias.value.clone()).collect(),
            reported: entry
                .reported_names
                .iter()
                .filter_map(|pattern| regex_lite::Regex::new(&format!("(?i:{pattern})")).ok())
                .collect(),
        });
        let several = |(name, products): (&String, &Vec<serde_yaml::Spanned<String>>)| {
            (name.clone(), products.iter().map(|product| product.value.clone()).collect())
        };
        ProductNames { products: names.collect(), ambiguous: file.ambiguous.iter().map(several).collect() }
    }

    /// The ids, in the order of the file.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.products.iter().map(|names| names.id.as_str())
    }

    /// The id of the product that a name means.
    ///
    /// # Errors
    /// Fails if no product has the name, or if several have.
    pub fn id_of(&self, name: &str) -> Result<&str, UnknownName> {
        let same = |known: &str| known.eq_ignore_ascii_case(name);
        let named = self.products.iter().find(|names| same(&names.id));
        if let Some((_, candidates)) = self.ambiguous.iter().find(|(known, _)| named.is_none() && same(known)) {
            return Err(UnknownName::Ambiguous { name: name.to_owned(), candidates: candidates.clone() });
        }
        let called = || self.products.iter().find(|names| names.aliases.iter().any(|alias| same(alias)));
        let reported =
            || self.products.iter().find(|names| names.reported.iter().any(|pattern| pattern.is_match(name)));
        let found = named.or_else(called).or_else(reported);
        found.map(|names| names.id.as_str()).ok_or_else(|| {
            let hint = hint(name, self.written());
            UnknownName::Product { id: name.to_owned(), hint, known: self.ids().map(str::to_owned).collect() }
        })
    }

    /// All ids and aliases.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        let aliases = self.products.iter().flat_map(|names| &names.aliases).map(String::as_str);
        self.ids().chain(aliases)
    }
}
