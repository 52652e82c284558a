//! Evaluates expressions and built-ins.

use std::time::Duration;

use abi::Type;
use steps::arithmetic::{self, ArithmeticError};
use steps::builtins::Builtin;
use steps::evaluate::{EvaluationError, Memory, Scope, Value, evaluate};
use steps::pattern::glob;
use steps::program::{Call, Domain, Expression, Place, Root};
use steps::syntax::BinaryOperator;
use steps::{AxisId, Id};

use super::execution::{Execution, typed};
use super::fault::{Fault, Stop};
use super::gates;
use super::hooks;
use super::memory::{is_poisoned, write_pattern, write_poison};
use super::recorded::in_words;

/// The maximum memory that a built-in accesses, in bytes. A larger size is a mistake in the rule.
const LARGEST: i128 = 1 << 34;

impl<'a> Memory<'a> for Execution<'a> {
    type Error = Stop;

    fn scope(&self) -> &Scope {
        self.prepared.scope
    }

    fn values(&self) -> &[Value] {
        &self.values
    }

    fn axis(&mut self, axis: AxisId) -> Result<i128, Stop> {
        let value = self.values[axis.index()].integer();
        match &self.prepared.program.axes[axis].domain {
            Domain::Text(texts) => {
                let text = usize::try_from(value).ok().and_then(|value| texts.get(value));
                self.text(*text.ok_or(Fault::NoAlternative)?)
            }
            _ => Ok(value),
        }
    }

    fn text(&mut self, position: usize) -> Result<i128, Stop> {
        Ok(self.prepared.program.texts[position].as_ptr() as i128)
    }

    fn own_device(&mut self) -> Result<i128, Stop> {
        Ok(i128::from(self.prepared.device))
    }

    fn load(&mut self, place: &'a Place, ty: Type) -> Result<i128, Stop> {
        if matches!(ty, Type::Void | Type::Struct(_) | Type::Array { .. }) {
            return Err(Fault::NoValue.into());
        }
        let size = self.prepared.rules.environment.declarations.size(ty).min(8);
        let pointer = self.address(place, size)?;
        let mut word = [0; 8];
        // SAFETY: the place is a variable, or memory that the rule owns. Catalog checks keep device pointers out.
        unsafe { word.as_mut_ptr().copy_from_nonoverlapping(pointer, size) };
        Ok(typed(ty, u64::from_le_bytes(word)))
    }

    fn address_of(&mut self, place: &'a Place) -> Result<i128, Stop> {
        Ok(self.address(place, 0)? as i128)
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &'a [Expression]) -> Result<i128, Stop> {
        self.apply(builtin, arguments)
    }

    fn call(&mut self, call: &'a Call) -> Result<i128, Stop> {
        // The steps decide how a value is used, so any value that the steps allow is accepted.
        Execution::call(self, call, true)
    }
}

