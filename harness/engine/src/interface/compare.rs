//! Compares two interfaces and lists the affected rules.

use std::collections::{BTreeSet, HashMap};

use steps::suggest::hint;

use catalog::Rules;

use super::library::LibraryInterface;

/// The kinds of differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A symbol is not exported.
    MissingSymbol,
    /// A symbol is exported with another version.
    SymbolVersion,
    /// The lists of needed libraries differ.
    Needed,
    /// A symbol exists only in the second library; no program depends on it yet.
    New,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub kind: Kind,
    /// The symbol or library that differs.
    pub name: String,
    pub text: String,
    /// The ids of the affected rules.
    pub rules: Vec<String>,
}

/// The functions that the catalog's header declares for a library, but that neither this library nor the libraries that
/// it needs export. Each function comes with its entry in the support table.
pub fn missing(rules: &Rules, home: usize, libraries: &[&LibraryInterface]) -> Vec<Difference> {
    let concerned = Concerned::of(rules);
    let functions = rules.environment.declarations.functions();
    let own = functions.iter().filter(|function| rules.libraries.home(function.name) == home);
    let exports = |symbol: &str| libraries.iter().any(|library| library.exported.contains_key(symbol));
    let absent = own.filter(|function| !exports(function.symbol()));
    let said = |name: &str| match rules.support.get(name) {
        None => "not in the support table".to_owned(),
        Some(entry) => match &entry.since {
            Some(since) => format!("supported since edition {since}"),
            None => "supported in every edition".to_owned(),
        },
    };
    let difference = |function: &&abi::Function| {
        let exported = libraries.iter().flat_map(|library| library.exported.keys());
        let near = hint(function.symbol(), exported.map(String::as_str));
        let text = format!("not exported: {}{near}", said(function.name));
        concerned.difference(Kind::MissingSymbol, function.name, text)
    };
    absent.map(|function| difference(&function)).collect()
}

/// The functions that the catalog's header declares for a library and that this interface exports.
pub fn offers<'a>(rules: &'a Rules, home: usize, library: &LibraryInterface) -> Vec<&'a str> {
    let functions = rules.environment.declarations.functions();
    let own = functions.iter().filter(|function| rules.libraries.home(function.name) == home);
    own.filter(|function| library.exported.contains_key(function.symbol())).map(|function| function.name).collect()
}

/// The differences of the second library from the first.
pub fn libraries(rules: &Rules, first: &LibraryInterface, second: &LibraryInterface) -> Vec<Difference> {
    let concerned = Concerned::of(rules);
    let mut found = Vec::new();
    for (name, version) in &first.exported {
        match second.exported.get(name) {
            None => found.push(concerned.difference(Kind::MissingSymbol, name, "no longer exported".to_owned())),
            Some(other) if other != version => {
                let shown = |version: &str| if version.is_empty() { "no version" } else { version }.to_owned();
                let text = format!("{} became {}", shown(version), shown(other));
                found.push(concerned.difference(Kind::SymbolVersion, name, text));
            }
            Some(_) => {}
        }
    }
    let new = second.exported.keys().filter(|name| !first.exported.contains_key(*name));
    found.extend(new.map(|name| concerned.difference(Kind::New, name, "newly exported".to_owned())));
    let list = |library: &LibraryInterface| library.needed.join(" ");
    if first.needed != second.needed {
        found.push(Difference {
            kind: Kind::Needed,
            name: second.soname.clone().unwrap_or_default(),
            text: format!("needs `{}`, needed `{}` before", list(second), list(first)),
            rules: Vec::new(),
        });
    }
    if first.soname != second.soname {
        let shown = |library: &LibraryInterface| library.soname.clone().unwrap_or_else(|| "no name".to_owned());
        let text = format!("programs are linked against {}; previously, against {}", shown(second), shown(first));
        found.push(Difference { kind: Kind::Needed, name: shown(second), text, rules: Vec::new() });
    }
    found.sort();
    found
}

/// The rules that use each name: a called function, a struct, or a word in the steps.
struct Concerned<'a> {
    rules: &'a Rules,
    by_name: HashMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Concerned<'a> {
    fn of(rules: &'a Rules) -> Concerned<'a> {
        let mut by_name: HashMap<&str, BTreeSet<usize>> = HashMap::new();
        for (index, rule) in rules.rules.iter().enumerate() {
            let called = rule.program.functions.iter().flat_map(|function| [function.name, function.symbol()]);
            let used = rule.program.structs.iter().copied();
            for name in called.chain(used).chain(words(&rule.program.source)) {
                by_name.entry(name).or_default().insert(index);
            }
        }
        Concerned { rules, by_name }
    }

    /// Creates a difference with its affected rules.
    fn difference(&self, kind: Kind, name: &str, text: String) -> Difference {
        let rules = self.by_name.get(name).into_iter().flatten();
        let rules = rules.map(|rule| self.rules.rules[*rule].id.clone()).collect();
        Difference { kind, name: name.to_owned(), text, rules }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

impl Kind {
    /// True if programs built for the first library may fail with the second.
    pub fn breaks(self) -> bool {
        self != Kind::New
    }

    /// The name of this kind in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::MissingSymbol => "missing symbol",
            Kind::SymbolVersion => "symbol version",
            Kind::Needed => "needed libraries",
            Kind::New => "new",
        }
    }
}
