//! The toolkit's environment in the shell that starts the suite, and the folder with the runtime's logs.

use std::path::PathBuf;

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Severity};

use crate::logs::process_logs;

use super::install::{DEFAULT_HOMES, HOMES};

const LOG_REFERENCE: &str = "hicann/runtime docs log_ref, env_vars";

/// Examines environment variables.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) {
    let home = HOMES.iter().find_map(|name| Some((*name, machine.variable(name)?)));
    let scripts = DEFAULT_HOMES.iter().flat_map(|home| [format!("{home}/set_env.sh"), format!("{home}/../set_env.sh")]);
    let script = scripts.into_iter().find(|path| machine.exists(path));
    match (home, script) {
        (Some((name, home)), _) => {
            found.looked(message!("look-environment"), name, home);
            if !machine.exists(home) {
                let title = message!("environment-stale", name = name, home = home);
                let next = message!("environment-stale-next");
                found.find(Finding::new("environment.stale", Severity::Warning, title, next));
            }
        }
        (None, script) => {
            found.looked(message!("look-environment"), HOMES.join(", "), message!("not-set"));
            if let Some(script) = script {
                let title = message!("environment-not-sourced");
                let next = message!("environment-not-sourced-next", script = script);
                let finding = Finding::new("environment.not-sourced", Severity::Warning, title, next);
                found.find(
                    finding.rests_on(Certainty::Field, "sglang scripts/ci/npu (set_env.sh under set -u and pipefail)"),
                );
            }
        }
    }
    logs(machine, found);
}

/// Records the folder with the runtime's logs.
fn logs(machine: &HostMachine, found: &mut Examination) {
    let files_in = |folder: &PathBuf| machine.names(folder.join("debug/plog")).len();
    let folders = process_logs(machine);
    let used = folders.iter().find(|folder| files_in(folder) > 0).or(folders.first());
    let (files, folder) =
        used.map_or((0, "~/ascend/log".to_owned()), |used| (files_in(used), used.display().to_string()));
    let said = match machine.variable("ASCEND_SLOG_PRINT_TO_STDOUT").or(machine.variable("ASCEND_LOG_PRINT_TO_STDOUT"))
    {
        Some("1") => message!("logs-on-terminal").to_owned(),
        _ => message!("logs-of-earlier-processes", count = files),
    };
    found.looked(message!("look-logs"), folder.clone(), said);
    // Nothing deletes the files of earlier processes.
    if files >= MANY {
        let title = message!("logs-many", folder = folder, files = files);
        let finding = Finding::new("logs.many", Severity::Note, title, message!("logs-many-next"));
        found.find(finding.rests_on(Certainty::Document, LOG_REFERENCE));
    }
}

/// The least number of files for which a folder is reported.
const MANY: usize = 10_000;
