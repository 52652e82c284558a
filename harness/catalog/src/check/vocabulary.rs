//! The runtime's additions to the step language, checked against its header: named sets of codes, words and set-ups.

use steps::builtins::builtin;
use steps::given::SetUp;
use steps::parse::{Names, parse_expression};
use steps::suggest::hint;
use steps::syntax::{Expression, ExpressionKind};
use steps::types::Declarations;
use steps::vocabulary::is_name;
use steps::word::Word;
use steps::{Span, Vocabulary, count};

use crate::diagnostic::Mistakes;
use crate::model::{ApiFile, WordSource};
use crate::parse::ParsedFile;
use crate::resource::Resource;

/// Reads the sets, words and set-ups in api.yaml.
pub(super) fn check(
    file: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    resources: &[Resource],
    mistakes: &mut Mistakes,
) -> Vocabulary {
    let mut vocabulary = Vocabulary::new();
    for (name, codes) in &file.value.codes {
        if let Some(message) = no_new_name(name, declarations) {
            mistakes.at(&file.source, codes, message);
        }
        if codes.value.is_empty() {
            mistakes.at(&file.source, codes, format!("`{name}` contains no code; name at least one constant"));
        }
        for code in codes.value.iter().filter(|code| declarations.constant(&code.value).is_none()) {
            let hint = hint(&code.value, declarations.constant_names());
            mistakes.at(&file.source, code, format!("`{}` is not a constant in the header{hint}", code.value));
        }
        let codes = codes.value.iter().map(|code| code.value.clone()).collect();
        vocabulary.sets.insert(name.clone(), codes);
    }
    let mut words = Vec::new();
    for source in &file.value.words {
        let reader = WordReader { source, declarations, resources, all: &file.value.words, sets: &vocabulary };
        match reader.word() {
            Ok((name, _)) if words.iter().any(|(known, _)| *known == name) || vocabulary.defines(&name) => {
                let message = format!("`{name}` is defined twice; choose another name");
                mistakes.at(&file.source, &source.word, message);
            }
            Ok(word) => words.push(word),
            Err(Mistake { heading, span, message }) => {
                let scalar = if heading { &source.word } else { &source.steps };
                mistakes.inside(&file.source, scalar, span, message);
            }
        }
    }
    vocabulary.words.extend(words);
    set_ups(file, declarations, &mut vocabulary, mistakes);
    vocabulary
}

/// Reads the set-ups in api.yaml. A set-up may use the set-ups above it.
fn set_ups(
    file: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    vocabulary: &mut Vocabulary,
    mistakes: &mut Mistakes,
) {
    let mut headings = Vec::new();
    for source in &file.value.set_ups {
        match heading("set-up", &source.given.value, declarations) {
            Ok((name, _)) if vocabulary.defines(&name) || vocabulary.set_ups.contains_key(&name) => {
                let message = format!("`{name}` is defined twice; choose another name");
                mistakes.at(&file.source, &source.given, message);
            }
            Ok((name, parameters)) => {
                vocabulary.set_ups.insert(name.clone(), None);
                headings.push((source, name, parameters));
            }
            Err(Mistake { span, message, .. }) => mistakes.inside(&file.source, &source.given, span, message),
        }
    }
    let is_type = |name: &str| declarations.ty(name).is_some();
    for (source, name, parameters) in headings {
        let names = Names { is_type: &is_type, actors: &[], vocabulary };
        match SetUp::parse(parameters, &source.steps.value, &names) {
            Ok(set_up) => {
                if set_up.is_empty() {
                    let message = format!("`{name}` has no statements; add some");
                    mistakes.at(&file.source, &source.steps, message);
                } else if let Some(unused) = set_up.unused() {
                    let message = format!("`{name}` does not use `{unused}`; remove it here");
                    mistakes.at(&file.source, &source.given, message);
                }
                vocabulary.set_ups.insert(name, Some(set_up));
            }
            Err(error) => mistakes.inside(&file.source, &source.steps, error.span, error.message),
        }
    }
}

/// A mistake in a word's heading or in its steps.
struct Mistake {
    heading: bool,
    span: Span,
    message: String,
}

impl Mistake {
    fn heading(span: Span, message: impl Into<String>) -> Mistake {
        Mistake { heading: true, span, message: message.into() }
    }

    fn steps(span: Span, message: impl Into<String>) -> Mistake {
        Mistake { heading: false, span, message: message.into() }
    }
}

struct WordReader<'a> {
    source: &'a WordSource,
    declarations: &'a Declarations,
    resources: &'a [Resource],
    all: &'a [WordSource],
    sets: &'a Vocabulary,
}

