//! Variables that change what the suite measures, the toolkit's folder, and the service that shares a device between
//! processes (MPS).

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Severity};

use super::evidence::ENVIRONMENT;

/// The variables that name the toolkit's folder.
const HOMES: &[&str] = &["CUDA_HOME", "CUDA_PATH"];
/// Variables that are only shown.
const SHOWN: &[&str] = &[
    "CUDA_CACHE_DISABLE",
    "CUDA_CACHE_PATH",
    "CUDA_CACHE_MAXSIZE",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
    "NVIDIA_DRIVER_CAPABILITIES",
];
const LAZY: &str = "CUDA programming guide, lazy loading";
/// The folder of the service's pipes, unless a variable names another.
const PIPES: &str = "/tmp/nvidia-mps";

/// Examines environment variables.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) {
    for name in HOMES {
        let Some(home) = machine.variable(name) else { continue };
        found.looked(message!("look-toolkit-folder"), *name, home);
        if !machine.exists(home) {
            let title = message!("environment-stale", name = *name, home = home);
            let next = message!("environment-stale-next");
            found.find(Finding::new("environment.stale", Severity::Warning, title, next));
        }
    }
    for name in SHOWN {
        if let Some(value) = machine.variable(name) {
            found.looked(message!("look-environment"), *name, value);
        }
    }
    loading(machine, found);
    connections(machine, found);
    blocking(machine, found);
    managed(machine, found);
    service(machine, found);
}

/// Says how kernels are loaded: workers set the variable unless the user has.
fn loading(machine: &HostMachine, found: &mut Examination) {
    const NAME: &str = "CUDA_MODULE_LOADING";
    let value = machine.variable(NAME);
    found.looked(message!("look-environment"), NAME, value.unwrap_or(message!("loading-by-workers")));
    if let Some(value) = value.filter(|value| *value != "EAGER") {
        let (title, next) = (message!("environment-loading"), message!("environment-loading-next"));
        let finding = Finding::new("environment.lazy-loading", Severity::Note, title, next);
        found.find(finding.seen(format!("{NAME}={value}")).rests_on(Certainty::Document, LAZY));
    }
}

/// Reports a number of queues of the hardware that makes the streams of a rule share them.
fn connections(machine: &HostMachine, found: &mut Examination) {
    const NAME: &str = "CUDA_DEVICE_MAX_CONNECTIONS";
    let few = |value: &&str| value.parse::<u32>().is_ok_and(|queues| queues < 8);
    let Some(value) = machine.variable(NAME).filter(few) else { return };
    let (title, next) = (message!("environment-connections"), message!("environment-connections-next"));
    let finding = Finding::new("environment.few-queues", Severity::Warning, title, next);
    found.find(finding.seen(format!("{NAME}={value}")).rests_on(Certainty::Document, ENVIRONMENT));
}

fn blocking(machine: &HostMachine, found: &mut Examination) {
    const NAME: &str = "CUDA_LAUNCH_BLOCKING";
    let Some(value) = machine.variable(NAME).filter(|value| *value != "0") else { return };
    let (title, next) = (message!("environment-blocking"), message!("environment-blocking-next"));
    let finding = Finding::new("environment.blocking", Severity::Warning, title, next).seen(format!("{NAME}={value}"));
    found.find(finding.rests_on(Certainty::Document, ENVIRONMENT));
}

fn managed(machine: &HostMachine, found: &mut Examination) {
    const NAME: &str = "CUDA_MANAGED_FORCE_DEVICE_ALLOC";
    let Some(value) = machine.variable(NAME).filter(|value| *value != "0") else { return };
    let (title, next) = (message!("environment-managed"), message!("environment-managed-next"));
    let finding = Finding::new("environment.managed", Severity::Warning, title, next).seen(format!("{NAME}={value}"));
    found.find(finding.rests_on(Certainty::Document, ENVIRONMENT));
}

/// Reports a service that runs the work of several processes in one context.
fn service(machine: &HostMachine, found: &mut Examination) {
    const NAME: &str = "CUDA_MPS_PIPE_DIRECTORY";
    let folder = machine.variable(NAME).unwrap_or(PIPES);
    let control = format!("{folder}/control");
    let runs = machine.exists(&control);
    let said = if runs { message!("found") } else { message!("not-found") };
    found.looked(message!("look-service"), control.clone(), said);
    if runs {
        let (title, next) = (message!("service-runs"), message!("service-runs-next"));
        let finding = Finding::new("environment.service", Severity::Warning, title, next).seen(control);
        let source = "NVIDIA Multi-Process Service documentation (memory protection, error containment)";
        found.find(finding.rests_on(Certainty::Document, source));
    } else if machine.variable(NAME).is_some() {
        let title = message!("service-absent", folder = folder);
        let finding =
            Finding::new("environment.service-absent", Severity::Note, title, message!("service-absent-next"));
        found.find(finding.rests_on(Certainty::Document, "NVIDIA Multi-Process Service documentation"));
    }
}
