//! The simulated device's table of products and codes is written by hand from the documents, independently of the
//! catalog. These tests compare the two.

#[path = "../../../fixtures/simulator/acl/editions.rs"]
mod editions;
#[path = "../../../fixtures/simulator/acl/table.rs"]
mod table;

use crate::support;

use atlas_cts::runtimes::RUNTIMES;
use catalog::Rules;
use editions::{BROUGHT, EDITIONS, UNVERSIONED};
use rstest::{fixture, rstest};
use table::{CODES, PRODUCTS, Product};

/// Facts that no document states are 0 in the catalog: there the simulated device may choose.
const UNSTATED: i128 = 0;

#[fixture]
fn rules() -> &'static Rules {
    support::catalog()
}

fn simulated(id: &str) -> &'static Product {
    PRODUCTS.iter().find(|product| product.id == id).unwrap_or_else(|| panic!("the simulated device lacks {id}"))
}

#[rstest]
fn the_simulated_device_imitates_the_products_of_the_catalog(rules: &Rules) {
    let mut catalog: Vec<&str> = rules.products.iter().map(|product| product.id.as_str()).collect();
    let mut simulated: Vec<&str> = PRODUCTS.iter().map(|product| product.id).collect();
    catalog.sort_unstable();
    simulated.sort_unstable();
    assert_eq!(catalog, simulated);
}

#[rstest]
fn every_quantity_of_a_product_is_the_documented_one(rules: &Rules) {
    let mut differences = Vec::new();
    for product in &rules.products {
        let own = simulated(&product.id);
        let quantities = [
            ("malloc_padding", own.padding as i128, false),
            ("giant_page_size", if own.huge_1g { 1 << 30 } else { 0 }, false),
            ("npu_arch", i128::from(own.arch), true),
            ("max_streams", own.limits.0 as i128, true),
            ("max_events", own.limits.1 as i128, true),
            ("max_peers", own.limits.2 as i128, true),
        ];
        for (name, value, may_be_unstated) in quantities {
            let documented = *product.facts.get(name).unwrap_or_else(|| panic!("products.yaml lacks {name}"));
            if documented != value && !(may_be_unstated && documented == UNSTATED) {
                differences.push(format!("{}: {name} is {documented} in products.yaml, {value} here", product.id));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[rstest]
fn every_product_is_recognized_by_the_name_that_it_reports(rules: &Rules) {
    // The documents give no name for IPV350.
    for product in rules.products.iter().filter(|product| !product.reported_names.is_empty()) {
        let name = simulated(&product.id).soc.trim_end_matches('\0');
        let found = rules.product_of(name).map(|found| found.id.as_str());
        assert_eq!(found, Some(product.id.as_str()), "{name}");
    }
}

#[rstest]
fn every_function_of_the_support_table_is_offered_where_it_is_documented(rules: &Rules) {
    let mut differences = Vec::new();
    let called = |name: &str| rules.rules.iter().any(|rule| rule.function_names().any(|known| known == name));
    for (function, entry) in rules.support.iter().filter(|(name, _)| called(name)) {
        for (products, documented) in [(&entry.supported, true), (&entry.unsupported, false)] {
            for product in products.iter().filter(|product| simulated(product).offers(function) != documented) {
                let word = if documented { "supported" } else { "not supported" };
                differences.push(format!("{product}: {function} is {word} in support.yaml, and the opposite here"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The simulator's list has exported functions only, and all functions that rules call are exported.
#[rstest]
fn every_function_exists_from_the_edition_of_the_support_table_on(rules: &Rules) {
    let mut differences = Vec::new();
    let brought = |name: &str| BROUGHT.iter().find(|(_, names)| names.contains(&name)).map(|(edition, _)| *edition);
    let uncertain = rules.uncertain().into_iter().map(|function| function.name);
    for name in uncertain.chain(BROUGHT.iter().flat_map(|(_, names)| names.iter().copied())) {
        let since = rules.support.get(name).and_then(|entry| entry.since.as_ref()).map(ToString::to_string);
        if since.as_deref() != brought(name) {
            differences.push(format!("{name}: since {since:?} in support.yaml, {:?} here", brought(name)));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[rstest]
fn every_simulated_edition_is_recognized(rules: &Rules) {
    for edition in EDITIONS.iter().filter(|edition| edition.id != UNVERSIONED) {
        let read = rules.edition.read(edition.version.0).map(|read| read.to_string()).unwrap_or_default();
        assert!(read.starts_with(edition.id), "{} is read as {read}", edition.version.0);
    }
    let offered = RUNTIMES[0].simulated.as_ref().map(|device| device.editions.to_vec());
    assert_eq!(offered, Some(EDITIONS.iter().map(|edition| edition.id).collect()));
}

#[rstest]
fn every_code_has_the_number_of_the_header(rules: &Rules) {
    let mut differences = Vec::new();
    for (name, number) in CODES {
        match rules.environment.declarations.constant(name) {
            Some((value, _)) if value == i128::from(*number) => {}
            Some((value, _)) => differences.push(format!("{name} is {value} in abi.h, {number} here")),
            None => differences.push(format!("abi.h has no {name}")),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
