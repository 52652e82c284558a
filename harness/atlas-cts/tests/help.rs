//! The help: a screen for each command, every option on demand, and the commands for a newcomer first.

use rstest::rstest;

use crate::support::Bench;

/// The lines of a screen, and its columns.
const SCREEN: (usize, usize) = (40, 100);

/// The commands that the first page lists.
fn commands(bench: &Bench) -> Vec<String> {
    let page = bench.run(["--help"]).text;
    let names = page.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn every_help_page_fits_on_a_screen() {
    let bench = Bench::new();
    let commands = commands(&bench);
    assert!(commands.len() > 20, "the first page lists the commands: {commands:?}");
    for command in std::iter::once("").chain(commands.iter().map(String::as_str)) {
        let words: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let answer = bench.run(&words);
        answer.says(0, &["Usage: "]);
        let widest = answer.text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        let lines = answer.text.lines().count();
        assert!(lines <= SCREEN.0 && widest <= SCREEN.1, "{command} --help: {lines} lines, {widest} columns");
    }
}

#[test]
fn the_first_page_has_four_groups_and_begins_with_what_a_newcomer_needs() {
    let page = Bench::new().run(["--help"]).text;
    let groups: Vec<&str> = page.lines().filter(|line| line.chars().next().is_some_and(char::is_uppercase)).collect();
    assert_eq!(groups[2..6], ["Start here", "Results of a run", "The catalog", "Tools"], "{page}");
    let first = page.split("Start here").nth(1).unwrap_or_default().trim_start();
    assert!(first.starts_with("doctor"), "{page}");
}

#[test]
fn the_first_page_lists_every_command() {
    let bench = Bench::new();
    let listed = commands(&bench);
    // A completion script knows all commands.
    let script = bench.run(["completions", "fish"]).text;
    // A line with the values of an option ends within its list.
    let of_commands = script.lines().filter(|line| line.contains("needs_command") && !line.contains(" -l "));
    let known: Vec<&str> = of_commands.filter_map(|line| line.split("-a \"").nth(1)?.split('"').next()).collect();
    assert!(known.len() > 20, "the script has the commands: {script}");
    for command in known {
        assert!(listed.iter().any(|name| name == command), "`{command}` is missing from: {listed:?}");
    }
}

#[rstest]
#[case::in_the_usual_help("--help", false)]
#[case::in_the_help_of_every_option("--help-all", true)]
fn rare_options_and_variables_are_shown_on_demand(#[case] option: &str, #[case] shown: bool) {
    let page = Bench::new().run(["run", option]).text;
    assert!(page.contains("--product"), "{page}");
    assert_eq!(page.contains("--recover-cmd"), shown, "{page}");
    assert_eq!(page.contains("ATLAS_CTS_PRODUCT"), shown, "{page}");
}

#[test]
fn help_before_a_command_is_the_help_of_that_command() {
    let bench = Bench::new();
    assert_eq!(bench.run(["help", "run"]).text, bench.run(["run", "--help"]).text);
    assert_eq!(bench.run(["help"]).text, bench.run(["--help"]).text);
}

#[test]
fn without_a_command_the_next_ones_are_shown() {
    let bench = Bench::new();
    let answer = bench.run([] as [&str; 0]);
    answer.says(2, &["This machine", "Type next", "atlas-cts run --product ", "atlas-cts doctor", "atlas-cts --help"]);
}

#[rstest]
#[case::bash("bash", "complete -F _atlas__cts")]
#[case::zsh("zsh", "#compdef atlas-cts")]
#[case::fish("fish", "complete -c atlas-cts")]
fn each_shell_has_completions(#[case] shell: &str, #[case] says: &str) {
    Bench::new().run(["completions", shell]).says(0, &[says, "--product"]);
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let bench = Bench::new();
    bench.run(["man", "pages"]).says(0, &["pages"]);
    for command in commands(&bench) {
        let page = bench.path(&format!("pages/atlas-cts-{command}.1"));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        assert!(text.contains(".SH OPTIONS") || text.contains(".SH SYNOPSIS"), "{command}: {text}");
    }
}
