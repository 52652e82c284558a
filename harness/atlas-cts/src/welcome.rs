//! `atlas-cts` without a command: the next command to type on this machine.

use std::path::Path;

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, say};
use engine::run::{CatalogOptions, ExitStatus, installed_library, load_rules, read_named, runs_folder};
use record::{Meaning, Recorded};

/// Prints the state of this machine and the commands to try next. The exit status reports a missing command.
pub(crate) fn welcome() -> Result<ExitStatus, CommandError> {
    let runtime = RUNTIMES[0];
    let rules = load_rules(&CatalogOptions::default(), runtime)?;
    let library = installed_library(&rules);
    let product = &rules.default_product;
    let mut next = Vec::new();
    let mut text = format!("Atlas CTS {}: {} rules\n\n", env!("CARGO_PKG_VERSION"), rules.rules.len());
    match &library {
        Some(path) => {
            text += &format!("This machine  {} is installed\n", path.display());
            next.push(("atlas-cts doctor --probe".to_owned(), "check that a device can be used"));
            next.push(("atlas-cts run --backend device".to_owned(), "run all rules on the devices"));
        }
        None => {
            text += "This machine  no toolkit found: rules run on a simulated device\n";
            next.push((format!("atlas-cts run --product {product}"), "run all rules on a simulated device"));
            next.push(("atlas-cts doctor".to_owned(), "find out what a real device needs"));
        }
    }
    if let Ok((_, run)) = read_named(Path::new("latest")) {
        let broken: Vec<&str> = broken(&run).collect();
        text += &format!("Last run      {}, {} broken\n", runs_folder().join("latest").display(), broken.len());
        if let Some(first) = broken.first() {
            next.insert(0, (format!("atlas-cts explain {first}"), "read the first broken rule"));
        }
    }
    next.push(("atlas-cts --help".to_owned(), "list all commands"));
    text += "\nType next\n";
    let width = next.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    for (command, purpose) in next {
        text += &format!("  {command:<width$}   {purpose}\n");
    }
    say(&text)?;
    Ok(ExitStatus::Usage)
}

/// The ids of the rules that a run found broken.
fn broken(run: &Recorded) -> impl Iterator<Item = &str> {
    let broken = run.results.iter().filter(|result| result.meaning() == Meaning::Broken);
    broken.map(|result| result.id.as_str())
}
