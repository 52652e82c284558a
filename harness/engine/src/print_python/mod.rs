//! Prints a rule as a stand-alone Python program over the runtime's Python module: the steps of one case.
//!
//! The program exits with 0 if the rule holds, with 1 if a check fails, and with 3 if a set-up fails. Rules with several
//! processes or threads, and calls without a form in the module, are not printed.

mod call;
mod expression;
mod statement;

use std::collections::BTreeSet;
use std::fmt::Write;

use catalog::{Missing, PythonModule, Rule, Rules, Section, short};
use steps::Program;
use steps::program::Readiness;

use crate::case::{Case, CaseError, Scope};
use crate::print_c::Sheet;

/// The functions that the printed steps call.
const PRELUDE: &str = include_str!("prelude.py");

/// The reason why a rule has no program in Python.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PythonError {
    #[error("{runtime} has no Python module (python.yaml); print the rule as C")]
    NoModule { runtime: String },
    #[error("{rule} has several processes or threads; print it as C")]
    Actors { rule: String },
    #[error("{rule}: {what} has no form in Python; print the rule as C")]
    Formless { rule: String, what: String },
    #[error(transparent)]
    Case(#[from] CaseError),
}

/// A part of a program that has no form in Python.
#[derive(Debug)]
struct Formless(String);

/// Prints one program's statements.
struct Printer<'a> {
    rules: &'a Rules,
    module: &'a PythonModule,
    program: &'a Program,
    case: &'a Case,
    scope: &'a Scope,
    out: String,
    depth: usize,
    /// The names of the program's variables in Python.
    names: Vec<String>,
    /// The number of results stored so far.
    results: usize,
    /// The exit status of a failing check.
    status: u8,
    /// True if releases are recorded: in a rule, not in a life cycle.
    holds: bool,
}

/// Prints a rule as a Python program, with the case on the sheet or the smallest one.
///
/// # Errors
/// Fails if the runtime has no Python module, if the rule or a call has no form in Python, or if there is no case.
pub fn print_python(rules: &Rules, rule: &Rule, sheet: &Sheet<'_>) -> Result<String, PythonError> {
    let module = rules.python.as_ref().ok_or_else(|| PythonError::NoModule { runtime: rules.runtime.clone() })?;
    if rule.program.actors.len() > 1 {
        return Err(PythonError::Actors { rule: rule.id.clone() });
    }
    let scope = sheet.scope(rules, rule, &Missing { through: true, ..Missing::default() });
    let cases = &*sheet.cases(&rule.program, &scope)?;
    let body = steps(rules, rule, module, sheet, &scope, cases);
    let body = body.map_err(|Formless(what)| PythonError::Formless { rule: rule.id.clone(), what })?;
    let mut out = head(rules, rule, module, sheet, cases);
    let _ = write!(out, "\n{PRELUDE}\n\nimport {}\n\n\ndef steps():\n{body}\n\nsteps()\n", module.module);
    Ok(out)
}

/// The steps of all cases, with the start-up and tear-down of the process.
fn steps(
    rules: &Rules,
    rule: &Rule,
    module: &PythonModule,
    sheet: &Sheet<'_>,
    scope: &Scope,
    cases: &[Case],
) -> Result<String, Formless> {
    let state = rule.program.processes[0].state;
    let life = rules.life_cycle.of(&sheet.product.id);
    let nothing = Case { values: Vec::new(), salt: 1, tree: None };
    let mut life_cycle = Printer::new(rules, module, &life.program, &nothing, scope);
    life_cycle.names = names(&life.program, "process_");
    let mut section = |section: Section, status: u8| -> Result<String, Formless> {
        let Some(block) = life.block(section) else { return Ok(String::new()) };
        life_cycle.status = status;
        life_cycle.statement(&life.program.statements[block])?;
        Ok(std::mem::take(&mut life_cycle.out))
    };
    let mut body = String::new();
    if state >= Readiness::Init {
        body += &section(Section::InitUp, 3)?;
    }
    if state >= Readiness::Device {
        body += &section(Section::DeviceUp, 3)?;
    }
    let success = rules.environment.results.0.first().map_or(0, |codes| codes.success);
    for case in cases {
        let mut printer = Printer::new(rules, module, &rule.program, case, scope);
        printer.holds = true;
        printer.block(&rule.program.statements)?;
        body += &printer.out;
        let _ = writeln!(body, "    clean_up({success})");
    }
    if state >= Readiness::Device {
        body += &section(Section::DeviceDown, 0)?;
    }
    if state >= Readiness::Init {
        body += &section(Section::InitDown, 0)?;
    }
    Ok(body)
}

/// The comment that describes the program.
fn head(rules: &Rules, rule: &Rule, module: &PythonModule, sheet: &Sheet<'_>, cases: &[Case]) -> String {
    let path = short(&rules.chapters[rule.chapter].path);
    let mut out = format!("# {}: {}\n# {path}:{}\n", rule.id, rule.title, rule.line);
    for source in &rule.sources {
        let _ = writeln!(out, "# Source: {}", source.to_string().replace('\n', " "));
    }
    for case in cases {
        let _ = writeln!(out, "# {}", sheet.case_line(&rule.program, case));
    }
    let _ = writeln!(out, "# Run: python3 <this file>, with the module {} in PYTHONPATH", module.module);
    out
}

/// Words that cannot be names of variables: Python's, and those of the prelude and of the program around the steps.
const TAKEN: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
    "return", "try", "while", "with", "yield", "None", "True", "False", "ctypes", "hashlib", "os", "sys", "memory",
    "held", "deferred", "steps", "range", "abs", "len", "bytes", "print", "map",
];

/// A name in Python for each variable of a program.
fn names(program: &Program, prefix: &str) -> Vec<String> {
    let functions = PRELUDE.lines().filter_map(|line| line.strip_prefix("def ")?.split('(').next());
    let mut taken: BTreeSet<String> = functions.chain(TAKEN.iter().copied()).map(str::to_owned).collect();
    let mut names = Vec::new();
    for variable in program.variables.iter() {
        let mut name = format!("{prefix}{}", variable.name);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

impl<'a> Printer<'a> {
    fn new(
        rules: &'a Rules,
        module: &'a PythonModule,
        program: &'a Program,
        case: &'a Case,
        scope: &'a Scope,
    ) -> Printer<'a> {
        let names = names(program, "");
        Printer {
            rules,
            module,
            program,
            case,
            scope,
            out: String::new(),
            depth: 1,
            names,
            results: 0,
            status: 1,
            holds: false,
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
    }
}

/// A text as a literal in Python.
fn quoted(text: &str) -> String {
    // JSON escapes what Python escapes.
    serde_json::Value::from(text).to_string()
}
