//! Files name each other in one direction, except in small circles: checked on the syntax of every crate of the
//! workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, ExprLit, Ident, ItemMod, ItemUse, Lit, Macro, Meta, MetaList, MetaNameValue, UseTree, Visibility};

/// The most files in a circle.
const MOST: usize = 4;

/// The names that lead to a module from the root of its crate, or from a module to an item.
type Names = Vec<String>;

/// File → the files that it names, with the names.
type Arrows = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// The names in the sources below a root.
struct Sources<'r> {
    read: &'r dyn Fn(&Path) -> Option<String>,
    modules: BTreeMap<Names, PathBuf>,
    /// A name in a module → the path that it is imported or re-exported from.
    imported: BTreeMap<(Names, String), Names>,
    /// The paths in the code of a module.
    named: Vec<(Names, Names)>,
    /// The current module, and the folder with the files of its submodules.
    module: Names,
    folder: PathBuf,
}

impl Sources<'_> {
    fn arrows_below(root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Arrows {
        let (modules, imported, folder) = (BTreeMap::new(), BTreeMap::new(), root.with_file_name(""));
        let mut sources = Sources { read, modules, imported, named: Vec::new(), module: Vec::new(), folder };
        sources.file(root.to_owned());
        let mut arrows = Arrows::new();
        for (from, path) in &sources.named {
            // A path to a whole module names no file yet; a path into the module does.
            let Some((module, Some(item))) = sources.end(from, path, 8) else { continue };
            let (file, other) = (&sources.modules[from], &sources.modules[&module]);
            let others = arrows.entry(file.clone()).or_default();
            if file != other {
                others.entry(other.clone()).or_default().insert(item);
            }
        }
        arrows
    }

    fn file(&mut self, file: PathBuf) {
        let text = (self.read)(&file).unwrap_or_else(|| panic!("{} cannot be read", file.display()));
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.modules.insert(self.module.clone(), file);
        syntax.items.iter().for_each(|item| self.visit_item(item));
    }

    /// The end of a path in a module: the module that it leads to, and the name there.
    fn end(&self, from: &Names, path: &[String], depth: usize) -> Option<(Names, Option<String>)> {
        let below = |name: &String| [from.as_slice(), std::slice::from_ref(name)].concat();
        let imports = |at: &Names, name: &String| self.imported.get(&(at.clone(), name.clone()));
        let (mut at, mut rest) = match path.first()? {
            name if name == "crate" => (Vec::new(), &path[1..]),
            name if name == "self" => (from.clone(), &path[1..]),
            name if name == "super" || imports(from, name).is_some() => (from.clone(), path),
            name => self.modules.get(&below(name)).map(|_| (from.clone(), path))?,
        };
        while let [name, further @ ..] = rest {
            match name.as_str() {
                "super" => drop(at.pop()?),
                _ => at.push(name.clone()),
            }
            if !self.modules.contains_key(&at) {
                at.pop();
                let Some(target) = imports(&at, name) else { return Some((at, Some(name.clone()))) };
                return self.end(&at, &[target, further].concat(), depth.checked_sub(1)?);
            }
            rest = further;
        }
        Some((at, None))
    }

    fn name(&mut self, path: Names) {
        self.named.push((self.module.clone(), path));
    }

    /// The paths in the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut between) = (Names::new(), String::new());
        for token in tokens {
            match token {
                TokenTree::Punct(symbol) => between.push(symbol.as_char()),
                TokenTree::Ident(name) => {
                    if std::mem::take(&mut between) != "::" {
                        self.name(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(_) => {}
            }
        }
        self.name(path);
    }
}

impl<'ast> Visit<'ast> for Sources<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        // `#[cfg(test)]`
        if item.attrs.iter().any(|attribute| attribute.parse_args::<Ident>().is_ok_and(|name| name == "test")) {
            return;
        }
        let name = item.ident.to_string();
        let written = item.attrs.iter().filter(|attribute| attribute.path().is_ident("path"));
        let mut written = written.map(|attribute| match &attribute.meta {
            Meta::NameValue(MetaNameValue { value: Expr::Lit(ExprLit { lit: Lit::Str(path), .. }), .. }) => {
                path.value()
            }
            _ => panic!("`#[path]` of {} is not a text", item.ident),
        });
        let outer = (self.module.clone(), self.folder.clone());
        let file = self.modules[&self.module].clone();
        self.module.push(name.clone());
        self.folder.push(name);
        if let Some((_, items)) = &item.content {
            self.modules.insert(self.module.clone(), file);
            items.iter().for_each(|item| self.visit_item(item));
        } else if let Some(path) = written.next_back() {
            let file = file.with_file_name(path);
            self.folder = file.with_file_name("");
            self.file(file);
        } else {
            let file = self.folder.with_extension("rs");
            self.file(if (self.read)(&file).is_some() { file } else { self.folder.join("mod.rs") });
        }
        (self.module, self.folder) = outer;
    }

    /// A private import is for the file itself, even if only its methods are used; others may be for its readers.
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for (name, path) in imports(&item.tree, &[]) {
            if matches!(item.vis, Visibility::Inherited) {
                self.name(path.clone());
            }
            self.imported.insert((self.module.clone(), name), path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.name(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    /// `pub(super)` names nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_macro(&mut self, of: &'ast Macro) {
        self.visit_path(&of.path);
        self.tokens(of.tokens.clone());
    }

    fn visit_meta_list(&mut self, list: &'ast MetaList) {
        self.tokens(list.tokens.clone());
    }
}

/// The names that a `use` brings into its module, each with its path.
fn imports(tree: &UseTree, before: &[String]) -> Vec<(String, Names)> {
    let path = |name: &Ident| [before, &[name.to_string()]].concat();
    match tree {
        UseTree::Path(of) => imports(&of.tree, &path(&of.ident)),
        UseTree::Group(group) => group.items.iter().flat_map(|item| imports(item, before)).collect(),
        UseTree::Glob(_) => vec![("*".to_owned(), before.to_vec())],
        UseTree::Name(name) if name.ident == "self" => vec![(before[before.len() - 1].clone(), before.to_vec())],
        UseTree::Name(name) => vec![(name.ident.to_string(), path(&name.ident))],
        UseTree::Rename(name) => vec![(name.rename.to_string(), path(&name.ident))],
    }
}

/// The files that name each other, directly or through others.
fn circles(arrows: &Arrows) -> BTreeSet<BTreeSet<&PathBuf>> {
    let mut reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = BTreeMap::new();
    for file in arrows.keys() {
        let (mut next, found) = (vec![file], reached.entry(file).or_default());
        while let Some(others) = next.pop().map(|file| arrows.get(file)) {
            next.extend(others.into_iter().flat_map(BTreeMap::keys).filter(|other| found.insert(*other)));
        }
    }
    let circle = |file: &PathBuf| {
        let back = |other: &&PathBuf| reached.get(*other).is_some_and(|found| found.contains(file));
        reached[file].iter().copied().filter(back).collect()
    };
    arrows.keys().map(circle).filter(|circle: &BTreeSet<_>| !circle.is_empty()).collect()
}

/// Describes a circle that is too large, with the names that cause its arrows.
fn told(top: &Path, circle: &BTreeSet<&PathBuf>, arrows: &Arrows) -> String {
    let short = |file: &PathBuf| file.strip_prefix(top).unwrap_or(file).display().to_string();
    let mut told = format!("{} files in a circle:\n", circle.len());
    for (from, (to, names)) in circle.iter().flat_map(|from| arrows[*from].iter().map(move |to| (from, to))) {
        if circle.contains(to) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            told += &format!("  {} → {}: {}\n", short(from), short(to), names.join(", "));
        }
    }
    told
}

#[test]
fn files_name_each_other_in_small_circles_only() {
    let top = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("the workspace is a folder");
    let text = |path: &Path| fs::read_to_string(path).ok();
    let manifest = |folder: &Path| text(&folder.join("Cargo.toml")).expect("a crate has a manifest");
    let members = manifest(&top).split_once("members = [").expect("the workspace has members").1.to_owned();
    let members = members.split(']').next().expect("a list ends").split('"').skip(1).step_by(2);
    let (mut wrong, mut files) = (String::new(), 0);
    for member in members {
        let (folder, manifest) = (top.join(member), manifest(&top.join(member)));
        let named = manifest.lines().filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'));
        let roots: BTreeSet<&str> =
            ["src/lib.rs", "src/main.rs"].into_iter().chain(named.filter(|path| !path.starts_with("tests/"))).collect();
        let roots = roots.into_iter().map(|root| folder.join(root)).filter(|root| root.is_file());
        let all: Vec<Arrows> = roots.map(|root| Sources::arrows_below(&root, &text)).collect();
        files += all.iter().map(BTreeMap::len).sum::<usize>();
        for arrows in &all {
            let large = circles(arrows).into_iter().filter(|circle| circle.len() > MOST);
            wrong.extend(large.map(|circle| told(&top, &circle, arrows)));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(files > 300, "the sources are read: {files} files");
}

/// The circles of an invented crate with these files.
fn made_up(files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &Path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned());
    let arrows = Sources::arrows_below(Path::new("lib.rs"), &read);
    let shown = |circle: BTreeSet<&PathBuf>| circle.iter().map(|file| file.display().to_string()).collect::<Vec<_>>();
    circles(&arrows).into_iter().map(|circle| shown(circle).join(" ")).collect()
}

#[test]
fn a_circle_is_found_in_imports_paths_and_macros() {
    let of = |b| {
        let (map, a) = (("lib.rs", "mod a; mod b; mod c;"), ("a.rs", "use crate::b::{B, Other as O};"));
        made_up(&[map, a, ("b.rs", b), ("c.rs", "fn f() { assert!(crate::a::A::new() == 1); }")])
    };
    assert_eq!(of("type B = super::c::C;"), ["a.rs b.rs c.rs"]);
    assert_eq!(of("use crate::c; type B = c::C;"), ["a.rs b.rs c.rs"]);
    assert_eq!(of("use crate::c;"), [""; 0]);
}

#[test]
fn a_reexport_leads_to_where_the_item_is() {
    let of = |b| {
        let map = ("lib.rs", "mod a; mod b; pub use a::{A, inner::Inner}; pub use b::B;");
        made_up(&[map, ("a.rs", "pub(crate) mod inner; use crate::B;"), ("a/inner.rs", "struct Inner;"), ("b.rs", b)])
    };
    assert_eq!(of("use crate::A;"), ["a.rs b.rs"]);
    assert_eq!(of("use crate::Inner;"), [""; 0]);
}

#[test]
fn comments_texts_and_tests_name_nothing() {
    let of = |b| made_up(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b/mod.rs", b)]);
    assert_eq!(of("use crate::a::A;"), ["a.rs b/mod.rs"]);
    for text in ["// use crate::a::A;", "const A: &str = \"crate::a::A\";", "#[cfg(test)] mod c { use crate::a::A; }"] {
        assert_eq!(of(text), [""; 0], "{text}");
    }
}
