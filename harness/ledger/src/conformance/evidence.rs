//! Makes a run's conformance record.

use std::collections::{BTreeMap, HashSet};

use super::error::ConformanceError;
use super::model::{
    Capability, CatalogIdentity, ConformanceRecord, RuleVerdict, RunIdentity, Statement, TestedLibrary, TestedMachine,
};
use super::requirements::{Demands, demands};
use catalog::Rules;
use record::{Level, MappedLibrary, Meaning, Recorded, RuleResult, RunHeader, Verdict};

/// Makes a run's conformance record. `journal` is the SHA-256 of the run's journal; `rules` is the catalog that the run
/// used.
///
/// # Errors
/// Fails if the run used a different catalog.
pub fn conformance_record(
    run: &Recorded,
    journal: String,
    rules: &Rules,
) -> Result<ConformanceRecord, ConformanceError> {
    let header = &run.header;
    if header.catalog_digest != rules.digest || header.runtime != rules.runtime {
        return Err(ConformanceError::Catalog {
            suite: header.suite.clone(),
            of_run: header.catalog_digest.clone(),
            of_catalog: rules.digest.clone(),
        });
    }
    if rules.product(&header.product).is_none() {
        return Err(ConformanceError::Product { product: header.product.clone() });
    }
    let Demands { required, missing } = demands(run, rules);
    let assuming = required.iter().filter_map(|id| rules.rule(id)).flat_map(|rule| rule.all_axioms(rules));
    let assuming = assuming.map(|axiom| (axiom.id.clone(), axiom.says.clone())).collect();
    let mut verdicts: BTreeMap<String, RuleVerdict> =
        run.results.iter().map(|result| (result.id.clone(), verdict(result, rules))).collect();
    for id in required {
        verdicts.entry(id).or_insert_with(no_result).required = true;
    }
    let mut record = ConformanceRecord {
        format: ConformanceRecord::FORMAT,
        statement: Statement::NotShown,
        missing,
        assuming,
        suite: header.suite.clone(),
        runtime: header.runtime.clone(),
        product: header.product.clone(),
        reported_name: header.reported_name.clone(),
        edition: header.edition.clone(),
        run_mode: header.run_mode.clone(),
        catalog: CatalogIdentity { digest: header.catalog_digest.clone(), rules: header.rules as u64 },
        libraries: libraries(header),
        devices: header.devices,
        devices_out: header.devices_out.clone(),
        fingerprint: header.fingerprint.clone(),
        machine: machine(header),
        run: identity(run, journal),
        rules: verdicts,
        expectations: run.end.as_ref().and_then(|end| end.expectations.clone()),
    };
    record.statement = record.shows();
    Ok(record)
}

impl ConformanceRecord {
    /// The statement that follows from the verdicts and the missing capabilities.
    fn shows(&self) -> Statement {
        if self.broken().next().is_some() {
            Statement::NotConformant
        } else if self.missing.is_empty() {
            Statement::Conformant
        } else {
            Statement::NotShown
        }
    }

    /// The ids of broken rules whose statements a document promises, including known failures.
    pub fn broken(&self) -> impl Iterator<Item = &str> {
        let broken = |rule: &RuleVerdict| {
            rule.level == Level::Must
                && rule.verdict.is_some_and(|verdict| verdict.meaning(rule.level) == Meaning::Broken)
        };
        self.rules.iter().filter(move |(_, rule)| broken(rule)).map(|(id, _)| id.as_str())
    }

    /// The first contradiction in the record.
    pub(super) fn contradiction(&self) -> Option<String> {
        if self.statement != self.shows() {
            return Some(format!("its statement is {}, but its content implies {}", self.statement, self.shows()));
        }
        let holds =
            |rule: &RuleVerdict| rule.verdict.is_some_and(|verdict| verdict.meaning(rule.level) == Meaning::Good);
        let open = self.rules.iter().find(|(_, rule)| rule.required && !holds(rule));
        let open = open.filter(|_| self.statement == Statement::Conformant);
        let simulated = self.statement == Statement::Conformant && self.libraries.iter().any(|one| one.simulated);
        open.map(|(id, _)| format!("its statement is conformant, but {id} was not shown to hold"))
            .or_else(|| simulated.then(|| "its statement is conformant, but the device is simulated".to_owned()))
            .or_else(|| self.left_out_of_missing())
    }

