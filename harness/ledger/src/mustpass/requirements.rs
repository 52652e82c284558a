//! The rules that must hold on a device, and the capabilities that a run needs in order to show that these rules hold.

use std::collections::BTreeMap;

use super::{Capability, Missing};
use catalog::{Conditions, Edition, Rule, Rules, Skip, absences, applies, promised};
use record::{Host, Meaning, Recorded, RuleResult, RunHeader, Verdict};

/// The requirements for a run.
pub(super) struct Demands {
    /// Ids of the rules that must hold on a conformant device in the run's environment.
    pub required: Vec<String>,
    /// Missing capabilities.
    pub missing: Vec<Missing>,
}

/// Rules without an answer, by the missing capability.
type Open = BTreeMap<Capability, Vec<String>>;

/// The rules that must hold on a conformant device, and the capabilities that the run lacks.
pub(super) fn demands(run: &Recorded, rules: &Rules) -> Demands {
    let header = &run.header;
    let conditions = conditions(header, rules);
    let results: BTreeMap<&str, &RuleResult> = run.results.iter().map(|result| (result.id.as_str(), result)).collect();
    let virtual_machine = conditions.virtual_machine == Some(true);
    let mut required = Vec::new();
    let mut open = Open::new();
    for rule in rules.rules.iter().filter(|rule| promised(rule, &header.product, rules)) {
        let lack = match results.get(rule.id.as_str()) {
            // The device took only branches on which the documents promise nothing. A rule that a limit of the suite
            // stopped has a failure, and is still required.
            Some(result) if result.verdict == Verdict::Skipped && result.cases > 0 && result.failure.is_none() => {
                continue;
            }
            Some(result) if result.verdict == Verdict::Skipped => {
                match why_skipped(rule, &result.reason, &conditions, rules) {
                    Some(capability) => Some(capability),
                    // The documents do not promise the rule's statement for this edition, host or run mode.
                    None => continue,
                }
            }
            // No document promises the capability on a virtual machine, even if the device has the capability.
            Some(result) if virtual_machine && !result.observed_only.is_empty() && bound_to_hardware(rule, rules) => {
                continue;
            }
            other => lack(other.copied()),
        };
        required.push(rule.id.clone());
        note(&mut open, lack, &rule.id);
    }
    if let Some(id) = rules.support_rule() {
        note(&mut open, lack(results.get(id.as_str()).copied()), &id);
        required.push(id);
    }
    if uncertain_host(header) {
        let bound = rules.rules.iter().filter(|rule| required.contains(&rule.id) && bound_to_hardware(rule, rules));
        bound.for_each(|rule| note(&mut open, Some(Capability::Machine), &rule.id));
    }
    let needed = general(run).into_iter().map(|(capability, why)| Missing {
        capability,
        why: why.to_owned(),
        rules: open.remove(&capability).unwrap_or_default(),
    });
    let mut missing: Vec<Missing> = needed.collect();
    missing.extend(open.into_iter().map(|(capability, ids)| Missing {
        capability,
        why: because(capability, rules, header, &ids),
        rules: ids,
    }));
    missing.sort_by_key(|missing| missing.capability);
    Demands { required, missing }
}

/// Records that a rule has no answer because a capability is missing.
fn note(open: &mut Open, lack: Option<Capability>, rule: &str) {
    if let Some(lack) = lack {
        open.entry(lack).or_default().push(rule.to_owned());
    }
}

/// Missing capabilities that do not depend on rules, each with the reason.
fn general(run: &Recorded) -> Vec<(Capability, &'static str)> {
    let header = &run.header;
    let settings = &header.settings;
    let mut found = Vec::new();
    if header.library.simulated {
        found.push((Capability::RealDevice, "the device is simulated; run with --backend device"));
    }
    if run.end.is_none() {
        found.push((Capability::WholeRun, "the run did not finish; finish it with --resume"));
    } else if settings.part.is_some() {
        found.push((Capability::WholeRun, "this is a part of a run; merge all parts with `atlas-cts merge`"));
    } else if settings.case.is_some() {
        found.push((Capability::WholeRun, "only given cases were tried; run without --case"));
    }
    if !settings.dedicated && !header.library.simulated {
        found.push((
            Capability::Dedicated,
            "other programs may have used the devices; run with --dedicated on devices that nothing else uses",
        ));
    }
    if header.edition.is_none() {
        let why = "unknown edition: promises depend on it; make the runtime report its version";
        found.push((Capability::Edition, why));
    }
    if !settings.without_axioms.is_empty() {
        let why = "checks that assume an axiom were observed but not judged; rerun without --tune without-axiom";
        found.push((Capability::Axioms, why));
    }
    found
}

