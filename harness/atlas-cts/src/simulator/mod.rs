//! `atlas-cts simulator`: the simulated device's library and its defects, and users' programs on the device.

mod program;

pub(crate) use program::{ProgramArguments, run_program};

use std::fmt::Write;
use std::path::Path;

use atlas_cts::{CommandError, say, say_line};
use catalog::files;
use engine::run::ExitStatus;
use engine::runtime::Runtime;
use simulator_contract::DENY;

/// Writes the simulated device's library to a folder and prints its path, or lists its defects and variants.
pub(crate) fn simulator(runtime: &Runtime, print_path: Option<&Path>, list: bool) -> Result<ExitStatus, CommandError> {
    if print_path.is_none() && !list {
        return Err(CommandError::NothingAsked);
    }
    let device = runtime.simulated.as_ref().ok_or(CommandError::NoSimulator)?;
    if let Some(folder) = print_path {
        let failed = |source| CommandError::File { path: folder.to_owned(), source };
        let folder = files::make_own_folder(folder, 0o755).map_err(failed)?;
        for library in device.libraries {
            say_line(library.write_to(&folder).map_err(failed)?.display())?;
        }
    }
    if list {
        let mut text = String::new();
        for (title, entries) in [
            ("seeded defects", device.defects),
            ("universal bad devices", device.bad_devices),
            ("legal variants", device.variants),
        ] {
            let _ = writeln!(text, "{title} ({}), switched on with --defect NAME", entries.len());
            for entry in entries {
                let subtle = if entry.subtle { "  (subtle)" } else { "" };
                let _ = writeln!(text, "  {}{subtle}\n      {}", entry.name, entry.mechanism);
            }
        }
        text.push_str("denials, switched on with --defect NAME\n");
        let _ = writeln!(
            text,
            "  {DENY}<function>\n      The exported function reports that it is not supported and does nothing."
        );
        say(&text)?;
    }
    Ok(ExitStatus::Success)
}
