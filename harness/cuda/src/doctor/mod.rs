//! The doctor for CUDA, which examines the vendor's libraries, tool, device nodes and codes.
//!
//! ```text
//! nodes, kernel, environment (files) ┐
//! libraries (driver, toolkit)        ┼→ devices, visible → findings; causes explains a probe's output
//! smi (tool)                         ┘
//! ```

#[macro_use]
mod words;

mod causes;
mod codes;
mod devices;
mod environment;
mod evidence;
mod kernel;
mod libraries;
mod nodes;
mod smi;
mod state;
mod versions;
mod visible;

use engine::doctor::{Advice, Certainty, Doctor, Examination, Finding, HostMachine, Patient, Severity};

/// The registry entry.
pub(super) const DOCTOR: Doctor = Doctor {
    examine,
    answer,
    explain,
    identify: state::identify,
    health: state::health,
    advise,
    // These rules initialize the driver, set a device, allocate, copy in each direction, write values in a stream and at
    // once, wait, and release everything. They do not need the toolkit's library.
    probe: &["cuda.memory.roundtrip", "cuda.memory.sets"],
};

fn examine(machine: &HostMachine, patient: &Patient<'_>, found: &mut Examination) {
    environment::look(machine, found);
    let nodes = nodes::look(machine, found);
    libraries::look(machine, patient, &nodes, found);
    kernel::look(machine, found);
    let smi = smi::look(machine, found);
    for gpu in &smi.gpus {
        if let Some(version) =
            gpu.driver.clone().filter(|version| !found.versions.iter().any(|known| known.version == *version))
        {
            found.version("driver", version, "nvidia-smi");
        }
    }
    let names: Vec<String> = smi.gpus.iter().map(|gpu| gpu.name.clone()).collect();
    let uuids: Vec<String> = smi.gpus.iter().map(|gpu| gpu.uuid.clone()).collect();
    let count = if smi.gpus.is_empty() { nodes.devices.len() } else { smi.gpus.len() };
    visible::look(machine, count, nodes.container, &names, found);
    let positions = visible::numbered(machine, &uuids, &names);
    devices::look(&smi, positions.as_deref(), found);
    product(patient, &names, found);
}

/// Determines the product from the devices' names.
fn product(patient: &Patient<'_>, names: &[String], found: &mut Examination) {
    let product = names.iter().find_map(|name| patient.rules.product_of(name)).map(|product| product.id.clone());
    let place = if names.is_empty() { message!("names-of-devices").to_owned() } else { names.join(", ") };
    let said = product.clone().unwrap_or_else(|| message!("not-recognized").to_owned());
    found.looked(message!("look-product"), place, said);
    if product.is_none() && !names.is_empty() {
        let title = message!("product-unknown", names = names.join(", "));
        let finding = Finding::new("product.unknown", Severity::Note, title, message!("product-unknown-next"));
        found.find(finding.rests_on(Certainty::Inferred, "specs/cuda/products.yaml"));
    }
    let unknown = || patient.rules.unknown_product.clone().filter(|_| !names.is_empty());
    found.product = product.or_else(unknown);
}

/// Answers a query, in a separate process.
fn answer(words: &[String], say: &mut dyn FnMut(&str)) {
    if let [question, driver, toolkit] = words
        && question == "versions"
    {
        libraries::answer(driver, toolkit, say);
    }
}

fn explain(_machine: &HostMachine, text: &str, found: &mut Examination) {
    causes::of_runtime(text, found);
}

fn advise(about: Advice) -> &'static str {
    match about {
        Advice::Installation => message!("advice-installation"),
        Advice::Dependency => message!("advice-dependency"),
    }
}