    /// The first capability that the run lacks but the record does not list as missing.
    fn left_out_of_missing(&self) -> Option<String> {
        let simulated = self.libraries.iter().any(|one| one.simulated);
        let lacks = [
            (Capability::RealDevice, simulated, "the device is simulated"),
            (Capability::WholeRun, self.run.finished.is_none(), "the run did not finish"),
            (Capability::Dedicated, !simulated && !self.run.dedicated, "other programs may have used the devices"),
            (Capability::Edition, self.edition.is_none(), "the edition is unknown"),
            (Capability::Axioms, !self.run.without_axioms.is_empty(), "the run did not assume an axiom"),
        ];
        let named = |capability: Capability| self.missing.iter().any(|missing| missing.capability == capability);
        let lack = lacks.into_iter().find(|(capability, lacks, _)| *lacks && !named(*capability));
        if let Some((capability, _, why)) = lack {
            return Some(format!("{why}, but {} is not listed as missing", capability.words()));
        }
        let listed: HashSet<&String> = self.missing.iter().flat_map(|missing| &missing.rules).collect();
        let without = |rule: &RuleVerdict| rule.required && rule.verdict.is_none();
        let open = self.rules.iter().find(|(id, rule)| without(rule) && !listed.contains(id));
        open.map(|(id, _)| format!("{id} has no result, but is not listed as missing"))
    }
}

fn verdict(result: &RuleResult, rules: &Rules) -> RuleVerdict {
    // The catalog, not the journal, decides what a document promises.
    let level = rules.rule(&result.id).map_or(result.level, |rule| rule.level);
    let reason = if result.verdict == Verdict::Pass { String::new() } else { result.reason.clone() };
    RuleVerdict { level, required: false, verdict: Some(result.verdict), reason }
}

fn no_result() -> RuleVerdict {
    RuleVerdict { level: Level::Must, required: true, verdict: None, reason: "no result".to_owned() }
}

/// The libraries under test and the libraries that they loaded, without duplicates.
fn libraries(header: &RunHeader) -> Vec<TestedLibrary> {
    let first = &header.library;
    let build_id = |path: &str| header.mapped.iter().find(|mapped| mapped.path == path)?.build_id.clone();
    let mut libraries = vec![TestedLibrary {
        path: first.path.clone(),
        sha256: Some(first.sha256.clone()),
        build_id: build_id(&first.path),
        version: first.version.clone(),
        simulated: first.simulated,
    }];
    libraries.extend(header.further_libraries.iter().map(|further| TestedLibrary {
        path: further.path.clone(),
        sha256: Some(further.sha256.clone()),
        build_id: build_id(&further.path),
        version: None,
        simulated: first.simulated,
    }));
    // A set, because a journal may name a hundred thousand libraries.
    let mut known: HashSet<(String, Option<String>)> =
        libraries.iter().map(|library| (library.path.clone(), library.sha256.clone())).collect();
    for MappedLibrary { path, sha256, build_id } in &header.mapped {
        if known.insert((path.clone(), sha256.clone())) {
            let (path, sha256, build_id) = (path.clone(), sha256.clone(), build_id.clone());
            libraries.push(TestedLibrary { path, sha256, build_id, version: None, simulated: false });
        }
    }
    libraries
}

fn machine(header: &RunHeader) -> Option<TestedMachine> {
    header.host.as_ref().map(|host| TestedMachine {
        kernel: host.kernel.clone(),
        virtual_machine: host.virtual_machine,
        assumed_bare: host.assumed_bare,
        container: host.container.clone(),
        locked_memory: host.locked_memory.map(|bytes| bytes.to_string()),
    })
}

fn identity(run: &Recorded, journal: String) -> RunIdentity {
    let header = &run.header;
    RunIdentity {
        name: header.run.clone(),
        started: header.started.clone(),
        finished: run.end.as_ref().map(|end| end.finished.clone()),
        journal,
        profile: header.profile.clone(),
        seed: header.seed.to_string(),
        dedicated: header.settings.dedicated,
        defects: header.defects.clone(),
        resumed: header.resumed.clone(),
        merged: header.merged.iter().map(|part| part.run.clone()).collect(),
        redacted: header.settings.redact,
        without_axioms: header.settings.without_axioms.clone(),
    }
}
