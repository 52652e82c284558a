//! The selection of rules that apply to a device, with the reasons why the others do not.

use std::collections::{BTreeMap, BTreeSet};

use abi::Function;
use steps::count;
use steps::program::Call;
use steps::suggest::hint_for_id;

use super::alternatives::{self, Alternative, Possible};
use super::capabilities::{Capability, CapabilityAnswer, CapabilityAnswers};
use super::edition::{Edition, EditionCondition, Span};
use super::editions::Editions;
use super::layouts::Layout;
use super::model::{Level, SupportEntry};
use super::products::Product;
use super::python::PythonModule;
use super::rules::{Rule, Rules};
use super::word::Word;

/// The facts about the device under test that determine selection.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// Id of the product.
    pub product: String,
    /// The mode in which programs run, one of the runtime's modes.
    pub run_mode: String,
    /// The number of usable devices.
    pub devices: u32,
    /// The functions that a library may lack and that no loaded library exports.
    pub lacking: BTreeSet<&'static str>,
    /// The editions of the libraries. If an edition is unknown, rules that depend on it run, except rules that use a
    /// struct whose layout depends on the edition.
    pub editions: Editions,
    /// The version of the host's kernel. If the version is unknown, rules that depend on it run.
    pub kernel: Option<Edition>,
    /// True in a virtual machine. `None` means unknown; checks that depend on this fact are then only observed.
    pub virtual_machine: Option<bool>,
    /// The device's answers about its capabilities.
    pub capabilities: CapabilityAnswers,
    /// The results of trials, by id. An error names the step that failed.
    pub trials: BTreeMap<String, Result<(), String>>,
    /// The number of bytes that a process may lock; `None`: unlimited.
    pub locked_memory: Option<u64>,
    /// True if rules with an undefined result also run.
    pub hazardous: bool,
    /// True if the devices are not shared. Rules that take all of a device's memory then run too.
    pub dedicated: bool,
    /// True if calls are made through the catalog's Python module.
    pub through: bool,
}

/// Functions, values and calls that rules cannot use in a run, though the product offers them.
#[derive(Debug, Clone, Default)]
pub struct Missing {
    /// Functions that the library lacks or that cannot be judged on this host, and values of later editions.
    pub names: BTreeSet<&'static str>,
    /// True if calls are made through the catalog's Python module, which has no form for some calls.
    pub through: bool,
}

impl Skip {
    /// True if the rule might apply on a different machine: a physical machine, a machine that passes other trials, or a
    /// machine where a process may lock more memory.
    pub fn is_of_the_machine(&self) -> bool {
        matches!(self, Skip::VirtualMachine { .. } | Skip::Trial { .. } | Skip::LockedMemory { .. })
    }
}

impl Conditions {
    /// The functions that this library legitimately lacks or that cannot be judged on this host, and the values that a
    /// later edition adds. Rules and alternatives that use them do not apply.
    pub fn missing(&self, rules: &Rules) -> Missing {
        let functions = self.lacking.iter().copied();
        let declarations = &rules.environment.declarations;
        let values = rules.values.keys().filter_map(|name| declarations.constant_name(name));
        let bound = rules.support.iter().filter(|(_, entry)| entry.not_virtual || entry.locks > 0);
        let bound = bound.filter_map(|(name, _)| Some(declarations.function(name)?.name));
        let names = functions.chain(bound).chain(values).filter(|name| there(name, self, rules).is_err()).collect();
        Missing { names, through: self.through }
    }
}

