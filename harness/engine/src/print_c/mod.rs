//! A rule as a stand-alone C program: what its steps do in one case, with nothing of the suite but a few macros.
//!
//! A rule of one process and one thread prints as a program that runs: it exits with 0 when the rule holds, and with 1
//! and the line of the statement when it does not. With several actors the program only compiles: the statements of all
//! actors stand one after the other, each with its actor's name.

mod calls;
mod case;
mod expression;
mod release;
mod statement;
mod text;
mod visit;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use crate::case::{CaseError, Scope, Value, display_values};
use crate::catalog::{LifeCycleProgram, Product, Rule, Rules, Section, left_out, short};

use steps::program::{Program, State};
use steps::types::is_address;
use visit::Reads;

const PRELUDE: &str = include_str!("prelude.h");
/// What is added to it where calls say success with different values.
const OTHER_RESULTS: &str = include_str!("results.h");
/// What is added to it where the steps have gates.
const GATES: &str = include_str!("gates.h");

/// What a program is printed for.
#[derive(Debug, Clone)]
pub struct Sheet<'a> {
    pub product: &'a Product,
    /// Number of devices.
    pub devices: u32,
    /// The values of the axes, in their order; `None`: the smallest case.
    pub values: Option<&'a [Value]>,
    /// Makes the patterns of the case its own.
    pub salt: u64,
}

/// Whether the printed program of a rule does what the suite does: one process, one thread.
pub fn runs_as_program(rule: &Rule) -> bool {
    rule.program.actors.len() == 1
}

/// Prints a rule as C. The error says why the rule has no case for this product.
pub fn print_c(rules: &Rules, rule: &Rule, sheet: &Sheet<'_>) -> Result<String, CaseError> {
    let program = &rule.program;
    let left_out = left_out(rule, &sheet.product.id, &BTreeSet::new(), rules);
    let scope = Scope { left_out, ..Scope::new(sheet.product.facts.clone(), sheet.devices) };
    let values = match sheet.values {
        Some(values) => values.to_vec(),
        None => case::smallest(program, &scope)?,
    };
    let mut printer = Printer::new(rules, program);
    printer.runnable = runs_as_program(rule);
    printer.block(&program.syntax, &program.statements);
    printer.observations(rule);
    let life = rules.life_cycle.of(&sheet.product.id);
    let (set_up, tear_down, hoisted) = life_cycle(rules, life, program);

    let mut out = head(rules, rule, sheet, &values);
    let _ = write!(out, "\n{PRELUDE}\n");
    let mut answers = program.results.iter().chain(&life.program.results);
    if answers.any(|of| of.is_some_and(|of| of > 0)) {
        let _ = writeln!(out, "{OTHER_RESULTS}");
    }
    if printer.reads.gates {
        let _ = writeln!(out, "{GATES}");
    }
    for line in printer.wrappers() {
        let _ = writeln!(out, "{line}");
    }
    if let Some(device) = device(life, program) {
        let _ = writeln!(out, "\nstatic const int device = {device};");
    }
    for line in &hoisted {
        let _ = writeln!(out, "static {}", line.trim());
    }
    let _ = write!(out, "\nstatic void set_up(void)\n{{\n{set_up}}}\n\nstatic void steps(void)\n{{\n");
    for line in printer.constants(sheet, &scope, &values) {
        let _ = writeln!(out, "    {line}");
    }
    let _ = writeln!(out, "\n{}}}", printer.out);
    let _ = write!(
        out,
        "\n/* What the tear-down answers is not judged: the process ends. */\nstatic void tear_down(void)\n{{\n{tear_down}}}\n\
         \nint main(void)\n{{\n    set_up();\n    steps();\n    release_all();\n    tear_down();\n    return finish();\n}}\n"
    );
    Ok(out)
}

