//! The target: a library, its devices, and the runtime's description of itself. The target does not change during a
//! run.

mod capabilities;
mod error;
mod host;
mod locks;
mod threads;
mod trials;
mod version;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use simulator_contract::environment;
use steps::program::Readiness;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::case::{FailedCall, Trouble};
use crate::pool::{
    Deadlines, EMBEDDED, Executor, Factory, LibraryFiles, Pool, PythonSetUp, Seat, SetUp, SimulatedMachine, StartError,
    mapped_libraries,
};
use crate::runtime::Runtime;
use crate::wire::message::{Answers, Reply, Request};
use catalog::{self, Conditions, DocumentEntry, Edition, Editions, Known, Rule, Rules, Skip, applies};
use record::{
    FurtherLibrary, Host, Journal, LibraryIdentity, LibraryVersion, MappedLibrary, RunHeader, RunSettings, StartReason,
    Subject,
};

use super::errors::RunError;
use super::library::{Backend, LibraryChoice, choose_library};
use super::options::Options;
use super::profile::Profile;
use super::selection::plan;
use super::support_rule::exports;
use super::through;

use version::{Version, version_of};

pub use error::TargetError;

/// The default number of devices on the simulated machine.
const SIMULATED_DEVICES: u32 = 4;
/// A run's default seed.
const DEFAULT_SEED: u64 = 20_260_101;

/// A library and its devices, ready to run rules.
#[derive(Debug)]
pub struct Target {
    pub runtime: &'static Runtime,
    pub rules: Arc<Rules>,
    /// The conditions that rule selection checks.
    pub conditions: Conditions,
    pub executor: Executor,
    pub library: LibraryIdentity,
    /// The versions of further libraries that have a version query, by the library's id.
    versions: BTreeMap<String, LibraryVersion>,
    /// The libraries that a worker has mapped after start-up.
    mapped: Vec<MappedLibrary>,
    /// The host; `None` for a simulated device.
    host: Option<Host>,
    /// True if each thread has a separate simulated machine; otherwise all threads use the same devices.
    pub(super) private_machines: bool,
    /// True if the run uses fewer devices than the runtime reports.
    pub(super) leaves_devices: bool,
    /// The name that the runtime reports for the device.
    pub reported_name: Option<String>,
    /// The remark about a name that no product has.
    pub(super) unknown_name: Option<String>,
    /// The device locks, held until the run ends, so that no other run uses the devices.
    _locks: Vec<File>,
}

/// A library's name in the header: the path or, for an embedded library, a fixed name.
fn shown(embedded: bool, path: &Path) -> String {
    if embedded { EMBEDDED.to_owned() } else { path.display().to_string() }
}

/// The answers from the library in the first worker.
struct LibraryAnswers {
    answers: Answers,
    /// True if the library identifies itself as the simulated device.
    simulated: bool,
    mapped: Vec<MappedLibrary>,
    /// For each function that a library is allowed to lack, true if the function is exported.
    exported: Vec<bool>,
}

