//! A statement's calls, and the resources that the calls acquire and release.

use catalog::{Handle, Resource};
use steps::builtins::builtin;
use steps::program::{Call, Statement as TypedStatement};
use steps::syntax::{Declaration, Expression, ExpressionKind, Initializer, Statement, StatementKind};

use super::printer::Printer;
use super::release::{Owned, Way};
use super::text::c_type;
use super::visit::calls;

/// A call in the text, with its checked form.
pub(super) struct Site<'t> {
    pub function: &'static str,
    pub typed: &'t Call,
    pub arguments: &'t [Expression],
}

impl<'a> Printer<'a> {
    /// A statement's calls, without the calls in nested blocks.
    pub(super) fn sites<'t>(&self, statement: &'t Statement, typed: &'t TypedStatement) -> Vec<Site<'t>> {
        let of = match &statement.kind {
            StatementKind::Expression { expression: of, .. }
            | StatementKind::Declaration(Declaration { value: Some(Initializer::Expression(of)), .. })
            | StatementKind::Assignment { value: of, .. }
            | StatementKind::Begin(of)
            | StatementKind::Defer(of) => of,
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        collect(of, &mut found);
        self.pair(found, typed)
    }

    /// The runtime calls in the text, each with its typed form. Both are in text order.
    pub(super) fn pair<'t>(&self, found: Vec<(&'t str, &'t [Expression])>, typed: &'t TypedStatement) -> Vec<Site<'t>> {
        let runtime = found.into_iter().filter(|(function, _)| builtin(function).is_none());
        runtime
            .zip(calls(&typed.kind))
            .map(|((_, arguments), typed)| Site {
                function: self.program.functions[typed.function].name,
                typed,
                arguments,
            })
            .collect()
    }

    /// The statements that record what successful calls acquire and release. `certain` is true if the calls were made
    /// and succeeded.
    pub(super) fn ownership(&mut self, sites: &[Site<'_>], certain: bool) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.runnable {
            return lines;
        }
        for site in sites {
            if self.plain {
                self.note(site, certain);
                continue;
            }
            if let Some((index, resource)) = self.acquires(site.function) {
                let way = self.way(resource);
                self.releases.insert(way.name.clone(), index);
                let argument = |position: usize| self.kept_argument(&site.arguments[position]);
                lines.push(way.acquired(&self.handle(resource, site), argument));
            }
            let mut names: Vec<String> = Vec::new();
            for resource in &self.rules.resources {
                let Some(position) = resource.released_by(site.function) else { continue };
                let (way, argument) = (self.way(resource), site.arguments.get(position));
                let Some(argument) = argument.filter(|_| self.releases.contains_key(&way.name)) else { continue };
                if names.last() != Some(&way.name) {
                    lines.push(way.released(&self.expression(argument)));
                    names.push(way.name);
                }
            }
        }
        if self.in_lane {
            lines.iter_mut().for_each(|line| *line = format!("LANE({});", line.trim_end_matches(';')));
        }
        lines
    }

    /// Records which resources are held after a call, if the text alone determines this. Otherwise, the program must
    /// keep track of the resources.
    fn note(&mut self, site: &Site<'_>, certain: bool) {
        let certain = certain && self.branches == 0 && self.loops.is_empty();
        let process = self.program.actors[self.actor].process;
        let releasing = self.rules.resources.iter().find_map(|resource| resource.released_by(site.function));
        if let Some(argument) = releasing.and_then(|position| site.arguments.get(position)) {
            let text = self.expression(argument);
            let is = |held: &Owned<'_>| held.resource.released_by(site.function).is_some();
            let mine = |held: &Owned<'_>| is(held) && held.process == process;
            match self.owned.iter().rposition(|held| mine(held) && held.handle == text) {
                Some(at) if certain => drop(self.owned.remove(at)),
                None if !self.owned.iter().any(mine) => {}
                _ => self.tangled = true,
            }
        }
        let Some((_, resource)) = self.acquires(site.function) else { return };
        let handle = self.handle(resource, site);
        let simple = |position: usize| matches!(site.arguments[position].kind, ExpressionKind::Name(_));
        let again = matches!(resource.handle, Handle::Pointee(_)) && self.holds(&handle);
        self.tangled |= !certain || again || !resource.kept().all(simple);
        let kept = resource.kept().map(|position| (position, self.expression(&site.arguments[position]))).collect();
        self.owned.push(Owned { resource, handle, kept, process });
    }

    /// True if a text is the handle of a held resource.
    pub(super) fn holds(&self, text: &str) -> bool {
        self.owned.iter().any(|held| held.handle == text || held.kept.iter().any(|(_, kept)| kept == text))
    }

    /// The calls that release the resources that are still held, most recent first. Each call comes with its process.
    pub(super) fn releasing(&self) -> Vec<(usize, String)> {
        let call = |held: &Owned<'a>| {
            let kept = |position: usize| {
                held.kept.iter().find(|(known, _)| *known == position).map(|(_, text)| text.clone()).unwrap_or_default()
            };
            (held.process, format!("MUST_SUCCEED({});", self.way(held.resource).call(&held.handle, kept)))
        };
        self.owned.iter().rev().map(call).collect()
    }

    /// The resource that a function acquires, with its position in the list.
    fn acquires(&self, function: &str) -> Option<(usize, &'a Resource)> {
        self.rules.resources.iter().enumerate().find(|(_, resource)| resource.acquire == function)
    }

    /// The method for releasing a resource.
    pub(super) fn way(&self, resource: &'a Resource) -> Way<'a> {
        Way::of(resource, &self.rules.resources, &self.rules.environment)
    }

    /// Stores arguments that a release passes on and that could differ if evaluated again.
    pub(super) fn keep_arguments(&mut self, sites: &[Site<'_>]) {
        for site in sites.iter().filter(|_| self.runnable && !self.plain) {
            let Some((_, resource)) = self.acquires(site.function) else { continue };
            let function = self.program.functions[site.typed.function];
            for position in resource.kept() {
                let argument = &site.arguments[position];
                let mut calls = Vec::new();
                collect(argument, &mut calls);
                let once = !calls.is_empty() || matches!(argument.kind, ExpressionKind::Text(_));
                if once && !self.kept.contains_key(&argument.span.start) {
                    let name = format!("kept_{}", self.kept.len() + 1);
                    self.flags.push(format!("{} = 0;", c_type(function.parameters[position].ty, &name)));
                    self.kept.insert(argument.span.start, name);
                }
            }
        }
    }

    /// An argument as it was when the call was made.
    fn kept_argument(&self, argument: &Expression) -> String {
        self.kept.get(&argument.span.start).cloned().unwrap_or_else(|| self.expression(argument))
    }

    fn handle(&self, resource: &Resource, site: &Site<'_>) -> String {
        let argument = &site.arguments[resource.parameter];
        match (&argument.kind, resource.handle) {
            (ExpressionKind::AddressOf(of), Handle::Pointee(_)) => self.expression(of),
            (_, Handle::Pointee(_)) => format!("*({})", self.expression(argument)),
            _ => self.expression(argument),
        }
    }
}

/// Collects every call in an expression, outer calls first.
pub(super) fn collect<'t>(of: &'t Expression, found: &mut Vec<(&'t str, &'t [Expression])>) {
    if let ExpressionKind::Call { function, arguments } = &of.kind {
        found.push((function, arguments));
    }
    of.parts().into_iter().for_each(|part| collect(part, found));
}
