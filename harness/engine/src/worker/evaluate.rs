//! Expressions: their values, and the built-ins.

use abi::Type;
use steps::arithmetic;
use steps::builtins::Builtin;
use steps::program::{Expression, Place, Root};
use steps::syntax::{BinaryOperator, UnaryOperator};
use steps::types::wrap;

use super::execution::{Execution, Stop};
use super::memory::{is_poisoned, write_pattern, write_poison};

/// No built-in touches more memory than this: a larger size is a mistake of the rule.
const LARGEST: i128 = 1 << 34;

impl<'a> Execution<'a> {
    /// The value of an expression.
    pub fn evaluate(&mut self, expression: &'a Expression) -> Result<i128, Stop> {
        Ok(match expression {
            Expression::Constant(value) => *value,
            Expression::Axis(axis) => match self.prepared.program.axes[*axis].domain {
                steps::program::Domain::Text(ref texts) => {
                    let text = texts[self.values[*axis].integer() as usize];
                    self.prepared.program.texts[text].as_ptr() as i128
                }
                _ => self.values[*axis].integer(),
            },
            Expression::AxisItem { axis, index } => {
                let index = self.evaluate(index)?;
                match &self.values[*axis] {
                    crate::case::Value::List(items) => *usize::try_from(index)
                        .ok()
                        .and_then(|index| items.get(index))
                        .ok_or("an index is outside its list")?,
                    crate::case::Value::Integer(_) => return Err("a list was expected".into()),
                }
            }
            Expression::Text(position) => self.prepared.program.texts[*position].as_ptr() as i128,
            Expression::Fact(name) => *self.prepared.scope.facts.get(name).ok_or("the product has no such quantity")?,
            Expression::Devices => i128::from(self.prepared.scope.devices),
            Expression::OwnDevice => i128::from(self.prepared.device),
            Expression::Load { place, ty } => self.load(place, *ty)?,
            Expression::AddressOf(place) => self.address(place, 0)? as i128,
            Expression::Advance { pointer, index, stride, negative } => {
                let (pointer, index) = (self.evaluate(pointer)?, self.evaluate(index)?);
                // As addresses do: modulo 2^64.
                let distance = index.wrapping_mul(*stride as i128);
                let moved = if *negative { pointer.wrapping_sub(distance) } else { pointer.wrapping_add(distance) };
                wrap(Type::Handle(""), moved)
            }
            Expression::Distance { left, right, stride } => {
                (self.evaluate(left)? - self.evaluate(right)?) / (*stride).max(1) as i128
            }
            Expression::Unary(operator, of) => {
                let value = self.evaluate(of)?;
                match operator {
                    UnaryOperator::Not => i128::from(value == 0),
                    UnaryOperator::Complement => !value,
                    UnaryOperator::Minus => arithmetic::negate(value)?,
                }
            }
            Expression::Binary(BinaryOperator::And, left, right) => {
                i128::from(self.evaluate(left)? != 0 && self.evaluate(right)? != 0)
            }
            Expression::Binary(BinaryOperator::Or, left, right) => {
                i128::from(self.evaluate(left)? != 0 || self.evaluate(right)? != 0)
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                arithmetic::binary(*operator, left, right)?
            }
            Expression::Conditional(condition, then, otherwise) => {
                if self.evaluate(condition)? != 0 {
                    self.evaluate(then)?
                } else {
                    self.evaluate(otherwise)?
                }
            }
            Expression::Cast(ty, of) => wrap(*ty, self.evaluate(of)?),
            Expression::In(of, set) => {
                let value = self.evaluate(of)?;
                let mut found = false;
                for member in set {
                    found |= self.evaluate(member)? == value;
                }
                i128::from(found)
            }
            Expression::Builtin(builtin, arguments) => self.builtin(*builtin, arguments)?,
            Expression::Call(call, _) => self.call(call)?,
        })
    }

