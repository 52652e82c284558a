//! Checks actors and the domains of `forall`.

use crate::domain::{Choices, DomainSource};
use abi::Type;

use super::check::Checker;
use super::ids::AxisId;
use super::parse_actors::{ActorHome, ActorLine, parse_actors};
use super::program::{Actor, Axis, Domain, Expression, Process, Range, Readiness, Sharing, Sight};
use super::suggest::hint;
use super::syntax::Identifier;
use super::types::{INT64, SIZE, TEXT, VOID_POINTER, is_integer};
use super::vocabulary::is_name;
use super::{RulePart, Span};

impl Checker<'_> {
    pub(super) fn actors(&mut self, text: Option<&str>) {
        self.part = RulePart::Actors;
        let (lines, mistakes) = parse_actors(text.unwrap_or_default());
        mistakes.into_iter().for_each(|mistake| self.problem(mistake.span, mistake.message));
        lines.into_iter().for_each(|line| self.actor_line(line));
        if self.program.processes.is_empty() {
            let name = "A".to_owned();
            self.program.actors.push(Actor { name: name.clone(), process: 0, thread: None });
            self.program.processes.push(Process {
                name,
                device: 0,
                state: Readiness::Device,
                sharing: Sharing::Pooled,
                sight: Sight::Rule,
            });
        }
    }

    fn actor_line(&mut self, line: ActorLine) {
        let ActorLine { name: Identifier { name, span }, home, state, sharing, sight } = line;
        if self.program.actors.iter().any(|actor| actor.name == name) {
            return self.problem(span, format!("there are two actors `{name}`; rename one"));
        }
        let shared = matches!(home, ActorHome::Thread { .. }) || !matches!(sharing, None | Some(Sharing::Isolated));
        if sight != Sight::Rule && shared {
            let message =
                format!("`{name}` sees other devices than its rule, so it has to be a process that is isolated");
            return self.problem(span, message);
        }
        match home {
            ActorHome::Process { device } => {
                // Other rules cannot use a process that was set up differently from the processes in the pool.
                let pooled = state == Readiness::Device && sight == Sight::Rule;
                let usual = if pooled { Sharing::Pooled } else { Sharing::Isolated };
                let sharing = sharing.unwrap_or(usual);
                let process = self.program.processes.len();
                self.program.actors.push(Actor { name: name.clone(), process, thread: None });
                self.program.processes.push(Process { name, device, state, sharing, sight });
            }
            ActorHome::Thread { of } => match self.program.actors.iter().find(|actor| actor.name == of.name) {
                Some(actor) => {
                    let process = actor.process;
                    self.program.actors.push(Actor { name, process, thread: Some(state) });
                }
                None => {
                    let hint = hint(&of.name, self.program.actors.iter().map(|actor| actor.name.as_str()));
                    self.problem(of.span, format!("`{}` is not an actor above this line{hint}", of.name));
                }
            },
        }
    }

    // Axes

    pub(super) fn axis(&mut self, id: AxisId, name: &str, source: &DomainSource) {
        self.part = RulePart::Axis(id);
        if !is_name(name) {
            let message = format!("`{name}` cannot be a name in the steps; write letters, digits and `_`");
            self.problem(Span::default(), message);
        }
        self.constant_context = true;
        let domain = self.domain(source);
        self.constant_context = false;
        let (domain, ty) = domain.unwrap_or((Domain::Device, SIZE));
        if self.program.axes.iter().any(|axis| axis.name == name) || self.means_something(name) || name == "patience" {
            self.problem(Span::default(), format!("`{name}` already names something else; choose another name"));
        }
        self.program.axes.push(Axis { name: name.to_owned(), domain, ty });
    }

    fn domain(&mut self, source: &DomainSource) -> Option<(Domain, Type)> {
        let kinds = source.kinds();
        if kinds.len() != 1 {
            let message = if kinds.is_empty() {
                "this domain has no kind; write, for example, `{bytes: 1..64KiB}` (docs/catalog/language.md, Domains)"
                    .to_owned()
            } else {
                format!("a domain has one kind, but this one has {}; split it into two axes", kinds.join(" and "))
            };
            return self.wrong(Span::default(), message);
        }
        let multiple_of = source.multiple_of.as_deref();
        Some(match source {
            DomainSource { bytes: Some(range), .. } => (Domain::Bytes(self.range(range, multiple_of)?), SIZE),
            DomainSource { int: Some(range), .. } => {
                let range = self.range(range, multiple_of)?;
                let ty = integer_type(&range);
                (Domain::Integer(range), ty)
            }
            DomainSource { one_of: Some(values), .. } => self.values(values, false)?,
            DomainSource { every: Some(Choices(values)), .. } => match values.as_slice() {
                [only] if only.contains("..") => {
                    let range = self.range(only, multiple_of)?;
                    let ty = integer_type(&range);
                    (Domain::EveryOf(range), ty)
                }
                values => self.values(values, true)?,
            },
            DomainSource { text: Some(texts), .. } => {
                (Domain::Text(texts.iter().map(|text| self.text(text)).collect()), TEXT)
            }
            DomainSource { offset: Some(below), .. } => {
                let below = self.bound(below)?;
                (Domain::Offset { below, multiple_of: self.multiple_of(multiple_of)? }, SIZE)
            }
            DomainSource { list_of: Some(item), .. } => self.list(item, source.length.as_deref())?,
            DomainSource { permutation: Some(range), .. } => (Domain::Permutation(self.length(range)?), SIZE),
            DomainSource { length_of: Some(list), .. } => (Domain::LengthOf(self.earlier_list(list)?), SIZE),
            DomainSource { index_of: Some(list), .. } => (Domain::IndexOf(self.earlier_list(list)?), SIZE),
            _ => {
                self.program.counts_devices = true;
                (Domain::Device, INT64)
            }
        })
    }

    fn list(&mut self, item: &DomainSource, length: Option<&str>) -> Option<(Domain, Type)> {
        let Some(length) = length else {
            let message = "a list needs its length: `{list_of: {bytes: 1..64KiB}, length: 1..64}`";
            return self.wrong(Span::default(), message);
        };
        let length = self.length(length)?;
        let (item, logarithmic) = match self.domain(item)? {
            (Domain::Bytes(range), _) => (range, true),
            (Domain::Integer(range), _) => (range, false),
            _ => {
                return self.wrong(Span::default(), "the items of a list must be `bytes` or `int`");
            }
        };
        let ty = integer_type(&item);
        Some((Domain::List { item, logarithmic, length }, ty))
    }

    fn length(&mut self, text: &str) -> Option<Range> {
        let range = self.range(text, None)?;
        if may_be_negative(&range.low) {
            return self.wrong(Span::default(), format!("`{text}` is not a range of lengths; a length is 0 or more"));
        }
        Some(range)
    }

    /// The id of an earlier axis that draws lists.
    fn earlier_list(&mut self, name: &str) -> Option<AxisId> {
        let found = self
            .program
            .axes
            .position(|axis| axis.name == name && matches!(axis.domain, Domain::List { .. } | Domain::Permutation(_)));
        if found.is_none() {
            self.problem(Span::default(), format!("`{name}` is not a list above this axis"));
        }
        found
    }

    fn range(&mut self, text: &str, multiple_of: Option<&str>) -> Option<Range> {
        let Some((low, high)) = text.split_once("..") else {
            return self.wrong(
                Span::default(),
                format!("`{text}` is not a range; write, for example, 1..64KiB (both ends included)"),
            );
        };
        let multiple_of = self.multiple_of(multiple_of)?;
        let (low, high) = (self.bound(low)?, self.bound(high.trim_start_matches('='))?);
        if let (Expression::Constant(least), Expression::Constant(most)) = (&low, &high)
            && least > most
        {
            return self.wrong(Span::default(), format!("`{text}` contains no value; write the smaller bound first"));
        }
        Some(Range { low, high, multiple_of })
    }

    fn multiple_of(&mut self, text: Option<&str>) -> Option<Option<Expression>> {
        let Some(text) = text else { return Some(None) };
        let step = self.bound(text)?;
        if matches!(step, Expression::Constant(step) if step < 1) {
            return self.wrong(Span::default(), format!("`multiple_of: {text}` is too small; write 1 or more"));
        }
        Some(Some(step))
    }

    fn bound(&mut self, text: &str) -> Option<Expression> {
        self.known_value(text).map(|(value, _)| value)
    }

    /// An expression with its type. If the value is already known, the expression is a number.
    fn known_value(&mut self, text: &str) -> Option<(Expression, Type)> {
        let tree = self.parse(text, true)?;
        let typed = self.expression(&tree)?;
        Some((typed.constant.map_or(typed.expression, Expression::Constant), typed.ty))
    }

    fn values(&mut self, values: &[String], every: bool) -> Option<(Domain, Type)> {
        let known: Vec<(Expression, Type)> =
            values.iter().map(|text| self.known_value(text)).collect::<Option<Vec<_>>>()?;
        // Constants of the header that are handles, and NULL.
        let handle = known.iter().map(|(_, own)| *own).find(|own| matches!(own, Type::Handle(_)));
        let mut ty: Option<Type> = None;
        for (text, (value, own)) in values.iter().zip(&known) {
            let own = match handle {
                Some(handle) if *own == handle || is_null(value, *own) => handle,
                _ if !is_integer(*own) => {
                    let message = format!("`{text}` is not an integer; write texts as `{{text: […]}}`");
                    return self.wrong(Span::default(), message);
                }
                _ if matches!(own, Type::Enumeration { .. }) => *own,
                _ => INT64,
            };
            ty = Some(if ty.is_none_or(|previous| previous == own) { own } else { INT64 });
        }
        let expressions: Vec<Expression> = known.into_iter().map(|(value, _)| value).collect();
        let negative = expressions.iter().any(may_be_negative);
        let ty = match ty {
            Some(INT64) if handle.is_some() => {
                let message = "these are handles and integers; name values of one type".to_owned();
                return self.wrong(Span::default(), message);
            }
            Some(INT64) if !negative => SIZE,
            Some(ty) => ty,
            None => {
                return self.wrong(Span::default(), "an empty set of values; name at least one");
            }
        };
        Some((Domain::OneOf { values: expressions, written: values.to_vec(), every }, ty))
    }
}

fn is_null(value: &Expression, ty: Type) -> bool {
    ty == VOID_POINTER && matches!(value, Expression::Constant(0))
}

/// The type of an axis that draws integers from a range.
fn integer_type(range: &Range) -> Type {
    if may_be_negative(&range.low) { INT64 } else { SIZE }
}

fn may_be_negative(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant(value) if *value < 0)
}
