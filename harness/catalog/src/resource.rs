//! Resources: the acquiring and releasing calls in api.yaml, checked against the header.

use abi::{Function, Type};
use steps::suggest::hint;
use steps::syntax::{self, Expression, ExpressionKind, UnaryOperator};
use steps::types::{Declarations, VOID_POINTER, c_name, is_address, is_integer, range};
use steps::{Span, count, parse_release};

use super::model::ResourceSource;

/// A function that acquires a resource, with the calls that release it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Resource {
    pub acquire: String,
    /// The position of the parameter that receives or names the resource.
    pub parameter: usize,
    pub handle: Handle,
    pub release: ReleaseCall,
    /// Further calls that release the resource.
    pub also: Vec<ReleaseCall>,
}

/// The place of the handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Handle {
    /// The argument itself.
    Argument(Type),
    /// The value that the argument points to.
    Pointee(Type),
    /// A buffer of this length that the argument points to.
    Buffer(usize),
}

/// A call that releases a resource.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ReleaseCall {
    pub function: String,
    pub arguments: Vec<ReleaseArgument>,
}

/// An argument of a releasing call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ReleaseArgument {
    Handle,
    Integer(i128),
    /// The acquiring call's argument at this position.
    Parameter(usize),
}

/// The word for the handle in `release`.
const HANDLE: &str = "handle";

impl Resource {
    /// The position of the argument through which the function takes the handle that it releases.
    pub fn released_by(&self, function: &str) -> Option<usize> {
        let release = [&self.release].into_iter().chain(&self.also).find(|release| release.function == function)?;
        release.arguments.iter().position(|argument| *argument == ReleaseArgument::Handle)
    }

    /// The positions of the acquiring call's arguments that are passed to the release.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        self.release.arguments.iter().filter_map(|argument| match argument {
            ReleaseArgument::Parameter(position) => Some(*position),
            ReleaseArgument::Handle | ReleaseArgument::Integer(_) => None,
        })
    }
}

impl Handle {
    /// The handle in a parameter of the given type; `bytes` is the buffer length from api.yaml.
    fn of(ty: Type, bytes: Option<u32>) -> Option<Handle> {
        match (ty, bytes) {
            (Type::Pointer { .. }, Some(bytes)) => Some(Handle::Buffer(bytes as usize)),
            (_, Some(_)) | (Type::Pointer { constant: true, .. }, None) => None,
            (Type::Pointer { to: Type::Void, .. }, None) => Some(Handle::Argument(ty)),
            (Type::Pointer { to, .. }, None) => Some(Handle::Pointee(*to)).filter(|_| is_handle(*to)),
            (_, None) => Some(Handle::Argument(ty)).filter(|_| is_handle(ty)),
        }
    }

    /// The handle's type; for a buffer, the type of its address.
    pub fn ty(self) -> Type {
        match self {
            Handle::Argument(ty) | Handle::Pointee(ty) => ty,
            Handle::Buffer(_) => VOID_POINTER,
        }
    }

    /// The bits of a 64-bit word that hold the handle.
    pub fn mask(self, declarations: &Declarations) -> u64 {
        u64::MAX >> (64 - 8 * declarations.size(self.ty()).clamp(1, 8))
    }
}

fn is_handle(ty: Type) -> bool {
    matches!(
        ty,
        Type::Integer { .. }
            | Type::LongLong { .. }
            | Type::Enumeration { .. }
            | Type::Pointer { .. }
            | Type::Handle(_)
    )
}

/// The field of a resource in api.yaml that has a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Acquire,
    Handle,
    Release,
    /// One of the other releasing calls.
    Also(usize),
}

/// A mistake in a resource in api.yaml.
#[derive(Debug)]
pub(super) struct ResourceMistake {
    pub field: Field,
    /// The place in the field's text.
    pub span: Span,
    pub kind: Box<ResourceMistakeKind>,
}