impl<'a> Execution<'a> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expression: &'a Expression) -> Result<i128, Stop> {
        evaluate(self, expression)
    }

    /// The address of a place with room for `bytes` bytes.
    pub(super) fn address(&mut self, place: &'a Place, bytes: usize) -> Result<*mut u8, Stop> {
        let (base, room) = match &place.root {
            Root::Variable(variable) => {
                let known = &self.prepared.program.variables[*variable];
                let slot = self.slot(*variable);
                if known.array {
                    let array = self.array(slot).ok_or_else(|| Fault::UndeclaredArray(known.name.clone()));
                    let (array, length) = array?;
                    (array, Some(length))
                } else {
                    (slot, None)
                }
            }
            Root::Pointer(pointer) => {
                let address = self.evaluate(pointer)?;
                if address == 0 {
                    return Err(Fault::NullPointer.into());
                }
                (address as usize as *mut u8, None)
            }
        };
        let mut offset = place.offset;
        for (index, stride) in &place.indices {
            let index = usize::try_from(self.evaluate(index)?).map_err(|_| Fault::OutsideArray)?;
            offset = index
                .checked_mul(*stride)
                .and_then(|distance| offset.checked_add(distance))
                .ok_or(Fault::OutsideArray)?;
        }
        if let Some(room) = room
            && offset.checked_add(bytes).is_none_or(|end| end > room)
        {
            return Err(Fault::OutsideRoom { offset, room }.into());
        }
        Ok(base.wrapping_add(offset))
    }

    /// Stores a value, which must fit the type.
    pub(super) fn store(&mut self, place: &'a Place, ty: Type, value: i128) -> Result<(), Stop> {
        let size = self.prepared.rules.environment.declarations.size(ty);
        let pointer = self.address(place, size)?;
        self.store_at(pointer, ty, value)
    }

    pub(super) fn store_at(&mut self, pointer: *mut u8, ty: Type, value: i128) -> Result<(), Stop> {
        let (low, high) = steps::types::range(ty);
        if value < low || value > high {
            return Err(Fault::DoesNotFit { value, ty }.into());
        }
        let size = self.prepared.rules.environment.declarations.size(ty);
        let bytes = (value as u64).to_le_bytes();
        // SAFETY: the place has room for `size` bytes: at most 8, for types that have values.
        unsafe { pointer.copy_from_nonoverlapping(bytes.as_ptr(), size.min(8)) };
        Ok(())
    }

    pub(super) fn size(&mut self, expression: &'a Expression) -> Result<usize, Stop> {
        let value = self.evaluate(expression)?;
        if (0..=LARGEST).contains(&value) { Ok(value as usize) } else { Err(Fault::Size(value).into()) }
    }

    pub(super) fn bytes(&mut self, pointer: &'a Expression, length: usize) -> Result<&'static mut [u8], Stop> {
        let address = self.evaluate(pointer)?;
        if address == 0 && length > 0 {
            return Err(Fault::NullArgument.into());
        }
        let address = if length == 0 { std::ptr::dangling_mut::<u8>() } else { address as usize as *mut u8 };
        // SAFETY: the rule states that this many bytes of host memory are at the address, and device pointers were
        // refused when the catalog was loaded. The slice is no longer used when any other code runs.
        Ok(unsafe { std::slice::from_raw_parts_mut(address, length) })
    }

    fn apply(&mut self, builtin: Builtin, arguments: &'a [Expression]) -> Result<i128, Stop> {
        let salt = self.memory.salt;
        Ok(match builtin {
            Builtin::Host => {
                let (bytes, align) = (self.size(&arguments[0])?, self.size(&arguments[1])?);
                if !align.is_power_of_two() || align > 1 << 21 {
                    return Err(Fault::HostAlignment.into());
                }
                self.memory.host(bytes, align)? as i128
            }
            Builtin::Edge => {
                let bytes = self.size(&arguments[0])?;
                self.memory.edge(bytes)? as i128
            }
            Builtin::Pattern => {
                let bytes = self.size(&arguments[0])?;
                let tag = self.evaluate(&arguments[1])?;
                self.memory.pattern(bytes, tag)? as i128
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
            Builtin::File => {
                let text = self.c_text(&arguments[0])?.unwrap_or_default();
                let path = self.memory.file(&String::from_utf8_lossy(&text))?;
                self.memory.text(&path.to_string_lossy())? as i128
            }
            Builtin::GetPid => i128::from(std::process::id()),
            // SAFETY: the function only reads the calling thread's number.
            Builtin::ThreadId => i128::from(unsafe { libc::pthread_self() }),
            Builtin::Resident => resident(),
            Builtin::PauseFor => {
                let milliseconds = u64::try_from(self.evaluate(&arguments[0])?).unwrap_or(0);
                std::thread::sleep(Duration::from_millis(milliseconds));
                0
            }
            Builtin::Gate => {
                let gate = gates::make();
                self.flight.note_closed_gates(gates::closed());
                gate
            }
            Builtin::Hook => self.hook(arguments)?,
            Builtin::Open => {
                gates::open(self.evaluate(&arguments[0])?)?;
                self.flight.note_closed_gates(gates::closed());
                0
            }
            Builtin::Linear => match arguments {
                [Expression::Constant(position)] => self.linear(*position)?,
                _ => return Err(Fault::NoValue.into()),
            },
            Builtin::Handed => i128::from(self.arrived.take().ok_or(Fault::NoValue)?),
            Builtin::Shut => self.shut(&arguments[0])?,
            Builtin::Passed => gates::passed(self.evaluate(&arguments[0])?)?,
            Builtin::Argument => gates::argument(self.evaluate(&arguments[0])?, self.evaluate(&arguments[1])?)?,
            _ => self.look(builtin, arguments)?,
        })
    }

    /// Returns the address of a function of a callback type. The first argument is the type's position. The second
    /// argument, for a type without a parameter for a gate, is the gate.
    fn hook(&mut self, arguments: &'a [Expression]) -> Result<i128, Stop> {
        let position = self.evaluate(&arguments[0])?;
        let callbacks = self.prepared.rules.environment.declarations.bindings.callbacks;
        let callback = usize::try_from(position).ok().and_then(|position| callbacks.get(position));
        let callback = callback.ok_or(Fault::NoValue)?;
        let bound = arguments.get(1).map(|gate| self.evaluate(gate)).transpose()?;
        Ok(hooks::hook(callback, bound)?)
    }

    /// Evaluates the built-ins that only read memory and numbers.
    fn look(&mut self, builtin: Builtin, arguments: &'a [Expression]) -> Result<i128, Stop> {
        let salt = self.memory.salt;
        Ok(match builtin {
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
                    return Err(Fault::AlignUp.into());
                }
                let up = value.checked_add(step - 1).and_then(|sum| sum.div_euclid(step).checked_mul(step));
                up.ok_or(EvaluationError::Arithmetic(ArithmeticError::Overflow))?
            }
            Builtin::IsPowerOfTwo => {
                let value = self.evaluate(&arguments[0])?;
                i128::from(value > 0 && value & (value - 1) == 0)
            }
            Builtin::TextMatches => {
                let (text, pattern) = (self.c_text(&arguments[0])?, self.c_text(&arguments[1])?);
                i128::from(text.zip(pattern).is_some_and(|(text, pattern)| glob(&pattern, &text)))
            }
            Builtin::Alignment => {
                let address = self.evaluate(&arguments[0])?;
                if address == 0 { 0 } else { 1i128 << address.trailing_zeros() }
            }
            _ => return Err(Fault::NoValue.into()),
        })
    }

    /// The bytes of a C string; `None` for a null pointer.
    pub(super) fn c_text(&mut self, expression: &'a Expression) -> Result<Option<Vec<u8>>, Stop> {
        let address = self.evaluate(expression)?;
        Ok(c_text(address))
    }

    /// The operands in a failed check, for the check's message: `left = 32, right = 0`.
    pub(super) fn operands(&mut self, condition: &'a Expression) -> String {
        match condition {
            Expression::Binary(BinaryOperator::And, ..) => {
                let parts = conjuncts(condition);
                // Parts after a false one have no meaning, and their calls were not made.
                match parts.iter().copied().position(|part| !self.holds(part)) {
                    Some(index) => {
                        let operands = self.operands(parts[index]);
                        let colon = if operands.is_empty() { "" } else { ": " };
                        format!("part {} of {} is false{colon}{operands}", index + 1, parts.len())
                    }
                    None => "a part did not hold when checked; now each does".to_owned(),
                }
            }
            Expression::Binary(BinaryOperator::Or, left, right) => {
                let (left, right) = (self.holds(left), self.holds(right));
                format!("left side is {left}, right side is {right}")
            }
            Expression::Binary(operator, left, right) if operator.is_comparison() => {
                let (Some(left), Some(right)) = (self.quiet(left), self.quiet(right)) else { return String::new() };
                // Another thread may have changed the operands since the check.
                let now = arithmetic::binary(*operator, left, right).is_ok_and(|holds| holds != 0);
                let late = if now { "it did not hold when checked; now " } else { "" };
                format!("{late}left is {}, right is {}", number(left), number(right))
            }
            Expression::In(of, _) => {
                self.quiet(of).map(|value| format!("the value is {}", number(value))).unwrap_or_default()
            }
            Expression::Builtin(Builtin::Linear, _) => self.inconsistent.as_deref().map(in_words).unwrap_or_default(),
            Expression::Builtin(Builtin::Same, arguments) => self.difference(arguments).unwrap_or_default(),
            Expression::Builtin(Builtin::AllBytes, arguments) => self.odd_byte(arguments).unwrap_or_default(),
            _ => String::new(),
        }
    }

    fn holds(&mut self, condition: &'a Expression) -> bool {
        self.evaluate(condition).is_ok_and(|value| value != 0)
    }

    /// Evaluates an expression again for a message. Calls are not repeated.
    pub(super) fn quiet(&mut self, expression: &'a Expression) -> Option<i128> {
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

/// The parts of `a && b && c`, in order.
fn conjuncts(condition: &Expression) -> Vec<&Expression> {
    let mut parts = Vec::new();
    let mut rest = condition;
    while let Expression::Binary(BinaryOperator::And, left, right) = rest {
        parts.insert(0, &**right);
        rest = left;
    }
    parts.insert(0, rest);
    parts
}

/// Reads a C string of at most 64 KiB.
pub(super) fn c_text(address: i128) -> Option<Vec<u8>> {
    if address == 0 {
        return None;
    }
    let mut text = Vec::new();
    for at in 0..65536usize {
        // SAFETY: the library or the rule states that a C string starts here. A wrong pointer ends this process.
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

/// The number of this process's resident bytes, as the kernel counts them; 0 if unknown.
fn resident() -> i128 {
    let counts = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = counts.split(' ').nth(1).and_then(|pages| pages.parse::<i128>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as i128
}
