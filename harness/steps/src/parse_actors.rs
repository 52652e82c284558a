//! The parser's part for what stands outside of steps: the lines of `actors`, and the releases of api.yaml.

use super::parse::{Names, ParseError, Parsed, Parser, describe};
use super::program::State;
use super::suggest::hint;
use super::syntax::{ActorHome, ActorLine, ActorName, Release};
use super::token::Kind;
use super::vocabulary::Vocabulary;

/// No types, actors and sets: what stands outside of steps knows none of them.
fn no_names() -> Names<'static> {
    static NOTHING: Vocabulary = Vocabulary::new();
    Names { is_type: &|_| false, actors: &[], vocabulary: &NOTHING }
}

/// Reads the lines of `actors`. A mistake costs its line only: the others are read all the same.
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

/// Reads what releases a resource: a function, or a call of it.
pub fn parse_release(text: &str) -> Result<Release, ParseError> {
    let names = no_names();
    let mut parser = Parser::new(text, &names, false)?;
    let (function, span) = parser.name("the function that releases")?;
    if *parser.peek() == Kind::End {
        return Ok(Release { function, span, arguments: None });
    }
    parser.expect("(", "after the function that releases")?;
    let arguments = parser.arguments()?;
    parser.expect_end()?;
    Ok(Release { function, span, arguments: Some(arguments) })
}

/// What is wrong with a line of `actors`.
#[derive(Debug)]
enum ActorMistake {
    /// It has another form altogether.
    Form,
    /// Neither a process nor a thread is named.
    Kind(String),
    /// A thread without its process.
    NoProcess,
    /// What stands where a device's number belongs.
    Device(String),
    Option(String),
    State(String),
    /// The line does not end.
    NoEnd,
}

impl std::fmt::Display for ActorMistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const FORM: &str =
            "an actor is written `A: process(device 0), state init, isolated;` or `T: thread(A), state init;`";
        const KINDS: [&str; 2] = ["process", "thread"];
        const OPTIONS: [&str; 2] = ["state", "isolated"];
        const STATES: [&str; 3] = ["loaded", "init", "device"];
        match self {
            ActorMistake::Form => f.write_str(FORM),
            ActorMistake::Kind(found) => write!(f, "{found} is not a kind of actor{}; {FORM}", meant(found, KINDS)),
            ActorMistake::NoProcess => f.write_str("a thread names its process: `T: thread(A);`"),
            ActorMistake::Device(found) => write!(f, "{found} is no device; devices are counted from 0"),
            ActorMistake::Option(found) => {
                write!(f, "{found} is no option of an actor{}; {FORM}", meant(found, OPTIONS))
            }
            ActorMistake::State(found) => write!(f, "{found} is not a state{}; {FORM}", meant(found, STATES)),
            ActorMistake::NoEnd => f.write_str("this actor has no `;` at its end"),
        }
    }
}

/// The hint for a word that a message quotes.
fn meant<'a>(quoted: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    hint(quoted.trim_matches('`'), candidates)
}

impl Parser<'_> {
    fn wrong<T>(&self, mistake: impl FnOnce(String) -> ActorMistake) -> Parsed<T> {
        self.fail(&mistake(describe(self.peek())).to_string())
    }

    /// `NAME : process(device N), state S, isolated;` or `NAME : thread(A), state S;`.
    fn actor_line(&mut self) -> Parsed<ActorLine> {
        let start = self.span();
        if !matches!(self.peek(), Kind::Name(_)) || *self.peek_after(1) != Kind::Symbol(":") {
            return self.wrong(|_| ActorMistake::Form);
        }
        let (name, span) = self.name("an actor")?;
        let name = ActorName { name, span };
        self.next();
        let home = self.actor_home()?;
        let (mut state, mut isolated) = (State::Device, false);
        loop {
            if self.accept(",") {
            } else if self.accept_word("isolated") {
                isolated = true;
            } else if self.accept_word("state") {
                state = self.state()?;
            } else if self.accept(";") {
                return Ok(ActorLine { name, home, state, isolated });
            } else if *self.peek() == Kind::End {
                return Err(ParseError { span: self.since(start), message: ActorMistake::NoEnd.to_string() });
            } else {
                return self.wrong(ActorMistake::Option);
            }
        }
    }

    fn actor_home(&mut self) -> Parsed<ActorHome> {
        let thread = self.is_word("thread");
        if !thread && !self.is_word("process") {
            return self.wrong(ActorMistake::Kind);
        }
        self.next();
        if !self.accept("(") {
            return self.wrong(|_| ActorMistake::Form);
        }
        let home = if thread {
            if !matches!(self.peek(), Kind::Name(_)) {
                return self.wrong(|_| ActorMistake::NoProcess);
            }
            let (name, span) = self.name("a process")?;
            ActorHome::Thread { of: ActorName { name, span } }
        } else {
            let device = if self.accept_word("device") { self.device()? } else { 0 };
            ActorHome::Process { device }
        };
        if self.accept(")") { Ok(home) } else { self.wrong(|_| ActorMistake::Form) }
    }

    fn device(&mut self) -> Parsed<u32> {
        let device = match self.peek() {
            Kind::Integer(number) => u32::try_from(*number).ok(),
            _ => None,
        };
        match device {
            Some(device) => {
                self.next();
                Ok(device)
            }
            None => self.wrong(ActorMistake::Device),
        }
    }

    fn state(&mut self) -> Parsed<State> {
        let known = [("loaded", State::Loaded), ("init", State::Init), ("device", State::Device)];
        match known.into_iter().find(|(word, _)| self.accept_word(word)) {
            Some((_, state)) => Ok(state),
            None => self.wrong(ActorMistake::State),
        }
    }
}