/// The comment that says what the program is, and what it needs.
fn head(rules: &Rules, rule: &Rule, sheet: &Sheet<'_>, values: &[Value]) -> String {
    const WIDTH: usize = 110;
    let path = short(&rules.chapters[rule.chapter].path);
    let mut lines = vec![format!("{}: {}", rule.id, rule.title), format!("{path}:{}", rule.line), String::new()];
    lines.extend(text::wrapped(&rule.statement, WIDTH));
    lines.push(String::new());
    for source in &rule.sources {
        lines.extend(text::wrapped(&format!("Source: {source}"), WIDTH));
    }
    if let Some(doubt) = &rule.doubt {
        lines.extend(text::wrapped(&format!("Doubt: {doubt}"), WIDTH));
    }
    if rule.hazard.is_some() {
        lines.push("Hazard: the documents leave the result undefined.".to_owned());
    }
    let case: Vec<String> =
        display_values(&rule.program, values).iter().map(|(name, value)| format!("{name} = {value}")).collect();
    lines.extend(text::wrapped(&format!("Product: {}. Case: {}", sheet.product.name, case.join(", ")), WIDTH));
    let threads = if Reads::of(&rule.program).gates { " -pthread" } else { "" };
    let libraries = linked(rules, rule);
    lines.push(format!("Compile: gcc -std=c11{threads} -I specs/{} <this file>{libraries}", rules.runtime));
    if !runs_as_program(rule) {
        let actors: Vec<String> = rule.program.actors.iter().map(|actor| actor.name.clone()).collect();
        let message = format!(
            "For reading only: the actors {} are processes or threads of their own. The name of a variable starts with \
             that of its actor.",
            actors.join(", ")
        );
        lines.extend(text::wrapped(&message, WIDTH));
    }
    let mut out = String::from("/*\n");
    for line in lines {
        let _ = writeln!(out, "{}", format!(" * {}", line.replace("*/", "* /")).trim_end());
    }
    let _ = write!(
        out,
        " */\n\n#define _POSIX_C_SOURCE 200809L\n\n#include <stdint.h>\n\n#include \"{}\"\n\n#define SUCCESS {}\n#define SALT \
         UINT64_C({:#x})\n",
        rules.header,
        rules.environment.results.0.first().map_or("0", |codes| codes.success_name.as_str()),
        sheet.salt
    );
    out
}

/// The libraries that the program is linked with: the first one, and those whose functions the rule needs.
fn linked(rules: &Rules, rule: &Rule) -> String {
    let needed: HashSet<usize> = rules.needed(rule).map(|function| rules.libraries.home(function.name)).collect();
    let libraries = rules.libraries.all().iter().enumerate();
    let libraries = libraries.filter(|(position, _)| *position == 0 || needed.contains(position));
    let name = |names: &[String]| {
        let name = names.first().map_or("", String::as_str);
        format!(" -l{}", name.trim_start_matches("lib").trim_end_matches(".so"))
    };
    libraries.map(|(_, library)| name(&library.names)).collect()
}

/// The number of the first process's device, where the life cycle reads it.
fn device(life: &LifeCycleProgram, program: &Program) -> Option<u32> {
    let process = &program.processes[0];
    (process.state >= State::Device && Reads::of(&life.program).own_device).then_some(process.device)
}

/// The life cycle of the first process: set-up, tear-down, and the variables of both.
fn life_cycle(rules: &Rules, life: &LifeCycleProgram, program: &Program) -> (String, String, Vec<String>) {
    let mut printer = Printer::new(rules, &life.program);
    printer.hoisted = Some(Vec::new());
    let state = program.processes[0].state;
    let mut section = |section: Section, needed: State, judged: bool| {
        let Some(block) = life.block(section).filter(|_| state >= needed) else { return String::new() };
        printer.judged = judged;
        printer.cursor = life.program.statements[block].span.start;
        printer.statement(&life.program.syntax[block], &life.program.statements[block]);
        std::mem::take(&mut printer.out)
    };
    let set_up = [section(Section::InitUp, State::Init, true), section(Section::DeviceUp, State::Device, true)];
    let tear_down =
        [section(Section::DeviceDown, State::Device, false), section(Section::InitDown, State::Init, false)];
    (set_up.concat(), tear_down.concat(), printer.hoisted.unwrap_or_default())
}

