//! Families of products. A list of products may name families, so a product added to a family also joins the list.

use indexmap::IndexMap;
use serde_yaml::Spanned;

use steps::suggest::hint;

use crate::diagnostic::Mistakes;
use crate::ids::{ID, is_id};
use crate::model::{ChapterFile, ClausesFile, ProductsFile, Sentenced, SupportFile};
use crate::parse::ParsedFile;
use crate::read::CatalogFiles;

/// The prefix that marks a name in a list as excluded from the families before that name.
const NOT: &str = "not ";

/// The products in each family, in the order of products.yaml.
#[derive(Debug)]
struct Families {
    products: Vec<String>,
    members: IndexMap<String, Vec<String>>,
}

impl Families {
    fn of(file: &ProductsFile) -> Families {
        let joined = |family: &String| {
            let members =
                file.products.iter().filter(|product| product.families.iter().any(|own| own.value == *family));
            members.map(|product| product.id.value.clone()).collect()
        };
        let members = file.families.keys().map(|family| (family.clone(), joined(family))).collect();
        Families { products: file.products.iter().map(|product| product.id.value.clone()).collect(), members }
    }

    fn support(&self, file: &mut SupportFile) {
        for entry in file.functions.values_mut().chain(file.values.values_mut()) {
            self.resolve(&mut entry.supported);
            self.resolve(&mut entry.unsupported);
        }
    }

    fn clauses(&self, file: &mut ClausesFile) {
        let ids = file.clauses.values_mut().flat_map(IndexMap::values_mut).flat_map(IndexMap::values_mut);
        for sentenced in ids {
            let Sentenced::Detailed(details) = &mut sentenced.value else { continue };
            let Some(first) = details.products.first() else { continue };
            let (referenced, defined) = (first.referenced, first.defined);
            let mut names: Vec<String> = details.products.iter().map(|name| name.value.clone()).collect();
            if self.resolve(&mut names) {
                details.products = names.into_iter().map(|name| Spanned::new(name, referenced, defined)).collect();
            }
        }
    }

    fn rules(&self, file: &mut ChapterFile) {
        let of_rules = file.rules.iter_mut().filter_map(|rule| rule.value.when.as_mut());
        for when in of_rules.chain([&mut file.when]) {
            self.resolve(&mut when.products);
            self.resolve(&mut when.not_products);
        }
    }

    /// Replaces families with their products and removes the products named after `not`. Returns true if the list
    /// changed. Unknown names stay in the list and are later reported as unknown products.
    fn resolve(&self, names: &mut Vec<String>) -> bool {
        if !names.iter().any(|name| self.members.contains_key(name) || name.starts_with(NOT)) {
            return false;
        }
        let (mut found, mut unknown): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        for name in names.iter() {
            let (left_out, named) = name.strip_prefix(NOT).map_or((false, name.as_str()), |named| (true, named));
            match self.members(named) {
                Some(members) if left_out && members.iter().any(|member| found.contains(&member.as_str())) => {
                    found.retain(|known| !members.iter().any(|member| member == known));
                }
                Some(members) if !left_out => found.extend(members.iter().map(String::as_str)),
                _ => unknown.push(name.clone()),
            }
        }
        let known = self.products.iter().filter(|product| found.contains(&product.as_str())).cloned();
        let resolved: Vec<String> = known.chain(unknown).collect();
        // An empty list has a different meaning, so a list must not become empty.
        let changed = !resolved.is_empty();
        if changed {
            *names = resolved;
        }
        changed
    }

    /// The products that a family's or product's name refers to.
    fn members(&self, name: &str) -> Option<&[String]> {
        let own = || self.products.iter().find(|product| *product == name).map(std::slice::from_ref);
        self.members.get(name).map(Vec::as_slice).or_else(own)
    }
}

/// Replaces families with their products in the lists of all files.
pub(super) fn resolve_all(files: &mut CatalogFiles) {
    let families = Families::of(&files.products.value);
    if families.members.is_empty() {
        return;
    }
    files.support.iter_mut().for_each(|file| families.support(&mut file.value));
    files.clauses.iter_mut().for_each(|file| families.clauses(&mut file.value));
    files.chapters.iter_mut().for_each(|file| families.rules(&mut file.value));
}

/// Checks that each family is declared, is not named like a product, and has members.
pub(super) fn check(file: &ParsedFile<ProductsFile>, mistakes: &mut Mistakes) {
    let declared = &file.value.families;
    for product in &file.value.products {
        for family in product.families.iter().filter(|family| !declared.contains_key(&family.value)) {
            let hint = hint(&family.value, declared.keys().map(String::as_str));
            let message = format!("there is no family `{}` under `families`{hint}", family.value);
            mistakes.at(&file.source, family, message);
        }
    }
    for (family, meaning) in declared {
        let products = || file.value.products.iter();
        if !is_id(family) {
            mistakes.at(&file.source, meaning, format!("`{family}` cannot be the name of a family; {ID}"));
        } else if products().any(|product| product.id.value == *family) {
            mistakes.at(&file.source, meaning, format!("`{family}` is a product: name the family differently"));
        } else if !products().any(|product| product.families.iter().any(|own| own.value == *family)) {
            mistakes.at(&file.source, meaning, format!("no product belongs to the family `{family}`; remove it"));
        }
    }
}