/// The kind of a mistake in a resource.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResourceMistakeKind {
    #[error("`{name}` is not in the header{hint}")]
    NoFunction { name: String, hint: String },
    #[error("`{function}` has no parameter `{name}`{hint}")]
    NoParameter { function: &'static str, name: String, hint: String },
    /// The parameter is not a handle and does not point to a handle.
    #[error(
        "`{name}` is a {}, which cannot be a handle; name a parameter that is, or points to, an integer, an \
         enumeration, a pointer or an opaque handle; for a buffer, add its length as `bytes`",
        c_name(*ty)
    )]
    NoHandle { name: &'static str, ty: Type },
    /// A length was given, but the parameter is not a buffer.
    #[error("`{name}` is a {}, not a pointer to a buffer; leave `bytes` out", c_name(*ty))]
    NoBuffer { name: &'static str, ty: Type },
    /// The release does not parse.
    #[error("{0}")]
    Syntax(String),
    #[error(
        "`{}` takes {} ({}), got {given}",
        function.name,
        count(function.parameters.len(), "argument"),
        names(function)
    )]
    Arguments { function: &'static Function, given: usize },
    #[error("`{name}` is neither `{HANDLE}`, nor a parameter of `{acquire}`, nor a constant in the header{hint}")]
    NoName { name: String, acquire: &'static str, hint: String },
    /// The argument is neither a name nor an integer.
    #[error(
        "an argument of a release is `{HANDLE}`, an integer, a constant in the header, or the name of a parameter of \
         `{acquire}`"
    )]
    NoArgument { acquire: &'static str },
    #[error("this call of `{function}` does not pass the handle; write `{HANDLE}` as the argument for it")]
    WithoutHandle { function: &'static str },
    #[error("parameter `{name}` of `{function}` is a {}, but this is a {}", c_name(*wanted), c_name(*given))]
    OtherType { function: &'static str, name: &'static str, wanted: Type, given: Type },
    #[error("{value} does not fit parameter `{name}` of `{function}`, a {}", c_name(*wanted))]
    TooLarge { function: &'static str, name: &'static str, wanted: Type, value: i128 },
}

fn names(function: &Function) -> String {
    let names: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name).collect();
    names.join(", ")
}

/// Checks a resource in api.yaml against the header.
pub(super) fn check(entry: &ResourceSource, declarations: &Declarations) -> Result<Resource, ResourceMistake> {
    use ResourceMistakeKind::*;
    let wrong = |field, kind| ResourceMistake { field, span: Span::default(), kind: Box::new(kind) };
    let acquire = find(&entry.acquire.value, declarations).map_err(|kind| wrong(Field::Acquire, kind))?;
    let name = &entry.handle.value;
    let Some(position) = acquire.parameters.iter().position(|parameter| parameter.name == *name) else {
        let hint = hint(name, acquire.parameters.iter().map(|parameter| parameter.name));
        return Err(wrong(Field::Handle, NoParameter { function: acquire.name, name: name.clone(), hint }));
    };
    let parameter = &acquire.parameters[position];
    let Some(handle) = Handle::of(parameter.ty, entry.bytes) else {
        let (name, ty) = (parameter.name, parameter.ty);
        let buffer = entry.bytes.is_some();
        return Err(wrong(Field::Handle, if buffer { NoBuffer { name, ty } } else { NoHandle { name, ty } }));
    };
    let acquired = Acquired { function: acquire, position, handle, declarations };
    let release = |text: &str, field| {
        acquired.release(text).map_err(|(span, kind)| ResourceMistake { field, span, kind: Box::new(kind) })
    };
    let also = entry.also.iter().enumerate().map(|(index, text)| release(&text.value, Field::Also(index)));
    Ok(Resource {
        acquire: entry.acquire.value.clone(),
        parameter: position,
        handle,
        release: release(&entry.release.value, Field::Release)?,
        also: also.collect::<Result<_, _>>()?,
    })
}

fn find(name: &str, declarations: &Declarations) -> Result<&'static Function, ResourceMistakeKind> {
    declarations.function(name).ok_or_else(|| {
        let hint = hint(name, declarations.function_names());
        ResourceMistakeKind::NoFunction { name: name.to_owned(), hint }
    })
}

