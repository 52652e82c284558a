//! The calls that a statement makes, and what they acquire and release.

use crate::catalog::Resource;
use steps::builtins::builtin;
use steps::program::{Call, Statement as TypedStatement};
use steps::syntax::{Expression, ExpressionKind, Initializer, Statement, StatementKind};

use super::Printer;
use super::visit::calls;

/// A call in the text with what the checker knows of it.
pub struct Site<'t> {
    pub function: &'static str,
    pub typed: &'t Call,
    pub arguments: &'t [Expression],
}

impl Printer<'_> {
    /// The calls of a statement itself, not of the blocks inside it.
    pub fn sites<'t>(&self, statement: &'t Statement, typed: &'t TypedStatement) -> Vec<Site<'t>> {
        let mut found = Vec::new();
        match &statement.kind {
            StatementKind::Expression { expression, .. } => collect(expression, &mut found),
            StatementKind::Declaration { value: Some(Initializer::Expression(value)), .. } => {
                collect(value, &mut found)
            }
            StatementKind::Assignment { value, .. } => collect(value, &mut found),
            StatementKind::Defer(call) => collect(call, &mut found),
            _ => {}
        }
        self.pair(found, typed)
    }

    /// Calls of the runtime in the text, each with its typed form: both are in the order of the text.
    pub fn pair<'t>(&self, found: Vec<(&'t str, &'t [Expression])>, typed: &'t TypedStatement) -> Vec<Site<'t>> {
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

    /// The statements that note what successful calls acquire and release.
    pub fn ownership(&mut self, sites: &[Site<'_>]) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.runnable {
            return lines;
        }
        for site in sites {
            let resources = &self.rules.resources;
            if let Some(resource) = resources.iter().find(|resource| resource.acquire == site.function) {
                let (handle, bytes) = (self.handle(resource, site), resource.bytes.unwrap_or(0));
                self.releases.insert(resource.release.clone());
                let release = &resource.release;
                lines.push(format!("acquired(\"{release}\", release_{release}, {handle}, {bytes});"));
            }
            let mut names: Vec<&str> = resources
                .iter()
                .filter(|resource| resource.released_by(site.function))
                .map(|resource| resource.release.as_str())
                .filter(|release| self.releases.contains(*release))
                .collect();
            names.dedup();
            if let Some(first) = site.arguments.first() {
                let handle = self.expression(first);
                lines.extend(names.iter().map(|release| format!("released(release_{release}, {handle});")));
            }
        }
        lines
    }

    fn handle(&self, resource: &Resource, site: &Site<'_>) -> String {
        let argument = &site.arguments[resource.handle];
        match &argument.kind {
            ExpressionKind::AddressOf(of) if resource.indirect => self.expression(of),
            _ if resource.indirect => format!("*({})", self.expression(argument)),
            _ => self.expression(argument),
        }
    }
}

/// Every call in an expression, the outer ones first.
pub fn collect<'t>(of: &'t Expression, found: &mut Vec<(&'t str, &'t [Expression])>) {
    match &of.kind {
        ExpressionKind::Call { function, arguments } => {
            found.push((function, arguments));
            arguments.iter().for_each(|argument| collect(argument, found));
        }
        ExpressionKind::Member { of, .. }
        | ExpressionKind::AddressOf(of)
        | ExpressionKind::Dereference(of)
        | ExpressionKind::Unary(_, of)
        | ExpressionKind::Cast { of, .. } => collect(of, found),
        ExpressionKind::Index { of: left, index: right } | ExpressionKind::Binary(_, left, right) => {
            collect(left, found);
            collect(right, found);
        }
        ExpressionKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| collect(part, found));
        }
        ExpressionKind::In(of, values) => {
            collect(of, found);
            values.iter().for_each(|value| collect(value, found));
        }
        ExpressionKind::Integer(_)
        | ExpressionKind::Text(_)
        | ExpressionKind::Name(_)
        | ExpressionKind::SizeOf { .. } => {}
    }
}