    /// The address of a place that holds `bytes` bytes.
    pub fn address(&mut self, place: &'a Place, bytes: usize) -> Result<*mut u8, Stop> {
        let (base, room) = match &place.root {
            Root::Variable(variable) => {
                let known = &self.prepared.program.variables[*variable];
                // SAFETY: the frame was made for the program, and the offset is that of one of its variables.
                let slot = unsafe { self.memory.frame().add(known.offset) };
                if known.array {
                    // SAFETY: an array's slot holds its address and its length in bytes.
                    let (array, length) = unsafe { (slot.cast::<u64>().read(), slot.cast::<u64>().add(1).read()) };
                    if array == self.memory.poison_word() {
                        return Err(Stop::Fault(format!(
                            "array `{}` is used before its declaration was executed",
                            known.name
                        )));
                    }
                    (array as *mut u8, Some(length as usize))
                } else {
                    (slot, None)
                }
            }
            Root::Pointer(pointer) => {
                let address = self.evaluate(pointer)?;
                if address == 0 {
                    return Err("a null pointer is read or written by the rule itself".into());
                }
                (address as usize as *mut u8, None)
            }
        };
        let mut offset = place.offset;
        for (index, stride, count) in &place.indices {
            let index = self.evaluate(index)?;
            let fits = |index: &usize| count.is_none_or(|count| *index < count);
            let index = usize::try_from(index).ok().filter(fits).ok_or("an index is outside its array")?;
            offset = index
                .checked_mul(*stride)
                .and_then(|distance| offset.checked_add(distance))
                .ok_or("an index is outside its array")?;
        }
        if let Some(room) = room
            && offset.checked_add(bytes).is_none_or(|end| end > room)
        {
            return Err(Stop::Fault(format!("an access at byte {offset} is outside an array of {room} bytes")));
        }
        Ok(base.wrapping_add(offset))
    }

    fn load(&mut self, place: &'a Place, ty: Type) -> Result<i128, Stop> {
        let pointer = self.address(place, self.prepared.rules.environment.declarations.size(ty))?;
        // SAFETY: the place is a variable, or memory that the rule owns; catalog checks keep device pointers out.
        Ok(unsafe {
            match ty {
                Type::Integer { bytes: 1, signed: false } => i128::from(pointer.read()),
                Type::Integer { bytes: 1, signed: true } | Type::Char => i128::from(pointer.cast::<i8>().read()),
                Type::Integer { bytes: 2, signed: false } => i128::from(pointer.cast::<u16>().read_unaligned()),
                Type::Integer { bytes: 2, signed: true } => i128::from(pointer.cast::<i16>().read_unaligned()),
                Type::Integer { bytes: 4, signed: true } | Type::Enumeration { signed: true, .. } => {
                    i128::from(pointer.cast::<i32>().read_unaligned())
                }
                Type::Integer { bytes: 4, signed: false } | Type::Enumeration { .. } => {
                    i128::from(pointer.cast::<u32>().read_unaligned())
                }
                Type::Integer { signed: true, .. } => i128::from(pointer.cast::<i64>().read_unaligned()),
                Type::Integer { .. } | Type::Pointer { .. } | Type::Handle(_) | Type::Callback(_) => {
                    i128::from(pointer.cast::<u64>().read_unaligned())
                }
                Type::Void | Type::Float { .. } | Type::Struct(_) | Type::Array { .. } => {
                    return Err("a value of this type cannot be computed with".into());
                }
            }
        })
    }

    /// Stores a value, which must fit.
    pub fn store(&mut self, place: &'a Place, ty: Type, value: i128) -> Result<(), Stop> {
        let size = self.prepared.rules.environment.declarations.size(ty);
        let pointer = self.address(place, size)?;
        self.store_at(pointer, ty, value)
    }

    pub fn store_at(&mut self, pointer: *mut u8, ty: Type, value: i128) -> Result<(), Stop> {
        let (low, high) = steps::types::range(ty);
        if value < low || value > high {
            return Err(Stop::Fault(format!(
                "{value} does not fit a {}; cast it if the wrap is meant",
                steps::types::c_name(ty)
            )));
        }
        let size = self.prepared.rules.environment.declarations.size(ty);
        let bytes = (value as u64).to_le_bytes();
        // SAFETY: the place holds `size` bytes, at most 8 for types that have values.
        unsafe { pointer.copy_from_nonoverlapping(bytes.as_ptr(), size.min(8)) };
        Ok(())
    }

    fn size(&mut self, expression: &'a Expression) -> Result<usize, Stop> {
        let value = self.evaluate(expression)?;
        if (0..=LARGEST).contains(&value) {
            Ok(value as usize)
        } else {
            Err(Stop::Fault(format!("{value} is no size of memory")))
        }
    }