impl Target {
    /// Loads the library in a worker, queries the runtime, and checks the options against the runtime's answers.
    ///
    /// # Errors
    /// Fails if an option names something unknown, or if the library, the runtime or a device cannot be used.
    pub fn open(options: &Options, runtime: &'static Runtime, rules: Arc<Rules>) -> Result<Target, RunError> {
        expect_proc()?;
        threads::expect_threads()?;
        let named = options.machine.library.as_deref();
        let choice = choose_library(named, options.workers.backend, &rules.libraries, runtime)?;
        for id in &options.tune.without_axioms {
            error::check_axiom(id, &rules)?;
        }
        check_simulated(options, runtime, &rules)?;
        let changes = [
            ("--defect", !options.run.defects.is_empty()),
            ("--sim edition", options.simulator.edition.is_some()),
            ("--sim memory", options.simulator.memory.is_some()),
        ];
        if let Some((option, _)) = changes.into_iter().find(|(_, given)| *given && !choice.embedded) {
            return Err(TargetError::Elsewhere { option }.into());
        }
        let mut python = through::set_up(&options.conditions, options.tune.deadline, &rules, runtime, choice.embedded)?;
        let defects = through::separate(&options.run.defects, runtime, python.as_mut())?;
        let chosen_by = match &python {
            Some(python) => format!("{}; {}", choice.chosen_by, python.shown),
            None => choice.chosen_by.clone(),
        };
        let (mut conditions, mut factory) = prepare(options, defects, python, (runtime, &rules), &choice)?;
        let pool = Pool::new();
        let mut library = LibraryIdentity {
            path: shown(choice.embedded, &factory.libraries.first().path),
            sha256: factory.libraries.first().sha256.clone(),
            version: None,
            version_note: None,
            simulated: choice.embedded,
            chosen_by,
        };
        let (mut reported_name, mut unknown_name, mut mapped, mut leaves_devices) = (None, None, Vec::new(), false);
        let mut versions = BTreeMap::new();
        let uncertain: Vec<&'static str> = rules.uncertain().iter().map(|function| function.name).collect();
        let asked = ask(options, &rules, &factory, &pool, &uncertain)?;
        let exported = match &asked {
            Some(asked) => asked.exported.clone(),
            None => exports(&factory, &pool, &owned(&uncertain)).unwrap_or_default(),
        };
        let missing = uncertain.iter().zip(&exported).filter(|(_, exported)| !**exported);
        conditions.lacking = missing.map(|(name, _)| *name).collect();
        let started = asked.is_some();
        if let Some(LibraryAnswers { answers, simulated, mapped: found, .. }) = asked {
            (library.simulated, mapped) = (simulated, found);
            if options.workers.backend == Backend::Device && simulated {
                return Err(TargetError::NoDevice { library: library.path }.into());
            }
            let asked = |name: &str| answers.iter().find(|(asked, _)| asked == name).map(|(_, answer)| answer);
            let answer = |name: &str| asked(name).and_then(|answer| answer.as_ref().ok()).cloned();
            let Version { text, edition, note } = version_of(&answers, &rules, &factory.product, 0);
            (library.version, library.version_note) = (text, note);
            conditions.editions = edition.into();
            for (position, known) in rules.libraries.versioned() {
                let Version { text, edition, note } = version_of(&answers, &rules, &factory.product, position);
                let shown = edition.as_ref().map(Edition::to_string);
                versions.insert(known.id.clone(), LibraryVersion { version: text, edition: shown, note });
                conditions.editions.set(position, edition);
            }
            reported_name = answer("product");
            let kind = answer("kind").filter(|kind| !kind.is_empty());
            if let Some(product) = product_of(options, &rules, kind.as_deref(), asked("product"))? {
                conditions.product = product;
            }
            unknown_name = reported_name
                .as_deref()
                .filter(|name| kind.is_none() && rules.product_of(name).is_none())
                .map(|name| unknown(name, &conditions.product));
            if !rules.life_cycle.same(&conditions.product, &factory.product) {
                // Ends the worker that answered the queries, because the worker was prepared for another product.
                pool.close(factory.deadlines);
            }
            factory.product.clone_from(&conditions.product);
            let known = |mode: &String| rules.run_modes.contains(mode);
            if let Some(mode) = answer("run_mode").filter(known).filter(|_| options.run.defects.is_empty()) {
                conditions.run_mode = mode;
            }
            if !choice.embedded {
                let counted = answer("device_count").and_then(|count| count.parse::<u32>().ok());
                leaves_devices = options.conditions.devices.zip(counted).is_some_and(|(wanted, there)| wanted < there);
                conditions.devices = devices_of(options, &factory.libraries.first().path, answer("device_count"))?;
            }
        }
        if started {
            conditions.capabilities = capabilities::ask(&rules, &factory, &pool, &conditions)?;
        }
        // The host does not matter for a simulated device, which runs no kernel code and locks no memory.
        let mut host = (!library.simulated).then(|| host::read(Path::new("/")));
        if let Some(host) = &mut host {
            host.assumed_bare = options.machine.variables.bare_metal;
            conditions.kernel = host.kernel.as_deref().and_then(Edition::read);
            (conditions.virtual_machine, conditions.locked_memory) = (host.counts_as_virtual(), host.locked_memory);
        }
        let locks = if library.simulated {
            Vec::new()
        } else {
            locks::lock_devices(options, rules.visible.as_deref(), conditions.devices)?
        };
        if let Some(host) = host.as_mut().filter(|host| host.counts_as_virtual() == Some(true)) {
            host.trials = trials::ask(&rules, &factory, &pool, &conditions)?;
            conditions.trials = host.answers();
        }
        let shown = host.as_ref().map(Host::shown).unwrap_or_default();
        if let Some(host) = &mut host {
            host.left_out = trials::left_out(&rules, &conditions);
        }
        let work = options.work();
        let mut executor =
            Executor::new(rules.clone(), conditions.product.clone(), conditions.devices, work, factory, pool);
        let virtual_machine = conditions.virtual_machine;
        let without = options.tune.without_axioms.iter().cloned().collect();
        let run_mode = Some(conditions.run_mode.clone()).filter(|mode| !mode.is_empty());
        executor.known = Known { editions: conditions.editions.clone(), run_mode, virtual_machine, shown, without };
        executor.missing = conditions.missing(&rules);
        // If the simulated device is given as a library, all processes share one simulated machine, so the run treats
        // it like a real device.
        let private_machines =
            library.simulated && (choice.embedded || std::env::var_os(environment::MACHINE).is_none());
        Ok(Target {
            runtime,
            rules,
            conditions,
            executor,
            library,
            versions,
            mapped,
            private_machines,
            leaves_devices,
            reported_name,
            unknown_name,
            host,
            _locks: locks,
        })
    }

