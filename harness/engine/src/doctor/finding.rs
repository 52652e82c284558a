//! The results of an examination.

use messages::message;
use schemars::JsonSchema;
use serde::Serialize;

/// The version of the `--json` format. The version increases when a field is removed or changes its meaning.
pub const EXAMINATION_FORMAT: u32 = 1;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The finding is for information only.
    Note,
    /// The suite runs, but its results may suffer.
    Warning,
    /// Until the finding is settled, it is unclear whether the suite can run.
    Unclear,
    /// The suite cannot run.
    Blocker,
}

impl Severity {
    /// The printed name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => message!("severity-note"),
            Severity::Warning => message!("severity-warning"),
            Severity::Unclear => message!("severity-unclear"),
            Severity::Blocker => message!("severity-blocker"),
        }
    }
}

/// The certainty of the fact on which a finding rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The operating system reports the fact.
    System,
    /// The code that prints or checks the fact is public and was read.
    Code,
    /// A vendor document states the fact.
    Document,
    /// A report from the field describes the fact.
    Field,
    /// The fact was concluded from other facts.
    Inferred,
}

impl Certainty {
    /// The printed name.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::System => message!("certainty-system"),
            Certainty::Code => message!("certainty-code"),
            Certainty::Document => message!("certainty-document"),
            Certainty::Field => message!("certainty-field"),
            Certainty::Inferred => message!("certainty-inferred"),
        }
    }
}

/// A finding and advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// A stable name, for example `driver.reboot-needed`.
    pub id: String,
    pub severity: Severity,
    /// The fact, in one sentence.
    pub title: String,
    /// The observations, each with its place.
    pub seen: Vec<String>,
    /// The advice: the next action.
    pub next: String,
    /// The certainty of the fact.
    pub certainty: Certainty,
    /// The source of the fact.
    pub source: String,
}

impl Finding {
    /// A finding that rests on a report from the operating system.
    pub fn new(id: &str, severity: Severity, title: impl Into<String>, next: impl Into<String>) -> Finding {
        Finding {
            id: id.to_owned(),
            severity,
            title: title.into(),
            seen: Vec::new(),
            next: next.into(),
            certainty: Certainty::System,
            source: String::new(),
        }
    }

    /// Adds an observation.
    #[must_use]
    pub fn seen(mut self, what: impl Into<String>) -> Finding {
        self.seen.push(what.into());
        self
    }

    /// Adds several observations.
    #[must_use]
    pub fn seen_all(mut self, what: impl IntoIterator<Item = String>) -> Finding {
        self.seen.extend(what);
        self
    }

    /// Sets the certainty and the source of the fact.
    #[must_use]
    pub fn rests_on(mut self, certainty: Certainty, source: &str) -> Finding {
        self.certainty = certainty;
        source.clone_into(&mut self.source);
        self
    }
}

/// A place that was examined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Look {
    /// The subject of the examination.
    pub what: String,
    /// The path, command or variable that was examined.
    pub place: String,
    /// The result.
    pub said: String,
}

/// A version from one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Version {
    /// The component: `driver`, `firmware`, `toolkit`, `runtime`.
    pub of: String,
    /// The version, as the source writes it.
    pub version: String,
    /// The source: a path, a command or a function.
    pub source: String,
}

/// A device in the machine. An absent value is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Device {
    /// The name that the machine's tool gives the device.
    pub label: String,
    /// The device's model.
    pub name: Option<String>,
    /// The worst health that any source reports.
    pub health: Option<String>,
    /// The health reported by each source.
    pub health_sources: Vec<String>,
    /// Device memory in use, in MiB.
    pub memory_used: Option<u64>,
    /// Device memory, in MiB.
    pub memory_total: Option<u64>,
    /// The processes that use the device, as the tool lists them.
    pub processes: Vec<String>,
}

/// The verdict on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The suite can run.
    Ready,
    /// The suite cannot run.
    NotReady,
    /// It is unclear whether the suite can run.
    Unknown,
}

/// The results of an examination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Examination {
    /// The version of this format.
    pub format: u32,
    /// Version of the suite.
    pub suite: String,
    /// The runtime to test.
    pub runtime: String,
    /// The root folder of the files that were read.
    pub root: String,
    pub verdict: Verdict,
    /// The verdict in one sentence.
    pub summary: String,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    pub versions: Vec<Version>,
    pub devices: Vec<Device>,
    /// The devices' product family, as the catalog names it.
    pub product: Option<String>,
    /// The number of rules in the catalog that apply to the product.
    pub rules_to_expect: Option<usize>,
    /// True if a device was opened and used.
    pub probed: bool,
    /// Everything that was examined, in order.
    pub looked_at: Vec<Look>,
}

