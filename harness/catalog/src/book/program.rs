//! A program that is decoded on first use.

use std::ops::Deref;
use std::sync::OnceLock;

use abi::Bindings;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use steps::Program;

/// A rule's program: checked from YAML, or the bytes of a book until something reads it.
pub struct StoredProgram {
    /// The bytes, with the header's tables; `None` for a program that was just checked.
    stored: Option<(Box<[u8]>, &'static Bindings)>,
    program: OnceLock<Program>,
}

impl StoredProgram {
    /// Decodes a program.
    ///
    /// # Errors
    /// Fails if the bytes are not a program for the header.
    pub fn decode(bytes: &[u8], bindings: &'static Bindings) -> Result<Program, postcard::Error> {
        abi::form::within(bindings, || postcard::from_bytes(bytes))
    }
}

impl From<Program> for StoredProgram {
    fn from(program: Program) -> StoredProgram {
        StoredProgram { stored: None, program: program.into() }
    }
}

impl Deref for StoredProgram {
    type Target = Program;

    #[inline]
    fn deref(&self) -> &Program {
        self.program.get_or_init(|| {
            let (bytes, bindings) = self.stored.as_ref().expect("a program without bytes was never encoded");
            StoredProgram::decode(bytes, bindings).expect("the digest of the book shows that its bytes are intact")
        })
    }
}

impl std::fmt::Debug for StoredProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for StoredProgram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.stored {
            Some((bytes, _)) => serializer.serialize_bytes(bytes),
            None => {
                let bytes = postcard::to_extend(&**self, Vec::new()).map_err(ser::Error::custom)?;
                serializer.serialize_bytes(&bytes)
            }
        }
    }
}

impl<'de> Deserialize<'de> for StoredProgram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StoredProgram, D::Error> {
        struct Bytes;
        impl de::Visitor<'_> for Bytes {
            type Value = Box<[u8]>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the bytes of a program")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Box<[u8]>, E> {
                Ok(bytes.into())
            }
        }
        let bindings = abi::form::current().ok_or_else(|| de::Error::custom("a program needs its header's tables"))?;
        let bytes = deserializer.deserialize_bytes(Bytes)?;
        Ok(StoredProgram { stored: Some((bytes, bindings)), program: OnceLock::new() })
    }
}