impl WordReader<'_> {
    fn word(&self) -> Result<(String, Word), Mistake> {
        let is_type = |name: &str| self.declarations.ty(name).is_some();
        let names = Names { is_type: &is_type, actors: &[], vocabulary: self.sets };
        let (name, parameters) = heading("word", &self.source.word.value, self.declarations)?;
        let word = Word::parse(parameters, &self.source.steps.value, &names)
            .map_err(|error| Mistake::steps(error.span, error.message))?;
        let expressions = word.expressions();
        for expression in &expressions {
            self.expression(expression, &word.parameters)?;
        }
        if expressions.is_empty() {
            return Err(Mistake::steps(Span::default(), format!("`{name}` has no statements; add some")));
        }
        let used = |parameter: &String| {
            expressions.iter().any(|known| matches!(&known.kind, ExpressionKind::Name(name) if name == parameter))
        };
        if let Some(unused) = word.parameters.iter().find(|parameter| !used(parameter)) {
            return Err(Mistake::heading(Span::default(), format!("`{name}` does not use `{unused}`; remove it here")));
        }
        Ok((name, word))
    }

    /// Checks that a word reads only its parameters and names available to every rule, not names from the rule that
    /// uses it.
    fn expression(&self, expression: &Expression, parameters: &[String]) -> Result<(), Mistake> {
        match &expression.kind {
            ExpressionKind::Name(name)
                if !parameters.contains(name)
                    && self.declarations.constant(name).is_none()
                    && self.declarations.callback(name).is_none()
                    && !matches!(name.as_str(), "NULL" | "product" | "devices" | "patience") =>
            {
                let mut known: Vec<&str> = self.declarations.constant_names().collect();
                known.extend(parameters.iter().map(String::as_str));
                let message =
                    format!("`{name}` is neither a parameter of the word nor a constant{}", hint(name, known));
                Err(Mistake::steps(expression.span, message))
            }
            ExpressionKind::Call { function, arguments } => self.call(function, arguments.len(), expression.span),
            _ => Ok(()),
        }
    }

    fn call(&self, function: &str, given: usize, span: Span) -> Result<(), Mistake> {
        let headed = |word: &&WordSource| word.word.value.split('(').next().map(str::trim) == Some(function);
        if self.all.iter().any(|word| headed(&word)) {
            let message = format!("`{function}` is a word; a word can use calls and built-ins, but not other words");
            return Err(Mistake::steps(span, message));
        }
        let wanted = match (builtin(function), self.declarations.function(function)) {
            (Some(signature), _) => signature.parameters.len(),
            (None, Some(function)) => function.parameters.len(),
            (None, None) => {
                let hint = hint(function, self.declarations.function_names());
                let message = format!("`{function}` is neither declared in the header nor a built-in{hint}");
                return Err(Mistake::steps(span, message));
            }
        };
        if wanted != given {
            let wanted = count(wanted, "argument");
            return Err(Mistake::steps(span, format!("`{function}` takes {wanted}, got {given}")));
        }
        if self.resources.iter().any(|resource| resource.acquire == function) {
            let message =
                format!("`{function}` acquires a resource; call it in the rule, where the resource has a name");
            return Err(Mistake::steps(span, message));
        }
        Ok(())
    }
}

/// Parses the heading of a word or set-up: `name(parameter, …)`.
fn heading(what: &str, text: &str, declarations: &Declarations) -> Result<(String, Vec<String>), Mistake> {
    let form = format!("write a {what} as `name(parameter, parameter)`");
    let (is_type, nothing) = (|name: &str| declarations.ty(name).is_some(), Vocabulary::new());
    let names = Names { is_type: &is_type, actors: &[], vocabulary: &nothing };
    let heading = parse_expression(text, &names, false).map_err(|error| Mistake::heading(error.span, error.message))?;
    let ExpressionKind::Call { function, arguments } = heading.kind else {
        return Err(Mistake::heading(heading.span, form));
    };
    let new = |name: &str, span| match no_new_name(name, declarations) {
        Some(message) => Err(Mistake::heading(span, message)),
        None => Ok(()),
    };
    new(&function, heading.span)?;
    let mut parameters: Vec<String> = Vec::new();
    for argument in arguments {
        let ExpressionKind::Name(name) = argument.kind else {
            return Err(Mistake::heading(argument.span, form));
        };
        new(&name, argument.span)?;
        if parameters.contains(&name) {
            let message = format!("`{function}` has two parameters `{name}`; rename one");
            return Err(Mistake::heading(argument.span, message));
        }
        parameters.push(name);
    }
    Ok((function, parameters))
}

/// The reason why a name cannot be defined.
fn no_new_name(name: &str, declarations: &Declarations) -> Option<String> {
    if !is_name(name) {
        return Some(format!("`{name}` cannot be a name in the steps; use letters, digits and `_`"));
    }
    let taken = declarations.constant(name).is_some()
        || declarations.function(name).is_some()
        || declarations.ty(name).is_some()
        || builtin(name).is_some()
        || matches!(name, "usually" | "product" | "devices" | "patience" | "NULL");
    taken.then(|| format!("`{name}` already names something else; choose another name"))
}
