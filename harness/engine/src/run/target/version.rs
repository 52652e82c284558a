//! The version that the runtime reports: the first answer to the version queries in api.yaml.

use crate::wire::message::Answers;
use catalog::{Edition, Query, Rules};

/// The runtime's version.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Version {
    pub text: Option<String>,
    pub edition: Option<Edition>,
    /// A note if only a fallback query answered, or if no query answered.
    pub note: Option<String>,
}

/// Reads the answers to the version queries of a library, which is given by its position.
pub(super) fn version_of(answers: &Answers, rules: &Rules, product: &str, library: usize) -> Version {
    let asked = catalog::version_of(library);
    let queries = rules.life_cycle.of(product).queries.iter().filter(|query| query.name == asked);
    let answers = answers.iter().filter(|(name, _)| *name == asked).map(|(_, answer)| answer);
    let mut failed: Vec<String> = Vec::new();
    for (Query { by, interface, .. }, answer) in queries.zip(answers) {
        let text = match answer {
            Ok(text) if text.trim().is_empty() => {
                failed.push(format!("{by} gives no answer"));
                continue;
            }
            Ok(text) => text,
            Err(reason) => {
                let named = reason.contains(by.as_str());
                failed.push(if named { reason.clone() } else { format!("{by}: {reason}") });
                continue;
            }
        };
        let note = (!failed.is_empty()).then(|| format!("the version is from {by}, since {}", failed.join(" and ")));
        let Some(form) = interface else {
            return Version { text: Some(text.clone()), edition: rules.edition.read(text), note };
        };
        let number = form.read(text).map_or_else(|| text.clone(), |number| number.to_string());
        return Version { text: Some(format!("{number} of the interface")), edition: None, note };
    }
    let note = (!failed.is_empty()).then(|| format!("no version, since {}", failed.join(" and ")));
    Version { note, ..Version::default() }
}
