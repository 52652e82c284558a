//! Tests on declarations in bindgen's form, which need no libclang.

use super::*;
use rstest::rstest;

/// Declarations in bindgen's form.
const RAW: &str = "
    pub type status = ::core::ffi::c_int;
    pub type handle = *mut ::core::ffi::c_void;
    pub type opaque_handle = *mut hidden;
    pub type hook = ::core::option::Option<unsafe extern \"C\" fn(user: handle)>;
    pub type text = *const ::core::ffi::c_char;
    pub type row = [u8; 16usize];
    pub struct hidden { _unused: [u8; 0], }
    #[repr(transparent)] pub struct kind(pub ::core::ffi::c_uint);
    impl kind { pub const B: kind = kind(7); pub const A: kind = kind(1); }
    pub use self::kind as kind_t;
    #[repr(transparent)] pub struct signed_kind(pub ::core::ffi::c_int);
    impl signed_kind { pub const LOW: signed_kind = signed_kind(-1); }
    pub struct place { pub id: u32, pub type_: kind, pub __bindgen_anon_1: place__bindgen_ty_1 }
    pub union place__bindgen_ty_1 { pub x: u64, pub y: f32 }
    pub struct pair_st { pub a: i32 }
    pub type pair_v2 = pair_st;
    pub type pair = pair_st;
    pub type pairs = *mut pair_st;
    pub struct bare { pub p: pair }
    pub type wide = ::core::ffi::c_ulonglong;
    pub const LIMIT: i32 = -1;
    pub struct Api {
        __library: ::libloading::Library,
        pub take: Result<unsafe extern \"C\" fn(type_: kind, at: *mut handle) -> status, ::libloading::Error>,
        pub quit_v2: Result<unsafe extern \"C\" fn(), ::libloading::Error>,
        pub log: Result<unsafe extern \"C\" fn(text: text, ...), ::libloading::Error>,
        pub make: Result<unsafe extern \"C\" fn() -> place, ::libloading::Error>,
    }";

const TEXT: &str = "#define GUARD_H\n#define LIMIT 0xFFFFFFFFU\n#define NAME \"x\"\n#define CALL(x) x\n\
    #define quit quit_v2\n\
    #define FIRST ((handle)0x1)\n#define LAST ((wide) -1)\n#define OTHER (other(1))\n\
    typedef enum kind { B } kind;\ntypedef kind kind_t;\n\
    typedef struct pair_st { int a; } pair, *pairs;\ntypedef pair pair_v2;\n\
    struct bare { pair p; };\ntypedef unsigned long long wide;\n\
    int take(int type, void *at);";

fn model() -> Model {
    let raw = syn::parse_file(RAW).unwrap();
    let macros = BTreeMap::from([("LIMIT".to_owned(), 0xFFFF_FFFF)]);
    read(&raw, TEXT, &macros).unwrap()
}

fn pointer(to: CType, constant: bool) -> CType {
    let to = Box::new(to);
    CType::Pointer { to, constant }
}

#[rstest]
#[case("status", CType::Integer { bytes: 4, signed: true })]
#[case("usize", CType::Integer { bytes: 8, signed: false })]
#[case("u64", CType::Integer { bytes: 8, signed: false })]
#[case("bool", CType::Integer { bytes: 1, signed: false })]
#[case("f32", CType::Float { bytes: 4 })]
#[case("handle", CType::Handle("handle".into()))]
#[case("opaque_handle", CType::Handle("opaque_handle".into()))]
#[case("*mut handle", pointer(CType::Handle("handle".into()), false))]
#[case("hook", CType::Callback("hook".into()))]
#[case("kind", CType::Enumeration { name: "kind".into(), signed: false })]
#[case("kind_t", CType::Enumeration { name: "kind".into(), signed: false })]
#[case("signed_kind", CType::Enumeration { name: "signed_kind".into(), signed: true })]
#[case("text", pointer(CType::Char, true))]
#[case("*mut *const ::core::ffi::c_void", pointer(pointer(CType::Void, true), false))]
#[case("place", CType::Struct("place".into()))]
#[case("pair_st", CType::Struct("pair".into()))]
#[case("pair_v2", CType::Struct("pair".into()))]
#[case("pairs", pointer(CType::Struct("pair".into()), false))]
#[case("bare", CType::Struct("struct bare".into()))]
#[case("wide", CType::LongLong { name: "wide".into(), signed: false })]
#[case("::core::ffi::c_longlong", CType::LongLong { name: "long long".into(), signed: true })]
#[case("*mut hidden", pointer(CType::Struct("hidden".into()), false))]
#[case("[u8; 16usize]", CType::Array { of: Box::new(CType::Integer { bytes: 1, signed: false }), length: 16 })]
fn types_are_those_of_c(#[case] rust: &str, #[case] expected: CType) {
    let raw = syn::parse_file(RAW).unwrap();
    let ty = syn::parse_str(rust).unwrap();
    assert_eq!(names(&raw, TEXT).resolve(&ty), Ok(expected));
}

