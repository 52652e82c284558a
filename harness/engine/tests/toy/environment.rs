//! What the checker has to know of the toy runtime, without its catalog.

use std::collections::{BTreeSet, HashMap, HashSet};

use steps::Environment;
use steps::types::Declarations;

pub fn environment() -> Environment {
    let declarations = Declarations::new(&crate::bindings::BINDINGS, Some("toyResult"));
    let result = declarations.ty("toyResult");
    Environment {
        declarations,
        facts: BTreeSet::from(["page".to_owned()]),
        result,
        spaces: HashMap::new(),
        process_functions: HashSet::new(),
    }
}
