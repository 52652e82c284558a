//! The checker's part for what stands before the steps: actors and the domains of `forall`.

use crate::domain::DomainSource;
use abi::Type;

use super::check::Checker;
use super::parse_actors::parse_actors;
use super::program::{Actor, Axis, Domain, Expression, Process, Range, State};
use super::suggest::hint;
use super::syntax::{ActorHome, ActorLine, Identifier};
use super::types::{INT64, SIZE, TEXT, is_integer};
use super::{Part, Span};

impl Checker<'_> {
    pub(super) fn actors(&mut self, text: Option<&str>) {
        self.part = Part::Actors;
        let (lines, mistakes) = parse_actors(text.unwrap_or_default());
        for mistake in mistakes {
            self.problem(mistake.span, mistake.message);
        }
        for line in lines {
            self.actor_line(line);
        }
        if self.program.processes.is_empty() {
            self.program.processes.push(Process {
                name: "A".to_owned(),
                device: 0,
                state: State::Device,
                isolated: false,
            });
            self.program.actors.insert(0, Actor { name: "A".to_owned(), process: 0, thread: None });
        }
    }

    fn actor_line(&mut self, line: ActorLine) {
        let ActorLine { name: Identifier { name, span }, home, state, isolated } = line;
        if self.program.actors.iter().any(|actor| actor.name == name) {
            return self.problem(span, format!("there are two actors `{name}`"));
        }
        match home {
            ActorHome::Process { device } => {
                let isolated = isolated || state != State::Device;
                self.program.actors.push(Actor {
                    name: name.clone(),
                    process: self.program.processes.len(),
                    thread: None,
                });
                self.program.processes.push(Process { name, device, state, isolated });
            }
            ActorHome::Thread { of } => match self.program.actors.iter().find(|actor| actor.name == of.name) {
                Some(actor) => {
                    let process = actor.process;
                    self.program.actors.push(Actor { name, process, thread: Some(state) });
                }
                None => {
                    let hint = hint(&of.name, self.program.actors.iter().map(|actor| actor.name.as_str()));
                    self.problem(of.span, format!("`{}` is no actor above this line{hint}", of.name));
                }
            },
        }
    }

    // Axes

    pub(super) fn axis(&mut self, index: usize, name: &str, source: &DomainSource) {
        self.part = Part::Axis(index);
        self.constant_context = true;
        let domain = self.domain(source);
        self.constant_context = false;
        let (domain, ty) = domain.unwrap_or((Domain::Device, SIZE));
        if self.program.axes.iter().any(|axis| axis.name == name) || self.means_something(name) {
            self.problem(Span::default(), format!("`{name}` already names something else; choose another name"));
        }
        self.program.axes.push(Axis { name: name.to_owned(), domain, ty });
    }

    fn domain(&mut self, source: &DomainSource) -> Option<(Domain, Type)> {
        let kinds = source.kinds();
        if kinds.len() != 1 {
            let message = if kinds.is_empty() {
                "this domain has no kind; write for example `{bytes: 1..64KiB}` (docs/language.md, Domains)".to_owned()
            } else {
                format!("a domain has one kind, this one has {}", kinds.join(" and "))
            };
            return self.wrong(Span::default(), message);
        }
        let multiple_of = source.multiple_of.as_deref();
        if let Some(range) = &source.bytes {
            return Some((Domain::Bytes(self.range(range, multiple_of)?), SIZE));
        }
        if let Some(range) = &source.int {
            let range = self.range(range, multiple_of)?;
            let ty = if may_be_negative(&range.low) { INT64 } else { SIZE };
            return Some((Domain::Integer(range), ty));
        }
        if let Some(values) = &source.one_of {
            return self.values(values, false);
        }
        if let Some(every) = &source.every {
            if let [only] = every.0.as_slice()
                && only.contains("..")
            {
                let range = self.range(only, multiple_of)?;
                let ty = if may_be_negative(&range.low) { INT64 } else { SIZE };
                return Some((Domain::EveryOf(range), ty));
            }
            return self.values(&every.0, true);
        }
        if let Some(texts) = &source.text {
            let positions = texts.iter().map(|text| self.text(text)).collect();
            return Some((Domain::Text(positions), TEXT));
        }
        if let Some(below) = &source.offset {
            let below = self.bound(below)?;
            let multiple_of = match multiple_of {
                Some(text) => Some(self.bound(text)?),
                None => None,
            };
            return Some((Domain::Offset { below, multiple_of }, SIZE));
        }
        if let Some(item) = &source.list_of {
            return self.list(item, source.length.as_deref());
        }
        if let Some(range) = &source.permutation {
            return Some((Domain::Permutation(self.range(range, None)?), SIZE));
        }
        if let Some(list) = &source.length_of {
            return Some((Domain::LengthOf(self.earlier_list(list)?), SIZE));
        }
        if let Some(list) = &source.index_of {
            return Some((Domain::IndexOf(self.earlier_list(list)?), SIZE));
        }
        Some((Domain::Device, INT64))
    }

    fn list(&mut self, item: &DomainSource, length: Option<&str>) -> Option<(Domain, Type)> {
        let Some(length) = length else {
            let message = "a list needs its length: `{list_of: {bytes: 1..64KiB}, length: 1..64}`";
            return self.wrong(Span::default(), message);
        };
        let length = self.range(length, None)?;
        let (item, logarithmic) = match self.domain(item)? {
            (Domain::Bytes(range), _) => (range, true),
            (Domain::Integer(range), _) => (range, false),
            _ => {
                return self.wrong(Span::default(), "the items of a list are `bytes` or `int`");
            }
        };
        let ty = if may_be_negative(&item.low) { INT64 } else { SIZE };
        Some((Domain::List { item, logarithmic, length }, ty))
    }

    /// The position of an earlier axis that draws lists.
    fn earlier_list(&mut self, name: &str) -> Option<usize> {
        let found =
            self.program.axes.iter().position(|axis| {
                axis.name == name && matches!(axis.domain, Domain::List { .. } | Domain::Permutation(_))
            });
        if found.is_none() {
            self.problem(Span::default(), format!("`{name}` is no list above this axis"));
        }
        found
    }

    fn range(&mut self, text: &str, multiple_of: Option<&str>) -> Option<Range> {
        let Some((low, high)) = text.split_once("..") else {
            return self.wrong(
                Span::default(),
                format!("`{text}` is no range; write for example 1..64KiB (both ends included)"),
            );
        };
        let multiple_of = match multiple_of {
            Some(text) => Some(self.bound(text)?),
            None => None,
        };
        let (low, high) = (self.bound(low)?, self.bound(high.trim_start_matches('='))?);
        if let (Expression::Constant(least), Expression::Constant(most)) = (&low, &high)
            && least > most
        {
            return self.wrong(Span::default(), format!("`{text}` holds no value; the smaller bound comes first"));
        }
        Some(Range { low, high, multiple_of })
    }

    fn bound(&mut self, text: &str) -> Option<Expression> {
        let tree = self.parse(text, true)?;
        let typed = self.expression(&tree)?;
        Some(match typed.constant {
            Some(value) => Expression::Constant(value),
            None => typed.expression,
        })
    }

    fn values(&mut self, values: &[String], every: bool) -> Option<(Domain, Type)> {
        let mut expressions = Vec::new();
        let mut ty: Option<Type> = None;
        for text in values {
            let tree = self.parse(text, true)?;
            let typed = self.expression(&tree)?;
            if !is_integer(typed.ty) {
                return self
                    .wrong(Span::default(), format!("`{text}` is no integer; texts are written `{{text: […]}}`"));
            }
            let own = if matches!(typed.ty, Type::Enumeration { .. }) { typed.ty } else { INT64 };
            ty = Some(match ty {
                None => own,
                Some(previous) if previous == own => own,
                Some(_) => INT64,
            });
            expressions.push(match typed.constant {
                Some(value) => Expression::Constant(value),
                None => typed.expression,
            });
        }
        let negative = expressions.iter().any(may_be_negative);
        let ty = match ty {
            Some(INT64) if !negative => SIZE,
            Some(ty) => ty,
            None => {
                return self.wrong(Span::default(), "an empty set of values; name at least one");
            }
        };
        Some((Domain::OneOf { values: expressions, every }, ty))
    }
}

fn may_be_negative(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant(value) if *value < 0)
}