#[rstest]
fn functions_are_sorted_and_keywords_keep_their_name() {
    let model = model();
    let listed: Vec<_> = model.functions.iter().map(|each| &*each.name).collect();
    assert_eq!(listed, ["quit", "take"]);
    let parameters: Vec<_> = model.functions[1].parameters.iter().map(|each| &*each.name).collect();
    assert_eq!(parameters, ["type", "at"]);
}

#[rstest]
fn a_function_has_the_name_that_the_header_gives_its_symbol() {
    let symbols: Vec<_> = model().functions.into_iter().map(|function| (function.name, function.exported_as)).collect();
    assert_eq!(symbols, [("quit".to_owned(), Some("quit_v2".to_owned())), ("take".to_owned(), None)]);
}

#[rstest]
fn typedefs_are_those_that_no_other_table_names() {
    let expected = [
        ("kind_t", CType::Enumeration { name: "kind".into(), signed: false }),
        ("pair_v2", CType::Struct("pair".into())),
        ("pairs", pointer(CType::Struct("pair".into()), false)),
        ("status", CType::Integer { bytes: 4, signed: true }),
        ("text", pointer(CType::Char, true)),
        ("wide", CType::LongLong { name: "wide".into(), signed: false }),
    ];
    assert_eq!(model().typedefs, expected.map(|(name, ty)| (name.to_owned(), ty)));
}

#[rstest]
fn callbacks_say_what_they_are_given() {
    let callback =
        Callback { name: "hook".into(), parameters: vec![CType::Handle("handle".into())], returns: CType::Void };
    assert_eq!(model().callbacks, [callback]);
}

#[rstest]
fn what_cannot_be_expressed_is_named_with_a_reason() {
    let left_out: Vec<_> = model().left_out.into_iter().map(|(name, _)| name).collect();
    assert_eq!(left_out, ["NAME", "OTHER", "log", "make", "row"]);
}

#[rstest]
fn enumerators_keep_the_order_of_the_header_and_macros_the_value_of_the_compiler() {
    let model = model();
    assert_eq!(model.enums[0].constants, [("B".to_owned(), 7), ("A".to_owned(), 1)]);
    assert_eq!(model.enums[1].constants, [("LOW".to_owned(), -1)]);
    assert_eq!(model.constants, [("LIMIT".to_owned(), 0xFFFF_FFFF)]);
}

#[rstest]
fn fields_of_anonymous_members_belong_to_the_struct() {
    let model = model();
    let place = model.structs.iter().find(|structure| structure.name == "place").unwrap();
    let fields: Vec<_> = place.fields.iter().map(|field| (&*field.name, &*field.path)).collect();
    assert_eq!(fields, [("id", "id"), ("type", "type_"), ("x", "__bindgen_anon_1.x"), ("y", "__bindgen_anon_1.y")]);
}

#[rstest]
fn structs_have_the_name_that_c_source_uses() {
    let structs: Vec<_> = model().structs.into_iter().map(|structure| (structure.name, structure.rust)).collect();
    for (name, rust) in [("pair", "pair_st"), ("struct bare", "bare")] {
        assert!(structs.contains(&(name.to_owned(), rust.to_owned())), "{structs:?}");
    }
}

#[rstest]
fn casts_are_constants_of_their_type() {
    let handle = ("FIRST".to_owned(), CType::Handle("handle".into()), 1);
    let wide = ("LAST".to_owned(), CType::LongLong { name: "wide".into(), signed: false }, i128::from(u64::MAX));
    assert_eq!(model().casts, [handle, wide]);
}