    /// Creates the same target with a simulated device that has these defects, for a proof.
    ///
    /// # Errors
    /// Fails if the runtime has no simulated device, or if its library cannot be written or read.
    pub fn simulated(&self, options: &Options, defects: Vec<String>) -> Result<SimulatedTarget, RunError> {
        let choice = choose_library(None, Backend::Simulator, &self.rules.libraries, self.runtime)?;
        let mut options = options.clone();
        options.catalog.product = self.conditions.product.clone();
        let mut python = self.executor.factory.python.clone();
        let defects = through::separate(&defects, self.runtime, python.as_mut())?;
        let (_, factory) = prepare(&options, defects, python, (self.runtime, &self.rules), &choice)?;
        Ok(SimulatedTarget { factory, work: options.work() })
    }

    /// The conditions of this target with the capabilities of another device of the same product.
    ///
    /// # Errors
    /// Fails if no process can be started.
    pub(crate) fn conditions_of(&self, executor: &Executor) -> Result<Conditions, RunError> {
        let capabilities = capabilities::ask(&self.rules, &executor.factory, &executor.pool, &self.conditions)?;
        Ok(Conditions { capabilities, ..self.conditions.clone() })
    }

    /// The reason why a rule does not apply; `None` if the rule applies.
    pub fn skip(&self, rule: &Rule) -> Option<Skip> {
        let wanted = rule.devices();
        match applies(rule, &self.conditions, &self.rules) {
            Err(skip) => Some(skip),
            Ok(()) if wanted > self.conditions.devices => Some(Skip::Devices { wanted, are: self.conditions.devices }),
            Ok(()) => None,
        }
    }

    /// The further libraries that were found, in addition to the first library.
    fn further_libraries(&self) -> Vec<FurtherLibrary> {
        let further = self.executor.factory.libraries.there().skip(1);
        let identity = further.map(|(position, file)| FurtherLibrary {
            id: self.rules.libraries.all()[position].id.clone(),
            path: shown(self.executor.factory.simulated.is_some(), &file.path),
            sha256: file.sha256.clone(),
        });
        identity.collect()
    }

