//! Checks places, which can be assigned to and whose address can be taken.

use abi::{Field, Type};

use super::Span;
use super::check::{Checker, Typed};
use super::ids::VariableId;
use super::program::{Expression, Place, Root, Space};
use super::suggest::hint;
use super::syntax::{Expression as Tree, ExpressionKind};
use super::types::{c_name, is_integer};

/// A place with the type of its value.
pub(super) struct TypedPlace {
    pub place: Place,
    pub ty: Type,
    pub space: Option<Space>,
    /// The variable that contains the place, if there is one.
    pub variable: Option<VariableId>,
    /// True if the place is a whole array, which decays to its first element.
    pub array: bool,
}

impl Checker<'_> {
    /// Checks a place.
    pub(crate) fn place(&mut self, tree: &Tree) -> Option<TypedPlace> {
        match &tree.kind {
            ExpressionKind::Name(name) => match self.lookup(self.actor, name) {
                Some(variable) => Some(self.variable_place(variable, tree.span)),
                None if self.constant_context => {
                    let known = "neither an axis above, nor a constant, nor `product.…`, nor `devices`";
                    self.wrong(tree.span, format!("`{name}` is {known}"))
                }
                None => {
                    self.unknown_name(name, tree.span);
                    None
                }
            },
            ExpressionKind::Member { of, name } => {
                if let ExpressionKind::Name(owner) = &of.kind
                    && self.lookup(self.actor, owner).is_none()
                    && let Some(actor) = self.program.actors.position(|actor| actor.name == *owner)
                {
                    return match self.lookup(actor, name) {
                        Some(variable) => Some(self.variable_place(variable, tree.span)),
                        None => {
                            self.wrong(tree.span, format!("actor {owner} has not set `{name}` before this statement"))
                        }
                    };
                }
                let mut place = self.place(of)?;
                let Type::Struct(structure) = place.ty else {
                    return self.wrong(tree.span, format!("a {} has no members", c_name(place.ty)));
                };
                let field = self.field_of(structure, name, tree.span)?;
                place.place.offset += field.offset;
                (place.ty, place.array) = match field.ty {
                    Type::Array { of, .. } => (*of, true),
                    ty => (ty, false),
                };
                place.space = None;
                Some(place)
            }
            ExpressionKind::Index { of, index } => {
                let (span, index) = (index.span, self.expression(index)?);
                self.has_a_sign(&index, span);
                if !is_integer(index.ty) {
                    return self.wrong(tree.span, "an index must be an integer");
                }
                if let Some(mut place) = self.array_place(of)? {
                    let size = self.environment.declarations.size(place.ty);
                    place.place.indices.push((index.expression, size));
                    place.array = false;
                    return Some(place);
                }
                let pointer = self.expression(of)?;
                self.dereference(pointer, Some(index.expression), tree.span)
            }
            ExpressionKind::Dereference(of) => {
                let pointer = self.expression(of)?;
                self.dereference(pointer, None, tree.span)
            }
            _ => self.wrong(tree.span, "this value has no memory address; store it in a variable first"),
        }
    }

    pub(super) fn field_of(&mut self, structure: &str, name: &str, span: Span) -> Option<&'static Field> {
        let structure = self.environment.declarations.structure(structure)?;
        let found = structure.fields.iter().find(|field| field.name == name);
        if found.is_none() {
            let hint = hint(name, structure.fields.iter().map(|field| field.name));
            self.problem(span, format!("{} has no field `{name}`{hint}", structure.name));
        }
        found
    }

    /// The place of an array; `Some(None)` if the expression is not an array.
    fn array_place(&mut self, tree: &Tree) -> Option<Option<TypedPlace>> {
        if !matches!(tree.kind, ExpressionKind::Name(_) | ExpressionKind::Member { .. } | ExpressionKind::Index { .. })
        {
            return Some(None);
        }
        let place = self.place(tree)?;
        Some(place.array.then_some(place))
    }

    fn dereference(&mut self, pointer: Typed, index: Option<Expression>, span: Span) -> Option<TypedPlace> {
        let Type::Pointer { to, .. } = pointer.ty else {
            return self.wrong(span, format!("a {} does not point to readable memory", c_name(pointer.ty)));
        };
        if *to == Type::Void {
            return self.wrong(span, "a `void *` cannot be dereferenced; cast it first");
        }
        match pointer.space {
            Some(Space::Device) => {
                self.problem(span, "device memory cannot be read or written directly; copy it to host memory first");
            }
            Some(Space::Gate) => self.problem(span, "a gate is not memory; use it with `open` and `passed`"),
            Some(Space::Host | Space::Descriptor) | None => {}
        }
        let size = self.environment.declarations.size(*to);
        let indices = index.map(|index| vec![(index, size)]).unwrap_or_default();
        let place = Place { root: Root::Pointer(Box::new(pointer.expression)), offset: 0, indices };
        Some(TypedPlace { place, ty: *to, space: None, variable: None, array: false })
    }

    fn variable_place(&mut self, variable: VariableId, span: Span) -> TypedPlace {
        self.reads(variable, span);
        let known = &self.program.variables[variable];
        TypedPlace {
            place: Place { root: Root::Variable(variable), offset: 0, indices: Vec::new() },
            ty: known.ty,
            space: known.space,
            variable: Some(variable),
            array: known.array,
        }
    }
}
