//! What the command `atlas-cts` prints about the catalog and the simulated device.

mod conditions;
mod explain;
mod list;
mod print;
mod schema;

use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::defects::{BAD_DEVICES, DEFECTS, DENY, VARIANTS};
use crate::prove::{Proof, Ratchet, raise};
use crate::rules::Rules;
use crate::run::{ExitStatus, SessionError, simulator as library};

use conditions::condition_mistakes;
pub use explain::explain;
pub use list::{ListFilter, list};
pub use print::print_as_c;
pub use schema::schema;

/// What `lint` says about a catalog without mistakes.
pub fn lint_summary(rules: &Rules) -> String {
    let functions: std::collections::BTreeSet<&str> =
        rules.rules.iter().flat_map(|rule| rule.program.function_names()).collect();
    format!(
        "{} rules in {} chapters, {} of {} functions of the header used, {} products: no mistakes",
        rules.rules.len(),
        rules.chapters.len(),
        functions.len(),
        rules.environment.declarations.bindings.functions.len(),
        rules.products.len()
    )
}

/// Holds a proof against the numbers that may not fall, or raises them; says whether they hold.
///
/// # Errors
/// The file cannot be read or written, or nothing can be printed.
pub fn ratchet(file: &Path, proof: &Proof, raised: bool) -> Result<bool, SessionError> {
    if raised {
        raise(file, proof).map_err(SessionError::Environment)?;
    }
    let (fallen, risen) = Ratchet::read(file).map_err(SessionError::Environment)?.compare(proof);
    let mut text: String = fallen.iter().map(|what| format!("  FALLEN      {what}\n")).collect();
    if !fallen.is_empty() {
        text += &format!(
            "              claim the defects and needed checks again; a number of {} is lowered by hand, with the reason in \
             the commit\n",
            file.display()
        );
    }
    if !risen.is_empty() {
        text += &format!("  ratchet     {} can be raised (add --raise, or put these lines there):\n", file.display());
        risen.iter().for_each(|line| text += &format!("{line}\n"));
    }
    say(&text)?;
    Ok(fallen.is_empty())
}

/// Whether every supported function that rules call has an owner that can say that it fails.
pub fn lint_owners(rules: &Rules) -> Result<(), SessionError> {
    let gaps = rules.unowned();
    if gaps.is_empty() {
        return Ok(());
    }
    let message = "give each of these functions to the rule of level `must` with its smallest valid use (`owns`)";
    Err(SessionError::Usage(format!("{}\n{message}", gaps.join("\n"))))
}

/// Whether every `where` keeps at least half of what is drawn.
pub fn lint_conditions(rules: &Rules) -> Result<(), SessionError> {
    let mistakes: Vec<String> = condition_mistakes(rules).iter().map(ToString::to_string).collect();
    if mistakes.is_empty() { Ok(()) } else { Err(SessionError::Usage(mistakes.join("\n"))) }
}

/// Prints what was asked for. A reader that has seen enough (`| head`) is no error.
///
/// # Errors
/// Nothing can be printed for another reason.
pub fn say(text: &str) -> Result<(), SessionError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(SessionError::Environment(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// The same for a line.
///
/// # Errors
/// As for [`say`].
pub fn say_line(line: impl Display) -> Result<(), SessionError> {
    say(&format!("{line}\n"))
}

/// `atlas-cts simulator`.
pub fn simulator(print_path: bool, list: bool) -> Result<ExitStatus, SessionError> {
    if !print_path && !list {
        return Err(SessionError::Usage("say what is wanted: --print-path or --list".to_owned()));
    }
    if print_path {
        let path = library::library_path().map_err(|error| {
            SessionError::Environment(format!(
                "the library cannot be written: {error}; set TMPDIR to a writable folder"
            ))
        })?;
        say_line(path.display())?;
    }
    if list {
        let mut text = String::new();
        for (title, entries) in
            [("seeded defects", DEFECTS), ("universal bad devices", BAD_DEVICES), ("legal variants", VARIANTS)]
        {
            let _ = writeln!(text, "{title} ({}), switched on with --defect NAME", entries.len());
            for entry in entries {
                let subtle = if entry.subtle { "  (subtle)" } else { "" };
                let _ = writeln!(text, "  {}{subtle}\n      {}", entry.name, entry.mechanism);
            }
        }
        text.push_str("denials, switched on with --defect NAME\n");
        let _ = writeln!(
            text,
            "  {DENY}<function>\n      The exported function answers that it is not supported, and does nothing."
        );
        say(&text)?;
    }
    Ok(ExitStatus::Conformant)
}