    /// The first line in a run's journal.
    pub fn header(&self, options: &Options) -> RunHeader {
        let profile = options.profile();
        let usual_seed = || if profile == Profile::Smoke { DEFAULT_SEED } else { random_seed() };
        RunHeader {
            format: Journal::FORMAT,
            suite: env!("CARGO_PKG_VERSION").to_owned(),
            run: String::new(),
            started: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
            runtime: self.rules.runtime.clone(),
            product: self.conditions.product.clone(),
            reported_name: self.reported_name.clone(),
            library: self.library.clone(),
            further_libraries: self.further_libraries(),
            mapped: self.mapped.clone(),
            host: self.host.clone(),
            run_mode: self.conditions.run_mode.clone(),
            devices: self.conditions.devices,
            devices_out: Vec::new(),
            fingerprint: None,
            edition: self.conditions.editions.of(0).map(Edition::to_string),
            further_versions: self.versions.clone(),
            capabilities: self.conditions.capabilities.clone(),
            seed: options.effort.seed.unwrap_or_else(usual_seed),
            profile: profile.name().to_owned(),
            catalog_digest: self.rules.digest.clone(),
            rules: plan(&self.rules).len(),
            selected: Vec::new(),
            clauses: BTreeMap::new(),
            documents: self.rules.documents.iter().map(DocumentEntry::named).collect(),
            subjects: self.rules.subjects.iter().cloned().map(|(name, rules)| Subject { name, rules }).collect(),
            defects: options.run.defects.clone(),
            settings: RunSettings { patience: Some(self.executor.scope.patience), ..settings(options) },
            merged: Vec::new(),
            resumed: Vec::new(),
        }
    }
}

/// A simulated target for a proof.
#[derive(Debug)]
pub struct SimulatedTarget {
    pub factory: Factory,
    pub work: crate::case::Effort,
}

fn settings(options: &Options) -> RunSettings {
    let absolute = |specs: &Path| Some(std::path::absolute(specs).ok()?.display().to_string());
    RunSettings {
        case: options.run.case.as_deref().and_then(|text| serde_json::from_str(text).ok()),
        specs: options.catalog.specs.as_deref().and_then(absolute),
        sim_edition: options.simulator.edition.clone(),
        sim_memory: options.simulator.memory,
        deadline: options.tune.deadline,
        patience: None,
        rule_limit: options.tune.rule_limit,
        exhaustive: options.tune.exhaustive,
        without_axioms: options.tune.without_axioms.clone(),
        hazardous: options.conditions.hazardous,
        dedicated: options.conditions.dedicated,
        through: options.conditions.through.clone(),
        on_every_device: options.everywhere(),
        repeat: options.run.repeat.filter(|repeat| *repeat > 1),
        length: options.effort.length.map(|length| length.to_string()),
        max_fail: options.run.max_fail,
        strict: options.run.strict,
        min_executed: options.tune.min_executed,
        redact: options.tune.redact,
        part: None,
        expectations: None,
    }
}

/// Checks that /proc works. Workers use /proc to open the memory that they share with this process.
fn expect_proc() -> Result<(), TargetError> {
    let own = std::process::id().to_string();
    match std::fs::read_link("/proc/self") {
        Ok(link) if link.as_os_str() == own.as_str() => Ok(()),
        Ok(_) => Err(TargetError::NoProc { why: "belongs to another process namespace" }),
        Err(_) => Err(TargetError::NoProc { why: "is missing" }),
    }
}

/// Checks the names in the options: the product, the switches of the simulated device, and its edition.
pub(super) fn check_simulated(options: &Options, runtime: &Runtime, rules: &Rules) -> Result<(), RunError> {
    if let Some(product) = options.catalog.named_product() {
        catalog::product(rules, product)?;
    }
    for name in &options.run.defects {
        error::check_switch(name, runtime, rules)?;
    }
    if let Some(edition) = &options.simulator.edition {
        error::simulated_edition(edition, runtime, rules)?;
    }
    Ok(())
}

