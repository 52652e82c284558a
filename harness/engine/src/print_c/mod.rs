//! Prints a rule as a stand-alone C program: the steps of one case and the prelude functions that they call.
//!
//! The program exits with 0 if the rule holds. If a statement fails, the program prints its line and exits with 1.
//! If a set-up statement fails, the result is unknown and the program exits with 3. The library runs in a separate
//! process, or in several: for a rule with several processes and threads, the program forks and starts them, and
//! passes the turn between them as the suite does.

mod actors;
mod calls;
mod case;
mod expression;
mod hooks;
mod life_cycle;
mod prelude;
mod printer;
mod release;
mod statement;
mod text;
mod together;
mod visit;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use crate::case::{Case, CaseError, Scope, display_values};
use catalog::{Missing, Product, Rule, Rules, RuntimeLibrary, left_out, short};

use life_cycle::LifeCycleText;
use printer::Printer;
use steps::evaluate::LEAST_PATIENCE;
use steps::types::is_address;
use steps::{ActorId, Program, StatementId, syntax_of_expression};

/// The default time, in seconds, after which a process in a program counts as hung.
pub const DEADLINE: u64 = 60;

/// The time, in seconds, after which a process counts as hung in a program for a failure. This time is longer than the
/// run's deadline for a call and longer than a rule's waits.
pub fn deadline_of(deadline: u64, patience: u32) -> u64 {
    (DEADLINE * u64::from(patience) / u64::from(LEAST_PATIENCE)).max(2 * deadline)
}

/// The file with a program's prelude, if the prelude is separate.
pub const PRELUDE: &str = "prelude.h";

/// The macro with which a program includes the vendor's headers instead of the catalog's.
pub const VENDOR_HEADERS: &str = "VENDOR_HEADERS";

/// Settings for printing a program.
#[derive(Debug, Clone)]
pub struct Sheet<'a> {
    pub product: &'a Product,
    /// The number of devices.
    pub devices: u32,
    /// The duration of a wait that should succeed, in milliseconds.
    pub patience: u32,
    /// The devices visible to the program's processes, by the machine's numbers. Empty for all devices.
    pub visible: &'a [String],
    /// The cases to run, in order, in the same processes. If this list is empty, the smallest case runs.
    pub cases: &'a [Case],
    /// The ids of statements whose checks are only reported.
    pub observed: &'a [StatementId],
    /// The time, in seconds, after which a process counts as hung.
    pub deadline: u64,
    /// The separate file for the prelude. With such a file, the rule's statement and sources are also printed
    /// elsewhere. `None` for a single self-contained file.
    pub prelude: Option<&'static str>,
}

/// A program in C.
#[derive(Debug, Clone)]
pub struct Printed {
    pub program: String,
    /// The prelude, if it is a separate file.
    pub prelude: Option<String>,
}

impl<'a> Sheet<'a> {
    /// Creates a sheet for a rule's smallest case on a product.
    pub fn new(product: &'a Product, devices: u32) -> Sheet<'a> {
        Sheet {
            product,
            devices,
            patience: LEAST_PATIENCE,
            visible: &[],
            cases: &[],
            observed: &[],
            deadline: DEADLINE,
            prelude: None,
        }
    }

    /// The scope of a rule's cases.
    pub(crate) fn scope(&self, rules: &Rules, rule: &Rule, missing: &Missing) -> Scope {
        let left_out = left_out(rule, &self.product.id, missing, rules);
        Scope { left_out, ..Scope::new(self.product.facts.clone(), self.devices).with_patience(self.patience) }
    }

    /// The cases to run: those on the sheet, or else the smallest case.
    pub(crate) fn cases(&self, program: &Program, scope: &Scope) -> Result<Cow<'a, [Case]>, CaseError> {
        Ok(match self.cases {
            [] => vec![Case { values: case::smallest(program, scope)?, salt: 1, tree: None }].into(),
            cases => cases.into(),
        })
    }

    /// The line that describes a case.
    pub(crate) fn case_line(&self, program: &Program, case: &Case) -> String {
        let values = display_values(program, &case.values);
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let values = if values.is_empty() { "no values".to_owned() } else { values.join(", ") };
        format!("Product: {}. Case: {values}", self.product.name)
    }
}