/// The text of a program that is being printed.
struct Printer<'a> {
    rules: &'a Rules,
    program: &'a Program,
    source: &'a str,
    reads: Reads,
    out: String,
    depth: usize,
    /// Variables whose declaration is printed.
    declared: HashSet<usize>,
    loops: Vec<String>,
    /// The actor whose statement is being printed.
    actor: usize,
    /// Comments before this place of the source are printed.
    cursor: usize,
    /// Statements for the end of the steps with their actors.
    deferred: Vec<(usize, String)>,
    /// Declarations of flags for those that stand in a block, and of arguments that are kept.
    flags: Vec<String>,
    /// Arguments that are kept in a variable, by their place in the source.
    kept: HashMap<usize, String>,
    /// Ways of releasing what the steps acquire, each with the position of a resource.
    releases: BTreeMap<String, usize>,
    runnable: bool,
    /// Bare calls must succeed.
    judged: bool,
    /// Declarations that are printed outside of any function.
    hoisted: Option<Vec<String>>,
}

impl<'a> Printer<'a> {
    fn new(rules: &'a Rules, program: &'a Program) -> Printer<'a> {
        Printer {
            rules,
            program,
            source: &program.source,
            reads: Reads::of(program),
            out: String::new(),
            depth: 1,
            declared: HashSet::new(),
            loops: Vec::new(),
            actor: 0,
            cursor: 0,
            deferred: Vec::new(),
            flags: Vec::new(),
            kept: HashMap::new(),
            releases: BTreeMap::new(),
            runnable: false,
            judged: true,
            hoisted: None,
        }
    }

    fn line(&mut self, text: &str) {
        let indentation = "    ".repeat(self.depth);
        let several =
            self.program.actors.len() > 1 && !text.ends_with(['{', '}']) && !text.starts_with("/*") && text != "break;";
        let actor = if several { format!("/* {} */ ", self.program.actors[self.actor].name) } else { String::new() };
        let _ = writeln!(self.out, "{indentation}{actor}{text}");
    }

    fn indented(&mut self, text: &str) {
        self.depth += 1;
        self.line(text);
        self.depth -= 1;
    }

    fn observations(&mut self, rule: &'a Rule) {
        self.actor = 0;
        self.kept.clear();
        let observed = self.program.observe.iter().zip(&self.program.observe_syntax);
        for ((name, source), ((_, _, ty), tree)) in rule.source.observe.iter().zip(observed) {
            let kept = std::mem::replace(&mut self.source, &source.value);
            let text = self.expression(tree);
            self.source = kept;
            let observe = if is_address(*ty) { "OBSERVE_TEXT" } else { "OBSERVE" };
            self.line(&format!("{observe}(\"{name}\", {text});"));
        }
        if self.reads.gates {
            self.line("open_gates();");
        }
        for (actor, deferred) in std::mem::take(&mut self.deferred).iter().rev() {
            self.actor = *actor;
            self.line(deferred);
        }
    }

    /// The functions by which the program releases what it acquired.
    fn wrappers(&self) -> Vec<String> {
        self.releases.values().flat_map(|index| self.way(&self.rules.resources[*index]).functions()).collect()
    }

    /// The case: the product's quantities, the number of devices, the axes.
    fn constants(&self, sheet: &Sheet<'_>, scope: &Scope, values: &[Value]) -> Vec<String> {
        let mut lines = Vec::new();
        let facts = &self.reads.facts;
        if !facts.is_empty() {
            let members: Vec<String> = facts.iter().map(|name| format!("size_t {name};")).collect();
            let quantity = |name: &String| text::number(scope.facts.get(name).copied().unwrap_or(0));
            let values: Vec<String> = facts.iter().map(|name| format!(".{name} = {}", quantity(name))).collect();
            lines.push(format!("static const struct {{ {} }} product = {{{}}};", members.join(" "), values.join(", ")));
        }
        if self.reads.devices {
            lines.push(format!("static const size_t devices = {};", sheet.devices));
        }
        lines.extend(self.axes(values));
        lines.extend(self.flags.iter().cloned());
        lines
    }
}
