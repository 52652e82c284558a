use proptest::prelude::*;

use super::{MustPass, MustPassError, Promise};

prop_compose! {
    fn promise()(
        products in prop::collection::btree_set("[a-z0-9-]{1,8}", 1..4),
        conditions in prop::collection::btree_set("(2 devices|dedicated|edition >=8\\.[0-9])", 0..3),
        checks in prop::collection::vec("[!-~]([ -~]{0,30}[!-~])?", 0..5),
    ) -> Promise {
        Promise { products, conditions, checks }
    }
}

prop_compose! {
    fn list()(
        version in "[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]",
        catalog in "[0-9a-f]{64}",
        rules in prop::collection::btree_map("toy\\.[a-z]{1,6}\\.[a-z0-9-]{1,8}", promise(), 1..6),
    ) -> MustPass {
        MustPass { version, catalog, rules }
    }
}

/// The result of reading a file with this text.
fn read(text: &str) -> Result<MustPass, MustPassError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.txt");
    std::fs::write(&path, text).unwrap();
    MustPass::read(&path)
}

proptest! {
    #[test]
    fn a_list_is_read_as_it_was_written(list in list()) {
        prop_assert_eq!(read(&list.to_string()).unwrap(), list);
    }

    #[test]
    fn any_text_is_a_list_or_a_mistake(text in ".{0,200}") {
        let _ = read(&text);
    }
}

#[test]
fn a_line_of_no_list_is_named() {
    let text = "version\t0.2.0\ncatalog\t00\ntoy.set.byte\ton\ta b\ntoy.set.byte\tjudges\tx == 1\n";
    let error = read(text).unwrap_err().to_string();
    assert!(error.contains("list.txt:4: not a line of a list"), "{error}");
    for (text, said) in
        [("", "lacks a version"), ("version\t0.2.0\n", "lacks a version or rules"), ("version\tnew\n", ":1:")]
    {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