/// The machine that the options describe. Only an embedded simulated device limits the number of devices.
pub(super) fn simulated_machine(
    options: &Options,
    runtime: &Runtime,
    rules: &Rules,
    embedded: bool,
) -> Result<SimulatedMachine, TargetError> {
    let product = options.catalog.named_product().unwrap_or(&rules.default_product).to_owned();
    let run_mode = match &options.simulator.run_mode {
        Some(mode) if !rules.run_modes.contains(mode) => {
            return Err(TargetError::RunMode { given: mode.clone(), known: rules.run_modes.clone() });
        }
        Some(mode) => mode.clone(),
        None => rules.run_modes.first().cloned().unwrap_or_default(),
    };
    let edition = options.simulator.edition.as_deref();
    let edition =
        edition.map(|edition| error::simulated_edition(edition, runtime, rules)).transpose()?.unwrap_or_default();
    let devices = options.conditions.devices.unwrap_or(SIMULATED_DEVICES);
    if devices == 0 {
        return Err(TargetError::ZeroDevices);
    }
    if embedded && devices > environment::MOST_DEVICES {
        return Err(TargetError::TooManyDevices { wanted: devices, most: environment::MOST_DEVICES });
    }
    Ok(SimulatedMachine {
        product,
        edition,
        devices,
        memory: options.simulator.memory,
        run_mode,
        defects: options.run.defects.clone(),
        call_ns: options.simulator.call_ns,
        schedule: options.simulator.schedule,
        notes_reach: false,
        glitches: false,
    })
}

