//! The second pass over `junit.xml`. It adds properties, places in the catalog, `skipped=` counts, totals, times with
//! three decimals and line breaks between elements, and restores `]]>` in text.

use std::borrow::Cow;
use std::collections::HashMap;

use quick_xml::Writer;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesCData, BytesDecl, BytesEnd, BytesStart, Event};
use quick_xml::reader::Reader;
use time::Duration;

use super::ReportError;

/// The mark that separates `]]` and `>` until the second pass. Cleaned text cannot contain this character.
pub(super) const SPLIT: char = '\u{FFFF}';

/// Everything that junit-report does not write. All text is clean.
pub(super) struct Extra {
    /// The name of the report.
    pub(super) name: String,
    /// The run's start time.
    pub(super) timestamp: String,
    /// The properties that every suite gets.
    pub(super) properties: Vec<(&'static str, String)>,
    /// The rules of the test cases, by id.
    pub(super) rules: HashMap<String, OfRule>,
    /// The number of skipped cases in each suite, in document order.
    pub(super) skipped: Vec<usize>,
    pub(super) tests: usize,
    pub(super) failures: usize,
    pub(super) errors: usize,
    /// The run's wall time.
    pub(super) time: Duration,
}

/// Everything that junit-report does not write about a rule's test case.
#[derive(Default)]
pub(super) struct OfRule {
    /// The rule's file in the catalog.
    pub(super) file: String,
    /// The failed statement's line in the file; `None` if no statement failed.
    pub(super) line: Option<u32>,
    /// Names and values: the rule's devices and the cause of its failure, if they are known.
    pub(super) properties: Vec<(&'static str, String)>,
}

/// Completes the document that junit-report wrote.
pub(super) fn complete(xml: &[u8], extra: &Extra) -> Result<Vec<u8>, ReportError> {
    let mut reader = Reader::from_reader(xml);
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let mut skipped = extra.skipped.iter();
    loop {
        match reader.read_event().map_err(broken)? {
            Event::Eof => break,
            Event::Decl(_) => put(&mut writer, Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?,
            Event::Start(element) if element.name().as_ref() == b"testsuites" => {
                put(&mut writer, Event::Start(totals(&element, extra)?))?;
            }
            Event::Start(element) if element.name().as_ref() == b"testsuite" => {
                let mut element = rewritten(&element, extra)?;
                element.push_attribute(("skipped", skipped.next().unwrap_or(&0).to_string().as_str()));
                put(&mut writer, Event::Start(element))?;
                listed(&mut writer, &extra.properties)?;
            }
            Event::Start(element) => {
                let (copy, properties) = test_case(&element, extra)?;
                put(&mut writer, Event::Start(copy))?;
                if !properties.is_empty() {
                    listed(&mut writer, properties)?;
                }
            }
            Event::Empty(element) => match test_case(&element, extra)? {
                (copy, []) => put(&mut writer, Event::Empty(copy))?,
                (copy, properties) => {
                    let end = copy.to_end().into_owned();
                    put(&mut writer, Event::Start(copy))?;
                    listed(&mut writer, properties)?;
                    put(&mut writer, Event::End(end))?;
                }
            },
            Event::CData(text) => {
                let text = text.decode().map_err(broken)?.replace(SPLIT, "");
                for part in BytesCData::escaped(&text) {
                    put(&mut writer, Event::CData(part))?;
                }
            }
            other => put(&mut writer, other)?,
        }
    }
    let mut xml = writer.into_inner();
    xml.push(b'\n');
    Ok(xml)
}

fn totals<'a>(element: &BytesStart<'_>, extra: &Extra) -> Result<BytesStart<'a>, ReportError> {
    let mut element = rewritten(element, extra)?;
    element.push_attribute(("name", extra.name.as_str()));
    element.push_attribute(("tests", extra.tests.to_string().as_str()));
    element.push_attribute(("failures", extra.failures.to_string().as_str()));
    element.push_attribute(("errors", extra.errors.to_string().as_str()));
    element.push_attribute(("time", seconds(extra.time.as_seconds_f64()).as_str()));
    Ok(element)
}

/// Copies an element like [`rewritten`]. A rule's test case also gets the rule's place; its properties are returned.
fn test_case<'a, 'b>(
    element: &BytesStart<'_>,
    extra: &'b Extra,
) -> Result<(BytesStart<'a>, &'b Properties), ReportError> {
    let mut copy = rewritten(element, extra)?;
    if element.name().as_ref() != b"testcase" {
        return Ok((copy, &[]));
    }
    let name = element.try_get_attribute("name").map_err(broken)?;
    // Ids contain no characters that need escaping.
    let id = name.map(|name| String::from_utf8_lossy(&name.value).into_owned());
    let Some(OfRule { file, line, properties }) = id.and_then(|id| extra.rules.get(&id)) else {
        return Ok((copy, &[]));
    };
    copy.push_attribute(("file", file.as_str()));
    if let Some(line) = line {
        copy.push_attribute(("line", line.to_string().as_str()));
    }
    Ok((copy, properties))
}

/// Names and values.
type Properties = [(&'static str, String)];

fn listed(writer: &mut Writer<Vec<u8>>, properties: &Properties) -> Result<(), ReportError> {
    put(writer, Event::Start(BytesStart::new("properties")))?;
    for (name, value) in properties {
        let property = BytesStart::new("property").with_attributes([("name", *name), ("value", value)]);
        put(writer, Event::Empty(property))?;
    }
    put(writer, Event::End(BytesEnd::new("properties")))
}

/// Copies an element. The copy's time has three decimals, its timestamp is the run's start time, and the host name that
/// junit-report invents is omitted.
fn rewritten<'a>(element: &BytesStart<'_>, extra: &Extra) -> Result<BytesStart<'a>, ReportError> {
    let mut copy = BytesStart::new(std::str::from_utf8(element.name().as_ref()).map_err(broken)?.to_owned());
    for attribute in element.attributes() {
        let Attribute { key, value } = attribute.map_err(broken)?;
        match key.as_ref() {
            b"hostname" => {}
            b"timestamp" => copy.push_attribute(("timestamp", extra.timestamp.as_str())),
            b"time" => {
                let time: f64 = std::str::from_utf8(&value).map_err(broken)?.parse().map_err(broken)?;
                copy.push_attribute(("time", seconds(time).as_str()));
            }
            // The value is already escaped.
            _ => copy.push_attribute(Attribute { key, value: Cow::Borrowed(&value) }),
        }
    }
    Ok(copy)
}

fn seconds(time: f64) -> String {
    format!("{time:.3}")
}

fn put(writer: &mut Writer<Vec<u8>>, event: Event<'_>) -> Result<(), ReportError> {
    writer.write_event(event).map_err(broken)
}

pub(super) fn broken(error: impl std::fmt::Display) -> ReportError {
    ReportError::Markup { reason: error.to_string() }
}