/// The reason why rules lack a capability, and the next action.
fn because(capability: Capability, rules: &Rules, header: &RunHeader, ids: &[String]) -> String {
    let of = number_of_rules(ids.len());
    match capability {
        Capability::Devices => {
            let wanted = ids.iter().filter_map(|id| rules.rule(id)).map(Rule::devices).max().unwrap_or(1);
            format!(
                "{of}: up to {wanted} devices needed, but the run had {}; run on a machine with more",
                header.devices
            )
        }
        Capability::EveryRule => {
            format!("{of} did not run; run all rules, including rules with known dangers, on machines of the same kind")
        }
        Capability::Answers => format!("{of} without an answer; see the reasons, then rerun"),
        Capability::Machine => format!(
            "{of} cannot be judged on this machine; allow processes to lock memory, and make it visible whether the \
             machine is virtual"
        ),
        Capability::Coverage => format!("{of} with cases cut by the time limit; run with a longer --tune rule-limit"),
        other => format!("{of} not judged for lack of {}", other.words()),
    }
}

/// The number of rules with its noun, for example `1 rule` or `2 rules`.
fn number_of_rules(number: usize) -> String {
    catalog::count(number, "rule")
}

/// The capability that a rule lacks, if the rule was not skipped.
fn lack(result: Option<&RuleResult>) -> Option<Capability> {
    if result.is_some_and(|result| result.verdict == Verdict::Cut) {
        return Some(Capability::Coverage);
    }
    match result.map(RuleResult::meaning) {
        None => Some(Capability::EveryRule),
        Some(Meaning::Unknown | Meaning::Skipped) => Some(Capability::Answers),
        Some(Meaning::Good | Meaning::Broken | Meaning::Finding) => None,
    }
}

/// The capability with which a skipped rule would have run. `None` if the rule does not apply, because no document then
/// promises the rule's statement. A reason that does not follow from the journal (a known danger, or a different kind
/// of machine) counts as [`Capability::EveryRule`].
fn why_skipped(rule: &Rule, reason: &str, conditions: &Conditions, rules: &Rules) -> Option<Capability> {
    let is_reason = |skip: &Skip| skip.to_string() == reason;
    let devices = Skip::Devices { wanted: rule.devices(), are: conditions.devices };
    let selected = applies(rule, conditions, rules).err().into_iter().chain([devices]).find(is_reason);
    match selected.or_else(|| absences(rule, conditions, rules).find(is_reason)) {
        None => Some(Capability::EveryRule),
        Some(Skip::Devices { .. }) => Some(Capability::Devices),
        Some(Skip::Dedicated) => Some(Capability::Dedicated),
        Some(Skip::LockedMemory { .. }) => Some(Capability::Machine),
        // A failed query is not an answer.
        Some(Skip::Capability { answer, .. }) if answer.has().is_none() => Some(Capability::Answers),
        Some(Skip::Layout { is: None, .. } | Skip::NotExported { .. }) => Some(Capability::Edition),
        Some(_) => None,
    }
}

/// True if the run used a machine that is not known to be virtual or physical.
fn uncertain_host(header: &RunHeader) -> bool {
    let uncertain = |host: &Option<Host>| host.as_ref().is_none_or(|host| host.counts_as_virtual().is_none());
    match header.merged.as_slice() {
        _ if header.library.simulated => false,
        [] => uncertain(&header.host),
        parts => parts.iter().any(|part| uncertain(&part.host)),
    }
}

/// The conditions that selected the rules, if the journal records them.
fn conditions(header: &RunHeader, rules: &Rules) -> Conditions {
    let host = header.host.as_ref();
    Conditions {
        product: header.product.clone(),
        run_mode: header.run_mode.clone(),
        devices: header.devices,
        lacking: Default::default(),
        editions: header.editions(&rules.libraries),
        kernel: host.and_then(|host| host.kernel.as_deref()).and_then(Edition::read),
        virtual_machine: host.map_or(Some(false), Host::counts_as_virtual),
        capabilities: header.capabilities.clone(),
        trials: host.map(Host::answers).unwrap_or_default(),
        locked_memory: host.and_then(|host| host.locked_memory),
        hazardous: false,
        dedicated: header.settings.dedicated || header.library.simulated,
        through: false,
    }
}

/// True if a rule calls a function that is documented only for physical machines.
fn bound_to_hardware(rule: &Rule, rules: &Rules) -> bool {
    rule.function_names().any(|name| rules.support.get(name).is_some_and(|entry| entry.not_virtual))
}