/// The reason why a rule does not apply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Skip {
    /// `when.products` or `when.not_products`.
    #[error("does not apply to {product}")]
    Product { product: String },
    #[error("{function} is documented as not supported on {product}")]
    Unsupported { function: String, product: String },
    /// The documents list the function but do not mention this product.
    #[error("the documents do not say whether {product} offers {function}")]
    Undocumented { function: String, product: String },
    #[error("applies where programs run on the {wanted}; this one runs on the {is}")]
    RunMode { wanted: String, is: String },
    #[error("needs {wanted} devices, there {} {are}", if *are == 1 { "is" } else { "are" })]
    Devices { wanted: u32, are: u32 },
    #[error("applies to edition {wanted}{of}; this is {is}")]
    Edition { wanted: EditionCondition, of: String, is: Edition },
    /// The device lacks a capability that the rule needs, or has one that the rule excludes, or the query failed.
    #[error(
        "{} the capability {capability}; {answer}", if *wanted { "needs" } else { "applies to devices without" }
    )]
    Capability { capability: String, wanted: bool, answer: CapabilityAnswer },
    #[error("applies to kernels {wanted}; this is {is}")]
    Kernel { wanted: EditionCondition, is: Edition },
    /// The rule uses a struct whose layout in this edition may differ from the header's.
    #[error("uses {structure}, whose layout is known for edition {wanted}{of}; this is {}", known(is.as_ref()))]
    Layout { structure: &'static str, wanted: EditionCondition, of: String, is: Option<Edition> },
    /// The message is the same for all functions of the library, so that reports count the rules in one line.
    #[error("needs the optional library {library} ({}), and nothing exports what it has{install}", names.join(" or "))]
    Library { library: String, names: Vec<String>, install: String },
    /// The runtime's edition does not have the function.
    #[error("needs {function}, part of {owner} {span}; this is {is}, which does not export it")]
    NotInEdition { function: &'static str, owner: String, span: Span, is: Edition },
    /// The edition is unknown, so the library may legitimately lack the function.
    #[error("needs {function}, part of {owner} {span}; this edition is unknown and does not export it")]
    NotExported { function: &'static str, owner: String, span: Span },
    #[error("{function} is documented for physical machines and containers; this is a virtual machine")]
    VirtualMachine { function: String },
    /// The same as the previous variant, except that the device failed the trial of what the function does.
    #[error(
        "{function} is documented for physical machines and containers; this is a virtual machine, whose device \
         failed the test of {tested}: {answer}"
    )]
    Trial { function: String, tested: String, answer: String },
    #[error(
        "{function} locks up to {wanted} bytes here; this process may lock {is}: raise the limit (`ulimit -l`, or the \
         container's)"
    )]
    LockedMemory { function: String, wanted: u64, is: u64 },
    /// Calls are made through a Python module, which has no form for a call.
    #[error("{module} has no form for {function}: {reason}")]
    Python { module: String, function: &'static str, reason: &'static str },
    #[error("uses {value}, part of {owner} {span}; this is {is}")]
    ValueNotInEdition { value: String, owner: String, span: Span, is: Edition },
    #[error("the documents leave the result undefined; runs only with --hazardous")]
    Hazard,
    #[error("takes all memory of a device; runs with --dedicated, if nothing else uses the devices")]
    Dedicated,
}

impl Skip {
    /// The option with which the user can make the rule run.
    pub fn word(&self) -> Option<Word> {
        match self {
            Skip::Hazard => Some(Word::Hazardous),
            Skip::Dedicated => Some(Word::Dedicated),
            _ => None,
        }
    }
}

fn known(edition: Option<&Edition>) -> String {
    edition.map_or_else(|| "an unknown edition".to_owned(), Edition::to_string)
}

/// Checks that, according to the documents, a product offers everything that a rule needs.
pub fn offered(rule: &Rule, product: &str, rules: &Rules) -> Result<(), Skip> {
    if !rule.when.allows(product) {
        return Err(Skip::Product { product: product.to_owned() });
    }
    match callable(rule, product, &Missing::default(), rules) {
        Ok(_) => Ok(()),
        Err(name) => Err(not_offered(name, product, rules)),
    }
}

/// True if a device of a product must hold a rule: a document promises the behavior, and the product offers everything
/// that the rule uses.
pub fn promised(rule: &Rule, product: &str, rules: &Rules) -> bool {
    rule.level == Level::Must && rule.hazard.is_none() && offered(rule, product, rules).is_ok()
}

