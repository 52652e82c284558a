//! What a doctor writes down.

use schemars::JsonSchema;
use serde::Serialize;

/// The number of the shape of `--json`; it grows when a field goes or changes its meaning.
pub const EXAMINATION_FORMAT: u32 = 1;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know.
    Note,
    /// The suite runs, and its results may suffer.
    Warning,
    /// Whether the suite can run is not known until this is settled.
    Unclear,
    /// The suite cannot run.
    Blocker,
}

impl Severity {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Unclear => "unclear",
            Severity::Blocker => "blocker",
        }
    }
}

/// How sure the fact is that a finding rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The operating system says so itself.
    System,
    /// The code that prints or checks it is public and was read.
    Code,
    /// A document of the vendor says so.
    Document,
    /// Somebody reported it from the field.
    Field,
    /// Concluded from other facts.
    Inferred,
}

impl Certainty {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::System => "the system says so",
            Certainty::Code => "code that was read",
            Certainty::Document => "the vendor's documents",
            Certainty::Field => "reports from the field",
            Certainty::Inferred => "our conclusion",
        }
    }
}

/// Something that was found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// A name that stays: `driver.reboot-needed`.
    pub id: String,
    pub severity: Severity,
    /// What is so, in one sentence.
    pub title: String,
    /// What was seen, and where.
    pub seen: Vec<String>,
    /// What to do next.
    pub next: String,
    /// How sure the fact is that this rests on.
    pub certainty: Certainty,
    /// Where that fact stands.
    pub source: String,
}

impl Finding {
    /// A finding that rests on what the system itself says.
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

    /// With something that was seen.
    #[must_use]
    pub fn seen(mut self, what: impl Into<String>) -> Finding {
        self.seen.push(what.into());
        self
    }

    /// With several things that were seen.
    #[must_use]
    pub fn seen_all(mut self, what: impl IntoIterator<Item = String>) -> Finding {
        self.seen.extend(what);
        self
    }

    /// With the place of the fact that it rests on.
    #[must_use]
    pub fn rests_on(mut self, certainty: Certainty, source: &str) -> Finding {
        self.certainty = certainty;
        source.clone_into(&mut self.source);
        self
    }
}

/// A place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Look {
    /// What was wanted there.
    pub what: String,
    /// A path, a command or a variable.
    pub place: String,
    /// What came of it.
    pub said: String,
}

/// A version as one source gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Version {
    /// What has this version: `driver`, `firmware`, `toolkit`, `runtime`.
    pub of: String,
    /// As the source writes it.
    pub version: String,
    /// A path, a command or a function.
    pub source: String,
}

/// A device as the machine shows it. What is absent is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Device {
    /// How the machine's tool names it.
    pub label: String,
    /// Its model.
    pub name: Option<String>,
    /// The worst of what the sources say of its health.
    pub health: Option<String>,
    /// What each source says of its health.
    pub health_sources: Vec<String>,
    /// Mebibytes of device memory in use.
    pub memory_used: Option<u64>,
    /// Mebibytes of device memory.
    pub memory_total: Option<u64>,
    /// Processes that use it, as the tool lists them.
    pub processes: Vec<String>,
}

/// Whether the suite can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing stands in the way.
    Ready,
    /// Something does.
    NotReady,
    /// It cannot be told.
    Unknown,
}

/// What an examination shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Examination {
    /// The number of this shape.
    pub format: u32,
    /// Version of the suite.
    pub suite: String,
    /// The runtime that was asked about.
    pub runtime: String,
    /// The folder that files were read below.
    pub root: String,
    pub verdict: Verdict,
    /// The verdict in one sentence.
    pub summary: String,
    /// The worst first.
    pub findings: Vec<Finding>,
    pub versions: Vec<Version>,
    pub devices: Vec<Device>,
    /// The product family of the devices, as the catalog names it.
    pub product: Option<String>,
    /// Rules of the catalog that apply to the product.
    pub rules_to_expect: Option<usize>,
    /// A device was opened and used.
    pub probed: bool,
    /// Everything that was looked at, in order.
    pub looked_at: Vec<Look>,
}

