//! The complete search: its folder, the trials of versions, and the printed lines.

use engine::run::{RunError, interrupt};

use super::attempt::Bench;
use super::hunt::{BisectError, Hunt, SearchResult};
use super::search::{Conclusion, search};
use super::text;

/// Finds the first version with the symptom. `say` gets each line as soon as it is available.
///
/// # Errors
/// Fails if the list has fewer than two versions or repeats a version, if writing fails, or if a signal stops the
/// search.
pub(super) fn find(
    hunt: &Hunt,
    say: &mut dyn FnMut(&str) -> Result<(), RunError>,
) -> Result<SearchResult, BisectError> {
    if hunt.versions.len() < 2 {
        return Err(BisectError::TooFew { given: hunt.versions.len() });
    }
    let twice = hunt.versions.iter().enumerate().find(|(at, version)| hunt.versions[..*at].contains(version));
    if let Some((_, version)) = twice {
        return Err(BisectError::Twice { version: version.clone() });
    }
    let parent = hunt.folder.parent().map_or(Ok(()), std::fs::create_dir_all);
    parent
        .and_then(|()| std::fs::create_dir(&hunt.folder))
        .map_err(|source| BisectError::Folder { path: hunt.folder.clone(), source })?;
    interrupt::listen(false);
    let mut bench = Bench::new(hunt);
    let conclusion = search(hunt.versions.len(), |version| {
        let seen = bench.look(version)?;
        say(&bench.line(version)).map_err(|error| BisectError::Say(Box::new(error)))?;
        Ok(seen)
    })?;
    let confidence = matches!(conclusion, Conclusion::First { .. }).then(|| bench.confidence()).flatten();
    let found = SearchResult { conclusion, confidence, left: bench.left() };
    text::conclusion(hunt, &found)
        .iter()
        .try_for_each(|line| say(line))
        .map_err(|error| BisectError::Say(Box::new(error)))?;
    Ok(found)
}
