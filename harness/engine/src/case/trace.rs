//! The calls of a failed case.

use serde::{Deserialize, Serialize};

/// The calls of a failed case in order, each as text with its place in the steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// One line of text for each call, with arguments and result.
    pub calls: Vec<String>,
    /// The offset of each call in the program's text; `None` for calls outside the steps.
    pub places: Vec<Option<usize>>,
}

impl Trace {
    /// Adds a line and its place.
    pub fn add(&mut self, line: String, place: Option<usize>) {
        self.calls.push(line);
        self.places.push(place);
    }
}
