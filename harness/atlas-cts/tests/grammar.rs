//! A round trip of the grammar of steps: every rule of the catalog, printed from its syntax tree, parses to the same
//! tree.

use steps::print::{parsed_again, steps_text};
use steps::syntax_of;

use crate::support::catalog;

#[test]
fn every_rule_prints_as_it_was_read() {
    let rules = catalog();
    assert!(rules.rules.len() > 500, "{}", rules.rules.len());
    for rule in &rules.rules {
        let syntax = syntax_of(&rule.program, &rules.environment).unwrap();
        let text = steps_text(&syntax);
        let again = parsed_again(&rule.program, &rules.environment);
        let again = again.unwrap_or_else(|error| panic!("{}: {}\n{text}", rule.id, error.message));
        assert!(again == syntax, "{} means something else:\n{text}", rule.id);
    }
}

/// The grammar names every word that begins a statement, and every operator.
#[test]
fn the_grammar_has_all_words_of_the_parser() {
    let grammar = include_str!("../../steps/GRAMMAR.md");
    let words =
        "for if else choose control setup defer refuse until unless exit kill given fails usually in sizeof const";
    let signs = "[info] --- || && | ^ & == != < <= > >= << >> + - * / % ! ~ = += -= ^= |= &= ? : . [ ] ( ) { } ; ,";
    for terminal in words.split(' ').chain(signs.split(' ')) {
        assert!(grammar.contains(&format!("\"{terminal}\"")), "GRAMMAR.md has no \"{terminal}\"");
    }
}
