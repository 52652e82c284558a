//! The choice of the runtime in an executable with two.

use std::path::Path;

use engine::run::{ExitStatus, RunError, choose_runtime};
use engine::runtime::Runtime;
use tempfile::TempDir;

use crate::depot::device::{WITHOUT_DEVICE, folder};
use crate::depot::runs::options;

static TOY: Runtime = Runtime {
    bindings: &crate::toy::bindings::BINDINGS,
    specs: &[],
    fingerprint: 0,
    simulated: None,
    doctor: None,
    logs: None,
};
static BOTH: &[&Runtime] = &[&TOY, &WITHOUT_DEVICE];

/// A folder with the products of both runtimes.
fn specs() -> TempDir {
    let specs = tempfile::tempdir().expect("a folder can be made");
    for (name, folder) in [("depot", folder()), ("toy", folder().with_file_name("toy"))] {
        let own = specs.path().join(name);
        std::fs::create_dir_all(&own).expect("a folder can be made");
        let products = folder.join("specs").join(name).join("products.yaml");
        std::fs::copy(products, own.join("products.yaml")).expect("it can be copied");
    }
    specs
}

fn chosen(runtimes: &[&'static Runtime], specs: &Path, words: &[&str], rules: &[&str]) -> Result<&'static str, String> {
    let rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
    let chosen = choose_runtime(runtimes, &mut options(specs, words).catalog, &rules);
    chosen.map(Runtime::name).map_err(|error| {
        let error = RunError::from(error);
        assert_eq!(error.exit(), ExitStatus::Usage, "{error}");
        error.to_string()
    })
}

#[test]
fn a_runtime_is_found_by_name_product_or_rule() {
    let specs = specs();
    let chosen = |words: &[&str], rules: &[&str]| chosen(BOTH, specs.path(), words, rules);
    assert_eq!(chosen(&[], &[]).as_deref(), Ok("toy"), "the first, if none is named");
    assert_eq!(chosen(&["--runtime", "depot"], &["toy.form.choose"]).as_deref(), Ok("depot"));
    assert_eq!(chosen(&["--product", "hillside"], &["toy.form.choose"]).as_deref(), Ok("depot"));
    assert_eq!(chosen(&["--product", "seven"], &[]).as_deref(), Ok("toy"));
    assert_eq!(chosen(&["--runtime", "depot", "--product", "harbour"], &[]).as_deref(), Ok("depot"));
    assert_eq!(chosen(&[], &["depot.lot.reserve", "depot.lot.full"]).as_deref(), Ok("depot"));
    assert_eq!(chosen(&[], &["depot"]).as_deref(), Ok("depot"));
    assert_eq!(chosen(&[], &["depot.lot.reserve", "toy.form.choose"]).as_deref(), Ok("toy"));
}

#[test]
fn two_names_that_exclude_each_other_are_refused() {
    let said = chosen(BOTH, specs().path(), &["--runtime", "toy", "--product", "hillside"], &[]);
    let expected = "error: --runtime toy and --product hillside exclude each other: hillside is a product of depot; \
                    give --runtime depot, or omit it";
    assert_eq!(said.unwrap_err(), expected);
}

#[test]
fn a_name_that_nothing_has_suggests_one() {
    let specs = specs();
    let said = |words: &[&str]| chosen(BOTH, specs.path(), words, &[]).unwrap_err();
    let expected = "error: there is no product `hilside`; did you mean `hillside`?; products are seven, eight, \
                    harbour, hillside and auto";
    assert_eq!(said(&["--product", "hilside"]), expected);
    assert_eq!(said(&["--runtime", "toy", "--product", "hilside"]), expected);
    let expected = "error: --runtime depo: there is no such runtime; did you mean `depot`?; runtimes are toy, depot";
    assert_eq!(said(&["--runtime", "depo"]), expected);
}

#[test]
fn a_name_and_a_product_belong_to_one_runtime() {
    let specs = specs();
    let said = chosen(&[&TOY, &WITHOUT_DEVICE, &TOY], specs.path(), &[], &[]).unwrap_err();
    assert!(said.contains("the registry has two runtimes named `toy`"), "{said}");
    let products = specs.path().join("toy/products.yaml");
    let text = std::fs::read_to_string(&products).expect("it was copied").replace("id: seven", "id: harbour");
    std::fs::write(&products, text).expect("it can be written");
    let said = chosen(BOTH, specs.path(), &["--product", "harbour"], &[]).unwrap_err();
    assert!(said.contains("`harbour` is a product of both toy and depot"), "{said}");
}