impl Examination {
    /// Nothing was looked at yet.
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

    /// Writes down what came of looking somewhere.
    pub fn looked(&mut self, what: &str, place: impl Into<String>, said: impl Into<String>) {
        self.looked_at.push(Look { what: what.to_owned(), place: place.into(), said: said.into() });
    }

    /// Writes down a finding.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Writes down a version.
    pub fn version(&mut self, of: &str, version: impl Into<String>, source: impl Into<String>) {
        self.versions.push(Version { of: of.to_owned(), version: version.into(), source: source.into() });
    }

    /// Whether something was found under this name.
    pub fn has(&self, id: &str) -> bool {
        self.findings.iter().any(|finding| finding.id == id)
    }

    /// A device was opened and used. What was not found does not keep the suite from running then, and is only a warning,
    /// but for findings whose name begins so: they are not about the device.
    pub fn has_used_a_device(&mut self, but: &str) {
        self.probed = true;
        let outweighed = |finding: &&mut Finding| finding.severity > Severity::Warning && !finding.id.starts_with(but);
        for finding in self.findings.iter_mut().filter(outweighed) {
            finding.severity = Severity::Warning;
            finding.seen.push("all the same a device was opened and used".to_owned());
        }
    }

    /// Puts the worst first and says whether the suite can run. Findings of one severity keep their order: causes come
    /// before what they explain.
    pub fn conclude(&mut self) {
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let worst = |severity| self.findings.iter().filter(move |finding: &&Finding| finding.severity == severity);
        let more = |count: usize| match count {
            0 | 1 => String::new(),
            2 => " (and one more reason)".to_owned(),
            _ => format!(" (and {} more reasons)", count - 1),
        };
        let (blockers, unclear) = (worst(Severity::Blocker).count(), worst(Severity::Unclear).count());
        (self.verdict, self.summary) = match self.findings.first() {
            Some(first) if blockers > 0 => {
                (Verdict::NotReady, format!("This machine cannot run the suite: {}{}", first.title, more(blockers)))
            }
            Some(first) if unclear > 0 => {
                let said = format!("Whether this machine can run the suite is not known: {}", first.title);
                (Verdict::Unknown, said + &more(unclear))
            }
            _ if self.probed => {
                (Verdict::Ready, "This machine can run the suite: a device was opened and used".to_owned())
            }
            _ => {
                let said = "Nothing was found that keeps this machine from running the suite; --probe opens a device";
                (Verdict::Ready, said.to_owned())
            }
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
    fn the_worst_finding_decides_and_stands_first() {
        let found = with(&[Severity::Note, Severity::Blocker, Severity::Unclear, Severity::Blocker]);
        assert_eq!(found.verdict, Verdict::NotReady);
        assert_eq!(found.summary, "This machine cannot run the suite: something is a blocker (and one more reason)");
        assert_eq!(found.findings[0].severity, Severity::Blocker);
    }

    #[test]
    fn a_device_that_was_used_outweighs_what_was_not_found() {
        let mut examination = with(&[Severity::Blocker, Severity::Unclear, Severity::Note]);
        examination.has_used_a_device("reports.");
        examination.conclude();
        let severities: Vec<Severity> = examination.findings.iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [Severity::Warning, Severity::Warning, Severity::Note]);
        assert_eq!(examination.summary, "This machine can run the suite: a device was opened and used");
        examination.find(Finding::new("reports.no-space", Severity::Blocker, "there is no room", "make room"));
        examination.has_used_a_device("reports.");
        examination.conclude();
        assert_eq!(examination.verdict, Verdict::NotReady);
    }

    #[test]
    fn what_is_unclear_is_no_readiness_and_a_warning_is() {
        assert_eq!(with(&[Severity::Warning, Severity::Unclear]).verdict, Verdict::Unknown);
        assert_eq!(with(&[Severity::Warning, Severity::Note]).verdict, Verdict::Ready);
        assert_eq!(with(&[]).verdict, Verdict::Ready);
    }
}