/// Prints a rule as C in a single file. The error gives the reason why the rule has no case for this product.
pub fn print_c(rules: &Rules, rule: &Rule, sheet: &Sheet<'_>) -> Result<String, CaseError> {
    print_in_parts(rules, rule, &Sheet { prelude: None, ..*sheet }).map(|printed| printed.program)
}

/// Prints a rule as C, with its prelude as the sheet specifies. The error gives the reason why the rule has no case
/// for this product.
pub fn print_in_parts(rules: &Rules, rule: &Rule, sheet: &Sheet<'_>) -> Result<Printed, CaseError> {
    let program = &rule.program;
    let scope = sheet.scope(rules, rule, &Missing::default());
    let cases = &*sheet.cases(program, &scope)?;
    let mut printer = Printer::of_steps(rules, rule, sheet, cases, true);
    if printer.tangled {
        printer = Printer::of_steps(rules, rule, sheet, cases, false);
    }
    let steps = printer.out.clone();
    let life = LifeCycleText::of(rules, &sheet.product.id, program);
    let mut body = printer.hooks(&steps);
    body += &printer.wrappers().concat();
    body += &printer.variables(&steps);
    body += &life.declarations;
    let constants = printer.constants(sheet, &scope, &steps);
    body += &printer.main(&life, &format!("{constants}{steps}"), sheet.visible);
    let body = text::mark_unread(&body);

    let own = if program.actors.len() > 1 { BTreeSet::new() } else { printer.names() };
    let prelude = prelude::needed(&body, &own);
    let mut out = head(rules, rule, sheet, cases);
    for header in prelude::headers(&format!("{prelude}{body}")) {
        let _ = writeln!(out, "#include <{header}>");
    }
    out += &definitions(rules, rule, sheet, cases);
    out += &printer.actors(&prelude, &body);
    let Some(file) = sheet.prelude else {
        let _ = write!(out, "\n{prelude}\n{body}");
        return Ok(Printed { program: out, prelude: None });
    };
    let _ = write!(out, "#include \"{file}\"\n\n{body}");
    let about =
        format!("/* The parts of the prelude that {} needs; they use what is included before them. */\n\n", rule.id);
    Ok(Printed { program: out, prelude: Some(about + &prelude) })
}

/// The comment that describes the program and what it requires.
fn head(rules: &Rules, rule: &Rule, sheet: &Sheet<'_>, cases: &[Case]) -> String {
    const WIDTH: usize = 110;
    let path = short(&rules.chapters[rule.chapter].path);
    let mut lines = vec![format!("{}: {}", rule.id, rule.title)];
    if sheet.prelude.is_none() {
        lines.push(format!("{path}:{}", rule.line));
        lines.push(String::new());
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
    }
    let capabilities: Vec<String> = rule.capabilities(rules).collect();
    if !capabilities.is_empty() {
        lines.extend(text::wrapped(&format!("Applies if {}.", capabilities.join(", and ")), WIDTH));
    }
    for case in cases {
        lines.extend(text::wrapped(&sheet.case_line(&rule.program, case), WIDTH));
    }
    if sheet.prelude.is_none() {
        let libraries = linked(rules, rule, |library| library.names.first().cloned());
        lines.push(format!("Compile: gcc -std=c11 -pthread -I specs/{} <this file>{libraries}", rules.runtime));
        if !vendor_headers(rules, rule).is_empty() {
            lines.push(format!("With the vendor's headers: -D{VENDOR_HEADERS}, and their folder after -I"));
        }
    }
    let mut out = String::from("/*\n");
    for line in lines {
        let _ = writeln!(out, "{}", format!(" * {}", line.replace("*/", "* /")).trim_end());
    }
    let _ = write!(
        out,
        " */\n\n#define _DEFAULT_SOURCE\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         #include <string.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
    );
    out
}

