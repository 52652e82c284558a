//! A check that the Python module through which calls are to be made can be used.

use std::path::Path;

use catalog::{PythonModule, Rules};
use engine::doctor::{Examination, Finding, HostMachine, Severity};
use engine::run::{python_command, python_interpreter, set_up_python};
use engine::runtime::Runtime;
use messages::message;
use serde::Deserialize;
use simulator_contract::environment;

use super::surroundings::Surroundings;

/// Imports a module and prints, as JSON, where it is and which functions it lacks. The arguments are the module
/// and the functions.
const PROBE: &str = r#"
import importlib, json, sys
name, functions = sys.argv[1], sys.argv[2:]
sys.path[:1] = []
answer = {"place": "", "lacking": [], "error": ""}
try:
    module = importlib.import_module(name)
    answer["place"] = getattr(module, "__file__", None) or ""
    for function in functions:
        at = module
        for part in function.split("."):
            at = getattr(at, part, None)
        if not callable(at):
            answer["lacking"].append(function)
except BaseException as error:
    answer["error"] = "%s: %s" % (type(error).__name__, error)
print("\n" + json.dumps(answer))
"#;

/// The answer of [`PROBE`].
#[derive(Debug, Deserialize)]
struct Answer {
    place: String,
    lacking: Vec<String>,
    error: String,
}

/// Examines the interpreter and the module if the options name an interface in Python.
pub(super) fn look(
    machine: &HostMachine,
    options: &Surroundings,
    runtime: &Runtime,
    rules: &Rules,
    library: Option<&Path>,
    found: &mut Examination,
) {
    let given = &options.conditions;
    let path = python_interpreter();
    let python = path.display().to_string();
    let set_up = match set_up_python(given, options.tune.deadline, rules, runtime, false) {
        Ok(None) => return,
        Ok(Some(set_up)) => set_up,
        Err(error) => {
            found.looked(message!("look-python"), python, error.to_string());
            let finding =
                Finding::new("python.unusable", Severity::Blocker, message!("python-unusable"), error.to_string());
            return found.find(finding);
        }
    };
    found.looked(message!("look-python"), python, set_up.shown.clone());
    let Some(module) = &rules.python else { return };
    let mut command = python_command(&path);
    command.arg("-c").arg(PROBE).arg(&module.module);
    command.args(module.functions.values().map(|form| form.call.as_str()));
    if let Some(library) = library {
        command.env(environment::LIBRARY, library);
    }
    let answer = machine.ask(&mut command);
    let line = answer.output.lines().last().unwrap_or_default();
    match serde_json::from_str::<Answer>(line) {
        Ok(read) if read.error.is_empty() => report_import(module, &read, found),
        Ok(read) => not_imported(module, read.error, found),
        Err(_) => not_imported(module, answer.said(), found),
    }
}

fn report_import(module: &PythonModule, answer: &Answer, found: &mut Examination) {
    let all = module.functions.len();
    let said = message!("python-functions", offered = all - answer.lacking.len(), all = all);
    found.looked(message!("look-module"), answer.place.clone(), said);
    if !answer.lacking.is_empty() {
        let title = message!("python-lacks", module = module.module.as_str(), count = answer.lacking.len());
        let finding = Finding::new("python.lacks", Severity::Note, title, message!("python-lacks-next"));
        found.find(finding.seen_all(answer.lacking.iter().map(|name| format!("{}.{name}", module.module))));
    }
}

fn not_imported(module: &PythonModule, said: String, found: &mut Examination) {
    found.looked(message!("look-module"), module.module.clone(), said.clone());
    let title = message!("python-not-imported", module = module.module.as_str());
    let next = message!("python-not-imported-next");
    found.find(Finding::new("python.not-imported", Severity::Blocker, title, next).seen_all([said]));
}
