//! `atlas-cts` without a command: the next command to type on this machine.

use std::path::Path;

use atlas_cts::choice::named_or_installed;
use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, say};
use engine::run::{CatalogOptions, ExitStatus, installed_library, load_rules, read_named, runs_folder};
use ledger::causes::rule_to_read;
use ledger::report::pad;
use messages::message;
use record::Meaning;

/// The width of a label, in columns.
const LABEL: usize = 14;

/// Prints the state of this machine and the commands to try next. The exit status reports a missing command.
pub(crate) fn welcome() -> Result<ExitStatus, CommandError> {
    let mut options = CatalogOptions::default();
    let runtime = named_or_installed(&mut options)?;
    let rules = load_rules(&options, runtime)?;
    let mut all = 0;
    for other in RUNTIMES {
        let same = other.name() == runtime.name();
        all += if same { rules.rules.len() } else { load_rules(&options, other)?.rules.len() };
    }
    let library = installed_library(&rules);
    let product = &rules.default_product;
    let mut next = Vec::new();
    let title = message!("welcome-title", version = env!("CARGO_PKG_VERSION"), count = all);
    let mut text = format!("{title}\n\n");
    let row = |label: &str, said: &str| format!("{}{said}\n", pad(label, LABEL));
    match &library {
        Some(path) => {
            let installed = message!("welcome-installed", path = path.display().to_string());
            text += &row(message!("welcome-machine"), &installed);
            next.push(("atlas-cts doctor --probe".to_owned(), message!("welcome-probe")));
            next.push(("atlas-cts run --backend device".to_owned(), message!("welcome-run-device")));
        }
        None => {
            text += &row(message!("welcome-machine"), message!("welcome-simulated"));
            next.push((format!("atlas-cts run --product {product}"), message!("welcome-run-simulated")));
            next.push(("atlas-cts doctor".to_owned(), message!("welcome-doctor")));
        }
    }
    if let Ok((_, run)) = read_named(Path::new("latest")) {
        let broken = run.results.iter().filter(|result| result.meaning() == Meaning::Broken).count();
        let folder = runs_folder().join("latest").display().to_string();
        text += &row(message!("welcome-last"), &message!("welcome-broken", folder = folder, count = broken));
        if let Some(first) = rule_to_read(&run.header, &run.results, run.end.as_ref()) {
            next.insert(0, (format!("atlas-cts explain {}", first.id), message!("welcome-explain")));
        }
    }
    next.push(("atlas-cts --help".to_owned(), message!("welcome-help")));
    text += &format!("\n{}\n", message!("welcome-next"));
    let width = next.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    for (command, purpose) in next {
        text += &format!("  {command:<width$}   {purpose}\n");
    }
    say(&text)?;
    Ok(ExitStatus::Usage)
}