/// The runtime's header, and the definitions that the prelude needs.
fn definitions(rules: &Rules, rule: &Rule, sheet: &Sheet<'_>, cases: &[Case]) -> String {
    let own = format!("#include \"{}\"\n", rules.header);
    let vendor: String = vendor_headers(rules, rule).iter().map(|header| format!("#include <{header}>\n")).collect();
    let mut out = match vendor.is_empty() {
        true => format!("{own}\n"),
        false => format!("#ifdef {VENDOR_HEADERS}\n{vendor}#else\n{own}#endif\n\n"),
    };
    let success = rules.environment.results.0.first().map_or("0", |codes| codes.success_name.as_str());
    let _ = writeln!(out, "#define SUCCESS {success}");
    let salts: Vec<String> = cases.iter().map(|case| format!("UINT64_C({:#x})", case.salt)).collect();
    match salts.as_slice() {
        [salt] => {
            let _ = writeln!(out, "#define SALT {salt}");
        }
        salts => {
            let _ = writeln!(out, "static _Thread_local int run; /* the running case */");
            let _ = writeln!(out, "#define SALT (((const uint64_t[]){{{}}})[run])", salts.join(", "));
        }
    }
    let _ = writeln!(out, "enum {{ HOLDS = 42, ENDS = 43, DEADLINE = {} /* seconds */ }};", sheet.deadline);
    out
}

/// The libraries that a rule's program needs: the first library, and those whose functions the rule needs.
pub fn libraries<'a>(rules: &'a Rules, rule: &'a Rule) -> Vec<&'a RuntimeLibrary> {
    rules.libraries.needed(rules.needed(rule).map(|function| function.name))
}

/// The vendor's headers of the libraries that a rule's program needs.
pub fn vendor_headers<'a>(rules: &'a Rules, rule: &'a Rule) -> Vec<&'a str> {
    let mut headers: Vec<&str> = Vec::new();
    for header in libraries(rules, rule).into_iter().flat_map(|library| &library.headers) {
        if !headers.contains(&header.as_str()) {
            headers.push(header);
        }
    }
    headers
}

/// The linker options for the libraries that a rule's program needs, each by a name of its file: ` -lNAME`, or
/// ` -l:FILE` if the linker makes another name from it.
pub fn linked(rules: &Rules, rule: &Rule, file: impl Fn(&RuntimeLibrary) -> Option<String>) -> String {
    let option = |library: &RuntimeLibrary| {
        let file = file(library).unwrap_or_default();
        match file.strip_prefix("lib").and_then(|name| name.strip_suffix(".so")) {
            Some(name) => format!(" -l{name}"),
            None => format!(" -l:{file}"),
        }
    };
    libraries(rules, rule).into_iter().map(option).collect()
}