/// Derives the conditions and the worker factory from the options, before the runtime is queried. `defects` are those of
/// the device.
fn prepare(
    options: &Options,
    defects: Vec<String>,
    python: Option<PythonSetUp>,
    (runtime, rules): (&Runtime, &Arc<Rules>),
    choice: &LibraryChoice,
) -> Result<(Conditions, Factory), TargetError> {
    let machine = SimulatedMachine { defects, ..simulated_machine(options, runtime, rules, choice.embedded)? };
    let (product, run_mode, devices) = (machine.product.clone(), machine.run_mode.clone(), machine.devices);
    let simulated = choice.embedded.then_some(machine);
    let unreadable = |what: String, source| TargetError::Unreadable { what, source };
    let libraries =
        LibraryFiles::new(&choice.files).map_err(|(path, source)| unreadable(path.display().to_string(), source))?;
    // The deadline may come from a journal, so it could be 0.
    let step = Duration::from_secs(options.tune.deadline.max(1));
    let mut factory = Factory::new(
        std::env::current_exe().map_err(|source| unreadable("this executable's own path".to_owned(), source))?,
        rules,
        product.clone(),
        options.catalog.specs.clone(),
        libraries,
        simulated,
        Deadlines { step, start: step * 4 },
    );
    factory.memory = options.memory_of_workers(choice.embedded);
    factory.fenced_memory = options.tune.fenced_memory;
    let through = python.is_some();
    factory.python = python;
    let conditions = Conditions {
        product,
        run_mode,
        devices,
        lacking: BTreeSet::new(),
        editions: Editions::default(),
        kernel: None,
        virtual_machine: Some(false),
        capabilities: Default::default(),
        trials: Default::default(),
        locked_memory: None,
        hazardous: options.conditions.hazardous,
        dedicated: options.conditions.dedicated || choice.embedded,
        through,
    };
    Ok((conditions, factory))
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Queries the runtime about itself. Returns `None` if the runtime refuses to start and a rule owns the failed call.
/// That rule then fails, and the other rules are blocked.
fn ask(
    options: &Options,
    rules: &Rules,
    factory: &Factory,
    pool: &Pool,
    uncertain: &[&str],
) -> Result<Option<LibraryAnswers>, TargetError> {
    let library = factory.libraries.first().path.display().to_string();
    let mut slot = pool.take().map_err(|source| TargetError::NoMachine { source })?;
    let set_up = SetUp::new(Readiness::Device, 0, StartReason::FirstUse);
    let (mut worker, started) = match factory.start(&slot.machine, set_up) {
        Ok(started) => started,
        Err(StartError::Refused(Trouble { call: Some(call), .. }))
            if options.catalog.named_product().is_some() && somebody_says(rules, &call) =>
        {
            pool.give_back(slot);
            return Ok(None);
        }
        Err(error) => return Err(TargetError::Start { library, error }),
    };
    let answers = match worker.ask(&Request::Query, factory.deadlines.step) {
        Ok(Reply::Answers(answers)) => answers,
        Ok(other) => return Err(TargetError::Reply { library, reply: format!("{other:?}") }),
        Err(end) => return Err(TargetError::Query { library, end }),
    };
    let exported = match worker.ask(&Request::Exports(owned(uncertain)), factory.deadlines.step) {
        Ok(Reply::Exported(exported)) => exported,
        Ok(other) => return Err(TargetError::Reply { library, reply: format!("{other:?}") }),
        Err(end) => return Err(TargetError::Query { library, end }),
    };
    // The mapped libraries are recorded only here, so libraries that a rule maps later are not included.
    let mapped = mapped_libraries(worker.id(), &factory.libraries);
    slot.put(Seat::pooled(0, 0), worker);
    pool.give_back(slot);
    let simulated = started.simulated.is_some();
    Ok(Some(LibraryAnswers { answers, simulated, mapped, exported }))
}

/// True if a rule judges the refused call: a rule owns the function, and the returned code does not mean a lost
/// device.
fn somebody_says(rules: &Rules, call: &FailedCall) -> bool {
    let codes = rules.result_of(&call.function);
    let lost = call.code.is_some_and(|code| codes.is_some_and(|codes| codes.fatal.contains(&i128::from(code))));
    rules.owners.contains_key(&call.function) && !lost
}

/// The product that the device reports, if the options leave the choice to the device. Fails if the reported product
/// contradicts the options.
fn product_of(
    options: &Options,
    rules: &Rules,
    kind: Option<&str>,
    answer: Option<&Result<String, String>>,
) -> Result<Option<String>, TargetError> {
    let auto = options.catalog.named_product().is_none();
    let name = match answer {
        Some(Ok(name)) => name,
        _ if !auto => return Ok(None),
        Some(Err(reason)) => return Err(TargetError::ProductUnanswered { reason: reason.clone() }),
        None => return Err(TargetError::NoProductQuery),
    };
    match rules.product_of(kind.unwrap_or(name)) {
        Some(found) if auto => Ok(Some(found.id.clone())),
        // For a resumed run, the product is compared later, together with the other facts about the target.
        _ if options.resume.is_some() => Ok(None),
        // With seeded defects, a contradiction is not an error here: the rules must find a wrong product name.
        Some(found) if found.id != options.catalog.product && options.run.defects.is_empty() => {
            Err(TargetError::OtherProduct {
                reported: name.clone(),
                found: found.id.clone(),
                wanted: options.catalog.product.clone(),
            })
        }
        None if auto => match &rules.unknown_product {
            Some(product) => Ok(Some(product.clone())),
            None => {
                let known = rules.product_names.ids().map(str::to_owned).collect();
                Err(TargetError::ProductUnknown { reported: name.clone(), known })
            }
        },
        _ => Ok(None),
    }
}

/// The remark about a name that no product has.
fn unknown(name: &str, product: &str) -> String {
    format!(
        "products.yaml does not have the name `{name}`, so the device is tested as {product}; if it is another one, \
         give --product ID"
    )
}

/// The number of devices to use.
fn devices_of(options: &Options, library: &Path, answer: Option<String>) -> Result<u32, TargetError> {
    let Some(count) = answer.and_then(|count| count.parse::<u32>().ok()) else {
        // If the runtime does not report the number of devices, only one device is certain to exist.
        return Ok(options.conditions.devices.unwrap_or(1));
    };
    if count == 0 {
        return Err(TargetError::NoDevices { library: library.display().to_string() });
    }
    match options.conditions.devices {
        Some(wanted) if wanted > count => Err(TargetError::TooFewDevices { wanted, are: count }),
        wanted => Ok(wanted.unwrap_or(count)),
    }
}

fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds this hasher with randomness from the operating system.
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
