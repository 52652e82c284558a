use abi::{Bindings, Constant, Function, Parameter, Struct, Type};
use proptest::prelude::*;
use steps::Program;

use super::*;

/// A header with a function of each kind of type.
static BINDINGS: Bindings = Bindings {
    runtime: "made-up",
    header_digest: "0123",
    functions: &[Function {
        name: "f",
        exported_as: None,
        parameters: &[
            Parameter { name: "handle", ty: Type::Pointer { to: &Type::Handle("handle"), constant: true } },
            Parameter { name: "many", ty: Type::Array { of: &Type::Struct("pair"), length: 3 } },
        ],
        returns: Type::Enumeration { name: "code", signed: true },
        call: never,
    }],
    enums: &[],
    structs: &[Struct { name: "pair", size: 8, align: 4, union: false, fields: &[] }],
    typedefs: &[],
    callbacks: &[],
    constants: &[Constant { name: "ZERO", value: 0 }],
    casts: &[],
};

fn never(_: *const std::ffi::c_void, _: &[u64]) -> u64 {
    unreachable!("no test calls it")
}

fn store(ty: Type) -> Result<Type, postcard::Error> {
    abi::form::within(&BINDINGS, || postcard::from_bytes(&postcard::to_extend(&ty, Vec::new())?))
}

#[test]
fn a_type_is_stored_by_the_position_of_its_name() {
    let function = &BINDINGS.functions[0];
    for ty in function.parameters.iter().map(|parameter| parameter.ty).chain([function.returns]) {
        assert_eq!(store(ty), Ok(ty));
    }
    let long = Type::LongLong { name: "long long", signed: true };
    assert_eq!(store(long), Ok(long), "the language knows it without a header");
    assert!(store(Type::Handle("of-another-header")).is_err());
}

#[test]
fn a_type_outside_its_tables_is_not_stored() {
    assert!(postcard::to_extend(&Type::Void, Vec::new()).is_err());
}

#[test]
fn a_book_of_another_form_is_foreign_and_a_changed_one_is_damaged() {
    let decoded = |bytes: &[u8]| decode(bytes, &BINDINGS).map(|_| ()).unwrap_err().to_string();
    assert_eq!(decoded(b"atlas-cts book 0\nmore"), BookError::Foreign.to_string());
    assert_eq!(decoded(MAGIC), BookError::Damaged.to_string());
    let mut bytes = MAGIC.to_vec();
    bytes.extend(Sha256::digest(b"other"));
    bytes.extend(b"bytes");
    assert_eq!(decoded(&bytes), BookError::Damaged.to_string());
}

#[test]
fn a_book_of_another_header_is_not_read() {
    let body = postcard::to_extend("4567", Vec::new()).unwrap();
    let bytes = [MAGIC, &Sha256::digest(&body), &body].concat();
    assert!(matches!(decode(&bytes, &BINDINGS), Err(BookError::OtherHeader)));
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_no_program_or_one_that_is_stored_again(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let decoded: Result<Program, _> = StoredProgram::decode(&bytes, &BINDINGS);
        if let Ok(program) = decoded {
            let again = abi::form::within(&BINDINGS, || postcard::to_extend(&program, Vec::new())).unwrap();
            let once_more = StoredProgram::decode(&again, &BINDINGS).unwrap();
            prop_assert_eq!(format!("{program:?}"), format!("{once_more:?}"));
        }
    }
}