    fn bytes(&mut self, pointer: &'a Expression, length: usize) -> Result<&'static mut [u8], Stop> {
        let address = self.evaluate(pointer)?;
        if address == 0 && length > 0 {
            return Err("a built-in got a null pointer".into());
        }
        let address = if length == 0 { std::ptr::dangling_mut::<u8>() } else { address as usize as *mut u8 };
        // SAFETY: the rule says that so many bytes of host memory lie there; device pointers were refused when the
        // catalog was loaded. The slice is used up before anything else runs.
        Ok(unsafe { std::slice::from_raw_parts_mut(address, length) })
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &'a [Expression]) -> Result<i128, Stop> {
        let salt = self.memory.salt;
        Ok(match builtin {
            Builtin::Host => {
                let (bytes, align) = (self.size(&arguments[0])?, self.size(&arguments[1])?);
                if !align.is_power_of_two() || align > 1 << 21 {
                    return Err("the alignment of host() is a power of two up to 2 MiB".into());
                }
                self.memory.host(bytes, align) as i128
            }
            Builtin::Edge => {
                let bytes = self.size(&arguments[0])?;
                self.memory.edge(bytes).map_err(Stop::Fault)? as i128
            }
            Builtin::Pattern => {
                let bytes = self.size(&arguments[0])?;
                let tag = self.evaluate(&arguments[1])?;
                self.memory.pattern(bytes, tag) as i128
            }
            Builtin::Fill => {
                let bytes = self.size(&arguments[1])?;
                let tag = self.evaluate(&arguments[2])?;
                write_pattern(self.bytes(&arguments[0], bytes)?, salt, tag);
                0
            }
            Builtin::SetBytes => {
                let bytes = self.size(&arguments[1])?;
                let value = self.evaluate(&arguments[2])?;
                self.bytes(&arguments[0], bytes)?.fill(value as u8);
                0
            }
            Builtin::Poison => {
                let bytes = self.size(&arguments[1])?;
                write_poison(self.bytes(&arguments[0], bytes)?, salt);
                0
            }
            Builtin::Same | Builtin::Differ => {
                let bytes = self.size(&arguments[2])?;
                let same = *self.bytes(&arguments[0], bytes)? == *self.bytes(&arguments[1], bytes)?;
                i128::from(same == (builtin == Builtin::Same))
            }
            Builtin::AllBytes => {
                let bytes = self.size(&arguments[1])?;
                let value = self.evaluate(&arguments[2])? as u8;
                i128::from(self.bytes(&arguments[0], bytes)?.iter().all(|byte| *byte == value))
            }
            Builtin::Poisoned => {
                let bytes = self.size(&arguments[1])?;
                i128::from(is_poisoned(self.bytes(&arguments[0], bytes)?, salt))
            }
            Builtin::Disjoint => {
                let (p, n) = (self.evaluate(&arguments[0])?, self.evaluate(&arguments[1])?);
                let (q, m) = (self.evaluate(&arguments[2])?, self.evaluate(&arguments[3])?);
                i128::from(p.saturating_add(n) <= q || q.saturating_add(m) <= p)
            }
            Builtin::AlignUp => {
                let (value, step) = (self.evaluate(&arguments[0])?, self.evaluate(&arguments[1])?);
                if step <= 0 {
                    return Err("ALIGN_UP to a multiple of nothing".into());
                }
                let up = value.checked_add(step - 1).and_then(|sum| sum.div_euclid(step).checked_mul(step));
                up.ok_or("the result needs more than 128 bits")?
            }
            Builtin::IsPowerOfTwo => {
                let value = self.evaluate(&arguments[0])?;
                i128::from(value > 0 && value & (value - 1) == 0)
            }
            Builtin::TextMatches => {
                let (text, pattern) = (self.c_text(&arguments[0])?, self.c_text(&arguments[1])?);
                i128::from(text.is_some_and(|text| pattern.is_some_and(|pattern| glob(&pattern, &text))))
            }
            Builtin::Alignment => {
                let address = self.evaluate(&arguments[0])?;
                if address == 0 { 0 } else { 1i128 << address.trailing_zeros() }
            }
            Builtin::File => {
                let text = self.c_text(&arguments[0])?.unwrap_or_default();
                let path = self.memory.file(&String::from_utf8_lossy(&text)).map_err(Stop::Fault)?;
                self.memory.text(&path.to_string_lossy()) as i128
            }
            Builtin::GetPid => i128::from(std::process::id()),
        })
    }

    /// The bytes of a C string; `None` for a null pointer.
    pub fn c_text(&mut self, expression: &'a Expression) -> Result<Option<Vec<u8>>, Stop> {
        let address = self.evaluate(expression)?;
        Ok(c_text(address))
    }

    /// The operands of a failed check, for its message: `left = 32, right = 0`.
    pub fn operands(&mut self, condition: &'a Expression) -> String {
        match condition {
            Expression::Binary(BinaryOperator::And | BinaryOperator::Or, left, right) => {
                let value =
                    |execution: &mut Self, side: &'a Expression| execution.evaluate(side).is_ok_and(|value| value != 0);
                let (left, right) = (value(self, left), value(self, right));
                format!("left side is {left}, right side is {right}")
            }
            Expression::Binary(operator, left, right) if operator.is_comparison() => {
                match (self.quiet(left), self.quiet(right)) {
                    (Some(left), Some(right)) => format!("left is {}, right is {}", number(left), number(right)),
                    _ => String::new(),
                }
            }
            Expression::In(of, _) => {
                self.quiet(of).map(|value| format!("the value is {}", number(value))).unwrap_or_default()
            }
            Expression::Builtin(Builtin::Same, arguments) => self.difference(arguments).unwrap_or_default(),
            Expression::Builtin(Builtin::AllBytes, arguments) => self.odd_byte(arguments).unwrap_or_default(),
            _ => String::new(),
        }
    }

    /// Evaluates once more for a message; calls are not repeated.
    fn quiet(&mut self, expression: &'a Expression) -> Option<i128> {
        if matches!(expression, Expression::Call(..)) { None } else { self.evaluate(expression).ok() }
    }

    fn difference(&mut self, arguments: &'a [Expression]) -> Option<String> {
        let length = self.size(&arguments[2]).ok()?;
        let (left, right) = (self.bytes(&arguments[0], length).ok()?, self.bytes(&arguments[1], length).ok()?);
        let first = left.iter().zip(right.iter()).position(|(a, b)| a != b)?;
        let last = left.iter().zip(right.iter()).rposition(|(a, b)| a != b)?;
        let count = left.iter().zip(right.iter()).filter(|(a, b)| a != b).count();
        Some(format!(
            "{count} of {length} bytes differ, the first at {first} (0x{:02x} instead of 0x{:02x}), the last at {last}",
            left[first], right[first]
        ))
    }

    fn odd_byte(&mut self, arguments: &'a [Expression]) -> Option<String> {
        let length = self.size(&arguments[1]).ok()?;
        let wanted = self.quiet(&arguments[2])? as u8;
        let bytes = self.bytes(&arguments[0], length).ok()?;
        let first = bytes.iter().position(|byte| *byte != wanted)?;
        let count = bytes.iter().filter(|byte| **byte != wanted).count();
        Some(format!(
            "{count} of {length} bytes are not 0x{wanted:02x}, the first at {first} is 0x{:02x}",
            bytes[first]
        ))
    }
}

/// Reads a C string of at most 64 KiB.
pub fn c_text(address: i128) -> Option<Vec<u8>> {
    if address == 0 {
        return None;
    }
    let mut text = Vec::new();
    for at in 0..65536usize {
        // SAFETY: the library or the rule says that a C string starts there; a wrong pointer ends this process.
        let byte = unsafe { (address as usize as *const u8).add(at).read() };
        if byte == 0 {
            break;
        }
        text.push(byte);
    }
    Some(text)
}

fn number(value: i128) -> String {
    if value > 0xFFFF { format!("{value} (0x{value:x})") } else { value.to_string() }
}

/// `*`, `?` and `[0-9]`.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.first() {
        None => text.is_empty(),
        Some(b'*') => (0..=text.len()).any(|skip| glob(&pattern[1..], &text[skip..])),
        Some(b'[') => match (pattern.iter().position(|byte| *byte == b']'), text.first()) {
            (Some(end), Some(byte)) => {
                let set = &pattern[1..end];
                let inside = match set {
                    [low, b'-', high] => (low..=high).contains(&byte),
                    _ => set.contains(byte),
                };
                inside && glob(&pattern[end + 1..], &text[1..])
            }
            _ => false,
        },
        Some(byte) => {
            text.first().is_some_and(|first| *byte == b'?' || byte == first) && glob(&pattern[1..], &text[1..])
        }
    }
}
