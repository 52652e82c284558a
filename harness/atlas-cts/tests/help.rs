//! The help: a screen for each command, every option on demand, and the commands for a newcomer first.

use rstest::rstest;

use crate::support::{Bench, answer, project};

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
    assert!((10..=14).contains(&commands.len()), "the first page lists at most 14 commands: {commands:?}");
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
    assert_eq!(groups[2..6], ["Start here", "Results of a run", "Rules", "Tools"], "{page}");
    let first = page.split("Start here").nth(1).unwrap_or_default().trim_start();
    assert!(first.starts_with("doctor"), "{page}");
}

#[test]
fn the_page_of_the_first_run_has_every_command_and_who_types_it() {
    let page = std::fs::read_to_string(project().join("docs/run/start.md")).unwrap();
    let user = |command: &str| {
        page.lines().find_map(|line| line.strip_prefix(&format!("| `{command}` | "))?.split('|').nth(1))
    };
    let without: Vec<String> = commands(&Bench::new()).into_iter().filter(|name| user(name).is_none()).collect();
    assert!(without.is_empty(), "{without:?}");
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
    assert!(known.len() > 10, "the script has the commands: {script}");
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
    assert_eq!(page.contains("recover-limit=SECONDS"), shown, "{page}");
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
    bench.run(["catalog", "man", "pages"]).says(0, &["pages"]);
    for command in commands(&bench) {
        let page = bench.path(&format!("pages/atlas-cts-{command}.1"));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        assert!(text.contains(".SH OPTIONS") || text.contains(".SH SYNOPSIS"), "{command}: {text}");
    }
}

/// The lines wider than a terminal, without those that a reader copies whole: commands, and words such as paths.
fn too_wide(text: &str, width: usize) -> Vec<&str> {
    const COPIED: [&str; 5] = ["replay ", "C program ", "failed ", "page ", "atlas-cts run "];
    let copied = |line: &str| COPIED.iter().any(|begin| line.starts_with(begin)) || !line.contains(' ');
    text.lines().filter(|line| line.chars().count() > width && !copied(line.trim_start())).collect()
}

#[rstest]
#[case::narrow(80)]
#[case::wide(200)]
fn everything_printed_is_as_wide_as_the_terminal(#[case] width: usize) {
    let bench = Bench::new();
    let red = "run acl.copy.sync acl.copy.dest-max --product a2 --seed 1 --defect copy.tail-rounded-to-32-above-64KiB";
    let commands = [
        ("run acl.copy.sync acl.copy.dest-max --product a2 --seed 1", 0),
        (red, 1),
        (&format!("{red} -q"), 1),
        (&format!("{red} -v"), 1),
        ("diff latest~3", 0),
        ("history", 0),
        ("list", 0),
        ("list --products", 0),
        ("explain acl.copy.sync-roundtrip", 0),
        ("doctor", 3),
        ("simulator --list", 0),
        ("--help", 0),
        ("run --help-all", 0),
        ("", 2),
        ("run --backend device", 3),
        ("run acl.copy.sinc --product a2", 2),
    ];
    let mut widest = 0;
    for (line, status) in commands {
        let answer = answer(bench.command(line.split_whitespace()).env("COLUMNS", width.to_string()));
        answer.says(status, &[]);
        let wide = too_wide(&answer.text, width);
        assert!(wide.is_empty(), "{line}: {} of {} lines: {wide:#?}", wide.len(), answer.text.lines().count());
        widest = widest.max(answer.text.lines().map(|line| line.chars().count()).max().unwrap_or_default());
    }
    assert!(widest > width - 10, "{widest} of {width} columns are used");
}

/// A program, a list or a page that is redirected keeps its lines.
#[test]
fn the_text_of_a_file_is_never_folded() {
    let bench = Bench::new();
    let words = ["print", "acl.copy.sync-roundtrip", "--product", "a2"];
    let narrow = answer(bench.command(words).env("COLUMNS", "60"));
    assert_eq!(narrow.text, bench.run(words).text);
}

#[rstest]
#[case::fail_fast("run --fail-fast", "--max-fail 1")]
#[case::the_first_failure("run -x", "--max-fail 1")]
#[case::junit("run --junit out.xml", "every run writes junit.xml")]
#[case::timeout("run --timeout 5", "--tune deadline=SECONDS")]
#[case::a_keyword("run -k copy", "atlas-cts run TEXT")]
#[case::a_filter("run --filter=copy", "atlas-cts run TEXT")]
#[case::count("run --count 3", "--repeat N")]
#[case::runs("run --runs 3", "--repeat N")]
#[case::threads("run -j 4", "--jobs N")]
#[case::last_failed("run --lf", "--failed")]
#[case::a_folder("run --output x", "--report-dir DIR")]
#[case::a_list("run --list", "atlas-cts list prints the rules")]
#[case::compare("compare a b", "atlas-cts diff compares two runs")]
#[case::replay("replay", "copy the command in the row `replay`")]
#[case::shrink("shrink", "a run shrinks each failing case")]
#[case::of_authors("lint", "atlas-cts catalog --help")]
#[case::version("version", "atlas-cts --version")]
#[case::rerun("rerun", "atlas-cts run --failed")]
fn a_word_of_another_tool_is_understood(#[case] line: &str, #[case] hint: &str) {
    let answer = Bench::new().run(line.split(' '));
    answer.says(2, &[hint]);
    assert!(!answer.text.contains("similar") && !answer.text.contains("to pass"), "{}", answer.text);
}

#[rstest]
#[case::an_option("run --prodct a2", &["--product"])]
#[case::a_command("doctr", &["doctor"])]
fn a_close_name_is_suggested(#[case] line: &str, #[case] hints: &[&str]) {
    Bench::new().run(line.split(' ')).says(2, hints);
}

#[rstest]
#[case::an_option("run --zebra a2")]
#[case::a_command("zebra")]
fn a_name_that_is_not_close_is_not_suggested(#[case] line: &str) {
    let answer = Bench::new().run(line.split(' '));
    answer.says(2, &["zebra"]);
    assert!(!answer.text.contains("tip:"), "{}", answer.text);
}

#[rstest]
#[case::a_beginning("list acl.copy.sinc", "did you mean `acl.copy.sync…`, as in `acl.copy.sync-")]
#[case::a_rule("run acl.copy.sync-roundtrp", "did you mean `acl.copy.sync-roundtrip`?")]
#[case::a_part_of_one_id("print acl.copy.sync-round", "did you mean `acl.copy.sync-roundtrip`?")]
fn a_misspelled_rule_gets_the_name_of_one(#[case] line: &str, #[case] hint: &str) {
    Bench::new().run(line.split(' ')).says(2, &[hint]);
}
