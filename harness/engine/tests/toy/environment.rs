//! What the checker has to know of the toy runtime, without its catalog.

use std::collections::{BTreeSet, HashMap, HashSet};

use steps::Environment;
use steps::results::{ResultType, Results};
use steps::types::Declarations;

pub fn environment() -> Environment {
    let declarations = Declarations::new(&crate::bindings::BINDINGS);
    let ty = declarations.ty("toyResult").expect("the header has it");
    let result = ResultType {
        name: "toyResult".to_owned(),
        ty,
        success: 0,
        success_name: "TOY_OK".to_owned(),
        codes: declarations.codes(ty, None),
        fatal: Vec::new(),
    };
    Environment {
        declarations,
        facts: BTreeSet::from(["page".to_owned()]),
        results: Results(vec![result]),
        spaces: HashMap::new(),
        process_functions: HashSet::new(),
    }
}
