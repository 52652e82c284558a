//! The README's recipe for a rule, typed as it stands into a copy of the catalog: every gate of CI holds.

use std::fs;
use std::path::Path;

use crate::support::{Bench, project};

/// The first block of YAML of the README, without its indentation.
fn recipe() -> String {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let block = readme.split_once("```yaml\n").expect("the README shows a rule").1.split_once("```").unwrap().0;
    let indented = block.lines().next().unwrap();
    let margin = indented.len() - indented.trim_start().len();
    block.lines().map(|line| format!("  {}\n", line.get(margin..).unwrap_or_default())).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn the_rule_of_the_readme_passes_every_gate() {
    let bench = Bench::new();
    copy(&project().join("specs"), &bench.path("specs"));
    let recipe = recipe();
    let id = recipe.trim_start().strip_prefix("- id: ").unwrap().lines().next().unwrap().to_owned();
    let chapter = "specs/acl/rules/set.yaml";
    let text = fs::read_to_string(bench.path(chapter)).unwrap();
    assert!(!text.contains(&id), "{id} is in the catalog: show another rule in the README");
    bench.write(chapter, format!("{text}\n{recipe}"));
    let simulated = ["--specs", "specs", "--product", "a2", "--backend", "simulator"];
    bench.run(["lint", "--strict", "--specs", "specs"]).says(0, &["no mistakes"]);
    bench.run(["run"].iter().chain(&simulated).chain(&[id.as_str()])).says(0, &["1 pass"]);
    bench.run(["prove"].iter().chain(&simulated).chain(&[id.as_str()])).says(0, &["1 of 1 proven"]);
    let debt = format!("DEBT    {id}: only its author has read `");
    bench.run(["coverage", "--specs", "specs", "--hold", "specs/acl/coverage.tsv"]).says(0, &[&debt]);
    let list = fs::read_dir(bench.path("specs/acl/mustpass")).unwrap().map(|entry| entry.unwrap().path());
    let list = list.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "txt")).unwrap();
    let list = list.strip_prefix(bench.path("")).unwrap().to_owned();
    bench.run(["mustpass", "--specs", "specs", "--hold", list.to_str().unwrap()]).says(0, &[]);
}
