//! What the checker has to know of the toy runtime, without its catalog.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use steps::results::{ResultType, Results};
use steps::types::Declarations;
use steps::{Environment, Vocabulary};

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
        vocabulary: vocabulary(),
    }
}

/// What the toy's api.yaml adds to the language.
pub fn vocabulary() -> Vocabulary {
    let misuse = ["TOY_BAD_VALUE", "TOY_BAD_STATE"].map(str::to_owned).to_vec();
    Vocabulary { sets: BTreeMap::from([("misuse".to_owned(), misuse)]) }
}