/// The reason why a function or a value is not offered.
fn not_offered(name: &str, product: &str, rules: &Rules) -> Skip {
    let unsupported = |entry: &SupportEntry| entry.unsupported.iter().any(|known| known == product);
    let (function, product) = (name.to_owned(), product.to_owned());
    match rules.support.get(name).or_else(|| rules.values.get(name)).is_some_and(unsupported) {
        true => Skip::Unsupported { function, product },
        false => Skip::Undocumented { function, product },
    }
}

/// True if a rule may use a function or a value on a product. Names outside the support table are offered everywhere.
fn has(rule: &Rule, name: &str, product: &str, rules: &Rules) -> bool {
    let named = |list: &[String]| list.iter().any(|known| known == product);
    let entry = rules.support.get(name).or_else(|| rules.values.get(name));
    entry.is_none_or(|entry| named(&entry.supported) && !named(&entry.unsupported))
        || rule.unsupported.iter().any(|known| known == name)
}

/// The rule's alternatives and values that a product does not offer, or that call functions missing from this library.
pub fn left_out(rule: &Rule, product: &str, missing: &Missing, rules: &Rules) -> Vec<Alternative> {
    callable(rule, product, missing, rules).unwrap_or_default()
}

/// Does the same as [`left_out`], but fails if the rule cannot run without a missing function or value. The error is
/// the name of that function or value.
fn callable<'a>(rule: &'a Rule, product: &str, missing: &Missing, rules: &Rules) -> Result<Vec<Alternative>, &'a str> {
    let offered = |name: &str| has(rule, name, product, rules) && !missing.names.contains(name);
    // Most rules use nothing that a product lacks, and need not be decoded to show it.
    if !missing.through && !rule.names_values && rule.function_names().all(offered) {
        return Ok(Vec::new());
    }
    let module = rules.python.as_ref().filter(|_| missing.through);
    let form = module.map(|module| |function: &'static Function, call: &Call| module.form(function, call).is_ok());
    let possible = form.as_ref().map(|form| form as Possible<'_>);
    alternatives::left_out(&rule.program, rule.names_values, &offered, possible)
}

/// Checks that a rule applies to the target.
pub fn applies(rule: &Rule, target: &Conditions, rules: &Rules) -> Result<(), Skip> {
    offered(rule, &target.product, rules)?;
    let when = &rule.when;
    if let Some(mode) = &when.run_mode
        && *mode != target.run_mode
    {
        return Err(Skip::RunMode { wanted: mode.clone(), is: target.run_mode.clone() });
    }
    let wanted = when.devices.unwrap_or(1);
    if wanted > target.devices {
        return Err(Skip::Devices { wanted, are: target.devices });
    }
    for (library, wanted) in when.edition.iter().flat_map(|edition| edition.value.iter()) {
        let library = library.and_then(|id| rules.libraries.position(id)).unwrap_or(0);
        if let Some(is) = target.editions.of(library).filter(|is| !wanted.holds(is)) {
            let of = rules.libraries.of(library);
            return Err(Skip::Edition { wanted: wanted.clone(), of, is: is.clone() });
        }
    }
    if let (Some(wanted), Some(is)) = (&when.kernel, &target.kernel)
        && !wanted.holds(is)
    {
        return Err(Skip::Kernel { wanted: wanted.clone(), is: is.clone() });
    }
    able(rule, target, rules)?;
    reachable(rule, target, rules)?;
    if rule.hazard.is_some() && !target.hazardous {
        return Err(Skip::Hazard);
    }
    if when.dedicated && !target.dedicated {
        return Err(Skip::Dedicated);
    }
    Ok(())
}

/// Checks that the device has the capabilities that a rule needs, and none of those that the rule excludes. After a failed
/// query, the rule does not apply in either case.
fn able(rule: &Rule, target: &Conditions, rules: &Rules) -> Result<(), Skip> {
    for (name, wanted) in rule.when.capabilities() {
        let Some(answer) = target.capabilities.get(&name.value) else { continue };
        if answer.has() != Some(wanted) {
            let known = rules.life_cycle.of(&target.product).capabilities.iter();
            let named = known.filter(|known| known.name == name.value).map(Capability::shown).next();
            let capability = named.unwrap_or_else(|| name.value.clone());
            return Err(Skip::Capability { capability, wanted, answer: answer.clone() });
        }
    }
    Ok(())
}

/// The reasons why a rule would not apply to this target if the library lacked one of its functions, one for each
/// function.
pub fn absences<'a>(rule: &'a Rule, target: &'a Conditions, rules: &'a Rules) -> impl Iterator<Item = Skip> + use<'a> {
    rules.needed(rule).filter_map(|function| {
        let without = Conditions { lacking: BTreeSet::from([function.name]), ..target.clone() };
        there(function.name, &without, rules).err()
    })
}

