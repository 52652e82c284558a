//! Catalogs with mistakes: each is a file, next to a file with the output of `lint` (docs/catalog/files.md).

use std::fs;
use std::path::Path;

use rstest::rstest;

use crate::support::Bench;
use crate::support::pairs::{self, Change, LOADS};
use crate::{bad_input, coverage, policy};

/// A chapter of one rule; products and life cycle are the real ones.
fn small() -> Bench {
    let bench = Bench::new();
    bench.catalog(bad_input::CHAPTER);
    bench
}

/// Sentences of every kind, and a rule that rests on one of them.
fn grounds() -> Bench {
    let lines = "    clauses: {all: block.aligned}\n    level: must\n";
    policy::bench(policy::CLAUSES, &policy::chapter(lines, &policy::ALIGNED))
}

/// The same, and the document says which sections it has.
fn sentences() -> Bench {
    let bench = grounds();
    bench.write(
        "specs/acl/documents.yaml",
        "documents:\n  - {id: manual, title: The manual, edition: first, language: en, covers: blocks, \
         sections: [blocks, keys]}\n",
    );
    bench
}

/// Sentences that are judged, and others that are not; an axiom; room for readings.
fn inventory() -> Bench {
    let bench = coverage::bench(coverage::CLAUSES);
    bench.write("specs/acl/axioms.yaml", coverage::AXIOMS);
    bench
}

/// A pair is a chapter, or a change to a file of a catalog without mistakes.
#[rstest]
#[case::of_a_small_catalog("small", small)]
#[case::of_what_checks_rest_on("policy", grounds)]
#[case::of_clauses("clauses", sentences)]
#[case::of_what_is_covered("coverage", inventory)]
fn a_mistake_is_reported_as_the_file_beside_it_says(#[case] folder: &str, #[case] catalog: fn() -> Bench) {
    let lint = ["catalog", "lint", "--specs", "specs"];
    catalog().run(lint).says(0, &["no mistakes"]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_catalogs").join(folder);
    pairs::check(&folder, |text| {
        let bench = catalog();
        write(&bench, text)?;
        let answer = bench.run(lint);
        match answer.status {
            2 => Ok(stable(&answer.text)),
            0 => Err(LOADS.to_owned()),
            other => Err(format!("lint ends with {other} and says\n{}", answer.text)),
        }
    });
}

fn write(bench: &Bench, text: &str) -> Result<(), String> {
    if text.starts_with("file: ") {
        return Change::read(text)?.make(&bench.path("specs"));
    }
    fs::write(bench.path("specs/acl/rules/small.yaml"), text).map_err(|error| error.to_string())
}

/// The part of the output that does not change with the next edit of a real file or the next release. Of the mistakes in
/// a real file it keeps the first one, without its line, because the others quote its consequences.
fn stable(text: &str) -> String {
    let mistakes = text.lines().filter(|line| !line.starts_with("warning: api.yaml: no rule uses the set-up"));
    let text: String = mistakes.map(|line| line.to_owned() + "\n").collect();
    let text = text.replace(concat!("version ", env!("CARGO_PKG_VERSION")), "version X.Y.Z");
    let real = ["acl/api.yaml:", "acl/products.yaml:"].iter().any(|file| text.contains(&format!("--> specs/{file}")));
    if !real {
        return text;
    }
    text.lines().take_while(|line| !line.is_empty()).map(|line| without_number(line) + "\n").collect()
}

/// A line that shows a place, with `LL` for the number of the line that it shows.
fn without_number(line: &str) -> String {
    let place = line.strip_prefix("  --> ").map(|place| place.split(':').collect::<Vec<_>>());
    if let Some([file, _, column]) = place.as_deref() {
        return format!("  --> {file}:LL:{column}");
    }
    match line.split_once(" |") {
        Some((margin, quoted)) if margin.trim().is_empty() => format!("   |{quoted}"),
        Some((number, quoted)) if number.parse::<u32>().is_ok() => format!("LL |{quoted}"),
        _ => line.to_owned(),
    }
}
