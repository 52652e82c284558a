//! Parses texts other than steps: the lines of `actors`, and the releases in api.yaml.

use super::ParseError;
use super::parse::{Names, Parsed, Parser, describe};
use super::program::{Readiness, Sharing, Sight};
use super::suggest::hint;
use super::syntax::{Identifier, ReleaseSyntax};
use super::token::Kind;
use super::vocabulary::Vocabulary;

/// A line of `actors`.
#[derive(Debug)]
pub(crate) struct ActorLine {
    pub name: Identifier,
    pub home: ActorHome,
    pub state: Readiness,
    /// `None` if the line does not say.
    pub sharing: Option<Sharing>,
    pub sight: Sight,
}

/// The process or thread of an actor.
#[derive(Debug)]
pub(crate) enum ActorHome {
    /// A separate process that works on a device.
    Process { device: u32 },
    /// A thread in another actor's process.
    Thread { of: Identifier },
}

/// An environment without types, actors and sets, which texts other than steps do not use.
fn no_names() -> Names<'static> {
    static NOTHING: Vocabulary = Vocabulary::new();
    Names { is_type: &|_| false, actors: &[], vocabulary: &NOTHING }
}

/// Parses the lines of `actors`. A mistake affects only its own line.
pub(crate) fn parse_actors(text: &str) -> (Vec<ActorLine>, Vec<ParseError>) {
    let names = no_names();
    let mut parser = match Parser::new(text, &names, false) {
        Ok(parser) => parser,
        Err(error) => return (Vec::new(), vec![error]),
    };
    let (mut lines, mut mistakes) = (Vec::new(), Vec::new());
    while *parser.peek() != Kind::End {
        if parser.accept(";") {
            continue;
        }
        match parser.actor_line() {
            Ok(line) => lines.push(line),
            Err(mistake) => {
                mistakes.push(mistake);
                while !parser.is(";") && *parser.peek() != Kind::End {
                    parser.next();
                }
            }
        }
    }
    (lines, mistakes)
}

/// Parses a release, which is a function's name or a call.
pub fn parse_release(text: &str) -> Result<ReleaseSyntax, ParseError> {
    let names = no_names();
    let mut parser = Parser::new(text, &names, false)?;
    let Identifier { name: function, span } = parser.name("the function that releases")?;
    if *parser.peek() == Kind::End {
        return Ok(ReleaseSyntax { function, span, arguments: None });
    }
    parser.expect("(", "after the function that releases")?;
    let arguments = parser.arguments()?;
    parser.expect_end()?;
    Ok(ReleaseSyntax { function, span, arguments: Some(arguments) })
}

const FORM: &str = "write an actor as `A: process(device 0), state init, isolated;` or `T: thread(A), state init;`";

impl Parser<'_> {
    /// Reports a word that is not allowed here, and suggests one of the allowed words.
    fn no_known<T>(&self, what: &str, known: &[&str]) -> Parsed<T> {
        let found = describe(self.peek());
        let hint = hint(found.trim_matches('`'), known.iter().copied());
        self.fail(&format!("{found} {what}{hint}; {FORM}"))
    }

    /// `NAME : process(device N), state S, sees "1", isolated;`, with `own` or `apart` in place of `isolated`, or `NAME :
    /// thread(A), state S;`.
    fn actor_line(&mut self) -> Parsed<ActorLine> {
        let start = self.span();
        if !matches!(self.peek(), Kind::Name(_)) || *self.peek_after(1) != Kind::Symbol(":") {
            return self.fail(FORM);
        }
        let name = self.name("an actor")?;
        self.next();
        let home = self.actor_home()?;
        let (mut state, mut sharing, mut sight) = (Readiness::Device, None, Sight::Rule);
        loop {
            if self.accept(",") {
            } else if self.accept("isolated") {
                sharing = Some(Sharing::Isolated);
            } else if self.accept("own") {
                sharing = Some(Sharing::Own);
            } else if self.accept("apart") {
                sharing = Some(Sharing::Apart);
            } else if self.accept("state") {
                state = self.state()?;
            } else if self.accept("sees") {
                sight = self.sight()?;
            } else if self.accept(";") {
                return Ok(ActorLine { name, home, state, sharing, sight });
            } else if *self.peek() == Kind::End {
                let message = "this line lacks a `;` at its end".to_owned();
                return Err(ParseError { span: self.since(start), message });
            } else {
                return self.no_known("is not an option of an actor", &["state", "isolated", "own", "apart", "sees"]);
            }
        }
    }

    fn actor_home(&mut self) -> Parsed<ActorHome> {
        let thread = self.is("thread");
        if !thread && !self.is("process") {
            return self.no_known("is not a kind of actor", &["process", "thread"]);
        }
        self.next();
        if !self.accept("(") {
            return self.fail(FORM);
        }
        let home = if thread {
            if !matches!(self.peek(), Kind::Name(_)) {
                return self.fail("a thread must name its process: `T: thread(A);`");
            }
            ActorHome::Thread { of: self.name("a process")? }
        } else {
            let device = if self.accept("device") { self.device()? } else { 0 };
            ActorHome::Process { device }
        };
        if self.accept(")") { Ok(home) } else { self.fail(FORM) }
    }

    fn device(&mut self) -> Parsed<u32> {
        if let Kind::Integer(number) = self.peek()
            && let Ok(device) = u32::try_from(*number)
        {
            self.next();
            return Ok(device);
        }
        self.fail(&format!("{} is not a device number; devices are numbered from 0", describe(self.peek())))
    }

    /// `all`, or a list of the rule's devices in quotes.
    fn sight(&mut self) -> Parsed<Sight> {
        if self.accept("all") {
            return Ok(Sight::All);
        }
        let Kind::Text(list) = self.peek() else {
            return self.fail("after `sees`, write `all`, or the rule's devices by position in quotes: `sees \"1\"`");
        };
        let list = list.clone();
        self.next();
        Ok(Sight::Listed(list))
    }

    fn state(&mut self) -> Parsed<Readiness> {
        let known = [("loaded", Readiness::Loaded), ("init", Readiness::Init), ("device", Readiness::Device)];
        match known.into_iter().find(|(word, _)| self.accept(word)) {
            Some((_, state)) => Ok(state),
            None => self.no_known("is not a state", &["loaded", "init", "device"]),
        }
    }
}
