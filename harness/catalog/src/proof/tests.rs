//! Reading and writing the table.

use std::path::Path;

use proptest::prelude::*;
use rstest::rstest;

use super::*;

const ROW: &str = "toy.set.byte\tset.zeros\tbig,small\tall_bytes(back, size, 1)\t00000001\tfedcba98";

fn parse(text: &str) -> Result<ProofTable, String> {
    ProofTable::parse(Path::new("specs/toy/proof.tsv"), text).map_err(|error| error.to_string())
}

#[test]
fn a_row_says_who_kills_what_where() {
    let table = parse(&format!("# The head.\n\n{ROW}\n")).unwrap();
    assert_eq!(table.claims("toy.set.byte").collect::<Vec<_>>(), ["set.zeros"]);
    assert_eq!(table.claims_on("toy.set.byte", "small").count(), 1);
    assert_eq!(table.claims_on("toy.set.byte", "tiny").count(), 0);
    assert_eq!(table.claimants()["set.zeros"], 1);
    let (_, row) = table.rows("toy.set.byte").next().unwrap();
    assert_eq!(row.check.as_deref(), Some("all_bytes(back, size, 1)"));
    assert_eq!((row.rule, row.defect, row.line), (1, 0xfedc_ba98, 3));
    assert_eq!(table.to_string(), format!("# The head.\n\n{ROW}\n"));
}

#[rstest]
#[case::blanks(&ROW.replace('\t', " "), "a row is rule, defect, products, check and two digests")]
#[case::a_column_too_few(ROW.rsplit_once('\t').unwrap().0, "a row is rule, defect, products, check and two digests")]
#[case::a_column_too_many(&format!("{ROW}\tmore"), "a row is rule, defect, products, check and two digests")]
#[case::no_defect(&ROW.replace("set.zeros", ""), "a row is rule, defect, products, check and two digests")]
#[case::no_rule(&ROW.replace("toy.set.byte", "set"), "the first word of a row is the id of a rule")]
#[case::no_product(&ROW.replace("big,small", ""), "a row names at least one product")]
#[case::a_comma_too_many(&ROW.replace("big,small", "big,"), "a row names at least one product, each once")]
#[case::a_product_twice(&ROW.replace("big,small", "big,big"), "a row names at least one product, each once")]
#[case::a_short_digest(&ROW.replace("00000001", "1"), "a digest has eight hexadecimal digits")]
#[case::a_sign(&ROW.replace("00000001", "+0000001"), "a digest has eight hexadecimal digits")]
#[case::no_digest(&ROW.replace("fedcba98", "fedcbaxx"), "a digest has eight hexadecimal digits")]
#[case::twice(&format!("{ROW}\n{ROW}"), "the rule and the defect have a row above")]
fn a_damaged_row_is_named_with_what_to_do(#[case] rows: &str, #[case] mistake: &str) {
    let error = parse(&format!("# The head.\n{rows}\n")).unwrap_err();
    let line = 1 + rows.lines().count();
    assert!(error.starts_with(&format!("specs/toy/proof.tsv:{line}: {mistake}")), "{error}");
    assert!(error.ends_with("restore the file, or remove the row and prove the rule with --raise"), "{error}");
}

#[test]
fn a_folder_without_a_table_has_no_claims_and_no_folder_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let table = ProofTable::read(folder.path()).unwrap();
    assert!(table.claimants().is_empty());
    table.write().unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).unwrap(), HEAD);
    let error = ProofTable::read(&folder.path().join("nowhere")).unwrap_err().to_string();
    assert!(error.contains("nowhere: No such file"), "{error}");
}

proptest! {
    #[test]
    fn a_table_is_read_as_it_was_written(
        rows in prop::collection::btree_map(
            ("toy\\.[a-z]{1,4}\\.[a-z]{1,4}", "[a-z]{1,5}\\.[a-z-]{1,5}"),
            (
                prop::collection::btree_set("[a-z0-9-]{1,5}", 1..4),
                prop::option::of("[!-~]([ -~]{0,8}[!-~])?"),
                any::<(u32, u32)>(),
            ),
            0..8,
        ),
    ) {
        let mut table = ProofTable { head: HEAD.to_owned(), ..ProofTable::default() };
        for ((rule, defect), (products, check, (of_rule, of_defect))) in rows {
            let check = check.filter(|check| check != "-");
            let row = ProofRow { products, check, rule: of_rule, defect: of_defect, line: 0 };
            table.rows.entry(rule).or_default().insert(defect, row);
        }
        let mut read = ProofTable::parse(Path::new(""), &table.to_string()).unwrap();
        read.rows.values_mut().flat_map(BTreeMap::values_mut).for_each(|row| row.line = 0);
        prop_assert_eq!(read, table);
    }

    /// A text of another program is refused with a place, and never read as something else.
    #[test]
    fn any_text_is_read_or_refused(text in "([ -~\t]{0,40}\n){0,4}") {
        if let Err(error) = parse(&text) {
            prop_assert!(error.starts_with("specs/toy/proof.tsv:"), "{}", error);
        }
    }
}