impl Examination {
    /// An empty examination.
    pub fn new(suite: &str, runtime: &str, root: &str) -> Examination {
        Examination {
            format: EXAMINATION_FORMAT,
            suite: suite.to_owned(),
            runtime: runtime.to_owned(),
            root: root.to_owned(),
            verdict: Verdict::Unknown,
            summary: String::new(),
            findings: Vec::new(),
            versions: Vec::new(),
            devices: Vec::new(),
            product: None,
            rules_to_expect: None,
            probed: false,
            looked_at: Vec::new(),
        }
    }

    /// Records the examination of a place.
    pub fn looked(&mut self, what: &str, place: impl Into<String>, said: impl Into<String>) {
        self.looked_at.push(Look { what: what.to_owned(), place: place.into(), said: said.into() });
    }

    /// Records a finding.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Records a version.
    pub fn version(&mut self, of: &str, version: impl Into<String>, source: impl Into<String>) {
        self.versions.push(Version { of: of.to_owned(), version: version.into(), source: source.into() });
    }

    /// True if there is a finding with this name.
    pub fn has(&self, id: &str) -> bool {
        self.findings.iter().any(|finding| finding.id == id)
    }

    /// Records that a device was opened and used. Findings more severe than a warning then become warnings, because
    /// they evidently do not prevent the suite from running. Findings whose names start with `but` keep their severity,
    /// because they do not concern the device.
    pub fn has_used_a_device(&mut self, but: &str) {
        self.probed = true;
        self.outweigh(message!("device-was-used"), |id| !id.starts_with(but));
    }

    /// Records that the library counts devices. Findings about missing nodes and drivers then become warnings.
    pub fn counts_devices(&mut self) {
        self.outweigh(message!("devices-are-counted"), |id| id.starts_with("nodes.") || id.starts_with("driver."));
    }

    /// Turns findings more severe than a warning into warnings.
    fn outweigh(&mut self, by: &str, concerned: impl Fn(&str) -> bool) {
        let severe = self.findings.iter_mut().filter(|finding| finding.severity > Severity::Warning);
        for finding in severe.filter(|finding| concerned(&finding.id)) {
            finding.severity = Severity::Warning;
            finding.seen.push(by.to_owned());
        }
    }

    /// Sorts the findings, worst first, and sets the verdict. Findings with the same severity keep their order, so that
    /// causes come before their effects.
    pub fn conclude(&mut self) {
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let worst = |severity| self.findings.iter().filter(move |finding: &&Finding| finding.severity == severity);
        let (blockers, unclear) = (worst(Severity::Blocker).count(), worst(Severity::Unclear).count());
        (self.verdict, self.summary) = match self.findings.first().map(|first| first.title.as_str()) {
            Some(why) if blockers > 0 => (Verdict::NotReady, message!("cannot-run", why = why, more = blockers - 1)),
            Some(why) if unclear > 0 => (Verdict::Unknown, message!("may-not-run", why = why, more = unclear - 1)),
            _ if self.probed => (Verdict::Ready, message!("can-run").to_owned()),
            _ => (Verdict::Ready, message!("seems-able-to-run").to_owned()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(severities: &[Severity]) -> Examination {
        let mut examination = Examination::new("1", "toy", "/");
        for severity in severities {
            let title = format!("something is a {}", severity.name());
            examination.find(Finding::new("toy.found", *severity, title, "do something"));
        }
        examination.conclude();
        examination
    }

    #[test]
    fn the_worst_finding_decides_and_comes_first() {
        let found = with(&[Severity::Note, Severity::Blocker, Severity::Unclear, Severity::Blocker]);
        assert_eq!(found.verdict, Verdict::NotReady);
        assert_eq!(found.summary, "This machine cannot run the suite: something is a blocker (and 1 more reason)");
        assert_eq!(found.findings[0].severity, Severity::Blocker);
    }

    #[test]
    fn a_used_device_outweighs_findings_about_missing_things() {
        let mut examination = with(&[Severity::Blocker, Severity::Unclear, Severity::Note]);
        examination.has_used_a_device("reports.");
        examination.conclude();
        let severities: Vec<Severity> = examination.findings.iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [Severity::Warning, Severity::Warning, Severity::Note]);
        assert_eq!(examination.summary, "This machine can run the suite: a device was opened and used");
        examination.find(Finding::new("reports.no-space", Severity::Blocker, "there is no space", "free space"));
        examination.has_used_a_device("reports.");
        examination.conclude();
        assert_eq!(examination.verdict, Verdict::NotReady);
    }

    #[test]
    fn a_warning_does_not_prevent_readiness_but_an_unclear_finding_does() {
        assert_eq!(with(&[Severity::Warning, Severity::Unclear]).verdict, Verdict::Unknown);
        assert_eq!(with(&[Severity::Warning, Severity::Note]).verdict, Verdict::Ready);
        assert_eq!(with(&[]).verdict, Verdict::Ready);
    }
}