impl<'a> Printer<'a> {
    /// Prints a rule's steps. `plain` omits the list of held resources if the text determines them.
    fn of_steps(rules: &'a Rules, rule: &'a Rule, sheet: &Sheet<'a>, cases: &'a [Case], plain: bool) -> Printer<'a> {
        let mut printer = Printer::new(rules, &rule.program, cases);
        printer.observed = sheet.observed;
        printer.runnable = true;
        printer.plain = plain;
        printer.block(&printer.syntax(), &rule.program.statements);
        printer.observations(rule);
        printer.end_of_case();
        printer
    }

    fn observations(&mut self, rule: &'a Rule) {
        self.actor = ActorId::DEFAULT;
        self.kept.clear();
        if self.program.observe.is_empty() {
            return;
        }
        let alone = self.turn.is_some();
        if !alone {
            self.line("pass_turn();");
            self.open_turn(ActorId::DEFAULT);
        }
        for ((name, source), (_, _, ty)) in rule.texts.observe.iter().zip(&self.program.observe) {
            let tree = syntax_of_expression(source, self.program, &self.rules.environment);
            let kept = std::mem::replace(&mut self.source, source);
            let text = self.expression(&tree.expect("the observation was parsed when the rule was checked"));
            self.source = kept;
            let observe = if is_address(*ty) { "OBSERVE_TEXT" } else { "OBSERVE" };
            self.line(&format!("{observe}(\"{name}\", {text});"));
        }
        if !alone {
            self.close_turn();
        }
    }

    /// The functions that the program uses to release its resources.
    fn wrappers(&self) -> Vec<String> {
        self.releases.values().flat_map(|index| self.way(&self.rules.resources[*index]).functions()).collect()
    }

    /// The constants that the text uses: the product's quantities, the number of devices, and the axes.
    fn constants(&self, sheet: &Sheet<'_>, scope: &Scope, text: &str) -> String {
        let read: HashSet<&str> = prelude::words(text).collect();
        let several = self.program.actors.len() > 1;
        let mut lines = Vec::new();
        let facts = self.reads.facts.iter().filter(|name| text.contains(&format!("product.{name}")));
        let facts: Vec<&String> = facts.collect();
        if !facts.is_empty() && read.contains("product") {
            let members: Vec<String> = facts.iter().map(|name| format!("size_t {name};")).collect();
            let quantity = |name: &&String| text::number(scope.facts.get(*name).copied().unwrap_or(0));
            let values: Vec<String> = facts.iter().map(|name| format!(".{name} = {}", quantity(name))).collect();
            lines.push(format!("static const struct {{ {} }} product = {{{}}};", members.join(" "), values.join(", ")));
        }
        if self.reads.devices && read.contains("devices") {
            lines.push(format!("static const size_t devices = {};", sheet.devices));
        }
        if self.reads.patience && read.contains("patience") {
            lines.push(format!(
                "static const int patience = {}; /* milliseconds: longer on a slower machine */",
                sheet.patience
            ));
        }
        lines.extend(self.axes(&read));
        lines.extend(self.flags.iter().map(|flag| match several {
            true => format!("static {flag}"),
            false => flag.clone(),
        }));
        lines.iter().map(|line| format!("    {line}\n")).collect()
    }

    /// The end of every case: opens gates, checks guards, makes deferred calls and releases resources.
    fn end_of_case(&mut self) {
        let printed = self.out.clone();
        let words: HashSet<&str> = prelude::words(&printed).collect();
        let mut all = Vec::new();
        if self.reads.gates {
            all.push("open_gates();".to_owned());
        }
        if words.contains("host") {
            all.push("check_guards();".to_owned());
        }
        let deferred = std::mem::take(&mut self.deferred);
        if self.program.actors.len() > 1 {
            return self.end_of_case_in_turn(&all, &deferred);
        }
        all.extend(deferred.into_iter().rev().map(|(_, call)| call));
        all.extend(self.releasing().into_iter().map(|(_, call)| call));
        if !self.releases.is_empty() {
            all.push("release_all();".to_owned());
        }
        all.iter().for_each(|line| self.line(line));
    }

    /// The `main` function, and the function that the processes run.
    fn main(&self, life: &LifeCycleText, steps: &str, visible: &[String]) -> String {
        let several = self.program.actors.len() > 1;
        let state = self.program.processes[0].state;
        let files = if prelude::words(steps).any(|word| word == "file") { "    remove_files();\n" } else { "" };
        let run = if several { "run_together()" } else { "run_alone(program)" };
        let mut set: Vec<String> =
            self.rules.variables.iter().map(|(name, value)| format!("setenv(\"{name}\", \"{value}\", 0);")).collect();
        if let Some(variable) = self.rules.visible.as_ref().filter(|_| can_be_shown(visible)) {
            let devices = visible.join(",");
            set.push(format!(
                "setenv(\"{variable}\", \"{devices}\", 1); /* the device of the failure, by its number on the machine */"
            ));
        }
        let main = match set.as_slice() {
            [] => format!("int main(void) {{ return {run}; }}\n"),
            set => {
                let lines: String = set.iter().map(|line| format!("    {line}\n")).collect();
                format!("int main(void)\n{{\n{lines}    return {run};\n}}\n")
            }
        };
        let cases = self.cases.len();
        if let ([_], false) = (self.cases, several) {
            let (up, down) = (life.up(state), life.down(state));
            let sights = self.sights(visible);
            return format!("\nstatic void program(void) {{\n{sights}{up}{steps}{files}{down}}}\n\n{main}");
        }
        let (up, down) = if several { self.life_in_turn(life) } else { (life.up(state), life.down(state)) };
        let sights = self.sights(visible);
        let run = match (cases, several) {
            (1, _) => "    steps();\n".to_owned(),
            (_, true) => format!("    for (run = 0; run < {cases}; run++)\n        steps();\n"),
            (_, false) => {
                let restore = life.restore(state);
                format!("    for (run = 0; run < {cases}; run++) {{\n    steps();\n{restore}    }}\n")
            }
        };
        format!(
            "\n{}static void steps(void) {{\n{steps}}}\n\nstatic void program(void) {{\n{sights}{up}{run}{files}{down}}}\n\n{main}",
            if several { life.functions() } else { String::new() }
        )
    }
}

/// True if a program can name the devices. In a journal from another machine, device names may be any text.
pub fn can_be_shown(devices: &[String]) -> bool {
    let plain = |name: &String| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        (1..=64).contains(&name.len()) && name.bytes().all(fits)
    };
    !devices.is_empty() && devices.iter().all(plain)
}
