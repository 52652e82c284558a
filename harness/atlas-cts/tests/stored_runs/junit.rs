//! `junit.xml` as data, as a build server shows it.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// A case of a JUnit report.
#[derive(Debug, PartialEq, Eq)]
pub struct Case {
    pub suite: String,
    pub class: String,
    pub name: String,
    /// `passed`, or the element with the reason and its type.
    pub status: String,
}

/// The cases of a report, in order.
pub fn cases(xml: &str) -> Vec<Case> {
    let mut reader = Reader::from_str(xml);
    let (mut suite, mut cases): (String, Vec<Case>) = (String::new(), Vec::new());
    loop {
        let event = reader.read_event().unwrap();
        let element = match &event {
            Event::Eof => return cases,
            Event::Start(element) | Event::Empty(element) => element,
            _ => continue,
        };
        match std::str::from_utf8(element.name().as_ref()).unwrap() {
            "testsuite" => suite = attribute(element, "name"),
            "testcase" => cases.push(Case {
                suite: suite.clone(),
                class: attribute(element, "classname"),
                name: attribute(element, "name"),
                status: "passed".to_owned(),
            }),
            kind @ ("failure" | "error" | "skipped") => {
                let status = format!("{kind} {}", attribute(element, "type"));
                cases.last_mut().unwrap().status = status.trim_end().to_owned();
            }
            _ => {}
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> String {
    let found = element.try_get_attribute(name).unwrap();
    found.map_or_else(String::new, |value| String::from_utf8(value.value.into_owned()).unwrap())
}