/// The acquiring call, which its releases refer to.
struct Acquired<'a> {
    function: &'static Function,
    /// The position of the parameter with the handle.
    position: usize,
    handle: Handle,
    declarations: &'a Declarations,
}

impl Acquired<'_> {
    fn release(&self, text: &str) -> Result<ReleaseCall, (Span, ResourceMistakeKind)> {
        use ResourceMistakeKind::*;
        let written = parse_release(text).map_err(|error| (error.span, Syntax(error.message)))?;
        let syntax::ReleaseSyntax { function: name, span, arguments } = written;
        let function = find(&name, self.declarations).map_err(|kind| (span, kind))?;
        let given = arguments.as_ref().map_or(1, Vec::len);
        if function.parameters.len() != given {
            return Err((span, Arguments { function, given }));
        }
        let mut passed = Vec::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let written = arguments.as_ref().map(|arguments| &arguments[index]);
            let argument = written.map_or(Ok(ReleaseArgument::Handle), |written| self.argument(written));
            let span = written.map_or(span, |written| written.span);
            let argument = argument.map_err(|kind| (span, kind))?;
            self.fits(argument, function.name, parameter.name, parameter.ty).map_err(|kind| (span, kind))?;
            passed.push(argument);
        }
        if !passed.contains(&ReleaseArgument::Handle) {
            return Err((span, WithoutHandle { function: function.name }));
        }
        Ok(ReleaseCall { function: name, arguments: passed })
    }

    fn argument(&self, written: &Expression) -> Result<ReleaseArgument, ResourceMistakeKind> {
        let acquire = self.function.name;
        match &written.kind {
            ExpressionKind::Integer(value) => Ok(ReleaseArgument::Integer(*value)),
            ExpressionKind::Unary(UnaryOperator::Minus, of) => match of.kind {
                ExpressionKind::Integer(value) => Ok(ReleaseArgument::Integer(-value)),
                _ => Err(ResourceMistakeKind::NoArgument { acquire }),
            },
            ExpressionKind::Name(name) => {
                let parameters = self.function.parameters;
                match parameters.iter().position(|parameter| parameter.name == name) {
                    Some(position) if position == self.position => return Ok(ReleaseArgument::Handle),
                    Some(position) => return Ok(ReleaseArgument::Parameter(position)),
                    None if name == HANDLE => return Ok(ReleaseArgument::Handle),
                    None => {}
                }
                if let Some((value, _)) = self.declarations.constant(name) {
                    return Ok(ReleaseArgument::Integer(value));
                }
                let near = parameters.iter().map(|parameter| parameter.name).chain([HANDLE]);
                let hint = match hint(name, near) {
                    near if near.is_empty() => hint(name, self.declarations.constant_names()),
                    near => near,
                };
                Err(ResourceMistakeKind::NoName { name: name.clone(), acquire, hint })
            }
            _ => Err(ResourceMistakeKind::NoArgument { acquire }),
        }
    }

    /// Checks that a parameter of the release accepts an argument.
    fn fits(
        &self,
        argument: ReleaseArgument,
        function: &'static str,
        name: &'static str,
        wanted: Type,
    ) -> Result<(), ResourceMistakeKind> {
        let given = match argument {
            ReleaseArgument::Integer(0) if is_address(wanted) => return Ok(()),
            ReleaseArgument::Integer(value) if is_integer(wanted) => {
                let (low, high) = range(wanted);
                let fits = (low..=high).contains(&value);
                return fits.then_some(()).ok_or(ResourceMistakeKind::TooLarge { function, name, wanted, value });
            }
            ReleaseArgument::Integer(_) => steps::types::INT64,
            ReleaseArgument::Handle => self.handle.ty(),
            ReleaseArgument::Parameter(position) => self.function.parameters[position].ty,
        };
        let fits = (is_integer(given) && is_integer(wanted)) || (is_address(given) && is_address(wanted));
        fits.then_some(()).ok_or(ResourceMistakeKind::OtherType { function, name, wanted, given })
    }
}
