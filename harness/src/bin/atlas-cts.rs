use std::path::PathBuf;
fn main() {
    let place = harness::rules::CatalogPlace {
        root: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../specs")),
        bindings: &harness::bindings::acl::BINDINGS,
        defects: harness::defects::names(),
    };
    match harness::rules::load(&place, None) {
        Ok(rules) => println!("{} rules, no mistakes", rules.rules.len()),
        Err(error) => {
            println!("{error}");
            std::process::exit(2)
        }
    }
}
