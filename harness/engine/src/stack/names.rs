//! The names of addresses: file, function, and line if the file has debug information.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use addr2line::{Context, demangle_auto, gimli};
use object::{File, Object, ObjectSymbol, SymbolKind};

use super::elf::{Elf, bias, build_id, open, section};
use super::maps::Module;

/// The maximum size of a section with debug information, in bytes.
const LARGEST_DEBUG: u64 = 256 << 20;
/// The assumed size of a function without a size, in bytes.
const UNSIZED: u64 = 4 << 10;
/// The folder with debug information of stripped files, by build id.
const DEBUG: &str = "/usr/lib/debug/.build-id";

/// Named addresses.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// `libfoo.so+0x1234 symbol+0x10 (file.c:12)`, in the order of the addresses.
    pub frames: Vec<String>,
    /// The files of the addresses with their build ids, in the order in which they first occur.
    pub files: Vec<String>,
}

/// The name of an address in a file.
#[derive(Debug, Default, Clone)]
struct Name {
    address: u64,
    symbol: Option<(String, u64)>,
    line: Option<String>,
}

impl Named {
    /// Names addresses. Lines of the file `without_lines` are not looked up.
    pub(super) fn of(addresses: &[u64], modules: &[Module], without_lines: Option<&Path>) -> Named {
        let mut named = Named::default();
        let mut by_file: BTreeMap<&Path, BTreeMap<u64, Name>> = BTreeMap::new();
        for address in addresses {
            let Some(module) = Module::at(modules, *address) else { continue };
            if by_file.contains_key(module.file.as_path()) {
                continue;
            }
            let inside: Vec<(u64, &Module)> = addresses
                .iter()
                .filter_map(|address| Some((*address, Module::at(modules, *address)?)))
                .filter(|(_, other)| other.file == module.file)
                .collect();
            let lines = without_lines != Some(module.file.as_path());
            let (names, id) = names(module, &inside, lines).unwrap_or_default();
            if module.path.starts_with('/') {
                let id = id.map(|id| format!(" (build id {id})")).unwrap_or_default();
                named.files.push(format!("{}{id}", module.path));
            }
            by_file.insert(&module.file, names);
        }
        named.frames = addresses
            .iter()
            .map(|address| match Module::at(modules, *address) {
                Some(module) => {
                    let known = by_file.get(module.file.as_path()).and_then(|names| names.get(address));
                    shown(module, *address, known)
                }
                None => format!("{address:#x}"),
            })
            .collect();
        named
    }
}

fn shown(module: &Module, address: u64, name: Option<&Name>) -> String {
    let Some(Name { address, symbol, line }) = name else {
        // The place in the file, because the file could not be read.
        let place = address.wrapping_sub(module.range.start).wrapping_add(module.offset);
        return format!("{}+{place:#x}", module.name());
    };
    let symbol = symbol.as_ref().map(|(symbol, offset)| format!(" {symbol}+{offset:#x}")).unwrap_or_default();
    let line = line.as_ref().map(|line| format!(" ({line})")).unwrap_or_default();
    format!("{}+{address:#x}{symbol}{line}", module.name())
}

/// The names of addresses in one file, and the file's build id.
fn names(module: &Module, addresses: &[(u64, &Module)], lines: bool) -> Option<(BTreeMap<u64, Name>, Option<String>)> {
    let pieces = open(&module.file)?;
    let file = File::parse(&pieces).ok()?;
    let id = build_id(&file);
    let mut names: BTreeMap<u64, Name> = addresses
        .iter()
        .filter_map(|(address, module)| {
            let inside = address.wrapping_sub(bias(module, &file)?);
            Some((*address, Name { address: inside, ..Name::default() }))
        })
        .collect();
    look_up(&file, &mut names, lines);
    let missing = names.values().any(|name| name.symbol.is_none() || (lines && name.line.is_none()));
    if let Some(apart) = id.as_deref().filter(|_| missing).and_then(debug_file).as_deref().and_then(open)
        && let Ok(apart) = File::parse(&apart)
    {
        look_up(&apart, &mut names, lines);
    }
    Some((names, id))
}

/// The file with the debug information that was stripped from a file with this build id.
fn debug_file(id: &str) -> Option<PathBuf> {
    let (folder, name) = id.split_at_checked(2)?;
    Some(Path::new(DEBUG).join(folder).join(format!("{name}.debug"))).filter(|path| path.is_file())
}

fn look_up(file: &Elf<'_>, names: &mut BTreeMap<u64, Name>, lines: bool) {
    symbols(file, names);
    if lines {
        add_lines(file, names);
    }
}

/// Finds the function that contains each address.
fn symbols(file: &Elf<'_>, names: &mut BTreeMap<u64, Name>) {
    for name in names.values_mut().filter(|name| name.symbol.is_none()) {
        let contains = |(start, size): (u64, u64)| {
            // Functions in assembly language may have no size.
            let size = if size == 0 { UNSIZED } else { size };
            start != 0 && start <= name.address && name.address - start < size
        };
        let defined = file.symbols().chain(file.dynamic_symbols());
        let found = defined
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
            .filter(|symbol| contains((symbol.address(), symbol.size())))
            .max_by_key(|symbol| (symbol.address(), symbol.size()));
        name.symbol = found.and_then(|symbol| {
            let text = demangle_auto(symbol.name().ok()?.into(), None).into_owned();
            Some((text, name.address - symbol.address()))
        });
    }
}

/// Finds the line of each address, if the file has debug information.
fn add_lines(file: &Elf<'_>, names: &mut BTreeMap<u64, Name>) {
    let load = |id: gimli::SectionId| -> Result<Vec<u8>, gimli::Error> {
        Ok(section(file, id.name(), LARGEST_DEBUG).map(|(_, bytes)| bytes).unwrap_or_default())
    };
    let Ok(sections) = gimli::DwarfSections::load(load) else { return };
    let dwarf = sections.borrow(|bytes| gimli::EndianSlice::new(bytes, gimli::LittleEndian));
    let Ok(context) = Context::from_dwarf(dwarf) else { return };
    for name in names.values_mut().filter(|name| name.line.is_none()) {
        let Ok(Some(found)) = context.find_location(name.address) else { continue };
        if let (Some(file), Some(line)) = (found.file, found.line) {
            name.line = Some(format!("{file}:{line}"));
        }
    }
}
