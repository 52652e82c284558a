//! Typed positions in a program, one type for each kind of item, and lists that are indexed by such a type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A typed position.
pub trait Id: Copy {
    /// The id of the item at a position.
    fn new(index: usize) -> Self;

    /// The position.
    fn index(self) -> usize;
}

/// Declares ids. In JSON and text, an id is a plain number, so that stored runs and digests do not depend on these
/// types.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $name(usize);

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> $name {
                $name(index)
            }

            #[inline]
            fn index(self) -> usize {
                self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, formatter)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }
    )*};
}

ids! {
    /// A variable, by its position in [`Program::variables`](crate::Program::variables).
    VariableId;
    /// An actor, by its position in [`Program::actors`](crate::Program::actors).
    ActorId;
    /// An axis, by its position in [`Program::axes`](crate::Program::axes). Its value in a case has the same position.
    AxisId;
    /// A statement, by its number in the order of the text, including nested statements.
    StatementId;
}

impl ActorId {
    /// The actor for statements that do not name an actor.
    pub const DEFAULT: ActorId = ActorId(0);
}

/// A list indexed by a specific type of id.
pub struct List<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T> List<I, T> {
    /// Appends an item.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// The item with an id, if the list contains it.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The ids of all items in order.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items in order, each with its id.
    pub fn entries(&self) -> impl Iterator<Item = (I, &T)> {
        self.ids().zip(&self.items)
    }

    /// The id of the first item that satisfies a condition.
    pub fn position(&self, mut holds: impl FnMut(&T) -> bool) -> Option<I> {
        self.entries().find(|(_, item)| holds(item)).map(|(id, _)| id)
    }
}

impl<I, T> Default for List<I, T> {
    fn default() -> List<I, T> {
        List { items: Vec::new(), ids: PhantomData }
    }
}

// Stored like a vector.
impl<I, T: serde::Serialize> serde::Serialize for List<I, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<'de, I, T: serde::Deserialize<'de>> serde::Deserialize<'de> for List<I, T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<List<I, T>, D::Error> {
        Ok(List { items: Vec::deserialize(deserializer)?, ids: PhantomData })
    }
}

// Prints like a vector.
impl<I, T: fmt::Debug> fmt::Debug for List<I, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.items, formatter)
    }
}

impl<I, T> Deref for List<I, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> DerefMut for List<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I: Id, T> Index<I> for List<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for List<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<'a, I, T> IntoIterator for &'a List<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{AxisId, Id, List, StatementId};

    /// Stored cases and journals contain ids as plain numbers, and a digest of a program's text identifies the program.
    #[test]
    fn an_id_is_written_as_its_number() {
        let known = vec![(StatementId::new(3), 7)];
        assert_eq!(format!("{known:?}"), "[(3, 7)]");
        let read: Vec<(StatementId, u32)> = serde_json::from_str("[[3,7]]").unwrap();
        assert_eq!((serde_json::to_string(&known).unwrap().as_str(), read), ("[[3,7]]", known));
    }

    #[test]
    fn a_list_is_written_as_a_vector() {
        let mut list = List::<AxisId, _>::default();
        let ids = ["a", "b"].map(|item| list.push(item));
        assert_eq!(ids.map(|id| list[id]), ["a", "b"]);
        assert_eq!(format!("{list:?} {list:#?}"), format!("{0:?} {0:#?}", ["a", "b"]));
    }
}
