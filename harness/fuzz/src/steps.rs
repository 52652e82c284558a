//! The target `steps`: reads a rule's texts, and returns a program that prints as it was read, or problems with their
//! places.
//!
//! An input consists of lines for the rule's other texts, followed by the steps. The lines are `@actors …`, `@where …`,
//! `@observe …`, and `@axis NAME KIND=VALUE; KEY=VALUE` for each axis. Lists are written as `one_of=1 | 2`, and items
//! as `list_of.int=0..9`.

use steps::domain::{Choices, DomainSource};
use steps::print::{parsed_again, steps_text};
use steps::{Id, Problem, Program, RulePart, RuleText, check, syntax_of};

use crate::{program, toy};

/// Texts that have a meaning in steps but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "@axis a every=0..3\n",
    "@axis b list_of.int=0..9; length=0..3\n",
    "@axis c permutation=1..4\n",
    "@axis d offset=9; multiple_of=3\n",
    "@where ",
    "@observe ",
    "@actors A: process(device 0); B: process(device 0);\n",
    "for (i < 9) { ",
    "for (j < 9) { ",
    "if (i == 1) { ",
    "} else { ",
    "choose { one: ",
    " other: ",
    "control { ",
    "refuse ",
    " unless { ",
    "defer ",
    "fails misuse",
    "fails, usually misuse",
    "sizeof(toyInfo)",
    "(char *)",
    "holds(p, p, 1, p);",
    "text_matches(\"a\", \"*a*\");",
    "\"*a*\"",
    "\n---\n",
    "[info] ",
    "\\0",
    "0x",
];

/// Checks that problems are inside their texts, and that accepted programs can be run.
pub fn law(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let texts = Texts::read(text);
    let rule = RuleText {
        actors: texts.actors,
        axes: texts.axes.iter().map(|(name, source)| (*name, source)).collect(),
        condition: texts.condition,
        steps: texts.steps,
        observe: texts.observe.clone(),
        life_cycle: false,
    };
    match check(&rule, &toy::rules().environment) {
        Ok(program) => {
            // A catalog also rejects a program that exceeds the limits on some product.
            let problems = program.excess(&toy::scope());
            problems.iter().for_each(|problem| texts.problem_lies_inside(problem));
            if problems.is_empty() {
                program::holds(&program, &toy::scope());
                prints_as_it_was_read(&program);
            }
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "steps are rejected without a problem: {text}");
            problems.iter().for_each(|problem| texts.problem_lies_inside(problem));
        }
    }
}

/// Checks that printing and parsing give the same steps.
fn prints_as_it_was_read(program: &Program) {
    let environment = &toy::rules().environment;
    let syntax = syntax_of(program, environment).expect("the steps were parsed when they were checked");
    match parsed_again(program, environment) {
        Ok(again) => assert!(again == syntax, "printed steps have a different meaning: {}", steps_text(&syntax)),
        Err(error) => panic!("printed steps cannot be read: {}\n{}", error.message, steps_text(&syntax)),
    }
}

#[derive(Default)]
struct Texts<'a> {
    actors: Option<&'a str>,
    axes: Vec<(&'a str, DomainSource)>,
    condition: Option<&'a str>,
    steps: &'a str,
    observe: Vec<(&'a str, &'a str)>,
}

impl<'a> Texts<'a> {
    fn read(text: &'a str) -> Texts<'a> {
        let mut texts = Texts { steps: text, ..Texts::default() };
        while let Some((kind, rest)) = texts.steps.strip_prefix('@').and_then(|line| line.split_once(' ')) {
            let (line, steps) = rest.split_once('\n').unwrap_or((rest, ""));
            texts.steps = steps;
            match (kind, line.split_once(' ')) {
                ("actors", _) => texts.actors = Some(line),
                ("where", _) => texts.condition = Some(line),
                ("observe", _) => texts.observe.push(("seen", line)),
                ("axis", Some((name, domain))) => texts.axes.push((name, read_domain(domain))),
                _ => {}
            }
        }
        texts
    }

    fn problem_lies_inside(&self, problem: &Problem) {
        let Problem { part, span, message } = problem;
        assert!(!message.is_empty(), "a problem has no message: {part:?}");
        let text = match part {
            RulePart::Steps => self.steps,
            RulePart::Actors => self.actors.unwrap_or_default(),
            RulePart::Where => self.condition.unwrap_or_default(),
            RulePart::Observe(index) => self.observe[*index].1,
            // An axis has several texts; the catalog adds its name.
            RulePart::Axis(id) => {
                return assert!(id.index() < self.axes.len(), "a problem names an unknown axis: {message}");
            }
        };
        assert!(
            span.start <= span.end && span.start <= text.len() && span.end <= text.len() + 1,
            "a problem is outside its text: {span:?} in {} bytes, {message}",
            text.len()
        );
    }
}

fn read_domain(text: &str) -> DomainSource {
    let mut domain = DomainSource::default();
    for entry in text.split(';') {
        let (key, value) = entry.split_once('=').unwrap_or((entry, ""));
        match key.trim().strip_prefix("list_of.") {
            Some(key) => set(domain.list_of.get_or_insert_default(), key, value.trim()),
            None => set(&mut domain, key.trim(), value.trim()),
        }
    }
    domain
}

fn set(domain: &mut DomainSource, key: &str, value: &str) {
    let one = || Some(value.to_owned());
    let several = || value.split('|').map(|value| value.trim().to_owned()).collect::<Vec<_>>();
    match key {
        "bytes" => domain.bytes = one(),
        "int" => domain.int = one(),
        "one_of" => domain.one_of = Some(several()),
        "every" => domain.every = Some(Choices(several())),
        "text" => domain.text = Some(several()),
        "offset" => domain.offset = one(),
        "length" => domain.length = one(),
        "permutation" => domain.permutation = one(),
        "length_of" => domain.length_of = one(),
        "index_of" => domain.index_of = one(),
        "device" => domain.device = one(),
        "multiple_of" => domain.multiple_of = one(),
        _ => {}
    }
}
