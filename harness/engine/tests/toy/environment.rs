//! The facts about the toy runtime that the checker needs, without its catalog.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use steps::given::SetUp;
use steps::parse::Names;
use steps::results::{ResultType, Results};
use steps::types::Declarations;
use steps::word::Word;
use steps::{Environment, Vocabulary};

pub fn environment() -> Environment {
    let declarations = Declarations::new(&crate::toy::bindings::BINDINGS);
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
        process_functions: BTreeSet::new(),
        vocabulary: vocabulary(),
    }
}

/// The additions of the toy's api.yaml to the language.
pub fn vocabulary() -> Vocabulary {
    let misuse = ["TOY_BAD_VALUE", "TOY_BAD_STATE"].map(str::to_owned).to_vec();
    let parameters = ["block", "want", "bytes", "back"].map(str::to_owned).to_vec();
    let nothing = Vocabulary::new();
    let names = Names { is_type: &|_| false, actors: &[], vocabulary: &nothing };
    let steps = "poison(back, bytes); toy_copy(back, block, bytes, TOY_OUT); same(back, want, bytes);";
    let holds = Word::parse(parameters, steps, &names).expect("the word has no mistake");
    // The rule's name for the block, and the set-up's name for its content.
    let steps = "toy_alloc(&block, bytes - 0); char *content = pattern(bytes, 1); block != NULL;";
    let parameters = ["block", "bytes"].map(str::to_owned).to_vec();
    let filled = SetUp::parse(parameters, steps, &Names { is_type: &|name| name == "char", ..names });
    let filled = filled.expect("the set-up has no mistake");
    Vocabulary {
        sets: BTreeMap::from([("misuse".to_owned(), misuse)]),
        words: BTreeMap::from([("holds".to_owned(), holds)]),
        histories: vec![("blocks".to_owned(), vec!["toy_alloc".to_owned(), "toy_free".to_owned()])],
        set_ups: BTreeMap::from([("filled".to_owned(), Some(filled)), ("below".to_owned(), None)]),
    }
}
