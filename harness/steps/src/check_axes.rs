//! The checker's part for what stands before the steps: actors and the domains of `forall`.

use crate::domain::DomainSource;
use abi::Type;

use super::check::Checker;
use super::program::{Actor, Axis, Domain, Expression, Process, Range, State};
use super::token::{Kind, Token, tokenize};
use super::types::{INT64, SIZE, TEXT, is_integer};
use super::{Part, Span};

impl Checker<'_> {
    pub(super) fn actors(&mut self, text: Option<&str>) {
        self.part = Part::Actors;
        if let Some(text) = text {
            match tokenize(text, false) {
                Ok(tokens) => {
                    let ends: Vec<usize> =
                        (0..tokens.len()).filter(|at| tokens[*at].kind == Kind::Symbol(";")).collect();
                    let mut start = 0;
                    for end in ends {
                        self.actor_line(&tokens[start..end]);
                        start = end + 1;
                    }
                    if start + 1 < tokens.len() {
                        self.problem(tokens[start].span, "this actor has no `;` at its end");
                    }
                }
                Err(error) => self.problem(error.span, error.message),
            }
        }
        if self.processes.is_empty() {
            self.processes.push(Process { name: "A".to_owned(), device: 0, state: State::Device, isolated: false });
            self.actors.insert(0, Actor { name: "A".to_owned(), process: 0, thread: None });
        }
    }

    /// `NAME : process(device N), state S, isolated` or `NAME : thread(A), state S`.
    fn actor_line(&mut self, tokens: &[Token]) {
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
            _ => return,
        };
        let words: Vec<String> = tokens
            .iter()
            .map(|token| match &token.kind {
                Kind::Name(name) => name.clone(),
                Kind::Integer(value) => value.to_string(),
                Kind::Symbol(symbol) => (*symbol).to_owned(),
                _ => "?".to_owned(),
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        const FORM: &str =
            "an actor is written `A: process(device 0), state init, isolated;` or `T: thread(A), state init;`";
        let [name, ":", kind @ ("process" | "thread"), "(", rest @ ..] = words.as_slice() else {
            return self.problem(span, FORM);
        };
        if self.actors.iter().any(|actor| actor.name == *name) {
            return self.problem(span, format!("there are two actors `{name}`"));
        }
        let Some(close) = rest.iter().position(|word| *word == ")") else { return self.problem(span, FORM) };
        let (inside, options) = (&rest[..close], &rest[close + 1..]);
        let (mut state, mut isolated) = (State::Device, false);
        let mut options = options.iter().copied().filter(|word| *word != ",");
        while let Some(word) = options.next() {
            match (word, if word == "state" { options.next() } else { None }) {
                ("isolated", _) => isolated = true,
                ("state", Some("loaded")) => state = State::Loaded,
                ("state", Some("init")) => state = State::Init,
                ("state", Some("device")) => state = State::Device,
                _ => return self.problem(span, format!("`{word}` is no option of an actor; {FORM}")),
            }
        }
        if *kind == "thread" {
            let [parent] = inside else { return self.problem(span, "a thread names its process: `T: thread(A);`") };
            let Some(process) = self.actors.iter().find(|actor| actor.name == *parent).map(|actor| actor.process)
            else {
                return self.problem(span, format!("`{parent}` is no actor above this line"));
            };
            self.actors.push(Actor { name: (*name).to_owned(), process, thread: Some(state) });
            return;
        }
        let device = match inside {
            [] => 0,
            ["device", number] => match number.parse() {
                Ok(number) => number,
                Err(_) => return self.problem(span, format!("`{number}` is no device; devices are counted from 0")),
            },
            _ => return self.problem(span, FORM),
        };
        self.actors.push(Actor { name: (*name).to_owned(), process: self.processes.len(), thread: None });
        self.processes.push(Process {
            name: (*name).to_owned(),
            device,
            state,
            isolated: isolated || state != State::Device,
        });
    }

    // Axes

    pub(super) fn axis(&mut self, index: usize, name: &str, source: &DomainSource) {
        self.part = Part::Axis(index);
        self.constant_context = true;
        let domain = self.domain(source);
        self.constant_context = false;
        let (domain, ty) = domain.unwrap_or((Domain::Device, SIZE));
        if self.axes.iter().any(|axis| axis.name == name) || self.environment.declarations.constant(name).is_some() {
            self.problem(Span::default(), format!("`{name}` already names something else; choose another name"));
        }
        self.axes.push(Axis { name: name.to_owned(), domain, ty });
    }

    fn domain(&mut self, source: &DomainSource) -> Option<(Domain, Type)> {
        let kinds = source.kinds();
        if kinds.len() != 1 {
            let message = if kinds.is_empty() {
                "this domain has no kind; write for example `{bytes: 1..64KiB}` (docs/language.md, Domains)".to_owned()
            } else {
                format!("a domain has one kind, this one has {}", kinds.join(" and "))
            };
            self.problem(Span::default(), message);
            return None;
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
        if source.bool.is_some() {
            return Some((
                Domain::OneOf { values: vec![Expression::Constant(0), Expression::Constant(1)], every: true },
                SIZE,
            ));
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
            let length = match &source.length {
                Some(length) => self.range(length, None)?,
                None => {
                    self.problem(
                        Span::default(),
                        "a list needs its length: `{list_of: {bytes: 1..64KiB}, length: 1..64}`",
                    );
                    return None;
                }
            };
            let (item, logarithmic) = match self.domain(item)? {
                (Domain::Bytes(range), _) => (range, true),
                (Domain::Integer(range), _) => (range, false),
                _ => {
                    self.problem(Span::default(), "the items of a list are `bytes` or `int`");
                    return None;
                }
            };
            let ty = if may_be_negative(&item.low) { INT64 } else { SIZE };
            return Some((Domain::List { item, logarithmic, length }, ty));
        }
        if let Some(range) = &source.permutation {
            return Some((Domain::Permutation(self.range(range, None)?), SIZE));
        }
        if let Some(list) = source.length_of.as_ref().or(source.index_of.as_ref()) {
            let found = self.axes.iter().position(|axis| {
                axis.name == *list && matches!(axis.domain, Domain::List { .. } | Domain::Permutation(_))
            });
            let Some(found) = found else {
                self.problem(Span::default(), format!("`{list}` is no list above this axis"));
                return None;
            };
            return Some((
                if source.length_of.is_some() { Domain::LengthOf(found) } else { Domain::IndexOf(found) },
                SIZE,
            ));
        }
        Some((Domain::Device, INT64))
    }

    fn range(&mut self, text: &str, multiple_of: Option<&str>) -> Option<Range> {
        let Some((low, high)) = text.split_once("..") else {
            self.problem(
                Span::default(),
                format!("`{text}` is no range; write for example 1..64KiB (both ends included)"),
            );
            return None;
        };
        let multiple_of = match multiple_of {
            Some(text) => Some(self.bound(text)?),
            None => None,
        };
        let (low, high) = (self.bound(low)?, self.bound(high.trim_start_matches('='))?);
        if let (Expression::Constant(least), Expression::Constant(most)) = (&low, &high)
            && least > most
        {
            self.problem(Span::default(), format!("`{text}` holds no value; the smaller bound comes first"));
            return None;
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
                self.problem(Span::default(), format!("`{text}` is no integer; texts are written `{{text: […]}}`"));
                return None;
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
                self.problem(Span::default(), "an empty set of values; name at least one");
                return None;
            }
        };
        Some((Domain::OneOf { values: expressions, every }, ty))
    }
}

fn may_be_negative(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant(value) if *value < 0)
}