/// Checks that everything a rule calls exists, and that structs have the header's layout.
fn reachable(rule: &Rule, target: &Conditions, rules: &Rules) -> Result<(), Skip> {
    let missing = target.missing(rules);
    if (missing.through || !missing.names.is_empty())
        && let Err(name) = callable(rule, &target.product, &missing, rules)
    {
        there(name, target, rules)?;
        if let Some(skip) = formless(rule, name, target, rules) {
            return Err(skip);
        }
        return Err(not_offered(name, &target.product, rules));
    }
    if let Some((module, (function, why))) =
        through(target, rules).and_then(|module| Some((module, module.releases(rule, rules)?)))
    {
        return Err(Skip::Python { module: module.name.clone(), function, reason: why.reason() });
    }
    if !target.lacking.is_empty() {
        rules.releases(rule).try_for_each(|function| there(function.name, target, rules))?;
    }
    let is = |library: usize| target.editions.of(library);
    let known = |layout: &Layout| is(layout.library).is_some_and(|is| layout.editions.holds(is));
    let layout = rules.layouts.iter().find(|layout| rules.lays_out(rule, layout.structure) && !known(layout));
    layout.map_or(Ok(()), |Layout { structure, library, editions }| {
        let (of, is) = (rules.libraries.of(*library), is(*library).cloned());
        Err(Skip::Layout { structure, wanted: editions.clone(), of, is })
    })
}

/// The module through which a run makes calls, if any.
fn through<'a>(target: &Conditions, rules: &'a Rules) -> Option<&'a PythonModule> {
    rules.python.as_ref().filter(|_| target.through)
}

/// The reason why a rule's call of a function has no form in the module through which calls are made.
fn formless(rule: &Rule, name: &str, target: &Conditions, rules: &Rules) -> Option<Skip> {
    let module = through(target, rules)?;
    let calls = rule.program.sites().into_iter().flatten();
    let mut formless = calls.filter_map(|call| {
        let function = rule.program.functions[call.function];
        Some((function.name, module.form(function, call).err()?)).filter(|(function, _)| *function == name)
    });
    let (function, why) = formless.next()?;
    Some(Skip::Python { module: module.name.clone(), function, reason: why.reason() })
}

