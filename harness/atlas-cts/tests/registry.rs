//! The registry of runtimes: each name and each product occurs once.

use std::collections::HashSet;

use atlas_cts::runtimes::RUNTIMES;
use catalog::product_names;

use crate::support::project;

#[test]
fn a_name_and_a_product_belong_to_one_runtime() {
    let mut names = HashSet::new();
    let mut products = HashSet::new();
    for runtime in RUNTIMES {
        assert!(names.insert(runtime.name()), "two runtimes are called {}", runtime.name());
        let names = product_names(&project().join("specs").into(), runtime.name());
        let own: Vec<&str> = names.ids().collect();
        assert!(!own.is_empty(), "{} has no product", runtime.name());
        for product in own {
            assert!(products.insert(product.to_owned()), "two runtimes have a product {product}");
        }
    }
}

#[test]
fn the_libraries_of_a_simulated_device_have_the_names_of_the_catalog() {
    for runtime in RUNTIMES {
        let place = catalog::CatalogPlace { specs: project().join("specs").into(), bindings: runtime.bindings };
        let rules = catalog::load(&place).unwrap_or_else(|error| panic!("{error}"));
        let known: Vec<&str> = rules.libraries.all().iter().map(|library| library.id.as_str()).collect();
        for library in runtime.simulated.iter().flat_map(|device| device.libraries) {
            assert!(known.contains(&library.id), "{} has no library {}", runtime.name(), library.id);
        }
    }
}

#[test]
fn a_probe_runs_rules_of_the_catalog() {
    for runtime in RUNTIMES {
        let specs = project().join("specs").into();
        let place = catalog::CatalogPlace { specs, bindings: runtime.bindings };
        let rules = catalog::load(&place).unwrap_or_else(|error| panic!("{error}"));
        for id in runtime.doctor.iter().flat_map(|doctor| doctor.probe) {
            assert!(rules.rules.iter().any(|rule| rule.id == *id), "{} has no rule {id}", runtime.name());
        }
    }
}