/// Checks that a function can be called, or that the derived rule judges its absence. Exported functions can be called
/// in any edition. A function may be missing because of the edition or an optional library, or it may be impossible to
/// judge on this host. A value can be passed in the edition that adds it and in later ones.
fn there(function: &str, target: &Conditions, rules: &Rules) -> Result<(), Skip> {
    let library = rules.libraries.home_of(function);
    let since = |value: &SupportEntry| Some((value.span(), target.editions.of(library).cloned()?));
    if let Some((span, is)) = rules.values.get(function).and_then(since).filter(|(span, is)| !span.contains(is)) {
        let owner = rules.libraries.owner(library);
        return Err(Skip::ValueNotInEdition { value: function.to_owned(), owner, span, is });
    }
    if let Some(entry) = rules.support.get(function) {
        let function = function.to_owned();
        if entry.not_virtual && target.virtual_machine == Some(true) {
            let trial = entry.trial.clone().unwrap_or_default();
            match target.trials.get(&trial) {
                Some(Ok(())) => {}
                Some(Err(answer)) => {
                    let all = &rules.life_cycle.of(&target.product).trials;
                    let named = all.iter().find(|known| known.id == trial).map(|known| known.means.clone());
                    let (tested, answer) = (named.unwrap_or(trial), answer.clone());
                    return Err(Skip::Trial { function, tested, answer });
                }
                None => return Err(Skip::VirtualMachine { function }),
            }
        }
        if let Some(is) = target.locked_memory.filter(|is| *is < entry.locks) {
            return Err(Skip::LockedMemory { function, wanted: entry.locks, is });
        }
    }
    let Some(&function) = target.lacking.get(function) else { return Ok(()) };
    let span = rules.span(function);
    let owner = rules.libraries.owner(library);
    let gone = rules.libraries.optional_home(function).is_some_and(|library| library.versioned);
    match target.editions.of(library) {
        Some(is) if !span.contains(is) => return Err(Skip::NotInEdition { function, owner, span, is: is.clone() }),
        // Without its library, the edition of a function is unknown too.
        None if !span.is_always() && !gone => return Err(Skip::NotExported { function, owner, span }),
        _ => {}
    }
    match rules.libraries.optional_home(function) {
        Some(library) => {
            let install = library.install.as_ref().map(|how| format!("; {how}")).unwrap_or_default();
            Err(Skip::Library { library: library.id.clone(), names: library.names.clone(), install })
        }
        None => Ok(()),
    }
}

/// An unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownName {
    #[error("there is no product `{id}`{hint}; products are {} and auto", known.join(", "))]
    Product { id: String, hint: String, known: Vec<String> },
    #[error("`{name}` is a name of several products; give one of {}", candidates.join(", "))]
    Ambiguous { name: String, candidates: Vec<String> },
    #[error("--runtime {name}: there is no such runtime{hint}; runtimes are {}", known.join(", "))]
    Runtime { name: String, hint: String, known: Vec<String> },
    #[error("there is no rule `{id}`{hint}; `atlas-cts list` prints all")]
    Rule { id: String, hint: String },
}

/// Finds a product by one of its names. The error suggests a similar name.
pub fn product<'a>(rules: &'a Rules, name: &str) -> Result<&'a Product, UnknownName> {
    let id = rules.product_names.id_of(name)?;
    let unknown = || UnknownName::Product { id: name.to_owned(), hint: String::new(), known: Vec::new() };
    rules.product(id).ok_or_else(unknown)
}

/// Finds a rule by id. The error suggests a similar id or, for a function, a chapter or a part of ids, the list of the
/// rules that it has.
pub fn rule<'a>(rules: &'a Rules, id: &str) -> Result<&'a Rule, UnknownName> {
    rules.rule(id).ok_or_else(|| UnknownName::Rule { id: id.to_owned(), hint: of_several(rules, id) })
}

/// A hint for a text that is not the id of a rule.
fn of_several(rules: &Rules, text: &str) -> String {
    let callers = rules.callers(text).count();
    if callers > 0 {
        let calling = format!("{} {}", count(callers, "rule"), if callers == 1 { "calls" } else { "call" });
        return format!("; {calling} this function: `atlas-cts list --api {text}`");
    }
    let inside = || rules.rules.iter().filter(|rule| !text.is_empty() && rule.id.contains(text));
    match (inside().next(), inside().count()) {
        (Some(rule), 1) => format!("; did you mean `{}`?", rule.id),
        (Some(_), several) => format!("; {several} rules have this text in the id: `atlas-cts list {text}`"),
        (None, _) => hint_for_id(text, rules.rules.iter().map(|rule| rule.id.as_str())),
    }
}
